"""Markdown: the text is the file; front matter says its title, date, description and tags.

One of the readers of ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

import re
from typing import Any

from kgfs.documents import dates
from kgfs.documents.formats.reading import FileText, RawFile
from kgfs.documents.markdown import front_matter
from kgfs.documents.markup import plain_sentence
from kgfs.documents.summaries import MAX_DESCRIPTION

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INLINE_CODE = re.compile(r"(`+)[^`]+\1")
_INLINE_TAG = re.compile(r"(?<!\S)#(?=[\w/-]*[^\W\d_])([\w/-]+)(?![\w/#-])")
_COLOUR = re.compile(r"(?=.*\d|(.)\1+$)(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")


def read(source: RawFile) -> FileText:
    """A Markdown file."""
    matter = front_matter(source.text)
    attributes = matter.attributes
    return FileText(
        source.text,
        is_content=True,
        title=_scalar(attributes, "title"),
        date=dates.from_front_matter(attributes),
        description=plain_sentence(_scalar(attributes, "description")).text[:MAX_DESCRIPTION],
        front_matter=attributes,
        tags=list(dict.fromkeys([*_tags(attributes), *inline_tags(source.text[matter.end :])])),
        notes=[matter.note] if matter.note else [],
    )


def inline_tags(text: str) -> list[str]:
    """The tags that stand in the text itself, as Obsidian has them: ``#reading/papers``; none in code, no colours."""
    found: dict[str, None] = {}
    fence = ""
    for line in text.splitlines() if "#" in text else ():
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and "#" in line:
            for match in _INLINE_TAG.finditer(_INLINE_CODE.sub(" ", line)):
                tag = match[1].strip("/-")
                if tag and not _COLOUR.fullmatch(tag):
                    found[tag] = None
    return list(found)


def _scalar(attributes: dict[str, Any], key: str) -> str:
    value = attributes.get(key)
    readable = isinstance(value, str | int | float) and not isinstance(value, bool)
    return " ".join(str(value).split()) if readable else ""


def _tags(attributes: dict[str, Any]) -> list[str]:
    """Tags and keywords: a list, or text with commas (or, without any, with spaces for ``tags``)."""
    found: list[str] = []
    for key in ("tags", "tag", "keywords", "categories", "category"):
        value = attributes.get(key)
        if isinstance(value, str):
            value = value.split(",") if "," in value else (value.split() if key == "tags" else [value])
        if isinstance(value, list):
            found += [str(item).strip().lstrip("#") for item in value if isinstance(item, str | int | float)]
    return list(dict.fromkeys(tag for tag in found if tag))
