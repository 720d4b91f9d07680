"""What is running text and what only looks like it: labels, menus, titles, lines of links; and names that are code.

Used by the extractor where the tagger reads sentences: it takes every capital in a label for a name. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgfs.extraction.units import Unit

_CODE_SPAN = re.compile(r"(`+)([^`\n]{1,200})\1")
_END = (".", "!", "?", ":", ";", ",", ")", "…", '"', "”", "。")
_SMALL = frozenset("a an the of for in on at to and or with by from as vs via into is are your our you".split())
_CAMEL = re.compile(r"[a-z\d][A-Z]")
MIN_WORDS = 5


def is_prose(unit: Unit) -> bool:
    """Whether a unit is a sentence to be read, not a label: a bare link, a title, a few words without an end."""
    text = unit.content.text.strip()
    words = text.split()
    linked = sum(link.end - link.start for link in unit.content.links)
    if linked >= 0.8 * len(text) and len(words) < 12:
        return False
    if text.endswith(_END) and len(words) >= 3:
        return True
    lower = sum(word[0].islower() and word not in _SMALL for word in words)
    if len(words) < MIN_WORDS:
        return "," in text and len(words) > 2
    return lower * 4 >= len(words) or ", " in text


def code_names(units: Iterable[Unit]) -> frozenset[str]:
    """What stands in code: whole code spans, and the words of code blocks that are spelled like identifiers."""
    found: set[str] = set()
    for unit in units:
        if unit.kind == "code":
            found.update(
                word
                for word in re.findall(r"[A-Za-z](?:\w|-(?!-))+", unit.content.text)
                if "-" in word or _CAMEL.search(word)
            )
        elif "`" in unit.quote:
            for _, inside in _CODE_SPAN.findall(unit.quote):
                found.add(inside.strip())
                found.update(word for word in re.findall(r"[A-Za-z][\w.-]+", inside) if _CAMEL.search(word))
    return frozenset(found)


_LOG = re.compile(r"This is \w*TeX\w*, Version ")


def is_log(text: str) -> bool:
    """Whether a text is what a program wrote of its work, and names nothing: that of TeX."""
    return _LOG.match(text) is not None
