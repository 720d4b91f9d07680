"""What sentences report of organizations, places and persons: figures, changes in percent, or their own words.

Used by the fact reader, on sentences whose names were read.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.sentences import districts, report_sentences
from kgfs.extraction.facts.sentences.changes import find_changes
from kgfs.extraction.facts.sentences.figures import find_figures
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit

_REPORTS_TO = re.compile(r"\breport(?:s|ed)?(?: directly)? to\b")
_PRONOUN = re.compile(
    r"(?:He|It|She|They)\b|(?:That|These|This|Those) (?:are|can|had|has|have|is|may|was|were|will|would)\b"
)
"""The subject of such a sentence stands in another one."""


class ReportReader:
    """Reads the sentences of one document, of ``date``."""

    def __init__(self, date: str | None, lexicon: Lexicon, types: NameTypes) -> None:
        self._date, self._lexicon, self._types = date, lexicon, types

    def figures(self, unit: Unit, spans: Sequence[NameSpan], masked: str, *, pronoun: bool) -> Iterator[LexiconFact]:
        """The figures of a sentence; with ``pronoun`` its first name is what *it* or *she* means."""
        for figure in find_figures(masked):
            ref = spans[figure.subject].ref
            best = self._lexicon.named[ref].best
            if best is None or best[0] not in ("Organization", "Location", "Country", "City"):
                continue
            confidence = figure.confidence * (0.8 if pronoun and figure.subject == 0 else 1.0)
            candidate = candidate_of(unit, "REPORTED", confidence)
            candidate.value, candidate.unit, candidate.indicator = figure.value, figure.unit, figure.indicator
            candidate.object_text = figure.text
            # Without a date of its own a figure is as old as its document, unless the sentence speaks of other times.
            candidate.date = figure.date or (None if figure.dated else self._date)
            if figure.date is None:
                candidate.confidence = round(confidence - 0.2, 2)
            yield LexiconFact(figure.rule, candidate, ref, None, unit)

    def changes(self, unit: Unit, spans: Sequence[NameSpan]) -> Iterator[LexiconFact]:
        """By how many percent something changed, in the places that the sentence names or its heading is about."""
        letters, _, _ = self._types.letters(spans)
        for change in find_changes(with_marks(unit.content.text, spans, letters), self._date):
            refs = [spans[mark].ref for mark in change.marks]
            # "Revenues were down 10 percent" under a heading: whose, the paragraph says or nobody.
            bare = "_" not in change.indicator.partition("_change")[0]
            own = None if refs or bare else districts.district_city(unit.headings)
            if own is not None:
                refs = [self._lexicon.place(own)]
            for ref in refs:
                candidate = candidate_of(unit, "REPORTED", change.confidence)
                candidate.value, candidate.unit, candidate.indicator = change.value, "percent", change.indicator
                candidate.object_text, candidate.date = change.text, change.date
                rule = change.rule if own is None else f"{change.rule}.heading"
                yield LexiconFact(rule, candidate, ref, None, unit)

    def reports(self, unit: Unit, spans: Sequence[NameSpan], told: Container[int]) -> Iterator[LexiconFact]:
        """What a sentence reports of its places, organizations and persons, but of those that it already told of."""
        letters, _, name = self._types.letters(spans)
        text = unit.content.text
        if _REPORTS_TO.search(text) is not None:
            return  # whose superior somebody is
        own = districts.district_city(unit.headings)
        for mark, confidence, rule in report_sentences.report_subjects(text, with_marks(text, spans, letters), name):
            ref = spans[mark].ref
            if ref in told or name[mark] == own:
                continue
            said = districts.main_clause(text)
            if _PRONOUN.match(said):
                return  # of what stands in another sentence
            candidate = candidate_of(unit, "REPORTED", confidence)
            candidate.object_text = said
            candidate.date = report_sentences.report_date(text, self._date)
            yield LexiconFact(rule, candidate, ref, None, unit)
