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
from kgfs.extraction.facts.guides.lead_clauses import FRONT, SUBJECT
from kgfs.extraction.facts.guides.lead_kinds import kind_of
from kgfs.extraction.facts.guides.life_dates import life_dates
from kgfs.extraction.facts.marks import MARK, OPEN, mark_numbers
from kgfs.extraction.facts.sentences.verb_forms import basic_form
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.extraction.units import Unit
from kgfs.relation_types import VERBS

MOST_SENTENCES = 12
"""A longer lead is a text, in which pronouns mean others too."""

_E = MARK
_LIST = rf"{_E}(?:(?:, and |, | and | & ){_E})*"
_NAME = rf"(?:{_E}|[A-Z][\w’'-]*)(?: (?:{_E}|[A-Z][\w’'-]*)){{0,2}}"
_HONOURS = (
    rf"(?:,? (?:née|nee|né) {_NAME},?|,? (?:[A-Z]{{2,6}}|F[Rr][A-Za-z]{{1,3}}|PhD|Jr\.?|Sr\.?)|, {_E}(?= \()){{0,4}}"
)
"""Behind somebody's name: *Ann Lee, OBE*. Few, as a second name may be read in two ways."""
_BRACKET = rf"(?:{_HONOURS},? \((?P<bracket>[^()]{{1,200}}(?:\([^()]{{1,60}}\)[^()]{{0,120}})*)\),?)?"
_INSERTED = r"(?:, (?!and\b|but\b|or\b)[^;:()]{2,90}?,)?"
_BE = r"(?:is|was|are|were)"
_ADVERBS = r"(?: (?:also|currently|formerly|originally|best known as|generally|usually|today|now|either))*"
_IS = re.compile(
    rf"^\W*(?:[Tt]he |[Aa]n? )?{SUBJECT}[\"”’]*{_BRACKET}{_INSERTED} (?P<be>{_BE}){_ADVERBS} (?P<what>.+)", re.S
)
_STARTS = re.compile(rf"^\W*(?:[Tt]he |[Aa]n? )?{SUBJECT}[\"”’]*{_BRACKET}", re.S)
_APPOSED = re.compile(
    rf"^\W*(?:[Tt]he )?{SUBJECT}{_BRACKET}, (?P<what>(?:an?|the) [^,;:(){OPEN}]{{3,80}}), (?:[a-z]{{2,}}[^s\W]s|was|has|had|can)\b"
)
"""*Orm, the document store of Tarn, keeps*."""
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


