"""Which kinds of things a question asks for, beside the names in it: *which people*, *where*, *what company*.

Used by ``brief``; pure. The names of a fact rarely have such a word in them, so without this a question for the people
of a firm would find its staff only where a text calls them people.
"""

from __future__ import annotations

import re

_TOOLS = (
    "tool tools software product products program programs app apps application applications library libraries service"
)
_WORDS = {
    "Person": "who whom whose people person persons employee employees staff colleagues attendees participants "
    "member members author authors writer writers founder founders chair chairs maintainer maintainers representatives",
    "Organization": "organization organizations organisation organisations company companies firm firms employer "
    "employers institution institutions body bodies agency agencies university universities vendor vendors",
    "Location": "where place places city cities town towns village villages country countries state states location",
    "Event": "when meeting meetings event events conference conferences talk talks battle battles",
    "Work": "book books work works song songs poem poems novel novels article articles film films opera operas paper "
    "papers play plays",
    "Channel": "ask contact contacts reach channel channels slack chat",
    "Address": "ask contact contacts reach email mail address addresses",
    "Product": _TOOLS,
    "Technology": f"{_TOOLS} language languages technology technologies format formats protocol protocols",
}
_KINDS: dict[str, frozenset[str]] = {
    word: frozenset(kind for kind, words in _WORDS.items() if word in words.split())
    for word in " ".join(_WORDS.values()).split()
}
"""Word to the types of entities that it asks for."""


def asked_kinds(question: str) -> frozenset[str]:
    """The types of entities that the words of a question ask for; none for most questions."""
    return frozenset().union(*(_KINDS.get(word, frozenset()) for word in re.findall(r"[a-z]+", question.casefold())))
