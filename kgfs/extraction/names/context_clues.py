"""What the words around a name say about its type: ``the band X``, ``X is a village``, ``X, who``, ``X Park``.

Used by the lexicon together with the tagger; pure. A clue counts as so many tags.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import PLACES

PEOPLE = (
    "actor actress singer songwriter singer-songwriter musician guitarist drummer bassist pianist composer conductor "
    "rapper player footballer cricketer golfer swimmer runner boxer wrestler cyclist racer driver coach manager writer "
    "author novelist poet journalist reporter editor critic historian philosopher mathematician physicist chemist "
    "biologist scientist engineer inventor economist psychologist physician doctor surgeon nurse lawyer attorney judge "
    "politician diplomat senator congressman minister president governor mayor king queen prince princess emperor duke "
    "bishop archbishop pope priest monk nun saint general admiral colonel captain officer soldier businessman "
    "businesswoman entrepreneur industrialist banker executive director producer filmmaker painter sculptor artist "
    "architect designer photographer dancer comedian model explorer activist professor teacher student son daughter "
    "father mother brother sister wife husband widow uncle aunt cousin nephew niece friend colleague spokesman "
    "spokeswoman spokesperson analyst secretary chairman chairwoman founder co-founder leader lawmaker member-elect "
    "pitcher quarterback goalkeeper striker midfielder defender naturalist botanist theologian scholar luthier chef"
).split()
ORGANIZATIONS = (
    "company firm corporation bank agency organization organisation association society foundation institute "
    "university college school academy club team band group orchestra choir quartet trio duo label publisher newspaper "
    "magazine network station broadcaster party union league federation conference committee commission council "
    "ministry department airline manufacturer maker retailer carrier brewery studio laboratory charity cooperative "
    "subsidiary conglomerate startup start-up brand regiment brigade squadron division battalion army church museum "
    "hospital consortium ensemble franchise journal railway railroad"
).split()
_PLACES = (
    "city town village hamlet suburb neighborhood neighbourhood municipality commune county district province state "
    "country region island peninsula river lake sea bay mountain valley desert forest park street avenue road square "
    "bridge station airport port harbor harbour stadium arena castle palace building prefecture parish borough "
    "township community settlement territory republic kingdom capital canton department volcano creek hill beach"
).split()
WORKS = (
    "album song single film movie novel book play opera symphony poem series show sitcom musical EP soundtrack "
    "documentary painting videogame episode track ballad anthem comic manga"
).split()
_EVENTS = (
    "battle war siege tournament festival championship convention election earthquake hurricane revolution".split()
)
_PRODUCTS = (
    "software program language tool toolkit framework library application app editor browser plugin plug-in "
    "extension console "
    "smartphone phone tablet car aircraft plane missile helicopter locomotive device vaccine drug engine chip "
    "processor shell platform "
    "camera printer module"
).split()
_KINDS = {
    **dict.fromkeys(_PRODUCTS, "Product"),
    **dict.fromkeys(PEOPLE, "Person"),
    **dict.fromkeys(ORGANIZATIONS, "Organization"),
    **dict.fromkeys(_PLACES, "Location"),
    **dict.fromkeys(WORKS, "Work"),
    **dict.fromkeys(_EVENTS, "Event"),
}
_KIND = "|".join(sorted(map(re.escape, _KINDS), key=len, reverse=True))
_DEFINED = re.compile(
    rf"(?: \([^()]{{1,80}}\))?,?(?: also| still)? (?:is|was|are|were|became) (?:an?|the|one of(?: the)?) "
    rf"(?:(?!of\b|in\b|for\b|that\b|which\b|who\b)[\w'’-]+,? ){{0,5}}?(?P<kind>{_KIND})(?:s|es)?\b(?! (?:of the|members?|players?|company|firm|vendor|start-?up|architect|consultant|designer|developer|engineer)\b)"
)
_APPOSED = re.compile(rf", (?:an?|the) (?:[\w'’-]+ ){{0,4}}?(?P<kind>{_KIND})\b")
_BEFORE = re.compile(rf"(?:^|[\s(])(?P<kind>{_KIND})s?(?P<comma>,?) (?:named |called |of )?[\"“]? ?$", re.I)
_PLACE_OF = re.compile(
    r"\b(?:city|town|village|hamlet|suburb|island|islands|county|district|province|state|parish|port|capital|region|"
    r"borough|streets|outskirts|north|south|east|west|coast|banks|mouth|kingdom|republic|villagers|residents|people|inhabitants|neighbou?rhood|vicinity|shores?|harbou?r) of $"
    r"|\b(?:sailed|rode|anchored|embarked|disembarked|marched|journeyed|travell?ed|encamped|bivouacked|arrived)"
    r"(?: \w+| [\w ]{1,12} \w+)? (?:at|from|in|near|to|towards?) $",
    re.I,
)
"""Before a place, whatever the tagger takes it for: *on the coast of*, *we sailed from*."""
_RULED = re.compile(rf"\b{words.RANK_OF}$")
_WHERE = re.compile(r"\b(?:in|near|around|outside|across|throughout|within|between|via|toward|towards) $", re.I)
_PERSON_BEHIND = re.compile(
    rf" ?(?:,? (?:who|whose|aged \d)|, \d\d,|\(? ?\(?born\b|\((?:c\. )?1[5-9]\d\d ?[-–]|(?:['’]s)? (?:{'|'.join(sorted(words.PERSON_VERBS))})\b(?! (?:by|in)\b))"
)
_RELATIVE = re.compile(r" ?['’]s (?:father|mother|wife|husband|son|daughter|brother|sister|death|birth|career|life)\b")
_PLACE_BEHIND = re.compile(r",? (?:County|Province|Prefecture|Island|Islands|River|Valley|Bay)\b")
_TEAM = re.compile(
    r"\b(?:for|with|joined|signed (?:for|with|by)|beat|defeated|against|members? of|lead singer of) (?:the )?$"
)
_QUOTED = re.compile(r"[\"“] ?$")
_LAST = {
    **dict.fromkeys(
        "Pond Dock Brook Rink Gym Playfield Street Road Avenue Boulevard Square Bridge Station Airport "
        "Stadium Arena Palace "
        "Castle Cathedral Abbey Hill Hills Mountain Mountains Mount Beach Creek Canyon Falls Forest Glacier "
        "Ocean Sea Gulf "
        "Coast Highway Park River Lake Bay Island Islands Peninsula Valley County Province Prefecture "
        "District Township "
        "Parish Borough Heights Harbor Harbour Desert Plateau Town Village Rit Junction Gardens Estate Dam Reservoir "
        "Tower Ridge Springs Pier Terminal Prison Plaza Basin Strait Territory Region Cemetery Fjord Woods Point "
        "Area Mall Speedway Raceway Hotel".split(), "Location"),
    **dict.fromkeys(
        "Band Orchestra FC F.C. AFC Railroad Railway Railways Conference Works Regiment Brigade Division Squadron Wing "
        "Rovers Wanderers Athletic Choir Ensemble Quartet Brothers Sons Associates Cavalry Infantry Corps Legion Force "
        "Network Channel Herald Tribune Gazette Chronicle Observer Telegraph Coalition Alliance Movement "
        "Chamber Dynasty Confederation Confederacy Cabinet Police Bureau Mission Department Corps Ltd. Inc. "
        "Corp. Co. Motor Petroleum Oil Steel Foods Stores Watch Line Lines Project Administration".split(), "Organization"),
    **dict.fromkeys(
        "Cup Championship Championships Trophy Award Awards Prize Olympics Games Festival War Wars Battle Bowl Tour "
        "Tournament Revolution Rebellion Conference Sunday Day Series Marathon Derby Holocaust Crisis Summit "
        "Census Election Convention Campaign Exhibition Expedition".split(), "Event"),
    **dict.fromkeys("Prophecies Symphony Sonata Concerto Bible Quran Chronicles Trilogy Suite Overture Album".split(), "Work"),
}  # fmt: skip
"""What a name of several words is by its last one."""
_FIRST = {
    **dict.fromkeys("Lake Mount Mt Cape Fort Port Isle Rio Bay Gulf Strait Piazza Rue Camp River Highway Route".split(), "Location"),
    **dict.fromkeys("University College Bank Ministry Department Institute Radio FC AC AS SC Real Atletico Church".split(),
                    "Organization"),
    **dict.fromkeys("Battle Siege Treaty Operation Hurricane".split(), "Event"),
}  # fmt: skip
_ATTENDED = re.compile(
    r"\b(?:(?:attend(?:s|ed|ing)?|attendees (?:of|at)|present(?:s|ed|ing)? at|registration for|report on|speak(?:s|ing)? at|"
    r"(?:booth|keynotes?|panels?|posters?|sessions?|sprints?|talks?|tutorials?|workshops?) (?:at|during|from)) (?:the )?)$",
    re.I,
)
"""Before what is held: *her keynote at*."""
_HELD = re.compile(
    r" (?:20\d\d )?(?:attendees|keynotes?|speakers|[Ss]prints?|talks?|tutorials?)\b(?! (?:about|on|to)\b)|, (?:which|that) (?:is|was) (?:happening|held)\b"
)
_EDITED = re.compile(
    r"\b(?:columns|correspondents?|editors?|editorship|founders?|number|pages|proprietors?|publishers?|readers|reporters?|"
    rf"staff) (?:for|in|of|on) (?:the )?(?:[A-Z]\w+ )?[\"“]$|\bthe (?:{'|'.join(sorted(PLACES))}) [\"“]$"
)
_STAFF = re.compile(r"(?:['’]s)?,?[\"”](?:['’]s)? (?:correspondents?|editor\w*|office|reporters?|staff)\b")
"""Beside what is in quotes: *the editor of the Reno "Courier"*."""
_PHONED = re.compile(r"\b[Cc]all(?:ing|ed)? (?:the )?$")
_ITS_PHONE = re.compile(r"(?: directly)? at \(?\+?\d{2,4}\b")
_IS_CALLED = re.compile(r" a call\b")
_OF_KIND = re.compile(r"\b(?:genus|genera|species|sub-?genus|sub-?family|phylum)(?:,[^,]{1,30},)? (?:of )?$")
_TAXON = re.compile(r"[A-Z][a-z]{2,}(?:idae|inae|aceae|oidea|ptera|formes)")
"""How groups of living things are called: *Lampidae*, *Hymenoptera*."""
_CREDITED = re.compile(r"#\d+\)?, (?:[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*)+, )*$")
"""What stands before somebody's name in a list of changes: ``(#123, Ann Lee, Bob Ray)``."""
_REPORTS_BEFORE = re.compile(r"\b(?:reports?|reported|reporting)(?: directly)? to $")
_REPORTS_BEHIND = re.compile(r",? (?:who )?(?:reports|reported|reporting)(?: directly)? to (?=[A-Z])")
"""Beside who reports to whom."""
_INTRODUCED = re.compile(r"\b(?:I am|I['’]m|[Mm]y name is|[Mm]y name['’]s) $")
"""Before the name of who speaks."""
CLUE = 2
"""How many tags a clear clue counts."""
SAID = 4
"""How many a noun right before a name counts, which outweighs what the name looks like: *the rock band Linkin Park*."""


