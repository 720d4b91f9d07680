"""What a sentence says that its subject is, and the type of entity that goes with it: ``is a 1982 film`` is a ``Work``.

Used for the subjects of pages (``pages``) and for what leads say (``kgfs.extraction.facts``); pure, English. Nothing is
parsed: this reads the first sentence of every page before any worker is asked. A noun that is not listed shows no type.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kgfs.extraction.names.wordlists.kind_nouns import noun_type, phrase_type

_COPULA = re.compile(r"\b(?:is|are|was|were|refers to|means|denotes|stands for)\b")
_NAMED_KIND = re.compile(r"(?:The )?(?P<name>\S+(?: \S+){0,5}?) (?P<kind>[a-z][\w-]*(?:[^s\W]|ss)) [a-z]{3,}s\b")
_COMMAND_IS = re.compile(r"The (?P<name>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:sub)?command (?:is|can|may|will)\b")
_BEFORE = re.compile(
    r"\s*(?:(?:also|currently|formerly|originally|primarily|mainly|either|both|best known as|generally|usually|now|"
    r"typically|probably|simply|essentially|historically|technically|perhaps|still|once|considered|known as|"
    r"regarded as)\s+)*"
    r"(?:(?:one|some|any|each|either|another|part|example|member|type|kind|form|sort|name|title|term|set|series|group|pair|"
    r"collection|family|class|subset|variety|version|edition|branch|piece)\s+(?:of|for)\s+(?:the\s+)?)?"
    r"(?:an?|the|any|several|two|three|four)?\s*"
    r"(?:(?:type|kind|form|sort|(?:code ?)?name|title|term|set|pair|member|class|version|example|piece|subset|variety)"
    r"\s+(?:of|for|given to)\s+(?:the\s+|an?\s+)?)?"
)
_STOP = re.compile(
    r"(?:^|\s)(?:of|in|on|at|by|for|from|with|to|that|which|who|whose|whom|where|when|and|or|but|as|about|into|between|"
    r"located|situated|based|directed|written|produced|created|developed|published|released|held|used|known|made|set|"
    r"composed|starring|founded|designed|operated|owned|given|run|built|born|played|recorded|designated|named|featuring|containing|"
    r"consisting|implementing|offering|allowing|enabling|serving|living|working|operating|providing|near|within|during|under|along|through|over|against|"
    r"is|was|are|were|has|had|have|can|may|will|per|than|via|without|outside|across|around|since|until|after|before|the|an?|not|"
    r"native|endemic|set|native|going|part|best|originally|formerly|"
    r"(?:dedicated|devoted) (?:to|towards?)|responsible for|tasked with|focused on)(?=\s|$)|[,;:()–—]|\.(?!\w)"
)
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*|\d{4}s?")
_GERUND = re.compile(r"[a-z]{3,}ing\s+(?:an?|the|our|your|their|its|that|how|what|with|to|on|in)\b")
_DOING = re.compile(r" [a-z]{3,}ing$")
"""*A podcast publishing and monetization service* is no podcast."""
_SHORT_FORM = re.compile(r" \([A-Z][A-Za-z&.-]{1,9}\)| \([^()]{1,15}\)(?=,)")
_BASED = re.compile(
    r" based (?=[a-z])(?!(?:in|on|at|out|near|off|around|upon|and|or|by|mainly|mostly|primarily|largely|loosely)\b)"
)
_UNCLOSED = re.compile(r" \([^()]{1,60}?(?= (?:is|are|was|were) (?:an?|the|one)\b)")
"""A bracket that a lead forgets to close before its verb."""
_SIZES = re.compile(r"\b(small|medium|mid)(?:-sized)?[ -]to[ -](?:medium|mid|large)(?:-sized)?\b")
"""*A small to medium-sized tree*."""
_LATELY = re.compile(
    r"^(?P<before> ?(?:an?|the) )[a-z]{3,}ly (?:built|created|described|designed|developed|discovered|established|"
    r"founded|held|made|operated|owned|published) (?!(?:as|at|by|for|from|in|of|on|to|with)\b)"
)
"""*A recently created dog breed*."""
_ASIDE = re.compile(r"(?<=[a-z]) \([^()]{1,60}\)(?= [a-z]+)")
"""*A rock (initially folk) band*."""
_AMONG = re.compile(
    r" ?the (?:first|second|third|fourth|fifth|sixth|last|latest|lower|upper|largest|smallest|(?:second[ -])?highest|"
    r"longest|oldest|newest|only one) of (?:the|its|his|her|their|[A-Z][\w.]*['’]s) "
    r"(?P<what>(?:[\w.'’-]+ ){0,5}?[a-z]+s)(?= (?:and|at|by|from|in|of|on|published|that|to|which|written)\b|[,.;]|$)"
)
"""*The first of the Orm novels*."""
_SEVERAL_EVENTS = re.compile(
    r" ?a (?:[a-z-]+ )?series of (?:[\w-]+ ){0,3}?(?:attacks|battles|conflicts|events|protests|riots|strikes|wars)\b"
)
_SEVERAL_PEOPLE = re.compile(
    r" (?:two|three|four|five|six|seven) (?:[\w-]+ ){0,4}?(?P<what>[a-z]+)s"
    r"(?= (?:and|at|from|in|of|that|who|with)\b|[,.:;]|$)"
)
"""*The Lee sisters are two American tennis players*."""
REACH = 280
"""Characters of a sentence in which its verb is looked for: brackets and other names may stand before it."""


_RIGHTS = ("authority", "authorization", "permission", "right", "agreement")
_SOFTWARE = re.compile(
    r"(?i)\b(?:software|cloud|cloud-based|web-based|browser-based|online|open[- ]source|file|backup|ticketing|tracking|"
    r"e-?mail|messaging|database|monitoring|payroll|timekeeping|content management|version control|video conferencing|"
    r"collaboration)"
    r" (?:[\w-]+ ){0,2}(?:system|service|solution|suite|client|dashboard)$"
    r"|\b(?:information|management|booking|ordering|reporting|records?|ticket|billing|inventory|control) system$"
    r"|\b(?:[a-z]{3,}ing|engine|parser|graphics|network|math|(?:java|type)?script|react|python|java|ruby|rust|go|c\+\+|php|css|ui|utility|component|client|class|"
    r"template|standard|shared|lightweight|embeddable|embedded|version control|"
    r"cryptographic|cryptography|numerical|charting|"
    r"open[- ]source) (?:[\w-]+ ){0,2}library$"
)
_BUILDING = re.compile(
    r"(?i)\b(?:baroque|brick|former|gothic|listed|medieval|parish|romanesque|ruined|stone|timber|village|wooden) "
    r"(?:church|chapel|abbey|school|bank)$"
)
"""*A Grade I listed church* is no body."""
_OPERATOR = re.compile(r"(?i)\b(?:kubernetes|k8s|openshift) (?:[\w-]+ )?operator$")
"""A program that looks after others, and nobody who runs something."""
_ON_SCREEN = re.compile(
    r"(?i)\b(?:browser-based|web-based|cloud-based|cloud|online|virtual|streaming|recording software)\b"
)
"""*A browser-based live streaming studio* is no building."""
_MADE = re.compile(
    r",? (?:(?:that|which) (?:is|was) )?(?:built|designed|developed|hosted|maintained|made|operated|provided|run|sold|"
    r"supplied|written) by\b"
)
"""Behind *system*: somebody runs it, so it is no system of thoughts or rivers."""
_OF_CODE = re.compile(
    r",? (?:for|that|to|which|with|containing|implementing|offering|providing|supporting|used (?:by|for|to)|written in|"
    r"of (?:[\w-]+ ){0,3}(?:algorithms|classes|code|components|functions|helpers|macros|modules|routines|tools|"
    r"utilities))\b"
)
"""Behind *library*, where it is one of code."""
_OF_SCRIPT = re.compile(
    r" (?:to (?!be\b)[a-z]+|for [a-z]+ing|written (?:by|in)|"
    r"(?:that|which) (?!(?:is|was|are|were|evolved|developed)\b)[A-Za-z]+)\b"
)
"""Behind *script*, where it is a program and no writing: "that syncs photos", not "that was used for Tarnish"."""
_FIGHTS = tuple(
    f"{one} operation{s}"
    for one in ("combat", "military", "naval", "airborne", "amphibious", "rescue")
    for s in ("", "s")
)
_OF_BOOKS = ("public library", "lending library", "national library", "university library", "presidential library")
_OF_SOFTWARE = re.compile(r" of (?:[\w-]+ ){0,4}(?:software|apps|applications|programs|tools|utilities)\b")


_SAYS = re.compile(
    r"(?:The|This|All|Our|Your) [^,.;:()]{1,80}?"
    r" (?:is|are|was|were|can|may|will|must|should|has|have)\b"
    r"|(?:Each|Every|These|Those) "
    r"|An? (?:(?!(?:by|for|in|of|that|to|where|which|who|whose|with)\b)[^,.;:() ]+ ){1,4}?(?:is|are|was|were)\b"
    r"|[A-Z][a-z]+s (?!(?:and|at|by|for|from|in|of|on|or|that|to|which|who|with)\b)[a-z]+ (?:how|what|whether|which)\b"
)
_GROUP_OF_THINGS = re.compile(
    r"(?:An?|Any|One|The) (?:[a-z-]+ ){0,2}(?:group|set) (?:(?:that|which) (?:contains?|has|have|holds?|includes?)\b"
    r"|of (?:[a-z-]+ )?(?:containers|devices|documents|fields|files|hosts|instances|items|jobs|machines|nodes|objects|"
    r"permissions|pods|processes|records|resources|rules|servers|services|settings|tests|values)\b)"
)
"""A definition of what is no body, though it is a group."""


class SaidKind(NamedTuple):
    """What a sentence says that its subject is."""

    type: str
    """The type of entity; empty where the words show none."""
    kind: str
    """The words: ``1982 drama film``, without an article; empty where nothing is said."""
    start: int
    """Where the sentence's verb stands: what is before it names the subject."""


