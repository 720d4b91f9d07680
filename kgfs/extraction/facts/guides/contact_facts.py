"""Whom a page says that one can ask about what: by front matter, sentences, labels beside addresses, lists of channels.

Used by ``guide_facts``, which makes facts of it; the patterns stand in ``contacts``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kgfs.documents.formats.registry import format_of
from kgfs.extraction.facts.guides.contacts import (
    Contact,
    FrontContact,
    asked_about,
    asks_writers,
    contacts_in,
    front_contacts,
    is_in_banner,
    is_of_channels,
    is_of_contacts,
    is_of_help,
    labelled_contacts,
    listed_channels,
    named_subject,
)
from kgfs.extraction.facts.marks import with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.rejected_documents import is_blog_post
from kgfs.extraction.names.declared.filed_types import is_type_tag
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit
from kgfs.model import ParsedDocument

Links = Callable[[Unit], Sequence[tuple[str, int]]]
"""The labels of a unit's links that lead to the page of an entity, with the entity."""
_ASKED = frozenset(
    "Concept Event Task Law Product Technology Command Module Class Function Service Organization Work".split()
) | {PAGE}
"""Types of pages about what one can ask somebody."""


class AskedContact(NamedTuple):
    """A contact, and what one asks it about."""

    rule: str
    type: str
    subject: int
    contact: Contact


class _Item(NamedTuple):
    """An item of a list beneath which others stand."""

    indent: int
    headings: tuple[str, ...]
    ref: int | None
    """What it is called after."""


