"""Typed facts by patterns over a sentence in which every name is a mark.

Used by the extractor; pure. A sentence comes with its names replaced by marks (``⟨0⟩ acquired ⟨1⟩ in 2014``), so that a
pattern sees where a name starts and ends and nothing else. The patterns are narrow on purpose: what is planned, denied,
asked, rumoured or only stands nearby is no fact.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kgfs.documents import dates
from kgfs.extraction.facts.marks import CLOSE, MARK, OPEN, mark_numbers
from kgfs.extraction.facts.sentences.figures import find_price

_E = MARK
_LIST = rf"(?:{_E}(?:(?:, and |, | and | & |; ){_E})*)"

_LISTED = rf"{_E}(?: \([^()]{{1,20}}\))?(?:(?:, and |, | and ){_E}(?: \([^()]{{1,20}}\))?)*"
"""Names in a list, with their short forms in brackets."""
_ADVERB = (
    r"(?: (?:also|then|later|subsequently|formally|officially|finally|first|already|eventually|quietly|successfully|"
    r"recently|jointly|itself|together|soon|since|outright|in turn|in fact))*"
)
_DAY = r"(?:\d{1,2} )?(?:[A-Z][a-z]+ )?(?:\d{1,2}, )?\d{4}"
_WHEN = rf"(?:,? (?:in|on|by|since) {_DAY},?)?"
_HAS = r"(?: (?:has|have|had))?"
_WAS = r" (?:was|were|is|are|has been|had been|have been|got|being)"
# An insertion between commas: ``Overture, a company from California, acquired …``; at most one name in it.
_APPOSITION = rf"(?:, (?!and\b|but\b|or\b)[^,;:{OPEN}{CLOSE}]{{2,90}}(?:{_E}[^,;:{OPEN}{CLOSE}]{{0,50}})?,)?"
_KIND = r"(?:compan(?:y|ies)|firms?|start-?ups?|makers?|laborator(?:y|ies)|labs?|business(?:es)?|rivals?|competitors?|bank|" \
        r"publisher|developers?|studio|service|specialists?|group|unit|platform|provider|retailer|brand|site|network)"  # fmt: skip
# What may stand before an object's name without changing what it is.
_DESCRIBED = (
    rf"(?:(?:the |its |his |her |their |an? |rival |fellow |nearby )?(?:{_E}(?:-based)? )?"
    rf"(?:(?!of\b|in\b|from\b|to\b|by\b|for\b|with\b|at\b|on\b|and\b|or\b|stake|share|right|licen|part|asset|most|some|"
    rf"half|control)[a-z][\w-]* ){{0,4}}{_KIND} |the |rival )?"
)
# After an object: nothing that makes the name an adjective (``bought Google shares``) or an owner (``Google's maps``).
_AFTER = (
    r"(?=\s*(?:[,.;:)—–]|\(|$)|\s+(?:in|on|for|from|at|by|with|and|as|after|before|during|to|which|who|that|outright|earlier|"
    r"later|last|this|when|while|but|under|through|via|because|despite|then|also|since|until|where|so|about|"
    r"around|more|just|only|late|early|together|along|the|a|an|was|were|is|has|had)\b)"
)
_ALL_OF = r"(?: (?:all (?:of )?|100 ?% of |the entire )(?:the |its )?(?:(?:issued|outstanding|remaining|and|common) )*(?:shares?|stock|equity|capital|interests?|assets)(?: of| in))?"
_ACQUIRED = rf"(?:acquired|bought|purchased|took over|taken over){_ALL_OF}"
_TITLE = r"(?:chief executive(?: officer)?(?: \(CEO\))?|CEO|chief exec)"
_OTHER_TITLE = r"(?:co-?founder|founder|chair(?:man|woman|person)?|president|managing director|owner|chief scientist)"
_TITLES = rf"(?:(?:{_OTHER_TITLE}(?:, | and |, and )){{0,2}}{_TITLE}(?:(?:, | and |, and ){_OTHER_TITLE}){{0,2}})"
_RANK = (
    r"(?:(?:current|former|first|second|third|fourth|new|next|interim|acting|longtime|long-time|founding|then|present|"
    r"co-|group) ?)*"
)
_FOUND = r"(?:co-?)?(?:founded|established|started|set up)"
_DEVELOPED = r"(?:developed|created|built|released|launched|introduced|invented|unveiled)"


@dataclass(slots=True)
class PatternFact:
    """One fact as a pattern found it; subjects and objects are numbers of marks."""

    type: str
    subjects: list[int]
    objects: list[int]
    start: int
    end: int
    """Where in the masked sentence."""
    confidence: float
    date: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    value: float | None = None
    unit: str | None = None
    dated: bool = True
    roles: dict[int, str] = field(default_factory=dict)
    """What type each mark must have for the statement to make sense."""
    rule: str = ""
    """The rule that made it, as ``docs/extraction.md`` lists it."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    rule: str
    type: str
    expression: re.Pattern[str]
    confidence: float
    dated: bool
    """It has a verb, so that a date beside it is its date."""
    subject: str
    """The type that the subject must have, or ``""`` for any."""
    object: str


