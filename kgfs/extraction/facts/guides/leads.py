"""What the first sentences of a page say of what the page is about: what it is, whose child, by whom, where, when.

Used by the fact reader, where a document's subject is known; pure. A lead is written to one plan in every collection of
pages: the name, perhaps a bracket with dates, a verb, and what the thing is. So patterns read it, over a sentence in which
the names are marks and the subject is a mark of its own; what stands outside of the plan is left to the syntax.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from kgfs.extraction.facts.guides.lead_clauses import SUBJECT
from kgfs.extraction.facts.guides.lead_kinds import kind_of
from kgfs.extraction.facts.guides.lead_lives import life_in_bracket, life_in_words, other_life
from kgfs.extraction.facts.guides.lead_offices import offices, post, reign
from kgfs.extraction.facts.guides.lead_patterns import AND_SPOUSE, BE, DESCRIBED, ENDS, NAME, NAMES, LeadFact, by_name
from kgfs.extraction.facts.marks import OPEN, mark_numbers
from kgfs.extraction.facts.sentences.verb_forms import basic_form
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.relation_types import VERBS

_NAME = rf"(?:{NAME}|[A-Z][\w’'-]*)(?: (?:{NAME}|[A-Z][\w’'-]*)){{0,2}}"

_HONOURS = (
    rf"(?:,? (?:née|nee|né) {_NAME},?|,? (?:[A-Z]{{2,6}}|F[Rr][A-Za-z]{{1,3}}|PhD|Jr\.?|Sr\.?)|, {NAME}(?= \()){{0,4}}"
)
"""Behind somebody's name: *Ann Lee, OBE*. Few, as a second name may be read in two ways."""

_BRACKET = rf"(?:{_HONOURS},? \((?P<bracket>[^()]{{1,200}}(?:\([^()]{{1,60}}\)[^()]{{0,120}})*)\),?)?"

_INSERTED = r"(?:, (?!and\b|but\b|or\b)[^;:()]{2,90}?,)?"

_ADVERBS = r"(?: (?:also|currently|formerly|originally|best known as|generally|usually|today|now|either))*"

_IS = re.compile(
    rf"^\W*(?:[Tt]he |[Aa]n? )?{SUBJECT}[\"”’]*{_BRACKET}{_INSERTED} (?P<be>{BE}){_ADVERBS} (?P<what>.+)", re.S
)

_STARTS = re.compile(rf"^\W*(?:[Tt]he |[Aa]n? )?{SUBJECT}[\"”’]*{_BRACKET}", re.S)

_APPOSED = re.compile(
    rf"^\W*(?:[Tt]he )?{SUBJECT}{_BRACKET}, (?P<what>(?:an?|the) [^,;:(){OPEN}]{{3,80}}), (?:[a-z]{{2,}}[^s\W]s|was|has|had|can)\b"
)
"""*Orm, the document store of Tarn, keeps*."""

_NP = r"(?:(?!and\b|by\b|in\b|from\b|with\b|to\b|that\b|which\b|who\b|of\b|for\b|at\b|on\b)[^\s,;:.()]+ )"

_PLAIN = r"(?:(?!who\b|which\b|that\b|whose\b|where\b|when\b|while\b|whom\b|by\b|of\b|if\b)[^\s;:.()]+[ ])"

_PARTICIPLE = (
    r"(?:co-)?[a-z]*(?:[a-z]ed|[a-z]ten|[a-z]wn|[a-z]ilt|[a-z]ung|made|led|ught|[a-z]sen|[a-z]awn|held|run|won)"
)

_MADE = by_name(
    rf"(?<=[ ,])(?P<verbs>{_PARTICIPLE}(?:(?:,| and|, and) {_PARTICIPLE}){{0,6}})(?: [a-z]+ly| jointly| in \d{{4}})? by {{O}}"
)

