"""RTF: paragraphs, headings by style, lists, tables and links, written as Markdown.

One of the readers of ``kgfs.documents.formats``; pure. The libraries for it give the text and nothing of its structure.
The file is one pass of control words and groups; what it embeds (pictures, objects) is passed over.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field, replace

from kgfs.documents import dates
from kgfs.documents.formats.reading import BROKEN, FileText, RawFile, Unreadable, printable, property_lines, split_words
from kgfs.documents.formats.writing import FIRST_PART_KEPT, MarkdownWriter, TextFull

_TOKEN = re.compile(
    rb"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})?[ ]?|\\'(?P<hex>[0-9A-Fa-f]{2})|\\(?P<sign>[^A-Za-z])"
    rb"|(?P<open>\{)|(?P<close>\})|(?P<text>[^\\{}\r\n]+)|[\r\n]+"
)
_SKIPPED = frozenset(
    "fonttbl colortbl pict object objdata themedata colorschememapping datastore latentstyles listtable "
    "listoverridetable rsidtbl generator xmlnstbl filetbl revtbl header headerl headerr headerf footer footerl "
    "footerr footerf nonshppict shppict pgptbl mmathPr wgrffmtfilter listpicture userprops docvar factoidname "
    "bkmkstart bkmkend annotation atnid atnauthor atndate xe tc template passwordhash panose falt blipuid sp "
    "shpinst".split()
)
_SIGNS = {
    "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
    "tab": "\t", "line": "\n", "emspace": " ", "enspace": " ", "softline": "\n",
}  # fmt: skip
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
_HEADING = re.compile(r"heading ?([1-9])", re.I)
_LINK = re.compile(r'HYPERLINK\s+(?:\\\w\s+)*"?([^"\s]+)"?')
_MAX_DEPTH = 2000


@dataclass(slots=True)
class _State:
    """What a group inherits from the one around it."""

    kind: str = ""
    """What text is for: empty for the document, ``skip``, ``styles``, ``fonts``, ``info``, ``link``, ``bullet``."""
    name: str = ""
    """Of the information about the document: which."""
    encoding: str = "cp1252"
    fallback: int = 1
    """How many characters stand behind ``\\u`` for programs that do not know it."""
    hidden: bool = False


@dataclass(slots=True)
class _Paragraph:
    """The paragraph that is read."""

    parts: list[str] = field(default_factory=list)
    style: int = 0
    outline: int | None = None
    listed: bool = False
    depth: int = 0
    in_table: bool = False


def read(source: RawFile) -> FileText:
    """An RTF file. ``Unreadable`` where it is none; one that is cut short is read as far as it goes."""
    if not source.data.lstrip()[:6].startswith(b"{\\rtf"):
        raise Unreadable(BROKEN)
    writer = MarkdownWriter(source.config.max_extracted_bytes)
    reader = _Reader(writer)
    notes: list[str] = []
    try:
        reader.read(source.data)
    except TextFull:
        notes.append(FIRST_PART_KEPT)
    if reader.open_groups > 0:
        notes.append("It is cut short: what there is of it was read.")
    said = {name: printable("".join(parts)) for name, parts in reader.said.items()}
    return FileText(
        writer.text(),
        title=said.get("title", ""),
        made=reader.made,
        front_matter=property_lines(author=said.get("author"), subject=said.get("subject")),
        tags=split_words(said.get("keywords")),
        notes=notes,
    )


class _Reader:
    def __init__(self, writer: MarkdownWriter) -> None:
        self._writer = writer
        self._state = _State()
        self._stack: list[_State] = []
        self._paragraph = _Paragraph()
        self._cells: list[str] = []
        self._rows: list[list[str]] = []
        self._styles: dict[int, str] = {}
        self._style = 0
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._bytes = bytearray()
        self._to_skip = 0
        self._links: list[tuple[int, str]] = []
        """Links that are open: the depth of the group, and the target."""
        self._instruction: list[str] = []
        self._starred = False
        self._moment: dict[str, int] = {}
        self.said: dict[str, list[str]] = {}
        self.made: str | None = None
        self.open_groups = 0

    def read(self, data: bytes) -> None:
        """Write what the file says."""
        place = 0
        while place < len(data):
            token = _TOKEN.match(data, place)
            if token is None:
                break  # a lone backslash at its end
            place, kind = token.end(), token.lastgroup
            if kind == "text":
                self._text(token["text"])
            elif kind == "hex":
                self._text(bytes([int(token["hex"], 16)]))
            elif kind == "open":
                self._flush()
                if len(self._stack) < _MAX_DEPTH:
                    self._stack.append(replace(self._state))
                self.open_groups += 1
            elif kind == "close":
                self._close()
                if self.open_groups == 0:
                    break
            elif kind == "sign":
                self._sign(token["sign"])
            elif token["word"]:
                number = int(token["number"]) if token["number"] else None
                if token["word"] == b"bin":
                    place += max(0, number or 0)  # bytes of a picture: any may be among them
                else:
                    self._word(token["word"].decode(), number)
        self._flush()
        self._end_paragraph()
        self._end_table()

    # --- text ------------------------------------------------------------------------------------------------

    def _text(self, raw: bytes) -> None:
        if self._to_skip:
            skipped = min(self._to_skip, len(raw))
            self._to_skip -= skipped
            raw = raw[skipped:]
        self._bytes += raw

    def _flush(self) -> None:
        """Characters of bytes: several bytes of Asian texts are one character."""
        if self._bytes:
            raw = bytes(self._bytes)
            self._bytes.clear()
            self._say(raw.decode(self._state.encoding, "replace"))

    def _say(self, text: str) -> None:
        state = self._state
        if state.kind == "" and not state.hidden:
            self._paragraph.parts.append(text)
        elif state.kind == "styles":
            self._styles[self._style] = self._styles.get(self._style, "") + text.rstrip(";")
        elif state.kind == "info" and state.name:
            self.said.setdefault(state.name, []).append(text)
        elif state.kind == "link":
            self._instruction.append(text)

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._starred = True
        elif sign in (b"\\", b"{", b"}"):
            self._text(sign)
        elif sign == b"~":
            self._flush()
            self._say("\u00a0")
        elif sign == b"_":
            self._text(b"-")
        elif sign in (b"\n", b"\r"):
            self._flush()
            self._end_paragraph()

    # --- groups and control words ----------------------------------------------------------------------------

    def _close(self) -> None:
        self._flush()
        depth = self.open_groups
        if self._state.kind == "info" and self._moment and self.made is None:
            day = [self._moment.get(part) for part in ("yr", "mo", "dy")]
            if day[0]:
                self.made = dates.from_value(
                    "-".join(f"{part:0{4 if not place else 2}d}" for place, part in enumerate(day) if part)
                )
            self._moment = {}
        while self._links and self._links[-1][0] >= depth:
            _, target = self._links.pop()
            self._end_link(target)
        self.open_groups = max(0, self.open_groups - 1)
        if self._stack and len(self._stack) > self.open_groups:
            self._state = self._stack.pop()
        self._starred = False

    def _word(self, word: str, number: int | None) -> None:
        self._flush()
        state = self._state
        starred, self._starred = self._starred, False
        if word in _SKIPPED and word != "fonttbl":
            state.kind = "skip"
        elif word == "fonttbl":
            state.kind = "fonts"
        elif word == "stylesheet":
            state.kind = "styles"
        elif word == "info":
            state.kind = "info"
        elif word == "fldinst":
            state.kind, self._instruction = "link", []
        elif word == "fldrslt":
            self._begin_link()
            state.kind = ""
        elif word in ("pntext", "listtext"):
            state.kind = "skip"
            self._paragraph.listed = True
        elif state.kind == "info":
            self._about(word, number)
        elif state.kind == "styles":
            if word in ("s", "cs", "ds", "ts") and number is not None:
                self._style = number if word == "s" else -1
            elif word == "outlinelevel" and number is not None and self._style >= 0:
                self._styles[self._style] = f"heading {number + 1} " + self._styles.get(self._style, "")
            elif starred and word not in ("s", "cs"):
                state.kind = "skip"
        elif state.kind == "fonts":
            if word == "f" and number is not None:
                self._font = number
            elif word == "fcharset" and number is not None:
                self._fonts[self._font] = _CHARSETS.get(number, "")
        elif starred and word not in ("pn", "shptxt"):
            state.kind = "skip"
        elif state.kind in ("", "link"):
            self._format(word, number)

    def _about(self, word: str, number: int | None) -> None:
        if word in ("title", "author", "subject", "keywords"):
            self._state.name = word
        elif word in ("yr", "mo", "dy") and number is not None:
            self._moment[word] = number
        elif word == "u" and number is not None:
            self._say(_character(number))
            self._to_skip = self._state.fallback
        elif word not in ("hr", "min", "sec"):
            self._state.name = ""

    def _format(self, word: str, number: int | None) -> None:
        state, paragraph = self._state, self._paragraph
        if word in _SIGNS:
            self._say(_SIGNS[word])
        elif word == "u" and number is not None:
            self._say(_character(number))
            self._to_skip = state.fallback
        elif word == "uc":
            state.fallback = min(number if number is not None else 1, 16)
        elif word in ("par", "sect", "page", "column"):
            self._end_paragraph()
        elif word == "pard":
            listed = paragraph.listed
            self._paragraph = _Paragraph(paragraph.parts, listed=listed and bool(paragraph.parts))
        elif word == "s" and number is not None:
            paragraph.style = number
        elif word == "outlinelevel" and number is not None:
            paragraph.outline = number + 1
        elif word == "ls" and number:
            paragraph.listed = True
        elif word == "ilvl" and number is not None:
            paragraph.depth = number
        elif word == "intbl":
            paragraph.in_table = True
        elif word in ("cell", "nestcell"):
            self._cells.append(" ".join("".join(paragraph.parts).split()))
            paragraph.parts.clear()
        elif word in ("row", "nestrow"):
            if self._cells:
                self._rows.append(self._cells)
            self._cells = []
            self._paragraph = _Paragraph()
        elif word == "v":
            state.hidden = number != 0
        elif word == "plain":
            state.hidden = False
        elif word == "deleted":
            state.hidden = number != 0
        elif word == "f" and number is not None and self._fonts.get(number):
            state.encoding = self._fonts[number]
        elif word == "ansicpg" and number is not None:
            state.encoding = _codec(number)
        elif word == "footnote":
            paragraph.parts.append(" [")
            self._links.append((self.open_groups, "\0"))

    # --- links, paragraphs, tables ---------------------------------------------------------------------------

    def _begin_link(self) -> None:
        found = _LINK.search("".join(self._instruction))
        self._instruction = []
        if found is not None and not re.search(r"[\s()<>]", found[1]):
            self._paragraph.parts.append("[")
            self._links.append((self.open_groups, found[1]))

    def _end_link(self, target: str) -> None:
        self._paragraph.parts.append("]" if target == "\0" else f"]({target})")

    def _end_paragraph(self) -> None:
        paragraph = self._paragraph
        text = "".join(paragraph.parts)
        if paragraph.in_table and self._state.kind == "":
            paragraph.parts.append(" ")  # a cell of several paragraphs
            return
        self._end_table()
        style = self._styles.get(paragraph.style, "") if paragraph.style else ""
        heading = _HEADING.search(style)
        level = paragraph.outline if paragraph.outline and paragraph.outline <= 9 else None
        if text.strip():
            if style.strip().lower() == "title":
                self._writer.heading(1, text)
            elif heading is not None or level is not None:
                self._writer.heading(int(heading[1]) if heading else level or 1, text)
            elif paragraph.listed or text.lstrip().startswith("•"):
                self._writer.item(text.lstrip().lstrip("•·").strip(), paragraph.depth)
            else:
                self._writer.prose(text)
        # What a paragraph is goes on to the next one until it is reset; its bullet does not.
        self._paragraph = _Paragraph(
            style=paragraph.style, outline=paragraph.outline, listed=False, depth=paragraph.depth
        )

    def _end_table(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            self._writer.table(rows)


def _character(number: int) -> str:
    number = number + 65536 if number < 0 else number
    return chr(number) if number < 0xD800 or 0xE000 <= number < 0x110000 else "\ufffd"


def _codec(page: int) -> str:
    name = {65001: "utf-8", 10000: "mac_roman", 936: "gb18030"}.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
