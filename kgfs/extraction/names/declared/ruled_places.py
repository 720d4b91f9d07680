"""Places that the title or the lead of a page names behind a rank: *Ann Lind was Queen of Brennmark*.

Used for the names that documents declare (``gazetteer``); pure. What signs treaties on another page and is a place here
would be somebody there.
"""

from __future__ import annotations

import re

from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import is_place_name
from kgfs.model import EntityCandidate, ParsedDocument

STATED = 0.9
"""The confidence of such a place: the document is about who ruled it."""
_PLACE = re.compile(rf"\b{words.RANK_OF}(?:the )?(?P<name>[A-Z][^\W\d_]{{3,}})(?![\w'’-]| (?:(?:and|of) )?[A-Z])")
"""Of one word: what goes on may be somebody's name, *Emperor of Orm Karl*."""


def ruled_places(document: ParsedDocument) -> list[EntityCandidate]:
    """The places of no list that are of somebody's rank, by the title and the lead of a document."""
    told = f"{document.title}\n{document.lead}"
    names = dict.fromkeys(found["name"] for found in _PLACE.finditer(told))
    return [
        EntityCandidate(name=name, type="Location", confidence=STATED)
        for name in names
        if name not in words.DEMONYMS and not is_place_name(name) and not is_ordinary(name.lower())
    ]