_WORK_BY = by_name(
    rf"^(?:an?|the|one of) {_NP}{{0,9}}?(?P<work>album|song|single|EP|mixtape|novel|novella|book|poem|play|story|film|painting|opera|ballet|"
    rf"symphony|game|sculpture|memoir|essay|musical|autobiography|track|record|anthem|ballad|soundtrack|atlas|biography|comic|"
    rf"diary|dictionary|guide|guidebook|handbook|manual|monograph|pamphlet|textbook|treatise|trilogy|poetry|stories|"
    rf"statue|mural|portrait|engraving|framework|library|program|tool|app|plug-?in|editor)(?: (?:on|about|of|in) (?:the )?[a-z][a-z -]{{2,40}}?)? by {{O}}"
)

_WORKS = {
    **dict.fromkeys("album song single EP mixtape track record anthem ballad".split(), "PERFORMED"),
    **dict.fromkeys((
        "novel novella book poem play story memoir essay autobiography atlas biography comic diary dictionary guide guidebook "
        "handbook manual monograph pamphlet textbook treatise trilogy poetry stories"
    ).split(), "WROTE"),
    **dict.fromkeys("opera ballet symphony musical soundtrack".split(), "COMPOSED"),
    **dict.fromkeys("painting sculpture statue mural portrait engraving".split(), "CREATED"),
    **dict.fromkeys("game framework library program tool app plugin plug-in editor".split(), "DEVELOPED"),
    "film": "DIRECTED",
}  # fmt: skip

_STARRING = by_name(r"\b(?:starring|stars|starred)(?: actors?| actress(?:es)?)? {O}")

_ALBUM = by_name(r"\b(?:song|single|track|ballad)\b[^.;]{0,160}? (?:from|on|off) {P}")

_ALBUM_WORD = re.compile(rf"\b(?:album|EP|soundtrack|record|mixtape|musical|LP)\b[^{OPEN}]{{0,20}}$")

_BASED = by_name(r"\b(?:based|adapted) (?:loosely |partly |in part |closely )?(?:on|upon|from) {P}")

_MADE_WORKS = {
    "author": "WROTE", "writer": "WROTE", "director": "DIRECTED", "composer": "COMPOSED", "founder": "FOUNDED", "co-founder": "FOUNDED",
    "cofounder": "FOUNDED", "creator": "CREATED", "designer": "DESIGNED", "developer": "DEVELOPED", "inventor": "CREATED", "editor": "EDITED",
    "translator": "TRANSLATED", "illustrator": "ILLUSTRATED", "architect": "DESIGNED", "owner": "OWNS",
}  # fmt: skip

_IS_MAKER = re.compile(
    r"(?:^|,? and |, )(?:(?:an?|the) )?(?:(?!of\b|to\b|for\b|by\b|with\b|from\b)[\w-]+ ){0,4}(?:co-)?$"
)
"""Before the word for a maker, where the subject is it: not *the widow of the founder of Orm*."""

_MAKER_OF = by_name(rf"\b(?P<what>{'|'.join(_MADE_WORKS)}) of (?:the )?{{O}}")
"""*A botanist and author of Ferns of the Fen*."""

_PARTIES = re.compile(
    rf"^(?:an?|the) (?:(?!who\b|which\b|that\b)[a-z-]+ ){{0,4}}(?:treaty|pact|peace|alliance|accord|truce|armistice|agreement|convention|ceasefire)(?: (?:signed|concluded|made|agreed))?"
    rf"(?: (?:in|on) [^{OPEN};:()]{{4,40}}?)? between {DESCRIBED}(?P<o>{NAMES})(?![’']s\b){ENDS}"
)

_FOLLOWS = by_name(r"\b(?:sequel|follow-up|successor) (?:to|of) {P}")

_FOLLOWED = by_name(rf"(?:{BE}|has been) (?P<how>followed|preceded|succeeded)(?: in \d{{4}}| on the throne)? by {{P}}")

