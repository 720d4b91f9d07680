"""What a page is about by its title: *Editing in GitHub* is about GitHub.

Used by ``fact_reader`` once the sentences were read. Only of pages that are about nothing of their own, and only of
what has a name that is no ordinary word: in *Doing research at Acme* the last word says where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgfs.documents.markup import PlainSentence
from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.wordlists.well_known import is_known_software
from kgfs.extraction.units import Unit
from kgfs.model import ParsedDocument

_SUBJECTS = frozenset({"Command", "Identifier", "Law", "Product", "Technology"})
_MOST_WORDS = 5
_SMALL = 3
"""Letters of a word that a title writes small only where it writes all but names so."""
_CONFIDENCE = 0.8
_WORD = re.compile(r"[\w@.+#/-]*\w[+#]*")


def title_facts(document: ParsedDocument, lexicon: Lexicon, types: NameTypes) -> Iterator[LexiconFact]:
    """``ABOUT`` of a page and each thing that its title names, by the longest names in it."""
    page = None if lexicon.page is None else lexicon.resolved(lexicon.page)
    if page is None or types.given_type(page) != PAGE:
        return
    unit = _title_line(document)
    if unit is None:
        return
    told: set[int] = set()
    parts = list(_WORD.finditer(document.title))
    is_small = any(part[0].isalpha() and part[0].islower() and len(part[0]) > _SMALL for part in parts)
    first = 0
    while first < len(parts):
        for last in range(min(len(parts), first + _MOST_WORDS), first, -1):
            name = document.title[parts[first].start() : parts[last - 1].end()]
            ref = _thing(name, lexicon, types, is_small and first > 0)
            goes_on = is_small and last < len(parts) and parts[last][0][0].isupper()
            if ref is not None and ref != page and not goes_on:  # not GitHub of "with GitHub Actions"
                if ref not in told:
                    told.add(ref)
                    lexicon.named[ref].count += 1
                    yield LexiconFact("pages.about", candidate_of(unit, "ABOUT", _CONFIDENCE), page, ref)
                first = last - 1
                break
        first += 1


def _thing(name: str, lexicon: Lexicon, types: NameTypes, shown: bool) -> int | None:
    """The entry of a thing that is written as it is called; ``None`` for an ordinary word, unless its capital is
    ``shown`` to be that of a name."""
    entry = lexicon.known_entry(name)
    if entry is None:
        return None
    ref = lexicon.resolved(entry)
    if name not in types.names(ref) or types.page_end(ref) not in _SUBJECTS or not types.is_given(ref):
        return None
    ordinary = " " not in name and lexicon.is_word(name) and not is_known_software(name)
    return None if name.islower() or (ordinary and not shown) else ref


def _title_line(document: ParsedDocument) -> Unit | None:
    """The line that has the title, as a unit; ``None`` where none has, or a chunk's end cuts it."""
    text = document.text or ""
    start = text.find(document.title) if document.title and document.chunks else -1
    if start < 0:
        return None
    begin = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start)
    place = ChunkPlaces(document.chunks).find_chunk(begin, len(text) if end < 0 else end)
    if place is None:
        return None
    chunk, first, last = place
    return Unit("row", chunk, first, last, PlainSentence(chunk.text[first:last].strip()), (), 0)
