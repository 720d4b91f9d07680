"""English nouns in the singular, by their endings.

Used wherever names or kinds of things are compared that texts write in both numbers, on any thread; pure. Measured: the
library ``inflect`` takes 2 s to import, and makes *ga* of *gas* and *Pari* of *Paris*.
"""

from __future__ import annotations

_IRREGULAR = {
    "aches": "ache", "appendices": "appendix", "axes": "axis", "caches": "cache", "children": "child",
    "cookies": "cookie", "criteria": "criterion", "halves": "half", "indices": "index", "knives": "knife",
    "leaves": "leaf", "lives": "life", "matrices": "matrix", "men": "man", "mice": "mouse", "movies": "movie",
    "niches": "niche", "people": "person", "phenomena": "phenomenon", "proxies": "proxy", "quizzes": "quiz",
    "selves": "self", "shelves": "shelf", "thieves": "thief", "vertices": "vertex", "wolves": "wolf",
    "women": "woman", "zombies": "zombie",
}  # fmt: skip
_SAME = frozenset({"gas", "has", "lens", "means", "news", "sales", "series", "species"})
_ENDINGS = (
    ("yses", "ysis"), ("trices", "trix"), ("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"),
    ("zzes", "zz"), ("tuses", "tus"), ("ruses", "rus"), ("puses", "pus"), ("ss", "ss"), ("us", "us"), ("is", "is"),
    ("s", ""),
)  # fmt: skip
_SHORT = 3
"""A word of at most so many letters has no plural: *GPS*, *bus*."""


def singular(phrase: str) -> str:
    """A phrase with its last word in the singular: *policies* is *policy*, *glass* and *analysis* stay."""
    before, space, word = phrase.rpartition(" ")
    small = word.lower()
    if (one := _IRREGULAR.get(small)) is not None:
        one = one if word == small else one.capitalize() if word[1:] == small[1:] else one.upper()
        return f"{before}{space}{one}"
    if len(word) <= _SHORT or small in _SAME:
        return phrase
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            if ending == "ies" and len(word) == len("ties"):
                instead = "ie"
            return f"{before}{space}{word.removesuffix(ending)}{instead}"
    return phrase
