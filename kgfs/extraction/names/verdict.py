"""Whether a name is an entity, and of what type: the sum of what one document, or all of them, say of it.

Used by the extractor with the evidence of one document and by the resolver with the sum over documents, so that a name
that no document shows alone may be shown by many, and one document's mistake is overruled by the others. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from kgfs.extraction.names.wordlists.well_known import well_known_type
from kgfs.model import SAID_TO_BE, Evidence

ONE_TAG = 0.5
"""How sure a type is that the tagger gave once; every further sentence that agrees adds to it."""
EACH_MORE = 0.08
MOST = 0.8
RECURS = 3
OFTEN = 6
NO_ENTITY = frozenset({"Group", "Language"})
"""What the tagger finds that is no thing of its own: ``American``, ``English``."""
PLAIN_TYPES = frozenset({"Organization", "Person", "Location", "Concept", "Product", "Technology"})
"""What the tagger is often right about, or words around a name show. Others it says of all odd capitals."""
MEMBERS = 0.7
"""How sure it is that what has a community is a body."""
TERM_SHARE = 0.1
"""An acronym that says in so many places which file, format or session is meant is no organization."""
SOFTWARE_SHARE = 0.1
"""A name of which so many places speak as of software is a product, whatever the tagger says."""


ACTS_SELDOM = 0.06
"""The share of the places of an acronym or a phrase at which it must act as an organization to be taken for one."""
UNSAID = 0.6
"""How sure it can be that a name which does not act as an organization is a term."""


SPEAKS = 0.5
"""So many tags as a person's to one as a body's make one word a given name."""


NOT_CAMEL = frozenset({"Event", "Facility", "Law", "Location", "Work"})
"""What no word with capitals inside is, whatever the tagger says."""


NOT_ABSTRACT = frozenset({"Event", "Facility", "Location", "Person"})
"""What no phrase of ordinary words is whose last one is abstract, whatever the tagger says."""


_OF_SOFTWARE = frozenset({"Product", "Technology"})
"""What a word that is a name too may be where few places say so: *Ruby*."""
ACRONYMS = 0.25
"""The share of the places of an acronym that must speak of it as of software."""
MOSTLY = 0.6
"""The share of the places of a word that must show it a place's name."""
LESS_THAN_HALF = 0.4
"""The share of its places at which *the* may stand before a word that is somebody's name."""
_NO_PROSE = frozenset("beside code common heading identifier label part pressed speaks".split())
"""What is said against a name in manuals and minutes, where one word may be anything."""
AGREE = 0.75
"""The share of its places at which a phrase must be taken for software, and for nothing else, to be it."""
OF_SEVERAL = 0.1
"""The share of its places at which *a* or *each* may stand before the name of one body."""
LABELS = frozenset({"Event", "Facility", "Law", "Work"})
"""What phrases of ordinary words are taken for where they are labels."""
NO_METHOD = frozenset({"Facility", "Location", "Organization", "Person", "Product", "Work"})
"""What no name is that says which method or which header is meant."""
IN_METHODS = 0.3
"""The share of the places of such a name at which it must say that."""


IN_CODE = 0.2
"""The share of the documents in which such a word stands in code, where it is a class."""


class NameVerdict(NamedTuple):
    """What a name is."""

    type: str
    confidence: float


def type_weights(types: Mapping[str, float], shown: Mapping[str, float]) -> dict[str, float]:
    """How sure each type is: its share of the tags, surer with more of them, and what the name's own words show.

    Where both show one type, both count.
    """
    found = dict(shown)
    total = sum(types.values())
    if not total:
        return found
    strength = min(MOST, ONE_TAG + EACH_MORE * (total - 1))
    for type_, count in types.items():
        share = count / total * strength
        own = found.get(type_, 0.0)
        found[type_] = min(0.95, own + share / 2) if own else share
    return found


