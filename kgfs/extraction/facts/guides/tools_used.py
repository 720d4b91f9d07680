"""What those who speak use: ``We use Notion to track our work``, ``Slack is our chat tool``, ``Book your leave in BreatheHR``.

Used by ``fact_reader`` where it is known who *we* are; pure. The first kind of sentence shows what the name is, too:
many tools have an ordinary word for a name, and no other sentence says what they are. The second is of known tools.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.facts.marks import MARK, mark_numbers
from kgfs.extraction.names.named import NameSpan

_USE = re.compile(
    r" (?:(?:all|also|currently|generally|mainly|mostly|now|primarily|typically|usually) )?(?:use|rely on)(?: the)? "
)
_ENDS = re.compile(
    r"(?: \([^)]*\))?(?:[.,;:]|$"
    r"| (?:across|and|as|at|because|during|for|from|here|in|internally|on|or|so|since|to|when|where|which|with)\b)"
)
_KEPT = re.compile(
    r"(?i:\b(?:add|apply|ask|assign|book|capture|chat|check|claim|collaborate|complete|contact|communicat|communicate|coordinat|coordinate|discuss|process|pay|sign|approv|approve|reimburs|reimburse|publish|purchas|purchase|create|document|enter|file|"
    r"fill|find|host|keep|kept|log|logg|make|manag|manage|message|monitor|note|organi[sz]e|plan|post|raise|rais|record|"
    r"recorded|report|request|review|save|sav|schedul|schedule|share|shar|store|stor|submit|submitt|talk|track|update|updat|"
    r"upload|write|written)(?:e?d|e?s|ing)?\b)"
    r"(?:(?! (?:that|which|who) )[^.;:!?]){0,60}? (?:in|on|through|using|via)(?: the| our| an?)?(?: [*_`]*#[\w-]+[*_`]*)?[*_` ]$"
)
"""What is done *in* a tool, before its name."""
_OF_US = re.compile(
    r"[^\w]*(?:(?:[A-Z][^,;:.!?]{0,80}, |Note that |(?:Please|Then|Now|Next|First|Finally|Also|Always|Just)\b,? ?)*"
    r"(?:(?i:add|apply|ask|assign|book|capture|chat|check|claim|collaborate|communicate|complete|coordinate|create|discuss|document|enter|file|fill|find|host|keep|log|make|pay|process|publish|purchase|sign|"
    r"manage|message|monitor|note|organi[sz]e|plan|post|raise|record|report|request|review|save|schedule|share|store|submit|talk|track|"
    r"update|upload|write) |(?i:we|you|our|all our|all|your|everyone|staff|employees|team members)\b)"
    r"|.{0,120}\b(?:must|should|to|can|will) be (?:\w+ ){0,2}\w+(?:ed|en|ept|ade)\b)",
    re.DOTALL,
)
"""How a sentence begins that says what is done here: an order, *we* or *you*, or what must be done; others tell of somebody else."""
_NOT_SO = re.compile(
    r"(?i:\b(?:avoid|clients?|customers?|departments?|governments?|instead|never|no longer|not|rather|suppliers?|they|"
    r"their|users?|vendors?|might|may|could|would|you can|can be|(?:add|follow|find|tag) (?:us|me|them|him|her))\b|n['’]t\b)"
)
"""Who else may be the one that does it, and words that say that it is not done."""
_NO_TOOL = re.compile(r"[A-Z]{2,}s?|.*\d")
"""Acronyms and numbers are as often formats, zones and habits: ``UTC``."""


_MAKER = r"(?P<maker>provider|bank|insurer|supplier|vendor|accountants?|auditors?|host|payroll bureau)"
_OURS = re.compile(
    rf"^{MARK}'s (?:[\w/-]+ ){{0,4}}?(?:{_MAKER}|tool|app|application|platform|system|software|service|tracker|wiki|CRM|database|client)s? (?:is|are) {MARK}"
    r"(?=[.,;:(]| \(|$| (?:and|which|who|for|where|with)\b)"
)
_IS_OURS = re.compile(
    rf"^(?:The )?{MARK} (?:is|are) (?:also |currently |now )?(?:our|the(?= (?:[\w/-]+ ){{1,6}}(?:that )?we use)) (?:[\w/-]+ ){{0,4}}?"
    rf"(?:{_MAKER}|tool|app|application|platform|system|software|service|tracker|wiki|CRM|database|client|home|channel)s?\b"
)


def tool_of_ours(masked: str) -> tuple[int, str] | None:
    """The number of the name that a sentence, whose names are marks, calls *our* tool or provider, and its type; the
    first mark there is *our*."""
    found = _OURS.match(masked) or _IS_OURS.match(masked)
    if found is None or _NOT_SO.search(found[0].replace("vendor", "")) is not None:
        return None
    return mark_numbers(found[0])[-1], "Organization" if found["maker"] else "Product"


def tool_used(text: str, spans: Sequence[NameSpan], speaker: int) -> int | None:
    """The number of the name that *we* use, where ``spans[speaker]`` is *we*; ``None`` where no use is stated."""
    verb = _USE.match(text, spans[speaker].end)
    if verb is None or speaker + 1 >= len(spans) or spans[speaker + 1].start != verb.end():
        return None
    tool = spans[speaker + 1]
    name = text[tool.start : tool.end]
    return speaker + 1 if _ENDS.match(text, tool.end) and not _NO_TOOL.fullmatch(name) else None


_OF_TOOL = re.compile(
    r"[*_`\])]*(?:\([^)\s]*\))?(?: (?:account|workspace|channel|board|calendar|folder|form|wiki|page|group|space|drive|dashboard)s?\b)?"
)
"""What a tool has that is worked in, behind its name."""


def tool_worked_in(text: str, tool: NameSpan) -> bool:
    """Whether a sentence has something done in ``tool``, by nobody else than those who speak and whom they address."""
    before = text[: tool.start]
    name = text[tool.start : tool.end]
    return (
        _KEPT.search(before) is not None
        and _OF_US.match(before) is not None
        and _NOT_SO.search(before) is None
        and ((behind := _OF_TOOL.match(text, tool.end)) is None or _ENDS.match(text, behind.end()) is not None)
        and not _NO_TOOL.fullmatch(name)
    )
