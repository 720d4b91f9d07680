"""Capitals that are no name as they stand: an order before a name, a heading that runs into its text.

Used by the lexicon, the evidence and the acceptance: the tagger takes every run of capitals for one name. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kgfs.documents.markup import PlainSentence
from kgfs.documents.shouting import calmed, is_shouted
from kgfs.extraction.names import boundaries, capitals, tagging
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import is_administrative
from kgfs.extraction.names.wordlists.well_known import well_known_type
from kgfs.extraction.topic_words import GENERIC_PHRASES
from kgfs.extraction.units import Unit

_HEADS = words.ORGANIZATION_HEADS | words.OF_HEADS | words.PLACE_HEADS | words.NOT_SURNAMES | {"State"}
"""Words that belong to the place before them: ``Boston College``, ``Washington State``."""
_SEE = re.compile(r"\b(?:see|read|visit|follow)(?: the)? [\"“]?$", re.I)
_PLAIN = re.compile(r"[\s()\[\]\"'“”<>,;`]")
"""What no path has."""
_FILE = re.compile(r"\.[a-z]\w{0,4}[.:]?$|[./]$")
_ASSIGNS = re.compile(r"[\w.$-]*\w=")
_ZONE = re.compile(r"(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Z]\w+")
"""How time zones are called after places."""
_BESIDE = frozenset("/=+")
_FOLDERS = 40
"""Characters before a name in which another folder is looked for."""
"""Signs beside a name that may be a part of something that somebody types."""
_ORDERS = frozenset("Access Check Close Download Install Launch Open Restart Run Start Stop Update Upgrade Use".split())
"""Words that are nouns too and, where they open a sentence, orders before the name of a thing."""
_LONG_VERB = 6
"""Letters of a verb that is nobody's given name."""
_AIM = re.compile(r"(?i)\b(?:able|aims?|designed|how|needed|needs?|order|required|tools?|used|wants?|ways?) to $")
"""Before a verb, whatever its letters: *Needed to Support Lamps*."""
_FOOTNOTE = re.compile(r"(?P<word>[A-Za-z][a-z]{5,})\d{1,2}")
_LICENSORS = frozenset({"MIT", "Apache", "BSD", "Mozilla"})
_SURE = frozenset({"Person", "Location", "Facility", "Work"})
"""What the tagger takes an order for only seldom: ``Sue Grafton``, ``Bury St Edmunds``."""


def apart_from_known(candidate: capitals.CapitalsSpan, known: Sequence[tuple[int, int]]) -> capitals.CapitalsSpan:
    """A candidate without the known name that the tagger joined to it: of *Ledger and Checkout*, where *Ledger* is at
    one of the places ``known``, only *Checkout*."""
    first, joint, second = candidate.text.partition(" and ")
    if (
        not joint
        or candidate.tag in ("Event", "Law", "Location", "Work")
        or candidate.end - candidate.start != len(candidate.text)
    ):
        return candidate
    if (candidate.start, candidate.start + len(first)) in known:
        return replace(candidate, start=candidate.end - len(second), text=second, initial=False)
    if (candidate.end - len(second), candidate.end) in known:
        return replace(candidate, end=candidate.start + len(first), text=first)
    return candidate


def is_heading(name: str) -> bool:
    """Whether a name is the heading of many texts, a subject of none: ``Table of Contents``."""
    return name.casefold() in GENERIC_PHRASES


def runs_on(text: str, tail: str, end: int) -> bool:
    """Whether the capital behind a place at the start of a sentence, which ends at ``end``, opens the sentence itself.

    The place is then a heading without a stop: ``Boston Economic activity expanded``.
    """
    return tail.lower() in words.NOT_NAMES and tail not in _HEADS and re.match(r" [a-z]", text[end:]) is not None


def is_in_path(content: PlainSentence, start: int, end: int) -> bool:
    """Whether a name is a part of a path, an assignment or a handle: *Modules* in ``Modules/audioop.c``, *Berlin* in
    ``TZ=Europe/Berlin`` or ``America/Chicago`` or ``C:\\Lamps\\Berlin\\``, not *GNU* in ``GNU/Linux``."""
    text = content.text
    before = text[max(0, start - 1) : start]
    if before == "\\" and (text[end : end + 1] == "\\" or "\\" in text[max(0, start - _FOLDERS) : start - 1]):
        return True
    if text[end : end + 1] != "/" and before not in _BESIDE:
        return False
    if before == "+" and not text[max(0, start - 2) : start - 1].strip():
        return True  # "+GoogleCalendar"
    if any(first <= start and end <= last for first, last in content.code):
        return True
    first, last = _PLAIN.search(text[:start][::-1]), _PLAIN.search(text, end)
    opens = start - (first.start() if first else start)
    token = text[opens : last.start() if last else len(text)]
    if _ASSIGNS.match(token) is not None and "=" in text[opens:start]:
        return True
    return token.count("/") > 1 or "_" in token or _ZONE.match(token) is not None or _FILE.search(token) is not None


