"""The links of a text that have a label: ``[Ann Lee](https://…)``, or the same in reStructuredText.

Read once when a file is parsed, for those who look for names in them (``site_names``, ``repository_names``,
``profile_names``); pure.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import NamedTuple

_LINK = re.compile(r"(?<![!\\])\[(?P<label>[^\[\]\n]{3,60})\]\(<?(?P<address>https?://[^)\s]*?)>?\)")
_OF_RST = re.compile(r"`(?P<label>[^`<>\n]{3,60}?)\s*<(?P<address>https?://[^`<>\s]*)>`__?")


class LabelledLink(NamedTuple):
    """A link to a site, with markup in its label as it stands."""

    label: str
    address: str
    start: int
    """Characters from the start of the text."""


def labelled_links(text: str) -> list[LabelledLink]:
    """The links of a text with a label of 3 to 60 characters, those of Markdown first; no pictures."""
    found = chain(_LINK.finditer(text), _OF_RST.finditer(text) if "`_" in text else ())
    return [LabelledLink(link["label"], link["address"], link.start()) for link in found]
