"""LaTeX: headings, lists, definitions, tables, links and code of a source, written as Markdown.

One of the readers of ``kgfs.documents.formats``; pure. Commands and accents become characters by pylatexenc, paragraph
by paragraph; environments are told apart here. Nothing that a source includes is opened, and no macro is expanded, so
that none can grow without end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

from kgfs.documents import dates
from kgfs.documents.formats.reading import FileText, RawFile, printable, property_lines, split_words
from kgfs.documents.formats.writing import FIRST_PART_KEPT, MarkdownWriter, TextFull

_LEVELS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_VERBATIM = frozenset(
    "verbatim Verbatim lstlisting minted alltt verbatimtab BVerbatim code tikzpicture filecontents".split()
)
_LISTS = frozenset("itemize enumerate description compactitem compactenum inparaenum tasks".split())
_TABLES = frozenset("tabular tabular* tabularx tabulary longtable array supertabular tblr".split())
_MATHS = frozenset(
    "equation equation* align align* gather gather* multline multline* eqnarray eqnarray* displaymath math".split()
)
_UNREAD = frozenset("comment thebibliography filecontents* CCSXML".split())
_MARK = re.compile(
    r"\\begin\s*\{(?P<begin>[A-Za-z]+\*?)\}|\\end\s*\{(?P<end>[A-Za-z]+\*?)\}"
    r"|\\(?P<heading>part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?\s*(?:\[[^\]]{0,500}\])?\s*(?=\{)"
    r"|(?P<item>\\item)(?![A-Za-z])|(?P<paragraph>\n[ \t]*\n\s*|\\par(?![A-Za-z])|\\maketitle|\\tableofcontents)"
)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(?:\n[ \t]*(?=\S))?")
_DEFINITION = re.compile(r"\\(?:re)?newcommand|\\def\b|\\newenvironment|\\DeclareMathOperator|\\providecommand")
_DROPPED = re.compile(
    r"~?\\(?:label|cite[a-z]*\*?|footnotemark|index|vspace\*?|hspace\*?|input|include|includegraphics|bibliography"
    r"|bibliographystyle|usepackage|documentclass|pagestyle|thispagestyle|setlength|addcontentsline|hypersetup|graphicspath)"
    r"\s*(?:\[[^\]]{0,500}\]\s*)*(?:\{[^{}]{0,500}\}\s*)*"
)
_LINK = re.compile(
    r"\\href\s*\{(?P<target>[^{}]{1,1000})\}\s*\{(?P<label>[^{}]{1,500})\}|\\url\s*\{(?P<url>[^{}]{1,1000})\}"
)
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot)\b|\\c(?:line|midrule)(?:\([lr]+\))?\{[^}]*\}"
)
_CELLS = re.compile(r"\\multi(?:column|row)\s*\{[^{}]*\}\s*\{[^{}]*\}\s*\{")
_SPACED_SIGN = re.compile(r" +(?=[,.;:](?:\s|$))")
_MARKUP = re.compile(r"[\\{}$~]|--|``|''")
_MAX_PARAGRAPH = 20_000
_MAX_DEPTH = 60


def read(source: RawFile) -> FileText:
    """A LaTeX source; what stands before ``\\begin{document}`` says its title, author and date."""
    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    opening = text.find("\\begin{document}")
    head = _COMMENT.sub(r"\1", text[: opening if opening >= 0 else 20_000])
    body = text[opening + len("\\begin{document}") :] if opening >= 0 else text
    closing = body.find("\\end{document}")
    body = body[:closing] if closing >= 0 else body
    writer = MarkdownWriter(source.config.max_extracted_bytes)
    reader = _Reader(writer)
    front = head + body[:20_000]
    title = reader.plain(_argument(front, "title"))
    author = reader.plain(_argument(front, "author").replace("\\and", ","))
    notes: list[str] = []
    try:
        writer.heading(1, title)
        reader.read(body)
    except TextFull:
        notes.append(FIRST_PART_KEPT)
    return FileText(
        writer.text(),
        title=printable(title),
        date=dates.from_value(reader.plain(_argument(front, "date"))),
        front_matter=property_lines(author=author),
        tags=split_words(reader.plain(_argument(front, "keywords"))),
        notes=notes,
    )


class _Reader:
    def __init__(self, writer: MarkdownWriter) -> None:
        self._writer = writer
        context = get_default_latex_context_db()
        context.add_context_category(
            "kgfs", prepend=True, macros=[MacroTextSpec("texttt", "`%s`"), MacroTextSpec("verb", "%s")]
        )
        self._text = LatexNodes2Text(
            latex_context=context, math_mode="verbatim", keep_comments=False, strict_latex_spaces=False
        )
        self._lists: list[str] = []
        self._numbers: list[int] = []
        self._waiting: str | None = None
        """The mark of an item whose text comes: empty, or its term."""

    def read(self, body: str) -> None:
        """Write what a body says."""
        place = 0
        while (mark := _MARK.search(body, place)) is not None:
            self._prose(body[place : mark.start()])
            place = mark.end()
            name = mark["begin"]
            if name is not None:
                place = self._begin(body, name, place)
            elif mark["end"] is not None:
                self._end(mark["end"])
            elif mark["heading"] is not None:
                title, place = _braces(body, place)
                self._waiting = None
                self._writer.heading(_LEVELS[mark["heading"]], self.plain(title))
            elif mark["item"] is not None:
                term, place = _brackets(body, place)
                self._waiting = self.plain(term)
        self._prose(body[place:])

    def _begin(self, body: str, name: str, place: int) -> int:
        """Read what an environment begins with, or the whole of one that is no text."""
        if name in _VERBATIM or name in _TABLES or name in _MATHS or name in _UNREAD:
            closing = body.find(f"\\end{{{name}}}", place)
            end = closing if closing >= 0 else len(body)
            inside = body[place:end]
            if name in _TABLES:
                self._table(inside)
            elif name in _VERBATIM:
                self._writer.code(re.sub(r"\A(?:\[[^\]\n]*\])?(?:\{[^}\n]*\})?", "", inside).strip("\n"))
            elif name in _MATHS:
                self._writer.code(inside.strip(), "math")
            return end + len(f"\\end{{{name}}}") if closing >= 0 else end
        if name in _LISTS and len(self._lists) < _MAX_DEPTH:
            self._lists.append(name)
            self._numbers.append(0)
        _, place = _brackets(body, place)
        return place

    def _end(self, name: str) -> None:
        if self._lists and self._lists[-1] == name:
            self._lists.pop()
            self._numbers.pop()
            self._waiting = None

    def _prose(self, raw: str) -> None:
        if not raw.strip():
            return
        text = self.plain(raw)
        if not text:
            return
        if not self._lists or self._waiting is None:
            self._writer.prose(text)
            return
        term, self._waiting = self._waiting, None
        if self._lists[-1] == "description" and term:
            self._writer.definition(term, text)
        else:
            number = None
            if self._lists[-1] in ("enumerate", "compactenum"):
                self._numbers[-1] += 1
                number = self._numbers[-1]
            self._writer.item(f"{term} {text}".strip(), len(self._lists) - 1, number)

    def _table(self, inside: str) -> None:
        _, place = _brackets(inside, 0)
        _, place = _braces(inside, place)
        if inside[place:].lstrip().startswith("{"):
            _, place = _braces(inside, place)  # tabularx says its width first
        rows = []
        for row in re.split(r"\\\\(?:\[[^\]]*\])?|\\tabularnewline", _COMMENT.sub(r"\1", inside[place:])):
            row = _CELLS.sub("{", _RULES.sub("", row))
            if row.strip():
                rows.append([self.plain(cell) for cell in re.split(r"(?<!\\)&", row)])
        self._writer.table(rows)

    def plain(self, raw: str) -> str:
        """A piece of a source as one paragraph of text."""
        if not raw.strip():
            return ""
        raw = _COMMENT.sub(r"\1", raw[:_MAX_PARAGRAPH])
        if _DEFINITION.search(raw):
            return ""
        raw = _DROPPED.sub("", raw)
        if not _MARKUP.search(raw):
            return _SPACED_SIGN.sub("", " ".join(raw.split()))
        links: list[str] = []

        def keep(found: re.Match[str]) -> str:
            links.append(found["url"] or f"[{found['label']}]({found['target']})")
            return f"\ue000{len(links) - 1}\ue001"

        raw = _LINK.sub(keep, raw)
        try:
            text = self._text.latex_to_text(raw)
        except (ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError, AssertionError):
            text = re.sub(r"\\[A-Za-z]+\*?|[{}]", " ", raw)
        text = re.sub(r"\ue000(\d+)\ue001", lambda found: links[int(found[1])], text)
        return _SPACED_SIGN.sub("", " ".join(text.split()))


def _argument(text: str, name: str) -> str:
    """What a command of this name is given first; empty where there is none."""
    found = re.search(rf"\\{name}\s*(?:\[[^\]]*\])?\s*(?=\{{)", text)
    return _braces(text, found.end())[0] if found else ""


def _braces(text: str, place: int) -> tuple[str, int]:
    """What stands between braces at ``place``, and where it ends; of braces that never close their line."""
    start = place + len(text[place : place + 200]) - len(text[place : place + 200].lstrip())
    if text[start : start + 1] != "{":
        return "", place
    depth = 0
    for at in _signs(text, start):
        depth += 1 if text[at] == "{" else -1
        if depth == 0:
            return text[start + 1 : at], at + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return text[start + 1 : end], end


def _signs(text: str, start: int) -> Iterator[int]:
    """Where the braces stand of the next 20,000 characters, those behind a backslash left out."""
    for found in re.compile(r"\\.|[{}]", re.S).finditer(text, start, start + _MAX_PARAGRAPH):
        if len(found[0]) == 1:
            yield found.start()


def _brackets(text: str, place: int) -> tuple[str, int]:
    """What stands between square brackets at ``place``, if something does, and where it ends."""
    found = re.compile(r"\s*\[((?:[^\[\]{}]|\{[^{}]*\})*)\]").match(text, place, place + 1000)
    return (found[1], found.end()) if found else ("", place)
