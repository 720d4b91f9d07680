"""What one place of a sentence says of the type of a name: the tagger's word for it, and the words around it.

Used by the lexicon; pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from kgfs.documents.markup import PlainSentence
from kgfs.extraction.names import bodies, context_clues, usage
from kgfs.extraction.names.capitals import CapitalsSpan
from kgfs.extraction.names.kinds import said_kind
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.people import persons
from kgfs.model import SAID_TO_BE

_REPOSITORY = re.compile(
    r"(?:codeberg|github|gitlab)\.(?:com|org)/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?(?:[/?#]|$)"
)

_COMMUNITY = re.compile(r" (?:board|community|maintainers|members|project|staff|team)\b")


_COUNTED = ("noun", "the", "pressed", "term", "told", "method")
"""Uses that are counted wherever they are."""


def note_tag(
    named: NameFindings, candidate: CapitalsSpan, content: PlainSentence, series: Collection[str], *, code: bool
) -> None:
    """Count what the tagger and the words around a name say of it.

    ``series`` are the words before the numbers of series, ``code`` is whether the document has names in code.
    """
    tags, text = named.tags, content.text
    labels = persons.labels_person(text, candidate.start, candidate.end)
    if labels and candidate.tag == "Person":
        candidate = replace(candidate, tag="")
    if _is_repository(content, candidate):
        tags["Product"] += context_clues.CLUE
        named.clues["Product"] += context_clues.CLUE
    use = usage.name_use(text, candidate.start, candidate.end)
    named.uses.update(kind for kind in _COUNTED if getattr(use, kind))
    named.uses["noun"] += candidate.text in series
    named.uses["identifier"] += use.identifier and code
    named.uses["elsewhere"] += candidate.tag == "Location" and not context_clues.stands_as_place(
        text, candidate.start, candidate.end
    )
    named.uses["members"] += _COMMUNITY.match(text, candidate.end) is not None
    named.uses["lives"] += persons.lives_there(text, candidate.start, candidate.end)
    named.uses["his"] += persons.is_of_man(text, candidate.start)
    named.acts += bodies.acts_as_body(text, candidate.start, candidate.end)
    if use.numbered or (use.software and (candidate.tag or not candidate.initial)):
        tags["Product"] += 1
        named.clues["Product"] += 1
    if not (labels or candidate.start or candidate.text.isupper()) and text.startswith(":", candidate.end):
        tags["Person"] += context_clues.CLUE  # who speaks, in minutes
        named.uses["speaks"] += 1
    said = _said_type(text[candidate.start :], candidate.tag) if use.told else ""
    if said:
        named.uses[f"{SAID_TO_BE}{said}"] += 1
        tags[said] += context_clues.SAID
        named.clues[said] += context_clues.SAID
        return
    if candidate.tag == "Person" and context_clues.with_article(text, candidate.start):
        plural = candidate.text.endswith("s") and " " not in candidate.text
        tags["Group" if plural else "Organization"] += 1
    elif candidate.tag:
        tags[candidate.tag] += 1
    for type_, count in context_clues.type_clues(text, candidate.start, candidate.end, candidate.tag):
        tags[type_] += count
        if count >= context_clues.CLUE:
            named.clues[type_] += count


_SAID_TYPES = frozenset({"Event", "Organization", "Product", "Program", "Species", "Technology"})
"""Types that a sentence which says what something is shows, whatever the tagger takes its name for."""


def _said_type(sentence: str, tag: str) -> str:
    """The type that a sentence says of the name with which it begins: *RubyNation is an annual conference*."""
    said = said_kind(sentence)
    return said.type if said is not None and (said.type in _SAID_TYPES or said.type == tag) else ""


def _is_repository(content: PlainSentence, candidate: CapitalsSpan) -> bool:
    """Whether a name is the label of a link to a repository that is called so and not as its owner:
    ``[Acme Lamps](https://github.com/acme/acme-lamps)``."""
    slug = candidate.text.casefold().replace(" ", "-")
    return any(
        found is not None and found["name"].casefold() == slug != found["owner"].casefold()
        for link in content.links
        if (link.start, link.end) == (candidate.start, candidate.end)
        for found in (_REPOSITORY.search(link.target),)
    )
