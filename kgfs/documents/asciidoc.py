"""AsciiDoc: blocks of its lines, and what its header says.

Used by formats and extraction, in the worker process; pure. The text stays as it is. The libraries for it convert whole
documents by themselves and read what is included; here only lines are looked at, and no file is ever opened.
"""

from __future__ import annotations

import re

from kgfs.documents.blocks import Block, Leaf
from kgfs.documents.line_markup import BlockWriter, read_lines
from kgfs.documents.markup import plain_sentence

_HEADING = re.compile(r"(?P<marks>={1,6}|#{1,6})[ \t]+(?P<title>\S.*?)(?:[ \t]+(?P=marks))?")
_CHAPTER = re.compile(r"^== ", re.M)
_DELIMITER = re.compile(r"(?P<mark>-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|`{3,}\w*|[|,:!]={3,})")
_ATTRIBUTE = re.compile(r":!?(?P<name>[\w-]+)!?:(?:[ \t]+(?P<value>.*))?")
_ITEM = re.compile(r"(?P<mark>(?:\*{1,6}|-|\.{1,5}|\d+\.|[a-zA-Z]\.|<[\d.]+>)[ \t]+(?:\[[ xX*]\][ \t]+)?)(?=\S)")
_TERM = re.compile(r"(?P<term>\S.{0,120}?)(?P<sign>:{2,4}|;;)(?:[ \t]+(?P<rest>\S.*))?")
_MACRO = re.compile(r"(?:include|image|video|audio|toc|ifdef|ifndef|ifeval|endif|kroki|plantuml)::\S*")
_ATTRIBUTES = re.compile(r"\[.*\]|\.[^\s.].*")
_AUTHOR = re.compile(r"[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*){1,3}(?: <[^<>]+>)?")
_REVISION = re.compile(r"(?:v\S+)?,?\s*(?P<date>[^:,]*\d{4}[^:,]*)(?:[:,].*)?")
_LONGEST = 5000
"""Lines of what stands between delimiters; looking further for each that never ends would take for ever."""
_MAX_DEPTH = 20
_CODE_MARKS = ("-", ".", "`")


def asciidoc_blocks(text: str) -> list[Block]:
    """The blocks of a text."""
    writer = BlockWriter(text, read_lines(text))
    _read(writer, _header_end(writer), len(writer.lines), 0)
    return writer.finish()


def asciidoc_header(text: str) -> dict[str, str]:
    """What the header says: ``title``, ``author``, ``date``, and the attributes by their names.

    A chapter of a book has its title one level down, where a document has sections.
    """
    lines = read_lines(text[:20_000])
    found: dict[str, str] = {}
    seen = False
    for line in lines[:200]:
        body = line.text.strip()
        if not body:
            if seen:
                break
            continue
        if body.startswith("//") or (not seen and _ATTRIBUTES.fullmatch(body)):
            continue
        attribute = _ATTRIBUTE.fullmatch(body)
        heading = _HEADING.fullmatch(body)
        if heading is not None and not seen:
            seen = True
            if len(heading["marks"]) == 1 or (heading["marks"] == "==" and len(_CHAPTER.findall(text)) == 1):
                found["title"] = plain_sentence(heading["title"]).text
        elif attribute is not None:
            if attribute["value"]:
                found[attribute["name"].lower()] = attribute["value"].strip()
        elif seen and "author" not in found and _AUTHOR.fullmatch(body):
            found["author"] = body.partition(" <")[0]
        elif seen and (revision := _REVISION.fullmatch(body)):
            found["date"] = revision["date"].strip()
        else:
            break
    if "revdate" in found:
        found.setdefault("date", found["revdate"])
    return found


def _header_end(writer: BlockWriter) -> int:
    """Read the title and the lines of the header under it, and say where the body begins."""
    for place, line in enumerate(writer.lines[:200]):
        body = line.text.strip()
        if not body or body.startswith("//") or _ATTRIBUTE.fullmatch(body):
            continue
        heading = _HEADING.fullmatch(line.text)
        if heading is None or len(heading["marks"]) != 1:
            return 0
        if place:
            writer.block("html", 0, place)
        writer.heading(place, place + 1, 1, plain_sentence(heading["title"]).text, place)
        writer.blocks[-1].leaves[0].start = line.start + line.text.index(heading["title"])
        past = place + 1
        while past < len(writer.lines) and not writer.lines[past].blank:
            past += 1
        if past > place + 1:
            writer.rows("html", place + 1, past)
        return past
    return 0


def _read(writer: BlockWriter, place: int, end: int, depth: int) -> None:
    while place < end:
        place = _block(writer, place, end, depth)