def _named(pattern: str) -> str:
    """``{S}`` and ``{O}`` as lists of names, ``{L}`` as objects that may have short forms in brackets, ``{P}`` as an
    object that is one name."""
    named = pattern.replace("{S}", rf"(?P<s>{_LIST})").replace("{O}", rf"(?P<o>{_LIST})")
    return named.replace("{L}", rf"(?P<o>{_LISTED})").replace("{P}", rf"(?P<o>{_E})")


def _one(pattern: str) -> str:
    """Like ``_named``, with single names instead of lists."""
    return pattern.replace("{S}", rf"(?P<s>{_E})").replace("{O}", rf"(?P<o>{_E})")


_ORG, _PERSON, _PLACE = "Organization", "Person", "Location"
_PATTERNS: list[_Pattern] = []


def _add(fact_type: str, subject: str, object_: str, *patterns: tuple[str, float, str], dated: bool = True) -> None:
    """Patterns of a type, each with the name that the table of rules has for it."""
    for name, confidence, text in patterns:
        expression = re.compile(text)
        _PATTERNS.append(_Pattern(f"relations.{name}", fact_type, expression, confidence, dated, subject, object_))


_add(
    "ACQUIRED", _ORG, _ORG,
    ("acquired", 0.9, _named(rf"{{S}}{_APPOSITION}{_WHEN}{_HAS}{_ADVERB} {_ACQUIRED} {_DESCRIBED}{{O}}{_AFTER}")),
    ("acquired_by", 0.9, _named(rf"{{O}}{_APPOSITION}{_WAS}{_ADVERB} {_ACQUIRED}{_WHEN} by {_DESCRIBED}{{S}}")),
    ("completed_acquisition", 0.9, _named(
        rf"{{S}}{_APPOSITION}{_WHEN}{_HAS}{_ADVERB} (?:completed|closed|finali[sz]ed|finished|concluded)"
        rf" (?:its|the|their|our) (?:[a-z-]+ ){{0,2}}(?:acquisition|purchase|takeover) of {_DESCRIBED}{{O}}{_AFTER}"
    )),
    ("acquisition_of", 0.85, _one(rf"{{S}}['’]s? (?:\d{{4}} )?(?:acquisition|takeover|purchase) of {_DESCRIBED}{{O}}{_AFTER}")),
)  # fmt: skip
_add(
    "FOUNDED", "", _ORG,
    ("founded", 0.9, _named(rf"{{S}}{_APPOSITION}{_WHEN}{_HAS}{_ADVERB} {_FOUND} {_DESCRIBED}{{O}}{_AFTER}")),
    ("founded_by", 0.9, _named(rf"{{O}}{_APPOSITION}{_WAS}{_ADVERB} {_FOUND}(?: (?:in|on|at) [^,;{OPEN}]{{1,30}}?)?(?: in {_E})?,? by {{S}}")),
    ("founded_by_apposed", 0.85, _named(rf"{{O}},? (?:which{_WAS} )?{_FOUND}{_WHEN}(?: in {_E})? by {{S}}")),
    ("described_founded_by", 0.85, _named(rf"{{O}} (?:is|was) an? (?:[^.;,{OPEN}]{{0,40}} )??(?:{_E} )?[^.;,{OPEN}]{{3,60}}? {_FOUND}{_WHEN}(?: in {_E})? by {{S}}")),
    ("opening_founded_by", 0.85, _named(rf"^(?:Co-?f|F)ounded(?: in [^,;{OPEN}]{{1,30}}?)?(?: in {_E})? by {{S}}{_WHEN}(?: in {_E})?, (?:the )?{{P}}(?= [a-z])")),
    ("which_founded", 0.85, _named(rf"{{O}},? which {{S}}{_HAS}{_ADVERB} {_FOUND}")),
    ("founded_with", 0.85, _named(rf"{_LIST}{_WHEN}{_HAS}{_ADVERB} {_FOUND} {_DESCRIBED}{{O}}{_WHEN}(?: in {_E})?,? (?:together )?with {{S}}")),
    ("founded_by_with", 0.85, _named(rf"{{O}}{_WAS}{_ADVERB} {_FOUND}{_WHEN} by {_LIST}{_WHEN},? (?:together )?with {{S}}")),
)  # fmt: skip
_add(
    "FOUNDED", _PERSON, _ORG,
    ("is_founder_of", 0.9, _named(rf"{{S}}{_WAS} (?:one of the|the|a) (?:\w+ )?(?:co-?)?founders? (?:and {_TITLE} )?of (?:the )?{{O}}{_AFTER}")),
    ("founder_of", 0.85, _named(rf"{{S}},? (?:who is |who was )?(?:the |a |its |one of the )?(?:co-?)?founders? (?:and [\w ]{{3,25}} )?of (?:the )?{{O}}{_AFTER}")),
    dated=False,
)  # fmt: skip
_add(
    "CHIEF_EXECUTIVE_OF", _PERSON, _ORG,
    ("is_chief_of", 0.9, _named(
        rf"{{S}}{_APPOSITION}(?: (?:is|was|became|becomes|remains|remained|has been|had been|serves as|served as|stayed on as)"
        rf"|,? who (?:is|was|became|has been)){_ADVERB}{_WHEN} (?:the |an? |its )?(?P<rank>{_RANK}){_TITLES} (?:of|at) (?:the )?{{O}}{_AFTER}"
    )),
)  # fmt: skip
_add(
    "CHIEF_EXECUTIVE_OF", _PERSON, _ORG,
    ("chief_of", 0.85, _named(rf"{{S}}, (?:the |an? |its )?(?P<rank>{_RANK}){_TITLES} (?:of|at) (?:the )?{{O}}{_AFTER}")),
    ("whose_chief", 0.85, _one(rf"{{O}}['’]s? (?P<rank>{_RANK}){_TITLES},? {{S}}")),
    ("chief_before_name", 0.8, _one(rf"{{O}} (?P<rank>){_TITLE} {{S}}")),
    dated=False,
)  # fmt: skip
_add(
    "HEADQUARTERED_IN", _ORG, _PLACE,
    ("headquartered_in", 0.9, _named(
        rf"{{S}}{_APPOSITION}(?: (?:is|was|are|remains)|,| and is)?{_ADVERB} headquartered (?:in|at|near) (?:downtown |central )?{{P}}"
    )),
    ("is_based_in", 0.85, _one(rf"{{S}} (?:is|was) an? (?:[^.;,{OPEN}]{{0,40}} )??(?:{_E} )?[^.;{OPEN}]{{3,90}}? (?:headquartered|based) in {{O}}")),
    ("based_in", 0.8, _one(r"{S}(?: is| are|,) based in {O}")),
    ("has_headquarters_in", 0.85, _one(rf"{{S}}{_HAS} (?:has|had|moved|keeps|relocated) its (?:world |global |main )?(?:headquarters|head office) (?:in|to) {{O}}")),
    ("whose_headquarters", 0.85, _one(r"{S}['’]s? (?:headquarters|head office) (?:is|are|was|were|lies?) in {O}")),
    dated=False,
)  # fmt: skip
_add(
    "SUBSIDIARY_OF", _ORG, _ORG,
    ("is_subsidiary_of", 0.9, _named(rf"{{S}}{_APPOSITION} (?:is|was|are|were|became|remains|operates as){_ADVERB} (?:an? )?(?:wholly[- ]owned |independent |separate |fully owned )?subsidiar(?:y|ies) of {_DESCRIBED}{{O}}")),
    ("subsidiary_of", 0.85, _named(rf"{{S}}, (?:now |then )?an? (?:wholly[- ]owned |independent )?subsidiary of {_DESCRIBED}{{O}}")),
    ("owned_by", 0.75, _one(rf"{{S}} (?:is|was) (?:wholly |fully )?owned by {_DESCRIBED}{{O}}")),
)  # fmt: skip
_add(
    "INVESTED_IN", "", _ORG,
    ("invested_in", 0.9, _named(
        rf"{{S}}{_APPOSITION}{_WHEN}{_HAS}{_ADVERB} invested(?: (?:an?other|an?|about|some|up to|more than|an additional|a further|over|nearly|roughly))?"
        rf"(?: [$€£]?[\d.,]+(?: (?:million|billion|trillion))?(?: (?:dollars|euros))?)?(?: heavily)? in {_DESCRIBED}{{O}}{_AFTER}"
    )),
    ("stake_in", 0.8, _named(
        rf"{{S}}{_WHEN}{_HAS}{_ADVERB} (?:bought|acquired|took|purchased|holds|owns) an? (?:[\w.%-]+ (?:percent |per cent )?){{0,4}}(?:stake|share|holding|interest) in {_DESCRIBED}{{O}}{_AFTER}"
    )),
    ("share_of", 0.8, _named(
        rf"{{S}}{_APPOSITION}{_WHEN}{_HAS}{_ADVERB} (?:owns?|owned|holds?|held|bought|acquired|took|purchased) (?:about |around |some |nearly |over |more than )?(?:an? )?"
        rf"[\d.]+ ?(?:percent|per cent|%)(?: (?:stake|share|holding|interest))? (?:of|in) {_DESCRIBED}{{O}}{_AFTER}"
    )),
    ("investment_in", 0.75, _one(rf"{{S}}['’]s? (?:[$€£][\d.]+ (?:million|billion) )?investment in {_DESCRIBED}{{O}}{_AFTER}")),
    ("whose_investor", 0.8, _one(r"{O}['’]s (?:[a-z]+ ){0,2}investors?(?: is| are|,) {S}(?=[,.;)]|$| (?:and|who|which)\b)")),
    ("investor_in", 0.8, _named(rf"{{S}} (?:is|was|are|were) (?:an? )?(?:early |major |the first )?(?:investors?|shareholders?) in {_DESCRIBED}{{O}}{_AFTER}")),
)  # fmt: skip
_add(
    "PARTNERED_WITH", _ORG, _ORG,
    ("partnered_with", 0.9, _named(rf"{{S}}{_APPOSITION}{_WHEN}{_HAS}{_ADVERB} (?:partnered|teamed up|collaborated|allied itself|joined forces) with {_DESCRIBED}{{O}}")),
    ("partners_are", 0.85, _named(
        r"{S}(?:['’]s?)? (?:[a-z-]+ ){0,3}(?:partners|collaborators)(?: \([^()]{1,40}\))? (?:include|are|comprise)(?:,? among others,?)?:? (?:[A-Z][\w.&-]+, ){0,3}{L}(?=[,.;)]|$| (?:and|as well)\b)"
    )),
    ("signed_with", 0.85, _named(
        rf"{{S}}{_APPOSITION}{_WHEN}{_HAS}{_ADVERB} (?:signed|entered into|formed|established|announced|concluded) (?:an?|its|the|their) "
        rf"(?:(?!settlement|credit|loan|lease|purchase|sale|merger|employment|license|licen[cs]ing|confidential|non-|plea)[a-z-]+ ){{0,5}}"
        rf"(?:partnership|agreement|alliance|collaboration|memorandum of understanding|joint venture)(?: agreement)? with {_DESCRIBED}{{O}}{_AFTER}"
    )),
)  # fmt: skip
_add(
    "COMPETES_WITH", _ORG, _ORG,
    ("competitors_are", 0.85, _named(
        r"{S}(?:['’]s?)? (?:[a-z-]+ ){0,3}(?:competitors|rivals)(?: in [a-z ]{3,40})?,? (?:includ(?:e|ing)|are|such as|comprise)(?:,? among others,?)?:? (?:[A-Z][\w.&-]+, ){0,3}{L}(?=[,.;)]|$| (?:and|as well)\b)"
    )),
    ("competes_with_firms", 0.85, _named(
        rf"{{S}}{_HAS}{_ADVERB} (?:competes?|competed) (?:[a-z]+ )?(?:with|against) (?:[a-z,-]+ ){{0,5}}(?:such as|including) (?:[A-Z][\w.&-]+, ){{0,3}}{{L}}(?=[,.;)]|$| (?:and|as well)\b)"
    )),
    dated=False,
)  # fmt: skip
_add(
    "SUED", "", "",
    ("sued", 0.85, _named(
        rf"{{S}}{_APPOSITION}{_WHEN}{_HAS}{_ADVERB} (?:sued|filed (?:an?|its|their|another) (?:[a-z-]+ ){{0,3}}(?:lawsuit|suit|complaint|action|petition)"
        rf"(?: in [^,;:{OPEN}]{{1,40}}(?:{_E})?)? against) (?:the )?{_DESCRIBED}{{O}}{_AFTER}"
    )),
)  # fmt: skip
_add(
    "MANUFACTURES", _ORG, "Product",
    ("own_products", 0.8, _named(
        r"{S}(?:['’]s?)? (?!non-|competitor|supplier|customer)(?:[a-z-]+ ){0,4}(?:products|brands|vehicles|medicines|drugs|therapies|devices)(?: portfolio)?"
        r"(?:,? (?:including|such as)|,? includes?:?|,? are:?) (?:the |our |its )?{O}(?=[,.;)]|$| (?:and|as|which|that|in|for)\b)"
    )),
    dated=False,
)  # fmt: skip
_add(
    "DEVELOPED", "", "Product",
    ("described_developed_by", 0.8, _one(rf"{{O}} (?:is|was) an? [^.;{OPEN}]{{3,90}}? (?:developed|created|built|made) by {{S}}")),
)  # fmt: skip

