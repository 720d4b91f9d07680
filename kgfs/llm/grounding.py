"""What a model says of a passage, held against the passage: what does not stand there is dropped, and counted.

Used by the extractor dialogue; pure. Quotes, values and the words of dates must stand in the passage, names in it or
in its document (a text of ``we`` names itself once); a fact names one of its ends in its quote, or says ``she`` of one
that stands before it, and both ends are entities. So a text that talks a model into something, and a model that
makes something up, come to nothing but what the text says in so many words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import Stemmer

from kgfs.documents.markup import plain_sentence
from kgfs.documents.sentences import sentence_spans
from kgfs.extraction.descriptions import MAX_DESCRIPTION, cut_text
from kgfs.extraction.names.named import matches_any_case
from kgfs.extraction.topic_words import MAX_NAME, says_nothing, topic_name
from kgfs.llm import dates
from kgfs.llm.answers import ModelEntity, ModelFact, ModelRecords, clean_line
from kgfs.llm.cards import CardName, DocumentCard
from kgfs.llm.evidence import FoldedText, QuoteSpan, says_only
from kgfs.llm.numerals import is_value
from kgfs.model import PLANNED, STATED

NOT_IN_TEXT = "name not in the text"
OTHER_NAME = "kept under another name that is in the text"
ALIAS = "alias not in the text beside the name"
DESCRIPTION = "description with what the text does not say"
QUOTE = "quote not in the text"
END = "end not among the entities"
SAME_END = "both ends are one"
NEITHER = "quote names neither end"
VALUE = "value not in the quote"
NOTHING = "neither object nor value"
TWICE = "given twice"
DATES = "dates that the words contradict"
DATE_WORDS = "words on the date not in the text"
NUMBER = "number that the value does not state"
ROLE = "role not in the text"
TO_COME = "stated, and planned by its date"
TOPIC = "topic not in the text"
SUMMARY = "summary with what the text does not say"

_WORD = re.compile(r"[^\W_]{3,}")
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|we|I|his|her|its|their|our|us|my|me|him|them|who|which|the (?:company|firm|team|group|"
    r"project|product|program|tool|service|agency|office|organi[sz]ation|bank|author|founder|page|book|film))\b",
    re.I,
)
_OWN = re.compile(r"\b(?:we|our|us|I|my|me|the (?:company|firm|group))\b", re.I)
_BEFORE = 600
"""Characters before a quote in which a pronoun's name stands."""
_BY_PRONOUN = 0.8
"""What such a fact's confidence is at most."""
MOST_EXAMPLES = 20
"""Of one passage."""
_MOST_EXAMPLE = 200
_NEAR = 3
"""Sentences in which a name and another one for the same stand."""


class ShownPassage:
    """A text that was shown to a model, and the names around it that the model saw too."""

    def __init__(
        self,
        text: str,
        title: str = "",
        headings: Sequence[str] = (),
        date: str | None = None,
        document: FoldedText | None = None,
        card: DocumentCard | None = None,
    ) -> None:
        """``document`` is the whole text that the passage is of, ``card`` what is known of it."""
        self.text = text
        self.title = title
        self.headings = list(headings)
        self.date = date
        """The document's."""
        self.folded = FoldedText(text)
        self._around = FoldedText("\n".join((title, *headings)))
        self._document = document
        self._card = card or DocumentCard()

    def has(self, name: str, *, any_case: bool = False) -> bool:
        """Whether a name stands in the text or its document, or, in any case, in the title or the headings."""
        return (
            self.folded.name(name, any_case=any_case) is not None
            or self.is_titled(name)
            or (self._document is not None and self._document.name(name, any_case=any_case) is not None)
        )

    def card_name(self, name: str) -> CardName | None:
        """The name of the card that a name, or another name of it, is."""
        wanted = name.casefold()
        return next((one for one in self._card.names if wanted in map(str.casefold, (one.name, *one.aliases))), None)

    def card_names(self) -> list[CardName]:
        """The names of the card that stand in the text, or another name of theirs."""
        return [
            one
            for one in self._card.names
            if any(
                self.folded.name(name, any_case=matches_any_case(name, one.type)) is not None
                for name in (one.name, *one.aliases)
            )
        ]

    def speaks(self, entity: GroundedEntity) -> bool:
        """Whether the card says that an entity is who says *we* or *I*."""
        return any(name.casefold() in self._card.speakers for name in (entity.name, *entity.aliases))

    def is_titled(self, name: str) -> bool:
        """Whether a name stands in the title or the headings."""
        return self._around.name(name, any_case=True) is not None

    def words(self) -> str:
        """All that was shown."""
        return f"{self._around.text}\n{self._card.shown(self.folded)}\n{self.text}"


