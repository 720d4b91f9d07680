"""Markdown: the text is the file; front matter says its title, date, description and tags.

One of the readers of ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from kgfs.documents import dates
from kgfs.documents.formats.reading import FileText, RawFile
from kgfs.documents.markdown import front_matter
from kgfs.documents.markup import plain_sentence
from kgfs.documents.records.foreign_keys import english_word
from kgfs.documents.records.record import spelled
from kgfs.documents.summaries import MAX_DESCRIPTION

_TITLES = ("title", "display_name", "displayname", "full_name", "page_title")
_NAMES = ("name", "label", "heading", "sidebar_label", "nav_title")
"""Keys that name what a text without a heading is about."""
_DESCRIPTIONS = ("description", "short_description", "summary", "excerpt", "tagline", "abstract")
_HEADING = re.compile(r"^(?:#[ \t]|\S.*\n=+[ \t]*$)", re.M)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INLINE_CODE = re.compile(r"(`+)[^`]+\1")
_TO_PAGE = re.compile(r"\s*#redirect\b:?\s*\[", re.I)
"""What leads on to another page of a wiki: ``#REDIRECT [[Ann Lee]]``."""
_INLINE_TAG = re.compile(r"(?<!\S)#(?=[\w/-]*[^\W\d_])([\w/-]+)(?![\w/#-])")
_COLOUR = re.compile(r"(?=.*\d|(.)\1+$)(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")


def read(source: RawFile) -> FileText:
    """A Markdown file."""
    matter = front_matter(source.text)
    reading = stated_reading(source.text, matter.attributes, titled=_HEADING.search(source.text) is not None)
    reading.is_content = True
    reading.tags = list(dict.fromkeys([*reading.tags, *inline_tags(source.text[matter.end :])]))
    reading.notes = [matter.note] if matter.note else []
    return reading


def stated_reading(text: str, attributes: dict[str, Any], *, titled: bool) -> FileText:
    """A text with what its front matter says of it; ``titled`` is whether it has a heading of its own."""
    said = {key.lower(): value for key, value in attributes.items()}
    for key, value in attributes.items():
        said.setdefault(english_word(spelled(key)), value)  # "titel", "标签"
    return FileText(
        text,
        title=_first(said, _TITLES) or ("" if titled else _first(said, _NAMES)),
        date=dates.from_front_matter(said),
        description=plain_sentence(_first(said, _DESCRIPTIONS)).text[:MAX_DESCRIPTION],
        front_matter=attributes,
        tags=_tags(said),
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
                if tag and not _COLOUR.fullmatch(tag) and not (tag.lower() == "redirect" and _TO_PAGE.match(line)):
                    found[tag] = None
    return list(found)


def _first(said: dict[str, Any], keys: Iterable[str]) -> str:
    """The value of the first of these keys that has one."""
    for key in keys:
        value = said.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            text = " ".join(str(value).split())
            if text:
                return text
    return ""


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
