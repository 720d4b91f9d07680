"""The card of a document: what it is, who speaks in it, and its main names, asked before its passages are read.

Used by the extractor dialogue; pure. A passage of a long document calls things by their short names and its author
*we*; the card says who that is, and is shown with each passage. What it says is held against the document like all
that a model says. A document of one passage has none: the passage shows it all.
"""

# Texts for a model are read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from kgfs.documents import dates
from kgfs.extraction.descriptions import cut_text
from kgfs.extraction.names.named import matches_any_case
from kgfs.llm import prompts
from kgfs.llm.answers import read_records, text_of
from kgfs.llm.evidence import FoldedText, says_only
from kgfs.llm.vocabulary import ENTITY_TYPES, OTHER
from kgfs.llm_records import LlmAnswer, LlmRequest, LlmTool
from kgfs.model import ParsedDocument

MAX_TOKENS = 1500
OPENING = 6000
"""Characters of a document's beginning that are shown, and so many at most of its headings: who writes, and about what,
is said there."""
MOST_NAMES = 12
_MAIN_NAMES = 3
"""The first of a card, which are shown above each passage."""
_MOST_SUMMARY = 800
FAILED = "card: no answer"
NAME = "card: name not in the document"
ALIAS = "card: alias not in the document"
SPEAKER = "card: speaker not in the document"
SENTENCE = "card: sentence with what the document does not say"


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


CARD_TOOL = LlmTool(
    name="record_document",
    description="What the document is, who speaks in it, and its main names.",
    input_schema={
        "type": "object",
        "properties": {
            "author": _text("Who wrote or speaks it, by name, letter for letter; empty where it does not say."),
            "we": _text("Whom *we*, *our* or *the company* means, by name, letter for letter; empty where nobody."),
            "date": _text("Its own date where it says one, ISO."),
            "title": _text("Its title where it has one, letter for letter."),
            "description": _text("One sentence of at most 25 words on what it is."),
            "summary": _text("Two to four sentences on what it says."),
            "names": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": _text("The fullest name in the document, letter for letter."),
                        "type": {"type": "string", "enum": [*ENTITY_TYPES, OTHER]},
                        "aliases": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "What else the document calls it: first name, surname, acronym, former name.",
                        },
                    },
                    "required": ["name", "type"],
                },
            },
        },
        "required": ["summary", "names"],
    },
)

CARD_SYSTEM = f"""\
You read the beginning of a document, and the headings of the rest where it is long, and say what it is with the tool
{CARD_TOOL.name} only. The card goes to readers who see the document passage by passage: it tells them who *we* and *I* are, what
kind of text it is, and who is meant by a first name, a surname or an acronym.

{prompts.DATA}

- Names are copied letter by letter from the document or its title. `names` are what the document calls by several names (`aliases`:
  a first name, surname, acronym, short or former name), each by its fullest, and the few others that it is mainly about: {MOST_NAMES} at
  most, the main ones first. Two things are two names even where they are alike.
- `author`, `we`, `date` and `title` only where the document says them. An author is somebody with a name, no job title.
- `description` and `summary` are in the language of the document, with no name or number that is not in it.
- Leave out every field that is empty."""


class CardName(msgspec.Struct):
    """A name of the document and what else it calls the same thing."""

    name: str
    type: str
    aliases: list[str] = []


class DocumentCard(msgspec.Struct):
    """What a model says of a whole document, as far as the document says it too."""

    author: str = ""
    we: str = ""
    """Whom *we* means."""
    date: str | None = None
    """The date that the document states."""
    title: str = ""
    """As it stands in the text."""
    description: str = ""
    summary: str = ""
    names: list[CardName] = []
    dropped: Counter[str] = msgspec.field(default_factory=Counter)

    def shown(self, passage: FoldedText) -> str:
        """The lines that stand above a passage: who speaks, the main names, and those that the passage has.

        Nothing else: a card is made again when its document changes, and what it says in other words would have every
        passage read again.
        """
        lines = []
        if self.author:
            lines.append(f"Author: {self.author}")
        if self.we:
            lines.append(f"We: {self.we}")
        shown = [
            name
            for place, name in enumerate(self.names)
            if place < _MAIN_NAMES
            or any(passage.name(each, any_case=True) is not None for each in (name.name, *name.aliases))
        ]
        if shown:
            lines.append(f"Names: {'; '.join(_shown(name) for name in shown)}")
        return "\n".join(lines)

    @property
    def speakers(self) -> frozenset[str]:
        """Who *we* and *I* may be, folded."""
        return frozenset(name.casefold() for name in (self.author, self.we) if name)


