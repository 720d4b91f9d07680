"""What those who speak use: ``We use Notion to track our work``, ``Slack is our chat tool``, ``Book your leave in BreatheHR``.

Used by ``fact_reader`` where it is known who *we* are; pure. The first kind of sentence shows what the name is, too:
many tools have an ordinary word for a name, and no other sentence says what they are. The second is of known tools.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

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
    r"recorded|report|request|review|save|sav|send|sent|schedul|schedule|share|shar|store|stor|submit|submitt|talk|track|update|updat|"
    r"upload|write|written)(?:e?d|e?s|ing)?\b)"
    r"(?:(?! (?:that|which|who) )[^.;:!?]){0,60}? (?:in|into|on|through|using|via)(?: the| our| an?)?(?: [*_`]*#[\w-]+[*_`]*)?[*_` ]$"
)
"""What is done *in* a tool, before its name."""
_DEPARTMENTS = r"(?:People (?:Ops|Operations|Team|Group)|PeopleOps|HR|Human Resources|Finance|Accounting|Payroll|Legal|Operations|Recruiting|Talent|IT|Facilities|Office Management)(?: [Tt]eam)?"
"""Parts of any firm: what they do the firm does."""
_OF_US = re.compile(
    r"[^\w]*(?:(?:[A-Z][^,;:.!?]{0,80}, |Note that |(?:Please|Then|Now|Next|First|Finally|Also|Always|Just)\b,? ?){0,5}"
    r"(?:(?i:add|apply|assign|book|capture|claim|collaborate|communicate|complete|coordinate|discuss|document|file|host|keep|log|pay|process|publish|purchase|sign|"
    r"manage|monitor|note|organi[sz]e|plan|post|raise|record|report|request|review|save|schedule|share|store|submit|track|"
    r"update|upload) |(?i:we|you|our|all our|all (?:of us|staff|employees|managers|team members|teams|new starters)|your|everyone|staff|employees|team members|each (?:team member|employee)|every (?:team member|employee)|managers)\b)"
    rf"|(?:If [^,;.]{{2,100}}, )?(?:[Tt]he )?{_DEPARTMENTS} (?:will|should|must|then|also)\b"
    r"|.{0,120}\b(?:must|should|to|can|will) be (?:\w+ ){0,2}\w+(?:ed|en|ept|ade)\b)",
    re.DOTALL,
)
"""How a sentence begins that says what is done here: an order, *we* or *you*, or what must be done; others tell of somebody else."""
_NOT_SO = re.compile(
    r"(?i:\b(?:(?:understood|learned|learnt|found|noticed|discovered|saw|realized|realised|knew) (?:out )?that|(?:posts?|articles?|reports?|stor(?:y|ies))\b[^.]{0,60}? about|(?:talk|think|thought|hear|heard|writ\w+|wrote)(?:ed|ing|s)? (?:[a-z]+ )?about|discuss(?:ed|ing)? (?!in\b|on\b|it\b|this\b|them\b|th)|avoid|clients?|customers?|departments?|governments?|instead|never|no longer|not|rather|suppliers?|they|"
    r"their|users?|vendors?|might|may|could|would|you can|(?:has|have) (?:the|an) option|(?:create|make|open|set up|need|register|sign up for) (?:an? |your |own |new |free )*accounts?|(?:add|follow|find|tag) (?:us|me|them|him|her))\b|n['’]t\b)"
)
"""Who else may be the one that does it, and words that say that it is not done."""
_STAFF = re.compile(r"(?:(?:All|Each|Every|New|Our) )?(?i:staff|employees?|team members?|teammates?|managers?)\b")
"""Those who work for us, at the head of a sentence, so that *their* is ours."""
_THEIR = re.compile(r"\btheir\b")
_NO_TOOL = re.compile(r"[A-Z]{2,}s?|.*\d")
"""Acronyms and numbers are as often formats, zones and habits: ``UTC``."""


_MAKER = r"(?P<maker>provider|bank|insurer|supplier|vendor|accountants?|auditors?|host|payroll bureau)"
_OURS = re.compile(
    rf"^{MARK}'s (?:[\w/-]+ ){{0,4}}?(?:{_MAKER}|tool|app|application|platform|system|software|service|tracker|wiki|CRM|database|client)s? (?:is|are) {MARK}"
    r"(?=[.,;:(]| \(|$| (?:and|which|who|for|where|with)\b)"
)
_IS_OURS = re.compile(
    rf"^(?:The )?{MARK} (?:is|are) (?:also |currently |now )?(?:our|the(?= (?:[\w/-]+ ){{1,6}}(?:that )?we use)) (?:[\w/-]+ ){{0,4}}?"
    rf"(?:{_MAKER}|tool|app|application|platform|system|software|service|tracker|wiki|CRM|database|client|home|channel|(?:bank )?account)s?\b"
)


def is_department(name: str) -> bool:
    """Whether a name is that of a part that any firm has, so that it is nobody else."""
    return re.fullmatch(_DEPARTMENTS, name) is not None


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
        and _NOT_SO.search(_THEIR.sub("", before) if _STAFF.match(before) else before) is None
        and ((behind := _OF_TOOL.match(text, tool.end)) is None or _ENDS.match(text, behind.end()) is not None)
        and not _NO_TOOL.fullmatch(name)
    )


_HELD = r"(?:accounts?|workspaces?|channels?|organi[sz]ations?|profiles?|repositor(?:y|ies)|calendars?|folders?|instances?|boards?|groups?|drives?|team)"
_OUR_TOOL = re.compile(
    rf"(?i:\b(?:in|on|to|from|join|using|via|through|with|into|check|see)) (?:(?i:our)|(?:the )?{MARK}(?:['’]s)?(?= )) (?:(?:main|internal|company|shared|public) )?\[?{MARK}\]?(?:\([^)\s]*\))?"
    rf"(?= {_HELD}\b|[.,;:)]|$| (?:and|or|for|at|so|when|where)\b)"
)
_OUR_ACCOUNT = re.compile(
    rf"(?:(?i:\bour)|^{MARK}'s) {MARK} (?:(?:bank|user|team|company|admin) )?(?:accounts?|balance|workspace|database|organi[sz]ation|dashboards?|instance|servers?|subscription)\b"
)
_ACCOUNT_WITH = re.compile(
    rf"^\W*{MARK} (?:also |currently |now )?(?:have|has|hold|holds|keep|keeps) (?:an? |our |its )?(?:[a-z]+ )?accounts? (?:with|at|on) (?P<o>{MARK}(?: \([^()]*\))?(?:(?:, and |, | and ){MARK})*)"
)
_IN_CHANNEL = re.compile(rf"(?<!\w)[*_`]*#[a-z][\w-]+[*_`]* {MARK} channels?\b")


def tools_of_ours(masked: str, is_ours: Callable[[int], bool]) -> Iterator[int]:
    """The numbers of the tools in which a sentence has something of ours: ``on our Slack``, ``in the ⟨Acme⟩ GitHub``, where
    ``is_ours`` is who speaks; ``the #lamps Slack channel``."""
    for found in chain(_OUR_TOOL.finditer(masked), _OUR_ACCOUNT.finditer(masked)):
        *owners, tool = mark_numbers(found[0])
        if all(map(is_ours, owners)):
            yield tool
    account = _ACCOUNT_WITH.match(masked)
    if account is not None and is_ours(mark_numbers(account[0])[0]):
        yield from mark_numbers(account["o"])
    for found in _IN_CHANNEL.finditer(masked):
        yield mark_numbers(found[0])[-1]