_PARTICIPLE = (
    r"(?:co-)?[a-z]*(?:[a-z]ed|[a-z]ten|[a-z]wn|[a-z]ilt|[a-z]ung|made|led|ught|[a-z]sen|[a-z]awn|held|run|won)"
)
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
_STARRING = _by_name(r"\b(?:starring|stars|starred)(?: actors?| actress(?:es)?)? {O}")
_ALBUM = _by_name(r"\b(?:song|single|track|ballad)\b[^.;]{0,160}? (?:from|on|off) {P}")
_ALBUM_WORD = re.compile(rf"\b(?:album|EP|soundtrack|record|mixtape|musical|LP)\b[^{OPEN}]{{0,20}}$")
_BASED = _by_name(r"\b(?:based|adapted) (?:loosely |partly |in part |closely )?(?:on|upon|from) {P}")
_MADE_WORKS = {
    "author": "WROTE", "writer": "WROTE", "director": "DIRECTED", "composer": "COMPOSED", "founder": "FOUNDED", "co-founder": "FOUNDED",
    "cofounder": "FOUNDED", "creator": "CREATED", "designer": "DESIGNED", "developer": "DEVELOPED", "inventor": "CREATED", "editor": "EDITED",
    "translator": "TRANSLATED", "illustrator": "ILLUSTRATED", "architect": "DESIGNED", "owner": "OWNS",
}  # fmt: skip
_IS_MAKER = re.compile(
    r"(?:^|,? and |, )(?:(?:an?|the) )?(?:(?!of\b|to\b|for\b|by\b|with\b|from\b)[\w-]+ ){0,4}(?:co-)?$"
)
"""Before the word for a maker, where the subject is it: not *the widow of the founder of Orm*."""
_MAKER_OF = _by_name(rf"\b(?P<what>{'|'.join(_MADE_WORKS)}) of (?:the )?{{O}}")
"""*A botanist and author of Ferns of the Fen*."""
_PARTIES = re.compile(
    rf"^(?:an?|the) (?:(?!who\b|which\b|that\b)[a-z-]+ ){{0,4}}(?:treaty|pact|peace|alliance|accord|truce|armistice|agreement|convention|ceasefire)(?: (?:signed|concluded|made|agreed))?"
    rf"(?: (?:in|on) [^{OPEN};:()]{{4,40}}?)? between {_DESCRIBED}(?P<o>{_LIST})(?![’']s\b){_ENDS}"
)
_FOLLOWS = _by_name(r"\b(?:sequel|follow-up|successor) (?:to|of) {P}")
_FOLLOWED = _by_name(
    rf"(?:{_BE}|has been) (?P<how>followed|preceded|succeeded)(?: in \d{{4}}| on the throne)? by {{P}}"
)
_OF_KIND_OF_PLACE = r"(?:(?:the |its )?(?:[a-z-]+ )?(?:canton|county|department|district|emirate|island|kingdom|municipality|prefecture|province|region|republic|state|territory) of )?"
_CAPITAL = _by_name(
    rf"^(?:the |an? )?(?:[a-z, -]+ )?capital(?: (?:city|town|and [a-z ,]{{3,60}}(?:city|town|metropolis|settlement|municipality)))? of {_OF_KIND_OF_PLACE}{{P}}"
)
_PART = _by_name(
    rf"^(?:an? |the |one of the )?{_NP}{{0,5}}?(?P<part>part|suburb|district|borough|neighbou?rhood|quarter|component|division|unit|subsidiary|branch|"
    rf"department|section|module|imprint|ward|feature|extension|subset|arm|sub-?division|affiliate|parish|office|program|team) (?:of|within) {{P}}"
)
_NOT_THERE = r"(?!(?:based|dependent|focused|modell?ed|term|described|documented|defined|listed(?= (?:as|at|by|in|on|under)\b)|explained|discussed|used|broadcast|released|aired|played|held|published|born|coach|known|recorded|set|sold|spoken|worshipped)\b)"
_PLACED = _by_name(
    rf"^(?:an? |the |one of the )?(?:{_NOT_THERE}{_NP}){{1,9}}(?:(?:located|situated) )?(?:in|on|at) (?:the )?(?:(?:[A-Za-z][\w-]* ){{1,4}}of )?{{P}}"
)
_BORN_AT = _by_name(
    r"^an? [^,;:()]{3,60}?,? (?:who was )?born (?:and raised )?in (?:the (?:city|town|village) of )?{P}"
)
_LIES_ON = re.compile(r"\b(?:city|hamlet|municipality|port|settlement|town|village) on (?:the )?$")
"""*A town on the Isk*, a river: it lies in none."""
_SEATED = _by_name(
    r"\b(?:headquartered|based|with (?:its )?(?:head office|headquarters)) in (?:the )?(?:(?:[A-Za-z][\w-]* ){1,4}of )?{P}"
)
_MEMBER = _by_name(
    rf"^{_PLAIN}{{0,14}}?(?:members?|(?:lead |founding |co-)?(?:singer|vocalist|guitarist|bassist|drummer|keyboardist|pianist|frontman|frontwoman|rapper)) (?:of|for|in|with) {{P}}"
)
_POST_AT = re.compile(
    r"^(?:(?:an?|the) )?(?P<post>(?:[Vv]ice |[Dd]eputy |[Aa]ssistant |[Ss]enior |[Cc]o-?)?(?:[Cc]hief [A-Za-z ]{3,30}? [Oo]fficer|C[A-Z]O|[Hh]ead of [A-Za-z ]{3,30}?|"
    r"(?:[A-Za-z]+ ){0,2}(?:[Dd]irector|[Mm]anager|[Pp]resident|[Pp]artner|[Ee]ngineer|[Dd]esigner|[Aa]nalyst|[Dd]eveloper|[Aa]rchitect|[Cc]onsultant|[Ee]ditor|[Rr]esearcher|[Ss]cientist))) (?:of|at|for) (?:the )?(?:(?!both )[a-z-]+ ){0,3}"
    rf"(?P<o>{_E})(?![’']s\b){_ENDS}"
)
"""*The Chief Technology Officer of Orm*, *a senior designer at Tarn*."""
_JOINED = _by_name(r"^(?: later| then)? (?:re)?joined (?:the )?{P}")
_BIRTHPLACE = _by_name(r"^(?:an?|the) (?:[a-z]+ )?birthplace of (?:the )?{O}")
_MERGED = _by_name(r"\b(?:by|from|in|through) (?:the|a) merger of {O}")
_PLAYS = _by_name(
    r"\b(?:who )?(?:plays|played|currently plays|playing)(?: [a-z -]{2,40})?(?: as an? [^,;.]{2,40}?)? for {O}"
)
_HOME_OF = _by_name(r"\bhome(?: (?:ground|stadium|arena|venue|field))?(?: of| to) {P}")
_HOME_AT = _by_name(
    r"^ (?:also )?(?:plays?|played) (?:its|their|his|most of its) home (?:games|matches|fixtures) (?:at|in) (?:the )?{P}"
)
_FORK = _by_name(
    r"^an? (?:[a-z-]+ ){0,3}?(?:fork|port|clone|rewrite|derivative|adaptation|translation|remake|cover|version|reimplementation) (?:of|from) {P}"
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
    rf"(?:^|(?<=\d\d\d\d)(?:,? and (?:as )?|, )|\b(?:served|reigned|ruled|elected|serving|became|serves|crowned) (?:as |to be )?)(?:(?:the|an?|a former|former) )?(?:[\w-]+ ){{0,3}}?"
    rf"(?P<office>(?:[Vv]ice[ -])?[Pp]resident|[Pp]rime [Mm]inister|[A-Za-z]*[Mm]inister [a-z ]{{0,30}}|[Mm]inister (?:of|for) (?:the )?[A-Z][a-z]+(?:,? (?:and )?[A-Z][a-z]+)*|[Kk]ing|[Qq]ueen|[Ee]mperor|[Ee]mpress|[Ss]ultan|[Tt]sar|[Dd]uke|[Cc]hancellor|[Gg]overnor|[Mm]ayor|"
    rf"[Ss]enator|[Aa]ttorney [Gg]eneral|[Cc]hief [Jj]ustice|[Cc]hief [Mm]inister|[Pp]remier|[Gg]overnor[ -][Gg]eneral|[Pp]rovost|[Bb]urgomaster|[Mm]onarch|[Rr]uler) (?:of|for|from) (?:the )?(?P<o>{_E}){_ENDS}"
    rf"(?=(?P<rest>[^;]{{0,60}}))"
)
_YEARS = re.compile(
    r"\b(?:from|between) (?:[A-Z]?[a-z]+ )?(?:\d{1,2},? )?(?P<from>1[0-9]\d\d|20\d\d) (?:to|until|till|and) (?:(?:his|her) (?:death|abdication|resignation) in )?(?:[A-Z]?[a-z]+ )?(?:\d{1,2},? )?(?P<to>1\d\d\d|20\d\d)\b"
)
_SINCE = re.compile(r"(?:[^,;]{0,20},)? ?since (?:[A-Z][a-z]+ )?(?:\d{1,2},? )?(?P<from>1[0-9]\d\d|20\d\d)\b")
_REIGNED = re.compile(
    r"^ (?:reigned|ruled)(?: (?!from\b|between\b|over\b|with\b|jointly\b)[a-z ]{2,30}?)?(?= (?:from|between) )"
)
_CHARGES = r"(?:president|chair(?:man|woman|person)?|director(?:[ -]general)?|head|leader|(?:general|managing|executive) (?:director|secretary|manager)|dean|rector|principal|editor(?:[ -]in[ -]chief)?)"
_CHARGE = re.compile(
    r"(?:^|, (?:and )?(?=\d+(?:st|nd|rd|th) )|\b(?:served|elected|serving|became|serves) (?:as |to be )?)(?:(?:the|an?) )?"
    r"(?:(?:current|founding|longtime|"
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d+(?:st|nd|rd|th)) )?"
    rf"(?P<office>{_CHARGES}) of (?:the )?(?P<o>{_E}){_ENDS}(?=(?P<rest>[^;]{{0,60}}))"
)
_ALIAS = _by_name(
    r"^an? (?:built-in |common |default )?(?:alias|shorthand|short form|synonym|abbreviation) (?:of|for) {P}"
)
_REPLACED = _by_name(
    r"^(?: [^,;:()]{3,80}?(?:, | and |, and )| )(?:has |had )?(?P<verb>replace[sd]|supersede[sd]) (?:the )?{P}"
)
_SUCCEEDED = _by_name(
    r"^ succeeded (?:(?:his|her) (?:[a-z-]+ ){0,3}?(?:father|mother|brother|sister|uncle|aunt|cousin|nephew|grandfather|husband|wife),? )?{P}"
)
_OF_OWNER = _by_name(
    rf"^(?:an?|the) {_NP}{{0,4}}?(?P<what>brand|product|policy|programme|project|initiative|service|trademark) of (?:the )?{{P}}"
)
_REPLACES = _by_name(r"^(?:an? |the )(?:[a-z-]+ ){0,4}(?:replacement|substitute) (?:of|for) {P}")