class ContactFacts:
    """The contacts of one document, read unit by unit in order."""

    def __init__(
        self,
        lexicon: Lexicon,
        types: NameTypes,
        document: ParsedDocument,
        about: Callable[[Sequence[str]], int | None],
        links: Links,
    ) -> None:
        """``about`` is the entity that a section is about."""
        self._lexicon, self._types, self._document = lexicon, types, document
        self._about, self._links = about, links
        self._page = None if lexicon.page is None else lexicon.resolved(lexicon.page)
        speaker = lexicon.speaker()
        self._speaker = None if speaker is None else lexicon.resolved(speaker)
        self._is_post = is_blog_post(document)
        structure = format_of(document.mime_type)
        self._has_records = structure is not None and structure.structure == "records"
        self._contacts_of: tuple[str, ...] | None = None
        """The headings above the label *Contact:* beneath which items stand."""
        self._items: list[_Item] = []

    def in_front_matter(self) -> Iterator[FrontContact]:
        """Whom the front matter names as who is asked about the page."""
        if self._page is not None:
            yield from front_contacts(self._document.text or "", self._document.front_matter)

    def read(self, unit: Unit, spans: Sequence[NameSpan]) -> Iterator[AskedContact]:
        """What a unit says of whom to ask."""
        if self._has_records:
            return  # the address of a record
        above = self._item_above(unit, spans)
        labelled = [
            AskedContact("guide.labelled_contact", "HAS_CONTACT", ref, contact)
            for label, contact in labelled_contacts(unit.quote)
            if (ref := above if not label else self._called(label, unit, spans)) is not None
        ]
        yield from labelled
        known = {one.contact for one in labelled}
        if unit.content.text.lstrip().startswith(("|", "<")):
            return  # an example, a value
        yield from (one for one in self._asked(unit, spans) if one.contact not in known)
        yield from (one for one in self._channels(unit) if one.contact not in known)

    # --- labels ------------------------------------------------------------------------------------------------------

    def _called(self, label: str, unit: Unit, spans: Sequence[NameSpan]) -> int | None:
        """The entity that a label beside a contact means."""
        for said, linked in self._links(unit):
            if said == label:
                return self._lexicon.resolved(linked)
        start = unit.content.text.find(label)
        named = next((one.ref for one in spans if (one.start, one.end) == (start, start + len(label))), None)
        entry = self._lexicon.known_entry(label) if named is None else named
        ref = None if entry is None else self._lexicon.resolved(entry)
        return ref if ref is not None and self._types.is_sure(ref) else None

    def _item_above(self, unit: Unit, spans: Sequence[NameSpan]) -> int | None:
        """What the item is called after beneath which this one stands."""
        line = unit.chunk.text.rfind("\n", 0, unit.start) + 1
        opening = re.fullmatch(r"([ \t]*)[-*+] ", unit.chunk.text[line : unit.start])
        if opening is None:
            return None
        indent = len(opening[1].expandtabs(4))
        while self._items and (self._items[-1].indent >= indent or self._items[-1].headings != unit.headings):
            self._items.pop()
        above = self._items[-1].ref if self._items else None
        label = unit.content.text.strip(" *_")
        whole = next((ref for said, ref in self._links(unit) if said == label), None)
        if whole is None and len(spans) == 1 and unit.content.text[spans[0].start : spans[0].end] == label:
            whole = spans[0].ref
        self._items.append(_Item(indent, unit.headings, None if whole is None else self._lexicon.resolved(whole)))
        return above

    # --- sentences ---------------------------------------------------------------------------------------------------

    def _channels(self, unit: Unit) -> Iterator[AskedContact]:
        """The channels that the list of a section on a chat names."""
        if self._page is None or not any(map(is_of_channels, unit.headings[-2:])):
            return
        kind = self._types.given_type(self._page)
        if kind in _ASKED:
            type_ = "COVERS" if kind == PAGE else "HAS_CHANNEL"
            yield from (
                AskedContact("guide.channel", type_, self._page, contact) for contact in listed_channels(unit.quote)
            )

    def _asked(self, unit: Unit, spans: Sequence[NameSpan]) -> Iterator[AskedContact]:
        subject = self._asked_about(unit, spans)
        if subject is None or self._types.given_type(subject) not in _ASKED:
            return
        if is_of_contacts(unit.content.text):
            self._contacts_of = unit.headings
        elif unit.content.text.rstrip("*_ ").endswith(":"):
            self._contacts_of = None  # another label
        beneath = bool(unit.headings) and is_of_contacts(unit.headings[-1])
        listed = beneath or self._contacts_of == unit.headings
        if not listed and unit.content.text.lstrip("\\*_ ").startswith("#"):
            return  # "#lamps for news of lamps": what each channel of a list is for
        for one in contacts_in(unit.content.text, unit.quote, listed=listed):
            if one.type == "Channel" and is_type_tag(one.name[1:]):
                continue
            place = unit.chunk.text.find(one.name, unit.start, unit.end)
            if not is_in_banner(unit.chunk.text, max(place, unit.start)):
                yield AskedContact("guide.contact", "HAS_CONTACT", subject, one)

    def _asked_about(self, unit: Unit, spans: Sequence[NameSpan]) -> int | None:
        """What a sentence says one can ask about: what it names, its section's entity, or the page, where it stands
        outside of sections or beneath a heading of help."""
        mark = asked_about(with_marks(unit.content.text, spans))
        if mark is not None and self._types.tool_type(spans[mark].ref):
            return spans[mark].ref
        if self._is_about_another(named_subject(unit.content.text)):
            return None
        above = unit.headings[:-1] if unit.headings and is_of_help(unit.headings[-1]) else unit.headings
        section = self._about(above)
        if section is not None and self._lexicon.resolved(section) != self._page:
            # Of a part of the section, which has another name, it says nothing.
            return self._lexicon.resolved(section) if section != self._about(above[:-1]) else None
        if len(unit.headings) > 1 and not is_of_help(unit.headings[-1]) and self._contacts_of != unit.headings:
            return None  # whom to ask about what this section is about
        if self._is_post:  # "ask us" is about those who write, and of its own headline a post says nothing
            return self._speaker if asks_writers(unit.content.text, headline=self._page is not None) else None
        return self._page if self._page is not None else self._speaker

    def _is_about_another(self, name: str) -> bool:
        """Whether a name that one can ask about is not what the page is about, or only a part: *Lumen and Tarn*."""
        if not name or self._page is None:
            return False
        named = [one.casefold() for one in self._types.names(self._page)]
        return all(name.casefold() not in one or " and " in one for one in named)
