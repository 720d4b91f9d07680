"""The mark by which a Markdown file asks to be part of prompts: ``loading: always`` or ``loading: contextual``.

Used by ``kgfs.tools.prompting``; pure. Front matter is YAML between ``---`` lines or TOML between ``+++`` lines; what
cannot be read marks nothing, and is said.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, Literal, NamedTuple

import yaml

_MATTER = re.compile(
    r"\A\ufeff?(?:---[ \t]*\r?\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)"
    r"|\+\+\+[ \t]*\r?\n(?P<toml>.*?)^\+\+\+[ \t]*(?:\r?\n|\Z))",
    re.DOTALL | re.MULTILINE,
)
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
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
    matter = _MATTER.match(head)
    if matter is None:
        return Marked(None, 0)
    source = matter["yaml"] if matter["yaml"] is not None else matter["toml"]
    try:
        said = yaml.load(source, Loader=_LOADER) if matter["yaml"] is not None else tomllib.loads(source)
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError):
        problem = "its front matter cannot be read" if _SAYS_LOADING.search(source) else ""
        return Marked(None, 0, problem)
    if not isinstance(said, dict) or "loading" not in said:
        return Marked(None, matter.end())
    value = said["loading"]
    word = value.strip().casefold() if isinstance(value, str) else ""
    if word == "always":
        return Marked("always", matter.end())
    if word == "contextual":
        return Marked("contextual", matter.end())
    return Marked(None, matter.end(), f"loading: {str(value)[:40]!r} is neither 'always' nor 'contextual'")
