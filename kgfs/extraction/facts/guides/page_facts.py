"""What a page says of its subject otherwise than by clauses: by links, lists, tables, sections, and as ``see also``.

Used by ``fact_reader``. The facts go into the list that all readers of the document share, since one that is told
already is not told again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kgfs.extraction.facts.guides import contents_lists, page_links
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of, quote_from, quote_from_place
from kgfs.extraction.facts.marks import with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.structured import structure
from kgfs.extraction.faults import Faults
from kgfs.extraction.links import is_front_page, leads_beneath, path_keys, references, sentence_links, target_name
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit
from kgfs.model import ParsedDocument
from kgfs.relation_types import may_join

_BEFORE_LABEL = ' *-+•_`|"“0123456789.)'
"""What may stand before the link with which an item opens."""
_OF_PAGES = frozenset({"SEE_ALSO", "COVERS", "HAS_CONTACT"})
"""What is said of a page that is about no thing: the rest of it is said of something else, or of nobody."""
_SITES = frozenset({"Product", "Organization", "Technology", "Person", "Website"})
"""What a link to another site is no page on, but the thing itself."""
_CONTENTS = re.compile(r"^[ \t]*\.\. toctree::[^\n]*\n(?:[ \t]++[^\n]++\n|[ \t]*+\n)*+[ \t]*\Z", re.M)
"""The directive in whose lines a row stands that begins behind it."""
_CONTENTS_ENTRY = re.compile(r"[^<>\n]{1,200}<(?P<target>[^<>\s]{1,300})>|(?P<path>[^<>\s*]{1,300})")
_THIS_PAGE = re.compile(
    r"This (?:page|document|policy|guide|handbook|process|procedure|standard|guidance|site|playbook|plan)(?= )"
)
_SAYING = frozenset({"structure.item", "structure.row"})
"""Rules of items and rows that say something of the name with which they begin."""
_Told = tuple[str, int, int]
"""Type, subject and object of a fact."""


class PageFacts:
    """The facts of a page about a thing."""

    def __init__(
        self,
        lexicon: Lexicon,
        types: NameTypes,
        units: Sequence[Unit],
        spans: Sequence[list[NameSpan]],
        document: ParsedDocument,
        facts: list[LexiconFact],
        faults: Faults,
    ) -> None:
        """``spans`` are the resolved names of each unit; ``facts`` is added to."""
        self._place = document.path
        self._is_rst = document.mime_type == "text/x-rst"
        self._found_links: dict[int, list[tuple[str, int]]] = {}
        """The links of units that were asked for, by the unit's identity."""
        self._beneath: set[int] = set()
        """What the links of a front page lead down to: what it is the head of."""
        self._outside: set[int] = set()
        """What links to other sites lead to, by their labels."""
        self._is_front = is_front_page(document.path)
        self._contents = contents_lists.contents_items(units)
        """The items of lists of contents, by their identity."""
        self._faults = faults
        self._lexicon = lexicon
        self._types = types
        self._units = units
        self._spans = spans
        self._facts = facts
        self._references = references(document.text or "")
        self._subject = None if lexicon.page is None else lexicon.resolved(lexicon.page)
        """What the page is about, else the page."""
        self._page = structure.PageStructure(
            units, spans, self._subject, types.is_sure, types.is_term, self.links, self._outside.__contains__,
            self._part, faults,
        )  # fmt: skip

    def _part(self, name: str) -> int | None:
        """The entry of a component that a heading names; ``None`` where that is an ordinary word."""
        if name.isalpha() and any(map(self._lexicon.is_word, (name.title(), name.title().removesuffix("s")))):
            return None
        ref = self._lexicon.resolved(self._lexicon.get(name))
        named = self._lexicon.named[ref]
        if named.name.lower() != named.name:
            return None  # a part that is called *json* is not JSON
        if not named.known and not named.declared:
            named.vote("Product", 0.8)
            named.defined = True
        return ref

    def about(self, headings: Sequence[str]) -> int | None:
        """The entity that a section is about, as ``PageStructure.about``; once the structure was read."""
        return self._page.about(headings)

    def begins_with_page(self, unit: Unit) -> bool:
        """Whether a sentence begins with ``This page`` or another word for what it stands on."""
        return (
            self._subject is not None
            and self._types.given_type(self._subject) in (PAGE, "Concept", "Work", "Law")
            and _THIS_PAGE.match(unit.content.text) is not None
        )

    def with_links(self, unit: Unit, spans: list[NameSpan], *, page: bool = False) -> list[NameSpan]:
        """The names of a sentence with the links in it that lead to pages: each means what its page is about.

        A name that is only part of a link's label gives way to it. With ``page`` the words ``This page`` are a name.
        """
        text = unit.content.text
        found = list(spans)
        for label, ref in self.links(unit):
            start = text.find(label)
            if start < 0 or ref in self._outside or not self._is_name_of(label, ref):
                continue  # "[end-to-end encryption](security.md)" is not what that page is about
            end = start + len(label)
            touching = [span for span in found if span.start < end and start < span.end]
            if any(span.ref == ref or span.start < start or span.end > end for span in touching):
                continue
            if any(span.start == start and span.end == end for span in touching):
                continue
            found = [span for span in found if span not in touching] + [NameSpan(start, end, ref)]
        opening = _THIS_PAGE.match(text) if page and self.begins_with_page(unit) else None
        if opening is not None and self._subject is not None and all(span.start >= opening.end() for span in found):
            found.append(NameSpan(0, opening.end(), self._subject))
        return sorted(found, key=lambda span: span.start)

    def _is_name_of(self, label: str, ref: int) -> bool:
        named = self._lexicon.named[ref]
        said = label.casefold().removeprefix("the ")
        return any(
            said in (name, f"{name}s", name.removesuffix("s"))
            for name in (other.casefold().removeprefix("the ") for other in (named.name, *named.aliases))
        )

    def pointed_to(self, unit: Unit, spans: list[NameSpan], heading: Unit | None) -> None:
        """The entities to which a page sends its reader for more of its subject."""
        if self._subject is None:
            return
        text, labels = unit.content.text, [(link.start, link.end) for link in unit.content.links]
        marks = list(page_links.pointed_to(with_marks(text, spans))) if unit.kind == "sentence" else []
        rule = "leads.see_also"
        if (
            page_links.is_for_more(unit.headings)
            and len(spans) == 1
            and text.strip(" *-.") == text[spans[0].start : spans[0].end]
        ):
            marks, rule = [0], "leads.listed_also"
        for mark in marks:
            other = spans[mark]
            # Of "the Accessibility Guide" only a part is a name that is known: that is another thing.
            cut = any(
                start < other.end and other.start < end and (start, end) != (other.start, other.end)
                for start, end in labels
            )
            if not cut and other.ref != self._subject and self._types.is_given(other.ref):
                candidate = candidate_of(unit, "SEE_ALSO", 0.7)
                if rule == "leads.listed_also" and heading is not None:
                    quote_from(candidate, heading, unit)
                self._facts.append(LexiconFact(rule, candidate, self._subject, other.ref, unit))
        if page_links.is_for_more(unit.headings):
            self._listed_links(unit, heading)

    def _listed_links(self, unit: Unit, heading: Unit | None) -> None:
        """The pages that the items beneath *See also* lead to, whatever they call them."""
        told = {fact.object for fact in self._facts if fact.candidate.type == "SEE_ALSO"}
        opening = unit.content.text.lstrip(_BEFORE_LABEL)
        for label, ref in self.links(unit):
            if label and opening.startswith(label) and ref != self._subject and ref not in told:
                candidate = candidate_of(unit, "SEE_ALSO", 0.7)
                if heading is not None:
                    quote_from(candidate, heading, unit)
                assert self._subject is not None
                self._facts.append(LexiconFact("leads.listed_link", candidate, self._subject, ref, unit))

    def from_structure(self) -> None:
        """What the lists, tables and sections of the page say of its names."""
        told = {(fact.subject, fact.object) for fact in self._facts if fact.candidate.type != "SEE_ALSO"}
        pointed = {(fact.subject, fact.object) for fact in self._facts}
        read = list(self._page.read())
        told_of = Counter(one.object for one in read if one.rule in _SAYING)
        for one in read:
            if one.rule in _SAYING and told_of[one.object] > 1:
                continue  # a label: of each finding it is said which part it is of
            if one.type == "COVERS" and one.rule == "structure.beneath" and id(one.last) in self._contents:
                continue  # the page that the item leads to, which its link says
            known = pointed if one.type == "SEE_ALSO" else told
            types = (self._types.given_type(one.subject), self._types.given_type(one.object))
            if (one.subject, one.object) in known or not may_join(one.type, *types):
                continue
            if PAGE in types and one.type not in _OF_PAGES:
                continue
            type_ = self._listed_type(one.last, one.subject, one.object) if one.rule == "structure.link" else one.type
            if not type_:
                continue
            known.add((one.subject, one.object))
            candidate = candidate_of(one.last, type_, one.confidence)
            if one.first is not one.last:
                quote_from(candidate, one.first, one.last)
            self._facts.append(LexiconFact(one.rule, candidate, one.subject, one.object))

    def from_contents(self) -> None:
        """The pages that a table of contents of reStructuredText names: what the page they stand on is the head of."""
        if self._subject is None or not self._is_rst:
            return
        for unit in self._units:
            found = _CONTENTS.search(unit.chunk.text, 0, unit.start) if unit.kind == "row" else None
            if found is None:
                continue
            entry = _CONTENTS_ENTRY.fullmatch(unit.quote.strip())
            ref = self._page_of(entry["target"] or entry["path"]) if entry is not None else None
            ref = None if ref is None else self._lexicon.resolved(ref)
            if ref is None or not self._types.is_given(ref) or ref == self._subject:
                continue
            if not self._covers_page(ref):
                continue
            candidate = candidate_of(unit, "COVERS", 0.8)
            quote_from_place(candidate, found.start(), unit)
            self._facts.append(LexiconFact("structure.contents", candidate, self._subject, ref, unit))

    def from_sentences(self) -> None:
        """To which pages sentences send a reader for more of the page's subject."""
        told: set[_Told] = {
            (fact.candidate.type, fact.subject, fact.object) for fact in self._facts if fact.object is not None
        }
        for unit in self._units:
            with self._faults.within("page", self._facts):
                self._from_sentence(unit, told)

    def _from_sentence(self, unit: Unit, told: set[_Told]) -> None:
        text = unit.content.text
        subject = self._page.about(unit.headings) if unit.kind in ("sentence", "row") else None
        if subject is None or text.startswith("|"):
            return
        for label, ref in self.links(unit):
            alone = page_links.is_alone(text, label)
            if alone and ref in self._outside:
                continue  # an item of a list of other people's sites
            if page_links.is_navigation(label):
                continue
            named = ref in self._outside and self._types.given_type(ref) in _SITES
            if named and not page_links.is_seen(text, label):
                continue  # "Follow us on [Lampster](https://…)": what one does there
            if page_links.points_to(text, label):
                type_ = self._listed_type(unit, subject, ref) if alone else "SEE_ALSO"
                if type_:
                    self._add((type_, subject, ref), unit, told)

    def _listed_type(self, unit: Unit, subject: int, ref: int) -> str:
        """What a link that is an item of a list says; nothing where a list of contents leads to no page.

        The front page of a folder covers the pages beneath it, a list of contents those that it leads to.
        """
        if page_links.is_for_more(unit.headings):
            return "SEE_ALSO"
        if id(unit) in self._contents:
            return "COVERS" if subject == self._subject and self._covers_page(ref) else ""
        types = (self._types.given_type(subject), self._types.given_type(ref))
        covers = subject == self._subject and ref in self._beneath and may_join("COVERS", *types)
        return "COVERS" if covers else "SEE_ALSO"

    def _covers_page(self, ref: int) -> bool:
        """Whether what a list of contents leads to is a page, and the list more than its links."""
        if self._subject is None or len(self._contents) > contents_lists.MOST_PAGES:
            return False
        type_ = self._types.given_type(ref)
        return (
            type_ in contents_lists.PAGES
            and not contents_lists.is_mere_contents(self._types.name(self._subject))
            and may_join("COVERS", self._types.given_type(self._subject), type_)
        )

    def _add(self, fact: _Told, unit: Unit, told: set[_Told]) -> None:
        """Where a sentence sends the reader of a page or a section, once."""
        type_, subject, object_ = fact
        types = (self._types.given_type(subject), self._types.given_type(object_))
        if subject != object_ and fact not in told and may_join(type_, *types):
            told.add(fact)
            candidate = candidate_of(unit, type_, 0.65)
            # What a link leads to is an entity here too, where its name does not stand in the text.
            shown = type_ == "SEE_ALSO" or PAGE in types
            self._facts.append(LexiconFact("page.link", candidate, subject, object_, unit, shows_ends=shown))

    def links(self, unit: Unit) -> list[tuple[str, int]]:
        """The labels of the links in a sentence or an item that lead to the page of an entity, with the entity."""
        known = self._found_links.get(id(unit))
        if known is not None:
            return known
        found: list[tuple[str, int]] = []
        if "[" not in unit.quote and not (self._is_rst and "`" in unit.quote):
            return found
        for label, target in sentence_links(unit.quote, self._references):
            if not any(map(str.isalnum, label)):
                continue  # "↩" leads back from a note
            page = self._page_of(target)
            ref = page
            if ref is None and ("/" not in target or "://" in target):
                ref = self._lexicon.known_entry(label)
            if ref is None or not self._types.is_given(ref := self._lexicon.resolved(ref)):
                continue
            found.append((label, ref))
            if "://" in target and page is None:
                self._outside.add(ref)
            if self._is_front and leads_beneath(target):
                self._beneath.add(ref)
        self._found_links[id(unit)] = found
        return found

    def _page_of(self, target: str) -> int | None:
        """The entity to whose page a link leads, else the one that a target without a path names.

        A path leads to a page, or to nothing that is known: in each folder is a *Research* of its own.
        """
        keys = path_keys(target, self._place)
        ref = self._lexicon.page_entry(*keys)
        if ref is not None:
            return ref
        return self._lexicon.known_entry(target_name(target)) if keys and "/" not in target else None
