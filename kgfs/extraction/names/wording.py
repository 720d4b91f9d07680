"""The words of one document beside its names: what it writes in lower case, in headings, in code.

Used by the lexicon and the verdict on names; pure. A capital is only a sign of a name where the same word is not also
written small, set as code or used as a title.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from kgfs.extraction.names import capitals, tagging
from kgfs.extraction.prose import code_names
from kgfs.extraction.units import Unit

# Each alternative is tried where a token or a run begins only: a long one costs in proportion to its length.
_ADDRESS = re.compile(
    r"(?<!\S)\S*(?:://|\.\w+/|@)\S*|(?<![\w.-])[\w.-]*\w/[\w./-]*\w|\b\w+(?:\.\w+)+\b|#\w\S*|/\w[\w./-]*"
)
"""Addresses, files, handles, channels and paths: ``acme/docs`` says nothing of how *Acme* is written."""
_SLUG = re.compile(r"(?<![\w-])[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w-])")
_LOWER_WORD = re.compile(r"(?<![\w])[a-z]{2,}(?![\w])")
_ALONE = re.compile(r"(?<![\w-])[a-z]{2,}(?![\w-])")
"""A word that is no part of one with a hyphen."""


SPARSE = 200
"""Units of a text to each name in code, at most, where there is code."""
_MEANS = re.compile(r"[\"“](?P<term>[A-Z][\w -]{1,60})[\"”],? (?:(?:shall|will) )?means?\b")
"""*"Derivative Works" shall mean any work*."""


class Wording:
    """The words of a document's units."""

    def __init__(self, units: Sequence[Unit] = ()) -> None:
        code = code_names(units)
        self.code = code if len(code) * SPARSE >= len(units) else frozenset[str]()
        """Names that stand in code: what is spelled like them is none of ours. A book with a word or two in its lines
        of verse that look so has none."""
        sentences = [_ADDRESS.sub(" ", unit.content.text) for unit in units if unit.kind == "sentence"]
        self.prose: frozenset[str] = frozenset(word for text in sentences for word in _LOWER_WORD.findall(text))
        """The lower-case words of the sentences, without those of addresses and code."""
        self._small = Counter(word for text in sentences for word in _ALONE.findall(text))
        self._text = "\n".join(sentences)
        headings = {unit.content.text.strip().casefold() for unit in units if unit.kind == "heading"}
        for unit in units:
            text = unit.content.text
            headings.update(text[link.start : link.end].casefold() for link in unit.content.links if not link.wiki)
        self.headings: frozenset[str] = frozenset(headings)
        """Whole headings and labels of links, case-folded."""
        self.slugs: frozenset[str] = frozenset(slug for unit in units for slug in _SLUG.findall(unit.content.text))
        """Words that hyphens join, as repositories and programs are called."""
        self.terms = frozenset(found["term"] for text in sentences for found in _MEANS.finditer(text))
        """Terms of a licence or a contract, which says in quotes what it means by them."""
        self.heading_words: frozenset[str] = frozenset(
            word for unit in units if unit.kind == "heading" for word in unit.content.text.lower().split()
        )

    def common(self, name: str, times: int) -> bool:
        """Whether the document writes a name, which stands there so many times, in lower case too: ``Property`` beside
        ``property``.

        A word of no dictionary is written small in haste, too (``kubernetes``): it is a common noun where it is small
        more often than not.
        """
        lowered = name.lower()
        if lowered == name:
            return False
        if " " in name:
            return self._has(lowered, "s?")
        small = sum(self._small[form] for form in _forms(lowered))
        return small > 0 if is_ordinary(lowered) else small > times

    def holds(self, name: str) -> bool:
        """Whether a sentence has a name as it is written."""
        return self._has(name)

    def _has(self, words: str, ending: str = "") -> bool:
        """Whether words stand in a sentence as whole words. Few do: a pattern of their own costs more than to look."""
        return words in self._text and re.search(rf"\b{re.escape(words)}{ending}\b", self._text) is not None

    def is_heading(self, name: str) -> bool:
        """Whether a name stands as a whole heading or label of a link."""
        return name.casefold() in self.headings

    def plain(self, name: str) -> bool:
        """Whether all words of a name are ordinary words, of the language or of this document."""
        return all(
            tagging.is_word(word) or is_ordinary(word, self.prose) for word in re.findall(r"[^\W\d_]+", name.lower())
        )


def is_ordinary(word: str, prose: Collection[str] = ()) -> bool:
    """Whether a lower-case word is a word of the language (in a dictionary, in some form) or of ``prose``."""
    return any(form in prose or tagging.in_dictionary(form) for form in _forms(word))


def is_phrase(name: str) -> bool:
    """Whether the last word of a name is a word of the language: *Grace Period*, not *Thomas Nyman*."""
    return is_ordinary(name.rpartition(" ")[2].lower())


def _forms(word: str) -> set[str]:
    """A word and what it may be the plural of, or have as one."""
    forms = {word, word + "s"}
    if len(word) > 3 and word.endswith("s"):
        forms.add(word[:-1])
        if word.endswith("es"):
            forms.add(word[:-2])
        if word.endswith("ies"):
            forms.add(word[:-3] + "y")
    return forms


def is_opening_verb(word: str) -> bool:
    """Whether a word that opens a sentence is a verb: ``Installs WordPress``, ``Expect STDOUT``."""
    return tagging.is_only_verb(word) or (word.endswith("s") and tagging.is_only_verb(word[:-1]))


def is_untagged_word(name: str) -> bool:
    """Whether an untagged single capital is a word of the language: a label, an emphasis, no name that we know."""
    return (
        not re.search(r"[\s-]", name) and capitals.type_cue(name) is None and tagging.is_word(name.lower().strip(".,"))
    )


def is_inflected(word: str, vocabulary: frozenset[str]) -> bool:
    """Whether another form of a word stands in lower case: ``Wheat futures`` does not name ``Hopes``."""
    stems = {word + "s", word + "es", word.removesuffix("s"), word.removesuffix("ed"), word.removesuffix("ing")}
    stems |= {word.removesuffix("ly"), word + "d", word + "ed", word + "ing", word + "ly"}
    return any(len(stem) > 3 and stem in vocabulary for stem in stems if stem != word)