_VERBS = re.compile(
    r"acqui|bought|purchase|took over|taken over|takeover|[Ff]ound|establish|started|set up|chief exec|CEO|headquarter|"
    r"head office|based in|subsidiar|owned|parent|invest|stake|share|holding|interest|partner|teamed|collaborat|allied|"
    r"joined|sign|sued|compet|rivals|lawsuit|complaint|petition|products|brands|vehicles|medicines|drugs|therapies|devices|entered into|formed|announced|concluded|develop|creat|built|releas|launch|introduc|invent|unveil|made by"
)
"""Every fact has one of these: what has none is not looked at further."""
_INVENTED = re.compile(
    r"\b(?:rumou?r(?:s|ed)?|reportedly|allegedly|supposedly|speculat\w+|fictional\w*|false(?:ly)?|untrue|hoax|myth|imagine|suppose|"
    r"pretend|hypothetical\w*|not true|incorrectly|wrongly|mistakenly|joke[ds]?|satir\w+|novel in which|legend|legendary|"
    r"(?:thought|believed|said) to (?:be|have)|traditional view)\b",
    re.I,
)
"""What a sentence says of what there is not."""
_UNREAL = re.compile(
    rf"{_INVENTED.pattern}|\b(?:den(?:y|ies|ied)|contrary to|no truth|nearly acquired|almost acquired|never|no longer|nobody|"
    rf"no one|possibly|perhaps|probably)\b|^\W*(?:Had|Should|Were) (?:the )?{OPEN}[^,;.]*, ",
    re.I,
)
_CONDITIONAL = re.compile(r"\b(?:if|whether|unless|would|could|might|may|should|had it|as though|as if)\b[^,;]*$", re.I)
_BOUND = re.compile(
    rf"[;:]|, (?:which|who|where|when|after|before|while|but|although|though|following|and (?:{_E}|it|he|she|they|the|its|was|later))"
    rf"|\b(?:before|after) (?:that|it|the|being|which)|(?<=[a-z\d]) and {_E}(?:{_HAS}|,)? [a-z]"
    rf"|(?<={CLOSE}) and (?:was|were|is|has|had|became|later) |\. "
)
_AT_ONCE = re.compile(r",? (?:in|on)(?: [a-z]+)? ")
_OF_LIFE = frozenset({"BORN_IN", "DIED_IN", "EDUCATED_AT", "SPOUSE_OF", "CREATED", "WROTE", "DIRECTED", "COMPOSED"})
_OTHER_WORD = re.compile(
    r"\b(?!(?:in|on|at|the|of|near|early|late|around|about|circa|c|and|town|city|state|county)\b)[a-z]+"
)
_SINCE = re.compile(r"\b(?:since|from)$", re.I)
_UNTIL = re.compile(r"\b(?:until|till|to)$", re.I)


