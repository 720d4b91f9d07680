"""What a document cannot do: a cookbook has no options, a manual supports no system and uses no tool.

Used by the fact reader; pure. The things that its sections list are described in it.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.extraction.facts.lexicon_facts import LexiconFact
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.relation_types import may_join

_DOCUMENT = re.compile(
    r"(?i)(?:^|.*[\s/_-])(?:cookbook|guide|guidebook|handbook|manual|man ?page|reference|FAQs?|tutorial|walkthrough|cheat ?sheet|read ?me(?:\.md)?|"
    r"how-?to|glossary|changelog|release notes)(?: \([^()]*\))?|[\w.+-]+\([1-8]\)(?: .*)?|(?:thank you|thanks|welcome)\b.{12,}"
)
"""Names of pages that are documents and nothing else: *Lamp Cookbook*, ``lamp(1)``, *Thank you for your interest in Lumen*."""
_DESCRIBED = frozenset({"HAS_OPTION", "PROVIDES"})
"""What a section's thing is to its page only where the page is the thing's owner; else it is described there."""
_NEVER = frozenset(
    "HAS_OPTION PROVIDES USES HAS_CONTACT SUPPORTS RUNS_ON RUNS DEPENDS_ON INSTALLED_WITH INSTALLED_ON IMPLEMENTS INTEGRATES_WITH "
    "COMPATIBLE_WITH DEVELOPS MAINTAINS OPERATES MANAGES CONFIGURES CONNECTS_TO STORES HOSTS OFFERS".split()
)
"""What only software, firms and persons do."""
_OWN = ("guide.owner", "credits", "page.front")
"""Rules of whom a page says to ask about the page itself."""


def is_document(name: str) -> bool:
    """Whether a page is a document by its name, and no thing that has or does something."""
    return _DOCUMENT.fullmatch(name) is not None


def mend_document(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a fact may stay; what a document is said to provide or to have as an option is described in it."""
    if fact.object is None or fact.candidate.type not in _NEVER or fact.rule.startswith(_OWN):
        return True
    options = fact.candidate.type in _DESCRIBED and fact.rule == "guide.option"
    if not is_document(types.name(fact.subject)) and not (options and types.given_type(fact.subject) == PAGE):
        return True
    if options:
        pair = (types.given_type(fact.object), types.given_type(fact.subject))
        if may_join("DESCRIBED_IN", *pair):
            fact.subject, fact.object = fact.object, fact.subject
            fact.candidate.type = "DESCRIBED_IN"
            return True
        return False
    return _says_itself(fact, types)


def _says_itself(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a clause names the document as who does it: *The Lamp Handbook uses Sphinx*."""
    if fact.unit is None or fact.places is None or fact.candidate.type in _DESCRIBED | {"HAS_CONTACT"}:
        return False
    place = fact.places[0]
    return fact.unit.content.text[place.start : place.end].casefold() == types.name(fact.subject).casefold()
