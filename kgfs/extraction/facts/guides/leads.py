"""What the first sentences of a page say of what the page is about: what it is, whose child, by whom, where, when.

Used by the fact reader, where a document's subject is known; pure. A lead is written to one plan in every collection of
pages: the name, perhaps a bracket with dates, a verb, and what the thing is. So patterns read it, over a sentence in which
the names are marks and the subject is a mark of its own; what stands outside of the plan is left to the syntax.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgfs.documents import dates
from kgfs.extraction.facts.guides.inner_brackets import without_inner_bracket
from kgfs.extraction.facts.guides.lead_clauses import FRONT, SUBJECT
from kgfs.extraction.facts.guides.life_dates import life_dates
from kgfs.extraction.facts.marks import MARK, OPEN, mark_numbers
from kgfs.extraction.facts.sentences.verb_forms import basic_form
from kgfs.extraction.units import Unit
from kgfs.relation_types import VERBS

MOST_SENTENCES = 12
"""A longer lead is a text, in which pronouns mean others too."""

_E = MARK
_LIST = rf"{_E}(?:(?:, and |, | and | & ){_E})*"
_HONOURS = rf"(?:,? (?:[A-Z]{{2,6}}|F[Rr][A-Za-z]{{1,3}}|PhD|Jr\.?|Sr\.?)|, {_E}(?= \())*"
"""Behind somebody's name: *Ann Lee, OBE*."""
_BRACKET = rf"(?:{_HONOURS},? \((?P<bracket>[^()]{{1,200}}(?:\([^()]{{1,60}}\)[^()]{{0,120}})*)\),?)?"
_INSERTED = r"(?:, (?!and\b|but\b|or\b)[^;:()]{2,90}?,)?"
_BE = r"(?:is|was|are|were)"
_ADVERBS = r"(?: (?:also|currently|formerly|originally|best known as|generally|usually|today|now|either))*"
_IS = re.compile(
    rf"^\W*(?:[Tt]he |[Aa]n? )?{SUBJECT}[\"”’]*{_BRACKET}{_INSERTED} (?P<be>{_BE}){_ADVERBS} (?P<what>.+)", re.S
)
_STARTS = re.compile(rf"^\W*(?:[Tt]he |[Aa]n? )?{SUBJECT}[\"”’]*{_BRACKET}", re.S)
# Up to the name: a few words that say what it is, with an adjective that is a name itself (``the American band``).
_DESCRIBED = rf"(?:(?:the |an? |his |her |its |their |both |fellow )?(?:{_E}(?:-[a-z]+)? )?(?:(?!(?:and|of|by|in|for|from|with|to|as|on|at|his|her|under|through|near|after|against|via|starring|featuring|about|who|which|that|directed|produced|written|released|published|based|set|following|preceding|including)\b)[a-z][\w.’'-]*,? ){{0,5}}(?:(?:Sir|Dame|Lord|Lady|King|Queen|Prince|Princess|President|Saint|St\.|Dr\.|Mr\.|Mrs\.|General|Emperor|Duke|Count|Captain|Colonel|Major|Bishop|Pope|Senator|Baron) )*[\"“]?)"
_ENDS = (
    r"(?=[\"”]?\s*(?:[,.;:)—–]|\(|$)|[\"”]? (?:in|on|for|from|at|by|with|and|as|after|before|during|to|which|who|that|when|while|but|under|"
    r"through|via|because|since|until|where|about|starring|featuring|based|released|published|set|between|of|he|she|it|is|was|were|are|has|had|about|into|written|directed|produced)\b)"
)
_NP = r"(?:(?!and\b|by\b|in\b|from\b|with\b|to\b|that\b|which\b|who\b|of\b|for\b|at\b|on\b)[^\s,;:.()]+ )"
_PLAIN = r"(?:(?!who\b|which\b|that\b|whose\b|where\b|when\b|while\b|whom\b|by\b|of\b|if\b)[^\s;:.()]+[ ])"


def _by_name(pattern: str) -> re.Pattern[str]:
    """``{O}`` is a list of names with what describes them, ``{P}`` one name."""
    one = rf"{_DESCRIBED}(?P<o>{_E})(?![’']s\b){_ENDS}"
    several = rf"{_DESCRIBED}(?P<o>{_LIST})(?![’']s\b){_ENDS}"
    return re.compile(pattern.replace("{O}", several).replace("{P}", one))


