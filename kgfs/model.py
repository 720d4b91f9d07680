"""The plain records that cross layers and processes: what parsing, chunking and extraction found in one document.

Used by ``documents`` and ``extraction`` (which make them, in the worker process), the pipeline (which turns them into
rows) and tests. They are msgspec structs so that they cross the worker's socket without code of ours. No I/O,
nothing of ours imported.

Conventions: offsets are *bytes of UTF-8*; spans are half-open; dates are ISO strings (``2019-10-30``, ``2019-10``,
``2019``) whose length is their precision; lines are counted from 1 and ranges of lines are inclusive.
"""

from __future__ import annotations

import threading
from typing import Any, Literal, TypeVar, overload

import msgspec

Precision = Literal["time", "day", "month", "year"]

KINDS = ("chunk", "entity", "fact", "topic")
"""What search can find; each has its own index."""


T = TypeVar("T")

_preparing = threading.Lock()
_prepared: set[Any] = set()


@overload
def prepared(kind: type[T]) -> type[T]: ...


@overload
def prepared(kind: Any) -> Any: ...


def prepared(kind: Any) -> Any:
    """A type to decode to, once everything that msgspec must know of it is worked out.

    msgspec 0.22 works that out when a record type is first decoded, without a lock: two threads that come at the same
    moment crash the process (seen: SIGSEGV in a worker; reproduced with 3,000 types and four threads).
    """
    if kind not in _prepared:
        with _preparing:
            msgspec.msgpack.Decoder(kind)
            _prepared.add(kind)
    return kind


class Chunk(msgspec.Struct, kw_only=True):
    """One passage of a document. The texts of a document's chunks, joined in order, are the document's text."""

    ordinal: int
    """Counted from 1."""
    text: str
    start: int
    """Byte offset in the document's text."""
    first_line: int
    last_line: int
    headings: list[str]
    """The heading path that the passage stands under, outermost first."""
    tokens: int
    page: int | None = None
    date: str | None = None


class Heading(msgspec.Struct, array_like=True, frozen=True):
    """A heading of a document."""

    level: int
    """1 is outermost."""
    title: str
    """Its text without markup."""
    line: int
    """Of the document's text, counted from 1."""


SAID_TO_BE = "said "
"""Before a type in ``Evidence.against``: sentences that say that the name is of that type."""


class Evidence(msgspec.Struct, kw_only=True):
    """What a document, or several together, say of a name for which only the tagger and the words around it speak."""

    seen: int = 0
    """In how many places it stands as a name may."""
    types: dict[str, int] = {}
    """Type to how often the tagger gave it, and the words around it."""
    clues: dict[str, int] = {}
    """Of these, what clear words around it gave."""
    shown: dict[str, float] = {}
    """Type to how surely the name's own words show it, 0 to 1."""
    against: dict[str, int] = {}
    """What speaks against it. Places where it is a common noun (``noun``, ``the``), an ``identifier`` or ``pressed``,
    or a place by the tagger but not by the words around it (``elsewhere``); documents that write it in lower case
    (``common``), as ``code``, as a ``heading``, or where the tagger is not to be believed (``label``),
    are about code (``beside``), or call somebody so whose whole name they have (``part``). Against other types,
    sentences that say of which it is (``SAID_TO_BE``)."""
    word: bool = False
    """It is one ordinary word with a capital."""
    single: bool = False
    """It is one word."""
    plain: bool = False
    """It is several words, all of them ordinary ones."""
    acronym: bool = False
    camel: bool = False
    """It has capitals inside, as identifiers have."""
    acts: int = 0
    """In how many places it does what organizations do, or somebody works for it."""
    common_head: bool = False
    """Its last word says a kind of thing as often as a firm: ``Disability Insurance``."""
    address: bool = False
    """It is the address of a site."""


class UnconfirmedName(msgspec.Struct, kw_only=True):
    """A name that its document alone does not show to be an entity; many documents may."""

    name: str
    evidence: Evidence
    chunks: dict[int, int] = {}
    """Ordinal of a chunk to how often it stands there."""


class Passage(msgspec.Struct, kw_only=True):
    """A sentence that tells something of an entity, word for word."""

    text: str
    score: float
    """Higher tells more; comparable over documents."""
    defines: bool = False
    """It says what the entity is."""


