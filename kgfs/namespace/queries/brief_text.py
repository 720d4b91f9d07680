"""The text of a brief: how its parts are written and what of them fits.

Used by ``brief``. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgfs.names import one_line
from kgfs.namespace.views.text import shorten
from kgfs.search import snippets

WHOLE_SHARE = 0.5
"""Of the brief, for passages that are shown; the rest is for entities, and for what points to other passages."""
LARGEST_SHARE = 0.4
"""A passage that would take more of the brief is cut to what fits the question."""
_FIRST = 2
"""So many of the best passages are cut where they do not fit, before a shorter one is shown whole."""
_LEAD = 280
_RELATION = 400
"""Characters of the entities with which one has the same to do."""
_POINTER, _POINTER_TITLE = 260, 60
"""Characters of what points to a passage."""
_QUESTION = 200
_SMALLEST = 240
"""Characters; less of a passage is not worth a cut."""
_HEADING = re.compile(r"\A#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*\n+")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.{0,4000}?\n(?:---|\.\.\.)[ \t]*\r?\n+", re.DOTALL)
_IMPORT = re.compile(r"(?m)^import [^\n]* from ['\"][^'\"\n]+['\"];?[ \t]*(?:\n|\Z)")
"""Of MDX, whose first passage is often nothing else behind the front matter."""
_CONTENTS = re.compile(r"(?m)^\.\. (?:toctree|contents)::[^\n]*+(?:\n|\Z)(?:[ \t]++[^\n]++(?:\n|\Z)|[ \t]*+\n)*+")
"""Of reStructuredText: the list of the pages beneath one."""
_SIGNS = re.compile(r"[\W_]+")
_FRONT_VALUE = re.compile(r"(?m)^\w+:[ \t]+(?P<quote>[\"']?)(?P<said>(?:\S+[ \t]+){7,}\S+?)(?P=quote)[ \t]*$")
"""A value of front matter that is a sentence: a description, a summary."""
_TARGET = re.compile(r"((?:\]\(|<)https?://[^\s()<>]{32})[^\s()<>]{12,}")
"""A link's target that takes the room of a sentence: its beginning says where it leads."""
_LINK = re.compile(r"!?\[(?P<label>[^\[\]\n]{1,200})\]\((?:[^()\n]|\([^()\n]*\)){0,1000}\)")
_PAGE_TARGET = re.compile(r"\]\((?!https?:|mailto:|#)(?:[^()\n]|\([^()\n]*\)){16,1000}\)")
"""A link to another page, which ``links/`` leads to."""
_PAGE_DEFINITION = re.compile(r"(?m)^[ \t]*\[[^\]\n]{1,80}\]:[ \t]+(?!https?:|mailto:)\S[^\n]*(?:\n|\Z)")
"""Where a link of Markdown leads that stands elsewhere, if it is another page."""
_COMMENT = re.compile(r"<!--.{0,400}?-->[ \t]*\n?", re.DOTALL)
_SHOWN_AS = re.compile(r"\[\[[^\[\]|\n]{1,200}?\\?\|(?P<shown>[^\[\]\n]{1,200})\]\]")
"""A link between notes that is shown by another name than its path."""
_CUT = "[…]"
_FULL = 60
"""Characters of a line that has no room for the first word of the next: its author wrapped it there."""
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_OWN_LINE = re.compile(r"[ \t]*(?:[-*+•][ \t]|\d{1,4}[.)][ \t]|[#|<>=~:]|--|\.\. |\[[^\]]*\]:)|(?: {8}|\t)")
"""What begins a line of its own: an item, a heading, a row, a quote, a field, code."""
_UNJOINED = re.compile(r"[ \t]*(?:[#|<>=:]|--|\.\. )|(?: {4}|\t)")
"""A line to which none is joined."""


class PassageNote(NamedTuple):
    """A passage of a brief: one chunk, or several that follow each other."""

    chunks: tuple[int, ...]
    document: int
    title: str
    path: str
    """Of the first chunk."""
    first_line: int | None
    last_line: int | None
    text: str
    score: float
    whole: bool
    """False where it is cut."""


class FactNote(NamedTuple):
    """A fact of a brief."""

    subject: str
    type: str
    object: str
    when: str
    """Its date, and ``planned`` and the like."""
    quote: str
    path: str


class RelationNote(NamedTuple):
    """The entities with which one of a brief has the same to do."""

    type: str
    """As the entity has it: ``HAS_MEMBER``."""
    others: list[str]
    """Those that fit the question best first."""
    path: str


