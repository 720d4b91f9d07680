"""Names whose profile a text links to: ``[Ann Lee](https://github.com/annlee)``, or the same in reStructuredText.

Used by formats when a file is parsed. Firms have profiles, too, so the documents only suggest that somebody is called
so (``extraction.names.declared.suggested``).
"""

from __future__ import annotations

import re
from itertools import chain

from kgfs.model import DefinedTerm

PROFILE = "profile"
"""``DefinedTerm.kind`` of such a name."""
MAX_PROFILES = 500
"""Names that one document suggests: lists of members are long."""

_NAME = r"[^\W\d_][^\[\]\n`<>|@/:]{3,40}?"
_ADDRESS = (
    r"https?://(?:www\.)?(?:"
    r"(?:github|gitlab|twitter|x)\.com/(?P<{0}>[A-Za-z\d][\w.-]{{0,38}})"
    r"|linkedin\.com/in/[\w%.-]+|orcid\.org/\d[\d-]{{14,20}}[\dX]|[\w.-]+/@[\w.-]+(?:@[\w.-]+)?)/?"
)
_LINK = re.compile(rf"(?<![!\\])\[(?P<label>{_NAME})\]\(<?{_ADDRESS.format('handle')}>?\)")
_OF_RST = re.compile(rf"`(?P<label>{_NAME})\s*<{_ADDRESS.format('handle')}>`__?")
_BESIDE = re.compile(
    r"(?<![\w@.])(?P<label>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]*){1,3}) "
    r"\([*_]{0,2}\[?@(?P<handle>[A-Za-z\d][\w-]{1,38})(?![\w/])"
)
"""``Ann Lee (@annlee)``, with or without a link."""


def profile_names(text: str) -> list[DefinedTerm]:
    """The names of two to four words in a text that are labels of links to a profile, or have a handle behind them, in
    order; the handle is their definition.

    Not those that the address repeats, as the names of firms and projects do: ``[Hugging Face](…/huggingface)``.
    """
    found: dict[str, DefinedTerm] = {}
    links = chain(
        _LINK.finditer(text),
        _OF_RST.finditer(text) if "`_" in text else (),
        _BESIDE.finditer(text) if "(@" in text or "[@" in text else (),
    )
    for link in links:
        label = " ".join(link["label"].strip(" *_").split())
        handle = link["handle"] or ""
        words = label.split()
        if not 2 <= len(words) <= 4 or not words[0][:1].isupper() or not words[-1][:1].isupper():
            continue
        if "".join(words).casefold() != handle.replace("-", "").casefold():
            if label not in found and len(found) == MAX_PROFILES:
                break
            if label not in found or (handle and not found[label].definition):
                found[label] = DefinedTerm(
                    name=label, kind=PROFILE, weight=1, definition=f"@{handle}" if handle else ""
                )
    return [*found.values()]