_OF_KIND_OF_PLACE = r"(?:(?:the |its )?(?:[a-z-]+ )?(?:canton|county|department|district|emirate|island|kingdom|municipality|prefecture|province|region|republic|state|territory) of )?"

_CAPITAL = by_name(
    rf"^(?:the |an? )?(?:[a-z, -]+ )?capital(?: (?:city|town|and [a-z ,]{{3,60}}(?:city|town|metropolis|settlement|municipality)))? of {_OF_KIND_OF_PLACE}{{P}}"
)

_PART = by_name(
    rf"^(?:an? |the |one of the )?{_NP}{{0,5}}?(?P<part>part|suburb|district|borough|neighbou?rhood|quarter|component|division|unit|subsidiary|branch|"
    rf"department|section|module|imprint|ward|feature|extension|subset|arm|sub-?division|affiliate|parish|office|program|team) (?:of|within) {{P}}"
)

_NOT_THERE = r"(?!(?:based|dependent|focused|modell?ed|term|described|documented|defined|listed(?= (?:as|at|by|in|on|under)\b)|explained|discussed|used|broadcast|released|aired|played|held|published|born|coach|known|recorded|set|sold|spoken|worshipped)\b)"

_PLACED = by_name(
    rf"^(?:an? |the |one of the )?(?:{_NOT_THERE}{_NP}){{1,9}}(?:(?:located|situated) )?(?:in|on|at) (?:the )?(?:(?:[A-Za-z][\w-]* ){{1,4}}of )?{{P}}"
)

_BORN_AT = by_name(r"^an? [^,;:()]{3,60}?,? (?:who was )?born (?:and raised )?in (?:the (?:city|town|village) of )?{P}")

_LIES_ON = re.compile(r"\b(?:city|hamlet|municipality|port|settlement|town|village) on (?:the )?$")
"""*A town on the Isk*, a river: it lies in none."""

_SEATED = by_name(
    r"\b(?:headquartered|based|with (?:its )?(?:head office|headquarters)) in (?:the )?(?:(?:[A-Za-z][\w-]* ){1,4}of )?{P}"
)

_MEMBER = by_name(
    rf"^{_PLAIN}{{0,14}}?(?:members?|(?:lead |founding |co-)?(?:singer|vocalist|guitarist|bassist|drummer|keyboardist|pianist|frontman|frontwoman|rapper)) (?:of|for|in|with) {{P}}"
)

_JOINED = by_name(r"^(?: later| then)? (?:re)?joined (?:the )?{P}")

_BIRTHPLACE = by_name(r"^(?:an?|the) (?:[a-z]+ )?birthplace of (?:the )?{O}")

_MERGED = by_name(r"\b(?:by|from|in|through) (?:the|a) merger of {O}")

_PLAYS = by_name(
    r"\b(?:who )?(?:plays|played|currently plays|playing)(?: [a-z -]{2,40})?(?: as an? [^,;.]{2,40}?)? for {O}"
)

_HOME_OF = by_name(r"\bhome(?: (?:ground|stadium|arena|venue|field))?(?: of| to) {P}")

_HOME_AT = by_name(
    r"^ (?:also )?(?:plays?|played) (?:its|their|his|most of its) home (?:games|matches|fixtures) (?:at|in) (?:the )?{P}"
)

_FORK = by_name(
    r"^an? (?:[a-z-]+ ){0,3}?(?:fork|port|clone|rewrite|derivative|adaptation|translation|remake|cover|version|reimplementation) (?:of|from) {P}"
)

_KIN = re.compile(
    rf"(?:(?P<child>son|daughter|child)|(?P<parent>father|mother)|(?P<spouse>wife|husband|widow|widower|consort)|(?P<sibling>(?:half-|twin )?(?:brother|sister)))"
    rf" (?:of|to) {DESCRIBED}(?P<o>{NAMES}{AND_SPOUSE})(?![’']s\b){ENDS}"
)

_MARRIED = by_name(rf"^(?: later| then| also)?(?: {BE})?(?: first)? married(?: to)? {{P}}")