def as_software(
    types: Mapping[str, int], clues: Mapping[str, int], seen: int, acts: int = 0, terms: int = 0
) -> Counter[str]:
    """``types`` with the tagger's as those of a product, where enough places speak of software and fewer of others;
    ``acts`` are those that speak of a body, ``terms`` those that say which header or file is meant."""
    software = clues.get("Product", 0)
    others = max((count for type_, count in clues.items() if type_ != "Product"), default=0)
    others = max(others, terms, acts if acts > 1 else 0)
    counted = Counter(types)
    enough = software >= max(2, int(SOFTWARE_SHARE * seen)) or (software >= RECURS and not others)
    if not enough or 2 * others > software:
        return counted
    moved = sum(
        counted.pop(type_, 0) for type_ in ("Organization", "Location", "Person", "Facility", "Work", "Event", "Group")
    )
    counted["Product"] += moved
    return counted


def name_verdict(evidence: Evidence, documents: int = 1) -> NameVerdict | None:
    """What a name is by evidence that is the sum over ``documents``; ``None`` where it is not shown to be an entity."""
    seen = max(1, evidence.seen)
    against = evidence.against

    def of_uses(kind: str) -> float:
        return against.get(kind, 0) / seen

    def of_documents(kind: str) -> float:
        return against.get(kind, 0) / documents

    if of_uses("pressed") >= 0.3 or of_uses("identifier") >= 0.34 or of_documents("code") >= 0.34:
        return None
    if evidence.acronym and against.get("generic") and not against.get("told"):
        return None
    noun = of_uses("noun") + (of_uses("the") if evidence.word else 0.0)
    if noun >= 0.25 and not (noun < 0.5 and evidence.shown):
        # "an API", "your COR": a term with an acronym; "the Handbook": a word with a capital.
        known = evidence.acronym and against.get("told") and (documents > 1 or seen >= 2 * RECURS) and noun < 0.9
        alone = evidence.single and not (evidence.word or evidence.acronym)
        known = known or (alone and documents >= OFTEN)  # "a Zettelkasten", which no dictionary has
        return NameVerdict("Concept", 0.6) if known else None
    if evidence.plain and of_uses("speaks") >= 0.5 and not evidence.shown:
        return None  # "Entry Deadline: November 30"
    if of_documents("common") >= 0.34 or of_documents("heading") >= (0.25 if evidence.plain else 0.34):
        return None
    if documents == 1 and _is_somebody(evidence):
        return NameVerdict("Person", UNSAID)
    if documents >= RECURS and _has_members(evidence):
        return NameVerdict("Organization", MEMBERS)
    types = as_software(evidence.types, evidence.clues, seen, evidence.acts, against.get("term", 0))
    if types.get("Location") and "Location" not in evidence.shown:
        if evidence.acts and evidence.acts >= ACTS_SELDOM * seen and not evidence.clues.get("Location"):
            types["Organization"] += types.pop("Location")  # "Director of Sales at Acmeria"
        elif _is_elsewhere(evidence):
            types["Concept"] += types.pop("Location")
        elif documents == 1 and evidence.single and _is_nowhere(evidence):
            del types["Location"]
    found = type_weights(types, evidence.shown)
    if not found:
        return None
    type_ = max(sorted(found), key=lambda name: found[name])
    sure = found[type_]
    clues = evidence.clues.get(type_, 0)
    if (
        type_ in NO_ENTITY
        or (type_ == "Person" and evidence.single)
        or (type_ == "Organization" and _may_speak(evidence))
    ):
        return None
    if of_documents("label") >= 0.5 and not clues:
        return None
    weak = sure < 0.5 or clues < 2 or (type_ not in _OF_SOFTWARE and clues < 0.15 * seen)
    if evidence.word and weak and not (type_ == "Location" and _is_place(evidence)):
        return None
    if evidence.camel and evidence.single and not clues and documents < RECURS and against.get("beside"):
        return None  # where there is code, ``MetLife`` would be an identifier
    unsaid = clues < 0.5 * seen and type_ not in evidence.shown
    if evidence.plain and unsaid and type_ in ("Organization", "Person", "Location") and _anything(evidence, documents):
        return None
    if type_ not in PLAIN_TYPES and type_ not in evidence.shown and of_documents("beside") >= 0.5:
        return None
    odd = type_ not in PLAIN_TYPES and type_ not in evidence.shown
    if odd and (seen < RECURS or (not clues and (evidence.single or documents == 1))):
        return None
    enough = sure >= 0.7 or (sure >= 0.5 and seen >= RECURS) or (sure >= 0.45 and documents >= RECURS)
    if type_ == "Product" and evidence.acronym and type_ not in evidence.shown and clues < min(OFTEN, ACRONYMS * seen):
        type_, sure = "Concept", min(sure, UNSAID)  # "C2C", of which one sentence says that somebody uses it
    elif evidence.plain and type_ not in evidence.shown and _is_label(evidence, type_, clues, documents):
        type_, sure = "Concept", min(sure, UNSAID)
    elif type_ in NO_METHOD and evidence.single and of_uses("method") >= IN_METHODS and not evidence.acts:
        type_, sure = "Concept", min(sure, UNSAID)  # "the Schulze method"
    elif _technical(evidence, type_, documents):
        type_ = "Technology" if (evidence.camel and not evidence.acronym) or _says_what(evidence) else "Concept"
    elif (
        evidence.camel
        and evidence.single
        and type_ in NOT_CAMEL
        and not (type_ in evidence.shown or _is_told(evidence, clues))
    ):
        type_ = "Class" if of_documents("code") >= IN_CODE else "Concept"
    elif type_ == "Organization" and _is_kind_of_body(evidence):
        type_, sure = "Concept", min(sure, UNSAID)
    elif type_ == "Organization" and documents == 1 and evidence.single and _is_only_tagged(evidence):
        return None  # "Addison", of whom a book speaks
    elif type_ == "Organization" and not may_be_body(evidence):
        alone = evidence.single and not (evidence.acronym or evidence.common_head or evidence.word)
        named_alike = evidence.address or alone
        type_ = "Product" if named_alike or evidence.clues.get("Product") else "Concept"
        if evidence.clues.get("Event", 0) > max(RECURS, evidence.clues.get("Product", 0)):
            type_ = "Event"  # "EuroLamp", at which somebody speaks
        sure = min(sure, UNSAID)
        few = 2 * sum(evidence.types.values()) < seen or (seen < OFTEN and evidence.types.get("Person"))
        if type_ == "Product" and named_alike and not evidence.clues.get("Product") and few:
            return None  # the tagger takes it for a name at few places: it may be anything, or anybody
    elif evidence.common_head and evidence.plain and type_ in NOT_ABSTRACT and not (clues or type_ in evidence.shown):
        type_, sure = "Concept", min(sure, UNSAID)  # "Agile Survey": the tagger takes it for a place
    type_ = _as_defined(evidence, type_)
    if type_ == "Concept" and evidence.acronym and not (against.get("told") or evidence.shown):
        return None  # letters of which no text says what they are
    return NameVerdict(type_, round(min(sure, 0.95), 2)) if enough else None


