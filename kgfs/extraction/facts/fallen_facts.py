"""Facts that fall whatever rule made them: placeholders of templates as ends, examples of style guides.

Used by the fact reader; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.extraction.facts.lexicon_facts import LexiconFact
from kgfs.extraction.facts.name_types import NameTypes

_PLACEHOLDER = re.compile(
    r"\{\{|\}\}|\{%|%\}|<[^<>]*>|\$\{|\$[A-Z_]{2,}|^\[.*\]$|\b(?:PROJECT|REPO|SITE|TEAM|YOUR|GROUP|SIG|USER|COMPANY)[ _-]?NAME\b|"
    r"\b(?:NAME|TITLE) HERE\b|\b[Yy]our [A-Z]|^(?:Foo|Bar|Lorem|Ipsum|Insert)\b|\bX{3,}\b"
)
"""What stands in a template for a name: ``{{ team }}``, ``<name>``, *PROJECT NAME*."""
_OF_STYLE = re.compile(
    r"(?i)\b(?:style ?guide|style manual|writing style|house style|tone of voice|voice and tone|word ?list|grammar|punctuation|"
    r"inclusive language|capitali[sz]ation|terminology|content style|writing guide(?:lines)?|spelling)\b"
)
"""In the titles of texts on how to write, whose sentences about others are examples."""
_OF_PAGE = ("page.", "structure.", "leads.see", "leads.listed", "records", "rosters.", "tables.role", "guide.contact", "guide.owner")  # fmt: skip
"""Rules that read where things stand, and no sentences."""


def is_of_style(title: str) -> bool:
    """Whether the title of a text says that it tells how to write."""
    return _OF_STYLE.search(title) is not None


def falls(fact: LexiconFact, types: NameTypes, *, of_style: bool) -> bool:
    """Whether a fact states nothing: it is an example of a text on writing, or an end is a placeholder."""
    if of_style and not fact.rule.startswith(_OF_PAGE):
        return True
    refs = [fact.subject] if fact.object is None else [fact.subject, fact.object]
    return any(_PLACEHOLDER.search(types.name(ref)) for ref in refs)
