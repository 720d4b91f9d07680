"""Org: blocks of its lines, and what its keywords and properties say.

Used by formats and extraction, in the worker process; pure. The text stays as it is; no file that it includes is
opened.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from kgfs.documents.blocks import Block, Leaf
from kgfs.documents.line_markup import BlockWriter, Line, read_lines
from kgfs.documents.markup import plain_sentence

_HEADING = re.compile(
    r"(?P<stars>\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAIT|WAITING|HOLD|STARTED|CANCELED|CANCELLED|PROJ|SOMEDAY)[ \t]+)?"
    r"(?:\[#[A-Z0-9]\][ \t]*)?(?:COMMENT[ \t]+)?(?P<title>.*?)(?:[ \t]+:(?P<tags>[\w@#%:]+):)?"
)
_KEYWORD = re.compile(r"#\+(?P<name>\w+)(?:\[[^\]]*\])?:[ \t]*(?P<value>.*)", re.I)
_BEGIN = re.compile(r"#\+begin_(?P<name>\w+)", re.I)
_DRAWER = re.compile(r":(?P<name>[\w-]+):")
_PROPERTY = re.compile(r":(?P<name>[\w-]+)\+?:[ \t]+(?P<value>.*)")
_ITEM = re.compile(r"(?P<mark>(?:[-+]|\d+[.)]|[A-Za-z][.)])[ \t]+(?:\[@\d+\][ \t]*)?(?:\[[ X-]\][ \t]+)?)(?=\S)")
_STARRED = re.compile(r"\*[ \t]+(?=\S)")
_PLANNING = re.compile(r"(?:CLOCK|SCHEDULED|DEADLINE|CLOSED):")
_CODE = frozenset("src example export verse latex html ascii comment".split())


_LONGEST_DRAWER = 200
_MAX_DEPTH = 20


class _Ends:
    """Where environments and drawers end, found once: a search from each beginning would take for ever."""

    def __init__(self, lines: list[Line]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, line in enumerate(lines):
            body = line.text.strip().lower()
            if body.startswith("#+end_") or body == ":end:":
                self._places.setdefault(body, []).append(place)

    def after(self, end: str, place: int) -> int:
        """The first line behind ``place`` that says this; -1 where none does."""
        places = self._places.get(end, [])
        found = bisect_right(places, place)
        return places[found] if found < len(places) else -1


def org_blocks(text: str) -> list[Block]:
    """The blocks of a text."""
    writer = BlockWriter(text, read_lines(text))
    ends = _Ends(writer.lines)
    place = 0
    while place < len(writer.lines):
        place = _block(writer, ends, place, 0)
    return writer.finish()


def only_heading(text: str) -> str:
    """The title of the one heading of the outermost level; empty where there are several, or none."""
    found = re.findall(r"^\*[ \t]+\S.*", text, re.M)
    heading = _HEADING.fullmatch(found[0].rstrip()) if len(found) == 1 else None
    return plain_sentence(heading["title"]).text.strip() if heading is not None else ""


def org_keywords(text: str) -> dict[str, str]:
    """What the keywords and the first properties of a file say, by their names in lower case."""
    found: dict[str, str] = {}
    for line in read_lines(text[:40_000]):
        said = line.text.strip()
        if line.text.startswith("* "):
            break
        keyword = _KEYWORD.fullmatch(said) or _PROPERTY.fullmatch(said)
        if keyword is not None and keyword["value"].strip():
            name = keyword["name"].lower()
            found[name] = f"{found[name]} {keyword['value'].strip()}" if name in found else keyword["value"].strip()
    return found


def _block(writer: BlockWriter, ends: _Ends, place: int, depth: int) -> int:
    """Read one block and say where the next one begins."""
    lines = writer.lines
    line = lines[place]
    body = line.text.strip()
    if not body:
        return place + 1
    heading = _HEADING.fullmatch(line.text) if line.text[0] == "*" else None
    if heading is not None:
        title = plain_sentence(heading["title"]).text.strip()
        writer.heading(place, place + 1, len(heading["stars"]), title, place)
        leaf = writer.blocks[-1].leaves[0]
        leaf.start += heading.start("title")
        leaf.end = max(leaf.start, line.start + heading.end("title"))
        return place + 1
    begin = _BEGIN.match(body)
    if begin is not None and depth < _MAX_DEPTH:
        return _environment(writer, ends, place, begin["name"].lower(), depth)
    if body.startswith(("#+", "# ")) or body == "#" or _PLANNING.match(body):
        writer.block("html", place, place + 1)
        return place + 1
    if _DRAWER.fullmatch(body):
        return _drawer(writer, ends, place)
    if body.startswith("|"):
        past = _while(writer, place, lambda text: text.startswith("|"))
        writer.rows("table", place, past)
        return past
    if body.startswith(": ") or body == ":":
        past = _while(writer, place, lambda text: text.startswith(": ") or text == ":")
        writer.code(place, past)
        return past
    if _is_item(body, line.indent):
        return _list(writer, place)
    past = place + 1
    while past < len(lines) and not _begins(writer, past):
        past += 1
    writer.block("paragraph", place, past, [writer.leaf(place, past)])
    return past


def _begins(writer: BlockWriter, place: int) -> bool:
    """Whether something other than a paragraph's next line stands there."""
    line = writer.lines[place]
    body = line.text.strip()
    return (
        not body
        or body.startswith(("#+", "|", "# "))
        or (line.text[0] == "*" and _HEADING.fullmatch(line.text) is not None)
        or _is_item(body, line.indent)
        or _DRAWER.fullmatch(body) is not None
    )


