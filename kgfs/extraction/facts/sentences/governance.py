"""What charters say of bodies: who reports to whom, who appoints, elects, advises or oversees whom, who holds an office.

Used by the fact reader; pure. Charters say it with *will*, *shall* and *may*, and of *this committee*, which other rules take
for plans and for anybody.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import MARK, mark_numbers, with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit
from kgfs.relation_types import may_join

_E = MARK
_NAMES = rf"(?:the |our |its )?(?:{_E} )?(?P<o>{_E}(?:(?:, and (?:the )?|, (?:the )?| and (?:the )?| & ){_E})*)"
_OWN = r"(?P<own>(?:[Tt]his|[Tt]he|[Oo]ur) (?:(?:standing|working|steering|technical|executive|advisory|special interest) )?(?:committee|group|council|board|team|panel|subcommittee|body|foundation|SIG|WG))"
_SUBJECT = rf"^\W*(?:[A-Z][^.;:?]{{0,60}}, )?(?:(?:[Tt]he |[Oo]ur |[Ee]ach )?(?:{_E} )?(?P<s>{_E}(?:(?:, and (?:the )?|, (?:the )?| and (?:the )?){_E})*)(?: \([^()]{{1,20}}\))?|{_OWN})"
_DUTY = r"(?: (?:will|shall|may|can|must|should)(?: also)?| (?:is|are) (?:ultimately |jointly |also )?(?:responsible for|in charge of|charged with|tasked with|empowered to|authori[sz]ed to|expected to)(?: [a-z]+ing and)?)?(?: (?:also|periodically|regularly|jointly|directly|annually|formally))?"
_MEMBERS = r"(?: (?:(?:the|all|new|its|a|any|some) )?(?:(?:chairs?|co-chairs?|members?|membership|leads?|representatives?|officers?|seats?|delegates?|directors?) (?:of|to|on|for)))?"
_NOT = re.compile(
    r"\b(?:not|never|no longer|if|unless|whether|former|previous|instead|would|could|might)\b|n[’']t\b", re.I
)
_OFFICES = r"(?:chair|co-chair|chairperson|vice chair|president|vice president|executive director|director|secretary|treasurer|lead|co-lead|tech lead|technical lead|team lead|maintainer|lead maintainer|project lead|BDFL|benevolent dictator for life|release manager|coordinator|facilitator|liaison)"


class _Verb(NamedTuple):
    """What a clause says, by the words behind its subject up to the object."""

    type: str
    words: re.Pattern[str]
    turned: bool = False


def _verb(type_: str, words: str, *, turned: bool = False) -> _Verb:
    return _Verb(type_, re.compile(rf"{_SUBJECT}(?:{words}) {_NAMES}(?=[^\w\s-]|$| [a-z(\d])"), turned)


_VERBS = (
    _verb("REPORTS_TO", rf"{_DUTY} (?:reports?|reporting) (?:back )?to(?: (?:an?|the) (?:{_E}|[A-Z]+) or)?(?: directly to)?|(?: is| are| will be| shall be) (?:directly )?(?:accountable|answerable|subordinate) to"),
    _verb("ADVISES", rf"{_DUTY} (?:advis(?:es?|ing)|provid(?:es?|ing) (?:\w+ ){{0,2}}(?:advice|guidance) to)"),
    _verb("APPOINTS", rf"{_DUTY} (?:appoint(?:s|ing)?|select(?:s|ing)?|nominat(?:es?|ing)){_MEMBERS}"),
    _verb("ELECTS", rf"{_DUTY} (?:elect(?:s|ing)?){_MEMBERS}"),
    _verb("OVERSEES", rf"{_DUTY} (?:overse(?:es?|eing)|supervis(?:es?|ing))(?: the (?:work|activities|operations|budget) of)?"),
    _verb("ACTS_FOR", r" acts? on behalf of"),
    _verb("APPOINTS", rf"{_MEMBERS}(?: is| are| will be| shall be) (?:appointed|selected|nominated)(?: and \w+ed)? by", turned=True),
    _verb("ELECTS", rf"{_MEMBERS}(?: is| are| will be| shall be) elected(?: annually)? by", turned=True),
    _verb("OVERSEES", r"(?: is| are| will be| shall be) (?:overseen|supervised|governed|chartered) by", turned=True),
    _verb("LEADS", r"(?: project| community)?(?: is| are) (?:currently )?(?:led|chaired|headed|steered) by", turned=True),
    _verb("PART_OF", r" (?:is|are) (?:now )?(?:an? |the )(?:[a-z]+ ){0,2}(?:fund|chapter|arm|body|working group|special interest group|subgroup|sub-group|task force|affiliate|incubator project|sandbox project|graduated project|incubating project|member project|sponsored project) (?:of|at|within|under|in)"),
    _verb("TRADEMARK_OF", r"(?: logos?| names?| and [\w ]{1,40})? (?:is|are) (?:an? |the )?(?:(?:registered )?(?:service ?marks?|trademarks?)(?: or | and )?)+ (?:of|owned by)"),
)  # fmt: skip
_HOLDER = re.compile(
    rf"^\W*(?:The |Our |Its )?(?:current |present |acting |new )?(?P<role>{_OFFICES})s?(?: (?:of|for) (?:the )?(?P<s>{_E}))? (?:is|are)(?: currently| now| presently)? (?P<o>{_E}(?:(?:, and |, | and ){_E})*)(?=[^\w\s]|$| \()",
    re.I,
)
"""``The chair of ⟨Harbour Committee⟩ is ⟨Dana Poe⟩``."""
_CALLED = frozenset("Board Commission Committee Council Foundation Group Panel Subcommittee Team".split())
_MOST_FACTS = 300


class Governance:
    """Reads the sentences of one document; ``about`` is the entity that a section is about."""

    def __init__(self, lexicon: Lexicon, types: NameTypes, about: Callable[[Sequence[str]], int | None]) -> None:
        self._lexicon, self._types, self._about = lexicon, types, about

    def read(self, units: Sequence[Unit], spans: Sequence[Sequence[NameSpan]]) -> list[LexiconFact]:
        """The facts, in order of the units."""
        found: list[LexiconFact] = []
        for unit, names in zip(units, spans, strict=True):
            if unit.kind == "sentence" and names and not unit.content.text.rstrip().endswith("?"):
                found += self._sentence(unit, names)
        return found[:_MOST_FACTS]

    def _sentence(self, unit: Unit, spans: Sequence[NameSpan]) -> Iterator[LexiconFact]:
        masked = with_marks(unit.content.text, spans)
        holder = _HOLDER.match(masked)
        if holder is not None and not _NOT.search(holder[0]):
            yield from self._holders(unit, spans, holder)
        for verb in _VERBS:
            found = verb.words.match(masked)
            if found is None or _NOT.search(found[0]):
                continue
            subjects = [spans[mark].ref for mark in mark_numbers(found["s"] or "")] or self._own(unit)
            for subject in subjects:
                for mark in mark_numbers(found["o"]):
                    pair = (spans[mark].ref, subject) if verb.turned else (subject, spans[mark].ref)
                    ends = [self._end_type(ref) for ref in pair]
                    bodies = verb.type in ("PART_OF", "TRADEMARK_OF") or "Organization" in ends
                    if pair[0] != pair[1] and all(ends) and bodies and may_join(verb.type, *ends):
                        yield LexiconFact("governance.duty", candidate_of(unit, verb.type, 0.75), *pair, unit)
            return

    def _end_type(self, ref: int) -> str:
        """The type of what a clause is about; a body that is called one needs no other sentence to show it."""
        called = self._types.name(ref).rpartition(" ")[2] in _CALLED
        return self._types.page_end(ref) or (
            "Organization" if called and self._types.best(ref) == "Organization" else ""
        )

    def _own(self, unit: Unit) -> list[int]:
        """What *this committee* is: the body that the section or the page is about."""
        ref = self._about(unit.headings)
        if ref is None:
            return []
        ref = self._lexicon.resolved(ref)
        return [ref] if self._types.given_type(ref) == "Organization" else []

    def _holders(self, unit: Unit, spans: Sequence[NameSpan], holder: re.Match[str]) -> Iterator[LexiconFact]:
        bodies = [spans[mark].ref for mark in mark_numbers(holder["s"] or "")] or self._own(unit)
        for body in bodies:
            for mark in mark_numbers(holder["o"]):
                ref = spans[mark].ref
                type_ = "MAINTAINS" if "maintainer" in holder["role"].lower() else "LEADS"
                if holder["role"].lower() in ("secretary", "treasurer", "liaison", "release manager", "facilitator"):
                    type_ = "MEMBER_OF"
                if self._types.best(ref) == "Person" and may_join(type_, "Person", self._types.given_type(body)):
                    candidate = candidate_of(unit, type_, 0.8)
                    candidate.role = holder["role"]
                    yield LexiconFact("governance.holder", candidate, ref, body, unit)
