"""HTML as readable text: headings as ``#`` lines, list items as ``-`` lines, tables as rows of cells.

Used by formats, in the worker process; pure. The result is Markdown-like, so that what follows treats it as Markdown.
Links to other files keep their target (``[label](page.html)``), because they say how documents hang together.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kgfs.documents.html_grid import Cell, TableGrid, span
from kgfs.documents.records.record import is_plain_value

_DROPPED = "script, style, noscript, template, nav, svg, iframe, object, embed, form, button, select, head"
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
"""In a ``style``: what browsers do not show, such as the values in the head of a filing in inline XBRL."""
_BLOCKS = frozenset(
    "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer header hgroup html "
    "main ol p pre section summary table caption thead tbody tfoot tr ul li h1 h2 h3 h4 h5 h6 hr br".split()
)
_DATE_NAMES = (
    "article:published_time", "date", "dc.date", "dcterms.date", "dcterms.created", "pubdate", "publish-date",
    "article:modified_time", "last-modified",
)  # fmt: skip
_REFRESH = re.compile(r"\s*[0-9.]+\s*[;,]\s*(?:url\s*=\s*)?['\"]?(?P<to>[^\s'\"()]+)['\"]?\s*", re.IGNORECASE)
"""What ``<meta http-equiv="refresh">`` holds on a page that leads to another one."""
_MOST_BESIDE_REDIRECT = 400
"""Characters of a page that says only where it leads."""
_SPACES = re.compile(r"[ \t\r\n\f\v\u00a0]+")
_ALL_ROWS = 999_999
"""Of a cell with ``rowspan=0``, which reaches to the end of its part of the table."""
_NEW_LINE = "\x00"
"""Where a line of a cell ends, while the cell is read; no text has it."""
_NAME_ALONE = re.compile(
    r"(?:\[(?=[^\W\d_a-z])[^\[\]]{1,60}\]\([^()]{1,200}\)|"
    r"[^\W\d_a-z][^\W_]*[\w.'’-]*(?:,? [^\W_][\w.'’-]*){0,4})(?: \([^()]{1,40}\))?"
)
"""A line that has the form of a name, or of a link with one."""
_SITE = re.compile(r"\s+[-–—|·:]\s+.{2,60}|.{2,60}\s+[-–—|·:]\s+|:\s.{2,60}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")


class HtmlPage(NamedTuple):
    """What an HTML file holds."""

    text: str
    title: str
    description: str
    date: str
    """As written; empty when none is."""
    keywords: list[str]


def _with_site(title: str, heading: str) -> bool:
    """Whether a title is the page's heading with the name of its site: *Castle of Tarn - Lampedia*."""
    around = title.removeprefix(heading) if title.startswith(heading) else title.removesuffix(heading)
    return around != title and _SITE.fullmatch(around) is not None


def read_page(source: str) -> HtmlPage:
    """The readable text of an HTML document and what its head says. Broken HTML is read as browsers read it."""
    tree = LexborHTMLParser(source)
    meta: dict[str, str] = {}
    for node in tree.css("meta"):
        attributes = node.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv")
        content = attributes.get("content")
        if name and content:
            meta.setdefault(name.strip().lower(), _SPACES.sub(" ", content).strip())
    title_node = tree.css_first("title")
    title = _SPACES.sub(" ", title_node.text() or "").strip() if title_node is not None else ""
    headings = tree.css("h1")
    heading = _SPACES.sub(" ", headings[0].text() or "").strip() if len(headings) == 1 else ""
    if heading and _with_site(title, heading):
        title = heading
    time = tree.css_first("time[datetime]")
    date = next((meta[name] for name in _DATE_NAMES if meta.get(name)), "")
    if not date and time is not None:
        date = time.attributes.get("datetime") or ""
    for node in tree.css(_DROPPED):
        node.decompose()
    body = tree.body
    text = _Writer().write(body) if body is not None else ""
    onward = _REFRESH.fullmatch(meta.get("refresh", ""))
    if onward is not None and len(text) <= _MOST_BESIDE_REDIRECT:
        text = f"Redirects to [{title or onward['to']}]({onward['to']})."
    keywords = [word.strip() for word in meta.get("keywords", "").split(",") if word.strip()]
    return HtmlPage(text, title, meta.get("description") or meta.get("og:description", ""), date, keywords)


def _is_hidden(node: LexborNode) -> bool:
    """Whether an element says that it is not shown; what a search in the page would find is (``until-found``)."""
    attributes = node.attributes
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    return _HIDDEN.search(attributes.get("style") or "") is not None


