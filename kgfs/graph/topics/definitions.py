"""What a topic is, in one sentence: chosen from the documents, else made of its facts.

Used by ``kgfs.graph.topic_tree``. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgfs.counting import counted
from kgfs.graph.topics.keys import leaf_key, topic_key

_POINTING = re.compile(
    r"(?:This|That|These|Those|It|He|She|They|Here|There|However|But|And|So|Also|Then|If|Note|Please|See|Refer|Check|Read|"
    r"Use|Click|You can|The following|The \w+ below|In \w+ \d{4}|\d)\b"
)
_REPORTED = re.compile(
    r"\b(?:rose|fell|increased|decreased|declined|grew|slowed|remained|reported|noted|indicated|expanded|picked up|"
    r"softened|eased|edged|strengthened|weakened|said|was|were|had)\b"
)
LEAD_DOCUMENTS = 2
"""A heading with other first sentences in more documents than this is one that a series of reports fills anew."""
_ARTICLES = frozenset("the a an all our".split())
MANY_NAMES = 3


class DefiningSentence(NamedTuple):
    """A sentence of one document that may define a topic."""

    document: str
    """Its ref: what decides between sentences of one worth."""
    definition: str
    lead: str


def choose_definition(key: str, sentences: Sequence[DefiningSentence]) -> str:
    """The sentence that says what a topic is; empty where none does."""
    defined = min(((one.document, one.definition) for one in sentences if one.definition), default=None)
    if defined is not None:
        return defined[1]
    leads = {(one.document, one.lead) for one in sentences if one.lead}
    if not leads or len({lead for _, lead in leads}) > LEAD_DOCUMENTS:
        return ""
    worth, _, lead = max((_worth(key, lead), _Reversed(document), lead) for document, lead in leads)
    return lead if worth > 0 else ""


def _worth(key: str, lead: str) -> int:
    """How well the first sentence under a heading explains it: it is its subject, it stands alone, reports nothing."""
    if _POINTING.match(lead) or _REPORTED.search(lead) or "?" in lead:
        return 0
    words = leaf_key(key).split()
    said = [topic_key(word) for word in lead.split()[: len(words) + 1]]
    return len(words) if words in (said[:-1], said[1:] if said[0] in _ARTICLES else None) else 0


class _Reversed(str):
    """Text in the other order: of equal sentences the first document's wins a ``max``."""

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)

    def __gt__(self, other: str) -> bool:
        return str.__lt__(self, other)


def definition_of_facts(chunks: int, documents: int, near: Sequence[str]) -> str:
    """``12 passages in 4 documents, most about wages and hiring.``"""
    about = f", most about {joined_names(near[:MANY_NAMES])}" if near else ""
    return f"{counted(chunks, 'passage')} in {counted(documents, 'document')}{about}."


def definition_of_group(names: Sequence[str], chunks: int, documents: int) -> str:
    """``Topics that belong together: wages, hiring and 3 more; 40 passages in 7 documents.``"""
    more = len(names) - MANY_NAMES
    listed = [*names[:MANY_NAMES], f"{more} more"] if more > 1 else list(names)
    return f"Topics that belong together: {joined_names(listed)}; {definition_of_facts(chunks, documents, ())}"


def joined_names(names: Sequence[str]) -> str:
    """``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