_PARTICIPLE = r"(?:co-)?[a-z]+(?:ed|ten|wn|ilt|ung|made|led|ught|sen|awn|held|run|won)"
_OF_FILM = "film movie documentary series miniseries drama comedy musical play opera thriller western sitcom short game melodrama".split()
"""What has music and a script of which a lead tells."""
_ITS_PART = re.compile(
    rf"^(?:The|Its) (?P<part>(?:original |film |musical )?(?:music|score|soundtrack|songs)|(?:original )?(?:screenplay|script|story|libretto|lyrics)) (?:is|was|were|are) "
    rf"(?:[a-z]+ and )?(?:composed|written|scored|penned|created|by|co-written)(?: and [a-z]+)?(?: jointly)?(?: by)? {_DESCRIBED}(?P<o>{_LIST})(?![’']s\b){_ENDS}"
)
_MADE = _by_name(
    rf"(?<=[ ,])(?P<verbs>{_PARTICIPLE}(?:(?:,| and|, and) {_PARTICIPLE}){{0,6}})(?: [a-z]+ly| jointly| in \d{{4}})? by {{O}}"
)
_WORK_BY = _by_name(
    rf"^(?:an?|the|one of) {_NP}{{0,9}}?(?P<work>album|song|single|EP|mixtape|novel|novella|book|poem|play|story|film|painting|opera|ballet|"
    rf"symphony|game|sculpture|memoir|essay|musical|autobiography|track|record|anthem|ballad|soundtrack) by {{O}}"
)
_WORKS = {
    **dict.fromkeys("album song single EP mixtape track record anthem ballad".split(), "PERFORMED"),
    **dict.fromkeys("novel novella book poem play story memoir essay autobiography".split(), "WROTE"),
    **dict.fromkeys("opera ballet symphony musical soundtrack".split(), "COMPOSED"),
    **dict.fromkeys("painting sculpture".split(), "CREATED"),
    "film": "DIRECTED", "game": "DEVELOPED",
}  # fmt: skip
_STARRING = _by_name(r"\b(?:starring|stars|starred)(?: actors?| actress(?:es)?)? {O}")
_ALBUM = _by_name(r"\b(?:song|single|track|ballad)\b[^.;]{0,160}? (?:from|on|off) {P}")
_ALBUM_WORD = re.compile(rf"\b(?:album|EP|soundtrack|record|mixtape|musical|LP)\b[^{OPEN}]{{0,20}}$")
_BASED = _by_name(r"\b(?:based|adapted) (?:loosely |partly |in part |closely )?(?:on|upon|from) {P}")
_FOLLOWS = _by_name(r"\b(?:sequel|follow-up|successor) (?:to|of) {P}")
_FOLLOWED = _by_name(rf"(?:{_BE}|has been) (?P<how>followed|preceded|succeeded)(?: in \d{{4}})? by {{P}}")
_OF_KIND_OF_PLACE = r"(?:(?:the |its )?(?:[a-z-]+ )?(?:canton|county|department|district|emirate|island|kingdom|municipality|prefecture|province|region|republic|state|territory) of )?"
_CAPITAL = _by_name(
    rf"^(?:the |an? )?(?:[a-z, -]+ )?capital(?: (?:city|town|and [a-z ,]{{3,60}}(?:city|town|metropolis|settlement|municipality)))? of {_OF_KIND_OF_PLACE}{{P}}"
)
_PART = _by_name(
    rf"^(?:an? |the |one of the )?{_NP}{{0,5}}?(?P<part>part|suburb|district|borough|neighbou?rhood|quarter|component|division|unit|subsidiary|branch|"
    rf"department|section|module|imprint|ward|feature|extension|subset|arm|sub-?division|affiliate|parish|office|program|team) (?:of|within) {{P}}"
)
_NOT_THERE = r"(?!(?:based|dependent|focused|modell?ed|term|described|documented|defined|listed|explained|discussed|used|broadcast|released|aired|played|held|published|born|coach|known|recorded|set|sold|spoken|worshipped)\b)"
_PLACED = _by_name(
    rf"^(?:an? |the |one of the )?(?:{_NOT_THERE}{_NP}){{1,9}}(?:(?:located|situated) )?(?:in|on|at) (?:the )?(?:(?:[A-Za-z][\w-]* ){{1,4}}of )?{{P}}"
)
_SEATED = _by_name(r"\b(?:headquartered|based) in (?:the )?(?:(?:[A-Za-z][\w-]* ){1,4}of )?{P}")
_MEMBER = _by_name(
    rf"^{_PLAIN}{{0,14}}?(?:members?|(?:lead |founding |co-)?(?:singer|vocalist|guitarist|bassist|drummer|keyboardist|pianist|frontman|frontwoman|rapper)) (?:of|for|in|with) {{P}}"
)
_PLAYS = _by_name(
    r"\b(?:who )?(?:plays|played|currently plays|playing)(?: [a-z -]{2,40})?(?: as an? [^,;.]{2,40}?)? for {P}"
)
_AND_SPOUSE = (
    rf"(?: and (?:(?:his|her) (?:[a-z]+ ){{0,2}}?(?:wife|husband|partner|spouse),? )(?:the [a-z ]{{3,30}} )?{_E})?"
)
_KIN = re.compile(
    rf"(?:(?P<child>son|daughter|child)|(?P<parent>father|mother)|(?P<spouse>wife|husband|widow|widower|consort)|(?P<sibling>(?:half-|twin )?(?:brother|sister)))"
    rf" (?:of|to) {_DESCRIBED}(?P<o>{_LIST}{_AND_SPOUSE})(?![’']s\b){_ENDS}"
)
_MARRIED = _by_name(rf"^(?: later| then| also)?(?: {_BE})?(?: first)? married(?: to)? {{P}}")
_OFFICE = re.compile(
    rf"(?:^|\b(?:served|reigned|ruled|elected|serving|became|serves|crowned) (?:as |to be )?)(?:(?:the|an?|a former|former) )?(?:[\w-]+ ){{0,3}}?"
    rf"(?P<office>(?:[Vv]ice[ -])?[Pp]resident|[Pp]rime [Mm]inister|[A-Za-z]*[Mm]inister [a-z ]{{0,30}}|[Kk]ing|[Qq]ueen|[Ee]mperor|[Ee]mpress|[Ss]ultan|[Tt]sar|[Dd]uke|[Cc]hancellor|[Gg]overnor|[Mm]ayor|"
    rf"[Ss]enator|[Aa]ttorney [Gg]eneral|[Cc]hief [Jj]ustice|[Cc]hief [Mm]inister|[Pp]remier|[Gg]overnor[ -][Gg]eneral|[Mm]onarch|[Rr]uler) (?:of|for|from) (?:the )?(?P<o>{_E}){_ENDS}"
    rf"(?P<rest>[^;]{{0,60}})"
)
_YEARS = re.compile(
    r"\b(?:from|between) (?:[A-Z]?[a-z]+ )?(?:\d{1,2},? )?(?P<from>1[0-9]\d\d|20\d\d) (?:to|until|till|and) (?:(?:his|her) (?:death|abdication|resignation) in )?(?:[A-Z]?[a-z]+ )?(?:\d{1,2},? )?(?P<to>1\d\d\d|20\d\d)\b"
)
_ALIAS = _by_name(
    r"^an? (?:built-in |common |default )?(?:alias|shorthand|short form|synonym|abbreviation) (?:of|for) {P}"
)
_REPLACES = _by_name(r"^(?:an? |the )(?:[a-z-]+ ){0,4}(?:replacement|substitute) (?:of|for) {P}")

