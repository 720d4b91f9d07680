"""What a document is called in the tree: the name of its file, or, where that says nothing, of its folder or its title.

Pure; used by ``documents``, which makes the name once, when a document is new.
"""

from __future__ import annotations

import posixpath
import re

from kgfs.names import slug, slug_key
from kgfs.random_ids import MERE_FOLDERS, is_opaque, says_no_title

_INDEX = frozenset(("", "_index", "index", "readme"))
"""Files that stand for their folder."""
_COPY = re.compile(r"(?:_?index|readme)[ _-]?(?:~\d+|\(\d+\)|\d{1,3})")
"""Others of them, numbered where several came to lie in one folder."""
_MOST_TITLE = 80
"""Characters: a longer title is a sentence."""


def wanted_names(path: str, title: str = "") -> list[str]:
    """The names that a document at a path may have, the best first; never empty.

    ``guides/leave.md`` is *leave*, else *guides_leave*; ``guides/leave/index.md`` is *leave*, else *guides_leave*, and
    ``guides/0001.md`` with the title *Leave policy* is *Leave_policy*, as ``guides/index~38.md`` is.
    """
    parts = [part for part in path.split("/") if part]
    name = parts.pop() if parts else ""
    stem = posixpath.splitext(name)[0] or name
    if stem.lower() in _INDEX:
        found = [*_of_folders(parts), *_of_title(title, stem), *_with_folder(stem, parts)]
    elif _COPY.fullmatch(stem.lower()):
        found = [*_of_title(title, stem), *_of_folders(parts), *_with_folder(stem, parts)]
    elif is_opaque(stem):
        found = [*_of_title(title, stem), *_with_folder(stem, parts)]
    else:
        return [slug(stem, "document"), *_with_folder(stem, parts)]
    longer = [slug("_".join([*parts[-count:], stem]), "document") for count in (2, 3) if len(parts) >= count]
    return list(dict.fromkeys([*found, slug(stem, "document"), *longer]))


def _with_folder(stem: str, folders: list[str]) -> list[str]:
    return [slug(f"{folders[-1]}_{stem}", "document")] if folders else []


def _of_folders(folders: list[str]) -> list[str]:
    """The folder, then with the one above it."""
    if not folders or folders[-1].lower() in MERE_FOLDERS or is_opaque(folders[-1]):
        return []
    return [slug(folders[-1], "document"), *_with_folder(folders[-1], folders[:-1])]


def _of_title(title: str, stem: str) -> list[str]:
    said = " ".join(title.split())
    key = slug_key(slug(said, ""))
    if (
        "://" in said
        or not 2 < len(said) <= _MOST_TITLE
        or says_no_title(said)
        or key == slug_key(slug(stem, ""))
        or is_opaque(said)
    ):
        return []
    return [slug(said, "document")]
