"""What phrases and clauses of a sentence state of the names in it, and what that shows of the names' types.

Used by ``fact_reader``, sentence by sentence. The patterns are in
``relations``, ``proximity``, ``ties``, ``syntax``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import place_in_marked, with_marks
from kgfs.extraction.facts.name_types import SURE, NameTypes
from kgfs.extraction.facts.sentences import proximity, relations, syntax, ties
from kgfs.extraction.facts.sentences.statement_checks import as_former, as_held, can_be, is_quoted
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.wordlists.places import is_administrative
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO
from kgfs.extraction.units import Unit

if TYPE_CHECKING:
    from spacy.tokens import Doc

_GOES_ON = re.compile(r" (?!(?:In|On|At|Since|From|And|The)\b)[A-Z]")
_BY_TYPE = proximity.TYPES | syntax.TYPES | ties.TYPES
"""What phrases and clauses state; with no roles of its own a statement was found between names of fitting types."""


_OF_OTHERS = re.compile(
    r"\b(?:product owner|partner|client|customer|investor|sponsor|counsel|agent|contact|vendor)s?\b"
)


def _is_theirs(text: str, spans: list[NameSpan], one: relations.PatternFact, marked: str) -> bool:
    """Whether who is *ours* may work for others: *our product owner, Ann Lee* is of those for whom we work."""
    whose = spans[one.objects[0]]
    said = text[whose.start : whose.end].lower()
    return (
        one.type == "WORKS_FOR" and said in ("our", "we") and _OF_OTHERS.search(marked[one.start : one.end]) is not None
    )


class Statements:
    """Reads the statements of the sentences of one document."""

    def __init__(self, lexicon: Lexicon, types: NameTypes, *, tagged: bool) -> None:
        self._lexicon = lexicon
        self._types = types
        self._tagged = tagged

    def read(
        self, unit: Unit, spans: list[NameSpan], masked: str, *, pronoun: bool, syntax_of: Doc | None
    ) -> Iterator[LexiconFact]:
        """The facts of a sentence; ``syntax_of`` is its syntax where it was parsed, ``pronoun`` whether its
        first name is one."""
        found = relations.pattern_facts(masked)
        if self._tagged:
            found += self._joined(unit, spans, found, syntax_of)
        for statement in found:
            refs = {mark: spans[mark].ref for mark in (*statement.subjects, *statement.objects)}
            sure = statement.type in _BY_TYPE and not any(statement.roles.values())
            if not sure and not all(
                self._fits(refs[mark], statement.roles.get(mark, ""), statement.type)
                or (mark in statement.objects and self._is_bought(refs[mark], statement))
                for mark in refs
            ):
                continue
            confidence = statement.confidence * (0.8 if pronoun and 0 in statement.subjects else 1.0)
            if statement.rule == "relations.owned_by":
                if _GOES_ON.match(unit.content.text, spans[statement.objects[0]].end):
                    continue  # "is owned by the Acme Director"
                self._owned(statement, refs)
            for subject in statement.subjects:
                for object_ in statement.objects:
                    if refs[subject] == refs[object_]:
                        continue
                    for mark, type_ in (
                        ()
                        if sure
                        else (
                            (subject, self._role(statement, subject, spans, unit.content.text)),
                            (object_, statement.roles[object_]),
                        )
                    ):
                        named = self._lexicon.named[refs[mark]]
                        if not named.known and not named.declared:
                            named.vote(type_, confidence - 0.15)
                    candidate = candidate_of(unit, statement.type, confidence)
                    candidate.date = statement.date
                    candidate.valid_from, candidate.valid_to = statement.valid_from, statement.valid_to
                    candidate.value, candidate.unit = statement.value, statement.unit
                    places = (spans[subject], spans[object_])
                    yield LexiconFact(statement.rule, candidate, refs[subject], refs[object_], unit, places)

    def _owned(self, statement: relations.PatternFact, refs: dict[int, int]) -> None:
        """Let what is owned and is no organization for certain have an owner, not a parent."""
        (owned,) = statement.subjects
        best = self._lexicon.named[refs[owned]].best
        if best is None or best[0] != "Organization" or not self._types.is_sure(refs[owned]):
            statement.type, statement.subjects, statement.objects = "OWNS", statement.objects, statement.subjects
            owners = dict.fromkeys(statement.subjects, "Organization")
            statement.roles = {**owners, **dict.fromkeys(statement.objects, "")}

    def _joined(
        self, unit: Unit, spans: list[NameSpan], found: list[relations.PatternFact], doc: Doc | None
    ) -> list[relations.PatternFact]:
        """The facts in phrases and clauses that join names of known types, without those that are there already."""
        letters, sure, name = self._types.letters(spans)
        marked = with_marks(unit.content.text, spans, letters)
        known = {(s, o) for one in found for s in one.subjects for o in one.objects}
        near = proximity.proximity_facts(marked, letters, name, is_administrative)
        shown = ["U" if self._lexicon.named[span.ref].best is None else letters[i] for i, span in enumerate(spans)]
        near += ties.tie_facts(with_marks(unit.content.text, spans, shown), shown, name)
        makers = ["O" if shown[i] in "XW" and name[i] in FIRMS_TOO else shown[i] for i in range(len(spans))]
        if makers != shown and "P" in makers:
            near += self._posts_at_makers(unit, spans, makers, name)
        if doc is not None and unit.content.text == doc.text and not relations.is_unreal(marked):
            places = [(span.start, span.end, letters[i], name[i]) for i, span in enumerate(spans)]
            far = syntax.syntax_facts(doc, places)
            for one in far:
                one.start, one.end = (
                    place_in_marked(doc.text, spans, letters, place) for place in (one.start, one.end)
                )
            told = {(one.subjects[0], one.objects[0]) for one in far}
            near = [one for one in near if one.type == "KILLED" or (one.subjects[0], one.objects[0]) not in told]
            had = {(one.type, one.subjects[0], one.objects[0]) for one in near}
            near += [one for one in far if (one.type, one.subjects[0], one.objects[0]) not in had]
        more = [
            held
            for one in near
            if (one.subjects[0], one.objects[0]) not in known
            and can_be(one, letters, name)
            and not is_quoted(marked, one)
            and not _is_theirs(unit.content.text, spans, one, marked)
            and (held := as_former(as_held(one, marked, name), marked)) is not None
            and one.confidence - sum(0.1 for mark in (one.subjects[0], one.objects[0]) if sure[mark] < SURE) >= 0.5
        ]
        relations.attach_dates_and_prices([one for one in more if one.dated], marked)
        return more

    def _posts_at_makers(
        self, unit: Unit, spans: list[NameSpan], makers: list[str], name: list[str]
    ) -> Iterator[relations.PatternFact]:
        """Who works for the maker of software that is called as it is: *an engineer at Slack*."""
        marked = with_marks(unit.content.text, spans, makers)
        near = proximity.proximity_facts(marked, makers, name, is_administrative)
        for one in (*near, *ties.tie_facts(marked, makers, name)):
            maker = one.objects[0]
            if one.type == "WORKS_FOR" and name[maker] in FIRMS_TOO:
                yield replace(one, roles={one.subjects[0]: "Person", maker: "Organization"}, rule="ties.maker")

    def _role(self, statement: relations.PatternFact, mark: int, spans: list[NameSpan], text: str) -> str:
        """The type that a fact shows of a subject that may be of several: founders are persons, unless known else."""
        role = statement.roles[mark]
        if role:
            return role
        name = self._lexicon.named[spans[mark].ref].name
        person = statement.type == "FOUNDED" and 2 <= len(name.split()) <= 4 and not name.isupper()
        return "Person" if person and not text[: spans[mark].start].lower().endswith("the ") else "Organization"

    def _is_bought(self, ref: int, statement: relations.PatternFact) -> bool:
        """Whether what somebody bought at a price is a firm, though the tagger takes it for a person: *P.A. Semi*."""
        best = self._lexicon.named[ref].best
        bought = statement.type == "ACQUIRED" and statement.value is not None
        return bought and best is not None and best[0] == "Person" and not self._types.is_sure(ref)

    def _fits(self, ref: int, role: str, fact_type: str) -> bool:
        """Whether a name can stand where a pattern has it, by what else is known of it."""
        named = self._lexicon.named[ref]
        best = named.best
        if role == "Product" and fact_type == "MANUFACTURES":
            # "products, including Lumen and Tarn": the sentence says what they are.
            return (
                best is None or best[0] not in ("Person", "Location", "Law") or (best[0] == "Person" and best[1] < 0.7)
            )
        if role == "Product":
            # What was developed must be known from elsewhere: a declared or linked name of nobody and no place.
            return (named.known or named.declared or named.linked) and (
                best is None or best[0] not in ("Person", "Location", "Organization")
            )
        if role == "Location":
            return (best is not None and best[0] == "Location") or (best is None and named.mid > 0)
        if role == "Person":
            return (best is None and " " in named.name) or (best is not None and best[0] == "Person")
        if role == "Organization":
            if best is None:
                return True
            # DeepMind's AlphaFold may be bought too, but a person or a place is no company.
            return best[0] not in ("Person", "Location", "Law", "Concept") or (best[0] == "Person" and best[1] < 0.5)
        return best is None or best[0] in ("Person", "Organization") or (fact_type == "FOUNDED" and best[1] < 0.5)