_BORN = re.compile(r"\b(?:born|b\.)(?: as [^,;]{2,40}?)?[ ,:]*(?P<rest>.*)", re.S)
_DIED = re.compile(r"\b(?:died|d\.)[ ,:]*(?P<rest>.*)", re.S)
_SPAN = re.compile(r"\s[–—-]\s|\s?[–—]\s?")
_IN = re.compile(rf"(?:,| in| at|^)\s*(?:the )?(?P<o>{_E})")
_SAID_BORN = re.compile(rf"^(?: {_BE})? born(?P<rest>[^;]{{2,120}})")
_AND_DIED = re.compile(
    rf"^(?: {_BE})? born[^;:{OPEN}]*(?:{MARK}[^;:{OPEN}]*){{0,2}}?(?:,? and|,|;) (?:later |then )?(?:he |she )?died(?P<rest>[^;]{{2,120}})"
)
"""*was born in ⟨1⟩ on 3 May 1950 and died in ⟨2⟩ on 1 June 2015*."""
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
    past: bool = False
    """It tells what was done, on the day that stands beside it."""
    role: str = ""
    """Which office or post somebody has."""


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
    if re.fullmatch(r"\S+(?: \S+)* [IVX]+", head) and name.casefold().startswith(f"{head.casefold()} of "):
        return found.end("head")  # "Joan I was Queen", on the page "Joan I of Tarn"
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
        fits = person or (word == "she" and kind in _SHIPS)
    elif word == "it":
        fits = not person
    elif person:
        fits = found["word"] == re.sub(r"\s*\([^()]*\)$", "", name).split()[-1]
    else:
        article, _, noun = word.partition(" ")
        fits = article in ("the", "this") and noun in (kind, *_heads(name))
    return found.span("word") if fits else (0, 0)