class DroppedExample(NamedTuple):
    """Something that a model said and that was not taken as it stood."""

    reason: str
    what: str


class GroundedEntity(msgspec.Struct):
    """An entity that the passage names."""

    name: str
    type: str
    aliases: list[str]
    description: str = ""


class GroundedFact(msgspec.Struct):
    """A fact that the passage states; ends are numbers of entities, the quote a place in its text."""

    type: str
    subject: int
    object: int | None
    object_text: str | None
    value: float | None
    unit: str | None
    indicator: str | None
    when: dates.DateRange
    date_role: str | None
    status: str
    role: str | None
    confidence: float
    place: QuoteSpan


class PassageFindings(msgspec.Struct):
    """What stands in one passage."""

    entities: list[GroundedEntity] = []
    facts: list[GroundedFact] = []
    topics: list[list[str]] = []
    summary: str = ""
    dropped: Counter[str] = msgspec.field(default_factory=Counter)
    examples: list[DroppedExample] = []
    """Some of what was dropped or changed."""

    def drop(self, kind: str, why: str, what: str) -> None:
        reason = f"{kind}: {why}"
        self.dropped[reason] += 1
        self._show(reason, what)

    def take_over(self, said: ModelRecords) -> None:
        """Note what was dropped when an answer was read."""
        self.dropped.update(said.dropped)
        for reason, what in said.examples:
            self._show(reason, what)

    def _show(self, reason: str, what: str) -> None:
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(DroppedExample(reason, cut_text(clean_line(what), _MOST_EXAMPLE)))


def ground_records(said: ModelRecords, passage: ShownPassage, before: PassageFindings | None = None) -> PassageFindings:
    """What of an answer stands in the passage; ``before`` was found in it already, and is part of the result."""
    found = before or PassageFindings()
    found.take_over(said)
    index = _index(found.entities)
    for entity in said.entities:
        _entity(entity, passage, found, index, said)
    for name in passage.card_names():
        # They need not be listed again.
        if name.name.casefold() not in index:
            _note_card_name(name, passage, found, index)
    known = {_identity(fact) for fact in found.facts}
    for one in said.facts:
        fact = _fact(one, passage, found, index)
        if fact is None:
            continue
        if _identity(fact) in known:
            found.drop("fact", TWICE, _told(one))
            continue
        known.add(_identity(fact))
        found.facts.append(fact)
    _topics(said.topics, passage, found, index)
    if said.summary and not found.summary:
        if says_only(said.summary, passage.words()):
            found.summary = cut_text(said.summary)
        else:
            found.drop("summary", SUMMARY, said.summary)
    return found


# --- entities ------------------------------------------------------------------------------------------------------


def _index(entities: Sequence[GroundedEntity]) -> dict[str, int]:
    index: dict[str, int] = {}
    for number, entity in enumerate(entities):
        for name in (entity.name, *entity.aliases):
            index.setdefault(name.casefold(), number)
    return index


def _entity(
    given: ModelEntity, passage: ShownPassage, found: PassageFindings, index: dict[str, int], said: ModelRecords
) -> None:
    """Note an entity by those of its names that stand in the text."""
    name, kind, aliases, description = given.name, given.type, given.aliases, given.description
    standing = [one for one in (name, *aliases) if passage.has(one, any_case=matches_any_case(one, kind))]
    if not standing:
        found.drop("entity", NOT_IN_TEXT, name)
        return
    own, *others = standing
    if own != name:
        found.drop("entity", OTHER_NAME, f"{name}: {own}")
    for alias in aliases:
        if alias not in standing:
            found.drop("entity", ALIAS, f"{name}: {alias}")
    known = passage.card_name(own)
    rivals = {entity.name.casefold() for entity in said.entities} - {name.casefold()}
    beside = []
    for alias in others:
        on_card = known is not None and passage.card_name(alias) is known
        if alias.casefold() in rivals or not (on_card or _beside(own, alias, passage)):
            found.drop("entity", ALIAS, f"{own}: {alias}")
        else:
            beside.append(alias)
    if description and not says_only(description, passage.words()):
        found.drop("entity", DESCRIPTION, description)
        description = ""
    number = index.get(own.casefold())
    if number is None:
        number = len(found.entities)
        found.entities.append(GroundedEntity(own, kind, []))
        index[own.casefold()] = number
        if own != name:
            # Facts call it by the name that the model gave it.
            index.setdefault(name.casefold(), number)
    entity = found.entities[number]
    entity.description = entity.description or cut_text(description, MAX_DESCRIPTION)
    for alias in beside:
        if index.setdefault(alias.casefold(), number) == number and alias not in (entity.name, *entity.aliases):
            entity.aliases.append(alias)


