"""Clauses between two names that are read by their words: ``Acme uses Fastly``, ``Lumen runs on Tarn``, ``Lumen sends its logs to Tarn``.

Used by ``fact_reader``; pure. ``open_relations`` reads clauses by their syntax, which the tagger often misses where names
are ordinary words or have signs in them (*Fastly uses Varnish*). Here a clause must be spelled out from its subject to its
object by words of the tables below, so little can stand between that changes what it says.
"""

# A row of the table, or a pattern, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from kgfs.extraction.facts import ends
from kgfs.extraction.facts.dated_events import day_beside
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import CLOSE, OPEN, with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.sentences.clause_verbs import (
    ACTIVE,
    CLASSES,
    OF_PARTS,
    OF_SOFTWARE,
    OF_SOMETHING,
    PASSIVE,
    meaning_of,
    verb_pattern,
)
from kgfs.extraction.facts.sentences.descriptions_of import is_language
from kgfs.extraction.facts.sentences.stated_ends import StatedEnd, is_another, stated_ends
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.wordlists.well_known import is_known_software
from kgfs.extraction.units import Unit
from kgfs.relation_types import is_thing, may_join

_STAFF = r"developers|engineers|staff|employees|teams|people"
_OFTEN = r"(?: (?:also|currently|now|then|directly|automatically|internally|still|primarily|mainly|mostly|typically|usually|generally|natively|always|largely|itself|instead|heavily|simply|in turn|today|by default|already|each|solely|only|together|fully|officially|recently|just|jointly|publicly))*"
_ARTICLE = rf" (?:(?:the|an?|our|its|their|your|{OPEN}\d+{CLOSE}['’]s) )?(?:(?:same|shared|own|single|central|official|managed|hosted|new|latest|internal|external|underlying|main|production|self-hosted|dedicated|open[- ]source|private|public|local|standard|default|proprietary|commercial|well-known|widely used|widely-used|optional|sophisticated|powerful|modern|simple|experimental|popular|upstream|built-in|existing|so-called|corresponding|following|separate|additional|custom|version \S+ of|instances? of|copy of|(?:high|low|full|general|open|fast|well|multi|single|cross)-[a-z]+) ){{0,2}}"
_JOINED = r"(?:, (?:and |or )?(?:(?:on|in|from|to) )?(?:the )?|,? and (?:(?:on|in|from|to) )?(?:the )?| / |/| & )"


_UNKNOWN = -1
"""In the place of an entry, of a name that has none yet."""
_UNFIT = "INCOMPATIBLE_WITH"
"""What is stated by a denial."""
OF_SORT = "PART_OF"
"""What is said to be *an Acme application*; ``WRITTEN_IN`` or ``USES`` where Acme is a language or a framework."""


class ClauseFact(NamedTuple):
    """A fact between the names with these numbers."""

    rule: str
    type: str
    subject: int
    object: int
    of_parts: bool = False
    """It is said of what the subject has: ``Acme applications use``."""


class _Verb(NamedTuple):
    rule: str
    type: str
    turned: bool
    loose: bool
    """Its object may be said to be something: what *uses a MongoDB cluster* uses MongoDB."""
    of_parts: bool = False


_SENT = r"(?:sends?|forwards?|publish(?:es)?|pushes|posts?|writes?|exports?|streams?|ships?|submits?|pass(?:es)?|prox(?:y|ies)|routes?|uploads?|delivers?|returns?|emits?|copies|redirects?)"
_KEPT = r"(?:stores?|keeps?|persists?|saves?|caches?|archives?|records?)"
_TAKEN = r"(?:reads?|fetch(?:es)?|pulls?|consumes?|imports?|gets?|receives?|takes?|loads?|collects?|downloads?)"
_BY_RULE = {
    "clause.sent": "SENDS_TO",
    "clause.kept": "STORES_IN",
    "clause.taken": "READS_FROM",
    "clause.through": "USES",
}
_OF_TOOLS = frozenset({"clause.kept", "clause.taken", "clause.through"})
"""What is kept in, taken from or done through a tool: who *receives aid from the Tarn Bank* reads nothing from it."""
_PHRASE = rf"(?: (?!(?:to|from|in|on|if|when|that|which|who|not|no|by|for)\b)(?:[\w’'/.-]+|{OPEN}\d+{CLOSE}),?){{1,8}}"
"""What is sent, read or stored, in a few words."""


