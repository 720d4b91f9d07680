"""Typed facts in the phrases that join two names: ``Boston, Massachusetts``, ``IBM spokesman Ann Lee``, ``Lee, 42, of Reno``.

Used by the extractor where the tagger gives every name a type: a pattern names the types that it joins, so that ``of``
between a person and a place is another fact than between two organizations. Pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kgfs.extraction.facts.ends import is_site
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.relations import PatternFact, is_told_of_nothing, is_unreal
from kgfs.extraction.names.wordlists.places import ABBREVIATIONS, REGIONS
from kgfs.extraction.names.wordlists.well_known import well_known_type

LETTERS = {
    "Person": "P", "Organization": "O", "Location": "L", "Facility": "F", "Country": "L", "City": "L", "Work": "W",
    "Product": "W", "Event": "E",
}  # fmt: skip
"""Types of entities to the letter that their marks have; all others are X."""

_TITLE = (
    r"(?:(?:[A-Z][a-z]+ )?(?:President|Vice President|Prime Minister|Minister|Chancellor|King|Queen|Pope|Sen\.|Senator|Rep\.|"
    r"Gov\.|Governor|Mayor|Judge|Justice|Officer|Sgt\.|Lt\.|Capt\.|Col\.|Gen\.|Maj\.|Dr\.|Mr\.|Mrs\.|Ms\.|Prof\.|Professor|Rev\.|"
    r"Sir|Dame|Lord|Secretary|Ambassador|Chairman|Director|General|Captain) ){0,4}"
)
ROLE = (
    r"(?:co-?founders?|founders?|chief executives?(?: officers?)?|chief [a-z]+(?: officers?)?|CEO|CFO|CTO|COO|CIO|CISO|CPO|CMO|GM|SVP|EVP|VP|presidents?|vice[ -]presidents?|"
    r"executives?|chair(?:man|woman|person)?|directors?|managers?|owners?|spokes(?:man|woman|person|men)|analysts?|economists?|"
    r"professors?|lecturers?|researchers?|scientists?|engineers?|lawyers?|attorneys?|secretar(?:y|ies)|treasurers?|leaders?|heads?|"
    r"officials?|officers?|commissioners?|coordinators?|consultants?|editors?|reporters?|correspondents?|columnists?|"
    r"journalists?|photographers?|employees?|workers?|representatives?|candidates?|coach(?:es)?|captains?|players?|pitchers?|"
    r"specialists?|experts?|administrators?|superintendents?|inspectors?|investigators?|agents?|commanders?|partners?|"
    r"principals?|deans?|curators?|programmers?|designers?|developers?|advis[eo]rs?|counsel|curator|fellows?|forecasters?|"
    r"seismologists?|meteorologists?|physicians?|chief|boss|deputy|publishers?|rectors?|pastors?|chaplains?|colonels?|"
    r"lieutenants?|postmasters?|librarians?|organists?|conductors?|bandmasters?|archivists?|trustees?)"
)
OFFICE = (
    r"(?:president|vice president|prime minister|premier|chancellor|foreign minister|defen[cs]e minister|finance minister|minister|"
    r"king|queen|emperor|governor|mayor|senator|representative|congressman|congresswoman|ambassador|deputy ambassador|attorney general|"
    r"judge|police chief|sheriff|secretary of state|lawmaker|delegate|leader|ruler|dictator|President|Vice President|"
    r"Prime Minister|Premier|Chancellor|Foreign Minister|Defen[cs]e Minister|Finance Minister|Minister|King|Queen|Emperor|Governor|"
    r"Gov\.|Mayor|Sen\.|Senator|Rep\.|Representative|Congressman|Ambassador|Attorney General|Attorney|Judge|Justice|Police Chief|"
    r"Sheriff|Secretary of State|Foreign Secretary|Mayor-elect)"
)
_CITIZEN = (
    r"(?:native|resident|businessman|businesswoman|lawyer|attorney|actor|actress|singer|writer|author|poet|artist|architect|"
    r"developer|banker|investor|farmer|teacher|doctor|physician|rancher|philanthropist|entrepreneur)"
)
_ADJECTIVE = r"(?:(?:the )?(?:northern|southern|eastern|western|central|north|south|east|west|northeast(?:ern)?|northwest(?:ern)?|southeast(?:ern)?|southwest(?:ern)?|downtown|suburban|nearby|neighboring|upstate|rural|what is now|present-day|north-central|south-central) ?){0,4}"
_WORDS = rf"(?:[^,;:()\s{OPEN}{CLOSE}]+ )"
_PLAIN = rf"(?:(?!but |that |breed |genus |species |near |west |east |north |south |outside |between |from |by |with )[^,;:()\s{OPEN}{CLOSE}]+ )"
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


class _Pattern(NamedTuple):
    """A phrase that joins two names."""

    rule: str
    type: str
    confidence: float
    expression: re.Pattern[str]


_PATTERNS: list[_Pattern] = []


def _add(fact_type: str, *patterns: tuple[str, float, str]) -> None:
    """Patterns of a type, each with the name that the table of rules has for it."""
    _PATTERNS.extend(
        _Pattern(f"proximity.{name}", fact_type, confidence, _compiled(text)) for name, confidence, text in patterns
    )


_add(
    "LOCATED_IN",
    ("place_in", 0.7, r"{sL} in " + _ADJECTIVE + r"(?:the )?{oL}"),
    (
        "place_appositive",
        0.75,
        r"{sL}, (?:a|an|the) " + _PLAIN + r"{0,5}(?:in|of|on) " + _ADJECTIVE + _mark("[L]", "o"),
    ),
    (
        "place_is",
        0.75,
        r"^(?:\W*(?:The )?){sL}(?:\[\d+\])*(?: ?\([^)]{0,60}\))?(?:\[\d+\])* (?:is|was|lies|are) (?:located |situated )?(?:(?:a|an|the|one of the) "
        + _PLAIN
        + r"{0,8})?(?:\([^)]{1,12}\) )?(?:(?:that|which) (?:is|forms|lies) (?:a |located |situated )?)?"
        r"(?:in|on|part of(?: the (?:borough|city|commune|county|district|municipality|parish|province|town) of)?|(?:capital|seat|city|town|village|suburb|district|part|region|state|province|county|area|borough|"
        r"municipality|island|neighbou?rhood)s? of) (?:the )?" + _ADJECTIVE + "{oL}",
    ),
    ("place_part_of", 0.7, r"{sL} (?:section|district|area|region|neighborhood|province) of {oL}"),
    ("site_in", 0.7, r"{sO} in " + _ADJECTIVE + "{oL}"),
    ("organization_of_city", 0.6, r"{sO} of {oL}" + _END),
)
_STANDS = r"(?: (?:is|was|lies|lay|stands|stood|sits|sat)(?: (?:situated|located|built|set|beautifully|pleasantly))*)"
_add(
    "LIES_ON",
    (
        "on_water",
        0.75,
        rf"{{sL}}(?:{_STANDS}|,)? (?:up)?on (?:a {_WORDS}{{1,3}}on )?(?:the )?(?:(?:[a-z]+ )?(?:banks?|shores?|coast|side) of )?(?:the )?{{oL}}(?!['’])",
    ),
)
_add(
    "LOCATED_NEAR",
    (
        "near",
        0.75,
        rf"{_mark('[LFO]', 's')}(?:{_STANDS}|,)? (?:near(?: to)?|not far (?:distant )?from|close to|(?:(?:about|some|only) )?[a-z\d-]+ miles (?:[a-z]+ )?(?:of|from|above|below)) (?:the )?(?:(?:town|city|village) of )?{{oL}}(?!['’])",
    ),
)
_add(
    "HEADQUARTERED_IN",
    ("place_based", 0.8, r"{oL}-based (?:(?!of |in |for |and |by )" + _WORDS + r"){0,3}{sO}"),
    (
        "described_based_in",
        0.75,
        r"{sO},? (?:a|an|the) " + _WORDS + r"{0,6}(?:based|headquartered) in (?:" + _ADJECTIVE + "){oL}",
    ),
)
_add(
    "WORKS_FOR",
    (
        "person_role_of",
        0.75,
        rf"{{sP}},? (?:\d\d, )?(?:(?:(?:the|an?|its|who is|who was|now|then|former|a former) )?(?:(?!and |or |by |to ){_WORDS}){{0,5}}?{ROLE}(?:,? and {ROLE})? (?:of|at|for|with|in|from|to) (?:{_WORDS}){{0,3}}?)(?:the )?{{oO}}",
    ),
    (
        "organization_role",
        0.75,
        rf"{{oO}}(?:['’]s?)? (?:(?!said |says |and |or |for |to |by |was |were |of ){_WORDS}){{0,3}}?(?i:{ROLE})(?: and {ROLE})?,? {{sP}}",
    ),
    (
        "person_post_at",
        0.75,
        rf"{{sP}}(?: \([^()]{{1,40}}\))?,? (?:(?:is|was|who is) )?(?:(?:the|an?|now|currently) ){{1,2}}(?:(?!and |or |by |to |student |candidate |former |previous ){_WORDS}){{0,5}}?"
        rf"(?:[Aa]rchitect|[Ss]trategist|[Tt]echnologist|[Ll]ead|[Mm]aintainer|[Pp]rincipal|[Aa]ssociate|[Pp]ractitioner|[Aa]dvocate|[Ee]vangelist|[Ii]ntern|[Tt]eacher|[Ll]ibrarian|[Ss]tatistician|[Tt]echnician) at (?:the )?{{oO}}(?!['’])",
    ),
    (
        "person_post_of_at",
        0.75,
        rf"{{sP}}(?: \([^()]{{1,40}}\))?,? (?:(?:is|was|who is) )?(?:the |an? )?(?:{_WORDS}){{0,4}}?(?i:{ROLE}|lead|architect) (?:of|for) (?:the )?(?:{_WORDS}){{0,3}}?{OPEN}[A-Z]\d+{CLOSE} (?:{_WORDS}){{0,2}}?at (?:the )?{{oO}}(?!['’])",
    ),
    (
        "assistant_to",
        0.75,
        rf"{{sP}},? (?:(?:is|was|who is|who was) )?(?:(?:now|then|an?|the|former|formerly) ){{0,2}}(?:{_WORDS})?(?:assistant|secretary|advis[eo]r|counsel|deputy|aide) to the (?:{_WORDS}){{0,2}}?{ROLE} of (?:the )?{{oO}}",
    ),
    ("person_of", 0.65, r"{sP} of (?:the )?{oO}(?!['’])"),
    ("role_of_person", 0.7, rf"(?:said |says )?(?:{_WORDS}){{0,2}}{ROLE} (?:of|at|for|with) (?:the )?{{oO}},? {{sP}}"),
    ("person_comma_of", 0.7, rf"{{sP}}, (?:of|at|with|from) (?:the )?{{oO}}(?!, {OPEN}L)"),
)
_add(
    "MEMBER_OF",
    (
        "person_member_of",
        0.75,
        rf"{{sP}},? (?:\d\d, )?(?:(?:(?:the|an?|who is|who was|now|then|is|was|is an?|was an?|became an?) )?(?:(?!and |or |by |to |former |past |previous |board ){_WORDS}){{0,4}}?members? (?:of|in) )(?:the )?{{oO}}(?!['’])",
    ),
    ("member", 0.75, r"{oO} members?,? {sP}"),
)
_add(
    "OFFICIAL_OF",
    (
        "place_office",
        0.75,
        rf"{{oL}}(?:['’]s)? (?:(?:former|new|then|acting|deputy|interim|first|late|Deputy|Former|District|Circuit|State|County|U\.S\.) ){{0,2}}{OFFICE},? {_TITLE}(?:{_mark('P', 's')})",
    ),
    (
        "person_office_of",
        0.75,
        rf"{{sP}},? (?:(?:who|is|was|been|became|becomes|elected|appointed|named|crowned|made|served|serves|serving|as|both|the|an?|"
        rf"now|then|former|current|acting|first|last|[a-z]*\d+(?:st|nd|rd|th)|[a-z]+th|second|third) ){{0,5}}{OFFICE} (?:of|from|for) {_ADJECTIVE}(?:the )?{{oL}}(?!['’])",
    ),
    ("party_and_state", 0.8, r"{sP},? \(?[DRI]-{oL}"),
    ("office_of_person", 0.7, rf"(?:{OFFICE}) (?:of|from) {{oL}},? {{sP}}"),
)
_add(
    "LIVES_IN",
    ("place_citizen", 0.7, rf"{{oL}} {_CITIZEN} {{sP}}"),
    ("native_of", 0.75, rf"{{sP}},? (?:(?:an?|the) )?(?:{_WORDS}){{0,4}}?(?:native|resident|citizen) of {{oL}}"),
    (
        "lives_in",
        0.8,
        r"{sP},? (?:who )?(?:now |still |also |then )?(?:lives?|lived|resides?|resided|settled|grew up) (?:"
        + _WORDS
        + r"){0,4}?in "
        + _ADJECTIVE
        + "{oL}",
    ),
)
_add(
    "BORN_IN",
    (
        "born_in",
        0.85,
        rf"{{sP}},?(?: ?['’]+)?(?: [A-Z]\w+)?(?: \()?(?: (?:was|were))? ?born (?:[^;:,{OPEN}{CLOSE}]{{0,30}}?(?:, \d{{4}},? )?)?(?:in|at) (?:the )?{_ADJECTIVE}(?:(?:small|city|town|village|parish|hamlet|of) )*{{oL}}(?! (?:town|city|village|county|state|suburb|district|region)\b)",
    ),
)
_add(
    "KILLED",
    (
        "killed_by",
        0.85,
        rf"{{oP}}(?:, [^,{OPEN}{CLOSE}]{{2,60}},)? (?:was|were|is|had been|has been|being) (?:(?:fatally|mortally|then|also|later) )*"
        rf"(?:shot(?: and (?:killed|mortally wounded|fatally wounded))?|killed|assassinated|murdered|mortally wounded|gunned down)"
        rf"(?: (?!by\b)[^;,{OPEN}{CLOSE}]{{1,40}})? by (?:{_WORDS}){{0,3}}?{{sP}}",
    ),
)
_add(
    "EDUCATED_AT",
    (
        "educated_at",
        0.8,
        rf"{{sP}}(?: \([^)]{{1,60}}\))?,? (?:who )?(?:was educated|studied|graduated|attended|(?:received|earned) [^{OPEN}{CLOSE};]{{2,50}}?(?:degree|doctorate|diploma|education|Ph\.?D\.?|[Bb]achelor[^ ]*|[Mm]aster[^ ]*))(?: [^{OPEN}{CLOSE};,]{{2,40}}?)? ?(?:at|from|in)? ?(?:the )?{{oO}}",
    ),
)
TYPES = frozenset(one.type for one in _PATTERNS)
"""What is found here."""
_TRIGGERS: dict[str, re.Pattern[str]] = {
    "KILLED": re.compile("shot|killed|assassinated|murdered|wounded|gunned"),
    "BORN_IN": re.compile("born"),
    "EDUCATED_AT": re.compile(r"educated|studied|graduated|attended|received|earned"),
    "HEADQUARTERED_IN": re.compile("based|headquartered"),
}
_SCHOOL = re.compile(
    r"\b(?:University|College|School|Institute|Academy|Conservatory|Seminary|Polytechnic|MIT)\b(?! Award)"
)
_ONCE_EACH = {
    "LOCATED_IN": "HEADQUARTERED_IN",
    "WORKS_FOR": "CHIEF_EXECUTIVE_OF FOUNDED OWNS",
    "LIVES_IN": "BORN_IN OFFICIAL_OF DIED_IN",
}
_LISTED = rf"(?:,? (?:and|or) (?:the |of |in |parts of |most of )*{OPEN}L|,? (?:are|were|have|all|both|respectively|and (?:other|others|elsewhere))\b)"
"""Behind the last name of a list: *Assyria, Babylon, Syria were all Semitic* says of none that it lies in the next."""
_CHAIN = re.compile(
    rf"(?<!{CLOSE}, ){OPEN}[LFO](?P<a>\d+){CLOSE}, {OPEN}L(?P<b>\d+){CLOSE}, {OPEN}L(?P<c>\d+){CLOSE}"
    rf"(?=(?:[\s,.;:?!)_\"-]|$))(?!, {OPEN}L\d+{CLOSE}|{_LISTED})"
)
_OF_WHOM = re.compile(rf"{OPEN}P\d+{CLOSE} \($")
_COMMA = re.compile(
    rf"{OPEN}[LFO](?P<s>\d+){CLOSE}, {OPEN}L(?P<o>\d+){CLOSE}(?=(?:[\s,.;:?!)_\"-]|$))"
    rf"(?!, {OPEN}L\d+{CLOSE}, |{_LISTED})"
)


_GOES_ON = re.compile(rf" (?!(?:I|The|This|It|We|In|On|At)\b)(?:[A-Z][\w-]*[a-z]\b|{OPEN}[OWX]\d+{CLOSE})")
"""Behind a place that only begins the next name of a list."""


def proximity_facts(
    masked: str, letters: Sequence[str], name: Sequence[str], contains: Callable[[str], bool]
) -> list[PatternFact]:
    """The facts of a sentence whose marks carry letters.

    ``letters`` and ``name`` are those of the marks; ``contains`` tells whether a name is that of a country or a state, which
    may follow another place behind a comma.
    """
    unreal = is_unreal(masked)
    if len(letters) < 2 or (unreal and is_told_of_nothing(masked)):
        return []
    found: list[PatternFact] = []
    taken: set[tuple[str, int, int]] = set()

    def add(rule: str, fact_type: str, confidence: float, match: re.Match[str]) -> None:
        add_pair(rule, fact_type, confidence, match, int(match["s"]), int(match["o"]))

    def add_pair(rule: str, fact_type: str, confidence: float, match: re.Match[str], subject: int, target: int) -> None:
        key = (fact_type, subject, target)
        if name[subject] == name[target] or key in taken:
            return
        taken.add(key)
        roles = {subject: "", target: ""}
        dated = fact_type in ("KILLED", "BORN_IN", "DIED_IN")
        found.append(
            PatternFact(
                fact_type,
                [subject],
                [target],
                match.start(),
                match.end(),
                confidence,
                dated=dated,
                roles=roles,
                rule=rule,
            )
        )

    for match in _COMMA.finditer(masked):
        if _GOES_ON.match(masked, match.end()):
            continue  # "the Lamp Code, Ohio Wick policy"
        if _OF_WHOM.search(masked, 0, match.start()) is not None and masked.startswith(")", match.end()):
            continue  # "Ann Lee (Acme, Canada)": she is there
        if contains(name[int(match["o"])]) and not contains(name[int(match["s"])]):
            add("proximity.comma", "LOCATED_IN", 0.8, match)
    for match in _CHAIN.finditer(masked):
        # "Okotoks, Alberta, Canada": each lies in those behind it, if the last is a country or a state.
        marks = [int(match[group]) for group in ("a", "b", "c")]
        if not contains(name[marks[2]]) or contains(name[marks[0]]):
            continue
        for subject, target in ((0, 1), (1, 2), (0, 2)):
            add_pair("proximity.chain", "LOCATED_IN", 0.75, match, marks[subject], marks[target])
    for rule, fact_type, confidence, expression in _PATTERNS:
        if unreal and rule not in _TAKEN_FOR_GRANTED:
            continue
        trigger = _TRIGGERS.get(fact_type)
        if trigger is not None and trigger.search(masked) is None:
            continue
        for match in expression.finditer(masked):
            if not _fits(rule, masked, match, letters, name, contains):
                continue
            add(rule, fact_type, confidence, match)
    return [one for one in found if not _said_better(one, taken)]


_TAKEN_FOR_GRANTED = frozenset(
    f"proximity.{rule}"
    for rule in "place_based organization_role role_of_person place_office office_of_person party_and_state".split()
)
"""Phrases that hold whatever the sentence doubts or asks: *Has the Acme chairman Ann Lee left?*"""
_OF = re.compile(r" (?:of|to|with|by|and) (?:the )?$")
_OTHER_PLACE = re.compile(r", (?:an?|the) (?:city|town|state|county|village|province|republic|kingdom|island|port) of ")
"""*Philadelphia, the city of Boulder and*: the next one of a list."""
_OF_POSTS = frozenset(f"proximity.{rule}" for rule in ("person_role_of", "person_office_of", "person_member_of"))
_NOT_HIS = re.compile(
    r"\b(?:whose|would|could|may|might|should|will|not|never|if|father|mother|wife|husband|son|daughter|brother|sister|declined|refused|"
    r"failed|wants?|hopes?|plans?|nominated|considered|expected)\b|n[’']t\b"
)
"""Between somebody and a post: it is another's, or not held."""
_AT_ANOTHER = re.compile(rf" (?:at|with) (?:the )?{OPEN}[OU]")
_UNIT = re.compile(
    r"\b(?:Department|Division|Faculty|Cent(?:er|re)|Office|Bureau|Group|Team|Unit|Lab|Committee|Council|Society)\b"
)
"""A part of an organization, which has those who head it."""
_OF_RELATION = re.compile(
    r"\b(?:rivals?|enem(?:y|ies)|opponents?|all(?:y|ies)|friends?|supporters?|partisans?|agents?|envoys?|ambassadors?|consuls?|embass(?:y|ies)|"
    r"representatives?|colon(?:y|ies)|neighbou?rs?|counterparts?|influence|interests?) of (?:the )?$"
)
"""Before a place in another: *the rival of Athens in Greece* is what is in Greece."""
_OF_SOMEBODY = re.compile(rf"{OPEN}P\d+{CLOSE} of $")


