"""What a sentence of a lead says of a part of its subject: its music, its members, its head, its capital.

Used by the fact reader, sentence by sentence; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from kgfs.extraction.facts.guides.lead_patterns import (
    CHARGES,
    DESCRIBED,
    ENDS,
    NAME,
    NAMES,
    LeadFact,
    by_name,
    years_behind,
)
from kgfs.extraction.facts.marks import mark_numbers
from kgfs.extraction.facts.sentences.verb_forms import basic_form
from kgfs.relation_types import VERBS

_OF_FILM = "film movie documentary series miniseries drama comedy musical play opera thriller western sitcom short game melodrama".split()
"""What has music and a script of which a lead tells."""

_ITS_PART = re.compile(
    rf"^(?:The|Its) (?P<part>(?:original |film |musical )?(?:music|score|soundtrack|songs)|(?:original )?(?:screenplay|script|story|libretto|lyrics)) (?:is|was|were|are) "
    rf"(?:[a-z]+ and )?(?:composed|written|scored|penned|created|by|co-written)(?: and [a-z]+)?(?: jointly)?(?: by)? {DESCRIBED}(?P<o>{NAMES})(?![’']s\b){ENDS}"
)

_OF_BODY = tuple(
    (type_, turned, by_name(rf"^(?:Its|The) (?:current |present |first )?(?:{what}) (?:is|are|was|were) {{O}}"))
    for type_, turned, what in (
        ("CHIEF_EXECUTIVE_OF", True, r"chief executive(?: officer)?|CEO"),
        ("LEADS", True, rf"{CHARGES}|manager|head coach|coach|captain|commander|conductor"), ("FOUNDED", True, r"(?:co-?)?founders?"),
        ("SUBSIDIARY_OF", False, r"(?:ultimate )?parent(?: company| organi[sz]ation)?"),
        ("SUBSIDIARY_OF", True, r"(?:wholly owned |main |other )?(?:subsidiar(?:y|ies)|imprints?|divisions?)"),
    )
)  # fmt: skip

_SEAT = by_name(
    r"^(?:Its|The) (?:[a-z]+ )?(?:headquarters|head office|main office|seat) (?:is|are|was|were) (?:located |situated )?in {P}"
)

_OF_PLACE = tuple(
    (type_, by_name(rf"^(?:Its|The) (?:current |present )?(?:{what}) (?:is|was) {{P}}"))
    for type_, what in (
        ("CAPITAL_OF", r"(?:national |regional |provincial |administrative |state )?capital(?: and [a-z ]{3,40}?(?:city|town|port))?(?: city)?|county seat"),
        ("OFFICIAL_OF", r"mayor|governor|president|prime minister|premier|king|queen|monarch|head of state"),
    )
)  # fmt: skip

_OTHER_THAN_NOW = re.compile(r"\b(?:not|no longer|until|former)\b")

_ITS_HEAD = re.compile(
    rf"^(?:(?:Sir|Dame|Lord|Lady|Dr\.?|Mr\.?|Mrs\.?|Ms\.?) )?(?P<o>{NAME})(?: \([^()]*\))? (?:(?:is|was|has been) (?:currently |also )?its|became (?:its |the )?|was (?:appointed|named|elected) (?:its |as )?(?:the )?) ?(?:current |first |founding )?(?P<office>{CHARGES}|manager|head coach|chief executive(?: officer)?|CEO)\b(?=(?P<rest>[^;]{{0,40}}))"
)
"""*Ann Lee has been its chairman since 2015*."""

_DOES_IT = re.compile(
    rf"^(?:(?:Both|The|[A-Z][a-z]+) )?(?P<o>{NAMES})(?: \([^()]*\))? (?:also |now |currently )?(?P<verb>[a-z]+) it\b(?! (?:is|was|would|will|has|may|might|should|to|can|could)\b)"
)
"""*The Oil team owns it*, on the page of a lamp."""

_MEMBERS = re.compile(
    rf"^(?:(?:Its|The) )?(?:(?:current |founding |first |original |other )*)[Mm]embers (?:include[sd]?|are|were) {DESCRIBED}(?P<o>{NAMES})"
    rf"(?:,? (?:and|as well as) (?P<more>{DESCRIBED}{NAME}))?(?![’']s\b){ENDS}"
)
"""*Its members included Ann Lee and the painter Bob Ray*."""


def facts_of_parts(masked: str, kind: str, type_: str) -> Iterator[LeadFact]:
    """What a sentence of a lead says of a part of its subject: the music or the script of a work (``The music was composed
    by ⟨1⟩``), who leads a body and where it sits, the capital of a country."""
    if (does := _DOES_IT.match(masked)) is not None and (relation := VERBS.get(basic_form(does["verb"]))) is not None:
        yield from (
            LeadFact("leads.does_it", relation, mark, turned=True, past=True) for mark in mark_numbers(does["o"])
        )
    if type_ in ("Organization", "Event", "Group") and (members := _MEMBERS.match(masked)) is not None:
        named = mark_numbers(f"{members['o']} {members['more'] or ''}")
        yield from (LeadFact("leads.part_is", "MEMBER_OF", mark, turned=True) for mark in named)
    if type_ in ("Organization", "Location") and _OTHER_THAN_NOW.search(masked) is None:
        told = _OF_BODY if type_ == "Organization" else tuple((one, True, pattern) for one, pattern in _OF_PLACE)
        for relation, turned, pattern in told:
            if (found := pattern.match(masked)) is not None:
                yield from (
                    LeadFact("leads.part_is", relation, mark, turned=turned) for mark in mark_numbers(found["o"])
                )
        if type_ == "Organization" and (head := _ITS_HEAD.match(masked)) is not None:
            relation = "CHIEF_EXECUTIVE_OF" if head["office"].startswith(("chief executive", "CEO")) else "LEADS"
            since, until = years_behind(head["rest"])
            yield LeadFact(
                "leads.part_is", relation, mark_numbers(head["o"])[0], turned=True,
                valid_from=since, valid_to=until, role=head["office"],
            )  # fmt: skip
        if type_ == "Organization" and (found := _SEAT.match(masked)) is not None:
            yield LeadFact("leads.seated", "HEADQUARTERED_IN", mark_numbers(found["o"])[0])
        return
    found = _ITS_PART.match(masked) if kind in _OF_FILM else None
    if found is not None:
        music = found["part"].rpartition(" ")[2] in ("music", "score", "soundtrack", "songs")
        for mark in mark_numbers(found["o"]):
            yield LeadFact("leads.part_by", "COMPOSED" if music else "WROTE", mark, turned=True)