class EntityCandidate(msgspec.Struct, kw_only=True):
    """An entity as one document knows it, already resolved within that document."""

    name: str
    type: str
    """``Organization``, ``Person``, ``Location``, ``Concept`` or another CamelCase type."""
    aliases: list[str] = []
    description: str = ""
    """One or two sentences from the text, or empty."""
    attributes: dict[str, Any] = {}
    """From front matter: ``founded``, ``headquarters`` …"""
    confidence: float = 0.5
    declared: bool = False
    """Front matter or a title declares it: its name, type and aliases win over what other documents guess."""
    evidence: Evidence | None = None
    """Where only the tagger vouches for it: others may overrule it. ``None`` where it is an entity for certain."""
    rules: dict[str, str] = {}
    """Alias to how it was found to be one: ``bracket``, ``link``, ``surname`` …; ``stated`` where it is not here."""
    linked: bool = False
    """A wikilink points to it: the same name is the same thing wherever it is linked."""
    titled: bool = False
    """A title of a person stood before the name: ``Dr. Lovelace``."""
    passages: list[Passage] = []
    """The best sentences on it, best first."""
    weight: int = 0
    """How much speaks for a name that a document only suggests (``DefinedTerm``); 0 for every other."""
    speaks_in: str | None = None
    """The folder of a document that suggests that *we* are this entity; ``None`` for every other."""
    attends: bool = False
    """A list of attendance has it."""
    pages: list[str] = []
    """What links to the page of this entity end in, in small letters (``extraction/names/declared/page_names.py``)."""
    unsaid: bool = False
    """The title of a page, of which the page does not say what it is."""


class Mention(msgspec.Struct, kw_only=True):
    """Entity ``entity`` (index in ``Extraction.entities``) stands ``count`` times in chunk ``chunk`` (an ordinal)."""

    entity: int
    chunk: int
    count: int = 1


STATED, PLANNED = "stated", "planned"
STATUSES = (STATED, PLANNED, "claimed", "conditional")
"""What a text makes of a fact: it is so, is to be so, is so as somebody says, or is so if something else is."""
DATE_ROLES = ("happened", "measured", "due", "as_of")


class FactCandidate(msgspec.Struct, kw_only=True):
    """One statement with its evidence. ``object`` is an index in ``Extraction.entities``, or there is a value."""

    type: str
    subject: int
    object: int | None = None
    object_text: str | None = None
    """What stands in the place of an object entity: the value as written (``3.6 percent``), or ``None``."""
    value: float | None = None
    unit: str | None = None
    indicator: str | None = None
    """What a dated figure measures (``unemployment_rate``): the name of its file in ``economic_data/``."""
    description: str = ""
    date: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    status: str = STATED
    role: str | None = None
    """As what the subject stands to the object (``chief economist``), in words of the text."""
    date_role: str | None = None
    """What ``date`` is: one of ``DATE_ROLES``."""
    confidence: float = 0.5
    chunk: int
    """Ordinal of the chunk that holds the quote."""
    quote: str
    """Verbatim from the chunk's text."""
    start: int
    end: int
    """Byte span of the quote in the chunk's text."""


class TopicCandidate(msgspec.Struct, kw_only=True):
    """What one document claims of a topic: a path of names and the chunks (ordinals) that belong to the last one."""

    path: list[str]
    """The path of a tag or of a language model from the root (``["labor markets", "wages"]``), a heading after the one
    above it."""
    chunks: list[int]
    definition: str = ""
    """A sentence that says what it is, or empty."""
    source: str = "heading"
    """``tag``, ``heading``, ``part`` (of what a heading joins), ``phrase`` or ``model``: what made it."""
    lead: str = ""
    """The first sentence under a heading."""
    times: int = 1
    """How often a heading stands in the document."""
    counts: list[int] = []
    """How often a phrase stands in each of ``chunks``."""


class TopicMember(msgspec.Struct, kw_only=True):
    """A topic that nothing gives a place, to be put into a group with others by the vectors of its chunks."""

    key: str
    name: str
    chunks: list[int]
    """Row ids, with those of its subtopics."""
    phrases: list[str] = []
    """What is said most in them: a group may get its name from these."""
    subtopics: int = 0
    group: str = ""
    """Key of the group that it is in; empty for none."""
    group_name: str = ""
    size: int = 0
    """How many topics there were when its group was made."""