_PARTS = (
    r"apps|applications|services|micro-?services|websites?|environments?|repositories|codebase|infrastructure|homepage"
)
"""What somebody has of whom a clause then speaks: what *Acme applications* use, Acme uses."""
_TAIL = rf"(?: \([^()]{{1,60}}\))?(?: (?P<kind>{CLASSES}|functionality|support|integration|implementation|{_STAFF}|(?P<parts>{_PARTS}))(?: \([^()]{{1,60}}\))?)?(?:,? and (?:the )?\[?[\w -]{{2,30}}?\]?)?"
_IS_ONE = rf" (?:is|are) (?:an?|the|our|one of (?:the|our)) (?:[a-z-]+, ){{0,2}}[^,.;:{OPEN}]{{3,60}}?"
"""``is a tool`` before ``that uses …``, ``hosted on …``."""
_FIRST_VERB = r" (?!(?:is|are|was|can|may|has)\b)[a-z]+s(?:(?!\b(?:that|which|who|when|where|if|for)\b)[^,.;:]){2,90},? and(?: then)?"
"""What the subject does before what is read here: ``builds an image and pushes it to …``."""
_THAT = rf"(?:{_IS_ONE},? (?:that|which)|,? which|{_FIRST_VERB})?"
_NAMED = rf"(?:(?!\b(?:because|if|that|when|where|which|while|who)\b)[^,.;:{OPEN}{CLOSE}]|{OPEN}\d+{CLOSE}){{3,60}}"
_KIND = r"(?:framework|library|toolkit|tool|platform|project|service|server|database|protocol|language|engine|program|system|proxy|format|suite|distribution|compiler|editor|runtime|ecosystem|standard|foundation|company|organi[sz]ation|consortium|group|programme|agency|institute)"
_SUCH_AS = rf"(?: {_NAMED},? (?:such as|including|like|called|named),?| (?:an?|the) (?:(?!(?:and|or|but|with|that|which|who)\b)[a-z][\w-]* ){{0,4}}{_KIND}(?:,| [-–—]))?"
"""*a service called*, *a much larger framework,* before the name of what is meant."""
_BETWEEN = tuple(
    (rule, re.compile(rf"{_TAIL}{pattern}"))
    for rule, pattern in (
        (
            "clause.active",
            rf"{_THAT}{_OFTEN}(?: [a-z]+s and)? (?P<verb>{verb_pattern(ACTIVE)}){_OFTEN}{_SUCH_AS}{_ARTICLE}",
        ),
        (
            "clause.active",
            rf" (?:is|was|became|becomes) (?:one of )?the (?:very )?first (?:[\w-]+ ){{0,5}}to (?P<verb>adopt|implement|use|support|integrate with){_ARTICLE}",
        ),
        ("clause.passive", rf"{_THAT} (?:is|are){_OFTEN} (?P<verb>{verb_pattern(PASSIVE)}){_SUCH_AS}{_ARTICLE}"),
        (
            "clause.active",
            rf"{_THAT}{_OFTEN} (?P<verb>{verb_pattern(ACTIVE)}) (?:two|three|four|five|several|the following|these|a number of|a few|many) (?:[\w'’-]+ ){{0,12}}?[\w'’-]+: (?:the )?",
        ),
        (
            "clause.apposed",
            rf", (?:an?|the|one of the) (?:(?!and |or |but |that |which |who |where )[^,.;:()\s{OPEN}]+ ){{1,7}}?(?P<verb>{verb_pattern(PASSIVE)}){_ARTICLE}",
        ),
        ("clause.beside", rf", (?P<verb>{verb_pattern(PASSIVE)}){_ARTICLE}"),
        (
            "clause.sent",
            rf"{_THAT}{_OFTEN} {_SENT}{_PHRASE}(?: (?:back|directly|straight|on|over|up))?(?: to| into){_ARTICLE}",
        ),
        ("clause.kept", rf"{_THAT}{_OFTEN} {_KEPT}{_PHRASE} (?:in|on|inside){_ARTICLE}"),
        ("clause.taken", rf"{_THAT}{_OFTEN} {_TAKEN}{_PHRASE} from{_ARTICLE}"),
        ("clause.through", rf"{_THAT}{_OFTEN} (?:{_SENT}|{_KEPT}|{_TAKEN}){_PHRASE} (?:through|via|using){_ARTICLE}"),
    )
)
_OF_SORT = re.compile(
    rf"(?: \([^(){OPEN}]{{1,60}}\))? (?:is|are) (?:an?|the|our|one of (?:the|our)) (?:(?!(?:for|of|in|with|to|on|by|from)\b)[a-z][\w-]+ ){{0,3}}"
)
_SORT = re.compile(
    r" (?:(?:web|mobile|backend|frontend|publishing|internal|public) )?(?:apps?|applications?|services?|micro-?services?|websites?|repo|repository|components?|sub-?projects?|projects?|programmes?|"
    r"teams?|squad|working groups?|sub-?committees?|committees?|initiatives?|gems?|libraries|library|packages?|modules?|scripts?)(?=[*_\"”)]*[.,;:)]|$| \(| (?:that|which|for|to|and|used|in|with|hosted|running|maintained|owned|responsible)\b)"
)
"""``Lumen is an Acme application``: of whose sort something is said to be."""
_BEGINS = re.compile(
    rf"(?:.*(?:[.;:] |, and |, but |, so |, while | because | since |\) ))?[*_\"“(]*"
    rf"(?:(?:(?!(?:If|When|Unless|Until|Before|After|Where|How|Why|Should|Once|To|Whether|Instead|Rather|Without)\b)[A-Z][^,;:.!?{OPEN}]{{0,60}},|(?:As of|Since|Starting (?:with|from|in)|Beginning (?:with|in)|From|In) (?:[\w.’'-]+|{OPEN}\d+{CLOSE})(?: (?:[\w.’'-]+|{OPEN}\d+{CLOSE})){{0,5}},|(?:This means|so|[Nn]ote|means) that|so|as|then|This is because|Later|Eventually|Finally|Today|Since then) )?(?:[Tt]he majority of |(?:[A-Z]?[a-z]+ )?(?:[Vv]ersions?|[Rr]eleases?|[Ii]nstances?) of |[Mm]ost |[Aa]ll |(?:[A-Z]?[a-z-]+ ){{1,4}}(?:such as|like) )?(?:[Tt]he |[Oo]ur |[Bb]oth |[Tt]hese )?(?:main |core |internal |official |current |new |existing |latest |global |local |remote |optional |upstream )?(?:{OPEN}\d+{CLOSE}['’]s? )?",
    re.S,
)
"""What may stand before the subject of a clause."""
_ENDS = re.compile(
    r"[*_\"”`)]*(?:[.,;:!](?!\w)|$)| \(|\) |(?:,? )(?:to|for|as|with|over|when|in|on|at|from|by|via|and|or|but|so|because|since|which|that|where|using|through|per|behind|inside|within|across|"
    r"under|instead|rather|before|after|during|while|until|directly|automatically|too|now|only|every|each|once|whenever|is|are|then|hosted|provided|managed|running|called|named|based|configured|deployed)\b| [-–—]"
)
_RELEASE = re.compile(r"(?:['’]s)? v?\d+(?:\.\d+)*(?: release)?(?![\w.])")
"""Behind a name, which of its releases is meant."""
_SAID_TO_BE = re.compile(
    rf"[- ](?:(?:{CLASSES})\b|(?:[a-z][\w-]+ ){{0,2}}(?:{OF_SOMETHING}|algorithm|protocol|framework|library|engine|format|specification)\b)"
)
_CLASSED = re.compile(rf" (?:{CLASSES}|community|organi[sz]ation|(?:federal |full-time )?(?:{_STAFF}))\b")
_WITHIN = re.compile(r"\b(?:at|for|from|in|into|of|on|to|with|within)(?: (?:the|an?|our|its))? $")
"""Before a name that is no subject of what stands behind its comma."""
_OF_ANOTHER = re.compile(
    r"(?<!\baccording )\b(?:for|of|to|on|with|into|using|via|from|like|by|against)(?: (?:the|an?|our|its))? $"
)
"""Before a name, where what stands behind it may be said of another thing."""
_BESIDE = re.compile(r"\b(?:on|near|along|above|below|off|north|south|east|west)(?: the)? $")
"""Before the name of what only says where another thing is."""
_NAMED_AFTER = re.compile(rf"\bnamed (?:after|for)(?: (?:the|an?))?(?: (?:[A-Z][a-z]+|{OPEN}\d+{CLOSE}))? $")
"""*a language named after Tarn, created by Ann Lee*."""
_IN_LIST = re.compile(rf"{CLOSE}[*_\"”`)\]]*(?: \([^()]*\))?(?:,|,? (?:and|or|&)) (?:the )?$")
"""Before the last of a list, where what stands behind a comma may be said of all, or of whom the list is of."""
_PRONOUN = re.compile(r" (?:that|which) ")
_ENTRY = re.compile(r"[^,.;:]{1,60} [-–—] [^,.;:]*$")
_IS_MORE = re.compile(r"[*_\"”`)]* (?:is|are|was|were)\b")
_OF_A = re.compile(r"\ban? $")
_SHIPPED = re.compile(r" (?:which|that) (?:ships?|comes?) with\b")
"""*the lamp task which ships with Acme*: what ships with it, or what it ships with."""
_CONDITION = re.compile(r"\b(?:[Ii]f|[Uu]nless)\b")
_UNSURE = re.compile(
    r"\b(?:whether|suppose|supposing|imagine|may|might|could|would|should|instead of|rather than|no longer|used to|previously|formerly|originally|either|neither|nor|not|never|optionally|plans?|planned|proposal|proposed)\b|n[’']t\b",
    re.I,
)
_TOO_FAR = 110
"""Characters between a subject and its object."""
_MOST_SAID = 16
"""Words of what somebody does or a thing is for."""
_SAID = r"(?P<text>[^;:()!?]{6,140}?)(?=\.(?:\s|$)|[;:(!]|, (?:which|who|and (?:is|has|will|can|[a-z]+ing))\b|$)"
_TOLD = tuple(
    (rule, type_, re.compile(rf"{OPEN}(?P<s>\d+){CLOSE}{_TAIL} {verb} {_SAID}"))
    for rule, type_, verb in (
        (
            "clause.duty",
            "RESPONSIBLE_FOR",
            rf"(?:(?:is|are|shall be|will be|must be){_OFTEN} (?:responsible for|accountable for|in charge of|tasked with|charged with)|looks? after|takes? care of)",
        ),
        ("clause.purpose", "USED_FOR", rf"(?:is|are){_OFTEN} used (?:for|to)"),
    )
)
_POINTS = re.compile(r"(?:this|that|these|those|it|them|the following|doing so|each|both|all of)\b", re.I)
"""What only points to what was said before."""
_GIVEN = re.compile(
    r"[*_\w ]{0,40}\bwith\b| (?:and|or) (?:other|related|similar) (?:[a-z-]+ )*(?:courses?|training|trainings|workshops?|support|advice|consulting)\b"
)
"""Behind what nobody provides: *provides Acme with lamps*, *offers AWS and other cloud training*."""
_LISTED = re.compile(_JOINED)
_ONE = re.compile(rf"{OPEN}(\d+){CLOSE}")
_QUOTED = re.compile(rf"[\[`*_]+({OPEN}\d+{CLOSE})[\]`*_]+")
_OTHERS = re.compile(r"\b(?:some|many|few|several|other|any|a|an|no|another|each|every) (?:[\w-]+ )?$", re.I)