def _is_item(body: str, indent: int) -> bool:
    return _ITEM.match(body) is not None or (indent > 0 and _STARRED.match(body) is not None)


def _while(writer: BlockWriter, place: int, holds: object) -> int:
    assert callable(holds)
    while place < len(writer.lines) and holds(writer.lines[place].text.strip()):
        place += 1
    return place


def _environment(writer: BlockWriter, ends: _Ends, place: int, name: str, depth: int) -> int:
    """From ``#+begin_x`` to ``#+end_x``; of what never ends only the first line."""
    end = ends.after(f"#+end_{name}", place)
    if end < 0:
        writer.block("html", place, place + 1)
        return place + 1
    if name in _CODE:
        writer.code(place, end + 1)
        return end + 1
    writer.block("html", place, place + 1)
    inner = place + 1
    while inner < end:
        inner = _block(writer, ends, inner, depth + 1)
    if inner <= end:
        writer.block("html", end, end + 1)
        inner = end + 1
    return inner


def _drawer(writer: BlockWriter, ends: _Ends, place: int) -> int:
    end = ends.after(":end:", place)
    past = end + 1 if 0 <= end < place + _LONGEST_DRAWER else place + 1
    writer.block("html", place, past)
    return past


def _list(writer: BlockWriter, place: int) -> int:
    """A list; items ``- term :: what it is`` define."""
    lines = writer.lines
    least = lines[place].indent
    past = place
    leaves: list[Leaf] = []
    cuts: list[int] = []
    defines = False
    while past < len(lines):
        line = lines[past]
        body = line.text.strip()
        if not body:
            following = next((one for one in range(past, min(past + 3, len(lines))) if not lines[one].blank), None)
            if following is None or following - past > 1:
                break
            after = lines[following]
            if after.indent < least or not (after.indent > least or _is_item(after.text.strip(), after.indent)):
                break
            past += 1
            continue
        if (
            line.indent < least
            or (line.text[0] == "*" and _HEADING.fullmatch(line.text))
            or body.startswith(("#+", "|"))
        ):
            break
        if _is_item(body, line.indent):
            mark = _ITEM.match(body) or _STARRED.match(body)
            assert mark is not None
            start = line.start + line.text.index(body) + mark.end()
            cuts.append(line.start)
            term, sign, rest = body[mark.end() :].partition(" :: ")
            if sign and rest.strip():
                defines = True
                leaves.append(Leaf(start, start + len(term), "row"))
                leaves.append(Leaf(start + len(term) + 4, line.end))
            else:
                leaves.append(Leaf(start, line.end))
        elif line.indent > least and leaves:
            leaves[-1].end = line.end
        else:
            break
        past += 1
    while past > place + 1 and lines[past - 1].blank:
        past -= 1
    writer.block("definitions" if defines else "list", place, past, leaves).cuts = cuts[1:]
    return past