class TopicGroup(msgspec.Struct, kw_only=True):
    """Topics that belong together, under a name that may be that of one of them."""

    key: str
    name: str
    members: list[str]
    size: int
    """How many topics there were when the groups were made."""


class DocumentLink(msgspec.Struct, kw_only=True):
    """A link to another document as written: a wikilink's target or a relative path."""

    target: str
    kind: Literal["wikilink", "embed", "path"]
    """``embed`` is a wikilink that shows its target in its place: a note, a picture."""
    label: str = ""


class GazetteerEntry(msgspec.Struct, kw_only=True):
    """One known entity."""

    name: str
    type: str
    """Empty where no document says what it is: the texts decide."""
    aliases: list[str] = []
    declared: bool = True
    """A document declares it (else it was found before, in another document)."""
    pages: list[str] = []
    """What links to its page end in; only what no other page has."""
    unsaid: bool = False
    """It is the title of a page and nothing else; no page says what it is."""
    term: bool = False
    """Lists, tables and glossaries define it, and it is no page's subject."""


class Speaker(msgspec.Struct, kw_only=True, frozen=True):
    """Who *we* are in the documents of a folder."""

    name: str
    folder: str
    """Path on the drive; empty for all of it."""


class Gazetteer(msgspec.Struct, kw_only=True):
    """All known entities. Treated as immutable: what is compiled from it is kept by identity."""

    entries: list[GazetteerEntry] = []
    ambiguous: list[str] = []
    """Names, in lower case, that stand for no entity or for several: titles of many pages, aliases that pages share."""
    told_apart: dict[str, str] = {}
    """What pages of one name on several things are called, each by the longest of what links to it end in."""
    speakers: list[Speaker] = []
    """Their names are entries too."""
    attendees: list[str] = []
    """The full names on lists of attendance."""


class Extraction(msgspec.Struct, kw_only=True):
    """All that an extractor found in one document."""

    extractor: str
    entities: list[EntityCandidate] = []
    unconfirmed: list[UnconfirmedName] = []
    mentions: list[Mention] = []
    facts: list[FactCandidate] = []
    topics: list[TopicCandidate] = []
    links: list[DocumentLink] = []
    faults: list[str] = []
    """The rules that failed at some place of the document, so that what they would have found there is missing."""


class DefinedTerm(msgspec.Struct, kw_only=True, frozen=True):
    """A term that a document defines by its structure: a glossary, a definition list."""

    name: str
    definition: str = ""
    """Plain text, at most 300 characters; may be empty."""
    kind: str = ""
    """What the document says it is (``Person``, the name of a list of records, ``cmdlet``); empty for a term."""
    weight: int = 0
    """How much speaks for a name that the document only suggests, and says nothing of; 0 for what it defines."""


class ParsedDocument(msgspec.Struct, kw_only=True):
    """A file as text with its structure; ``text is None`` in a file that has none (kept as a binary row)."""

    mime_type: str
    path: str = ""
    """Where its row is on its drive; empty where that is not known."""
    title: str = ""
    date: str | None = None
    lead: str = ""
    """The sentence of the running text that says what the title names, else its first one; plain text."""
    terms: list[DefinedTerm] = []
    description: str = ""
    summary: str = ""
    text: str | None = None
    text_is_content: bool = True
    """The file's bytes, decoded as UTF-8, are exactly ``text`` (so that the text is not stored twice)."""
    front_matter: dict[str, Any] = {}
    tags: list[str] = []
    chunks: list[Chunk] = []
    outline: list[Heading] = []
    """All its headings, in order."""
    pages: list[int] = []
    """Where pages begin, in characters of the text; empty where there are none."""
    notes: list[str] = []
    """What was odd, one sentence each: replaced bytes, front matter that is not YAML, text too large to chunk."""
    unread: str = ""
    """One sentence: why there is no text, where the format promises some (a scan, a password, a broken file)."""


def precision(date: str | None) -> Precision | None:
    """The precision that an ISO date's length states: ``2019-10`` is ``month``."""
    if not date:
        return None
    if len(date) > 10:
        return "time"
    return {10: "day", 7: "month", 4: "year"}.get(len(date))  # type: ignore[return-value]
