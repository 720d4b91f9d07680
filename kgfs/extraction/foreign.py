"""Sentences in another language than English, in which only names that are known are found.

Used by the extractor. The tagger, its dictionary and every pattern of words know English: of German nouns or of a
Spanish sentence they make names and facts that nobody stated. What a page, a link or a table declares needs no tagger.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from kgfs.extraction.units import Unit
from kgfs.languages import ENGLISH, UNKNOWN, language_of

_BRACKET = re.compile(r"\([^()]*\)")
"""Names and dates of another language, as of a life: *(14 March 1871 in Lübeck – 2 November 1938 in Zürich)*."""
_FEWEST = 6
"""Words of a sentence that is judged by itself; a shorter one is what its paragraph is."""


def mark_foreign(units: Sequence[Unit]) -> None:
    """Make sentences that are not English ``foreign``.

    Each is judged by itself, else by its paragraph, else by the document: where that cannot be told either (names,
    code) it stays a sentence.
    """
    sentences = [unit for unit in units if unit.kind == "sentence"]
    if not sentences:
        return
    paragraphs = [list(group) for _, group in groupby(sentences, lambda unit: unit.paragraph)]
    texts = [" ".join(unit.content.text for unit in paragraph) for paragraph in paragraphs]
    found = [language_of(text) for text in texts]
    sizes: Counter[str] = Counter()
    for language, text in zip(found, texts, strict=True):
        sizes[language] += len(text)
    del sizes[UNKNOWN]
    whole = sizes.most_common(1)[0][0] if sizes else language_of("\n".join(unit.content.text for unit in units))
    for language, paragraph in zip(found, paragraphs, strict=True):
        for unit in paragraph:
            own = _own_language(unit.content.text, alone=len(paragraph) == 1) or language or whole
            if own not in (ENGLISH, UNKNOWN):
                unit.kind = "foreign"


def _own_language(text: str, *, alone: bool) -> str:
    """The language of a sentence, where it is none of its paragraph that is judged anyway."""
    if alone or (text.isascii() and len(text.split()) < _FEWEST):
        return UNKNOWN
    plain = _BRACKET.sub(" ", text)
    return language_of(plain if len(plain.split()) >= _FEWEST else text)