def said_kind(sentence: str) -> SaidKind | None:
    """What ``X is a …`` says of X; ``None`` where the sentence is not of that form."""
    depth = 0
    place = 0
    if sentence.count("(") > sentence.count(")"):
        sentence = _UNCLOSED.sub(lambda found: " " * len(found[0]), sentence)
    for found in _COPULA.finditer(sentence[:REACH]):
        depth += sentence.count("(", place, found.start()) - sentence.count(")", place, found.start())
        place = found.start()
        if depth > 0 or not found.start():
            continue
        phrase, type_ = _kind(sentence[found.end() :])
        return SaidKind(type_, phrase, found.start())
    return None


_GROUP_OF = re.compile(
    r" ?an? (?:[a-z]+ )?group of (?:(?:[\w-]+ly|[a-z-]+ing) )?(?P<what>(?:[\w-]+ ){0,3}?[a-z]+s)"
    r"(?= (?:and|at|by|found|from|in|of|on|produced|spoken|that|used|which|with)\b|[,.;]|$)"
)
"""*A group of dialects*: of things, not a body."""
_ACTING = ("ans", "ers", "ians", "ists", "ors", "men", "ates", "ents", "ants", "aries", "ees", "als")
_OF_BODIES = frozenset(
    "bands choirs churches clubs colleges companies firms hospitals institutions museums schools".split()
)


