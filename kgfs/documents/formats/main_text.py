"""The main text of a page from the web: without navigation, notices, teasers and footers.

Used by ``page`` for what comes from a URL; pure. ``trafilatura`` finds it. On pages with little around their text, such
as manuals, our own reader keeps more, so that is taken. Looked at: five pages made like a newspaper's (the library
leaves out all that is around, ours nothing; of a notice of one sentence it takes the navigation), and manuals (where
ours is hardly longer, the library has lost headings; where it is much longer, that is navigation).
"""

from __future__ import annotations

import logging
import re

from selectolax.lexbor import LexborHTMLParser

from kgfs.documents import dates
from kgfs.documents.formats.reading import FileText, printable, property_lines
from kgfs.documents.html import read_page
from kgfs.documents.summaries import MAX_DESCRIPTION

log = logging.getLogger(__name__)

MUCH_AROUND = 1.3
"""A text that is so many times as long as another has much in it that the other has not."""
LEAST_CHARACTERS = 250
"""A main text that is shorter is none: the page is a list, or the library was at a loss."""
MAX_CHARACTERS = 4 * 1024 * 1024
"""Of source; beyond it is taken as it is."""

_HEADER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_ESCAPED = re.compile(r"\\([<>])")


def main_part(reading: FileText, html: str, url: str) -> FileText:
    """``reading`` of a page with its main text alone, if it can be told, and with what the page says of itself."""
    if len(html) > MAX_CHARACTERS:
        return reading
    import trafilatura

    try:
        found = trafilatura.extract_with_metadata(
            html,
            url=url,
            include_comments=False,
            include_tables=True,
            include_formatting=True,
            include_links=False,
            favor_recall=True,
            output_format="markdown",
            # Not what looks like a date somewhere in the text.
            date_extraction_params={"extensive_search": False, "original_date": True},
        )
    except MemoryError:
        raise
    except Exception:
        # It is a heuristic over broken HTML: what it stumbles over our own reader reads.
        log.warning("The main text of a page could not be told.", exc_info=True)
        found = None
    facts = found.as_dict() if found is not None else {}
    text = _ESCAPED.sub(r"\1", _HEADER.sub("", str(facts.get("text") or ""))).strip()
    reading.text = _chosen(reading.text, text, html)
    title = printable(facts.get("title"))
    if not reading.title or (title and reading.title.startswith(title)):
        reading.title = title  # without the site's name
    reading.date = reading.date or dates.from_value(str(facts.get("date") or ""))
    reading.description = reading.description or printable(facts.get("description"))[:MAX_DESCRIPTION]
    canonical = printable(facts.get("url"))
    reading.front_matter = property_lines(
        url=canonical if canonical.startswith(("http://", "https://")) else "",
        author=facts.get("author"),
        site=facts.get("sitename"),
    )
    return reading


def _chosen(whole: str, main: str, html: str) -> str:
    """Of the text of the whole page and what the library found in it, what is the page's own."""
    stated = LexborHTMLParser(html).css("main, [role=main]")
    if len(stated) == 1:
        inside = read_page(stated[0].html or "").text
        if inside.strip() and len(main) > MUCH_AROUND * len(inside):
            return inside  # the library went beyond what the author calls the main part
    if len(main) >= LEAST_CHARACTERS and len(whole) > MUCH_AROUND * len(main):
        return main + "\n"
    return whole
