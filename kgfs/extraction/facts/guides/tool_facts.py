"""The facts that those who speak use tools, sentence by sentence. The patterns are in ``tools_used``.

Used by ``fact_reader``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgfs.extraction.facts.guides import tools_used
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.sentences import relations
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit


class ToolFacts:
    """Reads what the speakers of one document use."""

    def __init__(self, lexicon: Lexicon, types: NameTypes) -> None:
        self._lexicon = lexicon
        self._types = types
        self._worked_in: set[int] = set()
        """The tools that the document showed once already."""

    def read(self, unit: Unit, spans: list[NameSpan], speaker: int | None) -> Iterator[LexiconFact]:
        """The tools that those who speak use; ``speaker`` is the place of the name that *we* stand for."""
        text = unit.content.text
        speaks = self._lexicon.speaker()
        if speaks is None or relations.is_unreal(masked := with_marks(text, spans)):
            return
        ours = tools_used.tool_of_ours(masked)
        if ours is not None and spans[ours[0]].ref != speaks and (ours[0] == 0 or spans[0].ref == speaks):
            yield from self._use(unit, NameSpan(0, 0, speaks), spans[ours[0]], ours[1])
            return
        mark = None if speaker is None else tools_used.tool_used(text, spans, speaker)
        if speaker is not None and mark is not None:
            yield from self._use(unit, spans[speaker], spans[mark])
            return
        owned = set(tools_used.tools_of_ours(masked, lambda mark: self._lexicon.resolved(spans[mark].ref) == speaks))
        for place, span in enumerate(spans):
            ref = self._lexicon.resolved(span.ref)
            known = self._types.end_type(span) == "Product" and ref != speaks and ref not in self._worked_in
            if known and (
                place in owned or (tools_used.tool_worked_in(text, span) and not self._has_others(spans, span, speaks))
            ):
                self._worked_in.add(ref)
                yield LexiconFact("tools.worked_in", candidate_of(unit, "USES", 0.7), speaks, ref, unit)

    def _has_others(self, spans: Sequence[NameSpan], tool: NameSpan, speaks: int) -> bool:
        """Whether a sentence names somebody else than who speaks before a tool, who may be the one who works in it."""
        others = [span for span in spans if span.start < tool.start and self._lexicon.resolved(span.ref) != speaks]
        return any(
            self._types.best(span.ref) in ("Person", "Organization")
            and not tools_used.is_department(self._types.name(span.ref))
            for span in others
        )

    def _use(self, unit: Unit, subject: NameSpan, tool: NameSpan, type_: str = "Product") -> Iterator[LexiconFact]:
        """What *we use* is a tool, or who makes one, where nothing shows that it is something else."""
        if not self._types.is_given(tool.ref):
            if self._types.best(tool.ref) in ("Person", "Location", "Law", "Event"):
                return
            self._lexicon.named[tool.ref].vote(type_, 0.75)
        candidate = candidate_of(unit, "USES", 0.75)
        yield LexiconFact("tools.used", candidate, subject.ref, tool.ref, unit, (subject, tool))