_BORN = re.compile(r"\b(?:born|b\.)(?: as [^,;]{2,40}?)?[ ,:]*(?P<rest>.*)", re.S)
_DIED = re.compile(r"\b(?:died|d\.)[ ,:]*(?P<rest>.*)", re.S)
_SPAN = re.compile(r"\s[–—-]\s|\s?[–—]\s?")
_IN = re.compile(rf"(?:,| in| at|^)\s*(?:the )?(?P<o>{_E})")
_SAID_BORN = re.compile(rf"^(?: {_BE})? born(?P<rest>[^;]{{2,120}})")
_SAID_DIED = re.compile(r"^(?: (?:later|then|also|suddenly))? (?:died|passed away)(?P<rest>[^;]{2,120})")
_STOP_LIFE = re.compile(
    r"\b(?:and|who|where|to|into|son|daughter|the son|aged|after|of|from|with|while|during|when|grew|raised|but|as)\b"
)


@dataclass(slots=True)
class LeadFact:
    """What a lead says of the page's subject. Either end may be the subject."""

    rule: str
    type: str
    mark: int | None = None
    """The number of the name at the other end; none where there is a value."""
    turned: bool = False
    """The page's subject is the object of the fact."""
    text: str = ""
    """The value: a kind, a date as written."""
    date: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    confidence: float = 0.8
    years_only: bool = False
    """No word says that it was a birth or a death."""
    place: str = ""
    """The name of what must be a place, perhaps without a mark."""


def lead_units(units: Sequence[Unit]) -> list[Unit]:
    """The sentences of a document's lead: those before its second heading."""
    found: list[Unit] = []
    for unit in units:
        if unit.kind == "heading" and found:
            break
        if unit.kind == "sentence":
            found.append(unit)
            if len(found) == MOST_SENTENCES:
                break
    return found


_MEMBERS_OF = re.compile(r"(?i)the \w+s of ")