def _as_defined(evidence: Evidence, type_: str) -> str:
    """The type that sentences say which say what a thing is, where they agree: *Lampswap is a protocol*, of which all
    other places speak as of software. What acts as a body does is one."""
    said = {
        kind.removeprefix(SAID_TO_BE): times
        for kind, times in evidence.against.items()
        if kind.startswith(SAID_TO_BE) and times
    }
    best = max(sorted(said), key=lambda kind: said[kind], default="")
    may_be = _OF_SOFTWARE | {"Concept"} if evidence.acts else _OF_SOFTWARE | {"Concept", "Organization"}
    agreed = best in _OF_SOFTWARE and said[best] >= AGREE * sum(said.values())
    return best if agreed and type_ in may_be and type_ not in evidence.shown else type_


def _is_somebody(evidence: Evidence) -> bool:
    """Whether one word is a person's name in a text without code: *Darius*, who reigned, and of whom somebody is a son.

    Speakers in minutes are left to the rules for minutes: *Anatoli:*. The tagger takes rare names for firms and places.
    """
    against = evidence.against
    lives, tagged = against.get("lives", 0), evidence.types.get("Person", 0)
    if not evidence.single or evidence.acronym or evidence.camel or evidence.seen < RECURS:
        return False
    if set(evidence.shown) - {"Person"} or not _NO_PROSE.isdisjoint(against):
        return False
    if evidence.shown and tagged >= max(2, MOSTLY * sum(evidence.types.values())) and not against.get("part"):
        return True  # with a title somewhere: "Mrs. Lind"
    if evidence.clues.get("Person", 0) > 2 and not evidence.acts and set(evidence.types) == {"Person"}:
        return True
    if lives < 2 or lives <= evidence.acts or (tagged < 2 and lives < RECURS):
        return False
    placed = evidence.types.get("Location", 0) - against.get("elsewhere", 0)
    others = sum(evidence.types.get(type_, 0) for type_ in ("Group", "Language", "Species", "Work", "Event"))
    return (
        tagged + 2 * lives >= 2 * (others + max(0, placed)) and against.get("the", 0) < LESS_THAN_HALF * evidence.seen
    )


