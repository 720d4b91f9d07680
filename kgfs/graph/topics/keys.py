"""When two names are one topic: the normalised form of a topic's name.

Used by the other modules here and by ``kgfs.graph.topic_tree``. Pure.
"""

from __future__ import annotations

import re

from kgfs.graph.name_keys import name_key
from kgfs.plurals import singular

_AND = re.compile(r"\s+and\s+|\s*,\s*(?:and\s+)?")
SEPARATOR = "/"
"""Between the levels of a tag's key."""


def topic_key(name: str) -> str:
    """What names of one topic have in common: ``Labor markets`` and ``labor-market``; ``A and B`` and ``B & A``.

    Words are in the singular (by their spelling: a key is not for people), what a name joins in alphabetical order.
    """
    parts = [name_key(part) for part in _AND.split(name.replace("&", " and "))]
    keys = sorted({" ".join(map(singular, part.split())) for part in parts if part})
    return " and ".join(keys)


def path_key(names: list[str]) -> str:
    """The key of a tag: those of its levels."""
    return SEPARATOR.join(topic_key(name).replace(SEPARATOR, " ") for name in names)


def leaf_key(key: str) -> str:
    """The last level of a key."""
    return key.rsplit(SEPARATOR, 1)[-1]


def word_stems(name: str) -> list[str]:
    """How the words of a name begin in all their forms: ``wage`` and ``pric`` of ``wages and prices``."""
    return [word[: max(4, len(word) - 2)] for word in name.split() if word != "and"]