def read_clauses(
    unit: Unit, spans: Sequence[NameSpan], types: NameTypes, told: Collection[frozenset[int]]
) -> Iterator[LexiconFact]:
    """The facts that the clauses of a sentence state of two entities of which nothing is ``told`` yet."""
    text = unit.content.text
    names = [
        span
        for span in without_classes(text, spans)
        if not (is_cut(unit, span) or is_another(unit, span, types.end_type(span)))
    ]
    names = _whole_labels(unit, names)
    stated = {one.start: one for one in stated_ends(unit, names)} if names else {}
    names = sorted(
        [*names, *(NameSpan(one.start, one.end, _UNKNOWN) for one in stated.values())], key=lambda one: one.start
    )
    for one in clause_facts(with_marks(text, names)):
        subject, target = names[one.subject], names[one.object]
        if _UNKNOWN in (subject.ref, target.ref):
            if not any(_is_certain(span, unit, stated, types) for span in (subject, target)):
                continue
            subject, target = (_entered(span, stated, types) for span in (subject, target))
        if subject.ref == target.ref or frozenset((subject.ref, target.ref)) in told:
            continue
        if types.is_class_of(subject.ref, target.ref):
            continue
        kinds = [types.end_type(span) for span in (subject, target)]
        if one.type == "SPONSORS" and kinds[0] in ("Product", "Concept"):
            types.show_organization(subject.ref)
            kinds[0] = types.end_type(subject)
        if one.of_parts and is_known_software(types.name(subject.ref)):
            continue  # "Kubernetes applications use"
        type_ = _sort_of(types.name(target.ref)) if one.rule == "clause.sort" else one.type
        if type_ == "RUNS_ON" and _FORGE.fullmatch(types.name(target.ref)):
            if _HOSTED.search(text, subject.end, target.start) is None:
                continue
            type_, subject, target = "HOSTS", target, subject
            kinds.reverse()
        if not any(kinds):
            continue
        if one.rule == "clause.sort" and (not kinds[1] or text[target.start : target.end].islower()):
            continue  # one of many may be a word for a sort: "an open source project"
        if type_ == "HAS" and not (kinds[0] in _BODIES and kinds[1] in ("Organization", "Program", "Event")):
            continue  # "Lumen has a Tarn server": what it has is no more than called so
        works = kinds[0] in _BODIES and _WORK.search(text, subject.end, target.start) is not None
        if type_ == "INTEGRATES_WITH" and (works or not any(map(is_thing, kinds))):
            type_ = "WORKS_WITH"  # what bodies do with each other
        if type_ in OF_SOFTWARE and not may_join(type_, *kinds):
            pair = (subject.ref, target.ref)
            kinds = [
                types.as_software(ref) or kind if is_thing(other) or not other else kind
                for ref, kind, other in zip(pair, kinds, reversed(kinds), strict=True)
            ]
        kinds = [kind or types.thing_type(span.ref) for kind, span in zip(kinds, (subject, target), strict=True)]
        if not all(kinds) or not may_join(type_, *kinds) or (one.rule in _OF_TOOLS and not is_thing(kinds[1])):
            continue
        candidate = candidate_of(unit, type_, 0.75)
        first, second = sorted((subject, target), key=lambda span: span.start)
        if _PAST.match(text, first.end) is not None:
            candidate.date = day_beside(text, first.start, second.end)
            candidate.date_role = "happened" if candidate.date else None
        yield LexiconFact(
            one.rule, candidate, subject.ref, target.ref, unit, (subject, target),
            shows_ends=types.show_each_other(subject.ref, target.ref),
        )  # fmt: skip


