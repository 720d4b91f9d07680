"""The front matter of a Markdown file: YAML between ``---`` lines or TOML between ``+++`` lines.

Used where a file says something of itself to an agent: ``loading:`` (``kgfs.tools.prompts.loading_marks``), the name
and description of a skill (``kgfs.tools.prompts.skill_files``). Pure.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, NamedTuple

import yaml

_MATTER = re.compile(
    r"\A\ufeff?(?:---[ \t]*\r?\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)"
    r"|\+\+\+[ \t]*\r?\n(?P<toml>.*?)^\+\+\+[ \t]*(?:\r?\n|\Z))",
    re.DOTALL | re.MULTILINE,
)
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class FrontMatter(NamedTuple):
    """What a file says of itself."""

    fields: dict[str, Any] | None
    """``None`` where it cannot be read, or is no mapping."""
    source: str
    body: int
    """Where the text begins behind it, in characters."""


def read_front_matter(text: str) -> FrontMatter | None:
    """The front matter that a text begins with, or ``None``."""
    matter = _MATTER.match(text)
    if matter is None:
        return None
    in_yaml = matter["yaml"] is not None
    source = matter["yaml"] if in_yaml else matter["toml"]
    try:
        said = yaml.load(source, Loader=_LOADER) if in_yaml else tomllib.loads(source)
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
        said = None  # PyYAML looks things up in what a tag promises: !!bool maybe, !!timestamp later
    return FrontMatter(said if isinstance(said, dict) else None, source, matter.end())
