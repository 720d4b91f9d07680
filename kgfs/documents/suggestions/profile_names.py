"""Names whose profile a text links to: ``[Ann Lee](https://github.com/annlee)``, or the same in reStructuredText.

Used by formats when a file is parsed. Firms have profiles, too, so the documents only suggest that somebody is called
so (``extraction.names.declared.suggested``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from kgfs.documents.labelled_links import LabelledLink
from kgfs.model import DefinedTerm

PROFILE = "profile"
"""``DefinedTerm.kind`` of such a name."""
MAX_PROFILES = 500
"""Names that one document suggests: lists of members are long."""

_NAME = re.compile(r"[^\W\d_][^\[\]\n`<>|@/:]{3,40}")
_ADDRESS = re.compile(
    r"https?://(?:www\.)?(?:"
    r"(?:github|gitlab|twitter|x)\.com/(?P<handle>[A-Za-z\d][\w.-]{0,38})"
    r"|linkedin\.com/in/[\w%.-]+|orcid\.org/\d[\d-]{14,20}[\dX]|[\w.-]+/@[\w.-]+(?:@[\w.-]+)?)/?"
)
_PAGES = frozenset(
    "about apps blog collections contact customer-stories enterprise events explore features issues join login "
    "marketplace mobile models notifications orgs organizations pricing pulls readme search security sessions settings "
    "signup site sponsors stars team topics trending".split()
)
"""What stands in the place of a handle where an address is that of the host's own page."""
_BESIDE = re.compile(
    r"(?<![\w@.])(?P<label>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]*){1,3}) "
    r"\([*_]{0,2}\[?@(?P<handle>[A-Za-z\d][\w-]{1,38})(?![\w/])"
)
"""``Ann Lee (@annlee)``, with or without a link."""


def profile_names(text: str, links: Iterable[LabelledLink]) -> list[DefinedTerm]:
    """The names of two to four words in a text that are labels of its ``links`` to a profile, or have a handle behind
    them, in order; the handle is their definition.

    Not those that the address repeats, as the names of firms and projects do: ``[Hugging Face](…/huggingface)``.
    """
    found: dict[str, DefinedTerm] = {}
    for written, handle in chain(_linked(links), _beside(text)):
        label = " ".join(written.strip(" *_").split())
        words = label.split()
        if not 2 <= len(words) <= 4 or not words[0][:1].isupper() or not words[-1][:1].isupper():
            continue
        if handle.casefold() not in _PAGES and _letters(label) != _letters(handle):
            if label not in found and len(found) == MAX_PROFILES:
                break
            if label not in found or (handle and not found[label].definition):
                found[label] = DefinedTerm(
                    name=label, kind=PROFILE, weight=1, definition=f"@{handle}" if handle else ""
                )
    return [*found.values()]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _linked(links: Iterable[LabelledLink]) -> Iterator[tuple[str, str]]:
    """Labels of links to profiles, each with the handle in its address, where that has one."""
    for link in links:
        profile = _ADDRESS.fullmatch(link.address)
        if profile is not None and _NAME.fullmatch(link.label):
            yield link.label, profile["handle"] or ""


def _beside(text: str) -> Iterator[tuple[str, str]]:
    """Names with a handle in the bracket behind them."""
    if "(@" in text or "[@" in text:
        yield from ((found["label"], found["handle"]) for found in _BESIDE.finditer(text))
