"""Who uses, funds, sponsors or hosts a project: lists and tables of adopters and sponsors, sentences that thank for money.

Used by the fact reader; pure. Beneath *Who uses Lumen?* each item begins with an organization, whatever it is called.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from kgfs.documents.records.record import key_word
from kgfs.documents.records.text_tables import RULE, row_cells
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of, quote_from
from kgfs.extraction.facts.marks import MARK, OPEN, mark_numbers, with_marks
from kgfs.extraction.facts.meeting_notes.attendees import plain_entry
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.sentences.relations import is_unreal
from kgfs.extraction.facts.structured.listed_names import employer_entry
from kgfs.extraction.facts.structured.roster_titles import plain_title
from kgfs.extraction.facts.structured.structure import FORMER
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.wordlists.firms import FIRMS
from kgfs.extraction.units import Unit
from kgfs.relation_types import may_join

_E = MARK
_BEFORE = r"(?:(?:a|the|list|of|our|current|notable|known|public|some|early|production|financial|project|community|fiscal|industry) )*"
_LISTS = (
    ("USES", re.compile(rf"{_BEFORE}(?:(?P<x>\S+(?: \S+){{0,2}}) )?adopters(?: of (?P<y>.+))?|{_BEFORE}(?:end )?users(?: of (?P<z>.+))?|who(?: is|['’]s| else)? us(?:es|ing) (?P<v>[^?]+)|used by|in use at|"
                        r"(?:companies|organi[sz]ations|institutions|projects|teams)(?: that| which| who)?(?: currently)?(?: are)? us(?:e|ing) (?P<w>.+)")),
    ("FUNDS", re.compile(rf"{_BEFORE}(?:funders|funded by|funding(?: (?:sources|partners|organi[sz]ations))?|donors|grants|financial support)")),
    ("SPONSORS", re.compile(rf"{_BEFORE}(?:(?:platinum|gold|silver|bronze|diamond|corporate|institutional|main|premier|fiscal) )*(?:sponsors|sponsored by|supporters|backers)")),
    ("PARTNERED_WITH", re.compile(rf"{_BEFORE}(?:(?:institutional|corporate|delivery|technology|strategic|research) )*partners")),
)  # fmt: skip
"""What a heading says of the organizations beneath it, and, in a group, of what they use."""
_COLUMNS = frozenset(
    "organization organisation company adopter user name institution project sponsor funder partner customer".split()
)
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_NAME_ENDS = re.compile(r"\s*(?:[:(,|]|\s[-–—]\s|\s(?:is|are|uses?|has|have|provides?|who|which|for|in)\s|$)")
_NAME = re.compile(r"[A-Z0-9][\w&.'’+-]*(?: (?:of|for|the|and|&|de|[A-Z0-9][\w&.'’+-]*)){0,6}")
_LINK = re.compile(r"\W{0,4}!?\[[^\]\n]{2,60}\]\(<?https?://(?P<host>[^/)\s]+)")
_CODE_HOSTS = (
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "docs.google.com",
    "youtube.com",
    "twitter.com",
    "linkedin.com",
)
FEW = 2
"""So many organizations make a list."""
MOST_FACTS = 400
"""Of a document."""

_NAMES = rf"(?:the )?(?P<o>{_E}(?:(?:, and (?:the )?|, (?:the )?| and (?:the )?| & ){_E})*)"
_OWN = (
    r"(?:[Tt]his|[Tt]he|[Oo]ur) (?:project|work|initiative|effort|programme|program|software|package|community|development)|[Ww]e|[Ii]t|[Dd]evelopment(?: of (?:the )?(?P<d>"
    + _E
    + r"))?"
)
_SUBJECT = rf"(?:[Tt]he )?(?:(?P<s>{_E})(?: (?:project|community|foundation|package))?|{_OWN})"
_PROJECT = re.compile(r"\W*(?:[Tt]his|[Oo]ur) (?:project|work|initiative|effort|programme|program|software|package)\b")
_HOW = r"(?:(?:currently|also|generously|partially|partly|fully|kindly|fiscally|financially|primarily|mainly|originally|initially|now|proudly|further) )*"
_BY = r"(?: in part| financially| generously)?(?: by|(?: with| through| by) (?:an? |the )?(?:generous )?(?:financial )?(?:grants?|funding|donations?|support|sponsorship|contributions?|awards?)(?: [a-z]+){0,3}? (?:from|by))"
_SENTENCES = (
    ("FUNDS", re.compile(rf"^\W*{_SUBJECT} (?:is|are|was|were|has been|have been|being) {_HOW}(?:funded|financed|bankrolled){_BY} {_NAMES}")),
    ("SPONSORS", re.compile(rf"^\W*{_SUBJECT} (?:is|are|was|were|has been|have been|being) {_HOW}sponsored{_BY} {_NAMES}")),
    ("SPONSORS", re.compile(rf"^\W*{_SUBJECT} (?:is|are|was|became) {_HOW}(?:an? |the |one of the )?(?:[a-z-]+ )?(?i:(?:fiscally )?sponsored projects?) (?:of|at|by|with|under) {_NAMES}")),
    ("FUNDS", re.compile(rf"^\W*{_SUBJECT} (?:is|are|was|were|has been|have been|being) {_HOW}(?:supported|made possible|backed)(?: in part)? (?:by|through|with) (?:an? |the )?(?:generous )?(?:financial )?(?:grants?|funding|donations?|funds|sponsorship|awards?)(?: [a-z]+){{0,3}}? (?:from|by) {_NAMES}")),
    ("FUNDS", re.compile(rf"^\W*{_SUBJECT} (?:{_HOW})(?:receives?|received|has received|have received|gets?|got|was awarded|is grateful for|are grateful for) (?:an? |the )?(?:[\w$.,-]+ ){{0,4}}?(?:funding|grants?|financial support|donations?|sponsorship|funds|award)(?: support| money)?(?: (?:for|of) [$€£]?[\d.,]+(?: [kKmM]illion)?| for [a-z ]{{3,40}}?)? from {_NAMES}")),
    ("FUNDS", re.compile(rf"\b(?:grateful to|thanks? to|thank|acknowledge) {_NAMES} for (?:their |its |the |providing )*(?:generous |financial |continued |ongoing )*(?:funding|financial support|grants?|donations?|financing)")),
    ("SPONSORS", re.compile(rf"\b(?:grateful to|thanks? to|thank|acknowledge) {_NAMES} for (?:their |its |the )*(?:generous |kind |continued )*(?:sponsorship|sponsoring)")),
)  # fmt: skip
_ADOPTERS = re.compile(
    rf"^\W*(?:(?:[A-Z][^.;:?{OPEN}]{{0,60}}, )?(?:the |our |its |other |some |several )?(?:(?:major|notable|early|current|key|known|main|large|public|existing|other|production|prominent) )*(?:adopters|users|customers)(?: of (?:the )?(?P<s>{_E}))? (?:currently |now |already )?include"
    rf"|.{{0,120}}?[.;:,] (?:and )?(?:(?:major|notable|early|current|key|known|main) )+(?:adopters|users) include):? {_NAMES}(?=[^\w\s]|$)",
    re.I,
)
"""``Major adopters include ⟨Kestrel⟩, ⟨Tarn⟩ and ⟨Acme⟩``."""
_ADOPTING = re.compile(
    rf"^\W*(?P<s>{_E})[*_`]*(?::[*_`]*| [-–—]) (?:[Cc]urrently |[Nn]ow )?(?:(?P<using>[Uu]sing|[Uu]ses|[Ll]everaging|[Uu]tili[sz]ing)|[Pp]iloting|[Aa]dopting|[Aa]dopted|[Hh]as adopted)(?: the)? (?P<o>{_E})(?=[^\w\s]|$| (?:for|to|in|as|across|with|via|on)\b)"
)
"""An item on who adopts something: ``**Kestrel**: Adopting ⟨Lumen⟩ for its packages``."""
_ROLE = re.compile(
    rf"^\W*(?:The )?(?P<o>{_E}),? (?:is|acts as|serves as) (?:now |currently )?(?:an? |the |our |one of the |(?P<p>{_E})[’']s )(?:[a-z]+ ){{0,2}}?(?P<how>fiscal sponsor|sponsor|funder|fiscal host)(?: (?:of|for) (?:the )?(?:(?P<s>{_E})|{_OWN}))?"
)
_HOWS = {"fiscal sponsor": "SPONSORS", "sponsor": "SPONSORS", "funder": "FUNDS", "fiscal host": "HOSTS"}


class _Listed(NamedTuple):
    unit: Unit
    name: str
    sure: bool
    """A link to a site of its own, or an organization that is known."""


class Supporters:
    """Reads one document; ``about`` is the entity that a section is about."""

    def __init__(
        self,
        lexicon: Lexicon,
        types: NameTypes,
        units: Sequence[Unit],
        spans: Sequence[Sequence[NameSpan]],
        about: Callable[[Sequence[str]], int | None],
    ) -> None:
        self._lexicon, self._types, self._units, self._spans = lexicon, types, units, spans
        self._about = about

    def read(self) -> list[LexiconFact]:
        """The facts, in order of the units."""
        found: list[LexiconFact] = []
        for headings, section in groupby(self._units, key=lambda unit: unit.headings):
            if headings and not any(map(FORMER.search, headings)):
                found += self._section(headings, list(section))
        for unit, spans in zip(self._units, self._spans, strict=True):
            if unit.kind in ("sentence", "row") and spans and not is_unreal(unit.content.text):
                found += self._adopting(unit, spans)
                if unit.kind == "sentence":
                    found += self._sentence(unit, spans)
        return found[:MOST_FACTS]

    # --- lists and tables ------------------------------------------------------------------------------------------

    def _section(self, headings: tuple[str, ...], units: Sequence[Unit]) -> Iterator[LexiconFact]:
        plain = plain_title(headings[-1])
        type_, title = next(
            ((type_, found) for type_, pattern in _LISTS if (found := pattern.fullmatch(plain)) is not None), ("", None)
        )
        if title is None:
            return
        listed = list(self._listed(units))
        enough = 2 if plain.endswith("users") else 3
        if len(listed) < FEW or sum(one.sure for one in listed) * enough < len(listed):
            return
        named = next((said for said in title.groupdict().values() if said), "")
        subject = self._project(headings, named)
        if subject is None:
            return
        opening = units[0] if units[0].kind == "heading" else None
        for one in listed:
            ref = employer_entry(self._lexicon, one.name)
            if ref is None or ref == subject:
                continue
            ends = ("Organization", self._types.given_type(subject))
            fits = may_join(type_, *ends) or (type_ == "SPONSORS" and may_join("FUNDS", *ends))
            if fits:
                candidate = candidate_of(one.unit, type_ if may_join(type_, *ends) else "FUNDS", 0.8)
                if opening is not None:
                    quote_from(candidate, opening, one.unit)
                yield LexiconFact("supporters.listed", candidate, ref, subject, one.unit)

    def _listed(self, units: Sequence[Unit]) -> Iterator[_Listed]:
        """The organizations with which items and rows begin; nothing of what is none by its look."""
        column: int | None = None
        for place, unit in enumerate(units):
            if unit.kind == "row" and "|" in unit.quote:
                below = units[place + 1].quote.rstrip("\n") if place + 1 < len(units) else ""
                if RULE.fullmatch(below):
                    words = [key_word(cell) for cell in row_cells(unit.quote)]
                    column = next((at for at, word in enumerate(words) if word in _COLUMNS), None)
                elif not RULE.fullmatch(unit.quote.rstrip("\n")) and column is not None:
                    cells = unit.quote.strip().strip("|").split("|")
                    if column < len(cells) and (one := self._entry(unit, cells[column])) is not None:
                        yield one._replace(sure=True)
                continue
            line = unit.chunk.text[unit.chunk.text.rfind("\n", 0, unit.start) + 1 : unit.end]
            if unit.kind in ("sentence", "row") and _ITEM.match(line) and not line[:1].isspace():
                one = self._entry(unit, _ITEM.sub("", line, count=1))
                if one is not None:
                    yield one

    def _entry(self, unit: Unit, said: str) -> _Listed | None:
        plain = plain_entry(said)
        end = _NAME_ENDS.search(plain)
        name = plain[: end.start()].strip() if end is not None else plain
        if not name or _NAME.fullmatch(name) is None or len(name) > 60 or FORMER.search(plain):
            return None
        link = _LINK.match(said)
        known = self._lexicon.known_entry(name)
        body = known is not None and self._types.given_type(self._lexicon.resolved(known)) == "Organization"
        body = body or name in FIRMS
        own = link is not None and not link["host"].endswith(_CODE_HOSTS)
        if self._lexicon.is_word(name) and not (own or body):
            return None
        return _Listed(unit, name, body or own)

    def _project(self, headings: tuple[str, ...], named: str) -> int | None:
        """What is used or funded: what the heading names, else what the section or the page is about, else *us*."""
        if named:
            known = self._lexicon.known_entry(named)
            if known is not None:
                return self._lexicon.resolved(known)
        return self._own(headings[:-1])

    def _own(self, headings: Sequence[str]) -> int | None:
        """What *this project* is."""
        ref = self._about(headings)
        if ref is not None and self._types.given_type(self._lexicon.resolved(ref)) not in (PAGE, "Person", "Concept"):
            return self._lexicon.resolved(ref)
        return self._lexicon.speaker()

    def _adopting(self, unit: Unit, spans: Sequence[NameSpan]) -> Iterator[LexiconFact]:
        """What an item says that somebody adopts."""
        found = _ADOPTING.match(with_marks(unit.content.text, spans))
        if found is not None:
            type_ = "USES" if found["using"] else "PILOTS" if "iloting" in found[0] else "ADOPTED"
            yield from self._given(type_, unit, spans, found["o"], found["s"])

    # --- sentences -------------------------------------------------------------------------------------------------

    def _sentence(self, unit: Unit, spans: Sequence[NameSpan]) -> Iterator[LexiconFact]:
        masked = with_marks(unit.content.text, spans)
        role = _ROLE.match(masked)
        if role is not None:
            of = role["s"] or role["p"] or role["d"]
            if of or role[0].endswith(("project", "work")) or re.search(r" our ", role[0]):
                yield from self._given(_HOWS[role["how"]], unit, spans, of, role["o"])
        adopters = _ADOPTERS.match(masked)
        if adopters is not None and (adopters["s"] or self._is_of_thing(unit)):
            yield from self._given("USES", unit, spans, adopters["s"], adopters["o"])
        for type_, pattern in _SENTENCES:
            for found in pattern.finditer(masked):
                groups = found.groupdict()
                yield from self._given(type_, unit, spans, groups.get("s") or groups.get("d"), found["o"])

    def _is_of_thing(self, unit: Unit) -> bool:
        """Whether a unit stands in a section or on a page about what has adopters, and not about a body."""
        ref = self._about(unit.headings)
        return ref is not None and self._types.given_type(self._lexicon.resolved(ref)) not in (
            PAGE,
            "Person",
            "Organization",
        )

    def _given(
        self, type_: str, unit: Unit, spans: Sequence[NameSpan], to: str | None, givers: str
    ) -> Iterator[LexiconFact]:
        subject = spans[mark_numbers(to)[0]].ref if to else self._own(unit.headings)
        if subject is None:
            return
        if not to and _PROJECT.match(unit.content.text) and self._types.given_type(subject) == "Organization":
            return  # what they did who speak, and not they
        for mark in mark_numbers(givers):
            ref = spans[mark].ref
            best = self._types.best(ref)
            if not best and not self._lexicon.is_word(self._types.name(ref)):
                self._lexicon.named[ref].vote("Organization", 0.75)
            ends = (self._types.given_type(ref), self._types.given_type(subject))
            if type_ in ("ADOPTED", "PILOTS") and not may_join(type_, *ends):
                type_ = "USES"  # software adopts nothing
            if ref != subject and ends[0] != "Concept" and may_join(type_, *ends):
                yield LexiconFact("supporters.said", candidate_of(unit, type_, 0.8), ref, subject, unit)
