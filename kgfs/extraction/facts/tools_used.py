"""What those who speak use: ``We use Notion to track our work``.

Used by ``fact_reader`` where it is known who *we* are; pure. The sentence shows what the name is, too: many tools have
an ordinary word for a name, and no other sentence says what they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.names.named import NameSpan

_USE = re.compile(
    r" (?:(?:all|also|currently|generally|mainly|mostly|now|primarily|typically|usually) )?(?:use|rely on)(?: the)? "
)
_ENDS = re.compile(
    r"(?: \([^)]*\))?(?:[.,;:]|$"
    r"| (?:across|and|as|at|because|during|for|from|here|in|internally|on|or|so|since|to|when|where|which|with)\b)"
)
_NO_TOOL = re.compile(r"[A-Z]{2,}s?|.*\d")
"""Acronyms and numbers are as often formats, zones and habits: ``UTC``."""


def tool_used(text: str, spans: Sequence[NameSpan], speaker: int) -> int | None:
    """The number of the name that *we* use, where ``spans[speaker]`` is *we*; ``None`` where no use is stated."""
    verb = _USE.match(text, spans[speaker].end)
    if verb is None or speaker + 1 >= len(spans) or spans[speaker + 1].start != verb.end():
        return None
    tool = spans[speaker + 1]
    name = text[tool.start : tool.end]
    return speaker + 1 if _ENDS.match(text, tool.end) and not _NO_TOOL.fullmatch(name) else None