def opens_with(text: str, name: str) -> int:
    """Where the words with which a first sentence names its subject end: a form of ``name``, before a bracket, a comma or
    the verb; 0 where the sentence begins with something else."""
    found = _HEAD.match(text)
    if found is None:
        return 0
    head = re.sub(r"\[\d+\]", "", found["head"]).strip(" \"“”'’")
    wanted = _name_words(re.sub(r"\s*\([^()]*\)$", "", name))
    said = _name_words(head)
    if not wanted or not said or len(head.split()) > 9:
        return 0
    if len(wanted) == 1 and _MEMBERS_OF.match(head) is not None and " of " not in name:
        return 0  # a file *MAINTAINERS* is not what "The maintainers of the website are" speaks of
    # All words of the name, or of what stands before its comma; or the surname with a first name that begins alike
    # (``Jeffrey Thomas Porcaro``). "Grafana" is not what "Grafana support for Prometheus" is about.
    if set(wanted) <= set(said) or set(said) == set(_name_words(name.partition(",")[0])):
        return found.end("head")
    left = set(wanted) - set(said)
    if set(said) < set(wanted) and len(left) == 1:
        kind = re.match(
            r"[”\"]?(?: \([^()]*\))? (?:is|was) an? (?:[\w-]+ ){0,3}?(?P<kind>[a-z]+)\b", text[found.end("head") :]
        )
        # "The Orm is a river", on the page "River Orm"
        return found.end("head") if kind is not None and kind["kind"] in left else 0
    return found.end("head") if wanted[-1] == said[-1] and wanted[0][:3] == said[0][:3] else 0


def goes_on_with(text: str, name: str, type_: str, kind: str) -> tuple[int, int]:
    """Where a later sentence of a lead names the subject: a pronoun that fits, its surname, ``The film``; else two zeros."""
    found = _PRONOUN.match(text)
    if found is None:
        return 0, 0
    word = found["word"].lower()
    person = type_ == "Person"
    if word in ("he", "she"):
        fits = person
    elif word == "it":
        fits = not person
    elif person:
        fits = found["word"] == re.sub(r"\s*\([^()]*\)$", "", name).split()[-1]
    else:
        fits = bool(kind) and word in (f"the {kind}", f"this {kind}")
    return found.span("word") if fits else (0, 0)


_PRONOUN = re.compile(
    rf"^(?:{FRONT}(?=(?:he|she|it) ))?"
    r"(?:(?:In|On|By|Since) (?:[A-Z][a-z]+ )?(?:\d{1,2},? )?(?:[A-Z][a-z]+ )?\d{4},? |(?:Later|Then|Today|Currently|Originally),? )?"
    r"(?P<word>[Ii]t|[Hh]e|[Ss]he|(?:The|the|This|this) [a-z-]+|[A-Z][\w’'-]+)(?= )"
)


def is_of(fact: LeadFact, type_: str) -> bool:
    """Whether the subject, by its type, can have what a rule reads: only a person is born."""
    if fact.type in ("BORN", "DIED"):
        return type_ == "Person" or (type_ in ("Concept", "") and not fact.years_only)
    return True


_HEAD = re.compile(
    rf"^[\"“'‘]?(?:(?:The|A|An) )?(?P<head>[^(),;:]{{2,90}}?)[\"”'’]?(?=,? \(|, | {_BE} |,? (?:or|also known as) )"
)


def _name_words(name: str) -> list[str]:
    small = ("the", "of", "and", "de", "von", "a", "an", "in")
    return [word.removesuffix("s") for word in re.findall(r"\w+", name.casefold()) if word not in small]


_EMPTY_KINDS = frozenset("alias body example foundation kind one part place term thing type way word".split())
"""What everything may be."""


_DENIED = re.compile(r"(?:not|no longer|never|neither|no part)\b")


def lead_facts(masked: str, plain: str, first: bool) -> Iterator[LeadFact]:
    """The facts of a sentence of a lead. ``masked`` has the subject's mark where the subject stands, ``plain`` is the
    sentence with the names written out after that mark; ``first`` is whether it opens the page."""
    starts = _STARTS.match(masked)
    if starts is None:
        return
    if starts["bracket"]:
        told = list(_life_in_brackets(starts["bracket"]))
        own = _STARTS.match(plain)
        more = list(_other_life(own["bracket"], told)) if own is not None and own["bracket"] else []
        yield from told
        yield from more
    rest = masked[starts.end() :]
    yield from _life_in_words(rest)
    if (found := _MARRIED.match(rest)) is not None:
        yield from (LeadFact("leads.spouse", "SPOUSE_OF", mark) for mark in mark_numbers(found["o"]))
    said = _IS.match(masked)
    if said is not None and first:
        own = _IS.match(plain)
        kind = kind_of(own["what"]) if own is not None else ""
        if kind and kind.lower() not in _EMPTY_KINDS:
            yield LeadFact("leads.kind", "IS_A", text=kind, confidence=0.85)
    if said is not None and _DENIED.match(said["what"]) is not None:
        return
    if said is not None:
        yield from _predicate(said["what"])
    yield from _anywhere(rest, is_said=said is not None)