def _may_act(what: str) -> bool:
    """Whether the members of a group may be people, or bodies."""
    last = what.rpartition(" ")[2]
    return last.endswith(_ACTING) or noun_type(last) in ("Person", "Organization") or last in _OF_BODIES


def _kind(rest: str) -> tuple[str, str]:
    """The words of the first noun phrase, and the type that they show; the next parts of a list may show it too."""
    rest = _SIZES.sub(r"\1", rest) if "to" in rest else rest
    rest = _ASIDE.sub("", _LATELY.sub(r"\g<before>", rest))
    if (among := _AMONG.match(rest)) is not None and (type_ := phrase_type(among["what"], reach=1)):
        return " ".join(among[0].split()[1:]), type_
    rest = _BASED.sub("-based ", _SHORT_FORM.sub("", rest)) if "(" in rest or " based " in rest else rest
    if _SEVERAL_EVENTS.match(rest):
        return "series of events", "Event"
    if (several := _SEVERAL_PEOPLE.match(rest)) and noun_type(several["what"]) == "Person":
        return several[0].strip(), "Group"
    if (group := _GROUP_OF.match(rest)) is not None and not _may_act(group["what"]):
        return group[0].strip().partition(" ")[2], phrase_type(group["what"], reach=1) or "Concept"
    before = _BEFORE.match(rest)
    place = before.end() if before else 0
    phrase = ""
    if _GERUND.match(rest, place) or rest.startswith(("to ", "not "), place):
        return "", ""  # "means presenting our work", "is to promote"
    for _ in range(4):
        stop = _STOP.search(rest, place)
        end = stop.start() if stop else len(rest)
        part = " ".join(rest[place:end].split())
        phrase = phrase or part
        if (type_ := _phrase_kind(part, rest[end:])) and not (
            _is_half(part, stop) or (type_ != "Person" and stop is not None and _is_of_person(rest, stop))
        ):
            return (part if not phrase_type(phrase) and len(phrase.split()) > 6 else phrase), type_
        if stop is None or stop[0].strip() not in {",", "and", "or"}:
            break
        place = stop.end()
        if stop[0] == "," and (beside := _BESIDE.match(rest, place)) is not None:
            place = beside.end()  # a "symphonie dramatique", a choral symphony
    return phrase, ""


