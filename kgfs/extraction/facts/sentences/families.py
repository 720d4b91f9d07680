"""Who is of whose family by plain sentences: ``His wife was Ann Lee``, ``Ann Lee is married to Orm Lee``, ``She had two sons, …``.

Used by the fact reader, sentence by sentence; pure. ``ties`` reads kin that stands beside a name (``Ann Lee's son Orm``); here a
verb joins the two, and the first may be a pronoun that the caller knows. The words say what the names are: persons.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import CLOSE, OPEN, mark_numbers, with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.sentences.relations import is_unreal
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.extraction.units import Unit

FEMALE = frozenset(
    "wife mother daughter sister queen princess duchess empress aunt niece grandmother granddaughter widow actress countess woman "
    "girl baroness heiress noblewoman lady mrs ms miss dame stepmother stepdaughter abbess nun".split()
)
MALE = frozenset(
    "husband father son brother king prince duke emperor uncle nephew grandfather grandson widower man boy baron nobleman lord mr "
    "sir stepfather stepson monk".split()
)
"""Words that say whether a pronoun for somebody is *she* or *he*."""
_KINDS = {
    **dict.fromkeys("husband wife spouse widow widower husbands wives".split(), "SPOUSE_OF"),
    **dict.fromkeys("son daughter child sons daughters children".split(), "CHILD_OF"),
    **dict.fromkeys("father mother parents".split(), "<CHILD_OF"),
    **dict.fromkeys("brother sister brothers sisters siblings".split(), "SIBLING_OF"),
}
_KIN = rf"(?P<kin>{'|'.join(sorted(_KINDS, key=len, reverse=True))})"
_YEARS = r"(?: \([^()]{1,60}\))?"
_ONE = rf"{OPEN}\d+{CLOSE}"
_LIST = rf"(?P<s>{_ONE}{_YEARS}(?:(?:, and |, | and ){_ONE}{_YEARS})*)"
_END = r"(?=\s*(?:[,.;:)]|$)| (?:and|who|whom|with|from|in \d{4}|until|since|whose)\b)"
_ORDER = r"(?:(?:late|former|first|second|third|fourth|fifth|last|only|eldest|oldest|elder|older|youngest|younger|other|surviving|current|ex-|then) ?)*"
_WHAT = (
    rf"(?P<what>(?:(?:{_ONE}(?:-[A-Z][a-z]+)?(?= [a-z])|the|an?|named|called|(?!(?:of|by|to|in|from|with|and|or|not|born|for|at|on|under|who|when|that|than|as|about|like|also|still|only|never|near|after|before|between)\b|[a-z-]+ed\b)[a-z][a-z-]*"
    r"|[A-Z][a-z]+(?:-[A-Z][a-z]+)?\.?) ){0,6})"
)
"""Words before a name that say who it is: *the composer*, *the Danish noblewoman Lady*."""
_COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2}|several|at least [a-z]+)"
_YOUNG = r"(?:(?:young|adult|grown|small|surviving|adopted|illegitimate|legitimate|known|younger|older|elder|twin|step|infant|more|other) ?)*"
_IS = re.compile(rf"(?P<o>{_ONE})(?:['’]s?)? {_ORDER}{_KIN}{_YEARS} (?:is|was|are|were) {_WHAT}{_LIST}(?!['’]){_END}")
_MARRIED = re.compile(
    rf"(?P<o>{_ONE}){_YEARS} (?:is|was|has been|had been|were) (?:(?:first|now|later|also|then|briefly|happily|secretly|twice|once|previously|formerly|long) )*"
    rf"married (?:(?:first|firstly|secondly|secretly|briefly) )?(?:(?:in|from) \d{{4}} )?to {_WHAT}(?P<s>{_ONE})(?!['’])(?= (?:from|in|until|for|between|when|since|and|who|with|at|on|but)\b|\s*(?:[,.;:)(]|$))"
)
_HAS = re.compile(
    rf"(?P<o>{_ONE}){_YEARS}(?:(?: and) (?P<too>{_ONE}){_YEARS})? (?:has|had|have) {_COUNT} {_YOUNG}{_KIN}(?: together)?(?:,? (?:by|with) (?:(?:the|his|her) )?(?:[a-z]+ ){{0,3}}(?P<with>{_ONE}))?"
    rf"(?:,|:| [–—-]|)(?: (?:named|called|namely|including))?:? {_LIST}(?!['’]){_END}"
)
KIN_TYPES = frozenset({"CHILD_OF", "SIBLING_OF", "SPOUSE_OF"})
_ONE_KIN = r"(?P<kin>husband|wife|son|daughter|father|mother|brother|sister)"
_CALLED = re.compile(
    rf"^(?P<o>{_ONE})(?:['’]s?)? {_ORDER}{_ONE_KIN},? {_WHAT}(?P<s>{_ONE})(?!['’]),? (?=(?:also |later |then |who |is |was |has |had |became |[a-z]+(?:ed|s) )\w)"
)
"""*Her daughter Ann Lee became a judge*."""
_BESIDE = re.compile(
    rf"(?P<o>{_ONE}){_YEARS},? and (?:his|her) {_ORDER}{_ONE_KIN},? {_WHAT}(?P<s>{_ONE})(?!['’])(?=\s*(?:[,.;:)(]|$)| [a-z])"
)
"""*Orm Lee and his wife Ann*."""
_WITH_OWN = re.compile(
    rf"^(?:(?:In|On|By) [^,;:.{OPEN}]{{4,24}},? )?(?:The )?(?P<o>{_ONE}){_YEARS}(?P<clause> (?:[^;:.{OPEN}]|{_ONE}){{2,120}}?) (?:his|her) {_ORDER}{_ONE_KIN},? {_WHAT}(?P<s>{_ONE})(?!['’])(?=\s*(?:[,.;:)(]|$)| [a-z])"
)
"""*Orm Lee succeeded his mother, Ann Lee*, *She lives in Tarn with her husband Orm Lee*."""
_NO_OTHER = re.compile(r"\b(?:and|or|that|who|whom|whose|which|because|when|while|if|as|an?|of|for) |^,")
"""In a clause of which *his* may mean somebody else, or says what is not so."""
_OF_COUPLE = re.compile(
    rf"(?P<couple>[;,] (?:and )?(?:they|the couple|with whom (?:he|she)|by whom (?:he|she))) (?:has|had|have) {_COUNT} {_YOUNG}{_KIN}"
    rf"(?:,|:| [–—-]|)(?: (?:named|called|namely|including))?:? {_LIST}(?!['’]){_END}"
)
"""*She married Orm Lee; they had two sons, Bo Lee and Cy Lee*."""
_ALSO_HAS = re.compile(
    rf"(?P<o>{_ONE}){_YEARS} (?:is|was) married to {_WHAT}(?P<with>{_ONE}),? and (?:(?:they|the couple|he|she) )?(?:has|had|have) {_COUNT} {_YOUNG}{_KIN}"
    rf"(?:,|:| [–—-]|)(?: (?:named|called|namely|including))?:? {_LIST}(?!['’]){_END}"
)
_WHOSE = re.compile(r"(?P<word>His|Her|Their)(?= [a-z])")
_THEY = re.compile(r"(?P<word>They|The couple)(?= (?:have|had|has) )")
_RULES = (
    ("is", _IS), ("married", _MARRIED), ("has", _HAS), ("has", _ALSO_HAS), ("called", _CALLED), ("beside", _BESIDE), ("own", _WITH_OWN),
)  # fmt: skip
_PERSON = re.compile(r"(?:[A-Z][\w.'’-]*)(?: (?:[A-Z][\w.'’-]*|of|the|de|van|von|der|da|af|av|ibn|bin))*")


def is_of_many(text: str) -> bool:
    """Whether a sentence begins with a word for the two of whom the sentence before tells: *Their*, *They*."""
    return text.startswith("Their ") or _THEY.match(text) is not None


class Families:
    """Reads the family relations in the sentences of one document."""

    def __init__(self, lexicon: Lexicon, types: NameTypes) -> None:
        self._lexicon = lexicon
        self._types = types
        self._couple: tuple[int, tuple[int, int]] | None = None
        """Who is married by the sentence before, with its paragraph."""

    def read(
        self, unit: Unit, spans: Sequence[NameSpan], whose: int | None, told: Collection[tuple[str, int, int | None]]
    ) -> Iterator[LexiconFact]:
        """The facts of a sentence that are not ``told`` yet; ``whose`` is whom a *His* or *Her* at its head means."""
        text = unit.content.text
        couple = self._couple[1] if self._couple is not None and self._couple[0] == unit.paragraph else None
        word = _WHOSE.match(text) or _THEY.match(text)
        spans = list(spans)
        owners: dict[int, tuple[int, ...]] = {}
        if word is not None and all(span.start >= word.end() for span in spans):
            many = is_of_many(text)
            if many and couple is None:
                return
            if many or whose is not None:
                means = couple if many else (whose,)
                owners[0] = tuple(one for one in means or () if one is not None)
                spans.insert(0, NameSpan(word.start("word"), word.end("word"), owners[0][0]))
        if len(spans) > 1:
            masked = with_marks(text, spans)
            if not is_unreal(masked):
                yield from self._facts(unit, spans, masked, owners, told)

    def note(self, unit: Unit, facts: Sequence[LexiconFact]) -> None:
        """Note who is married by the facts of a sentence, for one that begins with *Their*."""
        pairs = {frozenset((fact.subject, fact.object)) for fact in facts if fact.candidate.type == "SPOUSE_OF"}
        known = self._couple
        self._couple = None
        if len(pairs) == 1 and len(pair := sorted(one for one in next(iter(pairs)) if one is not None)) == 2:
            self._couple = (unit.paragraph, (pair[0], pair[1]))
        elif known is not None and known[0] == unit.paragraph and is_of_many(unit.content.text):
            self._couple = known

    def _facts(
        self,
        unit: Unit,
        spans: Sequence[NameSpan],
        masked: str,
        owners: dict[int, tuple[int, ...]],
        told: Collection[tuple[str, int, int | None]],
    ) -> Iterator[LexiconFact]:
        seen = set(told)
        couples = {frozenset((one, other)) for type_, one, other in told if type_ == "SPOUSE_OF" and other is not None}
        if len(couples) == 1 and len(pair := tuple(next(iter(couples)))) == 2:
            for found in _OF_COUPLE.finditer(masked):
                stated, marks = _KINDS[found["kin"]], mark_numbers(found["s"])
                for ref in [spans[mark].ref for mark in marks] if stated == "CHILD_OF" else ():
                    if ref in pair or not self._may_be_person(ref):
                        continue
                    self._show_person(ref)
                    for parent in pair:
                        seen.add((stated, ref, parent))
                        yield LexiconFact("families.couple", candidate_of(unit, stated, 0.8), ref, parent, unit)
        for rule, pattern in _RULES:
            for found in pattern.finditer(masked):
                (owner,) = mark_numbers(found["o"])
                parts = found.groupdict()
                if (clause := parts.get("clause")) and self._may_tell_of_others(clause, spans):
                    continue
                stated = _KINDS[found["kin"]] if "kin" in parts else "SPOUSE_OF"
                of = list(owners.get(owner, (spans[owner].ref,)))
                of += [spans[mark].ref for group in ("too", "with") for mark in mark_numbers(parts.get(group) or "")]
                if not all(self._may_be_person(ref) for ref in of):
                    continue
                if any(self._types.best(spans[mark].ref) == "Person" for mark in mark_numbers(parts.get("what") or "")):
                    continue  # "was Ann Lee mother Bob Ray": no one knows who is meant
                for mark in mark_numbers(found["s"]):
                    ref = spans[mark].ref
                    if not self._may_be_person(ref):
                        continue
                    for other in of:
                        pair = (other, ref) if stated.startswith("<") else (ref, other)
                        type_ = stated.removeprefix("<")
                        back = type_ != "CHILD_OF" and (type_, pair[1], pair[0]) in seen
                        if ref == other or (type_, *pair) in seen or back:
                            continue
                        seen.add((type_, *pair))
                        self._show_person(ref)
                        places = (spans[mark], spans[owner]) if pair[0] == ref else (spans[owner], spans[mark])
                        yield LexiconFact(
                            f"families.{rule}", candidate_of(unit, type_, 0.8), *pair, unit, places
                        )  # fmt: skip

    def _may_tell_of_others(self, clause: str, spans: Sequence[NameSpan]) -> bool:
        """Whether a clause between somebody and *his* or *her* may have another one whom that means."""
        if _NO_OTHER.search(clause) is not None:
            return True
        if any(self._types.best(spans[mark].ref) in ("Person", "") for mark in mark_numbers(clause)):
            return True
        return any(noun_type(word) == "Person" for word in re.findall(r"[a-z]+", clause))

    def _may_be_person(self, ref: int) -> bool:
        """Whether a name may be somebody's: nothing shows that it is something else, and it is no given name alone."""
        best, name = self._types.best(ref), self._types.name(ref)
        if best == "Person":
            return " " in name or self._types.is_given(ref) or self._lexicon.named[ref].linked
        return best in ("", "Concept") and " " in name and _PERSON.fullmatch(name) is not None and not name.isupper()

    def _show_person(self, ref: int) -> None:
        """Let whom the words call a wife or a son be a person, though the tagger saw no more than capitals."""
        if self._types.best(ref) != "Person" or not self._types.is_given(ref):
            self._types.show_person(ref)