def _is_place(evidence: Evidence) -> bool:
    """Whether one word is a place's name in a text without code, since most of its places speak of one: *Sparta*."""
    against, tagged = evidence.against, evidence.types.get("Location", 0)
    used = against.get("noun", 0) + against.get("the", 0) + against.get("lives", 0)
    return (
        tagged - against.get("elsewhere", 0) >= 2
        and tagged >= max(RECURS, MOSTLY * evidence.seen, MOSTLY * sum(evidence.types.values()))
        and not used
        and _NO_PROSE.isdisjoint(against)
    )


def _is_told(evidence: Evidence, clues: int) -> bool:
    """Whether a sentence says that something is of the type which so many clues show."""
    return clues > 0 and evidence.against.get("told", 0) > 0


def _has_members(evidence: Evidence) -> bool:
    """Whether many places speak of the community of what has one word as its name, and few of software: *Acme*."""
    members = evidence.against.get("members", 0)
    alone = evidence.single and not (evidence.acronym or evidence.shown)
    return alone and members >= max(OFTEN, 0.15 * evidence.seen, 2 * evidence.clues.get("Product", 0))


def _is_label(evidence: Evidence, type_: str, clues: int, documents: int) -> bool:
    """Whether a phrase of ordinary words is more likely what somebody calls a kind or a state of things: *Help Wanted*,
    in quotes where there is code, *Governance Policy*, which has versions, *Just-in-time*, once of a compiler."""
    if type_ == "Product":
        if evidence.camel and not evidence.common_head and 2 * evidence.types.get("Product", 0) >= evidence.seen:
            return False  # "OpenLamp Collector": its words are ordinary ones, its first is a name
        if _is_component(evidence, documents):
            return False
        often = evidence.seen >= OFTEN and clues >= ACRONYMS * evidence.seen
        return (evidence.common_head and not often) or clues < SOFTWARE_SHARE * evidence.seen
    return type_ in LABELS and evidence.against.get("beside", 0) > 0


def _is_kind_of_body(evidence: Evidence) -> bool:
    """Whether a phrase of ordinary words is what several bodies are called: *a Trusted Lamp Reseller*, *each Root
    Authority*."""
    nouns = evidence.against.get("noun", 0)
    return evidence.plain and nouns >= max(RECURS, OF_SEVERAL * evidence.seen) and nouns > evidence.acts


def _is_component(evidence: Evidence, documents: int) -> bool:
    """Whether the sentences of several documents agree that a phrase names a part of some software: *Lamp Tagger*."""
    tagged = evidence.types.get("Product", 0)
    return (
        documents > 1
        and tagged >= max(RECURS, AGREE * evidence.seen)
        and tagged == sum(evidence.types.values())
        and not evidence.common_head
    )


def _is_elsewhere(evidence: Evidence) -> bool:
    """Whether a name that the tagger takes for a place hardly ever stands where one does: *Verkle*, *Erigon*."""
    elsewhere, clues = evidence.against.get("elsewhere", 0), evidence.clues.get("Location", 0)
    tagged = evidence.types["Location"] - clues
    return elsewhere >= OFTEN and elsewhere > 0.9 * tagged and clues <= 0.1 * evidence.seen


def _is_only_tagged(evidence: Evidence) -> bool:
    """Whether only the tagger says that one word is a body's name, and the word is spelled as somebody's may be."""
    spoken = evidence.acts or evidence.clues.get("Organization") or evidence.clues.get("Product") or evidence.shown
    return not (spoken or evidence.acronym or evidence.camel or evidence.common_head or evidence.against.get("beside"))


def _is_nowhere(evidence: Evidence) -> bool:
    """Whether one word never stands where a place's name does in the document that has it: *Haydn*, in a book."""
    tagged = evidence.types["Location"]
    return (
        tagged >= RECURS and not evidence.clues.get("Location") and evidence.against.get("elsewhere", 0) > MOST * tagged
    )


