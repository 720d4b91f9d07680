"""Names that were cut, or have more than the name: what stands before *for*, before a link, before the host of code.

Used by the lexicon; pure.
"""

from __future__ import annotations

import re
from dataclasses import replace

from kgfs.documents.markup import PlainSentence
from kgfs.extraction.names import capitals, posts
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.well_known import is_known_software

_HOSTS = frozenset("github gitlab bitbucket".split())
_NOT = "non-"
_HEAD = re.compile(r"(?<=[a-z,;(\[\"“] )(?P<head>[A-Z][a-z]+(?:-[A-Z][a-z]+)?) for (?:the )?$")
"""Before a name, inside a sentence: *the Code for Lamps Society*."""


def recut(content: PlainSentence, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan:
    """A candidate of a sentence with its head, and without what belongs to no name of which it is the end."""
    text = content.text
    if candidate.text.startswith(_NOT) and candidate.text[len(_NOT) :][:1].isupper():
        return _from(text, candidate, candidate.start + len(_NOT))
    _, of, owned = candidate.text.replace("’", "'").partition("'s ")
    if of and is_known_software(owned):
        return _from(text, candidate, candidate.end - len(owned))  # "Acme's Python"
    head, _, last = candidate.text.rpartition(" ")
    if head and last.casefold() in _HOSTS:
        return _from(text, candidate, candidate.end - len(last))  # "Acme Lamps Github"
    for link in content.links:
        inside = not link.wiki and candidate.start < link.start < candidate.end <= link.end
        if inside and " " in text[link.start : link.end].strip() and text[link.start].isupper():
            return _from(text, candidate, link.start)  # "Tarn [University of Lamps]"
    if (
        candidate.tag in ("", "Organization")
        and (capitals.type_cue(candidate.text) or ("",))[0] == "Organization"
        and (found := _HEAD.search(text, max(0, candidate.start - 40), candidate.start)) is not None
        and not posts.is_post(found["head"])
        and found["head"] not in words.ROLE_WORDS
    ):
        return _from(text, candidate, found.start("head"))
    return candidate


def _from(text: str, candidate: capitals.CapitalsSpan, start: int) -> capitals.CapitalsSpan:
    return replace(candidate, start=start, text=text[start : candidate.end], initial=not text[:start].strip())
