"""Which names of a document become its entities, and what is said of those that do not.

Used by the extractor when names and facts were read; pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from kgfs.documents.identifiers import code_shape
from kgfs.extraction.names import evidence, fragments
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.declared.suggested import is_setting, type_by_shape
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameFindings, NameSpan
from kgfs.extraction.names.verdict import NO_ENTITY, RECURS, UNSAID, NameVerdict, is_unexplained, name_verdict
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.units import Unit
from kgfs.model import EntityCandidate, Evidence, UnconfirmedName

_DOUBT = frozenset({"code", "common", "generic", "heading", "label", "identifier", "pressed", "noun"})
"""What makes a name that stands at an end of a fact no sure one."""
_END_OF_FACT = 0.4
"""How sure the type of a name must be that a fact has at an end."""


_WITH_CAPITALS = frozenset({"Event", "Facility", "Location", "Organization", "Person"})
"""Types whose names no ordinary words in small letters are."""


def _is_small_term(name: str) -> bool:
    return name == name.lower() and all(map(is_ordinary, name.split()))


def accepted_entries(
    lexicon: Lexicon, ends: Collection[int], *, tagged: bool
) -> dict[int, tuple[NameVerdict, Evidence | None]]:
    """The entries that become entities; with evidence where only the tagger speaks for one, so that others may not.

    ``ends`` are the entries at the ends of facts.
    """
    at_ends = {lexicon.resolved(end) for end in ends}
    kept: dict[int, tuple[NameVerdict, Evidence | None]] = {}
    for ref, named in enumerate(lexicon.named):
        if not named.name or lexicon.resolved(ref) != ref:
            continue
        if named.count == 0 and ref not in at_ends and not named.declared:
            continue
        best = named.best
        at_end = ref in at_ends
        if best is not None and best[0] in _WITH_CAPITALS and _is_small_term(named.name):
            best = ("Concept", best[1])  # "fungibility", which the tagger takes for a body
        if not named.declared and best and not at_end and _is_role(named, best[0]):
            continue
        if best is not None and best[0] == PAGE and not at_end:
            continue
        if best is not None and best[0] == "Person" and named.name.split()[0] in _NOBODY:
            continue
        if fragments.is_heading(named.name) and not (named.known or named.declared or named.linked):
            continue
        if named.known or named.declared or named.defined or named.linked:
            kept[ref] = NameVerdict(*(best or (_usual_type(named.name), 0.4 if named.linked else 0.5))), None
        elif best is not None and not named.tags:
            if _shown(named, best, at_end):
                kept[ref] = (
                    NameVerdict(*best),
                    evidence.name_evidence(named, lexicon.wording) if tagged and not at_end else None,
                )
        elif best is not None:
            said = evidence.name_evidence(named, lexicon.wording)
            doubted = not _DOUBT.isdisjoint(said.against) or (best[0] == "Person" and not _is_somebody(named))
            if at_end and best[1] >= _END_OF_FACT and best[0] not in NO_ENTITY and not doubted:
                weak = evidence.only_seems_body(named, lexicon.wording)
                kept[ref] = NameVerdict("Concept", UNSAID) if weak else NameVerdict(*best), None
            elif (found := name_verdict(said)) is not None and not is_unexplained(named.name, found.type):
                # What has a fact stays, so that the fact has its ends.
                kept[ref] = found, None if at_end else said
    whole = {part for ref in kept for part in _parts_of_person(lexicon.named[ref].name, kept[ref][0].type)}
    return {
        ref: (judged, said)
        for ref, (judged, said) in kept.items()
        if said is None or judged.type != "Person" or lexicon.named[ref].name not in whole
    }


def _parts_of_person(name: str, type_: str) -> list[str]:
    """The words of a person's name by which the text may call somebody again."""
    return name.split() if type_ == "Person" and " " in name else []


_NOBODY = frozenset("Anonymous Unknown Unnamed Various".split())
"""How texts whose author nobody knows are signed: *Unknown Author*."""
_SEVERAL_ROLES = frozenset("Approvers Chairs Leads Reviewers".split())
"""What several persons are of a body: *ACME Approvers*."""


def _is_role(named: NameFindings, type_: str) -> bool:
    """Whether a name that is taken for a body's is only what some are there."""
    return type_ == "Organization" and " " in named.name and named.name.split()[-1] in _SEVERAL_ROLES


def _is_somebody(named: NameFindings) -> bool:
    """Whether a name that is taken for a person's is more than ordinary words (*Enhancement Proposal*), and more than a
    given name."""
    if named.shown.get("Person"):
        return True
    return named.name not in words.GIVEN_NAMES and not all(is_ordinary(part.lower()) for part in named.name.split())


def _usual_type(name: str) -> str:
    """What a name is that is known for an entity and of which nothing shows a type: a setting is spelled as such."""
    return "Concept" if code_shape(name) == "camel" and not is_setting(name) else type_by_shape(name)


def _shown(named: NameFindings, best: tuple[str, float], in_facts: bool) -> bool:
    """Whether the words of a name, and what patterns find around it, show what it is."""
    if in_facts:
        return best[1] >= _END_OF_FACT
    if best[0] == "Person" and " " not in named.name:
        return False
    return best[1] >= 0.7 or (best[1] >= 0.5 and named.count >= RECURS)


def accepted_entities(
    lexicon: Lexicon, kept: Mapping[int, tuple[NameVerdict, Evidence | None]]
) -> tuple[list[EntityCandidate], dict[int, int]]:
    """The entities, and which entry of the lexicon is which of them."""
    found: list[EntityCandidate] = []
    index: dict[int, int] = {}
    for ref, (judged, said) in kept.items():
        named = lexicon.named[ref]
        own = lexicon.declared.get(ref)
        index[ref] = len(found)
        acts = own is not None and own.type == PAGE and judged.type == "Organization"  # "Engineering", a team
        found.append(
            EntityCandidate(
                name=named.name,
                type=(own.type if own and not acts else "") or judged.type,
                aliases=list(dict.fromkeys([*(own.aliases if own else []), *named.aliases])),
                description=own.description if own else "",
                attributes=own.attributes if own else {},
                confidence=own.confidence if own else round(min(judged.confidence, 0.95), 2),
                declared=own is not None and own.declared,
                evidence=said,
                rules={alias: rule for alias, rule in named.rules.items() if rule != "stated"},
                linked=named.linked or named.known,
                titled=named.titled,
            )
        )
    return found, index


def unconfirmed_names(
    lexicon: Lexicon, kept: Collection[int], units: Sequence[Unit], spans: Sequence[Sequence[NameSpan]]
) -> list[UnconfirmedName]:
    """The names that are none of the entities, with what is said of them and where they stand."""
    chunks: dict[int, Counter[int]] = {}
    for unit, found in zip(units, spans, strict=True):
        for span in found:
            ref = lexicon.resolved(span.ref)
            if ref not in kept:
                chunks.setdefault(ref, Counter())[unit.chunk.ordinal] += 1
    names = [
        UnconfirmedName(name=named.name, evidence=evidence.name_evidence(named, lexicon.wording), chunks=dict(counts))
        for ref, counts in sorted(chunks.items())
        if (named := lexicon.named[ref]).name and len(named.name) > 1
    ]
    whole = {
        part
        for ref in kept
        for part in _parts_of_person(lexicon.named[ref].name, (lexicon.named[ref].best or ("",))[0])
    }
    for one in names:
        if one.name in whole:
            one.evidence.against["part"] = 1
    return names
