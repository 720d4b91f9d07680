"""The names that are known before a document is read: what titles, terms and front matter of all documents declare.

Used by the pipeline (which gathers ``stated_names`` of every document into a ``Gazetteer``), by the worker and by
the extractor; pure.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeGuard

import msgspec

from kgfs.documents.identifiers import code_shape
from kgfs.documents.records.key_lines import is_somebody
from kgfs.documents.records.kinds import is_known_kind, kind_type
from kgfs.documents.records.record import key_word
from kgfs.documents.rst import LABEL
from kgfs.documents.suggestions.title_uses import TITLE
from kgfs.extraction.names.declared.defined_terms import TERM, defined_term
from kgfs.extraction.names.declared.filed_types import tag_type
from kgfs.extraction.names.declared.known_names import is_base, is_mere_heading
from kgfs.extraction.names.declared.own_words import own_entity
from kgfs.extraction.names.declared.page_names import PAGE, named_page, page_keys
from kgfs.extraction.names.declared.page_types import is_book
from kgfs.extraction.names.declared.pages import page_subject, short_names
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.extraction.names.declared.ruled_places import ruled_places
from kgfs.extraction.names.declared.speakers import Speakers, speaker_entry
from kgfs.extraction.names.declared.suggested import FAMILY, Suggestions, is_of_code, suggested_entity
from kgfs.extraction.names.declared.titles import Title
from kgfs.extraction.names.kinds import said_kind
from kgfs.extraction.names.named import matches_any_case
from kgfs.model import EntityCandidate, Gazetteer, GazetteerEntry, ParsedDocument
from kgfs.plurals import singular

_NOT_TYPES = frozenset(
    "announcement article blog book changelog chapter checklist collection content default doc document documentation "
    "docs draft email entry explainer explanation faq file guide home how-to howto index journal landing-page layout "
    "learn lesson log manual meeting memo minutes moc news newsletter note notes overview page pages playbook policy "
    "post readme resource resources "
    "posts quickstart reference release report runbook sample section single story summary task template todo topic "
    "tutorial transcript update".split()
)
"""Values of ``type`` that say what kind of text a document is, not what it is about."""
_TYPE_WORD = re.compile(r"[^\W_]+")
_LAST_WORD = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)$")
_NOT_ATTRIBUTES = frozenset(
    "title name type aliases alias date tags tag keywords categories category description layout draft permalink slug "
    "summary redirect redirect_from redirect_to redirects_to author authors id uid published publish created updated "
    "modified lastmod".split()
)
_SYNONYMS = {
    "company": "Organization", "org": "Organization", "organisation": "Organization", "institution": "Organization",
    "people": "Person", "human": "Person", "place": "Location", "idea": "Concept", "term": "Concept",
}  # fmt: skip
_ALIASES = ("aliases", "alias", "other_names", "also_known_as", "aka")
_DATED = ("date", "published", "pubdate", "publish_date")
MAX_NAME = 160
_OF_PAGE = frozenset({LABEL, TITLE})
"""Kinds of terms that say something of the page, and suggest no name."""
_OPENING = 4000
"""Characters of a text that may say that its page is about a team."""
_PATH = re.compile(r"^\.{0,2}/|/$|://|^[a-z\d._-]+(?:/[a-z\d._-]+)+$|\.(?:html?|md|php)$")
"""Of an alias that says under which other addresses a site has the page."""


def entity_type(value: Any) -> str | None:
    """A front matter ``type`` as an entity type in CamelCase; ``None`` where it names a kind of text: *Uni Note*."""
    if not is_own_type(value) or _kind_of_text(value) in _NOT_TYPES:
        return None
    words = _TYPE_WORD.findall(value)
    known = _SYNONYMS.get(" ".join(words).lower())
    return known or "".join(word[:1].upper() + word[1:] for word in words)


def _kind_of_text(value: str) -> str:
    """The last word of a type, in small letters: *note* of *Uni Note*, of ``MeetingNote``."""
    found = _LAST_WORD.search(value.strip())
    return found[0].lower() if found is not None else ""


def is_own_type(value: Any) -> TypeGuard[str]:
    """Whether a front matter ``type`` is one that somebody thought of for what is described, and no usual kind of text
    (*post*): the other keys are about that, too."""
    if not isinstance(value, str):
        return False
    words = _TYPE_WORD.findall(value)
    if not words or len(words) > 3 or not words[0][0].isalpha():
        return False
    return value.strip().lower() not in _NOT_TYPES and " ".join(words).lower() not in _NOT_TYPES


def document_subject(document: ParsedDocument) -> EntityCandidate | None:
    """The entity that a document is about: as its front matter declares, else as its title and lead show.

    A ``type`` in front matter makes the name, or the title, an entity whatever it looks like; every other scalar
    becomes an attribute. Aliases in front matter are names of a page whose title is one.
    """
    matter = document.front_matter
    declared_type = entity_type(matter.get("type")) or _foreign_type(matter)
    aliases = [
        alias
        for alias in map(
            clean_name, (one for key in matter if key_word(key) in _ALIASES for one in as_list(matter[key]))
        )
        if not _PATH.search(alias)
    ]
    page = page_subject(document)
    if declared_type is None:
        if page is None or is_book(page.name) or (page.type in ("", "Concept") and _is_post(page, matter)):
            return None
        if page.type in ("", "Concept") and is_somebody(page.name, matter):
            page = msgspec.structs.replace(page, type="Person")
        if page.type in ("", "Concept") and _is_event(matter):
            page = msgspec.structs.replace(page, type="Event")
        if page.type in ("", "Concept") and _is_team(page.name, document):
            page = msgspec.structs.replace(page, type="Organization")
        tagged = tag_type(Title(page.name), document.tags) if document.tags else ""
        if tagged and page.type in ("", "Concept", tagged):
            page = msgspec.structs.replace(page, type=tagged, unsaid=False)
        if page.type == "Organization":
            aliases += short_names(page.name, document.text or "")
        return msgspec.structs.replace(page, aliases=_others(page.name, [*page.aliases, *aliases]))
    name = clean_name(matter.get("name") or document.title)
    if not name:
        return None
    if page is not None and page.name == name:
        aliases += page.aliases
    attributes = {
        key: value
        for key, value in matter.items()
        if key.lower() not in _NOT_ATTRIBUTES and isinstance(value, str | int | float | bool) and value != ""
    }
    return EntityCandidate(
        name=name,
        type=declared_type,
        aliases=_others(name, aliases),
        description=document.description,
        attributes=attributes,
        confidence=1.0,
        declared=True,
    )


def _foreign_type(matter: Mapping[str, Any]) -> str | None:
    """The type that front matter in another language declares, where it is one of the usual kinds: ``typ: Firma``."""
    said = next((value for key, value in matter.items() if key.lower() != "type" and key_word(key) == "type"), None)
    return kind_type(said) if isinstance(said, str) and is_known_kind(said) else None


def _is_post(page: EntityCandidate, matter: Mapping[str, Any]) -> bool:
    """Whether a page is a text that somebody wrote one day, by its front matter: its title is a headline."""
    keys = {key.lower() for key, value in matter.items() if value}
    return len(page.name.split()) > 2 and not keys.isdisjoint(("author", "authors")) and not keys.isdisjoint(_DATED)


def _is_event(matter: Mapping[str, Any]) -> bool:
    """Whether front matter says when and where something takes place."""
    keys = {key.lower() for key, value in matter.items() if value}
    return not keys.isdisjoint(("venue", "location")) and not keys.isdisjoint(("date", "start", "start_date"))


_THE_TEAM = re.compile(r"\n\n(?:The|Our) team (?:also )?[a-z]+s\b")
_OPENS_AS_TEAM = re.compile(r" (?:is|are) (?:responsible for|led by|headed by|staffed by|made up of)\b")


def _is_team(name: str, document: ParsedDocument) -> bool:
    """Whether a page opens with what a name is responsible for, and goes on with what *the team* does."""
    lead = document.lead
    return (
        lead.startswith(name)
        and _OPENS_AS_TEAM.match(lead, len(name)) is not None
        and _THE_TEAM.search(document.text or "", 0, _OPENING) is not None
    )


def declared_entities(document: ParsedDocument) -> list[EntityCandidate]:
    """The entities that a document declares: its own subject, who speaks in it, the terms that it defines, its records.

    The confidence of a subject is 1, of the others less.
    """
    subject = document_subject(document)
    found = [] if subject is None else [subject]
    own = own_entity(document)
    if own is not None and (subject is None or own.name.casefold() != subject.name.casefold()):
        found.append(own)
    for term in islice((term for term in document.terms if not term.weight), MAX_TERMS):
        if term.kind:
            record = record_entity(term)
            if record is not None and (subject is None or record.name.casefold() != subject.name.casefold()):
                found.append(record)
            continue
        defined = defined_term(term)
        if defined is not None and (subject is None or defined.name.casefold() != subject.name.casefold()):
            found.append(defined)
    return found


def stated_names(document: ParsedDocument) -> list[EntityCandidate]:
    """What a document gives the gazetteer: the entities that it declares, its page, and the names that it suggests."""
    folder = posixpath.dirname(document.path)
    declared = declared_entities(document)
    subject = document_subject(document)
    page = subject if subject is not None else named_page(document)
    if page is not None:
        declared = [msgspec.structs.replace(page, pages=page_keys(document)), *declared[subject is not None :]]
    declared += ruled_places(document)
    suggested = (suggested_entity(term, folder) for term in document.terms if term.weight and term.kind not in _OF_PAGE)
    return [*declared, *suggested]


def document_page(document: ParsedDocument) -> EntityCandidate | None:
    """The entity that links to a document lead to: what it is about, else the page by its title."""
    subject = document_subject(document)
    return subject if subject is not None else named_page(document)


def _others(name: str, aliases: Iterable[str]) -> list[str]:
    return [alias for alias in dict.fromkeys(aliases) if alias and alias != name]


_COMMAND_PAGE = re.compile(r"[a-z][a-z\d-]*(?: [a-z][a-z\d-]*){1,3}")
MANY_PAGES = 3
"""What is the title of so many documents names none of their subjects (*Overview*, *Contact us*); what so many define
each in its own way is a label of theirs."""
MAX_TERMS = 2000
"""Terms of one document that are declared."""


def make_gazetteer(documents: Iterable[Sequence[EntityCandidate]]) -> Gazetteer:
    """The gazetteer of what many documents declare; entries of one name are one, of the type that is surest.

    What documents only suggest is in it where enough of them do.
    """
    entries: dict[str, GazetteerEntry] = {}
    suggestions = Suggestions()
    speakers = Speakers()
    attendees: set[str] = set()
    times: Counter[str] = Counter()
    meanings: defaultdict[str, set[str]] = defaultdict(set)
    sure: dict[str, int] = {}
    about: defaultdict[str, list[EntityCandidate]] = defaultdict(list)
    for candidates in documents:
        for candidate in candidates:
            if candidate.speaks_in is not None:
                speakers.add(candidate)
                continue
            if candidate.attends:
                attendees.add(candidate.name)
                continue
            if candidate.weight:
                suggestions.add(candidate)
                continue
            key = candidate.name.casefold()
            times[key] += candidate.confidence == 1.0 and not candidate.attributes
            if candidate.confidence == TERM:
                meanings[key].add(candidate.description)
            entry = entries.get(key)
            rank = _type_rank(candidate)
            if rank == SURE and candidate.declared and candidate.pages:
                about[key].append(candidate)
            if entry is None:
                sure[key] = rank
                entries[key] = GazetteerEntry(
                    name=candidate.name,
                    type=candidate.type,
                    aliases=list(candidate.aliases),
                    declared=candidate.declared,
                    pages=list(candidate.pages),
                    unsaid=candidate.unsaid,
                    term=candidate.confidence < 1.0,
                )
            else:
                if rank > sure[key]:
                    entry.type, sure[key] = candidate.type, rank
                entry.unsaid = entry.unsaid and candidate.unsaid
                entry.term = entry.term and candidate.confidence < 1.0
                entry.pages += candidate.pages
                entry.declared = entry.declared or candidate.declared
                entry.aliases += [alias for alias in candidate.aliases if alias not in entry.aliases]
    told_apart: dict[str, str] = {}
    parted = {key: found for key, pages in about.items() if (found := _tell_apart(pages))}
    for key, found in parted.items():
        del entries[key]
        for page, name in found:
            told_apart[max(page.pages, key=len)] = name
            entry = entries.setdefault(name.casefold(), GazetteerEntry(name=name, type=page.type, aliases=[], pages=[]))
            entry.pages += page.pages
    speaking = [*speakers.found()]
    bases = _bases(entries.values())
    for suggested in (*map(speaker_entry, speaking), *suggestions.entries()):
        key = suggested.name.casefold()
        entry = (bases.get(key) if is_of_code(suggested.name) else None) or entries.setdefault(key, suggested)
        entry.unsaid = entry.unsaid and suggested.unsaid
        if not entry.type or (entry.type == "Concept" and is_of_code(entry.name)):
            entry.type = suggested.type
    _type_families(entries.values(), suggestions.programs())
    _type_siblings(entries.values())
    _part_pairs(entries)
    _join_numbers(entries, times, meanings)
    _join_spellings(entries)
    shared = {key for key, entry in entries.items() if _is_label(entry, times[key], len(meanings.get(key, ())))}
    holders = Counter(
        alias for key, entry in entries.items() for alias in {other.casefold() for other in entry.aliases} - {key}
    )
    several = {alias for alias, count in holders.items() if count > 1 or alias in entries} | parted.keys()
    kept = [entry for key, entry in entries.items() if key not in shared]
    for entry in kept:
        entry.aliases = [alias for alias in entry.aliases if alias.casefold() not in several]
    _own_pages(kept, entries.values())
    names = {entry.name.casefold() for entry in kept}
    speaking = [speaker for speaker in speaking if speaker.name.casefold() in names]
    return Gazetteer(
        entries=kept,
        ambiguous=sorted(shared | several),
        told_apart=told_apart,
        speakers=speaking,
        attendees=sorted(attendees),
    )


APART = frozenset({"Location", "Organization", "Person", "Species", "Work"})
"""Types of which no thing is two: what one page calls a product and another a body may be one."""


def _tell_apart(pages: Sequence[EntityCandidate]) -> list[tuple[EntityCandidate, str]]:
    """The pages of one name with a name for each, where they are about things of several types: *Orchard (novel)*,
    *Orchard (company)*; nothing where all are about one."""
    if len(APART & {page.type for page in pages}) < 2:
        return []
    return [(page, f"{page.name} ({_kind_word(page)})") for page in pages]


def _kind_word(page: EntityCandidate) -> str:
    """What a page says that its subject is, in a word; else its type."""
    said = said_kind(page.description)
    word = said.kind.rpartition(" ")[2] if said is not None else ""
    return word if word.isalpha() and word.islower() else page.type.lower()


SURE = 7
"""The rank of the type of what a page is about and says what it is."""


def _type_rank(candidate: EntityCandidate) -> int:
    """How much the type is worth that a document gives a name: most where the document is about it and says what it is,
    then where a record says so; *Concept* is what nothing shows to be anything else."""
    if candidate.type == PAGE:
        return 1
    if not candidate.type:
        return 0 if candidate.unsaid else 2  # what another text explains is no mere page
    about = candidate.confidence == 1.0
    if candidate.type == "Concept":
        return 5 if about else 3
    return SURE if about else 6 if candidate.declared else 4


def _is_label(entry: GazetteerEntry, times: int, meanings: int) -> bool:
    """Whether what so many documents are titled, or define each in its own way, is a label of theirs and no name."""
    if not times:  # "Data provider": of a page each, what the page has there, no term
        return meanings >= (2 if _is_field(entry.name) else MANY_PAGES)
    return (times >= MANY_PAGES and entry.type in ("", "Concept")) or (times > 1 and entry.type == PAGE)


def _is_field(name: str) -> bool:
    """Whether a name is spelled as the fields of structures are: ``targetRef``, which each kind of them has."""
    return name[:1].islower() and code_shape(name) == "camel"


def _bases(entries: Iterable[GazetteerEntry]) -> dict[str, GazetteerEntry]:
    """The pages by what they are called but for a bracket, where one alone is: *tarn_lamp (Tarnfile directive)*."""
    found: dict[str, GazetteerEntry] = {}
    times: Counter[str] = Counter()
    for entry in entries:
        for alias in entry.aliases:
            if is_base(alias, entry.name):
                found[alias.casefold()] = entry
                times[alias.casefold()] += 1
    return {key: entry for key, entry in found.items() if times[key] == 1}


def _type_families(entries: Iterable[GazetteerEntry], programs: Collection[str]) -> None:
    """Make commands of pages that are called as the commands of one of ``programs``: *lamp get*, *lamp set*."""
    families: defaultdict[str, list[GazetteerEntry]] = defaultdict(list)
    for entry in entries:
        if entry.declared and entry.type in ("", "Concept", PAGE) and _COMMAND_PAGE.fullmatch(entry.name):
            families[entry.name.split()[0]].append(entry)
    for program, family in families.items():
        if len(family) >= FAMILY and program in programs:
            for entry in family:
                entry.type = "Command"


def _type_siblings(entries: Iterable[GazetteerEntry]) -> None:
    """Make a thing of a page of ordinary words where most pages that end in the same word are: *View Element* beside
    *TarnList Element* and *TarnRow Element*."""
    families: defaultdict[str, list[GazetteerEntry]] = defaultdict(list)
    for entry in entries:
        first, _, last = entry.name.rpartition(" ")
        if entry.declared and first and " " not in first and last.istitle() and entry.type in ("", "Concept", PAGE):
            families[last].append(entry)
    for family in families.values():
        mere = [entry for entry in family if entry.type == PAGE or is_mere_heading(entry)]
        if len(family) - len(mere) < max(FAMILY, 2 * len(mere)):
            continue
        for entry in mere:
            entry.type, entry.unsaid = "Concept", False


def _part_pairs(entries: Mapping[str, GazetteerEntry]) -> None:
    """Make a mere page of what is called as two others that have pages: *Brassd and Tinbucket*, a conversation on both,
    is looked for in no sentence."""
    for entry in entries.values():
        first, joined, second = entry.name.casefold().partition(" and ")
        if joined and entry.type in ("", "Concept"):
            two = [entries[one] for one in (first, second) if one in entries]
            if len(two) > 1 and all(
                one.declared and one.pages and one.type not in ("", "Concept", PAGE) for one in two
            ):
                entry.type = PAGE


def _own_pages(kept: Sequence[GazetteerEntry], every: Iterable[GazetteerEntry]) -> None:
    """Leave each entry the ends of paths that lead to its page alone: ``index`` and ``overview`` are many."""
    times = Counter(key for entry in every for key in entry.pages)
    for entry in kept:
        entry.pages = [key for key in entry.pages if times[key] == 1]


def _join_numbers(
    entries: dict[str, GazetteerEntry], times: Mapping[str, int], meanings: defaultdict[str, set[str]]
) -> None:
    """Make a concept's singular and plural one entry: that of the page, else the singular."""
    for key in [key for key in entries if key.endswith("s")]:
        one = singular(key)
        plural, single = entries[key], entries.get(one)
        if single is None or one == key or {plural.type, single.type} - {"", "Concept"}:
            continue
        if not (matches_any_case(plural.name, "Concept") and matches_any_case(single.name, "Concept")):
            continue
        kept, gone = (plural, single) if times.get(key, 0) and not times.get(one, 0) else (single, plural)
        kept.type = kept.type or gone.type
        kept.declared = kept.declared or gone.declared
        kept.aliases += [name for name in (gone.name, *gone.aliases) if name not in kept.aliases]
        meanings[kept.name.casefold()] |= meanings.pop(gone.name.casefold(), set())
        del entries[gone.name.casefold()]