_PAST = re.compile(r" (?:(?:was|were|has|have|had) )?(?:been )?(?:[a-z]+ly )?[a-z]+(?:ed|ught|ilt|ook over)\b")
"""Behind a name, what it did or what was done with it, which has a day."""
_BODIES = frozenset(("Organization", "Person", "Group"))
_WORK = re.compile(r"\bwork(?:s|ed|ing)? (?:\w+ )?with\b")
_FORGE = re.compile(r"(?i)git(?:hub|lab|ea|ee)|bitbucket|codeberg|sourceforge|sourcehut|savannah|launchpad")
"""Where the code of a project lies, which runs elsewhere."""
_HOSTED = re.compile(r"\bhosted\b")
_SHORT = re.compile(r" \([A-Z][\w.+-]{1,12}\)$")
"""The short form of a name at the end of a link's label."""


def _whole_labels(unit: Unit, names: list[NameSpan]) -> list[NameSpan]:
    """The names of a sentence with a label such as *Generic lamp algorithm (GLA)* as one name, where the letters are known."""
    text = unit.content.text
    for link in unit.content.links:
        inside = [span for span in names if link.start <= span.start and span.end <= link.end]
        short = [span for span in inside if span.end == link.end - 1 and text.startswith(")", span.end)]
        if short and len(text[link.start : link.end].split()) > 2 and _SHORT.search(text, link.start, link.end):
            names = [span for span in names if span not in inside] + [NameSpan(link.start, link.end, short[0].ref)]
    return sorted(names, key=lambda span: span.start)