_ALIAS = by_name(
    r"^an? (?:built-in |common |default )?(?:alias|shorthand|short form|synonym|abbreviation) (?:of|for) {P}"
)

_REPLACED = by_name(
    r"^(?: [^,;:()]{3,80}?(?:, | and |, and )| )(?:has |had )?(?P<verb>replace[sd]|supersede[sd]) (?:the )?{P}"
)

_SUCCEEDED = by_name(
    r"^ succeeded (?:(?:his|her) (?:[a-z-]+ ){0,3}?(?:father|mother|brother|sister|uncle|aunt|cousin|nephew|grandfather|husband|wife),? )?{P}"
)

_OF_OWNER = by_name(
    rf"^(?:an?|the) {_NP}{{0,4}}?(?P<what>brand|product|policy|programme|project|initiative|service|trademark) of (?:the )?{{P}}"
)

_REPLACES = by_name(r"^(?:an? |the )(?:[a-z-]+ ){0,4}(?:replacement|substitute) (?:of|for) {P}")


def is_of(fact: LeadFact, type_: str) -> bool:
    """Whether the subject, by its type, can have what a rule reads: only a person is born."""
    if fact.type in ("BORN", "DIED"):
        return type_ == "Person" or (type_ in ("Concept", "") and not fact.years_only)
    return True


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
        told = list(life_in_bracket(starts["bracket"]))
        own = _STARTS.match(plain)
        more = list(other_life(own["bracket"], told)) if own is not None and own["bracket"] else []
        yield from told
        yield from more
    rest = masked[starts.end() :]
    yield from life_in_words(rest)
    if (found := _MARRIED.match(rest)) is not None:
        yield from (LeadFact("leads.spouse", "SPOUSE_OF", mark) for mark in mark_numbers(found["o"]))
    yield from reign(rest)
    said = _IS.match(masked)
    if first and said is None and (beside := _APPOSED.match(masked)) is not None:
        kind = kind_of(beside["what"])
        if noun_type(kind.rpartition(" ")[2].lower()):
            yield LeadFact("leads.kind", "IS_A", text=kind, confidence=0.8)
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


def _predicate(what: str) -> Iterator[LeadFact]:
    """What the words behind ``is`` say."""
    for rule, type_, pattern in (
        ("capital", "CAPITAL_OF", _CAPITAL), ("member", "MEMBER_OF", _MEMBER), ("located", "LOCATED_IN", _PLACED),
        ("alias", "ALIAS_OF", _ALIAS), ("replaces", "REPLACES", _REPLACES), ("fork", "BASED_ON", _FORK),
    ):  # fmt: skip
        found = pattern.search(what)
        if found:
            on = rule == "located" and _LIES_ON.search(what, 0, found.start("o")) is not None
            yield LeadFact(f"leads.{rule}", "LIES_ON" if on else type_, mark_numbers(found["o"])[0])
    if (parties := _PARTIES.match(what)) is not None:
        yield from (LeadFact("leads.parties", "PARTY_TO", mark, turned=True) for mark in mark_numbers(parties["o"]))
    yield from post(what)
    if (place := _BIRTHPLACE.match(what)) is not None:
        yield from (LeadFact("leads.birthplace", "BORN_IN", mark, turned=True) for mark in mark_numbers(place["o"]))
    if (born := _BORN_AT.match(what)) is not None:
        yield LeadFact("leads.born_in", "BORN_IN", mark_numbers(born["o"])[0])
    for made in _MAKER_OF.finditer(what):
        before = what[: made.start()]
        if _IS_MAKER.search(before) and not _RELATIVE.search(before) and not mark_numbers(before):
            for mark in mark_numbers(made["o"]):
                yield LeadFact("leads.maker", _MADE_WORKS[made["what"]], mark)
    part = _PART.search(what)
    if part:
        type_ = "SUBSIDIARY_OF" if part["part"] in ("subsidiary", "division", "imprint", "arm") else "PART_OF"
        yield LeadFact("leads.part", type_, mark_numbers(part["o"])[0])
    by = _WORK_BY.search(what)
    if by:
        for mark in mark_numbers(by["o"]):
            yield LeadFact("leads.work_by", _WORKS[by["work"]], mark, turned=True)
    if (owned := _OF_OWNER.match(what)) is not None:
        yield LeadFact("leads.owned", "OWNS", mark_numbers(owned["o"])[0], turned=True)
    album = _ALBUM.search(what)
    if album and _ALBUM_WORD.search(what[: album.start("o")]):
        yield LeadFact("leads.album", "PART_OF", mark_numbers(album["o"])[0])
    for found in _KIN.finditer(what):
        if _RELATIVE.search(what[: found.start()]) or len(mark_numbers(what[: found.start()])) > 2:
            continue
        others = found["o"] if found["child"] else _AND_KIN.split(found["o"])[0]
        for mark in mark_numbers(others):
            if found["child"]:
                yield LeadFact("leads.parents", "CHILD_OF", mark)
            elif found["parent"]:
                yield LeadFact("leads.children", "CHILD_OF", mark, turned=True)
            elif found["spouse"]:
                yield LeadFact("leads.spouse", "SPOUSE_OF", mark)
            else:
                yield LeadFact("leads.sibling", "SIBLING_OF", mark)


