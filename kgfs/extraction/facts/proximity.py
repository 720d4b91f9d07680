"""Typed facts in the phrases that join two names: ``Boston, Massachusetts``, ``IBM spokesman Ann Lee``, ``Lee, 42, of Reno``.

Used by the extractor where the tagger gives every name a type: a pattern names the types that it joins, so that ``of``
between a person and a place is another fact than between two organizations. Pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgfs.extraction.facts.relations import CLOSE, OPEN, PatternFact, is_unreal

LETTERS = {
    "Person": "P", "Organization": "O", "Location": "L", "Facility": "F", "Country": "L", "City": "L", "Work": "W",
    "Product": "W", "Event": "E",
}  # fmt: skip
"""Types of entities to the letter that their marks have; all others are X."""

_TITLE = (
    r"(?:(?:[A-Z][a-z]+ )?(?:President|Vice President|Prime Minister|Minister|Chancellor|King|Queen|Pope|Sen\.|Senator|Rep\.|"
    r"Gov\.|Governor|Mayor|Judge|Justice|Officer|Sgt\.|Lt\.|Capt\.|Col\.|Gen\.|Maj\.|Dr\.|Mr\.|Mrs\.|Ms\.|Prof\.|Professor|Rev\.|"
    r"Sir|Dame|Lord|Secretary|Ambassador|Chairman|Director|General|Captain) )*"
)
_ROLE = (
    r"(?:co-?founders?|founders?|chief executives?(?: officers?)?|chief [a-z]+(?: officers?)?|CEO|CFO|CTO|presidents?|vice[ -]presidents?|"
    r"executives?|chair(?:man|woman|person)?|directors?|managers?|owners?|spokes(?:man|woman|person|men)|analysts?|economists?|"
    r"professors?|lecturers?|researchers?|scientists?|engineers?|lawyers?|attorneys?|secretar(?:y|ies)|treasurers?|leaders?|heads?|"
    r"members?|officials?|officers?|commissioners?|coordinators?|consultants?|editors?|reporters?|correspondents?|columnists?|"
    r"journalists?|photographers?|employees?|workers?|representatives?|candidates?|coach(?:es)?|captains?|players?|pitchers?|"
    r"specialists?|experts?|administrators?|superintendents?|inspectors?|investigators?|agents?|commanders?|partners?|"
    r"principals?|deans?|curators?|programmers?|designers?|developers?|advis[eo]rs?|counsel|curator|fellows?|forecasters?|"
    r"seismologists?|meteorologists?|physicians?|chief|boss|deputy)"
)
_OFFICE = (
    r"(?:president|vice president|prime minister|premier|chancellor|foreign minister|defen[cs]e minister|finance minister|minister|"
    r"king|queen|emperor|governor|mayor|senator|representative|congressman|congresswoman|ambassador|deputy ambassador|attorney general|"
    r"attorney|judge|police chief|sheriff|secretary of state|lawmaker|delegate|leader|ruler|dictator|President|Vice President|"
    r"Prime Minister|Premier|Chancellor|Foreign Minister|Defen[cs]e Minister|Finance Minister|Minister|King|Queen|Emperor|Governor|"
    r"Gov\.|Mayor|Sen\.|Senator|Rep\.|Representative|Congressman|Ambassador|Attorney General|Attorney|Judge|Justice|Police Chief|"
    r"Sheriff|Secretary of State|Foreign Secretary|Mayor-elect)"
)
_CITIZEN = (
    r"(?:native|resident|businessman|businesswoman|lawyer|attorney|actor|actress|singer|writer|author|poet|artist|architect|"
    r"developer|banker|investor|farmer|teacher|doctor|physician|rancher|philanthropist|entrepreneur)"
)
_ADJECTIVE = r"(?:(?:the )?(?:northern|southern|eastern|western|central|north|south|east|west|northeast(?:ern)?|northwest(?:ern)?|southeast(?:ern)?|southwest(?:ern)?|downtown|suburban|nearby|neighboring|upstate|rural|what is now|present-day|north-central|south-central) ?)*"
_WORDS = rf"(?:[^,;:()\s{OPEN}{CLOSE}]+ )"
_END = r"(?=[\s,.;:)'’\"]|$)"


def _mark(letter: str, group: str) -> str:
    kinds = {"L": "[LF]"}.get(letter, letter)
    return rf"{OPEN}{kinds}(?P<{group}>\d+){CLOSE}"


def _compiled(pattern: str) -> re.Pattern[str]:
    """``{sP}`` is a mark of a person that is the subject, ``{oL}`` one of a place that is the object."""
    for group in ("s", "o"):
        for letter in "POLFWE":
            lead = _TITLE if letter == "P" else ""
            pattern = pattern.replace(f"{{{group}{letter}}}", lead + _mark(letter, group))
    return re.compile(pattern)


_PATTERNS: list[tuple[str, float, re.Pattern[str]]] = []


def _add(fact_type: str, *patterns: tuple[float, str]) -> None:
    _PATTERNS.extend((fact_type, confidence, _compiled(text)) for confidence, text in patterns)


_add(
    "LOCATED_IN",
    (0.7, r"{sL} in " + _ADJECTIVE + r"(?:the )?{oL}"),
    (0.75, r"{sL},? (?:a|an|the) " + _WORDS + r"{0,5}(?:in|of|on|near) " + _ADJECTIVE + "{oL}"),
    (
        0.75,
        r"{sL}(?: \([^)]{1,60}\))? (?:is|was|lies|are) (?:located |situated )?(?:(?:a|an|the|one of the) "
        + _WORDS
        + r"{0,8})?(?:in|of|on) (?:the )?"
        + _ADJECTIVE
        + "{oL}",
    ),
    (0.7, r"{sL} (?:section|district|area|region|neighborhood|suburb|province|republic|county|state) of {oL}"),
    (0.6, r"{oL}['’]s (?:" + _WORDS + r"){0,2}(?:city of |province of |region of |capital,? )?{sL}"),
    (0.7, r"{sO} in " + _ADJECTIVE + "{oL}"),
    (0.6, r"{sO},? (?:a|an|the) " + _WORDS + r"{0,6}in (?:" + _ADJECTIVE + "){oL}"),
    (0.6, r"{sO} (?:of|at) {oL}" + _END),
    (0.6, r"{oL}['’]s (?:" + _WORDS + r"){0,2}{sO}"),
)
_add(
    "HEADQUARTERED_IN",
    (0.8, r"{oL}-based (?:" + _WORDS + r"){0,3}{sO}"),
    (0.8, r"{sO}(?: is|,)? (?:based|headquartered) in (?:" + _ADJECTIVE + "){oL}"),
    (0.75, r"{sO},? (?:a|an|the) " + _WORDS + r"{0,6}(?:based|headquartered) in (?:" + _ADJECTIVE + "){oL}"),
)
_add(
    "WORKS_FOR",
    (
        0.75,
        rf"{{sP}},? (?:\d\d, )?(?:(?:the|an?|its|who is|who was|now|then|former|a former)? ?(?:{_WORDS}){{0,5}}?{_ROLE}(?:,? and {_ROLE})? (?:of|at|for|with|in|from|to) (?:{_WORDS}){{0,3}}?)(?:the )?{{oO}}",
    ),
    (0.75, rf"{{oO}}(?:['’]s)? (?:{_WORDS}){{0,3}}?(?i:{_ROLE})(?: and {_ROLE})?,? {{sP}}"),
    (0.65, r"{sP} (?:of|at|with|from|for) (?:the )?{oO}"),
    (0.6, r"{sP} \((?:the )?{oO}\)"),
    (0.7, rf"(?:said |says )?(?:{_WORDS}){{0,2}}{_ROLE} (?:of|at|for|with) (?:the )?{{oO}},? {{sP}}"),
    (0.7, r"{sP},? (?:of|at|with|from) (?:the )?{oO}"),
)
_add(
    "OFFICIAL_OF",
    (
        0.75,
        rf"{{oL}}(?:['’]s)? (?:(?:former|new|then|acting|deputy|interim|first|late|Deputy|Former|District|Circuit|State|County|U\.S\.) ){{0,2}}{_OFFICE},? {_TITLE}(?:{_mark('P', 's')})",
    ),
    (
        0.75,
        rf"{{sP}},? (?:(?:the|a|an|who (?:is|was)|then|former|a former|the former|now) )?(?:{_WORDS}){{0,4}}?{_OFFICE} (?:of|to|from|for) {_ADJECTIVE}(?:the )?{{oL}}",
    ),
    (0.8, r"{sP},? \(?[DRI]-{oL}"),
    (0.7, rf"(?:{_OFFICE}) (?:of|from) {{oL}},? {{sP}}"),
)
_add(
    "LIVES_IN",
    (0.6, r"{sP},? (?:\d{1,2}, )?(?:of|from) " + _ADJECTIVE + "{oL}" + _END),
    (0.7, rf"{{oL}} {_CITIZEN} {{sP}}"),
    (0.75, rf"{{sP}},? (?:(?:an?|the) )?(?:{_WORDS}){{0,4}}?(?:native|resident|citizen) of {{oL}}"),
    (
        0.8,
        r"{sP},? (?:who )?(?:now |still |also |then )?(?:lives?|lived|resides?|resided|settled|grew up) (?:"
        + _WORDS
        + r"){0,4}?(?:in|at|near) "
        + _ADJECTIVE
        + "{oL}",
    ),
)
_add(
    "BORN_IN",
    (
        0.85,
        rf"{{sP}},?(?: ?['’]+)?(?: [A-Z]\w+)?(?:, [^{OPEN}{CLOSE}]{{2,60}}(?:{OPEN}[A-Z]\d+{CLOSE}[^{OPEN}{CLOSE}]{{0,20}})?,)?(?: \()?(?: (?:was|were))? ?born (?:[^;:{OPEN}{CLOSE}]{{0,40}}?)?(?:in|at|near) (?:the )?{_ADJECTIVE}(?:{_WORDS}){{0,4}}?{{oL}}",
    ),
    (0.75, r"{sP} \((?:born )?(?:[\w. ]{4,30}), (?:in )?{oL}"),
)
_add(
    "DIED_IN", (0.8, rf"{{sP}} (?:died|was killed) (?:[^;:,{OPEN}{CLOSE}]{{0,40}}?)?(?:in|at|near) {_ADJECTIVE}{{oL}}")
)
_KILLED = r"(?:shot(?: and (?:killed|mortally wounded|fatally wounded))?|killed|assassinated|murdered|slew|mortally wounded|gunned down)"
_ADVERB = r"(?:(?:fatally|mortally|then|also|later|himself|apparently not) )*"
_add(
    "KILLED",
    (
        0.85,
        rf"{{sP}}(?:, [^,{OPEN}{CLOSE}]{{2,60}},)? (?:who )?(?:had |has )?{_ADVERB}{_KILLED} (?:(?:and|the|his|her|civil rights|former|then|nightclub owner|police) ?(?:{_WORDS}){{0,3}})?{{oP}}",
    ),
    (
        0.85,
        rf"{{oP}}(?:, [^,{OPEN}{CLOSE}]{{2,60}},)? (?:was|were|is|had been|has been|being) {_ADVERB}{_KILLED}(?: (?!by\b)[^;,{OPEN}{CLOSE}]{{1,40}})? by (?:{_WORDS}){{0,3}}?{{sP}}",
    ),
    (0.85, r"(?:assassination|murder|slaying|killing|shooting|death) of {oP} by {sP}"),
    (0.85, r"{oP}['’]s (?:convicted |confessed )?(?:assassin|killer|murderer),? {sP}"),
    (
        0.85,
        r"{sP},? (?:is |was )?(?:the )?(?:man )?(?:convicted |confessed |lone )?(?:assassin|killer|murderer|slayer) of (?:the )?{oP}",
    ),
    (
        0.85,
        rf"{{sP}}(?:, [^,{OPEN}{CLOSE}]{{0,60}},?|,)?(?: (?:was|is|who was|the man))?,? (?:convicted|found guilty) (?:of|for|in) (?:the )?(?:assassinating|killing|murdering|murder of|assassination of|slaying of|shooting|killing of|shooting death of|shooting of) {{oP}}",
    ),
    (
        0.75,
        rf"{{sP}}[^{OPEN}{CLOSE};]{{0,40}} (?:for|of|to|in) (?:the )?(?:assassinating|killing|murdering|murder of|assassination of|slaying of) {{oP}}",
    ),
)
_add(
    "EDUCATED_AT",
    (
        0.8,
        rf"{{sP}}(?: \([^)]{{1,60}}\))?,? (?:who )?(?:was educated|studied|graduated|attended|received [^{OPEN}{CLOSE};]{{2,50}}?|earned [^{OPEN}{CLOSE};]{{2,50}}?)(?: [^{OPEN}{CLOSE};,]{{2,40}}?)? ?(?:at|from|in)? ?(?:the )?{{oO}}",
    ),
)
TYPES = frozenset(fact_type for fact_type, _, _ in _PATTERNS)
"""What is found here."""
_TRIGGERS: dict[str, re.Pattern[str]] = {
    "KILLED": re.compile(r"shot|kill|assassin|murder|slay|slew|wounded|gunned"),
    "BORN_IN": re.compile("born"),
    "EDUCATED_AT": re.compile(r"educated|studied|graduated|attended|received|earned"),
    "DIED_IN": re.compile("died|killed"),
    "HEADQUARTERED_IN": re.compile("based|headquartered"),
}
_SCHOOL = re.compile(r"University|College|School|Institute|Academy|Conservatory|Seminary|Polytechnic|MIT\b")
_ONCE_EACH = {
    "LOCATED_IN": "HEADQUARTERED_IN",
    "WORKS_FOR": "CHIEF_EXECUTIVE_OF FOUNDED OWNS",
    "LIVES_IN": "BORN_IN OFFICIAL_OF DIED_IN",
}
_CHAIN = re.compile(
    rf"(?<!{CLOSE}, ){OPEN}[LFO](?P<a>\d+){CLOSE}, {OPEN}L(?P<b>\d+){CLOSE}, {OPEN}L(?P<c>\d+){CLOSE}"
    rf"(?=(?:['’\s,.;:)_\"-]|$))(?!, {OPEN}L\d+{CLOSE}|,? (?:and|or) {OPEN}L)"
)
_COMMA = re.compile(
    rf"{OPEN}[LFO](?P<s>\d+){CLOSE}, {OPEN}L(?P<o>\d+){CLOSE}(?=(?:['’\s,.;:)_\"-]|$))"
    rf"(?!, {OPEN}L\d+{CLOSE}, |,? (?:and|or) {OPEN}L)"
)


def proximity_facts(
    masked: str, letters: Sequence[str], name: Sequence[str], contains: Callable[[str], bool]
) -> list[PatternFact]:
    """The facts of a sentence whose marks carry letters.

    ``letters`` and ``name`` are those of the marks; ``contains`` tells whether a name is that of a country or a state, which
    may follow another place behind a comma.
    """
    if len(letters) < 2 or is_unreal(masked):
        return []
    found: list[PatternFact] = []
    taken: set[tuple[str, int, int]] = set()

    def add(fact_type: str, confidence: float, match: re.Match[str]) -> None:
        add_pair(fact_type, confidence, match, int(match["s"]), int(match["o"]))

    def add_pair(fact_type: str, confidence: float, match: re.Match[str], subject: int, target: int) -> None:
        key = (fact_type, subject, target)
        if name[subject] == name[target] or key in taken:
            return
        taken.add(key)
        roles = {subject: "", target: ""}
        dated = fact_type in ("KILLED", "BORN_IN", "DIED_IN")
        found.append(
            PatternFact(
                fact_type, [subject], [target], match.start(), match.end(), confidence, dated=dated, roles=roles
            )
        )

    for match in _COMMA.finditer(masked):
        if contains(name[int(match["o"])]) and not contains(name[int(match["s"])]):
            add("LOCATED_IN", 0.8, match)
    for match in _CHAIN.finditer(masked):
        # "Okotoks, Alberta, Canada": each lies in those behind it, if the last is a country or a state.
        marks = [int(match[group]) for group in ("a", "b", "c")]
        if not contains(name[marks[2]]) or contains(name[marks[0]]):
            continue
        for subject, target in ((0, 1), (1, 2), (0, 2)):
            add_pair("LOCATED_IN", 0.75, match, marks[subject], marks[target])
    for fact_type, confidence, expression in _PATTERNS:
        trigger = _TRIGGERS.get(fact_type)
        if trigger is not None and trigger.search(masked) is None:
            continue
        for match in expression.finditer(masked):
            if fact_type == "EDUCATED_AT" and not _SCHOOL.search(name[int(match["o"])]):
                continue
            add(fact_type, confidence, match)
    return [one for one in found if not _said_better(one, taken)]


def _said_better(one: PatternFact, taken: set[tuple[str, int, int]]) -> bool:
    """Whether a more exact fact joins the same two names."""
    return any((better, one.subjects[0], one.objects[0]) in taken for better in _ONCE_EACH.get(one.type, "").split())
