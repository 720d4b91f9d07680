"""The mark by which a Markdown file asks to be part of prompts: ``loading: always`` or ``loading: contextual``.

Used by ``kgfs.tools.prompts.prompting``; pure. Front matter that cannot be read marks nothing, and
that is said.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from kgfs.tools.prompts.front_matter import read_front_matter

_SAYS_LOADING = re.compile(r"^\s*[\"']?loading[\"']?\s*[:=]", re.MULTILINE)

Mark = Literal["always", "contextual"]


class Marked(NamedTuple):
    """What the beginning of a file says."""

    mark: Mark | None
    body: int
    """Where the text begins behind the front matter, in characters."""
    problem: str = ""
    """Half a sentence, where ``loading`` was said and not understood."""


def read_mark(head: str) -> Marked:
    """The mark of a file that begins with ``head``."""
    matter = read_front_matter(head)
    if matter is None:
        return Marked(None, 0)
    if matter.fields is None:
        problem = "its front matter cannot be read" if _SAYS_LOADING.search(matter.source) else ""
        return Marked(None, 0, problem)
    if "loading" not in matter.fields:
        return Marked(None, matter.body)
    value = matter.fields["loading"]
    word = value.strip().casefold() if isinstance(value, str) else ""
    if word == "always":
        return Marked("always", matter.body)
    if word == "contextual":
        return Marked("contextual", matter.body)
    return Marked(None, matter.body, f"loading: {str(value)[:40]!r} is neither 'always' nor 'contextual'")