def _is_certain(span: NameSpan, unit: Unit, stated: Mapping[int, StatedEnd], types: NameTypes) -> bool:
    """Whether a name is an entity, or what a word beside code says that it is."""
    if span.ref != _UNKNOWN:
        return types.end_type(span) != ""
    one = stated[span.start]
    return one.type not in ("Concept", "Identifier") and (one.start, one.end) in unit.content.code


def _entered(span: NameSpan, stated: Mapping[int, StatedEnd], types: NameTypes) -> NameSpan:
    """A name with its entry, also where its markup alone shows that it is one."""
    if span.ref != _UNKNOWN:
        return span
    one = stated[span.start]
    return NameSpan(span.start, span.end, types.state(one.name, one.type))


def without_classes(text: str, spans: Sequence[NameSpan]) -> list[NameSpan]:
    """The names of a sentence without those in small letters right behind another one: *the Lumen content delivery
    network* is Lumen, though what it is is a name, too."""
    return [
        span
        for place, span in enumerate(spans)
        if not (place and span.start == spans[place - 1].end + 1 and text[span.start : span.end].islower())
    ]


def read_duties(unit: Unit, spans: Sequence[NameSpan], types: NameTypes) -> Iterator[LexiconFact]:
    """What somebody is responsible for, and what a thing is used for, in the words of the sentence: the other end need be
    no entity."""
    text = unit.content.text
    names = without_classes(text, spans)
    masked = with_marks(text, names)
    for rule, type_, pattern in _TOLD:
        found = pattern.search(masked)
        if found is None or _UNSURE.search(masked, 0, found.end()) or _CONDITION.search(masked):
            continue
        if _BEGINS.fullmatch(masked, 0, found.start()) is None or _OTHERS.search(masked, 0, found.start()):
            continue
        subject = names[int(found["s"])]
        said = _ONE.sub(lambda mark: text[names[int(mark[1])].start : names[int(mark[1])].end], found["text"]).strip()
        end = types.end_type(subject)
        somebody = end in ("Person", "Organization", "Team") or (end and ends.is_post(types.name(subject.ref)))
        fits = somebody if type_ == "RESPONSIBLE_FOR" else is_thing(end)
        if fits and 1 < len(said.split()) <= _MOST_SAID and not _POINTS.match(said):
            candidate = candidate_of(unit, type_, 0.7)
            candidate.object_text = said
            yield LexiconFact(rule, candidate, subject.ref, None, unit)


