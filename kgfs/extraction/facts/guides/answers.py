"""Who maintains or leads what a text proposes, by questions of a form and their answers: ``Who will maintain it? Ann Lee``.

Used by the fact reader; pure. The answer stands behind the question, or on the next line.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of, quote_from
from kgfs.extraction.facts.meeting_notes.attendees import read_names
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.units import Unit
from kgfs.relation_types import may_join

_THING = r"(?:it|(?:the|this|your) (?:project|package|repo(?:sitory)?|tool|plug-?in|library|software|code))"
_QUESTIONS = (
    ("MAINTAINS", re.compile(rf"(?i)\bwho (?:will|is going to|would) (?:be )?maintain(?:ing|s)? {_THING}(?: going forward| in (?:the )?future| long[- ]term)?\?|\bwho (?:maintains|are the maintainers of) {_THING}\?")),
    ("LEADS", re.compile(rf"(?i)\bwho (?:leads|is leading|is the lead of) {_THING}\?")),
)  # fmt: skip
_HANDLES = re.compile(r"[\s*_`-]*(?P<all>@[\w-]+(?:(?:, | and |, and | & )@[\w-]+)*)[\s*_`.]*")
LONGEST = 100
"""Characters of an answer that is names and nothing else."""


def answered(
    units: Sequence[Unit],
    lexicon: Lexicon,
    types: NameTypes,
    about: Callable[[Sequence[str]], int | None],
    *,
    tagged: bool,
) -> Iterator[LexiconFact]:
    """The facts, in order of the questions; ``about`` is the entity that a section is about."""
    for unit, following in zip_longest(units, units[1:]):
        for type_, pattern in _QUESTIONS:
            asked = pattern.search(unit.content.text)
            subject = about(()) if asked is not None else None
            if asked is None or subject is None:
                continue
            subject = lexicon.resolved(subject)
            given = types.given_type(subject)
            if given in (PAGE, "Person") or not may_join(type_, "Person", given):
                continue
            answer = unit.content.text[asked.end() :]
            last = unit
            if not re.search(r"\w", answer) and following is not None and following.headings == unit.headings:
                answer, last = following.content.text, following
            for name in _persons(answer, tagged=tagged):
                person = stated_entry(lexicon, name, "Person")
                if person is not None and person != subject:
                    candidate = candidate_of(last, type_, 0.8)
                    quote_from(candidate, unit, last)
                    yield LexiconFact("guide.answer", candidate, person, subject, last)


def _persons(answer: str, *, tagged: bool) -> list[str]:
    """Whom an answer names; nobody where it says anything else."""
    handles = _HANDLES.fullmatch(answer)
    if handles is not None:
        return re.findall(r"@[\w-]+", handles["all"])
    if len(answer) > LONGEST or "?" in answer:
        return []
    named = read_names(answer, tagged=tagged)
    said = sum(len(one.name) for one in named)
    return [one.name for one in named if one.sure] if 2 * said > len(answer.strip()) else []