def type_clues(text: str, start: int, end: int, tag: str = "") -> Iterator[tuple[str, int]]:
    """Types that the surroundings of ``text[start:end]`` show, each with how many tags it counts.

    ``tag`` is what the tagger takes it for.
    """
    before, name = text[max(0, start - 60) : start], text[start:end]
    parts = name.split()
    if len(parts) > 1:
        own = _LAST.get(parts[-1]) or (_FIRST.get(parts[0]) if len(parts) < 6 else None)
        if parts[-1] == "Day" and len(parts) == 2 and parts[0] in words.CLEAR_GIVEN:
            own = "Person"  # nobody's holiday: "Ann Day"
        if own and not (own == "Organization" and all(part.lower() in words.NOT_NAMES for part in parts[:-1])):
            yield own, CLUE
    if _TAXON.fullmatch(name) or (name.isalpha() and _OF_KIND.search(before)):
        yield "Species", SAID
    defined = _DEFINED.match(text, end)
    if defined and not re.search(r"\b(?:of|in|at|by|for|from|and|with|to) (?:the )?$", before):
        yield _KINDS[defined["kind"]], CLUE + 1
    apposed = _APPOSED.match(text, end)
    if apposed:
        yield _KINDS[apposed["kind"]], CLUE
    lead = _BEFORE.search(before)
    if lead and lead["kind"].lower() in _KINDS and not lead["comma"]:
        kind = _KINDS[lead["kind"].lower()]
        if before.endswith(" of ") or before.endswith(' of "'):
            kind = "Location" if _PLACE_OF.search(before) else ""
        if kind == "Person" and " " not in name and lead["kind"][0].isupper() and lead["kind"] not in words.ROLE_WORDS:
            kind = ""
        if kind:
            yield kind, SAID if kind != "Person" else CLUE
    elif _PLACE_OF.search(before):
        yield "Location", CLUE
    elif tag in ("Location", "Person") and _WHERE.search(before) and not text[end : end + 2].startswith(("'s", "’s")):
        yield "Location", 1
    if _RULED.search(before) and not all(is_ordinary(part.lower()) for part in parts):
        yield "Location", SAID  # no "King of Pop"
    if len(parts) in (2, 3) and text[end : end + 1] in (",", ")") and _CREDITED.search(before):
        yield "Person", SAID
    if (
        tag == "Person"
        and len(parts) in (2, 3)
        and (_REPORTS_BEFORE.search(before) or _REPORTS_BEHIND.match(text, end))
    ):
        yield "Person", SAID
    if _INTRODUCED.search(before) and len(parts) in (2, 3) and all(map(str.istitle, parts)):
        yield "Person", SAID
    if _PERSON_BEHIND.match(text, end) or _RELATIVE.match(text, end):
        yield "Person", CLUE
    elif _TEAM.search(before) and text[:start].endswith("the "):
        yield "Organization", CLUE
    if _PLACE_BEHIND.match(text, end):
        yield "Location", 1
    if len(parts) == 1 and tag != "Person" and text.startswith((" protocol ", " protocol.", " protocol,"), end):
        yield "Technology", CLUE
    if tag != "Person" and (_ATTENDED.search(before) or _HELD.match(text, end)):
        yield "Event", CLUE
    if tag != "Person" and (
        (_PHONED.search(before) and _ITS_PHONE.match(text, end))
        or (before.endswith("give ") and _IS_CALLED.match(text, end))
    ):
        yield "Organization", CLUE + 1  # a firm has a telephone, software has none
    if _QUOTED.search(before) and (_EDITED.search(before) or _STAFF.match(text, end)):
        yield "Work", CLUE  # a newspaper
    if _QUOTED.search(before) and re.match(r" ?[\"”]", text[end:]) and not re.search(r"[A-Z]\w+ [\"“] ?$", before):
        yield "Work", CLUE


_PLACED_BEFORE = re.compile(
    r"\b(?:in|near|from|at|across|outside|around|throughout|towards?|visit(?:ed|ing|s)?|left|leaving)"
    r" (?:the |(?:[A-Z][\w.-]+,? (?:and |or |of )?){1,3})?$"
)
_PLACED_AFTER = re.compile(r"[A-Z]\w+, $")
_PLACED_BEHIND = re.compile(
    r", [A-Z]|-based\b|,? (?:region|area|city|County|Province)\b|['’]s (?:capital|population|government|mayor)"
)


def stands_as_place(text: str, start: int, end: int) -> bool:
    """Whether the words around ``text[start:end]`` speak of a place: somebody is there, a state follows."""
    return (
        _PLACED_BEHIND.match(text, end) is not None
        or _PLACED_BEFORE.search(text, max(0, start - 60), start) is not None
        or _PLACED_AFTER.search(text, max(0, start - 30), start) is not None
    )


def is_place_head(word: str) -> bool:
    """Whether what ends in a word is a place: *Cook Islands*."""
    return _LAST.get(word) == "Location"


def with_article(text: str, start: int) -> bool:
    """Whether ``the`` stands right before: no name of one person then."""
    return text[max(0, start - 4) : start].lower() == "the "