_AND_KIN = re.compile(r" and (?:his|her) ")

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
                yield LeadFact("leads.made_by", type_, mark, turned=True, past=True)
    starring = _STARRING.search(rest)
    if starring and not re.search(r"\b(?:who|whose|where|while)\b", rest[: starring.start()]):
        for mark in mark_numbers(starring["o"]):
            yield LeadFact("leads.starring", "STARRED_IN", mark, turned=True)
    for rule, type_, pattern, turned in (
        ("based_on", "BASED_ON", _BASED, False), ("follows", "FOLLOWED_BY", _FOLLOWS, True),
        ("plays_for", "PLAYED_FOR", _PLAYS, False), ("seated", "HEADQUARTERED_IN", _SEATED, False),
        ("merged", "MERGED_INTO", _MERGED, True), ("home", "PLAYS_AT", _HOME_OF, True), ("home", "PLAYS_AT", _HOME_AT, False),
    ):  # fmt: skip
        said = pattern.search(rest)
        if said and not re.search(r"\b(?:whose|where|while|whom)\b|\bnot\b", rest[: said.start()]):
            yield from (LeadFact(f"leads.{rule}", type_, mark, turned=turned) for mark in mark_numbers(said["o"]))
    if (replaced := _REPLACED.match(rest)) is not None and not _OTHERS.search(rest[: replaced.start("o")]):
        past = replaced["verb"].endswith("ed")
        yield LeadFact("leads.replaces", "REPLACES", mark_numbers(replaced["o"])[0], past=past)
    if (joined := _JOINED.match(rest)) is not None:
        yield LeadFact("leads.joined", "JOINED", mark_numbers(joined["o"])[0], past=True)
    if (succeeded := _SUCCEEDED.match(rest)) is not None:
        yield LeadFact("leads.succeeded", "SUCCEEDED", mark_numbers(succeeded["o"])[0])
    order = _FOLLOWED.search(rest)
    if order and not _RELATIVE.search(rest[: order.start()]):
        yield LeadFact("leads.followed", "FOLLOWED_BY", mark_numbers(order["o"])[0], turned=order["how"] == "preceded")
    yield from offices(rest)


def _verbless(before: str) -> bool:
    """Whether what stands before a participle ends in a name or a comma-less noun of another thing (``the novel ⟨1⟩``)."""
    return (
        re.search(rf"\b(?:in|from|of|on|with|for|at|featuring|starring) [^,;]*{NAME}[^,;{OPEN}]{{0,25}}$", before)
        is not None
    )
