"""What is known of the names that may be ends of facts: whether they are entities, and of which type.

Used by the readers of facts. It asks the lexicon, which learns while facts are read: nothing here is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.facts import ends
from kgfs.extraction.facts.lexicon_facts import LexiconFact
from kgfs.extraction.facts.sentences import proximity
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.evidence import may_be_person
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameFindings, NameSpan
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import PLACES
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO, is_known_software
from kgfs.relation_types import RELATION_TYPES, entity_types, is_thing, may_join

SURE_ALONE = 0.75
"""Types so sure that two names are entities since a clause joins them."""
_SHOWN, _OF_MAKER = 0.7, 0.96
"""How sure a type is that a fact shows of its end; of a maker, surer than of the software that is called so."""
_TAKEN_FOR = frozenset({"Person", "Location", "Work", "Event", "Facility", "Group", "Organization"})
_STATED = 0.6
"""That of a name which its markup shows: enough for an end of a fact, not for an entity without one."""
_TAGGED = 0.5
"""How sure a type is that the tagger gave once, and nothing else."""
SURE = 0.55
"""A type that more than one sentence shows."""


ONE_OF_MANY = frozenset(
    "API APIs UI UX CLI GUI IDE SDK OS URL URLs IP PDF CPU GPU RAM RPC VM VPN USB CI CD AI HTTP HTTPS TCP UDP DNS TLS "
    "SSL".split()
)
"""What is one of many: who needs an API needs some API."""
_NAME = re.compile(r"[A-Z][\w.+-]*[a-z0-9A-Z][\w.+-]*(?: [A-Z][\w.+-]*){0,3}")


_BY_PERSONS = frozenset("DIRECTED WROTE COMPOSED ILLUSTRATED TRANSLATED EDITED STARRED_IN".split())
_BY_BODIES = frozenset("DISTRIBUTED MANUFACTURES OPERATES PUBLISHED RELEASED".split())
_FULL_NAME = re.compile(r"[A-Z][\w.'’-]*(?: (?:[A-Z][\w.'’-]*|de|van|von|der|da|di|la|af)){1,3}")
_OF_FIRM = re.compile(
    r"\b(?:Studios?|Pictures|Films?|Productions?|Press|Company|Group|Books|Media|Entertainment|Brothers|Team)\b"
)


class NameTypes:
    """The names of a document, as ends of its facts."""

    def __init__(self, lexicon: Lexicon, text: str) -> None:
        """``text`` is the whole document."""
        self._lexicon = lexicon
        self._text = text

    def name(self, ref: int) -> str:
        return self._lexicon.named[ref].name

    def names(self, ref: int) -> tuple[str, ...]:
        """The name and the aliases of an entry."""
        named = self._lexicon.named[ref]
        return (named.name, *named.aliases)

    def is_given(self, ref: int) -> bool:
        """Whether a name is an entity whatever the sentences show: declared, explained, or known from elsewhere."""
        named = self._lexicon.named[ref]
        return named.known or named.declared or named.defined

    def is_sure(self, ref: int) -> bool:
        """Whether a name is an entity for certain, or its type is nearly so."""
        best = self._lexicon.named[ref].best
        return self.is_given(ref) or (best is not None and best[1] >= SURE_ALONE) or self._is_software(ref)

    def _is_software(self, ref: int) -> bool:
        """Whether a name is that of well-known software and nothing shows that something else is meant."""
        best = self._lexicon.named[ref].best
        return best is not None and best[0] == "Product" and is_known_software(self.name(ref))

    def is_term(self, ref: int) -> bool:
        """Whether a name is that of something a page can explain: nobody, no place, no ordinary word."""
        name = self.name(ref)
        return is_thing(self.page_end(ref)) and not self._lexicon.is_word(name) and name not in ONE_OF_MANY

    def tool_type(self, ref: int) -> str:
        """The type of a name that is an entity, and one thing; empty for a page and for one of many."""
        type_ = self.page_end(ref)
        return "" if type_ == PAGE or self.name(ref) in ONE_OF_MANY else type_

    def is_class_of(self, ref: int, other: int) -> bool:
        """Whether one of two names is the word with which the other begins: *the SIG* beside *SIG Auth*."""
        short, long = sorted((self.name(ref), self.name(other)), key=len)
        return short.isupper() and long.startswith(f"{short} ")

    def best(self, ref: int) -> str:
        """The most likely type; empty where nothing shows one."""
        best = self._lexicon.named[ref].best
        return best[0] if best is not None else ""

    def given_type(self, ref: int) -> str:
        """The type of a name that is an entity for certain: a term where nothing shows what it is."""
        return self.best(ref) or "Concept"

    def end_type(self, span: NameSpan) -> str:
        """The type of a name that may be an end of an open relation; empty where its type is not sure."""
        ref = self._lexicon.resolved(span.ref)
        if self.is_given(ref):
            return self.given_type(ref)
        best = self._lexicon.named[ref].best
        if best is None:
            return ""
        whole = best == ("Person", _TAGGED) and _FULL_NAME.fullmatch(self.name(ref)) and may_be_person(self.name(ref))
        return best[0] if best[1] >= SURE or whole or self._is_software(ref) else ""

    def thing_type(self, ref: int) -> str:
        """The type of a name of which little is known, where a clause joins it with an entity; empty for a word.

        It is what the tagger saw, else that of a thing.
        """
        name, best = self.name(ref), self.best(ref)
        lexicon = self._lexicon
        employs = False
        if self._is_guess(ref):
            employs = f" at {name}" in self._text
            if employs or lexicon.named[ref].acts:
                best = "Organization"
            elif best != "Person":  # of somebody a text may say no more than a first name
                best = "Product"
        if best in ("Person", "Location", "Law", "Event", "Work", "Group") or _NAME.fullmatch(name) is None:
            return ""
        inside = re.search(r"[a-z][A-Z]|\w\.\w", name) is not None  # "AlertManager", "GOV.UK"
        if " " in name:
            inside = inside or not re.search(r"[a-rt-z]s$", name)  # "Platform Users" are many
        # Letters stand in small in addresses, too: "tts-software@gsa.gov".
        small = lexicon.in_lower_case(name) and not (employs or name.isupper())
        if not inside and (lexicon.is_word(name) or lexicon.wording.plain(name) or small):
            return ""
        lexicon.named[ref].vote(best or "Product", SURE_ALONE)
        return best or "Product"

    def show_each_other(self, ref: int, other: int) -> bool:
        """Whether two names are entities since a clause joins them: one is so for certain, or both are rather so."""
        if self.is_sure(ref) or self.is_sure(other):
            return True
        both = [self._lexicon.named[one].best for one in (ref, other)]
        return all(best is not None and best[1] >= SURE for best in both)

    def state(self, name: str, type_: str) -> int:
        """The entry of a name that a sentence shows by its markup to be one; its type stands where nothing shows
        another."""
        ref = self._lexicon.resolved(self._lexicon.get(name))
        named = self._lexicon.named[ref]
        named.count += 1
        if named.best is None or not (named.known or named.declared):
            named.vote(type_, _STATED)
        return ref

    def _is_only_taken(self, ref: int) -> bool:
        """Whether nothing but the tagger says that a name is somebody's, a place's, a body's or a work's."""
        named = self._lexicon.named[ref]
        best, name = named.best, named.name
        if best is None or best[0] not in _TAKEN_FOR or best[0] in named.shown or named.known or named.declared:
            return False
        return name not in PLACES and name.partition(" ")[0] not in words.GIVEN_NAMES

    def _is_guess(self, ref: int) -> bool:
        """Whether nothing but a few tags say that a name of one word is somebody's or a place's."""
        named = self._lexicon.named[ref]
        few = named.best is not None and named.best[1] < SURE
        return few and " " not in named.name and self._is_only_taken(ref)

    def as_software(self, ref: int) -> str:
        """The type of what a clause joins with software, where only the tagger takes it for somebody, a place, a work;
        empty where more shows what it is."""
        named = self._lexicon.named[ref]
        best, name = named.best, named.name
        if best is None or not self._is_only_taken(ref) or self._lexicon.is_word(name):
            return ""
        if best[0] == "Person" and " " in name and may_be_person(name):
            return ""
        named.vote("Product", min(1.0, best[1] + 0.01))
        return "Product"

    def show_work(self, ref: int) -> None:
        """Let a name be that of a work, unless much speaks against it."""
        self._lexicon.named[ref].vote("Work", 0.9)

    def show_person(self, ref: int) -> None:
        """Let a name of one word be somebody's, as whose work has a title is."""
        named = self._lexicon.named[ref]
        named.vote("Person", 0.9)
        named.shown["Person"] = max(0.9, named.shown.get("Person", 0.0))

    def show_maker(self, type_: str, ref: int) -> None:
        """Let a name that at most a tag or two take for something be a person's, if it is like one, where only persons
        direct and write; and a body's where bodies publish and operate."""
        named, name = self._lexicon.named[ref], self.name(ref)
        if self.is_given(ref) or (named.best is not None and named.best[1] >= SURE):
            return
        if type_ in _BY_PERSONS:
            if _FULL_NAME.fullmatch(name) is not None and not _OF_FIRM.search(name):
                named.vote("Person", _SHOWN)
                named.shown["Person"] = max(_SHOWN, named.shown.get("Person", 0.0))
        elif type_ in _BY_BODIES and self.best(ref) not in ("Person", "Organization", "Group"):
            named.vote("Organization", _SHOWN)

    def show_place(self, ref: int) -> None:
        """Let a name be a place's, as where somebody was born on a day is."""
        named = self._lexicon.named[ref]
        named.vote("Location", _OF_MAKER)
        named.shown["Location"] = max(_OF_MAKER, named.shown.get("Location", 0.0))

    def show_likely(self, type_: str, ref: int) -> None:
        """Let a name be what its sentence shows, as where a town lies is a place and a subsidiary a body, unless it is
        known as something else or more than few tags say so."""
        best = self._lexicon.named[ref].best
        if not self.is_given(ref) and (best is None or (best[0] != type_ and best[1] < SURE)):
            self._lexicon.named[ref].vote(type_, _SHOWN)

    def show_organization(self, ref: int) -> None:
        """Let a name be that of somebody, as who sponsors something is."""
        self._lexicon.named[ref].vote("Organization", 0.96)

    def page_end(self, ref: int) -> str:
        """The type of a name that may be the other end of what a page says of its subject; empty where none is sure."""
        if not self.is_sure(ref):
            return ""
        type_ = self.given_type(ref)
        # Where somebody is "at" it, it is no tool.
        return "" if type_ == "Product" and f" at {self.name(ref)}" in self._text else type_

    def letters(self, spans: Sequence[NameSpan]) -> tuple[list[str], list[float], list[str]]:
        """Of each span the letter of its type, how sure it is, and its name."""
        best = [self._lexicon.named[span.ref].best for span in spans]
        letters = [proximity.LETTERS.get(one[0], "X") if one else "X" for one in best]
        return letters, [one[1] if one else 0.0 for one in best], [self.name(span.ref) for span in spans]

    def can_join(self, type_: str, subject: int, target: int, own: int) -> bool:
        """Whether two entries can be the ends of a fact by their types; a name without one has what the fact shows.

        ``own`` is the entry that the sentence is about: it learns nothing of its type here.
        """
        row = RELATION_TYPES[type_]
        types = []
        for ref, letters in ((subject, row.subject), (target, row.object)):
            named = self._lexicon.named[ref]
            if ref != own:
                _show_type(named, letters)
            types.append(self.best(ref))
        if type_ in ("LOCATED_IN", "CAPITAL_OF") and not ends.may_lie_in(self.name(subject), self.name(target)):
            return False
        return all(types) and may_join(type_, *types)


def _show_type(named: NameFindings, letters: str, *, sure: bool = False) -> None:
    """Give a name of which nothing else shows a type, or any where it is ``sure``, the one that a fact needs."""
    if (named.best is None or sure) and len(shown := entity_types(letters)) == 1:
        named.vote(shown[0], _OF_MAKER if sure else _SHOWN)


def show_types_of_ends(facts: Sequence[LexiconFact], lexicon: Lexicon) -> None:
    """Give names of which nothing else shows a type the one that their facts need: whom somebody works for is an
    organization, also where software is called so."""
    for fact in facts:
        row = RELATION_TYPES.get(fact.candidate.type)
        if row is None or fact.object is None:
            continue
        for ref, letters in ((fact.subject, row.subject), (fact.object, row.object)):
            named = lexicon.named[lexicon.resolved(ref)]
            _show_type(named, letters, sure=named.name in FIRMS_TOO)