class EntityNote(NamedTuple):
    """An entity of a brief."""

    name: str
    type: str
    path: str
    lead: str
    relations: list[RelationNote]
    facts: list[FactNote]
    """What is in no relation above."""
    named: bool
    """By the question; else it is one hop on."""


class Brief(NamedTuple):
    """What is to be written."""

    question: str
    mode: str
    doubtful: bool
    """Nothing speaks for the passages but that they are the nearest."""
    entities: list[EntityNote]
    passages: Sequence[PassageNote]
    """All that may be shown, best first."""
    linked: Sequence[PassageNote] = ()
    """Short pages to which those that are shown lead."""
    facts: Sequence[FactNote] = ()
    """What fits the question and is about none of the entities."""


def written(brief: Brief, limit: int) -> str:
    """The brief, at most ``limit`` characters; empty where there is nothing to say."""
    if not brief.entities and not brief.passages and not brief.facts:
        return ""
    head = _head(brief)
    chosen = fitting(brief.passages, brief.question, limit)
    passages = [_passage(each) for each in chosen]
    room = limit - len(head) - sum(map(len, passages)) - len(_PASSAGES) - len(_MORE)
    entities = _entities(brief.entities, room)
    room -= sum(map(len, entities))
    facts = [_FACTS]
    for fact in map(_fact, _quoted_once(brief.facts)):
        if len(fact) + len(_FACTS) + 1 <= room:
            facts.append(fact)
            room -= len(fact)
    facts = [*facts, "\n"] if len(facts) > 1 else []
    shown = {each.chunks for each in chosen}
    pointers: list[str] = []
    for each in (*brief.linked, *brief.passages):
        line = "" if each.chunks in shown else _pointer(each, brief.question)
        if line and len(line) <= room:
            pointers.append(line)
            room -= len(line)
    parts = [
        head,
        *facts,
        *entities,
        *([_PASSAGES] if passages else []),
        *passages,
        *([_MORE] if pointers else []),
        *pointers,
    ]
    return "".join(parts).rstrip("\n")[: limit - 1] + "\n"


_FACTS = "## Facts\n"
_PASSAGES = "## Passages\n\n"
_MORE = "## More passages\n\n"


def _head(brief: Brief) -> str:
    lines = [f"# {shorten(one_line(brief.question), _QUESTION)}"]
    if brief.mode != "hybrid":
        lines.append(f"Found by {brief.mode}.")
    if brief.doubtful:
        lines.append("Nothing here seems to answer this; the nearest that there is:")
    return "\n".join(lines) + "\n\n"


def largest(limit: int) -> int:
    """Characters that one passage of a brief may take."""
    return int(limit * LARGEST_SHARE)


def fitting(passages: Sequence[PassageNote], question: str, limit: int) -> list[PassageNote]:
    """The passages to be shown, best first, whole where they are not much too long; to the others the brief points."""
    room = int(limit * WHOLE_SHARE)
    chosen: list[PassageNote] = []
    for each in passages:
        one = each._replace(text=_body(each))
        if not one.text.strip():
            continue
        size = len(_passage(one))
        if size > largest(limit) or (size > room and len(chosen) < _FIRST):
            space = min(largest(limit), room) - (size - len(one.text))
            if space < _SMALLEST:
                continue
            one = one._replace(text=excerpt(one.text, question, space), whole=False)
            size = len(_passage(one))
        if size <= room:
            chosen.append(one)
            room -= size
    return chosen


def _body(passage: PassageNote) -> str:
    """A passage's text without what its heading says already; of one that is only front matter, the sentences in it."""
    text = _IMPORT.sub("", _FRONT_MATTER.sub("", passage.text)).strip("\n")
    if not text.strip():
        text = "\n".join(found["said"] for found in _FRONT_VALUE.finditer(passage.text))
    rest = _CONTENTS.sub("", text)
    if rest != text and _SIGNS.sub("", rest).casefold() in ("", _SIGNS.sub("", passage.title).casefold()):
        return ""
    heading = _HEADING.match(text + "\n")
    if heading is not None and heading[1].casefold() == passage.title.casefold():
        text = (text + "\n")[heading.end() :]
    text = unwrapped(_PAGE_DEFINITION.sub("", _COMMENT.sub("", text)).strip("\n"))
    return _SHOWN_AS.sub(r"[[\g<shown>]]", _PAGE_TARGET.sub("]", _TARGET.sub(r"\1…", text)))