def _beside(name: str, alias: str, passage: ShownPassage) -> bool:
    """Whether two names may be one by what the text shows: they share a word or letters, stand within a few
    sentences of a paragraph, or one is in the title."""
    one, other = (set(word.casefold() for word in _WORD.findall(each)) for each in (name, alias))
    if one & other:
        return True
    short, long = sorted((name, alias), key=len)
    letters = [char for char in short.casefold() if char.isalnum()]
    initials = [word[0].casefold() for word in re.findall(r"[^\W_]+", long)]
    if len(letters) > 1 and " " not in short and _in_order(letters, initials):
        return True
    if passage.is_titled(name) or passage.is_titled(alias):
        return True
    spans = list(sentence_spans(passage.text))
    near = (
        passage.text[start : spans[min(place + _NEAR, len(spans)) - 1][1]] for place, (start, _) in enumerate(spans)
    )
    return any(name in text and alias in text for sentences in near for text in sentences.split("\n\n"))


def _in_order(letters: Sequence[str], among: Iterable[str]) -> bool:
    rest = iter(among)
    return all(letter in rest for letter in letters)


# --- facts ---------------------------------------------------------------------------------------------------------


def _identity(fact: GroundedFact) -> tuple[object, ...]:
    return fact.type, fact.subject, fact.object, fact.object_text, fact.value, fact.indicator, fact.when, fact.place


def _fact(said: ModelFact, passage: ShownPassage, found: PassageFindings, index: dict[str, int]) -> GroundedFact | None:
    """A fact whose quote, ends and value stand in the text; else ``None``, and the reason is counted."""
    place = passage.folded.find_quote(said.quote)
    if place is None:
        found.drop("fact", QUOTE, _told(said))
        return None
    quote = FoldedText(passage.text[place.start : place.end])
    subject = _end(said.subject, passage, found, index)
    object_ = _end(said.object, passage, found, index) if said.object else None
    if subject is None or (said.object and object_ is None):
        found.drop("fact", END, _told(said))
        return None
    if subject == object_:
        found.drop("fact", SAME_END, _told(said))
        return None
    value_text = beside = None
    if object_ is not None and said.value_text:
        where = quote.find_quote(said.value_text)
        beside = None if where is None else quote.text[where.start : where.end]
        if beside is None:
            found.drop("value", VALUE, f"{said.value_text}: {_told(said)}")
    if object_ is None:
        if not said.value_text:
            found.drop("fact", NOTHING, _told(said))
            return None
        where = quote.find_quote(said.value_text)
        if where is None:
            found.drop("fact", VALUE, _told(said))
            return None
        value_text = quote.text[where.start : where.end]
    ends = [found.entities[end] for end in (subject, object_) if end is not None]
    named = any(_named(end, quote) for end in ends)
    if not named and object_ is not None and not _by_pronoun(ends, place, quote, passage):
        found.drop("fact", NEITHER, _told(said))
        return None
    words = said.date_words
    if words and passage.folded.find_quote(words) is None:
        found.drop("date", DATE_WORDS, f"{words}: {_told(said)}")
        words = ""
    when, contradicted = dates.settle_dates(words, said.when, quote.text, passage.date, passage.words())
    if contradicted:
        found.drop("date", DATES, f"{words} {tuple(said.when)}: {_told(said)}")
    figure = value_text or beside
    value = said.value if figure and is_value(said.value, figure) else None
    if said.value is not None and value is None and figure:
        found.drop("value", NUMBER, f"{said.value:g}: {_told(said)}")
    role = said.role
    if role and passage.folded.find_quote(role) is None:
        found.drop("role", ROLE, f"{role}: {_told(said)}")
        role = ""
    return GroundedFact(
        type=said.type,
        subject=subject,
        object=object_,
        object_text=value_text,
        value=value,
        # A number that is not that of the value speaks against its unit, too.
        unit=(said.unit or None) if value is not None or (figure and said.value is None) else None,
        indicator=(said.indicator or None) if value_text is not None else None,
        when=when,
        date_role=said.date_role if when.date is not None else None,
        status=_status(said, when, passage.date, found),
        role=role or None,
        confidence=said.confidence if named else min(said.confidence, _BY_PRONOUN),
        place=place,
    )