_CHARGES = r"(?:president|chair(?:man|woman|person)?|director(?:[ -]general)?|head|leader|(?:general|managing|executive) (?:director|secretary|manager)|dean|rector|principal|editor(?:[ -]in[ -]chief)?)"
_OF_BODY = tuple(
    (type_, turned, _by_name(rf"^(?:Its|The) (?:current |present |first )?(?:{what}) (?:is|are|was|were) {{O}}"))
    for type_, turned, what in (
        ("CHIEF_EXECUTIVE_OF", True, r"chief executive(?: officer)?|CEO"),
        ("LEADS", True, _CHARGES), ("FOUNDED", True, r"(?:co-?)?founders?"),
        ("SUBSIDIARY_OF", False, r"(?:ultimate )?parent(?: company| organi[sz]ation)?"),
    )
)  # fmt: skip
_SEAT = _by_name(
    r"^(?:Its|The) (?:[a-z]+ )?(?:headquarters|head office|main office|seat) (?:is|are|was|were) (?:located |situated )?in {P}"
)
_OF_PLACE = tuple(
    (type_, _by_name(rf"^(?:Its|The) (?:current |present )?(?:{what}) (?:is|was) {{P}}"))
    for type_, what in (
        ("CAPITAL_OF", r"(?:national |regional |provincial |administrative |state )?capital(?: and [a-z ]{3,40}?(?:city|town|port))?(?: city)?|county seat"),
        ("OFFICIAL_OF", r"mayor|governor|president|prime minister|premier|king|queen|monarch|head of state"),
    )
)  # fmt: skip
_OTHER_THAN_NOW = re.compile(r"\b(?:not|no longer|until|former)\b")


def facts_of_parts(masked: str, kind: str, type_: str) -> Iterator[LeadFact]:
    """What a sentence of a lead says of a part of its subject: the music or the script of a work (``The music was composed
    by ⟨1⟩``), who leads a body and where it sits, the capital of a country."""
    if type_ in ("Organization", "Location") and _OTHER_THAN_NOW.search(masked) is None:
        told = _OF_BODY if type_ == "Organization" else tuple((one, True, pattern) for one, pattern in _OF_PLACE)
        for relation, turned, pattern in told:
            if (found := pattern.match(masked)) is not None:
                yield from (
                    LeadFact("leads.part_is", relation, mark, turned=turned) for mark in mark_numbers(found["o"])
                )
        if type_ == "Organization" and (found := _SEAT.match(masked)) is not None:
            yield LeadFact("leads.seated", "HEADQUARTERED_IN", mark_numbers(found["o"])[0])
        return
    found = _ITS_PART.match(masked) if kind in _OF_FILM else None
    if found is not None:
        music = found["part"].rpartition(" ")[2] in ("music", "score", "soundtrack", "songs")
        for mark in mark_numbers(found["o"]):
            yield LeadFact("leads.part_by", "COMPOSED" if music else "WROTE", mark, turned=True)


def _predicate(what: str) -> Iterator[LeadFact]:
    """What the words behind ``is`` say."""
    for rule, type_, pattern in (
        ("capital", "CAPITAL_OF", _CAPITAL), ("member", "MEMBER_OF", _MEMBER), ("located", "LOCATED_IN", _PLACED),
        ("alias", "ALIAS_OF", _ALIAS), ("replaces", "REPLACES", _REPLACES),
    ):  # fmt: skip
        found = pattern.search(what)
        if found:
            yield LeadFact(f"leads.{rule}", type_, mark_numbers(found["o"])[0])
    part = _PART.search(what)
    if part:
        type_ = "SUBSIDIARY_OF" if part["part"] in ("subsidiary", "division", "imprint", "arm") else "PART_OF"
        yield LeadFact("leads.part", type_, mark_numbers(part["o"])[0])
    by = _WORK_BY.search(what)
    if by:
        for mark in mark_numbers(by["o"]):
            yield LeadFact("leads.work_by", _WORKS[by["work"]], mark, turned=True)
    album = _ALBUM.search(what)
    if album and _ALBUM_WORD.search(what[: album.start("o")]):
        yield LeadFact("leads.album", "PART_OF", mark_numbers(album["o"])[0])
    for found in _KIN.finditer(what):
        if _RELATIVE.search(what[: found.start()]) or len(mark_numbers(what[: found.start()])) > 2:
            continue
        for mark in mark_numbers(found["o"]):
            if found["child"]:
                yield LeadFact("leads.parents", "CHILD_OF", mark)
            elif found["parent"]:
                yield LeadFact("leads.children", "CHILD_OF", mark, turned=True)
            elif found["spouse"]:
                yield LeadFact("leads.spouse", "SPOUSE_OF", mark)
            else:
                yield LeadFact("leads.sibling", "SIBLING_OF", mark)


