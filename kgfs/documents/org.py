"""Org: blocks of its lines, and what its keywords and properties say.

Used by formats and extraction, in the worker process; pure. The text stays as it is; no file that it includes is
opened.
"""

from __future__ import annotations

import re

from kgfs.documents.blocks import Block, Leaf
from kgfs.documents.line_markup import BlockWriter, read_lines
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


def org_blocks(text: str) -> list[Block]:
    """The blocks of a text."""
    writer = BlockWriter(text, read_lines(text))
    place = 0
    while place < len(writer.lines):
        place = _block(writer, place)
    return writer.finish()


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


def _block(writer: BlockWriter, place: int) -> int:
    """Read one block and say where the next one begins."""
    lines = writer.lines
    line = lines[place]
    body = line.text.strip()
    if not body:
        return place + 1
    heading = _HEADING.fullmatch(line.text) if line.indent == 0 else None
    if heading is not None:
        title = plain_sentence(heading["title"]).text.strip()
        writer.heading(place, place + 1, len(heading["stars"]), title, place)
        leaf = writer.blocks[-1].leaves[0]
        leaf.start += heading.start("title")
        leaf.end = max(leaf.start, line.start + heading.end("title"))
        return place + 1
    begin = _BEGIN.match(body)
    if begin is not None:
        return _environment(writer, place, begin["name"].lower())
    if body.startswith(("#+", "# ")) or body == "#" or _PLANNING.match(body):
        writer.block("html", place, place + 1)
        return place + 1
    if _DRAWER.fullmatch(body):
        return _drawer(writer, place)
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
        or (line.indent == 0 and _HEADING.fullmatch(line.text) is not None)
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


def _environment(writer: BlockWriter, place: int, name: str) -> int:
    """From ``#+begin_x`` to ``#+end_x``; what never ends goes to the next heading."""
    lines = writer.lines
    past = place + 1
    while past < len(lines):
        body = lines[past].text.strip().lower()
        if body == f"#+end_{name}":
            break
        if lines[past].text.startswith("* ") and name not in _CODE:
            break
        past += 1
    if past >= len(lines):
        past = place  # it has no end: only its own line is of it
    if name in _CODE:
        writer.code(place, past + 1)
        return past + 1
    writer.block("html", place, place + 1)
    inner = place + 1
    while inner < past:
        inner = _block(writer, inner)
    if past > place and past < len(lines) and lines[past].text.strip().lower() == f"#+end_{name}":
        writer.block("html", past, past + 1)
        return past + 1
    return max(inner, place + 1)


def _drawer(writer: BlockWriter, place: int) -> int:
    past = place + 1
    while past < min(len(writer.lines), place + 200):
        body = writer.lines[past].text.strip()
        if body.upper() == ":END:":
            writer.block("html", place, past + 1)
            return past + 1
        if body.startswith("* "):
            break
        past += 1
    writer.block("html", place, place + 1)
    return place + 1


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
        if line.indent < least or (line.indent == 0 and _HEADING.fullmatch(line.text)) or body.startswith(("#+", "|")):
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
