"""HTML pages: their readable text as ``kgfs.documents.html`` writes it, and what their head or front matter says.

One of the readers of ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

import re

from kgfs.documents import dates
from kgfs.documents.formats.main_text import main_part
from kgfs.documents.formats.markdown import stated_reading
from kgfs.documents.formats.reading import FileText, RawFile
from kgfs.documents.html import read_page
from kgfs.documents.markdown import front_matter
from kgfs.documents.summaries import MAX_DESCRIPTION

_UNREAD = re.compile(r"<(script|style)\b|<!--", re.I)
_ENDS = {"script": re.compile(r"</script\s*>", re.I), "style": re.compile(r"</style\s*>", re.I), "": re.compile("-->")}
_EMBEDDED = re.compile(r"(=\s*)(\"data:[^\"]*\"|'data:[^']*')", re.I)
MAX_TREE_CHARACTERS = 12 * 1024 * 1024
"""A page's tree takes up to a hundred times the memory of its source: beyond this only the first part is read."""


def read(source: RawFile) -> FileText:
    """An HTML file, which may have front matter; one from the web without what stands around its main text."""
    matter = front_matter(source.text)
    text, note = bounded_source(source.text[matter.end :])
    page = read_page(text)
    reading = stated_reading(page.text, matter.attributes, titled=bool(page.title))
    reading.title = reading.title or page.title
    reading.date = reading.date or dates.from_value(page.date)
    reading.description = reading.description or page.description[:MAX_DESCRIPTION]
    reading.tags = list(dict.fromkeys([*reading.tags, *page.keywords]))
    reading.notes = [note] if note else []
    return main_part(reading, text, source.url) if source.url else reading


def bounded_source(text: str) -> tuple[str, str]:
    """A page's source small enough to build a tree of, and one sentence where its end was left out."""
    if len(text) <= MAX_TREE_CHARACTERS // 2:
        return text, ""
    text = _EMBEDDED.sub(r"\1''", _without_scripts(text))
    if len(text) <= MAX_TREE_CHARACTERS:
        return text, ""
    return text[:MAX_TREE_CHARACTERS], (
        f"The page is larger than {MAX_TREE_CHARACTERS:,} characters without its scripts: its first part was read."
    )


def _without_scripts(text: str) -> str:
    """The source without scripts, styles and comments; one that never ends takes the rest, as in browsers."""
    parts = []
    position = 0
    while (opening := _UNREAD.search(text, position)) is not None:
        parts.append(text[position : opening.start()])
        closing = _ENDS[(opening[1] or "").lower()].search(text, opening.end())
        if closing is None:
            return " ".join(parts)
        position = closing.end()
    parts.append(text[position:])
    return " ".join(parts)