class _Writer:
    """One rendering; iterative, so that deep nesting does not overflow the stack."""

    def __init__(self) -> None:
        self._paragraphs: list[str] = []
        self._line: list[str] = []
        self._prefix = ""
        self._grid = TableGrid()
        self._cells: list[Cell] | None = None
        self._in_head = False
        """What comes stands in the ``thead`` of a table."""
        self._pre = 0
        self._lists: list[int | None] = []
        self._role = ""
        """What comes is a ``term`` of a definition list, or its ``definition``."""
        self._defining = ""
        """The role of the last paragraph."""

    def write(self, root: LexborNode) -> str:
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        while stack:
            node, closing = stack.pop()
            tag = node.tag or ""
            if tag == "-text":
                self._text(node.text_content or "")
                continue
            if closing:
                self._close(tag, node)
                continue
            if tag.startswith(("-", "_")):
                continue
            if _is_hidden(node):
                continue
            self._open(tag, node)
            stack.append((node, True))
            child = node.last_child
            while child is not None:
                stack.append((child, False))
                child = child.prev
        self._flush()
        self._end_table()
        return "\n\n".join(self._paragraphs) + "\n" if self._paragraphs else ""

    def _text(self, text: str) -> None:
        self._line.append(text if self._pre else _SPACES.sub(" ", text))

    def _open(self, tag: str, node: LexborNode) -> None:
        if tag in ("td", "th"):
            self._line_of_cell()
            return
        if tag == "a":
            if self._target(node):
                self._line.append("[")
            return
        if tag not in _BLOCKS:
            return
        self._in_head = tag == "thead" or (self._in_head and tag not in ("tbody", "tfoot", "table"))
        if self._cells is not None and tag != "tr":
            self._line.append(_NEW_LINE if tag in ("br", "li") else " ")
            return
        self._flush()
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self._prefix = "#" * int(tag[1]) + " "
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            number = self._lists[-1] if self._lists else None
            indent = "  " * max(0, len(self._lists) - 1)
            if number is not None:
                self._lists[-1] = number + 1
            self._prefix = indent + (f"{number + 1}. " if number is not None else "- ")
        elif tag == "dt":
            self._role = "term"
        elif tag == "dd":
            self._prefix, self._role = ": ", "definition"
        elif tag == "tr":
            self._cells = []
        elif tag == "pre":
            self._pre += 1

    def _close(self, tag: str, node: LexborNode) -> None:
        if tag in ("td", "th"):
            self._end_cell(tag, node)
        elif tag == "a":
            target = self._target(node)
            if target:
                self._line.append(f"]({target})")
        elif tag == "tr":
            cells, self._cells = self._cells or [], None
            self._grid.add(cells)
        elif tag in _BLOCKS and self._cells is None:
            self._flush()
            if tag == "table":
                self._end_table()
            elif tag in ("thead", "tbody", "tfoot"):
                self._grid.end_group()
                self._in_head = False
            elif tag in ("ul", "ol") and self._lists:
                self._lists.pop()
            elif tag == "pre":
                self._pre = max(0, self._pre - 1)

    @staticmethod
    def _target(node: LexborNode) -> str:
        """Where a link to another file points; nothing for the web, for mail and for a place on the same page."""
        target = (node.attributes.get("href") or "").strip()
        return "" if not target or _SCHEME.match(target) or re.search(r"[\s()]", target) else target

    def _line_of_cell(self) -> str:
        """The text that was met in a row, which goes into no cell but the one that ends here."""
        if self._cells is None:
            return ""
        text = _SPACES.sub(" ", "".join(self._line)).strip().replace("|", "/")
        self._line.clear()
        lines = [line.strip() for line in text.split(_NEW_LINE) if line.strip()]
        # Names and figures that stand one beneath the other stay apart; other lines are only broken to fit.
        apart = all(_NAME_ALONE.fullmatch(line) or is_plain_value(line) for line in lines)
        return "<br>".join(lines) if apart else " ".join(lines)

    def _end_cell(self, tag: str, node: LexborNode) -> None:
        text = self._line_of_cell()
        if self._cells is not None:
            said = node.attributes
            columns, rows = span(said.get("colspan")), span(said.get("rowspan"), _ALL_ROWS)
            self._cells.append(Cell(text, columns, rows, tag == "th" or self._in_head))

    def _flush(self) -> None:
        raw = "".join(self._line)
        self._line.clear()
        text = raw.strip("\n").rstrip() if self._pre else _SPACES.sub(" ", raw).strip()
        prefix, self._prefix = self._prefix, self._prefix if not text.strip() else ""
        if not text.strip():
            return
        if self._pre:
            text = f"```\n{text}\n```"
        elif not prefix:
            text = re.sub(r"^(#+\s|[-+*]\s|\d+[.)]\s|>|:\s)", r"\\\1", text)
        before, self._defining, self._role = self._defining, self._role, ""
        item = prefix.lstrip()[:1] not in ("", "#", ":")
        if (before and (prefix == ": " or before == self._defining == "term") and not self._pre) or (
            item and self._paragraphs and re.match(r"\s*(?:- |\d+\. )", self._paragraphs[-1].rsplit("\n", 1)[-1])
        ):
            self._paragraphs[-1] += "\n" + prefix + text
        else:
            self._paragraphs.append(prefix + text)

    def _end_table(self) -> None:
        rows = self._grid.take()
        if rows:
            written = [f"| {' | '.join(row.cells)} |" for row in rows]
            written.insert(1, "|" + " --- |" * len(rows[0].cells))
            self._paragraphs.append("\n".join(written))