def pattern_facts(masked: str) -> list[PatternFact]:
    """The facts that a masked sentence states; each pair of a type, a subject and an object once."""
    if masked.count(OPEN) < 2 or _VERBS.search(masked) is None or is_unreal(masked):
        return []
    found: list[PatternFact] = []
    seen: set[tuple[str, int, int]] = set()
    for pattern in _PATTERNS:
        for match in pattern.expression.finditer(masked):
            statement = _statement(pattern, match, masked)
            if statement is None:
                continue
            keys = {(statement.type, s, o) for s in statement.subjects for o in statement.objects}
            if keys <= seen:
                continue
            seen |= keys
            found.append(statement)
    found.extend(_continued(found, masked, seen))
    found.sort(key=lambda statement: statement.start)
    attach_dates_and_prices(found, masked)
    return found


def is_unreal(masked: str) -> bool:
    """Whether a sentence asks, denies, supposes or passes on a rumour."""
    return masked.rstrip("\"'”’) ").endswith("?") or _UNREAL.search(masked) is not None


def is_told_of_nothing(masked: str) -> bool:
    """Whether a sentence is about what there is not, so that not even its phrases hold: *the fictional town of Tarn, Ohio*."""
    return _INVENTED.search(masked) is not None


def _statement(pattern: _Pattern, match: re.Match[str], masked: str) -> PatternFact | None:
    before = masked[: match.start()]
    clause = re.split(r"[;:]|, and |, but ", before)[-1]
    if _CONDITIONAL.search(clause):
        return None
    if pattern.type == "HEADQUARTERED_IN" and re.search(r"\bnot\b", match.group()):
        return None
    subjects, objects = mark_numbers(match["s"]), mark_numbers(match["o"])
    if set(subjects) & set(objects):
        return None
    rank = match.groupdict().get("rank") or ""
    former = bool(re.search(r"\b(?:former|then)\b", rank)) or (
        pattern.type == "CHIEF_EXECUTIVE_OF" and " was " in match.group() and "became" not in match.group()
    )
    roles = dict.fromkeys(subjects, pattern.subject) | dict.fromkeys(objects, pattern.object)
    confidence = pattern.confidence - (0.1 if former else 0.0)
    return PatternFact(
        pattern.type,
        subjects,
        objects,
        match.start(),
        match.end(),
        confidence,
        dated=pattern.dated,
        roles=roles,
        rule=pattern.rule,
    )


