"""Names whose profile a text links to: ``[Ann Lee](https://github.com/annlee)``, or the same in reStructuredText.

Used by formats when a file is parsed. Firms have profiles, too, so the documents only suggest that somebody is called
so (``extraction.names.suggested``).
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


def profile_names(text: str) -> list[DefinedTerm]:
    """The names of two to four words in a text that are labels of links to a profile, in order.

    Not those that the address repeats, as the names of firms and projects do: ``[Hugging Face](…/huggingface)``.
    """
    found: dict[str, DefinedTerm] = {}
    for link in chain(_LINK.finditer(text), _OF_RST.finditer(text) if "`_" in text else ()):
        label = " ".join(link["label"].strip(" *_").split())
        handle = (link["handle"] or "").replace("-", "").casefold()
        words = label.split()
        if label in found or not 2 <= len(words) <= 4 or not words[0][:1].isupper() or not words[-1][:1].isupper():
            continue
        if "".join(words).casefold() != handle:
            found[label] = DefinedTerm(name=label, kind=PROFILE, weight=1)
            if len(found) == MAX_PROFILES:
                break
    return [*found.values()]