def may_be_body(evidence: Evidence) -> bool:
    """Whether something beside the tagger says that a name is an organization's, where its letters may be anything."""
    spoken = evidence.acts + evidence.clues.get("Organization", 0)
    if evidence.acts >= max(1, ACTS_SELDOM * evidence.seen) or (
        spoken >= max(OFTEN, evidence.clues.get("Product", 0)) and evidence.acts
    ):
        return True
    if evidence.address or (evidence.common_head and (evidence.plain or evidence.word)):
        return False
    if evidence.common_head and evidence.against.get("beside") and not (spoken or evidence.shown):
        return False  # "OIDC Client Management"
    if evidence.shown.get("Organization"):
        return True
    if evidence.single and evidence.clues.get("Product") and not spoken:
        return False
    if evidence.plain:
        return evidence.clues.get("Organization", 0) > 0  # "Argo Workflows": ordinary words, which the tagger knows not
    # "FileStore", beside code "Sidekiq": where nothing says more, the tagger takes every such name for a firm's.
    return not evidence.acronym and not ((evidence.camel or evidence.against.get("beside")) and evidence.single)


def _anything(evidence: Evidence, documents: int) -> bool:
    """Whether a phrase of ordinary words with capitals may be anything where it stands."""
    return evidence.against.get("beside", 0) >= 0.5 * documents or (documents == 1 and "Location" not in evidence.types)


def _technical(evidence: Evidence, type_: str, documents: int) -> bool:
    """Whether a name that the tagger takes for an organization is a term: an acronym or an identifier beside code, or
    beside words for files and formats."""
    if type_ != "Organization" or evidence.shown.get(type_) or not (evidence.camel or evidence.acronym):
        return False
    clues = evidence.clues.get(type_, 0)
    if _says_what(evidence):
        return True
    if evidence.acts >= 2 and evidence.acts > evidence.clues.get("Product", 0):
        return False  # "the TSC votes", beside code too
    as_tool = max(1, evidence.clues.get("Product", 0))
    return clues <= as_tool and evidence.against.get("beside", 0) >= 0.5 * documents


def _says_what(evidence: Evidence) -> bool:
    """Whether a name says in so many places which file, format or session is meant that it is a technique."""
    terms = evidence.against.get("term", 0)
    return terms >= max(2, TERM_SHARE * evidence.seen) and evidence.clues.get("Organization", 0) <= 2 * terms


def _may_speak(evidence: Evidence) -> bool:
    """Whether one word that the tagger takes for a body's name may be what somebody is called by: *Anatoli*."""
    if not evidence.single or evidence.acronym or evidence.camel or evidence.shown.get("Organization"):
        return False
    persons = evidence.types.get("Person", 0)
    return evidence.against.get("speaks", 0) > 0 or persons >= SPEAKS * evidence.types.get("Organization", 0) > 0


def is_unexplained(name: str, type_: str) -> bool:
    """Whether a name is two letters of which nothing says what they stand for: they mean another thing to everybody."""
    return type_ in ("Concept", "Product") and len(name) == 2 and name.isalpha() and not well_known_type(name.upper())


def total_evidence(parts: list[Evidence]) -> Evidence:
    """The sum of evidence."""
    types: Counter[str] = Counter()
    clues: Counter[str] = Counter()
    against: Counter[str] = Counter()
    shown: dict[str, float] = {}
    for part in parts:
        types.update(part.types)
        clues.update(part.clues)
        against.update(part.against)
        for type_, sure in part.shown.items():
            shown[type_] = max(shown.get(type_, 0.0), sure)
    return Evidence(
        seen=sum(part.seen for part in parts),
        types=dict(types),
        clues=dict(clues),
        shown=shown,
        against=dict(against),
        word=any(part.word for part in parts),
        single=all(part.single for part in parts),
        plain=any(part.plain for part in parts),
        acronym=all(part.acronym for part in parts),
        camel=any(part.camel for part in parts),
        acts=sum(part.acts for part in parts),
        common_head=any(part.common_head for part in parts),
        address=any(part.address for part in parts),
    )