_NEXT_TITLE = re.compile(rf"[^;{OPEN}]{{0,40}}?,? and(?: later)?(?: the)? {_TITLES} of (?:the )?({_E})")
_NEXT_ACQUIRED = re.compile(
    rf"[^;{OPEN}]{{0,60}}?,? and(?: later| then)? {_ACQUIRED} {_DESCRIBED}(?P<o>{_LIST}){_AFTER}"
)


def _continued(found: list[PatternFact], masked: str, seen: set[tuple[str, int, int]]) -> Iterator[PatternFact]:
    """A second verb or office of the same subject: ``… CEO of A in 2015 and CEO of B in 2019``."""
    for statement in list(found):
        expression = {"CHIEF_EXECUTIVE_OF": _NEXT_TITLE, "ACQUIRED": _NEXT_ACQUIRED}.get(statement.type)
        if expression is None or "by" in masked[statement.start : statement.end].split():
            continue
        match = expression.match(masked, statement.end)
        if match is None:
            continue
        objects = mark_numbers(match[match.lastindex or 0])
        keys = {(statement.type, s, o) for s in statement.subjects for o in objects}
        if keys <= seen or set(objects) & set(statement.subjects):
            continue
        seen |= keys
        roles = {s: statement.roles[s] for s in statement.subjects} | dict.fromkeys(objects, "Organization")
        # The second object starts behind the words "and CEO of": dates between belong to the first.
        start = match.start(match.lastindex or 0)
        yield PatternFact(
            statement.type,
            list(statement.subjects),
            objects,
            start,
            match.end(),
            statement.confidence - 0.05,
            roles=roles,
            rule="relations.continued",
        )