def unwrapped(text: str) -> str:
    """A text whose prose has a line a paragraph or item: where its author wrapped a line because it was full.

    Code, tables, headings, quotes and short lines (verse, addresses) stay as they are.
    """
    lines: list[str] = []
    fence, before = "", ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        full = len(before) + 1 + len(next(iter(line.split()), ""))
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
            before = ""
            lines.append(line)
            continue
        if not fence and before and line.strip() and full > _FULL and not _OWN_LINE.match(line):
            lines[-1] = f"{lines[-1]} {line.strip()}"
        else:
            lines.append(line)
        before = "" if fence or _UNJOINED.match(line) or line.endswith(("  ", "\\")) else line.rstrip()
    return "\n".join(lines)


def excerpt(text: str, question: str, size: int) -> str:
    """The paragraphs of a text that have most words of a question, in their order, at most ``size`` characters."""
    paragraphs = [part for part in re.split(r"\n[ \t]*\n", text) if part.strip()]
    ranked = sorted(range(len(paragraphs)), key=lambda place: (-snippets.coverage(question, paragraphs[place]), place))
    chosen: set[int] = set()
    room = size - 2 * (len(_CUT) + 2)
    for place in ranked:
        if len(paragraphs[place]) + 2 + len(_CUT) + 2 <= room:
            chosen.add(place)
            room -= len(paragraphs[place]) + 2 + len(_CUT) + 2
        elif not chosen:
            return snippets.snippet(paragraphs[place], question, max(_SMALLEST // 2, room))
    parts: list[str] = []
    for place, paragraph in enumerate(paragraphs):
        if place in chosen:
            parts.append(paragraph)
        elif not parts or parts[-1] != _CUT:
            parts.append(_CUT)
    return "\n\n".join(parts)


def _passage(passage: PassageNote) -> str:
    title = shorten(one_line(passage.title), _QUESTION)
    cut = "" if passage.whole else ", cut"
    return f"### {title}\n{passage.path}{_lines(passage)}{cut}\n{passage.text}\n\n"


def _lines(passage: PassageNote) -> str:
    if not passage.first_line:
        return ""
    last = passage.last_line or passage.first_line
    told = f"line {last}" if last == passage.first_line else f"lines {passage.first_line}-{last}"
    return f" ({told} of text.txt)"


def _pointer(passage: PassageNote, question: str) -> str:
    """A line that shows what in a passage fits the question, and where it stands; empty where it has no text."""
    body = _body(passage)
    if not body.strip():
        return ""
    title = shorten(one_line(passage.title), _POINTER_TITLE)
    said = one_line(snippets.snippet(body, question, _POINTER))
    return f"- {title}: {said} [{passage.path}]\n"


def _entities(notes: Sequence[EntityNote], room: int) -> list[str]:
    """Entities with as much as there is room for: first who they are and with whom they have much to do, then facts."""
    heads: list[tuple[EntityNote, str]] = []
    for note in notes:
        relation = "" if note.named else ", one hop on"
        text = f"## {shorten(one_line(note.name), _QUESTION)} ({one_line(note.type)}{relation})\n{note.path}\n"
        if note.lead:
            text += f"{shorten(one_line(note.lead), _LEAD)}\n"
        if len(text) + 1 > room:
            continue
        room -= len(text) + 1
        for line in map(_relation, note.relations):
            if len(line) <= room:
                text += line
                room -= len(line)
        heads.append((note, text))
    written_out: list[str] = []
    for note, head in heads:
        text = head
        for line in map(_fact, _quoted_once(note.facts)):
            if len(line) <= room:
                text += line
                room -= len(line)
        written_out.append(text + "\n")
    return written_out


def _relation(relation: RelationNote) -> str:
    """All others in one line, as many as have room."""
    said = f"- {relation.type} ({len(relation.others)}): "
    shown = ""
    for place, other in enumerate(relation.others):
        part = f"; {other}" if shown else other
        if shown and len(said) + len(shown) + len(part) > _RELATION:
            shown += f" and {len(relation.others) - place} more"
            break
        shown += part
    return f"{said}{shown} [{relation.path}]\n"


def _quoted_once(facts: Sequence[FactNote]) -> list[FactNote]:
    """The facts, each quote with the first of those that it states."""
    said: set[tuple[str, str]] = set()
    found: list[FactNote] = []
    for fact in facts:
        place = (fact.path, fact.quote)
        found.append(fact._replace(quote="") if place in said else fact)
        said.add(place)
    return found


def _fact(fact: FactNote) -> str:
    when = f", {fact.when}" if fact.when else ""
    plain = " ".join(_LINK.sub(r"\g<label>", fact.quote).split())
    quote = f": {plain}" if plain else ""
    said = f"- {fact.subject} {fact.type} {fact.object}{when}{quote}"
    return f"{shorten(one_line(said), _LEAD)} [{fact.path}]\n"
