"""Texts as the terms that the keyword index holds, and queries as the terms that it is asked for.

Used by ``kgfs.store.index.vectors``, which has the engine split at white space only: what is a word, which form it is
found by and what is no word is decided here, by language and script.

* Words in Latin script are stemmed by the language of their paragraph, where that can be told, else as English.
* Words in a script with a language of its own (Cyrillic, Greek, Arabic …) are stemmed by the script.
* Words that are written with a hyphen or without are both: *roll-back* is found by *rollback*.
* Scripts that put no space between words (Chinese, Japanese, Thai …), and Korean, whose particles stick to its words,
  become their signs and all pairs of signs that stand together; a query becomes its pairs.

A query's language cannot be told from three words. Each of its words is therefore looked for in the forms that English
and the languages in the index give it.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

import Stemmer

from kgfs.languages import ENGLISH, UNSPACED, language_of, pairs, plainly_english
from kgfs.store.index.stop_words import STOP_WORDS

_STEMMERS = {
    "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "en": "english", "eo": "esperanto", "es": "spanish",
    "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hu": "hungarian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nl": "dutch", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "sv": "swedish", "tr": "turkish",
    "ar": "arabic", "el": "greek", "hi": "hindi", "hy": "armenian", "ru": "russian", "ta": "tamil",
}  # fmt: skip
_SCRIPTS = (
    ("ru", "\u0400", "\u052f"), ("el", "\u0370", "\u03ff"), ("el", "\u1f00", "\u1fff"), ("ar", "\u0600", "\u077f"),
    ("hi", "\u0900", "\u097f"), ("ta", "\u0b80", "\u0bff"), ("hy", "\u0530", "\u058f"),
)  # fmt: skip
"""The languages whose stemmer is used for all words of a script: first and last letter."""
_LONGEST = 64
"""Characters of a word; longer ones are no words, and as long as a checksum is."""
_PARAGRAPH = 40
"""Characters; the language of a shorter one is that of the others."""

_MARKS = "".join(chr(code) for code in range(0x300, 0x1200) if unicodedata.category(chr(code))[0] == "M")
_LETTER = f"(?![{UNSPACED}])[^\\W_]"
_TERM = re.compile(f"([{UNSPACED}]+)|({_LETTER}(?:{_LETTER}|[{_MARKS}])*)")
_ASCII_TERM = re.compile(r"[a-z0-9]+")
_DROPPED = re.compile(
    "[\u00ad\u0591-\u05c7\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
"""What is not seen or may be left out: zero-width signs, marks of direction, vowel points of Hebrew and Arabic."""
_ACCENT = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "þ": "th"})
_JOINED = re.compile(
    r"(?<![\w-])(?:(?P<one>co|e|non|off|on|pre|re|sub|web)[-\u2010\u2011](?P<other>[a-z]{2,})"
    r"|(?P<first>[a-z]{2,})[-\u2010\u2011](?P<last>(?:back|board|book|down|flow|in|line|list|name|off|on|out|over|up)s?))"
    r"(?![\w-])"
)
"""Words that are also written as one. Joining all of two parts made Cranfield's nDCG@10 .436 in place of .442."""
_BREAK = re.compile(r"\n[ \t]*\n")
_local = threading.local()


class Analysed(NamedTuple):
    """A text for the index."""

    title: str
    text: str
    """Terms with a space between."""
    languages: str
    """The codes of the languages beside English that words were stemmed by."""


def analyse(title: str, text: str) -> Analysed:
    """The terms of a title, and those of a text with that title before it."""
    whole = text if text.startswith(title) else f"{title}\n{text}"
    paragraphs = _BREAK.split(whole)
    found = [language_of(paragraph) if len(paragraph) >= _PARAGRAPH else "" for paragraph in paragraphs]
    sizes: dict[str, int] = {}
    for language, paragraph in zip(found, paragraphs, strict=True):
        if language:
            sizes[language] = sizes.get(language, 0) + len(paragraph)
    most = max(sizes, key=lambda language: sizes[language]) if sizes else language_of(whole)
    terms: list[str] = []
    used = set()
    for language, paragraph in zip(found, paragraphs, strict=True):
        stemmed_by = _stemmed_by(language or most)
        used.add(stemmed_by)
        terms += _terms(paragraph, stemmed_by)
    languages = " ".join(sorted(used - {ENGLISH}))
    return Analysed(" ".join(_terms(title, _stemmed_by(most))), " ".join(terms), languages)


def query_terms(query: str, languages: Iterable[str]) -> list[str]:
    """The terms of a query, for an index that holds these languages beside English."""
    every = [ENGLISH, *sorted(set(languages) - {ENGLISH})]
    # "most" is a word that says nothing, or the Polish one for a bridge.
    nothing = STOP_WORDS[ENGLISH] if len(every) == 1 or plainly_english(query) else frozenset()
    terms: list[str] = []
    plain = _plain(query)
    joined = [("", word) for word in _joined(plain)]
    for unspaced, word in [*_TERM.findall(plain), *joined]:
        if unspaced:
            terms += pairs(unspaced) or [unspaced]
        elif len(word) <= _LONGEST and word not in nothing:
            forms = (_folded(_stem(word, language)) for language in every if word not in STOP_WORDS.get(language, ()))
            terms += dict.fromkeys(forms)
    return terms


def _stemmed_by(language: str) -> str:
    """The language whose stemmer is used for words in Latin script."""
    return language if language in _STEMMERS and language not in {script for script, _, _ in _SCRIPTS} else ENGLISH


def _terms(text: str, language: str) -> list[str]:
    plain = _plain(text)
    stop = STOP_WORDS.get(language, frozenset())
    if plain.isascii():
        words = [word for word in _ASCII_TERM.findall(plain) if word not in stop and len(word) <= _LONGEST]
        if "-" in plain:
            words += _joined(plain)
        stemmed: list[str] = _stemmer(language).stemWords(words)
        return stemmed
    terms: list[str] = []
    for unspaced, word in _TERM.findall(plain):
        if unspaced:
            terms += [*unspaced, *pairs(unspaced)]
        elif word not in stop and len(word) <= _LONGEST:
            terms.append(_folded(_stem(word, language)))
    terms += [_stem(word, language) for word in _joined(plain)]
    return terms


def _joined(plain: str) -> list[str]:
    """The words of two parts in a text as they are also written, without their hyphen."""
    return ["".join(part for part in found.groups() if part) for found in _JOINED.finditer(plain)]


def _plain(text: str) -> str:
    """Lower case, letters and their accents in one sign, full-width forms as usual ones, without what is not seen."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", _DROPPED.sub("", unicodedata.normalize("NFKC", text)).lower())


def _stem(word: str, language: str) -> str:
    if not word.isascii():
        language = next((one for one, low, high in _SCRIPTS if low <= word[0] <= high), language)
    stemmed: str = _stemmer(language).stemWord(word)
    return stemmed


@functools.lru_cache(maxsize=65_536)
def _folded(word: str) -> str:
    """The word without accents, which people often leave out when they type."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", word.translate(_LETTERS))))


def _stemmer(language: str) -> Stemmer.Stemmer:
    """The stemmer of a language, one a thread: it keeps words that it has stemmed and is not safe to share."""
    stemmers: dict[str, Stemmer.Stemmer] = _local.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(_STEMMERS[language])
    return stemmers[language]