_AROUND_NAME = re.compile(rf"(?i)[\W_]*(?:the|an?|our)?[\W_]*|[\W_]*(?:{CLASSES}|team)?[\W_]*")


def is_cut(unit: Unit, span: NameSpan) -> bool:
    """Whether a name is only a part of what a link is called: the *lamp_role Lamp Role* is no *Lamp Role*."""
    text = unit.content.text
    for link in unit.content.links:
        if link.start <= span.start and span.end <= link.end:
            around = (text[link.start : span.start], text[span.end : link.end])
            return not all(_AROUND_NAME.fullmatch(part) or "(" in part or "," in part for part in around)
    return False


def _sort_of(name: str) -> str:
    """The type that is stated of *a ⟨name⟩ application*."""
    if is_language(name):
        return "WRITTEN_IN"
    return "USES" if is_known_software(name) else OF_SORT


def clause_facts(masked: str) -> Iterator[ClauseFact]:
    """The facts of a sentence whose names are marks; each pair once."""
    masked = _as_clause(_QUOTED.sub(r"\1", masked))
    if _CONDITION.search(masked) is not None:
        return
    told: set[tuple[int, int]] = set()
    for clause in (masked, *_further(masked)):
        for one in _facts_of_clause(clause):
            if (pair := (one.subject, one.object)) not in told and pair[::-1] not in told:
                told.add(pair)
                yield one


