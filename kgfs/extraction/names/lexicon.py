"""The names of one document: what its capitals, links and the gazetteer say, brought together.

Used by the extractor; pure. Every name is a ``NameFindings`` with the evidence for its type; which of them become
entities is decided when the whole document was read, facts included.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

import msgspec

from kgfs.documents.dates import MONTH_NAMES
from kgfs.documents.identifiers import series_of
from kgfs.extraction.links import path_keys
from kgfs.extraction.names import boundaries, capitals, fragments, meant, namesakes, tagging
from kgfs.extraction.names.context_clues import CLUE
from kgfs.extraction.names.declared.gazetteer import declared_entities, document_page, document_subject
from kgfs.extraction.names.declared.known_names import (
    BASE,
    PLACE_MATCHER,
    compile_gazetteer,
    district_names,
    is_base,
    is_mere_heading,
    spellings,
    words_of_bracket,
)
from kgfs.extraction.names.declared.own_words import own_name
from kgfs.extraction.names.declared.page_names import PAGE, page_keys
from kgfs.extraction.names.declared.titles import is_other_name, is_part, linked_name
from kgfs.extraction.names.matching import Matcher, NameMatch, Tokens
from kgfs.extraction.names.named import NameFindings, NameSpan, matches_any_case
from kgfs.extraction.names.people import posts
from kgfs.extraction.names.people.initials import Initials
from kgfs.extraction.names.recut import recut
from kgfs.extraction.names.tag_notes import note_tag
from kgfs.extraction.names.tagging import TaggedSentence
from kgfs.extraction.names.whole_names import whole_names
from kgfs.extraction.names.wording import Wording, is_inflected, is_opening_verb, is_phrase, is_untagged_word
from kgfs.extraction.names.wordlists import small_words, words
from kgfs.extraction.names.wordlists.places import ABBREVIATIONS, ALIASES, PERSON_LIKE
from kgfs.extraction.names.wordlists.well_known import OTHER_NAMES
from kgfs.extraction.units import Unit
from kgfs.model import EntityCandidate, Gazetteer, ParsedDocument

# Not in an address or a file's name: "google-ai.md" does not make *Google* an ordinary word.
_LOWER_WORD = re.compile(r"(?<![\w/@#.:_-])[a-z]{2,}(?![\w/@]|[.:_-]\w)")


MEMBERS = 2
"""So many places that speak of the community or the members of what a page or a glossary names show a body."""


def speaks_of_body(named: NameFindings) -> bool:
    """Whether a text says that what it knows by a name acts as a body, or has members."""
    return named.acts > 0 or named.uses["members"] >= MEMBERS


SURE = 0.6
"""The share of its tags that types a page which nothing else does."""
_ERAS = frozenset("BC BCE AD CE B.C. A.D. B.C A.D".split())
_ERA_BEFORE = re.compile(r"(?:\d|\b(?:century|centuries|millennium)) ?$")
_YEAR = re.compile(r" \d")
"""What stands beside the letters of an era, which name nothing: ``300 BC``, ``AD 50``."""

_DATED = re.compile(rf"\b(?:of|on) \d{{1,2}} (?:{'|'.join(MONTH_NAMES)}) \d{{4}}")
"""*Council of 11 March 1996*, behind whose law it is."""
_NUMBER = re.compile(r"\.? ?\d")


class Lexicon:
    """The names of one document."""

    def __init__(self, document: ParsedDocument, gazetteer: Gazetteer, *, tagged: bool = False) -> None:
        self._tagged = tagged
        self.named: list[NameFindings] = []
        self.subject: int | None = None
        """The entity that the document declares itself to be about."""
        self.page: int | None = None
        """What links to the document lead to: its subject, else the page by its title."""
        self._by_key: dict[str, int] = {}
        self._gazetteer = compile_gazetteer(gazetteer, tagged=tagged)
        self._path = document.path
        self._has_links = document.mime_type != "application/toml"  # "[[harbour]]" opens a table there
        self._known: dict[int, int] = {}
        self._merged: dict[int, int] = {}
        self._text = text = document.text or ""
        self._lower = frozenset(_LOWER_WORD.findall(text))
        self._no_places = namesakes.editions(text) | namesakes.team_places(document.title or "")
        self._other_names = OTHER_NAMES | namesakes.state_names(text)
        self.wording = Wording()
        self._series = frozenset(series_of(text))
        """What stands before the numbers of series: *PEP* is what each of them is, no name."""
        self._extra: Matcher[str] = Matcher(district_names() if "Federal Reserve" in text else [])
        self.definitions: Matcher[int] = Matcher([])
        """Names that the text explains from here on."""
        self._own: Matcher[int] = Matcher([])
        self._own_folded: Matcher[int] = Matcher([], ignore_case=True)
        self.declared: dict[int, EntityCandidate] = {}
        """The entries that the document declares, each as it does."""
        subject = document_subject(document)
        for candidate in declared_entities(document):
            if tagged and is_mere_heading(candidate):
                continue
            about = subject is not None and candidate.name == subject.name
            if about and (name := gazetteer.told_apart.get(max(page_keys(document), key=len, default=""))):
                candidate = msgspec.structs.replace(candidate, name=name, aliases=[candidate.name])
            elif self._gazetteer.is_ambiguous(candidate.name) and not candidate.attributes:
                continue
            ref = self._declare(candidate)
            if about:
                self.subject = ref
        page = document_page(document) if self.subject is None else None
        if page is not None and not self._gazetteer.is_ambiguous(page.name):
            titled = tagged and is_mere_heading(page)
            self.page = self._declare(msgspec.structs.replace(page, type=PAGE) if titled else page, stands=False)
        else:
            self.page = self.subject
        own = own_name(document)
        self._own_speaker = None if own is None else self.find_entry(own.name)
        if own is not None and self._own_speaker is not None:
            for word in own.words:
                self._own.add(word, self._own_speaker)
                self._own.add(word[:1].upper() + word[1:], self._own_speaker)
        self.initials = Initials(text)
        """The letters by which the document calls persons."""
        self._lettered: Matcher[int] = Matcher(
            (letters, self._person(name)) for letters, name in self.initials.names.items()
        )
        for letters, name in self.initials.alone():
            self.alias(self.get(name), letters, rule="initials")

    # --- entries -----------------------------------------------------------------------------------------------

    def _declare(self, candidate: EntityCandidate, *, stands: bool = True) -> int:
        """``stands`` is whether its names mean it where they stand in the text."""
        entry = self._gazetteer.by_key.get(candidate.name.casefold())
        known = "" if entry is None else self._gazetteer.gazetteer.entries[entry].type
        if known == "Command" and candidate.type in ("Concept", PAGE):
            candidate = msgspec.structs.replace(candidate, type=known)  # other pages show it: they are a family
        ref = self._from_gazetteer(entry) if entry is not None else self.get(candidate.name)
        named = self.named[ref]
        named.declared = True
        named.term = named.term or (entry is None and candidate.confidence < 1.0)
        if candidate.declared and candidate.type:
            named.votes = {candidate.type: 1.0}
        else:
            named.vote(candidate.type, candidate.confidence)
        aliases = [alias for alias in candidate.aliases if not self._gazetteer.is_ambiguous(alias)]
        self.declared[ref] = msgspec.structs.replace(candidate, aliases=aliases)
        self.alias(ref, *aliases)
        # Here a name that others share means this one.
        for name in (candidate.name, *candidate.aliases) if stands else ():
            for spelling in spellings(name, candidate.type):
                folded = matches_any_case(spelling, candidate.type) and not is_base(name, candidate.name)
                matcher = self._own_folded if folded else self._own
                matcher.add(spelling, ref)
        return ref

    def speaker(self) -> int | None:
        """The entry that *we* are in the document, where it says so or its folder shows it."""
        if self._own_speaker is not None:
            return self.resolved(self._own_speaker)
        index = self._gazetteer.speaker(self._path)
        return None if index is None else self._from_gazetteer(index)

    def attendees(self) -> list[str]:
        """The full names on the lists of attendance of all documents."""
        return self._gazetteer.gazetteer.attendees

    def page_entry(self, *ends: str) -> int | None:
        """The entry of the page to which a link leads, by what its path ends in, in small letters: the most first.

        A page of another folder is not meant where the path names one that documents lie in.
        """
        known = self._gazetteer.known_end(ends)
        if known is None:
            return None
        index = self._gazetteer.by_page[known]
        folder = ends[0].removesuffix(known).strip("/").rpartition("/")[2]
        if folder in self._gazetteer.folders and not self._gazetteer.lies_in(index, folder):
            return None
        return self._from_gazetteer(index)

    def known_entry(self, name: str) -> int | None:
        """The entry of a name that is an entity for certain: a document declares it, or the text itself."""
        if self._index(name) is not None:
            return self.get(name)
        ref = self._by_key.get(name.casefold())
        return ref if ref is not None and (self.named[ref].declared or self.named[ref].known) else None

    def get(self, name: str) -> int:
        """The entry of ``name``, made when there is none."""
        key = name.casefold()
        ref = self._by_key.get(key)
        if ref is not None and name != self.named[ref].name and _is_shouted(self.named[ref].name, name):
            self.named[ref].name = name
        if ref is None:
            entry = self._index(name)
            if entry is not None:
                return self._from_gazetteer(entry)
            if name in self._other_names:
                ref = self.get(self._other_names[name])
                self.alias(ref, name, rule="known")
                return ref
            ref = len(self.named)
            self.named.append(NameFindings(name))
            self._by_key[key] = ref
        return ref

    def find_entry(self, name: str) -> int | None:
        """The entry of ``name``, if there is one here."""
        return self._by_key.get(name.casefold())

    def alias(self, ref: int, *aliases: str, rule: str = "stated") -> None:
        """Give an entry more names; a name that another entry has stays with it."""
        named = self.named[ref]
        for alias in aliases:
            of_several = rule == "stated" and is_base(alias, named.name) and words_of_bracket(named.name)
            if self._by_key.setdefault(alias.casefold(), ref) == ref and alias not in (named.name, *named.aliases):
                named.aliases.append(alias)
                named.rules[alias] = BASE if of_several else rule

    def rename(self, ref: int, name: str, rule: str) -> None:
        """Give an entry another name; the one that it had is an alias."""
        named = self.named[ref]
        named.aliases.append(named.name)
        named.rules[named.name] = rule
        named.name = name
        self._by_key[name.casefold()] = ref

    def ambiguous(self, ref: int, alias: str) -> None:
        """Take an alias from an entry, since the text gives it to another one too."""
        named = self.named[ref]
        named.aliases = [known for known in named.aliases if known.casefold() != alias.casefold()]

    def in_lower_case(self, word: str) -> bool:
        """Whether the document writes a word in lower case, anywhere."""
        return word.lower() in self._lower

    def _from_gazetteer(self, index: int) -> int:
        ref = self._known.get(index)
        if ref is None:
            entry = self._gazetteer.gazetteer.entries[index]
            ref = self._by_key.get(entry.name.casefold(), -1)
            if ref < 0:
                ref = len(self.named)
                self.named.append(NameFindings(entry.name))
                self._by_key[entry.name.casefold()] = ref
            self._known[index] = ref
            named = self.named[ref]
            named.known, named.term = True, entry.term
            named.guessed = entry.type == "Product" and not (entry.declared or entry.unsaid)
            named.vote(PAGE if index in self._gazetteer.headings else entry.type, 1.0 if entry.declared else 0.8)
            self.alias(ref, *entry.aliases)
        return ref

    def place(self, name: str) -> int:
        """The entry of a place of the built-in list; the gazetteer's own entry where it has the name."""
        ref = self.get(name)
        if not self.named[ref].known:
            self.named[ref].vote("Location", 0.85)
            self.alias(ref, *ALIASES.get(name, ()), rule="known")
        return ref

    def _person(self, name: str) -> int:
        """The entry of a name that is shown to be a person's."""
        ref = self.get(name)
        named = self.named[ref]
        if not named.declared:
            named.votes.pop(PAGE, None)  # of ordinary words: *Ford Smith*
            named.vote("Person", 0.9)
            named.clues["Person"] += CLUE
            named.tags["Person"] += CLUE
        return ref

    # --- a sentence --------------------------------------------------------------------------------------------

    def spans(self, unit: Unit, tagged: TaggedSentence | None = None) -> list[NameSpan]:
        """The names in a unit; only known ones in headings, rows and code, whose capitals show nothing.

        ``tagged`` is what the statistical tagger says of a sentence.
        """
        text = unit.content.text
        taken: list[NameSpan] = []
        for link in unit.content.links if self._has_links else ():
            label = text[link.start : link.end]
            ref = self._link(link.target, label) if link.wiki else self._namesake(link.target, label)
            if ref is not None and link.end > link.start:
                taken.append(NameSpan(link.start, link.end, ref))
        met = self._hits(text)
        met = [hit for hit in met if not fragments.is_in_path(unit.content, hit.start, hit.end)]
        hits = [hit for hit in met if meant.is_meant(self, unit, hit)]
        fallen = {(hit.start, hit.end) for hit in met} - {(hit.start, hit.end) for hit in hits}
        candidates = capitals.find_capitals(text) if unit.kind == "sentence" else self._heading_name(unit)
        if tagged is not None:
            candidates = boundaries.name_proposals(text, candidates, tagged.names, tagged.quantities)
            candidates = whole_names(text, fragments.apart_by_emphasis(unit.quote, text, candidates))
            candidates = [fragments.calmed_person(one) for one in candidates]
            titles = fragments.title_labels(unit)
            labels = {link.start for link in unit.content.links}
            candidates = [
                recut(
                    unit.content,
                    fragments.without_footnote(fragments.without_order(text, one, label=one.start in labels)),
                )
                for one in candidates
                if not any(a <= one.start < b for a, b in titles)
                and not fragments.echoes_heading(text, one)
                and not fragments.is_in_path(unit.content, one.start, one.end)
            ]
        person = posts.listed_person(unit) or posts.aged_person(unit)
        person = person or (posts.stated_alone(unit) if self._tagged else None)
        if person is not None and not (self._tagged and self.wording.plain(person.text) and is_phrase(person.text)):
            candidates = [one for one in candidates if one.end <= person.start or person.end <= one.start] + [person]
        places = [(hit.start, hit.end) for hit in hits]
        for found in candidates:
            candidate = found
            if " and " in candidate.text and self.find_entry(candidate.text) is None:
                candidate = fragments.apart_from_known(candidate, places)
            start, end = candidate.start, candidate.end
            if candidate.text in _ERAS and (_ERA_BEFORE.search(text[:start]) or _YEAR.match(text, end)):
                continue
            if fragments.is_licence(text, start, end) or fragments.is_initials(text, start, end):
                continue
            if fragments.is_placeholder(text, start, end) or fragments.is_suffix(candidate.text):
                continue
            if (start, end) in fallen and candidate.text.lower() in self._lower | words.NOT_NAMES:
                continue
            if _overlaps(taken, start, end):
                # A link inside the capitals ("[[DeepMind]] Technologies") wins; what is around it is dropped.
                continue
            inside = [hit for hit in hits if hit.start >= start and hit.end <= end]
            outer = [hit for hit in hits if hit.start <= start and hit.end >= end and hit.end - hit.start > end - start]
            if outer:
                continue
            covered = [(hit.start, hit.end) for hit in inside]
            if inside and capitals.is_qualified(text, covered, start, end):
                named = self.named[inside[0].key]
                if tagged is not None and covered == [(start, end)] and (named.guessed or not named.votes):
                    note_tag(named, candidate, unit.content, self._series, code=bool(self.wording.code))
                if tagged is not None and len(inside) == 1 and candidate.tag == "Location":
                    hits = [hit for hit in hits if hit not in inside]
                    taken.append(NameSpan(start, end, inside[0].key))
                continue
            known = self.find_entry(candidate.text)
            if known is not None and not meant.is_meant(self, unit, NameMatch(start, end, known)):
                if where := namesakes.place_of_namesake(self.named[known].name, text, start, end):
                    ref = self.get(f"{candidate.text}, {where}")
                    self.named[ref].vote("Location", 0.75)
                    self._own.add(candidate.text, ref)  # from here on
                    taken.append(NameSpan(start, end, ref))
                continue
            if inside and known is None and self._mere(text, candidate, inside):
                continue
            if known is None and not self._plausible(candidate, unit):
                continue
            if tagged is not None and known is None and self._is_label(candidate):
                continue
            ref = self._entry(candidate, tagged is not None) if known is None else known
            self._note(ref, candidate)
            if tagged is not None:
                note_tag(self.named[ref], candidate, unit.content, self._series, code=bool(self.wording.code))
            hits = [hit for hit in hits if hit.end <= start or hit.start >= end]
            taken.append(NameSpan(start, end, ref))
        for hit in hits:
            if not _overlaps(taken, hit.start, hit.end):
                taken.append(NameSpan(hit.start, hit.end, hit.key))
        taken.sort(key=lambda span: span.start)
        for span in taken:
            self.named[span.ref].count += 1
        return taken

    def _hits(self, text: str) -> list[NameMatch[int]]:
        tokens = Tokens(text)
        found = [
            hit for hit in self._lettered.find_names(tokens) if self.initials.means_person(text, hit.start, hit.end)
        ]
        found += [*self._own.find_names(tokens), *self._own_folded.find_names(tokens)]
        for hit in (*self._gazetteer.exact.find_names(tokens), *self._gazetteer.folded.find_names(tokens)):
            if self._may_mean(hit.key, text[hit.start : hit.end]):
                found.append(NameMatch(hit.start, hit.end, self._from_gazetteer(hit.key)))
        found += self.definitions.find_names(tokens)
        districts = self._extra.find_names(tokens)
        for district in districts:
            self.alias(self.place(district.key), text[district.start : district.end], rule="district")
        places = [*PLACE_MATCHER.find_names(tokens), *districts]
        for place in places:
            following = text[place.end : place.end + 2]
            if place.key in PERSON_LIKE and re.match(r" [A-Z]", following):
                continue
            if (
                fragments.is_of_treaty(text, place.start)
                or fragments.opens_body(text, place.end)
                or place.key in self._no_places
            ):
                continue
            end = place.end
            if text[end : end + 1] == "." and "." in text[place.start : end]:
                end += 1  # of "U.S.", which is known without its last sign
            name = namesakes.meant_place(place.key, text, place.start, end)
            found.append(NameMatch(place.start, end, self.place(name)))
        found.sort(key=lambda hit: (-(hit.end - hit.start), hit.start))
        chosen: list[NameMatch[int]] = []
        for hit in found:
            if all(hit.end <= other.start or hit.start >= other.end for other in chosen):
                chosen.append(hit)
        chosen.sort(key=lambda hit: hit.start)
        return chosen

    def _index(self, name: str) -> int | None:
        """The entry of the gazetteer that a name may mean here."""
        index = self._gazetteer.by_key.get(name.casefold())
        return index if index is not None and self._may_mean(index, name) else None

    @functools.cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d_]+", self._text.lower()))

    def _may_mean(self, index: int, said: str) -> bool:
        """Whether a name of the gazetteer may be meant; without its bracket only where the text has a name of that."""
        name = self._gazetteer.gazetteer.entries[index].name
        tells = words_of_bracket(name) if is_base(said, name) else frozenset[str]()
        return not tells or not tells.isdisjoint(self._words)

    def is_small(self, name: str, type_: str) -> bool:
        """Whether a name of this type is an ordinary word in small letters, which means anything by itself."""
        ref = self.find_entry(name)
        term = ref is not None and self.named[self.resolved(ref)].term
        return small_words.is_small_word(name, type_, tagged=self._tagged, term=term)

    def is_untyped(self, named: NameFindings) -> bool:
        """Whether nothing but what sentences show can say what a known name is, and its words may be anybody's: of
        a phrase of ordinary words (*Version Control*) the tagger knows less than a page that is called so."""
        if named.votes.keys() - {PAGE} or (named.votes and named.uses["members"] < MEMBERS):
            return False  # "Engineering", a page of which texts say that it has a team, is that
        if speaks_of_body(named) or not (self.is_word(named.name) or self.wording.plain(named.name)):
            return True
        # "Genghis Khan": the dictionary has both words, and the text writes none of them small. What the tagger does
        # not know it takes for an organization.
        parts = re.findall(r"[^\W\d_]+", named.name)
        type_, times = (named.tags.most_common(1) or [("Organization", 0)])[0]
        sure = type_ != "Organization" and times > 1 and times >= SURE * named.tags.total()
        return sure and all(one[0].isupper() and one.lower() not in self._lower for one in parts)

    def is_word(self, name: str) -> bool:
        """Whether a name is one word with a capital that is an ordinary word too, here or in the language."""
        lowered = name.lower()
        if not name.isalpha() or lowered == name or (name.isupper() and len(name) > 1):
            return False
        return lowered in words.NOT_NAMES or lowered in self._lower or (self._tagged and tagging.is_word(lowered))

    def _heading_name(self, unit: Unit) -> list[capitals.CapitalsSpan]:
        """The whole heading, when its words show an organisation or a law."""
        if unit.kind != "heading":
            return []
        text = unit.content.text
        if (
            not re.search(r" (?:of|for) | (?:Inc|Corp|Ltd|LLC)\b", text)
            or len(text.split()) > 8
            or posts.without_post(text)
        ):
            return []
        found = capitals.find_capitals(text)
        if len(found) != 1 or found[0].text != text or (capitals.type_cue(text) or ("", 0.0))[0] != "Organization":
            return []
        return boundaries.bodies_apart(capitals.CapitalsSpan(0, len(text), text, False))

    def _mere(self, text: str, candidate: capitals.CapitalsSpan, inside: list[NameMatch[int]]) -> bool:
        """Whether a known name with more capitals around it is better read as the known name alone."""
        # An opening word before a known name: "Both Google", "Still Boston", "Aggregate Third District".
        first = inside[0]
        if candidate.initial and first.start > candidate.start and first.end == candidate.end:
            head = text[candidate.start : first.start].strip()
            if (
                head.lower() in words.NOT_NAMES | boundaries.OPENING_VERBS
                or self.in_lower_case(head)
                or (self._tagged and is_opening_verb(head.lower()))
            ):
                return head not in words.ORGANIZATION_HEADS
        if candidate.initial and first.start == candidate.start and len(inside) == 1:
            return fragments.runs_on(text, text[first.end : candidate.end].strip(), candidate.end)
        return False

    def _plausible(self, candidate: capitals.CapitalsSpan, unit: Unit) -> bool:
        text = candidate.text
        if text.endswith((" No", " No.", " Nos")) and _NUMBER.match(unit.content.text, candidate.end):
            return False  # "Train No. 23" is one of many
        if text in words.MERE_LETTERS or is_part(text) or _DATED.search(text) or text in self._no_places:
            return False
        if (
            candidate.tag != "Person"
            and not candidate.titled
            and unit.content.text[: candidate.start].endswith("Dear ")
        ):
            return False  # "Dear Lamp Makers,": to whom a letter is
        if " " in text or candidate.tag == "Group":
            return True
        if fragments.is_method(unit.content.text, candidate.start, candidate.end):
            return False
        lowered = text.lower()
        if lowered in words.NOT_NAMES or lowered in words.WEAK_STARTS or text in words.DEMONYMS or len(text) < 2:
            return False
        if text in words.ORGANIZATION_HEADS or text in words.ROLE_WORDS:
            return False
        if text in words.GIVEN_NAMES and candidate.tag != "Person":
            return False
        return not (candidate.initial and (lowered in self._lower or is_inflected(lowered, self._lower)))

    def _note(self, ref: int, candidate: capitals.CapitalsSpan) -> None:
        named = self.named[ref]
        named.titled = named.titled or candidate.titled
        if not candidate.initial or " " in candidate.text:
            named.mid += 1
        found = capitals.type_cue(candidate.text, candidate.titled)
        if found is not None and not named.known and not named.declared:
            named.vote(*found)

    def _entry(self, candidate: capitals.CapitalsSpan, tagged: bool) -> int:
        """The entry of a new name; that of the state which it is short for."""
        state = ABBREVIATIONS.get(candidate.text.rstrip("."))
        if tagged and state is not None and candidate.text.endswith("."):
            return self.place(state)
        return self.get(candidate.text)

    def _is_label(self, candidate: capitals.CapitalsSpan) -> bool:
        """Whether capitals are an identifier of code, or an ordinary word that the tagger takes for no name."""
        return candidate.text in self.wording.code or (not candidate.tag and is_untagged_word(candidate.text))

    def read_words(self, units: Sequence[Unit]) -> None:
        """Learn which lower-case words the sentences hold, and which names are code or headings."""
        self.wording = Wording(units)

    def _link(self, target: str, label: str) -> int | None:
        """The entry that a wikilink points to. Its label is another name when it looks like one."""
        path, part, within = (side.strip() for side in target.partition("#"))
        if not path or within.isdigit():
            return None  # "[[Bug #20064]]", a number of a tracker
        name = re.sub(r"\.(?:md|markdown|html?)$", "", path.rsplit("/", 1)[-1])
        if name.count(".") > 1 and " " not in name:
            return None  # "[[lamps.wick.trim]]", the path of a note
        if self._gazetteer.by_key.get(name.casefold()) is None:
            name = self._page_at(path) or linked_name(path, name, label)
        if not name or re.search(r"\.\w{2,4}$", name):
            return None
        if self._joins_two(name):
            return None
        ref = self.get(name)
        named = self.named[ref]
        named.linked = True
        if self._gazetteer.by_key.get(name.casefold()) in self._gazetteer.headings:
            named.votes = {}  # who links to it takes it for a thing
        if not named.known and not named.votes:
            found = capitals.type_cue(name)
            if found is not None:
                named.vote(*found)
        if self.is_word(label) and label.casefold() not in name.casefold().split():
            return ref  # "[[Acme Works|Settings]]"
        if not part and label != name and is_other_name(label, name) and self.find_entry(label) is None:
            self.alias(ref, label, rule="link")
        return ref

    def _joins_two(self, name: str) -> bool:
        """Whether a name that no page has is the names of two things of which pages are: *Brassd and Tinbucket*."""
        first, joined, second = name.partition(" and ")
        return (
            joined != ""
            and all(self._index(one) is not None for one in (first, second))
            and (self.find_entry(name) is None and self._index(name) is None)
        )

    def _namesake(self, target: str, label: str) -> int | None:
        """The entry of the page that a link leads to, where several are called by its label: *Ann Lee (director)*."""
        if not self._gazetteer.is_ambiguous(label):
            return None
        known = self._gazetteer.known_end(path_keys(target, self._path))
        index = None if known is None else self._gazetteer.by_page[known]
        meant = index is not None and is_base(label, self._gazetteer.gazetteer.entries[index].name)
        return self._from_gazetteer(index) if index is not None and meant else None

    def _page_at(self, path: str) -> str:
        """What the page is about whose file a wikilink names: *Ann Lee* for ``[[people/ann-lee]]``; empty where that is
        no thing."""
        known = self._gazetteer.known_end(path_keys(path, self._path))
        if known is None or (index := self._gazetteer.by_page[known]) in self._gazetteer.headings:
            return ""
        entry = self._gazetteer.gazetteer.entries[index]
        return "" if entry.type == PAGE else entry.name

    def merge(self, gone: int, kept: int, rule: str) -> None:
        """Make two entries one; spans that name the first are read as the second by ``resolved``."""
        source, target = self.named[gone], self.named[kept]
        for alias in (source.name, *source.aliases):
            self._by_key[alias.casefold()] = kept
            if alias not in (target.name, *target.aliases):
                target.aliases.append(alias)
                target.rules[alias] = source.rules.get(alias, rule)
        for type_, confidence in source.votes.items():
            if not target.known and not target.declared:
                target.vote(type_, confidence)
        target.count += source.count
        target.tags += source.tags
        target.clues += source.clues
        target.uses += source.uses
        target.acts += source.acts
        target.linked = target.linked or source.linked
        source.aliases = []
        source.name = ""
        self._merged[gone] = kept

    def resolved(self, ref: int) -> int:
        """The entry that ``ref`` is now, after merging."""
        while ref in self._merged:
            ref = self._merged[ref]
        return ref


def _is_shouted(name: str, other: str) -> bool:
    """Whether a name in capitals, as headings have it, is written as others are elsewhere: *BAHIA*, *Bahia*."""
    return len(name) >= capitals.SHOUTED and name.isupper() and other.istitle() and name.casefold() == other.casefold()


def _overlaps(spans: list[NameSpan], start: int, end: int) -> bool:
    return any(span.start < end and start < span.end for span in spans)
