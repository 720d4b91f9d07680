"""What a document is called in the tree: the name of its file, or, where that says nothing, of its folder or its title.

Pure; used by ``documents``, which makes the name once, when a document is new.
"""

from __future__ import annotations

import posixpath
import re

from kgfs.names import slug, slug_key
from kgfs.random_ids import is_random_id

_INDEX = frozenset(("", "_index", "index", "readme"))
"""Files that stand for their folder."""
_NO_FOLDER = frozenset(
    "assets blob build content contents dist doc docs documentation documents en files html main markdown master md "
    "notes pages posts public site src static text vault web wiki www".split()
)
"""Folders that say where files lie, not what they are about."""
_NO_TITLE = frozenset(
    "about document home index introduction main new note notes overview page readme untitled".split()
)
_DATE = re.compile(r"(?:1[5-9]|20)\d\d(?:[-_. ]?(?:0[1-9]|1[0-2])(?:[-_. ]?(?:0[1-9]|[12]\d|3[01]))?)?")
_NUMBER = re.compile(r"[\W_]*\d[\d\W_]*")
_HEXADECIMAL = re.compile(r"(?=[a-f]*\d)[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""With a digit: *effaced* is a word."""
_UNTITLED = re.compile(r"(?:untitled|unnamed|new (?:document|file|note)|scan|img|image)[\W_]*\d*")
_MOST_TITLE = 80
"""Characters: a longer title is a sentence."""


def wanted_names(path: str, title: str = "") -> list[str]:
    """The names that a document at a path may have, the best first; never empty.

    ``guides/leave.md`` is *leave*, else *guides_leave*; ``guides/leave/index.md`` is *leave*, else *guides_leave*, and
    ``guides/0001.md`` with the title *Leave policy* is *Leave_policy*.
    """
    parts = [part for part in path.split("/") if part]
    name = parts.pop() if parts else ""
    stem = posixpath.splitext(name)[0] or name
    if stem.lower() in _INDEX:
        found = [*_of_folders(parts), *_of_title(title, stem), *_with_folder(stem, parts)]
    elif is_opaque(stem):
        found = [*_of_title(title, stem), *_with_folder(stem, parts)]
    else:
        return [slug(stem, "document"), *_with_folder(stem, parts)]
    return list(dict.fromkeys([*found, slug(stem, "document")]))


def is_opaque(stem: str) -> bool:
    """Whether a file's name says nothing of what it holds: a number, a hash, *untitled*; a date does."""
    lowered = stem.strip().lower()
    if _DATE.fullmatch(lowered):
        return False
    return is_random_id(stem.strip()) or any(shape.fullmatch(lowered) for shape in (_NUMBER, _HEXADECIMAL, _UNTITLED))


def _with_folder(stem: str, folders: list[str]) -> list[str]:
    return [slug(f"{folders[-1]}_{stem}", "document")] if folders else []


def _of_folders(folders: list[str]) -> list[str]:
    """The folder, then with the one above it."""
    if not folders or folders[-1].lower() in _NO_FOLDER or is_opaque(folders[-1]):
        return []
    return [slug(folders[-1], "document"), *_with_folder(folders[-1], folders[:-1])]


def _of_title(title: str, stem: str) -> list[str]:
    said = " ".join(title.split())
    key = slug_key(slug(said, ""))
    if (
        "://" in said
        or not 2 < len(said) <= _MOST_TITLE
        or key in _NO_TITLE
        or key == slug_key(slug(stem, ""))
        or is_opaque(said)
    ):
        return []
    return [slug(said, "document")]