def is_licence(text: str, start: int, end: int) -> bool:
    """Whether the name of a body means the licence that is called after it: ``from MIT to another license``."""
    around = text[max(0, start - 30) : start] + text[end : end + 20]
    return text[start:end] in _LICENSORS and "licen" in around.lower()


def echoes_heading(text: str, candidate: capitals.CapitalsSpan) -> bool:
    """Whether capitals are the end of a heading and the first word of its text, which says the heading again.

    ``Retail, Travel, and Tourism Travel and tourism were strong``.
    """
    first, _, second = candidate.text.partition(" ")
    behind = text[candidate.end :]
    return (
        bool(second)
        and behind.startswith((f" and {first.lower()}", f" or {first.lower()}"))
        and re.match(rf" (?:and|or) {re.escape(first.lower())}\b", behind) is not None
    )


def title_labels(unit: Unit) -> list[tuple[int, int]]:
    """Where links have the title of a document as their label: its capitals show nothing."""
    found = []
    for link in unit.content.links:
        if not link.wiki:
            label = [word for word in unit.content.text[link.start : link.end].split() if word[0].isalpha()]
            main = [word for word in label if word not in words.TITLE_SMALL]
            if len(label) >= 3 and sum(word[0].isupper() for word in main) >= 0.7 * len(main):
                found.append((link.start, link.end))
    return found