_WATER = re.compile(
    r"\b(?:Rivers?|Creek|Lakes?|Bay|Sea|Ocean|Canal|Sound|Straits?|Bayou|Gulf|Firth|Fjord|Loch|Lagoon|Inlet)\b"
)
"""In the name of what a town lies *on*."""


_IN_ANOTHER = re.compile(r"\b(?:in|of|within|from) (?:the )?$")


def _fits(
    rule: str,
    masked: str,
    match: re.Match[str],
    letters: Sequence[str],
    name: Sequence[str],
    contains: Callable[[str], bool],
) -> bool:
    """Whether the names of a match are such as its rule means, where their types do not tell."""
    subject, target = name[int(match["s"])], name[int(match["o"])]
    if rule in _OF_POSTS and _NOT_HIS.search(match[0]) is not None:
        return False
    if rule == "proximity.person_role_of" and _AT_ANOTHER.match(masked, match.end()) is not None:
        return is_site(target) or _UNIT.search(target) is not None  # no "Director of Lamp Design at Acme"
    if rule == "proximity.site_in":
        return is_site(subject)
    if rule == "proximity.place_appositive":
        return _OTHER_PLACE.search(match[0]) is None
    if rule == "proximity.born_in":
        # "the daughter of Bob Ray, was born in": who was born is the daughter.
        return not (_OF.search(masked[: match.start()]) and "," in match[0][: match[0].index("born")])
    if rule == "proximity.organization_of_city":
        # "Mutual Life Insurance Co. of New York", "Life Insurance Co. of Georgia": that is the name.
        if subject.endswith(" State"):
            return False  # "the Acme State of Testing Report"
        if subject.istitle() and " " not in subject and well_known_type(subject) != "Organization":
            return False  # "Ktesias of Reno" is somebody
        return not contains(target) and target not in REGIONS and target not in ("Georgia", "Washington")
    if rule == "proximity.place_in":
        # "Maximilian of Austria-Este in the castle": what is in the castle is he.
        before = masked[: match.start()]
        return _OF_SOMEBODY.search(before) is None and _OF_RELATION.search(before) is None
    if rule == "proximity.on_water":
        if _IN_ANOTHER.search(masked, 0, match.start()) and masked.startswith(
            ",", match.start() + len(match[0].partition(",")[0])
        ):
            return False  # "a town in the Tarn Territory, on the River Orm"
        return _WATER.search(target) is not None and _WATER.search(subject) is None
    if rule == "proximity.near":
        return (letters[int(match["s"])] == "L" or is_site(subject)) and not contains(subject)
    if rule == "proximity.party_and_state":
        return target not in ABBREVIATIONS
    return rule != "proximity.educated_at" or _SCHOOL.search(target) is not None


def _said_better(one: PatternFact, taken: set[tuple[str, int, int]]) -> bool:
    """Whether a more exact fact joins the same two names."""
    return any((better, one.subjects[0], one.objects[0]) in taken for better in _ONCE_EACH.get(one.type, "").split())