def _further(masked: str) -> Iterator[str]:
    """What the subject of a sentence does beside what it does first, as sentences: *Lumen is written in Go, runs on Tarn
    and keeps its logs in Orm*."""
    marks = list(_ONE.finditer(masked))
    if len(marks) < 3 or _BEGINS.fullmatch(masked, 0, marks[0].start()) is None:
        return
    for more in _FURTHER.finditer(masked, marks[1].end()):
        if _OF_OTHER.search(masked, marks[0].end(), more.start()) is not None:
            return
        yield f"{masked[: marks[0].end()]} {masked[more.end() :]}"


def _facts_of_clause(masked: str) -> Iterator[ClauseFact]:
    """The facts between each name of a clause and the two that stand next behind it."""
    marks = list(_ONE.finditer(masked))
    for place, first in enumerate(marks):
        for second in marks[place + 1 : place + 3]:
            if second.start() - first.end() > _TOO_FAR:
                break
            found = _read(masked, first, second)
            if found is None or _UNSURE.search(masked, 0, (first if found.type == _UNFIT else second).end()):
                continue
            beside = found.rule in ("clause.beside", "clause.apposed") or masked.startswith(
                (", which", " which"), first.end()
            )
            if _is_said_of_another(masked, found, first, second, beside=beside):
                continue
            subjects = [place] if beside else _subjects(masked, marks, place)
            at = marks.index(second)
            if found.type == "PROVIDES" and _GIVEN.match(masked, marks[at].end()):
                continue  # "provides Acme staff with lamps"
            objects = [at] if found.rule == "clause.sort" else _behind(masked, marks, at, loose=found.loose)
            for one in subjects:
                for other in objects:
                    pair = (int(marks[one][1]), int(marks[other][1]))
                    yield ClauseFact(found.rule, found.type, *(pair[::-1] if found.turned else pair), found.of_parts)


def _is_said_of_another(
    masked: str, found: _Verb, first: re.Match[str], second: re.Match[str], *, beside: bool
) -> bool:
    """Whether the words between two names are said of something else than the first, or are no clause of their own."""
    start = first.start()
    if found.type == "INCLUDES" and _SHIPPED.match(masked, first.end()):
        return True
    if found.rule == "clause.beside":
        # "for embedding in Lumen, built on Tarn", "our team is Ann Lee and Bob Ray, supported by Cy Dow",
        # "LMP - one unit of Lumen, deployed on Tarn"
        if _WITHIN.search(masked, 0, start) or _IN_LIST.search(masked, 0, start) or _ENTRY.match(masked, 0, start):
            return True
    elif found.rule == "clause.active" and _IS_MORE.match(masked, second.end()):
        # "Acme funded Tarn is where it began", unlike "the server that uses Tarn is old"
        return _PRONOUN.search(masked, first.end(), second.start()) is None
    if masked.startswith(" which", first.end()) and _OF_ANOTHER.search(masked, 0, start):
        return True  # "a tool for Lumen which uses Tarn"
    if found.type == "PART_OF" and masked.startswith(", which", first.end()) and _BESIDE.search(masked, 0, start):
        return True  # "in Quay on the Ludd, which became part of Tarn"
    # "a tool built by Acme, which uses Lumen", "named after Tarn, created by Ann Lee"
    others = (
        masked.endswith(" by ", 0, start) or _OTHERS.search(masked, 0, start) or _NAMED_AFTER.search(masked, 0, start)
    )
    return beside and bool(others)


