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
from kgfs.model import ParsedDocument
from kgfs.relation_types import may_join

_DOCUMENT = re.compile(
    r"(?i)(?:^|.*[\s/_-])(?:cookbook|guide|guidebook|handbook|manual|man ?page|reference|FAQs?|tutorial|walkthrough|cheat ?sheet|read ?me(?:\.md)?|"
    r"how-?to|glossary|changelog|release notes)(?: \([^()]*\))?|[\w.+-]+\([1-8]\)(?: .*)?|(?:thank you|thanks|welcome)\b.{12,}"
)
"""Names of pages that are documents and nothing else: *Lamp Cookbook*, ``lamp(1)``, *Thank you for your interest in Lumen*."""
_DESCRIBED = frozenset({"HAS_OPTION", "PROVIDES"})
"""What a section's thing is to its page only where the page is the thing's owner; else it is described there."""
_OF_PAGES = frozenset(
    "COVERS SEE_ALSO DESCRIBED_IN PART_OF INCLUDES REPLACES FOLLOWED_BY HAS_CONTACT RECOMMENDS SUGGESTS ADVISES_AGAINST ABOUT "
    "APPLIES_TO REQUIRES".split()
)
"""What a page may be said to do where its text does not name it: it tells of things, points to pages and advises."""
_VERBS = frozenset(
    "HAS_OPTION PROVIDES USES HAS_CONTACT SUPPORTS RUNS_ON RUNS DEPENDS_ON INSTALLED_WITH INSTALLED_ON IMPLEMENTS INTEGRATES_WITH "
    "COMPATIBLE_WITH DEVELOPS MAINTAINS OPERATES MANAGES CONFIGURES CONNECTS_TO STORES HOSTS OFFERS".split()
)
"""What only software, firms and persons do."""
_IMPLIED = ("guide.", "structure.", "described.")
"""Rules whose subject is the page, though the text does not name it."""
_OWN = ("guide.owner", "credits")
"""Rules of whom a page says to ask about the page itself."""


def is_document(name: str) -> bool:
    """Whether a page is a document by its name, and no thing that has or does something."""
    return _DOCUMENT.fullmatch(name) is not None


def is_blog_post(document: ParsedDocument) -> bool:
    """Whether a document is a text that somebody wrote one day, by its front matter: its title is a headline."""
    matter = {key.lower() for key, value in document.front_matter.items() if value}
    return "date" in matter and not matter.isdisjoint(("author", "authors"))


def mend_document(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a fact may stay; what a document is said to provide or to have as an option is described in it."""
    if fact.object is None or fact.rule.startswith(_OWN):
        return True
    type_ = fact.candidate.type
    document = is_document(types.name(fact.subject))
    if not document and types.given_type(fact.subject) != PAGE:
        return True
    if type_ in _DESCRIBED and fact.rule == "guide.option":
        pair = (types.given_type(fact.object), types.given_type(fact.subject))
        if may_join("DESCRIBED_IN", *pair):
            fact.subject, fact.object = fact.object, fact.subject
            fact.candidate.type = "DESCRIBED_IN"
            return True
        return False
    if type_ in _OF_PAGES and not (document and type_ == "HAS_CONTACT"):
        return True
    if fact.rule.startswith(_IMPLIED):
        return False
    return not (document and type_ in _VERBS) or _says_itself(fact, types)


def _says_itself(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a clause names the document as who does it: *The Lamp Handbook uses Sphinx*."""
    if fact.unit is None or fact.places is None or fact.candidate.type in _DESCRIBED | {"HAS_CONTACT"}:
        return False
    place = fact.places[0]
    return fact.unit.content.text[place.start : place.end].casefold() == types.name(fact.subject).casefold()
