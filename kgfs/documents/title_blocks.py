"""Title blocks of Pandoc at the top of Markdown: up to three lines that begin with ``%``, in manual pages above all.

Used by ``markdown``; pure. Elsewhere such a line is a comment.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from kgfs.documents import dates

_BLOCK = re.compile(r"\A\ufeff?% ?(?P<title>\S[^\n]*)\n(?:%(?P<authors>[^\n]*)\n)?(?:%(?P<date>[^\n]*)\n)?(?!%)")
_OF_MANUAL = re.compile(r"(?P<name>[\w.+@:-]+(?: [\w.+-]+)?) ?\(\d\w{0,3}\)(?:\s.*)?|(?P<plain>[\w.+@:-]+) \d(?:\s.*)?")
"""``LAMPER(1) Lamper Manual | General Commands``, ``lamper 1``."""
_NAME = re.compile(r"^(?:#{1,2}[ \t]*NAME|NAME[ \t]*\n=+)[ \t]*\n\s*[*_`]*(?P<name>[\w.+@:-]+)", re.M)
_ADDRESS = re.compile(r"\s*<[^<>]*>")
_LOOKED_AT = 2000


class TitleBlock(NamedTuple):
    """What the lines say, and where they end in characters."""

    attributes: dict[str, Any]
    end: int


def title_block(text: str) -> TitleBlock | None:
    """The title block of a manual page, or one whose third line is a date; ``None`` where there is none.

    A manual page is called as its section *NAME* spells it.
    """
    if not text.startswith(("%", "\ufeff%")):
        return None
    found = _BLOCK.match(text.replace("\r\n", " \n") if "\r\n" in text[:_LOOKED_AT] else text)
    if found is None:
        return None
    title = " ".join(found["title"].split())
    said = (found["date"] or "").strip()
    date = dates.from_value(said) if said else None
    manual = _OF_MANUAL.fullmatch(title)
    if manual is None and date is None:
        return None
    if manual is not None:
        title = manual["name"] or manual["plain"]
        named = _NAME.search(text, found.end(), found.end() + _LOOKED_AT)
        title = named["name"] if named is not None and named["name"].casefold() == title.casefold() else title
    attributes: dict[str, Any] = {"title": title}
    authors = [_ADDRESS.sub("", one).strip() for one in (found["authors"] or "").split(";")]
    if any(authors):
        attributes["author"] = [one for one in authors if one]
    if date is not None:
        attributes["date"] = said
    return TitleBlock(attributes, found.end())