_RELATIVE = re.compile(r"\b(?:who|which|that|whose|where|when|while|whom|if|says?|said|by)\b")
_OTHERS = re.compile(
    r"\b(?:who|whose|whom|where|while|if)\b|\bbased on\b|\badapted from\b|\badaptation of\b|\bremake of\b|\bcover of\b|\bversion of\b|\bsequel\b"
)
_NOT_MADE = frozenset("followed preceded succeeded replaced used".split())


def _anywhere(rest: str, *, is_said: bool) -> Iterator[LeadFact]:
    """What participles and clauses behind the subject say of it, as long as nothing else came between; ``is_said`` where
    the sentence says what the subject is or was."""
    for found in _MADE.finditer(rest) if is_said else ():
        before = rest[: found.start()]
        if _OTHERS.search(before) or _verbless(before):
            continue
        for verb in re.findall(r"[a-z-]+", found["verbs"].replace(" and ", " ")):
            type_ = VERBS.get(basic_form(verb))
            if type_ is None or verb in _NOT_MADE:
                continue
            for mark in mark_numbers(found["o"]):
                yield LeadFact("leads.made_by", type_, mark, turned=True)
    starring = _STARRING.search(rest)
    if starring and not re.search(r"\b(?:who|whose|where|while)\b", rest[: starring.start()]):
        for mark in mark_numbers(starring["o"]):
            yield LeadFact("leads.starring", "STARRED_IN", mark, turned=True)
    for rule, type_, pattern, turned in (
        ("based_on", "BASED_ON", _BASED, False), ("follows", "FOLLOWED_BY", _FOLLOWS, True),
        ("plays_for", "PLAYED_FOR", _PLAYS, False), ("seated", "HEADQUARTERED_IN", _SEATED, False),
    ):  # fmt: skip
        said = pattern.search(rest)
        if said and not re.search(r"\b(?:whose|where|while|whom)\b|\bnot\b", rest[: said.start()]):
            yield LeadFact(f"leads.{rule}", type_, mark_numbers(said["o"])[0], turned=turned)
    order = _FOLLOWED.search(rest)
    if order and not _RELATIVE.search(rest[: order.start()]):
        yield LeadFact("leads.followed", "FOLLOWED_BY", mark_numbers(order["o"])[0], turned=order["how"] == "preceded")
    for office in _OFFICE.finditer(re.sub(rf"^,? ?{_BE} ", "", rest)):
        years = _YEARS.search(office["rest"])
        yield LeadFact(
            "leads.office", "OFFICIAL_OF", mark_numbers(office["o"])[0],
            valid_from=years["from"] if years else None, valid_to=years["to"] if years else None,
        )  # fmt: skip


def _verbless(before: str) -> bool:
    """Whether what stands before a participle ends in a name or a comma-less noun of another thing (``the novel ⟨1⟩``)."""
    return (
        re.search(rf"\b(?:in|from|of|on|with|for|at|featuring|starring) [^,;]*{_E}[^,;{OPEN}]{{0,25}}$", before)
        is not None
    )


_SEE = re.compile(
    rf"(?:^|, |; |\()(?P<more>(?:[Ff]or|[Tt]o)(?: (?:more|further|additional|detailed|full|complete|other|background))* (?:information|details?|guidance|instructions|examples|learn more|read more)[^.;()]{{0,120}}?,? )?"
    rf"(?:[Pp]lease )?(?:[Ss]ee|[Rr]efer to|[Cc]onsult|[Rr]ead|[Rr]eview)(?: also)?(?: the| our| this)?(?: (?!your\b)[a-z]+){{0,3}}? [\"“]?(?P<o>{_E})(?=[\"”]?(?:[.;,)]|$| (?:page|article|topic|guide|section|documentation|for|and)\b))"
)


_MORE = re.compile(
    r"(?:see also|related (?:[\w-]+ ){0,2}[\w-]+|further reading|references|next steps)\W*",
    re.I,
)
"""A heading under which a page lists others to read."""