def without_footnote(candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan:
    """``Lamp Certification7`` without the number of a footnote."""
    head, _, last = candidate.text.rpartition(" ")
    found = _FOOTNOTE.fullmatch(last)
    if not head or found is None or not tagging.in_dictionary(found["word"].lower()) or well_known_type(found["word"]):
        return candidate
    cut = len(last) - len(found["word"])
    return replace(candidate, end=candidate.end - cut, text=candidate.text[:-cut])


_EMPHASIS = re.compile(r"(?P<last>\w+)(?:\*{1,3}|_{1,3}) (?:\*{1,3}|_{1,3})(?P<first>\w+)")
"""Where one emphasis ends and another one begins: *Lind* and *Time* of ``*Ann Lind* **Time**``."""


def apart_by_emphasis(
    quote: str, text: str, candidates: Sequence[capitals.CapitalsSpan]
) -> list[capitals.CapitalsSpan]:
    """The candidates of a sentence, those that go over the end of an emphasis cut there: ``*Ann Lind* **Time**: 5 min``
    names Ann Lind. ``quote`` is the sentence with its marks. What a colon follows is a label, no name."""
    seams = {f"{found['last']} {found['first']}": len(found["last"]) for found in _EMPHASIS.finditer(quote)}
    apart: list[capitals.CapitalsSpan] = []
    for one in candidates:
        seam = next((seam for seam in seams if re.search(rf"\b{re.escape(seam)}\b", one.text)), None)
        if seam is None:
            apart.append(one)
            continue
        end = one.start + one.text.index(seam) + seams[seam]
        parts = [replace(one, end=end, text=text[one.start : end])]
        if not text.startswith(":", one.end):
            rest = text[end + 1 : one.end]
            parts.append(replace(one, start=end + 1, text=rest, initial=False, titled=False, tag=""))
        apart += [part for part in parts if boundaries.is_name(part.text)]
    return apart


_DOES = frozenset("Builds Develops Leads Maintains Manages Operates Oversees Owns Provides Runs Uses Writes".split())
"""What somebody does, behind a name and a colon."""


def without_order(text: str, candidate: capitals.CapitalsSpan, *, label: bool) -> capitals.CapitalsSpan:
    """``Oversee Council`` as ``Council``: a word that is only a verb, in its basic form, gives an order where it
    opens a sentence, the ``label`` of a link or a title that one should ``see``; in its past, it says what was done."""
    first, _, rest = candidate.text.partition(" ")
    start = candidate.start + len(first) + 1
    ordered = replace(candidate, start=start, text=text[start : candidate.end], initial=False)
    opens = label or candidate.initial or _SEE.search(text[: candidate.start]) is not None
    opens = opens or re.search(r"\w", text[: candidate.start]) is None  # behind a sign of a list
    told = boundaries.OF_SPEAKER.search(text[: candidate.start]) is not None
    verb = first.lower() in boundaries.OPENING_VERBS
    if told and first in _DOES and rest[:1].isupper():
        return ordered  # "Team Tarn: Owns Lampd"
    if told and verb and " " in rest and rest[:1].isupper():
        return ordered  # "Erin: Find Acme Lamps"
    if candidate.initial and verb and first.endswith("ed") and rest:
        return ordered  # "Established Acme Lamps in 2011"
    # "Stop Lampd", but "Open Source"
    orders = tagging.is_only_verb(first.lower()) or (first in _ORDERS and not tagging.is_word(rest.lower()))
    unsure = candidate.tag not in _SURE or (
        # "Utilize Agile", but "Sue Grafton"
        candidate.tag == "Person" and len(first) >= _LONG_VERB and first not in words.GIVEN_NAMES
    )
    aims = _AIM.search(text[: candidate.start]) is not None and tagging.is_verb_or_adjective(first.lower())
    return ordered if rest[:1].isupper() and ((opens and unsure and orders) or aims) else candidate


_CAMEL = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+")
_METHODS = re.compile(r"(?:(?:,|,? (?:and|or)) [A-Z]\w+)* methods?\b")


def is_method(text: str, start: int, end: int) -> bool:
    """Whether a name is a method's in code, one of many of that name: *the GetLamp and SetLamp methods*."""
    return _CAMEL.fullmatch(text, start, end) is not None and _METHODS.match(text, end) is not None


_BEHIND_PLACE = re.compile(r"(?: [A-Z][\w&'’-]*){1,3} (?P<head>[A-Z][a-z]+)(?![\w'’-])")


def opens_body(text: str, end: int) -> bool:
    """Whether a place that ends at ``end`` is the first word of a body's name, of which it tells nothing: *Reno Lampo
    Bank*, in a table. A body that has nothing between, *Reno Council*, is the place's."""
    found = _BEHIND_PLACE.match(text, end)
    return found is not None and found["head"] in words.ORGANIZATION_HEADS


_INITIALS = re.compile(r"(?:[A-Z]\.){2}")
_KNOWN_INITIALS = frozenset("D.C. E.U. L.A. N.Y. U.K. U.N. U.S.".split())


def is_initials(text: str, start: int, end: int) -> bool:
    """Whether a name is no more than somebody's two letters, or those of a course: *S.K. will ask*, not *Reno, N.M.*"""
    name = text[start:end]
    return (
        _INITIALS.fullmatch(name) is not None
        and name not in _KNOWN_INITIALS
        and not (text[max(0, start - 2) : start] == ", " and is_administrative(name))
    )


EXAMPLE_FIRM = r"(?:Company|Corp(?:oration)?|GmbH|Inc|LLC|Ltd|Organi[sz]ation)"
"""Behind *Example*: a firm of which a text only speaks as an example."""
_PLACEHOLDER = re.compile(
    rf"\b(?:Company|Organi[sz]ation) Name\b|\bExample {EXAMPLE_FIRM}\b|"
    r"\{[^{}\n]{2,40}\}|<[A-Z][A-Z _-]{1,40}>|\b[\w.-]+ (?:AT|DOT) [\w.-]+(?: (?:AT|DOT) [\w.-]+)+"
)


_SUFFIX = re.compile(r"(?:U\.S\.(?:A\.)?,? )?(?:Inc|Corp|Ltd|LLC|LLP|PLC)\b\.?(?: |$)")


def is_suffix(name: str) -> bool:
    """Whether a name is only the rest of a firm's, which was cut: *Inc. Stock Plan*, *U.S.A., Inc.*"""
    return _SUFFIX.match(name) is not None


def calmed_person(candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan:
    """A person's name in capitals as names are written: *ANN M. TARN* is *Ann M. Tarn*."""
    if candidate.tag != "Person" or not is_shouted(candidate.text):
        return candidate
    return replace(candidate, text=calmed(candidate.text))


def is_placeholder(text: str, start: int, end: int) -> bool:
    """Whether a name stands where a template has a gap, is an example's, or in an address that is spelled: *{GROUP
    NAME}*, *Company Name Inc.*, *dev AT acme DOT org*."""
    return any(
        found.start() < end and start < found.end()
        for found in _PLACEHOLDER.finditer(text, max(0, start - 42), end + 42)
    )


_TREATY = re.compile(r"(?<![\w-])(?:Convention|Declaration|Treaty) of (?:the )?$")


def is_of_treaty(text: str, start: int) -> bool:
    """Whether a place only says which treaty is meant: *the Declaration of Helsinki*."""
    return _TREATY.search(text, max(0, start - 24), start) is not None
