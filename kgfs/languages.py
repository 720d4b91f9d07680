"""The language that a text is written in, as far as it can be told.

Used by the keyword index, which stems words by it, and by extraction, whose tagger reads English only. The library
with the model (80 MB in memory, 0.7 s to load) is imported for the first text that is not plainly English, so in the
worker's processes only. Safe in threads; pure otherwise.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""The signs, as the inside of a class of a pattern, of scripts that put no space between words (Thai, Lao, Burmese,
Khmer, Chinese, Japanese), and of Korean, whose particles stick to its words. Such words are found by pairs of signs."""
ENGLISH = "en"
UNKNOWN = ""

_LATIN = "en de fr es it pt nl sv da no nn is fi et hu pl cs sk sl hr lt lv ro tr ca gl eu ga cy sq af la eo id vi"
"""The languages in Latin script that are told apart. Those that English is mistaken for (Nigerian Pidgin) are not."""
_SAMPLE = 3000
"""Characters that are looked at."""
_FEWEST = 4
"""Words; fewer say nothing."""
SURE = 0.75
LIKELY, NEVER = 0.45, 0.02
"""How probable a language must be; less is enough where English is hardly possible. Of 30,000 passages, paragraphs and
sentences of English encyclopedia articles, a handbook and a shell's manual three are taken for another language."""
_PLAIN_SHARE = 0.12
_PLAIN = frozenset(
    "the and of is that this with are they from which by have been were their not it you your we should must".split()
)
"""Words of which a plainly English text is full, and no other language."""
_NOISE = re.compile(
    r"https?://\S+|`[^`\n]*`|\]\([^)\s]{0,400}\)|(?<![\w.+-])[\w.+-]{1,64}@[\w.-]+|</?\w[^<>\n]{0,400}>"
)
"""Addresses, code and tags. Bounded, so that no long word or line takes the square of its length."""
_WORD = re.compile(r"[A-Za-z\u00aa\u00b5\u00ba\u00c0-\u024f\u1e00-\u1eff'’]+")
_NOT_LATIN = re.compile("[\u0370-\u1dff\u2c00-\uffff\U00010000-\U0003ffff]")
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ja", "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"),
    ("ko", "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"),
    ("zh", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"),
    ("ru", "\u0400-\u052f"),
    ("el", "\u0370-\u03ff\u1f00-\u1fff"),
    ("ar", "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc"),
    ("he", "\u0590-\u05ff"),
    ("th", "\u0e00-\u0e7f"),
    ("hi", "\u0900-\u097f"),
    ("ta", "\u0b80-\u0bff"),
    ("hy", "\u0530-\u058f"),
    ("ka", "\u10a0-\u10ff"),
    ("bn", "\u0980-\u09ff"),
    ("pa", "\u0a00-\u0a7f"),
    ("gu", "\u0a80-\u0aff"),
    ("te", "\u0c00-\u0c7f"),
    ("kn", "\u0c80-\u0cff"),
    ("ml", "\u0d00-\u0d7f"),
    ("lo", "\u0e80-\u0eff"),
    ("my", "\u1000-\u109f"),
    ("am", "\u1200-\u139f"),
    ("km", "\u1780-\u17ff"),
)
_DENSE = frozenset({"zh", "ja", "ko"})


def language_of(text: str) -> str:
    """The ISO 639-1 code of the language of ``text``; ``""`` where it cannot be told (too short, code, names only).

    In a script that several languages have it is the one with the most texts: ``ru`` for all that is Cyrillic.
    """
    sample = _NOISE.sub(" ", text[:_SAMPLE])
    words = _WORD.findall(sample)
    if _NOT_LATIN.search(sample):
        written = _by_script(sample, sum(map(len, words)))
        if written:
            return written
    if len(words) < _FEWEST:
        return UNKNOWN
    if _is_plain(words):
        return ENGLISH
    ranked = _identifier().rank(" ".join(words))
    language, probability = ranked[0]
    english = next(value for one, value in ranked if one == ENGLISH)
    # Where it is certainly not English, its neighbours may be as likely (Danish and Norwegian).
    if probability < (SURE if english > NEVER else LIKELY):
        return UNKNOWN
    return "no" if language == "nn" else str(language)


def plainly_english(text: str) -> bool:
    """Whether a text, however short, is full of words that only English has; needs no model."""
    return _is_plain(_WORD.findall(text))


def _is_plain(words: Sequence[str]) -> bool:
    return sum(word.lower() in _PLAIN for word in words) >= max(1, _PLAIN_SHARE * len(words))


def pairs(signs: str) -> list[str]:
    """All pairs of signs that stand together, in order."""
    return [signs[place : place + 2] for place in range(len(signs) - 1)]


def _by_script(sample: str, latin: int) -> str:
    """The language of a text of which most is in another script than the Latin one.

    A sign that is a syllable or a word weighs as much as three letters.
    """
    counts = {language: len(pattern.findall(sample)) for language, pattern in _scripts()}
    if sum(count * (3 if language in _DENSE else 1) for language, count in counts.items()) <= latin:
        return UNKNOWN
    if counts["ja"] and counts["ja"] * 10 >= counts["zh"]:
        return "ja"  # Japanese is written with signs of Han too, Chinese never with kana
    return max(counts, key=lambda language: counts[language])


@functools.cache
def _scripts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((language, re.compile(f"[{ranges}]")) for language, ranges in _SCRIPTS)


@functools.cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_LATIN.split())
    return identifier