def is_for_more(headings: Sequence[str]) -> bool:
    """Whether a text stands under a heading such as *See also*."""
    return bool(headings) and _MORE.fullmatch(headings[-1].strip()) is not None


def pointed_to(masked: str) -> Iterator[int]:
    """The names that a sentence anywhere on a page tells its reader to look at: ``For more information, see ⟨1⟩.``"""
    for found in _SEE.finditer(masked):
        if OPEN not in (found["more"] or ""):
            yield from mark_numbers(found["o"])


# --- birth and death -------------------------------------------------------------------------------------------------


def _life_in_brackets(bracket: str) -> Iterator[LeadFact]:
    """``born 3 May 1961 in ⟨1⟩``, ``March 4, 1811 – 1899``, ``4 March 1811, ⟨1⟩ – 9 May 1899, ⟨2⟩``."""
    born, died = _BORN.search(bracket), _DIED.search(bracket)
    if born or died:
        if born:
            end = died.start() if died and died.start() > born.start() else len(bracket)
            text = born["rest"][: end - born.start("rest")]
            halves = _SPAN.split(text, maxsplit=1)
            yield from _event("BORN", halves[0], "leads.born_bracket")
            if len(halves) == 2 and died is None:
                yield from _event("DIED", halves[1], "leads.died_bracket")
        if died:
            yield from _event("DIED", died["rest"], "leads.died_bracket")
        return
    halves = _SPAN.split(bracket)
    if len(halves) == 2 and all(len(list(dates.find_dates(half))) == 1 for half in halves):
        yield from _event("BORN", halves[0].rpartition(";")[2], "leads.born_bracket", years_only=True)
        yield from _event("DIED", halves[1], "leads.died_bracket", years_only=True)


def _other_life(bracket: str, told: Sequence[LeadFact]) -> Iterator[LeadFact]:
    """What a bracket, with the names written out, says of a life beside what is ``told``: years before 1400, other places."""
    born, died = life_dates(bracket)
    word = _BORN.search(bracket) is not None or _DIED.search(bracket) is not None
    for type_, moment in (("BORN", born), ("DIED", died)):
        if moment is None:
            continue
        placed = [fact for fact in told if fact.type == f"{type_}_IN"]
        if placed:
            for fact in placed:
                fact.place = moment.place  # behind a day it is one, whatever the name is taken for
            continue
        if any(fact.type == type_ for fact in told) and not moment.place:
            continue
        rule = f"leads.{type_.lower()}_bracket"
        if moment.place:
            yield LeadFact(
                f"{rule}_in", f"{type_}_IN", text=moment.text, date=moment.date, confidence=0.85, place=moment.place
            )
        else:
            yield LeadFact(rule, type_, text=moment.text, date=moment.date, confidence=0.85, years_only=not word)


def _life_in_words(rest: str) -> Iterator[LeadFact]:
    """``was born in 1961 in ⟨1⟩``, ``died on 3 May 1999``."""
    for type_, pattern, rule in (("BORN", _SAID_BORN, "leads.born"), ("DIED", _SAID_DIED, "leads.died")):
        found = pattern.match(rest)
        if found:
            stop = _STOP_LIFE.search(found["rest"])
            yield from _event(type_, found["rest"][: stop.start()] if stop else found["rest"], rule)


def _event(type_: str, text: str, rule: str, *, years_only: bool = False) -> Iterator[LeadFact]:
    """A birth or a death: at a place, else on a date. ``years_only``: the words do not say which of the two it is, so that a
    bare pair of years may be those of a reign or a firm; the caller asks for a person."""
    when = dates.find_dates(text)
    date = when[0].date if len(when) == 1 else None
    place = _IN.search(text)
    if place:
        yield LeadFact(
            f"{rule}_in",
            f"{type_}_IN",
            mark_numbers(place["o"])[0],
            text=text[when[0].start : when[0].end].strip() if date else "",
            date=date,
            confidence=0.85,
            years_only=years_only,
        )
    elif date:
        yield LeadFact(
            rule,
            type_,
            text=text[when[0].start : when[0].end].strip(),
            date=date,
            confidence=0.85,
            years_only=years_only,
        )


# --- kinds -----------------------------------------------------------------------------------------------------------