def attach_dates_and_prices(found: list[PatternFact], masked: str) -> None:
    """Give each statement the date and the price that stand in its clause."""
    spans = dates.find_dates(masked)
    for index, statement in enumerate(found):
        limit = len(masked)
        for other in found:
            if other.start >= statement.end:
                limit = min(limit, other.start)
        bound = _BOUND.search(masked, statement.end, limit)
        stop = bound.start() if bound else limit
        inside = [
            span
            for span in spans
            if statement.start <= span.start < stop and not _is_bracketed(masked, statement.start, span.start)
        ]
        if not inside:
            floor = max((other.end for other in found[:index]), default=0)
            opening = masked.rfind(";", floor, statement.start) + 1
            inside = [s for s in spans if max(floor, opening) <= s.start and s.end <= statement.start][-1:]
            # A date before the subject dates it only as the opening of its clause: "In January 2014 ⟨0⟩ acquired".
            if inside and not re.fullmatch(
                r"(?:,? (?:the|when|that|saw|then))?[, ]*", masked[inside[0].end : statement.start]
            ):
                inside = []
        behind = [span for span in inside if span.start >= statement.end]
        if behind and len(inside) > 1 and _AT_ONCE.fullmatch(masked, statement.end, behind[0].start):
            inside = behind  # "was founded in 1989 and was acquired by ⟨1⟩ in 1996"
        if inside and not statement.dated:
            # Beside a noun (", one of the founders of ⟨1⟩, …") only a date that follows at once is its own.
            near = masked[statement.end : max(statement.end, inside[0].start)]
            inside = inside if re.fullmatch(r",? (?:in|on|since|from|until) ", near) else []
        if inside and statement.type in _OF_LIFE:
            # "Born in New York, he graduated in 1835": only a date that no other verb stands before is that of the birth.
            gap = masked[statement.end : max(statement.end, inside[0].start)]
            beside = _OTHER_WORD.search(re.sub(rf"{OPEN}[^{CLOSE}]*{CLOSE}", "", gap))
            aside = inside[0].start < statement.start and " who " in masked[statement.start : statement.end]
            inside = [] if beside or aside else inside
        if inside:
            _date(statement, masked, inside)
        if statement.type in ("ACQUIRED", "INVESTED_IN"):
            price = find_price(masked, statement.start, stop)
            if price is not None and len(statement.objects) == 1:
                statement.value, statement.unit = price


def _is_bracketed(masked: str, start: int, place: int) -> bool:
    """Whether a place is in a bracket that opens behind ``start``: years of a life behind a name."""
    return masked.rfind("(", start, place) > masked.rfind(")", start, place)


def _date(statement: PatternFact, masked: str, spans: list[dates.DateSpan]) -> None:
    lead = masked[max(0, spans[0].start - 12) : spans[0].start].rstrip()
    if statement.type == "CHIEF_EXECUTIVE_OF":
        text = masked[statement.start : statement.end]
        if _UNTIL.search(lead):
            statement.valid_to = spans[0].date
            return
        if _SINCE.search(lead) or re.search(r"became|named|appointed|took over|succeeded|replaced|becomes", text):
            statement.valid_from = spans[0].date
            if len(spans) > 1 and _UNTIL.search(masked[spans[1].start - 8 : spans[1].start].rstrip()):
                statement.valid_to = spans[1].date
            if not _SINCE.search(lead):
                statement.date = spans[0].date
            return
        if re.search(r"\bin$", lead, re.I) is None:
            return
    if statement.type == "SUBSIDIARY_OF" and not re.search(r"\b(?:in|on|since)$", lead, re.I):
        return
    statement.date = spans[0].date