def _heads(name: str) -> list[str]:
    """The words of a name that say what it is: *line* of *Lamp Line*, *battle* of *Battle of Tarn*."""
    words = re.sub(r"\s*\([^()]*\)$", "", name).lower().split()
    return [words[-1], *(words[place - 1] for place, word in enumerate(words) if place and word == "of")]


_SHIPS = frozenset(
    "barge barque battleship boat brig clipper cruiser cutter destroyer ferry frigate icebreaker ketch liner merchantman "
    "minesweeper packet schooner ship sloop steamer steamship submarine trawler tug tugboat vessel warship whaler yacht".split()
)
"""What is *she*, too."""
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
    rf"^[\"“'‘]?(?:In [a-z][a-z -]{{2,40}}, )?(?:(?:The|A|An|the|an?) )?(?P<head>[^(),;:]{{2,90}}?)[\"”'’]?(?=,? \(|, | {_BE} |,? (?:or|also known as) )"
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
    if (parents := _BORN_TO.match(rest)) is not None:
        yield from (LeadFact("leads.parents", "CHILD_OF", mark) for mark in mark_numbers(parents["o"]))
    if (found := _MARRIED.match(rest)) is not None:
        yield from (LeadFact("leads.spouse", "SPOUSE_OF", mark) for mark in mark_numbers(found["o"]))
    if (reign := _REIGNED.match(rest)) is not None and (years := _YEARS.match(rest, reign.end() + 1)) is not None:
        yield LeadFact("leads.reign", "OFFICIAL_OF", valid_from=years["from"], valid_to=years["to"])
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