_BESIDE = re.compile(r"[\"”’ ]*(?:an?|the) ")


def _is_half(part: str, stop: re.Match[str] | None) -> bool:
    """Whether a part is half of what stands before a noun: *podcast publishing* and monetization service."""
    joined = stop is not None and stop[0].strip() in ("and", "or")
    if joined and part == "business":
        return True  # "a business and self-help book"
    return joined and _DOING.search(part) is not None and not phrase_type(part, reach=1)


def _is_of_person(rest: str, stop: re.Match[str]) -> bool:
    """Whether a noun stands before *and* only for what somebody does: *film* and television director."""
    if stop[0].strip() not in ("and", "or") or re.match(r"\s*(?:an?|the)\b", rest[stop.end() :]):
        return False
    following = _STOP.search(rest, stop.end())
    part = rest[stop.end() : following.start() if following else len(rest)].split()
    return len(part) > 1 and noun_type(part[-1].lower()) == "Person"


_RANKS = frozenset("order class family tribe phylum division clade group subclass".split())
"""What a group of living things is called, and many other things."""
_OF_LIVING = re.compile(r" of (?P<what>[\w' -]{3,40}?)(?= in | that | which | of | known | from | with |[,.;(]|$)")


def _phrase_kind(phrase: str, following: str) -> str:
    """The type that a noun phrase shows before what follows it: an *authority to operate* is none that governs."""
    if following.startswith(" to ") and phrase.lower().endswith(_RIGHTS):
        return "Concept"
    if _SOFTWARE.search(phrase) or (phrase.lower().endswith("suite") and _OF_SOFTWARE.match(following)):
        return "Product"
    if _ON_SCREEN.search(phrase) and phrase_type(phrase, reach=1) == "Facility":
        return "Product"
    if _BUILDING.search(phrase):
        return "Facility"
    if _OPERATOR.search(phrase):
        return "Product"
    if phrase.lower().endswith(_FIGHTS):
        return "Event"
    if phrase == "division" and re.match(
        r" of (?:the |an? )?(?!(?:company|firm|army|league|university|bank)\b)[a-z]", following
    ):
        return "Concept"  # of a field in two, no division of a firm
    if phrase.lower().endswith("system") and _MADE.match(following):
        return "Product"
    if phrase.lower().endswith("script") and _OF_SCRIPT.match(following):
        return "Product"
    if phrase.lower().endswith("library") and _OF_CODE.match(following) and not phrase.lower().endswith(_OF_BOOKS):
        return "Product"
    ranked = _OF_LIVING.match(following) if phrase.lower().rpartition(" ")[2] in _RANKS else None
    if ranked is not None and (
        ranked["what"].endswith(("animals", "organisms")) or phrase_type(ranked["what"], reach=2) == "Species"
    ):
        return "Species"
    return phrase_type(phrase)


_CALLED = ("called ", "named ", "known as ")


def called_type(sentence: str, name: str) -> str:
    """The type that ``a merge queue bot called "Bors"`` says of *Bors*; empty where a sentence is not so."""
    if name not in sentence or not any(word in sentence for word in _CALLED):
        return ""  # before a pattern is compiled for the name
    found = re.search(
        r"\b(?:[Aa]n?|[Tt]he|[Oo]ur|[Tt]heir|[Ii]ts) "
        r"(?P<kind>[a-z][\w-]*(?: (?!(?:an?|the|our|their|its) )[a-z][\w-]*){0,5}?)"
        rf",? (?:called|named|known as) (?:the )?[\"“”'‘*`\[]*{re.escape(name)}(?!\w)",
        sentence,
    )
    return "" if found is None else _kind(found["kind"])[1]