def _end(name: str, passage: ShownPassage, found: PassageFindings, index: dict[str, int]) -> int | None:
    """The entity at an end of a fact; one that the model forgot to list is none, unless another name of it is."""
    number = index.get(name.casefold())
    if number is not None:
        return number
    known = passage.card_name(name)
    if known is not None:
        return _note_card_name(known, passage, found, index)
    return index.get(re.sub(r"^(?:the|an?)\s+", "", name, flags=re.I).casefold()) if passage.has(name) else None


def _note_card_name(known: CardName, passage: ShownPassage, found: PassageFindings, index: dict[str, int]) -> int:
    """Note an entity of the card, which the model was shown above the passage, by its names that stand there."""
    number = index.get(known.name.casefold(), len(found.entities))
    if number == len(found.entities):
        aliases = [alias for alias in known.aliases if passage.folded.name(alias) is not None]
        found.entities.append(GroundedEntity(known.name, known.type, aliases))
    for each in (known.name, *known.aliases):
        index.setdefault(each.casefold(), number)
    return number


def _status(said: ModelFact, when: dates.DateRange, document_date: str | None, found: PassageFindings) -> str:
    """What the text makes of a fact: what begins after the day of the document is not so yet."""
    begins = when.date or when.valid_from
    if said.status != STATED or begins is None or document_date is None:
        return said.status
    exact = min(len(begins), len(document_date))
    if begins[:exact] <= document_date[:exact]:
        return said.status
    found.drop("status", TO_COME, f"{begins}: {_told(said)}")
    return PLANNED


def _told(said: ModelFact) -> str:
    """A fact in some words, for those who look up what was dropped."""
    return f"{said.subject} {said.type} {said.object or said.value_text} “{said.quote}”"


def _named(entity: GroundedEntity, quote: FoldedText) -> bool:
    return any(
        quote.name(name, any_case=matches_any_case(name, entity.type)) is not None
        or (entity.type == "Person" and " " in name and quote.name(name.split()[-1]) is not None)
        for name in (entity.name, *entity.aliases)
    )


def _by_pronoun(ends: Sequence[GroundedEntity], place: QuoteSpan, quote: FoldedText, passage: ShownPassage) -> bool:
    """Whether a quote that names no end speaks of one by a pronoun, and the text before it, or the title, names it."""
    if _PRONOUN.search(quote.text) is None:
        return False
    before = FoldedText(passage.text[max(0, place.start - _BEFORE) : place.start])
    own = _OWN.search(quote.text) is not None
    if own and any(passage.speaks(end) for end in ends):
        return True
    return any(
        _named(end, before)
        or any(passage.is_titled(name) or (own and passage.has(name)) for name in (end.name, *end.aliases))
        for end in ends
    )


# --- topics --------------------------------------------------------------------------------------------------------


def _topics(
    paths: Sequence[Sequence[str]], passage: ShownPassage, found: PassageFindings, index: dict[str, int]
) -> None:
    """Note topics that the text speaks of: down to the last name that has a word of it."""
    words = passage.words().casefold()
    stemmer = Stemmer.Stemmer("english")  # for one thread
    stems = set(stemmer.stemWords(_WORD.findall(words)))
    concepts = {entity.name.casefold() for entity in found.entities if entity.type == "Concept"}
    for path in paths:
        names = [topic_name(plain_sentence(name).text) for name in path]
        good = [
            name
            for name in names
            if 1 <= len(name.split()) <= 5
            and len(name) <= MAX_NAME
            and not says_nothing(name)
            and (name not in index or name in concepts)
        ]
        said = [
            re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) is not None
            or not stems.isdisjoint(stemmer.stemWords(_WORD.findall(name)))
            for name in names
        ]
        lowest = max((place for place, one in enumerate(said) if one), default=-1)
        path = [name for name in dict.fromkeys(names[: lowest + 1]) if name in good]
        if not path or path[-1] != names[-1]:
            found.drop("topic", TOPIC, " > ".join(names))
        if path and path not in found.topics:
            found.topics.append(path)