def _join_spellings(entries: dict[str, GazetteerEntry]) -> None:
    """Join what texts define to the page that goes by the same acronym and by the same name, however that is spelled:
    *On-Line University (OLU)* to the page *Online Learning University* that opens with *Online University (OLU)*."""
    pages: defaultdict[tuple[str, str], list[GazetteerEntry]] = defaultdict(list)
    for entry in entries.values():
        if not entry.term:
            for short, name in _spellings(entry):
                pages[short, name].append(entry)
    for key in [key for key, entry in entries.items() if entry.term and entry.aliases]:
        gone = entries[key]
        meant = {page.name: page for spelling in _spellings(gone) for page in pages.get(spelling, ())}
        if len(meant) == 1:
            (page,) = meant.values()
            page.aliases += [name for name in (gone.name, *gone.aliases) if name not in page.aliases]
            page.declared = page.declared or gone.declared
            del entries[key]


def _spellings(entry: GazetteerEntry) -> set[tuple[str, str]]:
    """The acronyms of a name with each of its other names as letters only."""
    shorts = [alias for alias in entry.aliases if alias.isupper() and alias.isalpha()]
    names = ("".join(filter(str.isalnum, name.casefold())) for name in (entry.name, *entry.aliases) if " " in name)
    return {(short, name) for name in names for short in shorts}


def as_list(value: Any) -> list[Any]:
    """A front matter value as a flat list: text with commas is several, ``[[x]]`` (nested lists to YAML) is one."""
    if value is None:
        return []
    if isinstance(value, list):
        flat: list[Any] = []
        waiting = list(reversed(value))
        while waiting:
            item = waiting.pop()
            if isinstance(item, list):
                waiting += reversed(item)
            else:
                flat.append(item)
        return flat
    if isinstance(value, str) and "," in value:
        return [part.strip() for part in value.split(",")]
    return [value]


def clean_name(value: Any) -> str:
    """A name without markup and at most 160 characters; empty where it is none."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    name = " ".join(str(value).replace("[[", "").replace("]]", "").split("|")[0].split())
    return name.strip("\"'“”") if len(name) <= MAX_NAME else ""