def _block(writer: BlockWriter, place: int, end: int, depth: int) -> int:
    """Read one block and say where the next one begins."""
    line = writer.lines[place]
    body = line.text.strip()
    if not body or body == "+":
        return place + 1
    delimiter = _DELIMITER.fullmatch(line.text)
    if delimiter is not None:
        return _delimited(writer, place, end, depth)
    heading = _HEADING.fullmatch(line.text)
    if heading is not None:
        writer.heading(place, place + 1, len(heading["marks"]), plain_sentence(heading["title"]).text, place)
        writer.blocks[-1].leaves[0].start += heading.start("title")
        return place + 1
    if (
        body.startswith("//")
        or _ATTRIBUTE.fullmatch(body)
        or _MACRO.match(body)
        or _ATTRIBUTES.fullmatch(body)
        or body in ("'''", "<<<")
    ):
        writer.block("html", place, place + 1)
        return place + 1
    if line.indent and not _ITEM.match(body) and not _TERM.fullmatch(body):
        past = _run(writer, place, end)
        writer.code(place, past)
        return past
    if _TERM.fullmatch(body) and not _ITEM.match(body):
        return _definitions(writer, place, end)
    if _ITEM.match(body):
        return _list(writer, place, end)
    past = place + 1
    while past < end and not _ends_paragraph(writer, past):
        past += 1
    writer.block("paragraph", place, past, [writer.leaf(place, past)])
    return past


def _ends_paragraph(writer: BlockWriter, place: int) -> bool:
    line = writer.lines[place]
    body = line.text.strip()
    return not body or _DELIMITER.fullmatch(line.text) is not None or body == "+" or body.startswith("//")


def _delimited(writer: BlockWriter, place: int, end: int, depth: int) -> int:
    """What stands between two lines of signs; what never ends is that line alone."""
    mark = writer.lines[place].text
    closing = mark[:3] if mark.startswith("```") else mark
    last = min(end, place + _LONGEST)
    past = next((one for one in range(place + 1, last) if writer.lines[one].text == closing), -1)
    if past < 0 or depth > _MAX_DEPTH:
        writer.block("html", place, place + 1)
        return place + 1
    if mark.endswith("==="):
        if mark[0] != "=":
            writer.rows("table", place, past + 1)
            return past + 1
    elif mark[0] in ("+", "/"):
        writer.block("html", place, past + 1)
        return past + 1
    elif mark[0] in _CODE_MARKS and mark != "--":
        writer.code(place, past + 1)
        return past + 1
    writer.block("html", place, place + 1)
    _read(writer, place + 1, past, depth + 1)
    writer.block("html", past, past + 1)
    return past + 1


def _definitions(writer: BlockWriter, place: int, end: int) -> int:
    """``Term:: what it is``, the definition behind the term or under it."""
    lines = writer.lines
    leaves: list[Leaf] = []
    cuts = []
    past = place
    while past < end:
        line = lines[past]
        body = line.text.strip()
        if not body:
            if past + 1 >= end or not _TERM.fullmatch(lines[past + 1].text.strip()):
                break
            past += 1
            continue
        term = _TERM.fullmatch(body)
        if term is not None and not _ITEM.match(body):
            lead = line.start + line.text.index(body)
            cuts.append(line.start)
            leaves.append(Leaf(lead, lead + term.end("term"), "row"))
            if term["rest"]:
                leaves.append(Leaf(lead + term.start("rest"), line.end))
            elif past + 1 < end and lines[past + 1].blank:
                past += 1  # the definition stands under an empty line
        elif body == "+" or _DELIMITER.fullmatch(line.text) or _HEADING.fullmatch(line.text) or body.startswith("["):
            break
        elif leaves and leaves[-1].kind == "row":
            leaves.append(Leaf(line.start, line.end))
        elif leaves:
            leaves[-1].end = line.end
        past += 1
    past = max(past, place + 1)
    writer.block("definitions", place, past, leaves).cuts = cuts[1:]
    return past


def _list(writer: BlockWriter, place: int, end: int) -> int:
    lines = writer.lines
    leaves: list[Leaf] = []
    cuts = []
    past = place
    while past < end:
        line = lines[past]
        body = line.text.strip()
        if not body:
            if past + 1 >= end or not _ITEM.match(lines[past + 1].text.strip()):
                break
            past += 1
            continue
        item = _ITEM.match(body)
        if item is not None:
            start = line.start + line.text.index(body) + item.end()
            cuts.append(line.start)
            leaves.append(Leaf(start, line.end))
        elif (
            body == "+"
            or _DELIMITER.fullmatch(line.text)
            or _HEADING.fullmatch(line.text)
            or _ATTRIBUTES.fullmatch(body)
        ):
            break
        elif leaves:
            leaves[-1].end = line.end
        past += 1
    past = max(past, place + 1)
    writer.block("list", place, past, leaves).cuts = cuts[1:]
    return past


def _run(writer: BlockWriter, place: int, end: int) -> int:
    while place < end and not writer.lines[place].blank:
        place += 1
    return place