def introduced_type(sentence: str, name: str) -> str:
    """The type that ``This is Bors, the merge queue bot of …`` says of *Bors*; empty where a sentence is not so."""
    for opening in ("This is ", "Welcome to "):
        found = _INTRODUCED.match(sentence, len(opening) + len(name)) if sentence.startswith(opening + name) else None
        if found is not None:
            return phrase_type(found["kind"], reach=1)
    return ""


def used_type(sentence: str, name: str) -> str:
    """``Product`` where a sentence opens with who uses what a name names for something: ``We use Bors to merge.``"""
    opening = sentence.find(f" {name}", 0, len(name) + _USER)
    used = opening > 0 and _USING.fullmatch(sentence, 0, opening) is not None
    return (
        "Product"
        if used and re.match(r" (?:to [a-z]|for [a-z]|as (?:an?|our|the) )", sentence[opening + 1 + len(name) :])
        else ""
    )


_USER = 40
"""Characters before the name that say who uses it."""
_USING = re.compile(r"(?:We|Our [a-z]+s?|[A-Z][A-Z0-9]{1,9}|[A-Z][\w]+ (?:employees|staff|teams?)) uses?(?: the)?")
_USED_FOR = re.compile(r" (?:to [a-z]|for [a-z]|as (?:an?|our|the) )")
_INTRODUCED = re.compile(
    r", (?:an?|our|the) (?P<kind>[\w'’ -]{3,60}?)(?= (?:by|for|from|of|that|where|which|with)\b|[,.!])"
)


def definition_type(definition: str) -> str:
    """The type that a definition without a verb says: ``A federal agency that …``; empty where it says none."""
    if _SAYS.match(definition):
        return ""  # "The local and remote stores are made of files": a sentence on something else
    if _GROUP_OF_THINGS.match(definition):
        return "Concept"
    return _kind(definition[:1].lower() + definition[1:])[1]


def named_kind(sentence: str) -> tuple[str, str] | None:
    """Name and type in ``The Get-Item cmdlet gets …``, ``The inject command is …``; ``None`` where the sentence
    is not of that form."""
    found = _NAMED_KIND.match(sentence)
    if found is not None and (type_ := noun_type(found["kind"])):
        return found["name"], type_
    found = _COMMAND_IS.match(sentence)
    return None if found is None else (found["name"], "Command")


_WRITTEN = {
    **dict.fromkeys(("policy", "policies", "covenant", "pledge"), "Policy"),
    **dict.fromkeys(("procedure", "procedures"), "Procedure"),
    "plan": "Plan",
    **dict.fromkeys(("license", "licence"), "License"),
    **dict.fromkeys(
        "protocol algorithm format encoding language spec specs specification specifications".split(), "Technology"
    ),
    **dict.fromkeys(
        "agreement charter checklist documentation guidance guideline guidelines proposal proposals roadmap template "
        "faq faqs deck questions "
        "glossary questionnaire "
        "memo rfc cookbook handbook guidebook manual reference".split(),
        "Document"),
}  # fmt: skip
"""What somebody wrote down, by the last word of its name."""
_CODE_OF = re.compile(r"[Cc]odes? of (?:[Cc]onduct|[Ee]thics)(?!.* (?:[Cc]ommittee|[Gg]roup|[Tt]eam|WG|[Ww]orkgroup)$)")


def written_type(name: str) -> str:
    """The type of a text by the words of its name: *Travel policy*, *Code of Conduct*; empty where they name none."""
    first, _, last = name.rpartition(" ")
    if _CODE_OF.search(name) is not None:
        return "Policy"
    return _WRITTEN.get(last.lower(), "") if first else ""


_BODIES = frozenset(
    "agency association board commission committee consortium council department foundation initiative institute "
    "ministry office society team university".split()
)
_BOARD = re.compile(r"(?:^| )[Bb]oard of (?:[Dd]irectors|[Gg]overnors|[Rr]egents|[Tt]rustees)$")


def is_called_body(name: str) -> bool:
    """Whether a name of several words, in capitals or not, ends in what a group of people is called."""
    first, _, last = name.rpartition(" ")
    return first != "" and (last.lower() in _BODIES or _BOARD.search(name) is not None)
