"""The names of one document: what its capitals, links and the gazetteer say, brought together.

Used by the extractor; pure. Every name is a ``Named`` with the evidence for its type; which of them become entities is
decided when the whole document was read, facts included.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kgfs.ingest.extraction import boundaries, context, evidence, names, tagging, words
from kgfs.ingest.extraction.gazetteer import Gazetteer, declarations
from kgfs.ingest.extraction.matching import Hit, Matcher, Tokens
from kgfs.ingest.extraction.places import (
    ABBREVIATIONS,
    ADMINISTRATIVE,
    ALIASES,
    DISTRICTS,
    ORDINALS,
    PERSON_LIKE,
    PLACES,
)
from kgfs.ingest.extraction.prose import code_names
from kgfs.ingest.extraction.tagging import Tagged
from kgfs.ingest.extraction.units import Unit
from kgfs.model import EntityCandidate, ParsedDocument

_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_ADDRESS = re.compile(r"\S*(?:://|\.\w+/|@)\S*|\b\w+(?:\.\w+)+\b")
_LOWER_WORD = re.compile(r"(?<![\w])[a-z]{2,}(?![\w])")
_PLACE_MATCHER: Matcher[str] = Matcher(
    [(name, name) for name in sorted(PLACES)] + [(alias, name) for name, found in ALIASES.items() for alias in found]
)
_NAME_TYPES = frozenset({"Organization", "Person", "Location", "Product", "Facility", "Law", "Event", "Work"})


@dataclass(slots=True)
class Named:
    """A name with its evidence."""

    name: str
    aliases: list[str] = field(default_factory=list)
    votes: dict[str, float] = field(default_factory=dict)
    """Type to the surest evidence for it."""
    declared: bool = False
    known: bool = False
    """The gazetteer has it."""
    linked: bool = False
    defined: bool = False
    """The text explains it: ``graphics processing units (GPUs)``."""
    count: int = 0
    mid: int = 0
    """How often it stands where a capital is no accident."""
    tags: Counter[str] = field(default_factory=Counter)
    """Type to how often the statistical tagger gave it, and the words around it."""
    clues: Counter[str] = field(default_factory=Counter)
    """Of these, what clear words around it gave."""

    def vote(self, type_: str, confidence: float) -> None:
        if type_:
            self.votes[type_] = max(self.votes.get(type_, 0.0), confidence)

    @property
    def best(self) -> tuple[str, float] | None:
        """The type with the surest evidence."""
        if not self.votes:
            return None
        type_ = max(sorted(self.votes), key=lambda key: self.votes[key])
        return type_, self.votes[type_]


@dataclass(slots=True)
class Span:
    """A name at ``text[start:end]`` of a plain sentence."""

    start: int
    end: int
    ref: int


class _Compiled:
    """A gazetteer ready for matching; kept as long as the same gazetteer object is used."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self.gazetteer = gazetteer
        self.exact: Matcher[int] = Matcher([])
        self.folded: Matcher[int] = Matcher([], ignore_case=True)
        self.by_key: dict[str, int] = {}
        for index, entry in enumerate(gazetteer.entries):
            self.by_key.setdefault(entry.name.casefold(), index)
        for index, entry in enumerate(gazetteer.entries):
            for name in (entry.name, *entry.aliases):
                self.by_key.setdefault(name.casefold(), index)
                if matches_any_case(name, entry.type):
                    self.folded.add(name, index)
                elif len(name) > 1:
                    self.exact.add(name, index)


_compiled: _Compiled | None = None


def compiled(gazetteer: Gazetteer) -> _Compiled:
    """The compiled form of ``gazetteer``, made once for the object that was used last."""
    global _compiled
    if _compiled is None or _compiled.gazetteer is not gazetteer:
        _compiled = _Compiled(gazetteer)
    return _compiled


def matches_any_case(name: str, type_: str) -> bool:
    """Whether a name is an ordinary phrase (``Wage Inflation``, a concept) that texts write in lower case too."""
    return type_ not in _NAME_TYPES and (" " in name or name.islower()) and len(name) > 3 and not any(
        part[1:] != part[1:].lower() for part in name.split()
    )  # fmt: skip