_LABELLED = re.compile(rf"^[*_\"“(\[ ]*(?P<label>{OPEN}\d+{CLOSE})[*_\"”\]]*(?::| [-–—]) (?P<verb>[A-Z]?[a-z]+s)\b")
_FIRST_WORDS = frozenset(verb.split()[0] for verb in ACTIVE)
_MOVED = re.compile(_SENT)
_FURTHER = re.compile(
    rf"(?:,? and|,) (?=(?:{'|'.join(sorted(word for word in _FIRST_WORDS if word.endswith('s') and word not in ('has', 'is')))}|is [a-z]+|{_SENT}|{_KEPT}|{_TAKEN})\b)"
)
_OF_OTHER = re.compile(r"\b(?:that|which|who|whom|whose|where|when|while|because|so|but|if)\b|[;:]")


def _as_clause(masked: str) -> str:
    """A sentence whose subject is a label before it, as a clause: *Lumen: sends its logs to Tarn*."""
    found = _LABELLED.match(masked)
    verb = "" if found is None else found["verb"].lower()
    if found is None or (verb not in _FIRST_WORDS and _MOVED.fullmatch(verb) is None):
        return masked
    return f"{found['label']} {verb}{masked[found.end() :]}"


def _is_of_sort(masked: str, first: re.Match[str], second: re.Match[str]) -> bool:
    return (
        _OF_SORT.fullmatch(masked, first.end(), second.start()) is not None
        and _SORT.match(masked, second.end()) is not None
    )


def _verb(rule: str, said: str) -> _Verb:
    meaning = meaning_of(said, ACTIVE if rule == "clause.active" else PASSIVE)
    return _Verb(rule, meaning.type, meaning.turned, meaning.loose)


def _read(masked: str, first: re.Match[str], second: re.Match[str]) -> _Verb | None:
    """What the words between two names say, where they say it all."""
    if _is_of_sort(masked, first, second):
        return _Verb("clause.sort", OF_SORT, False, True)
    for rule, pattern in _BETWEEN:
        found = pattern.fullmatch(masked, first.end(), second.start())
        if found is None:
            continue
        verb = _Verb(rule, _BY_RULE[rule], False, True) if rule in _BY_RULE else _verb(rule, found["verb"])
        of_parts = found["parts"] is not None
        return None if of_parts and (verb.turned or verb.type not in OF_PARTS) else verb._replace(of_parts=of_parts)
    return None


def _subjects(masked: str, marks: Sequence[re.Match[str]], place: int) -> list[int]:
    """The subject with those listed before it, where they begin a clause; nothing where they do not."""
    first = place
    while first and _LISTED.fullmatch(masked, marks[first - 1].end(), marks[first].start()):
        first -= 1
    for begin in dict.fromkeys((first, place)):  # "publishes to Lumen, and Tarn uses": a new clause
        start = marks[begin].start()
        if _BEGINS.fullmatch(masked, 0, start) and not _OTHERS.search(masked, 0, start):
            return list(range(begin, place + 1))
    return []


def _behind(masked: str, marks: Sequence[re.Match[str]], place: int, *, loose: bool) -> list[int]:
    """The object, with those listed behind it; nothing where the phrase goes on."""
    found = [place]
    while place + 1 < len(marks) and _LISTED.fullmatch(masked, marks[place].end(), marks[place + 1].start()):
        place += 1
        found.append(place)
    end = marks[place].end()
    end = end if (release := _RELEASE.match(masked, end)) is None else release.end()
    said = (_SAID_TO_BE if loose else _CLASSED).match(masked, end)
    if said is not None and not loose and _OF_A.search(masked, 0, marks[place].start()):
        said = None  # "developed a Lumen plugin" is not Lumen, as "the Slack app" is Slack
    if _ENDS.match(masked, end) or (said is not None and _ENDS.match(masked, said.end())):
        return found
    # "uses Lumen and the Tarn rules": what stands before the last name is whole.
    return found[:-1] if len(found) > 1 else []