_OF_BODY = tuple(
    (type_, turned, _by_name(rf"^(?:Its|The) (?:current |present |first )?(?:{what}) (?:is|are|was|were) {{O}}"))
    for type_, turned, what in (
        ("CHIEF_EXECUTIVE_OF", True, r"chief executive(?: officer)?|CEO"),
        ("LEADS", True, rf"{_CHARGES}|manager|head coach|coach|captain|commander|conductor"), ("FOUNDED", True, r"(?:co-?)?founders?"),
        ("SUBSIDIARY_OF", False, r"(?:ultimate )?parent(?: company| organi[sz]ation)?"),
        ("SUBSIDIARY_OF", True, r"(?:wholly owned |main |other )?(?:subsidiar(?:y|ies)|imprints?|divisions?)"),
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


_ITS_HEAD = re.compile(
    rf"^(?:(?:Sir|Dame|Lord|Lady|Dr\.?|Mr\.?|Mrs\.?|Ms\.?) )?(?P<o>{_E})(?: \([^()]*\))? (?:(?:is|was|has been) (?:currently |also )?its|became (?:its |the )?|was (?:appointed|named|elected) (?:its |as )?(?:the )?) ?(?:current |first |founding )?(?P<office>{_CHARGES}|manager|head coach|chief executive(?: officer)?|CEO)\b(?=(?P<rest>[^;]{{0,40}}))"
)
"""*Ann Lee has been its chairman since 2015*."""


_DOES_IT = re.compile(
    rf"^(?:(?:Both|The|[A-Z][a-z]+) )?(?P<o>{_LIST})(?: \([^()]*\))? (?:also |now |currently )?(?P<verb>[a-z]+) it\b(?! (?:is|was|would|will|has|may|might|should|to|can|could)\b)"
)
"""*The Oil team owns it*, on the page of a lamp."""


_MEMBERS = re.compile(
    rf"^(?:(?:Its|The) )?(?:(?:current |founding |first |original |other )*)[Mm]embers (?:include[sd]?|are|were) {_DESCRIBED}(?P<o>{_LIST})"
    rf"(?:,? (?:and|as well as) (?P<more>{_DESCRIBED}{_E}))?(?![’']s\b){_ENDS}"
)
"""*Its members included Ann Lee and the painter Bob Ray*."""


def facts_of_parts(masked: str, kind: str, type_: str) -> Iterator[LeadFact]:
    """What a sentence of a lead says of a part of its subject: the music or the script of a work (``The music was composed
    by ⟨1⟩``), who leads a body and where it sits, the capital of a country."""
    if (does := _DOES_IT.match(masked)) is not None and (relation := VERBS.get(basic_form(does["verb"]))) is not None:
        yield from (
            LeadFact("leads.does_it", relation, mark, turned=True, past=True) for mark in mark_numbers(does["o"])
        )
    if type_ in ("Organization", "Event", "Group") and (members := _MEMBERS.match(masked)) is not None:
        named = mark_numbers(f"{members['o']} {members['more'] or ''}")
        yield from (LeadFact("leads.part_is", "MEMBER_OF", mark, turned=True) for mark in named)
    if type_ in ("Organization", "Location") and _OTHER_THAN_NOW.search(masked) is None:
        told = _OF_BODY if type_ == "Organization" else tuple((one, True, pattern) for one, pattern in _OF_PLACE)
        for relation, turned, pattern in told:
            if (found := pattern.match(masked)) is not None:
                yield from (
                    LeadFact("leads.part_is", relation, mark, turned=turned) for mark in mark_numbers(found["o"])
                )
        if type_ == "Organization" and (head := _ITS_HEAD.match(masked)) is not None:
            relation = "CHIEF_EXECUTIVE_OF" if head["office"].startswith(("chief executive", "CEO")) else "LEADS"
            since, until = _years(head["rest"])
            yield LeadFact(
                "leads.part_is", relation, mark_numbers(head["o"])[0], turned=True,
                valid_from=since, valid_to=until, role=head["office"],
            )  # fmt: skip
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
        ("alias", "ALIAS_OF", _ALIAS), ("replaces", "REPLACES", _REPLACES), ("fork", "BASED_ON", _FORK),
    ):  # fmt: skip
        found = pattern.search(what)
        if found:
            on = rule == "located" and _LIES_ON.search(what, 0, found.start("o")) is not None
            yield LeadFact(f"leads.{rule}", "LIES_ON" if on else type_, mark_numbers(found["o"])[0])
    if (parties := _PARTIES.match(what)) is not None:
        yield from (LeadFact("leads.parties", "PARTY_TO", mark, turned=True) for mark in mark_numbers(parties["o"]))
    if (post := _POST_AT.match(what)) is not None:
        chief = re.match(r"(?i)chief executive|CEO", post["post"])
        yield LeadFact(
            "leads.post", "CHIEF_EXECUTIVE_OF" if chief else "WORKS_FOR", mark_numbers(post["o"])[0], role=post["post"]
        )
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
    for type_, posts in (("OFFICIAL_OF", _OFFICE), ("LEADS", _CHARGE)):
        for post in posts.finditer(re.sub(rf"^,? ?(?:{_BE}|(?:has|had) (?:also )?been) ", "", rest)):
            since, until = _years(post["rest"])
            yield LeadFact(
                "leads.office", type_, mark_numbers(post["o"])[0],
                valid_from=since, valid_to=until, role=post["office"].strip(),
            )  # fmt: skip


def _years(rest: str) -> tuple[str | None, str | None]:
    """From when until when, as the words behind a post say."""
    if (years := _YEARS.search(rest)) is not None:
        return years["from"], years["to"]
    since = _SINCE.match(rest)
    return (since["from"], None) if since is not None else (None, None)


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


_BORN_TO = re.compile(
    rf"^(?: {_BE})? born\b(?:[^;:{OPEN}]|{_E}){{0,80}}? to {_DESCRIBED}(?P<o>{_LIST}{_AND_SPOUSE})(?![’']s\b){_ENDS}"
)
"""*Born in Orm to the teacher Bob Lee and his wife Ann*."""


def _life_in_words(rest: str) -> Iterator[LeadFact]:
    """``was born in 1961 in ⟨1⟩``, ``died on 3 May 1999``."""
    for type_, pattern, rule in (
        ("BORN", _SAID_BORN, "leads.born"), ("DIED", _SAID_DIED, "leads.died"), ("DIED", _AND_DIED, "leads.died")
    ):  # fmt: skip
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