class Lexicon:
    """The names of one document."""

    def __init__(self, document: ParsedDocument, gazetteer: Gazetteer) -> None:
        self.named: list[Named] = []
        self.subject: int | None = None
        """The entity that the document declares itself to be about."""
        self._by_key: dict[str, int] = {}
        self._gazetteer = compiled(gazetteer)
        self._known: dict[int, int] = {}
        self._merged: dict[int, int] = {}
        text = document.text or ""
        self._lower = frozenset(_LOWER_WORD.findall(text))
        self.code: frozenset[str] = frozenset()
        """Names that stand in code: what is spelled like them is none of ours."""
        self._headings: frozenset[str] = frozenset()
        self._heading_words: frozenset[str] = frozenset()
        self.prose: frozenset[str] = frozenset()
        """The lower-case words of the sentences, without those of addresses and code."""
        self._reserve = "Federal Reserve" in text
        self._extra: Matcher[str] = Matcher(_districts() if self._reserve else [])
        self._definitions: Matcher[int] = Matcher([])
        self._own: Matcher[int] = Matcher([])
        self._own_folded: Matcher[int] = Matcher([], ignore_case=True)
        for candidate in declarations(document):
            self.subject = self._declare(candidate)

    # --- entries -----------------------------------------------------------------------------------------------

    def _declare(self, candidate: EntityCandidate) -> int:
        entry = self._gazetteer.by_key.get(candidate.name.casefold())
        ref = self._from_gazetteer(entry) if entry is not None else self.get(candidate.name)
        named = self.named[ref]
        named.declared = True
        named.votes = {candidate.type: 1.0}
        self.alias(ref, *candidate.aliases)
        for name in (candidate.name, *candidate.aliases):
            matcher = self._own_folded if matches_any_case(name, candidate.type) else self._own
            matcher.add(name, ref)
        return ref

    def get(self, name: str) -> int:
        """The entry of ``name``, made when there is none."""
        key = name.casefold()
        ref = self._by_key.get(key)
        if ref is None:
            entry = self._gazetteer.by_key.get(key)
            if entry is not None:
                return self._from_gazetteer(entry)
            ref = len(self.named)
            self.named.append(Named(name))
            self._by_key[key] = ref
        return ref

    def find(self, name: str) -> int | None:
        """The entry of ``name``, if there is one here."""
        return self._by_key.get(name.casefold())

    def alias(self, ref: int, *aliases: str) -> None:
        """Give an entry more names; a name that another entry has stays with it."""
        named = self.named[ref]
        for alias in aliases:
            if self._by_key.setdefault(alias.casefold(), ref) == ref and alias not in (named.name, *named.aliases):
                named.aliases.append(alias)

    def _from_gazetteer(self, index: int) -> int:
        ref = self._known.get(index)
        if ref is None:
            entry = self._gazetteer.gazetteer.entries[index]
            ref = self._by_key.get(entry.name.casefold(), -1)
            if ref < 0:
                ref = len(self.named)
                self.named.append(Named(entry.name))
                self._by_key[entry.name.casefold()] = ref
            self._known[index] = ref
            named = self.named[ref]
            named.known = True
            named.vote(entry.type, 1.0 if entry.declared else 0.8)
            self.alias(ref, *entry.aliases)
        return ref

    def place(self, name: str) -> int:
        """The entry of a place of the built-in list; the gazetteer's own entry where it has the name."""
        ref = self.get(name)
        if not self.named[ref].known:
            self.named[ref].vote("Location", 0.85)
            self.alias(ref, *ALIASES.get(name, ()))
        return ref

    # --- a sentence --------------------------------------------------------------------------------------------

    def spans(self, unit: Unit, tagged: Tagged | None = None) -> list[Span]:
        """The names in a unit; only known ones in headings, rows and code, whose capitals show nothing.

        ``tagged`` is what the statistical tagger says of a sentence.
        """
        text = unit.content.text
        taken: list[Span] = []
        for link in unit.content.links:
            ref = self._link(link.target, text[link.start : link.end]) if link.wiki else None
            if ref is not None and link.end > link.start:
                taken.append(Span(link.start, link.end, ref))
        hits = self._hits(text)
        candidates = names.candidates(text) if unit.kind == "sentence" else self._heading_name(unit)
        if tagged is not None:
            candidates = boundaries.proposals(text, candidates, tagged.names, tagged.quantities)
        for candidate in candidates:
            start, end = candidate.start, candidate.end
            if _overlaps(taken, start, end):
                # A link inside the capitals ("[[DeepMind]] Technologies") wins; what is around it is dropped.
                continue
            inside = [hit for hit in hits if hit.start >= start and hit.end <= end]
            outer = [hit for hit in hits if hit.start <= start and hit.end >= end and hit.end - hit.start > end - start]
            if outer:
                continue
            covered = [(hit.start, hit.end) for hit in inside]
            if inside and names.qualified(text, covered, start, end):
                if tagged is not None and len(inside) == 1 and candidate.tag == "Location":
                    hits = [hit for hit in hits if hit not in inside]
                    taken.append(Span(start, end, inside[0].key))
                continue
            known = self.find(candidate.text)
            if inside and known is None and self._mere(text, candidate, inside):
                continue
            if known is None and not self._plausible(candidate, unit):
                continue
            if tagged is not None and known is None and self._is_label(candidate):
                continue
            ref = self._entry(candidate, tagged is not None) if known is None else known
            self._note(ref, candidate)
            if tagged is not None:
                self._note_tag(ref, candidate, text)
            hits = [hit for hit in hits if hit.end <= start or hit.start >= end]
            taken.append(Span(start, end, ref))
        for hit in hits:
            if not _overlaps(taken, hit.start, hit.end):
                taken.append(Span(hit.start, hit.end, hit.key))
        taken.sort(key=lambda span: span.start)
        for span in taken:
            self.named[span.ref].count += 1
        if unit.kind == "sentence":
            self._short_forms(text, taken)
        return taken

    def _hits(self, text: str) -> list[Hit[int]]:
        tokens = Tokens(text)
        found: list[Hit[int]] = [*self._own.find(tokens), *self._own_folded.find(tokens)]
        for hit in (*self._gazetteer.exact.find(tokens), *self._gazetteer.folded.find(tokens)):
            found.append(Hit(hit.start, hit.end, self._from_gazetteer(hit.key)))
        found += self._definitions.find(tokens)
        districts = self._extra.find(tokens)
        for district in districts:
            self.alias(self.place(district.key), text[district.start : district.end])
        places = [*_PLACE_MATCHER.find(tokens), *districts]
        for place in places:
            following = text[place.end : place.end + 2]
            if place.key in PERSON_LIKE and re.match(r" [A-Z]", following):
                continue
            end = place.end
            if text[end : end + 1] == "." and "." in text[place.start : end]:
                end += 1  # of "U.S.", which is known without its last sign
            found.append(Hit(place.start, end, self.place(place.key)))
        found.sort(key=lambda hit: (-(hit.end - hit.start), hit.start))
        chosen: list[Hit[int]] = []
        for hit in found:
            if all(hit.end <= other.start or hit.start >= other.end for other in chosen):
                chosen.append(hit)
        chosen.sort(key=lambda hit: hit.start)
        return chosen

    def _heading_name(self, unit: Unit) -> list[names.Candidate]:
        """The whole heading, when its words show an organisation or a law."""
        if unit.kind != "heading":
            return []
        text = unit.content.text
        if not re.search(r" (?:of|for) | (?:Inc|Corp|Ltd|LLC)\b", text) or len(text.split()) > 8:
            return []
        found = names.candidates(text)
        if len(found) != 1 or found[0].text != text or (names.cue(text) or ("", 0.0))[0] != "Organization":
            return []
        return [names.Candidate(0, len(text), text, False)]

    def _mere(self, text: str, candidate: names.Candidate, inside: list[Hit[int]]) -> bool:
        """Whether a known name with more capitals around it is better read as the known name alone."""
        if names.cue(candidate.text, candidate.titled) is not None:
            return False
        # An opening word before a known name: "Both Google", "Still Boston".
        first = inside[0]
        if candidate.initial and first.start > candidate.start and first.end == candidate.end:
            head = text[candidate.start : first.start].strip()
            return head.lower() in words.NOT_NAMES or head.lower() in self._lower
        return False

    def _plausible(self, candidate: names.Candidate, unit: Unit) -> bool:
        text = candidate.text
        if " " in text or candidate.tag == "Group":
            return True
        lowered = text.lower()
        if lowered in words.NOT_NAMES or lowered in words.WEAK_STARTS or text in words.DEMONYMS or len(text) < 2:
            return False
        if text in words.ORGANIZATION_HEADS or text in words.ROLE_WORDS or text in words.GIVEN_NAMES:
            return False
        return not (candidate.initial and (lowered in self._lower or _is_inflected(lowered, self._lower)))

    def _note(self, ref: int, candidate: names.Candidate) -> None:
        named = self.named[ref]
        if not candidate.initial or " " in candidate.text:
            named.mid += 1
        found = names.cue(candidate.text, candidate.titled)
        if found is not None and not named.known and not named.declared:
            named.vote(*found)

    def _entry(self, candidate: names.Candidate, tagged: bool) -> int:
        """The entry of a new name; that of the state which it is short for."""
        state = ABBREVIATIONS.get(candidate.text.rstrip("."))
        if tagged and state is not None and candidate.text.endswith("."):
            return self.place(state)
        return self.get(candidate.text)

    def _note_tag(self, ref: int, candidate: names.Candidate, text: str) -> None:
        """Count what the tagger and the words around a name say of it."""
        tags = self.named[ref].tags
        if candidate.tag == "Person" and context.with_article(text, candidate.start):
            plural = candidate.text.endswith("s") and " " not in candidate.text
            tags["Group" if plural else "Organization"] += 1
        elif candidate.tag:
            tags[candidate.tag] += 1
        for type_, count in context.clues(text, candidate.start, candidate.end, candidate.tag):
            tags[type_] += count
            if count >= context.CLUE:
                self.named[ref].clues[type_] += count

    def _is_label(self, candidate: names.Candidate) -> bool:
        """Whether capitals are an identifier of code, or an ordinary word that the tagger takes for no name."""
        return candidate.text in self.code or (not candidate.tag and _ordinary(candidate.text))

    def common(self, name: str) -> bool:
        """Whether a name of one word is also a plain word of this document: ``Property``, beside ``property``."""
        lowered = name.lower()
        if " " in name or not tagging.is_word(lowered):
            return False
        return lowered in self.prose or lowered + "s" in self.prose or lowered.removesuffix("s") in self.prose

    def is_label(self, named: Named) -> bool:
        """Whether a name that only the tagger vouches for is more likely a heading or a technical term.

        In documents with code the tagger takes terms for persons and places: there the words around them must agree.
        """
        best = named.best
        if best is None or named.clues.get(best[0]) or names.cue(named.name) is not None or named.linked:
            return False
        lowered = named.name.casefold()
        plain = all(map(tagging.is_word, lowered.split()))
        first = lowered.split()[0]
        several = " " in lowered
        if several and first.endswith("ing") and tagging.is_word(first):
            return True
        if lowered in self._headings and (plain or self.code) and (several or tagging.is_verb_or_adjective(lowered)):
            return True
        if not self.code or not evidence.SYSTEMS.isdisjoint(named.name.split()):
            return False
        if best[0] in ("Person", "Location", "Facility", "Work"):
            return True
        return not several and (
            tagging.is_verb_or_adjective(lowered)
            or lowered in self._heading_words
            or _INNER_CAPITAL.search(named.name) is not None
        )

    def read_words(self, units: Sequence[Unit]) -> None:
        """Learn which lower-case words the sentences hold, and which names are code."""
        self.code = code_names(units)
        found: set[str] = set()
        for unit in units:
            if unit.kind == "sentence":
                found.update(_LOWER_WORD.findall(_ADDRESS.sub(" ", unit.content.text)))
        self.prose = frozenset(found)
        headings = {unit.content.text.strip().casefold() for unit in units if unit.kind == "heading"}
        for unit in units:
            text = unit.content.text
            headings.update(text[link.start : link.end].casefold() for link in unit.content.links if not link.wiki)
        self._headings = frozenset(headings)
        self._heading_words = frozenset(
            word for unit in units if unit.kind == "heading" for word in unit.content.text.lower().split()
        )

    def settle_types(self) -> None:
        """Let what the tagger said of each name in all sentences count as evidence for its type."""
        for named in self.named:
            if named.name and named.tags and not named.known and not named.declared:
                evidence.settle(named, self.prose)

    def _link(self, target: str, label: str) -> int | None:
        """The entry that a wikilink points to. Its label is another name when it looks like one."""
        name = target.partition("#")[0].strip()
        if not name:
            return None
        name = re.sub(r"\.(?:md|markdown|html?)$", "", name.rsplit("/", 1)[-1])
        if self._gazetteer.by_key.get(name.casefold()) is None and name == name.lower() and label[:1].isupper():
            name = label
        if not name or re.search(r"\.\w{2,4}$", name):
            return None
        ref = self.get(name)
        named = self.named[ref]
        named.linked = True
        if not named.known and not named.votes:
            found = names.cue(name)
            if found is not None:
                named.vote(*found)
        if label != name and label[:1].isupper() and len(label) <= 60 and self.find(label) is None:
            self.alias(ref, label)
        return ref

    def _short_forms(self, text: str, spans: list[Span]) -> None:
        """Take ``Name (ABC)``, ``ABC (Name)`` and ``the long phrase (TLP)`` as saying that two names are one."""
        if "(" not in text:
            return
        for opening, short in names.bracketed(text):
            before = [span for span in spans if span.end <= opening and not text[span.end : opening].strip()]
            if before:
                ref = before[-1].ref
                long = text[before[-1].start : before[-1].end]
                if names.stands_for(short, long) or names.stands_for(short, self.named[ref].name):
                    self._equate(ref, short)
                elif names.stands_for(long, short) and short[:1].isupper():
                    self._equate_long(ref, long, short)
                continue
            phrase = names.defined_phrase(text, opening, short)
            if phrase is not None and self.find(phrase) is None:
                self._define(phrase, short)

    def _define(self, phrase: str, short: str) -> None:
        """A term that the text explains: ``graphics processing units (GPUs)``."""
        other = self.find(short)
        if other is not None and (self.named[other].known or self.named[other].votes):
            return
        ref = self.get(phrase)
        named = self.named[ref]
        named.defined = True
        named.count += 1
        named.vote("Concept", 0.6)
        if other is not None:
            self.merge(other, ref)
        self.alias(ref, short)
        self._definitions.add(phrase, ref)
        self._definitions.add(short, ref)

    def _equate(self, ref: int, short: str) -> None:
        other = self.find(short)
        if other is None or other == ref:
            self.alias(ref, short)
        elif not self.named[other].known and not self.named[other].declared:
            self.merge(other, ref)
        self._definitions.add(short, ref)
        if self.named[ref].best is None and " " in self.named[ref].name:
            if self.named[ref].name.split()[-1] in words.ORGANIZATION_HEADS and len(self.named[ref].name.split()) > 2:
                self.named[ref].vote("Organization", 0.8)
                return
            # A name with an acronym but without a word that shows a type is a term that the text explains.
            self.named[ref].vote("Concept", 0.5)
            self.named[ref].defined = True

    def _equate_long(self, ref: int, short: str, long: str) -> None:
        """``ABC (Long Name)``: the long name is the entity's."""
        named = self.named[ref]
        if named.known or named.declared:
            self.alias(ref, long)
            return
        other = self.find(long)
        if other is not None and other != ref:
            self.merge(ref, other)
            self._definitions.add(short, other)
            return
        if other is None:
            named.aliases.append(named.name)
            named.name = long
            self._by_key[long.casefold()] = ref
        found = names.cue(long)
        named.vote(*(found or ("Concept", 0.5)))
        named.defined = named.defined or found is None
        self._definitions.add(short, ref)

    def merge(self, gone: int, kept: int) -> None:
        """Make two entries one; spans that name the first are read as the second by ``resolved``."""
        source, target = self.named[gone], self.named[kept]
        for alias in (source.name, *source.aliases):
            self._by_key[alias.casefold()] = kept
            if alias not in (target.name, *target.aliases):
                target.aliases.append(alias)
        for type_, confidence in source.votes.items():
            if not target.known and not target.declared:
                target.vote(type_, confidence)
        target.count += source.count
        target.tags += source.tags
        target.clues += source.clues
        target.linked = target.linked or source.linked
        source.aliases = []
        source.name = ""
        self._merged[gone] = kept

    def resolved(self, ref: int) -> int:
        """The entry that ``ref`` is now, after merging."""
        while ref in self._merged:
            ref = self._merged[ref]
        return ref

    # --- the whole document ------------------------------------------------------------------------------------

    def join_short_names(self) -> None:
        """A surname is the person, ``Cumulus`` is ``Cumulus Networks``: where only one long name fits."""
        surnames: Counter[str] = Counter()
        holders: dict[str, int] = {}
        for ref, named in enumerate(self.named):
            best = named.best
            if best is None or not named.name or " " not in named.name:
                continue
            parts = named.name.split()
            if best[0] == "Person":
                short = parts[-1]
            elif best[0] == "Organization" and best[1] >= 0.75 and not named.known and " of " not in named.name:
                short = parts[0].rstrip(",")
                if short in PLACES or short in words.DEMONYMS or short in words.GIVEN_NAMES or len(parts) != 2:
                    continue
                if parts[1] in words.GENERIC_HEADS:
                    continue
                if short.lower() in words.NOT_NAMES or short.lower() in self._lower:
                    continue
            else:
                continue
            if len(short) > 2:
                surnames[short] += 1
                holders[short] = ref
        for short, count in surnames.items():
            found = self.find(short)
            holder = holders[short]
            if count != 1 or found is None or found == holder:
                continue
            other, best = self.named[found], self.named[holder].best
            if other.known or other.declared or other.linked or best is None:
                continue
            if other.best is None or other.best[0] == best[0] or evidence.only_tagged(other):
                self.merge(found, holder)

    def in_state(self, text: str, spans: list[Span]) -> None:
        """``Cupertino, California``: a name before a state or a country is a place."""
        for span, following in pairwise(spans):
            between = text[span.end : following.start]
            named = self.named[self.resolved(span.ref)]
            if (
                between == ", "
                and self.named[self.resolved(following.ref)].name in ADMINISTRATIVE
                and not named.known
                and (named.name not in PLACES)
            ):
                lead = text[max(0, span.start - 6) : span.start]
                if named.tags and (names.cue(named.name) or ("Location",))[0] == "Location":
                    named.tags["Location"] += context.CLUE
                    named.clues["Location"] += context.CLUE
                if named.best is None and re.search(r"\b(?:in|of|at|from|to|near) $", lead):
                    named.vote("Location", 0.75)


def _ordinary(name: str) -> bool:
    """Whether an untagged single capital is a word of the language: a label, an emphasis, no name that we know."""
    return not re.search(r"[\s-]", name) and names.cue(name) is None and tagging.is_word(name.lower().strip(".,"))


def _is_inflected(word: str, vocabulary: frozenset[str]) -> bool:
    """Whether another form of a word stands in lower case: ``Wheat futures`` does not name ``Hopes``."""
    stems = {word + "s", word + "es", word.removesuffix("s"), word.removesuffix("ed"), word.removesuffix("ing")}
    stems |= {word.removesuffix("ly"), word + "d", word + "ed", word + "ing", word + "ly"}
    return any(len(stem) > 3 and stem in vocabulary for stem in stems if stem != word)


def _overlaps(spans: list[Span], start: int, end: int) -> bool:
    return any(span.start < end and start < span.end for span in spans)


def _districts() -> list[tuple[str, str]]:
    """What reports of the Federal Reserve call its Districts, each by its city."""
    pairs = []
    for ordinal, city in zip(ORDINALS, DISTRICTS, strict=True):
        pairs += [(f"{ordinal} District", city), (f"{city} District", city)]
    return pairs