_STOP = frozenset(
    "who which that whose where when by in from at for on with to as during under between among since until after before near than about "
    "through via within across over into based directed written produced starring released located situated founded born known used "
    "published created developed composed performed recorded set featuring designed built made held belonging consisting containing "
    "played owned operated established introduced named called formed currently best most originally dedicated aimed intended "
    "available if because while but so including such operating serving and or is was are were has had it he she you we they "
    "having being hosted presented adapted commissioned distributed aired broadcast signed affiliated responsible describing "
    "living working playing covering running using providing offering allowing making giving providing published/developed".split()
)
_BREAKS = re.compile(
    r"(?:originat|represent|compet|consist|rang|belong|span|featur|specializ|specialis|focus|cover|deal|concern|involv|liv|star|lead|"
    r"perform|broadcast)ing|out|off|up|away|then|there"
)
_OF_KIND = frozenset(
    "species genus type form kind class set family group series collection list breed variety style piece subfamily order member subset "
    "category range system field branch subgenus subtype body school line network suite team".split()
)
_NO_KIND = frozenset(
    "first second third last name term word result example part son daughter child capital subject way one same only largest smallest "
    "oldest lot number time place thing member wife husband brother sister father mother fact reason home seat site set following "
    "most more least eldest youngest best key great good new little list couple case few use cousin nephew niece grandson granddaughter "
    "descendant grandfather grandmother uncle aunt friend member part widow widower different similar complicated complex "
    "difficult tricky special unique important confusing longer shorter less practice".split()
)
"""Last words of what says who or how something is, or nothing: *the son*, *a little different*, *a practice*."""


_ANOTHER = re.compile(r"(?:the|an?|his|her|its|one)$")


def kind_of(what: str) -> str:
    """The noun phrase that says what the subject is: ``1982 film`` of ``a 1982 film directed by …``; empty where there is none."""
    found = re.match(r"(?:an?|the|one of the|any of various|any of several) +(?=\S)", what)
    if found is None:
        return ""
    words = without_inner_bracket(what[found.end() :]).replace("\n", " ").split(" ")
    kept: list[str] = []
    for place, word in enumerate(words):
        bare = word.strip(',.;:()"“”')
        if place and _BREAKS.fullmatch(bare):
            break
        if kept and kept[-1].endswith(",") and bare.lower() == "active":
            break  # "a singer, active in Tarn"
        if bare.lower() in ("and", "or", "&") and kept and _ANOTHER.match(" ".join(words[place + 1 : place + 2])):
            break  # "a geologist and the third director of"
        if bare.lower() in ("and", "or", "&") and kept and not _goes_on_with_kind(kept, words[place + 1 :]):
            return ""  # an adjective of two
        if bare.lower() in _STOP and not (
            bare.lower() in ("and", "or", "&") and _goes_on_with_kind(kept, words[place + 1 :])
        ):
            break
        if bare == "of" and (
            not kept or (kept[-1].lower().rstrip("s") not in _OF_KIND and kept[-1].lower() not in _OF_KIND)
        ):
            break
        if word.startswith(("(", "–", "—")) or not bare:
            break
        kept.append(bare if word.rstrip(",") != bare or not word.endswith(",") else f"{bare},")
        if word.endswith((".", ";", ":", ")")) and not re.fullmatch(r"(?:[A-Z]\.)+|U\.S\.|St\.", word):
            break
        if word.endswith(",") and not _goes_on_with_kind(kept, words[place + 1 :]):
            following = words[place + 1] if place + 1 < len(words) else ""
            if len(kept) == 1 and following.lower().strip(",") not in _STOP:
                return ""  # an adjective
            break
    while kept and len(kept) > 1 and kept[-1].endswith("ed"):
        kept.pop()
    phrase = " ".join(kept).rstrip(",")
    last = phrase.rpartition(" ")[2].lower()
    if (
        not phrase
        or len(kept) > 14
        or last in _NO_KIND
        or phrase.split()[0].lower() in ("lot", "number", "result", "same", "bit", "few", "couple")
    ):
        return ""
    return (
        phrase
        if re.search(r"[a-z]{3}", last) and not last.endswith("ly") and (last[0].islower() or last.isalpha())
        else ""
    )


def _goes_on_with_kind(kept: Sequence[str], following: Sequence[str]) -> bool:
    """Whether a list of kinds goes on: ``drummer, songwriter, and record producer``."""
    if not kept or not following:
        return False
    ahead = re.split(
        r"[.;:(]| (?:who|which|that|whose|where|known|best|from|in|for|by|with|born) ", " ".join(following[:14]) + " "
    )[0]
    first = ahead.split()[0].strip(",") if ahead.split() else ""
    if first.lower() in _STOP and first.lower() not in ("and", "or"):
        return False
    parts = re.split(r", and |, or |, | and | or ", f" {ahead}".replace(" and ", ", and ", 1))
    words = [part.split() for part in parts if part.strip()]
    return (
        bool(words)
        and len(words[0]) <= 4
        and words[0][-1].islower()
        and not re.match(r"(?:the|an?|his|her|its|was|is|has)\b", " ".join(words[0]))
    )