def _shown(name: CardName) -> str:
    also = f", also {', '.join(name.aliases)}" if name.aliases else ""
    return f"{name.name} ({name.type}{also})"


def card_request(document: ParsedDocument, date: str | None, model: str) -> LlmRequest:
    """The question for a document's card; ``date`` as its passages show it."""
    return LlmRequest(
        purpose="card",
        model=model,
        prompt_version=prompts.EXTRACT_VERSION,
        system=CARD_SYSTEM,
        content=prompts.card_content(document.title, date, _beginning(document)),
        tool=CARD_TOOL,
        max_tokens=MAX_TOKENS,
    )


def _beginning(document: ParsedDocument) -> str:
    """The opening of the text, and the headings of what follows."""
    text = document.text or ""
    if len(text) <= OPENING:
        return text
    cut = text.rfind("\n", OPENING // 2, OPENING)
    cut = cut if cut > 0 else OPENING
    seen = FoldedText(text[:cut])
    later = dict.fromkeys(
        heading for chunk in document.chunks for heading in chunk.headings[-1:] if seen.find_quote(heading) is None
    )
    outline = "\n".join(f"[…] {heading}" for heading in later)[:OPENING]
    return f"{text[:cut].rstrip()}\n\n[…]\n{outline}".rstrip()


def read_card(answer: LlmAnswer, document: ParsedDocument, whole: FoldedText) -> DocumentCard:
    """What of an answer the document says too; an empty card where there is no answer."""
    card = DocumentCard()
    if answer.error or answer.input is None or answer.stop_reason == "max_tokens":
        card.dropped[FAILED] += 1
        return card
    given = answer.input
    around = FoldedText(document.title)
    entries = given.get("names")
    said = read_records({"entities": entries[:MOST_NAMES] if isinstance(entries, list) else []})

    def stands(name: str, kind: str = "") -> bool:
        any_case = matches_any_case(name, kind)
        return whole.name(name, any_case=any_case) is not None or around.name(name, any_case=True) is not None

    for one in said.entities:
        if not stands(one.name, one.type):
            card.dropped[NAME] += 1
            continue
        aliases = [alias for alias in one.aliases if stands(alias, one.type)]
        card.dropped[ALIAS] += len(one.aliases) - len(aliases)
        card.names.append(CardName(one.name, one.type, aliases))
    _apart(card.names)
    for field in ("author", "we"):
        name = text_of(given.get(field))
        if name and stands(name):
            setattr(card, field, name)
        elif name:
            card.dropped[SPEAKER] += 1
    card.date = _stated(text_of(given.get("date")), document)
    title = text_of(given.get("title"))
    card.title = title if title and whole.find_quote(title) is not None else ""
    words = f"{document.title}\n{whole.text}"
    for field, most in (("description", 300), ("summary", _MOST_SUMMARY)):
        sentence = text_of(given.get(field))
        if sentence and says_only(sentence, words):
            setattr(card, field, cut_text(sentence, most))
        elif sentence:
            card.dropped[SENTENCE] += 1
    card.dropped = +card.dropped
    return card


def _apart(names: Sequence[CardName]) -> None:
    """Leave out an alias that is a name of its own, or of two."""
    times = Counter(alias.casefold() for name in names for alias in dict.fromkeys(name.aliases))
    own = {name.name.casefold() for name in names}
    for name in names:
        name.aliases = [alias for alias in name.aliases if times[alias.casefold()] == 1 and alias.casefold() not in own]


def _stated(date: str, document: ParsedDocument) -> str | None:
    """A date that the opening of the document states."""
    opening = (document.text or "")[:OPENING]
    return date if date and any(span.date == date for span in dates.find_dates(opening)) else None
