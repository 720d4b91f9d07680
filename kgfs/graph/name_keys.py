"""When two names are one: the normalised form of a name of an entity or a topic.

Used by the resolver across documents. Pure.
"""

from __future__ import annotations

import re
import unicodedata

_POSSESSIVE = re.compile(r"['’]s?$|['’]s?(?=\s)")
_DOTS = re.compile(r"(?<=\w)[.'’](?=\w|\s|$)|(?<=\w)\.$")
_SEPARATORS = re.compile(r"[^\w+#]+|_+")
SUFFIXES = frozenset({"inc", "incorporated", "corp", "corporation", "llc", "ltd", "limited", "plc", "gmbh", "co"})


def name_key(name: str) -> str:
    """What names of one thing have in common: ``The Alphabet, Inc.'s`` and ``alphabet`` are ``alphabet``.

    Case, composition, punctuation, a leading *the*, the possessive and the suffixes of companies do not count; a name
    of which nothing else is left is kept whole, and so are the dashes of an option: ``--yaml`` is not YAML. Empty only
    for a blank name.
    """
    text = unicodedata.normalize("NFKC", name).casefold().strip()
    if text.startswith("--") and text[2:3].isalpha():
        return "--" + name_key(text[2:])
    text = text.replace("&", " and ")
    words = _SEPARATORS.sub(" ", _DOTS.sub("", _POSSESSIVE.sub("", text))).split()
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    while len(words) > 1 and words[-1] in SUFFIXES:
        words = words[:-1]
    return " ".join(words) or text
