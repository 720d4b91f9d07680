"""What must hold of a statement that a pattern read, by its ends and by where it stands.

Used by ``fact_reader``; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.facts import ends
from kgfs.extraction.facts.marks import CLOSE
from kgfs.extraction.facts.sentences import relations
from kgfs.model import FactCandidate


def is_within(candidate: FactCandidate, other: FactCandidate) -> bool:
    """Whether the words of a fact are among those of another one."""
    return candidate.chunk == other.chunk and other.start <= candidate.start and candidate.end <= other.end


def can_be(statement: relations.PatternFact, letters: Sequence[str], name: Sequence[str]) -> bool:
    """Whether the names of a statement can be its ends."""
    subject, target = statement.subjects[0], statement.objects[0]
    if statement.type == "LOCATED_IN":
        return ends.may_lie_in(name[subject], name[target])
    if statement.type == "WORKS_FOR" and not ends.may_employ(name[target]):
        return False
    return letters[subject] != "P" or ends.may_be_person(name[subject])


_BODY = re.compile(
    r"\b(?:(?:Sub-?)?[Cc]ommittee|[Cc]ouncil|[Bb]oard|[Tt]eam|[Gg]roup|Commission|"
    r"Task ?[Ff]orce|Panel|Caucus|Assembly|SIG|WG|TAG|TOC|TSC|TAC|PMC|Project|Initiative|Pilot|Program(?:me)?)$"
)
"""What has a chair and members, and employs nobody as such."""
_GROUP_BEHIND = re.compile(r"\W*\d*\W* ?(?:project|initiative|team|committee|working group|program|task force)\b")
_LEADER = re.compile(
    r"(?i)\b(?:(?:co-?|vice[ -])?chair(?:man|woman|person)?|(?:co-)?lead(?:er)?|head|convener|president)s?\b"
)
_SEATED = re.compile(
    r"(?i)\b(?:members?|secretar(?:y|ies)|treasurers?|trustees?|representatives?|delegates?|liaisons?|fellows?)\b"
)


def is_group(name: str) -> bool:
    """Whether a name is that of a body which has members and employs nobody: *the Harbour Committee*."""
    return _BODY.search(name) is not None


def as_held(one: relations.PatternFact, masked: str, name: Sequence[str]) -> relations.PatternFact:
    """A fact of a post: who chairs a committee leads it, who is its secretary is a member; neither works for it."""
    if one.type == "WORKS_FOR":
        behind = masked.find(f"{one.objects[0]}{CLOSE}")
        group = is_group(name[one.objects[0]]) or (behind >= 0 and _GROUP_BEHIND.match(masked, behind))
        said = masked[one.start : one.end]
        if group and _LEADER.search(said):
            one.type = "LEADS"
        elif group and _SEATED.search(said):
            one.type = "MEMBER_OF"
    return one


_WATER = re.compile(
    r"^(?:River|Lake|Loch|Gulf of|Bay of|Strait of|Sea of|Firth of|Mouth of) (?!.*\b(?:District|County|City|Valley|Park|Village|Township|Region)$)|"
    r"\b(?:River|Creek|Brook|Canal|Lake|Bay|Sea|Ocean|Gulf|Fjord|Strait|Channel|Harbou?r|Coast|Shore|Estuary)$"
)
_STREAM = re.compile(
    r"^River (?!.*\b(?:County|City|Valley|Park|Township|Region|Basin|Delta)$)|\b(?:River|Creek|Brook|Canal)$"
)
_LAND = re.compile(
    r"\b(?:Isles?|Islands?|Peninsula|Plains?|Plateau|Hills?|Heights|Mount|Mountains?|Cape|Point|Estate|Campus|Reservation|"
    r"Range|Massif|Ridge|Head|Ness|Farm|Reserve|Grounds|Neck|Atoll|Archipelago)\b|^(?:Isle|Cape)"
)
_RIVERS = frozenset(
    "Mississippi Missouri Ohio Hudson Potomac Thames Severn Rhine Rhône Rhone Danube Seine Loire Elbe Oder Vistula Volga Don "
    "Dnieper Nile Congo Niger Zambezi Amazon Orinoco Ganges Indus Tigris Euphrates Yangtze Mekong Tiber Po Ebro Tagus Meuse Moselle "
    "Main Neckar Weser Clyde Tyne Mersey Trent Avon Susquehanna Columbia Tennessee Atlantic Pacific Baltic Mediterranean".split()
)
_ON = re.compile(r"\bon (?:the )?$")
_IN_STREAM = re.compile(r"\bin the $")


def lies_in_water(name: str, place: str, before: str) -> bool:
    """Whether what is said to lie in a place lies on a river, a lake or a coast: *a village on the River Orm*.

    ``before`` are the words before the name of the place. Towns are called so, too: *in Fall River*.
    """
    if _LAND.search(name) is not None or _WATER.search(name) is not None:
        return False
    if _ON.search(before) is not None:
        bare = before.endswith("the ") and place in _RIVERS
        return bare or (_WATER.search(place) is not None and _LAND.search(place) is None)
    return _IN_STREAM.search(before) is not None and _STREAM.search(place) is not None


def is_quoted(masked: str, statement: relations.PatternFact) -> bool:
    """Whether a statement stands between quotation marks: then it is what somebody says."""
    before, after = masked[: statement.start], masked[statement.end :]
    if before.count("“") > before.count("”"):
        return True
    return before.count('"') % 2 == 1 and '"' in after


_COLON = re.compile(r"[*_`\"”)\]]*:(?=[ \n*_]|$)")


_INFINITIVE = re.compile(
    r"\bto (?!(?:the|an?|our|its|their|your|his|her|this|that|all|both|each|every|other|some|any|new|existing) )"
    r"[a-z]+(?: (?!to )[\w’'-]+){0,3} $"
)


def is_infinitive(text: str, start: int) -> bool:
    """Whether the ``to`` before an end is that of a verb: *worked with Acme to onboard Lumen*."""
    return _INFINITIVE.search(text, 0, start) is not None


def is_label(text: str, end: int) -> bool:
    """Whether a name that ends there is what an item is about: *Representation: represent Acme* is said of a task."""
    return _COLON.match(text, end) is not None


def stands_in_quotes(text: str, start: int, end: int) -> bool:
    """Whether a part of a text stands between quotation marks, or begins or ends in them."""
    before, inside = text[:start], text[start:end]
    if before.count("“") != before.count("”") or before.count('"') % 2 == 1:
        return True
    return inside.count('"') % 2 == 1 or inside.count("“") != inside.count("”")


_POSTS = frozenset({"WORKS_FOR", "MEMBER_OF", "LEADS", "CHIEF_EXECUTIVE_OF", "BOARD_MEMBER_OF", "MAINTAINS"})
_BEFORE = re.compile(
    r"(?:^\W*|[.;] )(?:Before (?:\w+ing|that|this)|Prior to|Previously|Formerly|Earlier in|"
    r"In (?:a|his|her|their|my) (?:previous|former|past|prior) (?:role|life|job|position|career))\b"
)
_ONCE = re.compile(r"\b(?:previously|formerly) (?:an? |the |as |been )?(?:\w+ ){0,2}$|\b(?:previously|formerly) \w+")


_DAY = r"(?:[A-Z][a-z]+ )?(?:\d{1,2}, )?\d{4}"
_WAS = r"\b(?:served|worked|was|held|spent)\b"
_ENDED = re.compile(rf"{_WAS}[^.;]*?\bfrom {_DAY} (?:through|to|until) {_DAY}")
_HAD = re.compile(_WAS)


def as_former(one: relations.PatternFact, masked: str) -> relations.PatternFact | None:
    """A fact of a post that somebody had before: who worked for a firm; nothing of any other former post."""
    past = is_past_post(masked, one.type, one.start, one.end)
    ended = one.type == "WORKS_FOR" and _has_ended(masked, one.start)
    if not past and not ended:
        return one
    if one.type != "WORKS_FOR":
        return None
    one.type = "WORKED_FOR"
    return one


def _has_ended(masked: str, start: int) -> bool:
    """Whether the first verb of a post from ``start`` has its last day behind it."""
    found = _HAD.search(masked, start)
    return found is not None and _ENDED.match(masked, found.start()) is not None


def is_past_post(text: str, type_: str, start: int, end: int) -> bool:
    """Whether what stands from ``start`` to ``end`` tells of a post that somebody had before.

    *Before joining Acme, she worked at Lumen*.
    """
    if type_ not in _POSTS:
        return False
    return _BEFORE.search(text, 0, end) is not None or _ONCE.search(text[max(0, start - 30) : end]) is not None
