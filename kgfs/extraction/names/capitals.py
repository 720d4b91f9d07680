"""Runs of capitals that may be names, and what their words say about their type.

Used by the extractor; pure. A candidate is only a place in a sentence where a name may stand: whether it becomes an
entity is decided from the whole document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgfs.documents.dates import MONTH_NAMES
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import PLACES
from kgfs.plurals import singular

_UP = "A-ZÀ-ÖØ-ÞĂĄĆČĎĐĘĚĞĪİĶĹĽŁŃŇŐŘŚŠŞŤŪŮŰŹŻŽ"
# GOV.UK, ASP.NET; Node.js, Booking.com: the dot is of the name.
_DOTTED = r"(?:(?<=[A-Z]{2})\.[A-Z]{2,5}(?!\w)|\.(?:js|com|net|org|gov|io|ai|app|dev|fm|tv)(?![\w/@]))?"
_WORD = (
    rf"(?:(?:[{_UP}]\.)+(?!\w)|(?:Inc|Corp|Ltd|Co|Jr|Sr|St|Mt|Bros|Dr|Mr|Mrs|Ms|Prof)\.(?!\w)"
    rf"|(?:[{_UP}]|(?<!\w)[a-z]{{1,2}}[{_UP}])\w*(?:[’'][{_UP}]\w+)?{_DOTTED}(?:[-&·]\w+)*)"
)
_JOIN = r"(?: (?:of|for)(?: the)? | and | & | de la | de | del | la | von | van der | van | du | da | al-| )"
_RUN = re.compile(rf"(?<![\w@#/\\.$])(?:{_WORD})(?:{_JOIN}(?:{_WORD}))*")
_PART = re.compile(rf"({_JOIN})?({_WORD})")
_TITLED = re.compile(rf"\.? (?=[{_UP}])")
_CUT_OFF = re.compile(rf"[{_UP}0-9][\w’'-]*,? (?:and|with|of|for|to|in|against|on)(?: the)? $")
_PARTICLES = frozenset({"de", "del", "la", "de la", "von", "van", "van der", "du", "da", "al-"})
_COLLECTIVE = frozenset("Department Ministry Centers Bureau Committee Board Institute Office Commission".split())
_FIELDS = frozenset(
    "Competition Securities Food Health Science Research Education Trade Energy Transport Housing Labor Culture Arts "
    "Economic Environment Commodity Justice Foreign Community Aviation Aeronautics Oceanic Centers Markets Media "
    "Innovation Technology Standards Safety Planning Finance Banking".split()
)
"""Words that stand before ``and`` inside the name of an authority."""
_QUALIFIERS = frozenset(
    "Greater Downtown Central Metro Metropolitan Inner Upper Lower North South East West Northern Southern Eastern "
    "Western Northeast Northwest Southeast Southwest Mid Former Old Rural Urban Coastal".split()
)
"""Words before a known place that leave it the same place, near enough."""

SHOUTED = 5
"""Letters of a word in capitals that is more likely written so for once than an acronym: ``SYNOPSIS``."""

Kind = str


@dataclass(slots=True)
class CapitalsSpan:
    """Capitals at ``text[start:end]``."""

    start: int
    end: int
    text: str
    initial: bool
    """It opens the sentence, so that a single word may be any word."""
    titled: bool = False
    """``Dr.`` or another title of a person stands before it."""
    tag: str = ""
    """The type that the statistical tagger gives it, if there is one and it does."""


@dataclass(slots=True)
class _Piece:
    joiner: str
    word: str
    start: int
    end: int


MODALS = frozenset("SHALL MUST SHOULD MAY WILL CAN NOT".split())
"""What standards write in capitals behind a name: *the Lamp Board SHALL*."""


def find_capitals(text: str) -> list[CapitalsSpan]:
    """The candidates of a plain sentence, in order, not overlapping."""
    found: list[CapitalsSpan] = []
    for run in _RUN.finditer(text):
        pieces = [
            _Piece((part[1] or "").strip(), part[2], part.start(2), part.end(2))
            for part in _PART.finditer(text, run.start(), run.end())
        ]
        initial = _opens(text, run.start())
        titled = False
        for group in _split(pieces):
            while len(group) > 1 and group[-1].word in MODALS:
                group.pop()
            bare = group[0].word.rstrip(".")
            if len(group) == 1 and _is_role(bare):
                titled = _is_title(bare) and bool(_TITLED.match(text, group[0].end))
                continue
            candidate = _candidate(text, group, initial and group[0] is pieces[0])
            if candidate is not None:
                candidate.titled = candidate.titled or titled
                found.append(candidate)
            titled = False
    return found


def _is_role(word: str) -> bool:
    """Whether a word in capitals says what somebody is, alone or beside another one: *Chair*, *Co-chair*."""
    return word in words.ROLE_WORDS or (word.startswith("Co-") and word[3:].capitalize() in words.ROLE_WORDS)


def _is_title(word: str) -> bool:
    return word.lower() in words.PERSON_TITLES and (word == "CEO" or not word.isupper())


def _opens(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"'“‘«(*_[—–-")
    return not before or before[-1] in ".:!?"


def _split(pieces: list[_Piece]) -> list[list[_Piece]]:
    """A run cut where two names meet: at joining words that join nothing, at months, at roles."""
    groups: list[list[_Piece]] = []
    current: list[_Piece] = []
    for piece in pieces:
        alone = piece.word in MONTH_NAMES or _is_role(piece.word.rstrip("."))
        alone = alone and not _opens_council(pieces, piece)
        if current and (alone or not _joins(current, piece, pieces[-1].word) or _alone(pieces, current[-1])):
            groups.append(current)
            current = []
        current.append(piece)
    if current:
        groups.append(current)
    return groups


def _alone(pieces: list[_Piece], piece: _Piece) -> bool:
    role = piece.word in MONTH_NAMES or _is_role(piece.word.rstrip("."))
    return role and not _opens_council(pieces, piece)


def _opens_council(pieces: list[_Piece], piece: _Piece) -> bool:
    """Whether a word opens the name of a body of officers: *Chief Lamp Officers Council*."""
    behind = pieces[pieces.index(piece) + 1 :]
    return (
        piece.word == "Chief"
        and len(behind) > 2
        and behind[-1].word in words.ORGANIZATION_HEADS
        and behind[-2].word in ("Officer", "Officers")
        and not any(one.joiner for one in behind)
    )


def _joins(current: list[_Piece], piece: _Piece, final: str) -> bool:
    """Whether ``piece`` goes on with the name ``current``; ``final`` is the last word of the run."""
    joiner = piece.joiner
    if not joiner or joiner == "&" or joiner in _PARTICLES:
        return True
    if joiner == "and" and current[-1].word in _FIELDS and final in words.ORGANIZATION_HEADS:
        return True  # "Competition and Markets Authority"
    if joiner == "and":
        return any(before.joiner[:3] in ("of", "of ", "for") for before in current) and any(
            before.word in _COLLECTIVE for before in current
        )
    if joiner == "of" and (current[-1].word, piece.word) in _CODES:
        return True
    if joiner.startswith("of") and final in _STUDIES and current[-1].word in ("State", "Survey"):
        return True  # "State of Lamps Survey"
    return current[-1].word in words.OF_HEADS


_CODES = {("Code", "Conduct"), ("Code", "Ethics")}
"""Words that *of* joins within the name of who keeps them: *Code of Conduct Working Group*."""
_SEATS = frozenset("Basel Berne Hague Lomé Ramsar Schengen".split())
"""Places beside those that are known, after which conventions between states are called."""
_STUDIES = frozenset("Barometer Index Poll Report Study Survey".split())
"""What is made each year, of the state of something."""


def _candidate(text: str, group: list[_Piece], initial: bool) -> CapitalsSpan | None:
    titled = False
    while group:
        bare = group[0].word.rstrip(".").lower()
        weak = (
            (bare in words.WEAK_STARTS and group[0].word != "MS")
            or _is_yearly(group)
            or (initial and len(group) > 1 and bare in words.NOT_NAMES and not _opens_name(group))
        )
        demonym = group[0].word in words.DEMONYMS and not any(
            piece.word in words.ORGANIZATION_HEADS for piece in group[1:]
        )
        if not weak and not demonym:
            break
        titled = _is_title(group[0].word.rstrip("."))
        if weak:
            initial = False
        group = group[1:]
    while group and (group[-1].word in words.DEMONYMS or group[-1].word.lower() in _NO_ENDS):
        group = group[:-1]
    if not group:
        return None
    start, end = group[0].start, group[-1].end
    name = text[start:end]
    letters = [char for char in name if char.isalpha()]
    if len(group) > 2 and len(letters) > 8 and all(char.isupper() for char in letters):
        return None
    if len(name) > 100 or len(letters) < 2:
        return None
    if group[-1].word in words.LAW_HEADS and _CUT_OFF.search(text[max(0, start - 40) : start]):
        return None  # the end of "Aid, Relief, and Economic Security Act", of "Americans with Disabilities Act"
    return CapitalsSpan(start, end, name, initial, titled)


_NO_ENDS = frozenset("the i since until when where which".split())
"""Words with a capital at the end of none: *Metric Contributions Since*, in a heading."""


def _is_yearly(group: list[_Piece]) -> bool:
    """Whether a first word says only how often there is a study: *Annual State of Lamps Survey*."""
    return group[0].word == "Annual" and len(group) > 2 and group[1].word == "State" and group[-1].word in _STUDIES


def _opens_name(group: list[_Piece]) -> bool:
    """Whether a common first word belongs to a name all the same: ``First Republic Bank``."""
    return len(group) > 2 and group[-1].word.rstrip(".") in (words.ORGANIZATION_HEADS | words.STRONG_SUFFIXES)


def is_qualified(text: str, covered: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether known names cover ``text[start:end]`` but for words such as ``Greater`` that change nothing."""
    rest = text[start:end]
    for a, b in sorted(covered, reverse=True):
        rest = rest[: a - start] + " " + rest[b - start :]
    left = re.findall(r"\w+", rest)
    return all(word in _QUALIFIERS or word in words.DEMONYMS or word in words.ROLE_WORDS for word in left)


_BODY_FOR = re.compile(
    r"(?:The )?(?:[A-Z][\w-]+ )?(?:Agency|Alliance|Association|Cent(?:er|re)|Coalition|Commission|Committee|Council|"
    r"Foundation|Institute|Society|Subcommittee) (?:for|on) (?:the )?[A-Z]"
)


def is_working_group(name: str) -> bool:
    """Whether a name is made as those of special interest groups are: *SIG Storage*, *Accessibility WG*."""
    parts = name.split()
    either = parts[0] in _BODY_ABBREVIATIONS or parts[-1] in _BODY_ABBREVIATIONS
    owned = len(parts) > 2 and parts[1].upper() == "SIG" and not is_of_working_group(" ".join(["SIG", *parts[2:]]))
    if owned:
        return len(parts) <= 5  # "Acme SIG Storage"
    return 1 < len(parts) <= 5 and either and parts[0] != "Cross" and not is_of_working_group(name)


def is_of_working_group(name: str) -> bool:
    """Whether a name is what such a group has, or a word for many of them: *SIG Leads*, *SIG Storage Input*."""
    parts = name.split()
    return len(parts) > 1 and parts[0] in _BODY_ABBREVIATIONS and not _OF_BODIES.isdisjoint(parts[1:])


def _held(parts: list[str]) -> bool:
    """Whether a name is that of an event with where or when it is held: *Lamp Forum India*, *Lamp Summit 2023*."""
    return len(parts) > 2 and any(
        part in MEETINGS
        and i
        and (parts[i + 1] in _REGIONS or parts[i + 1].isdigit() or " ".join(parts[i + 1 :]) in PLACES)
        for i, part in enumerate(parts[:-1])
    )


def _is_meeting(parts: list[str]) -> bool:
    """Whether a name is that of a meeting which comes again: *Lamp Office Hours*, *Lamp Weekly Standup*."""
    if parts[-1] in ("Hour", "Hours"):
        return parts[-2] == "Office"
    whose = len(parts) > 2 or any(sum(map(str.isupper, part)) > 1 for part in parts)
    return whose and (parts[-1] in ("Meeting", "Sprint", "Standup") or parts[-2:] == ["Community", "Call"])


def is_body_for(name: str) -> bool:
    """Whether a name is that of a body for something: *Center for AI Safety*."""
    return _BODY_FOR.match(name) is not None


_RULES = re.compile(
    r"(?:Code of )?(?:[A-Z][\w’'-]+ )*"
    r"(?:Acquisition|Code of Federal|Data Protection|Export Administration|Federal|Model|Traffic|Travel) Regulations?$"
)
_OF_NOBODY = re.compile(
    r"^(?:Deputy |Assistant |Acting )?Chief (?:[A-Z][\w&-]+ )+Officers?$"
    r"|(?:Common|Preferred|Capital) Stock$|(?:-?[Bb]acked|Protected) Securities$"
    r"| (?:Dollar|Euro|Franc|Peso|Pound|Renminbi|Rupee|Yen|Yuan)s?$"
)
"""Posts and shares, which the tagger takes for bodies."""
_MEETING_OF = re.compile(r"(?:\d{4} )?(?:Annual |Extraordinary |Special )+(?:General )?Meeting(?: of\b|$)")


_UNIT = re.compile(
    r"(?:[A-Z][\w'’-]*\.? (?:of )?){0,4}(?:Airborne|Army|Artillery|Battalion|Brigade|Cavalry|Corps|Division|Fleet|"
    r"Flotilla|Fusiliers|Infantry|Marines|Regiment|Squadron|Wing)"
)
"""A unit of troops."""
_NUMBERED = re.compile(r"\d{1,4}(?:st|nd|rd|th|d) (?P<unit>.+)")


def is_unit(name: str) -> bool:
    """Whether a name, without its number, may be that of a unit of troops: *Airborne Division*."""
    return _UNIT.fullmatch(name) is not None


NO_BODIES = frozenset("Everything Everywhere How Just What When Where Why".split())
"""What no name of a body opens with: *Just Enough Administration*."""


def type_cue(name: str, titled: bool = False) -> tuple[str, float] | None:
    """The type that a name's own words show, and how surely; ``None`` where they show nothing."""
    parts = [part.rstrip(".,") for part in name.split()]
    if name in PLACES:
        return "Location", 0.85
    if "-" in parts[0] and parts[0].split("-")[0] in PLACES and len(parts) <= 2:
        return "Location", 0.75
    last = parts[-1]
    if is_conference(name):
        return "Event", 0.6
    if is_body_for(name):
        return "Organization", 0.85
    if (numbered := _NUMBERED.fullmatch(name)) is not None and is_unit(numbered["unit"]):
        return "Organization", 0.85
    if len(parts) > 1:
        if is_of_working_group(name):
            return None
        if is_working_group(name):
            return "Organization", 0.8
        if _OF_NOBODY.search(name):
            return "Concept", 0.8
        if _held(parts) or _is_meeting(parts) or _MEETING_OF.match(name):
            return "Event", 0.8
        if name.endswith(" as a Service"):
            return "Concept", 0.6
        if last in words.STRONG_SUFFIXES:
            return "Organization", 0.9 if len(last) > 2 else 0.75
        if " ".join(parts[-2:]) in DESKS:
            return "Organization", 0.8
        if last in ("Regulation", "Regulations") and _RULES.match(name):
            return "Law", 0.7
        if last in words.LAW_HEADS and (last != "Convention" or len(parts) > 2 or parts[0] in PLACES | _SEATS):
            return "Law", 0.8
        if last == "Library" and parts[-2] in _OF_CODE:
            return "Product", 0.7
        if last in _HONOURS:
            return "Event", 0.7
        if len(parts) == 2 and last in _CLUBS and parts[0] not in words.GIVEN_NAMES:
            return "Organization", 0.6
        if len(parts) == 2 and last in _SURNAMES_TOO and parts[0] in words.CLEAR_GIVEN:
            return "Person", 0.6
        # Not "Terms of Service", which are terms, nor "How We Relate to Partners".
        headed = last in words.ORGANIZATION_HEADS and parts[-2] not in words.PREPOSITIONS
        headed = headed and not (last == "Records" and len(parts) > 2)  # "Lamp Decision Records"
        headed = headed and parts[0] not in NO_BODIES
        if headed and _specific(parts) and not _all_common(parts[:-1]):
            return "Organization", 0.55 if len(parts) == 2 and last in words.WEAK_HEADS else 0.8
        heads = [i for i, part in enumerate(parts) if part in words.ORGANIZATION_HEADS and parts[i + 1 : i + 2]]
        if any(parts[i + 1] in ("of", "for") for i in heads):
            return "Organization", 0.8
        if any(i and " ".join(parts[i + 1 :]) in _BRANCHES for i in heads):
            return "Organization", 0.75
        if any(part in _SCHOOLS for part in parts[:-1]) and last not in words.NOT_SURNAMES and len(parts) <= 4:
            return "Organization", 0.7
        if last in words.PLACE_HEADS and len(parts) <= 3 and parts[0].lower() not in words.NOT_NAMES:
            return "Location", 0.5
        if _is_person(parts, titled):
            return "Person", 0.85 if titled else 0.75
    elif titled and len(name) > 2 and name.isalpha() and not name.isupper():
        return "Person", 0.55
    return None


def is_conference(name: str) -> bool:
    """Whether a name is made as those of conferences are: *DjangoCon Europe*, *West RubyConf 2010*."""
    parts = name.split()
    if parts[-1] in _OF_CONFERENCES:
        return False
    which = parts if re.fullmatch(r"(?:19|20)\d\d", parts[-1]) else parts[:1]
    return any(_CONFERENCE.fullmatch(part) is not None for part in which)


_BODY_ABBREVIATIONS = frozenset("SIG WG SWG TWG CG".split())
"""Special interest groups and working groups, as they are written in their names: *SIG Storage*, *Accessibility WG*."""
_OF_BODIES = frozenset(
    "Agenda Annual Approver Approvers Backlog Blog Blogging Board Budget Calendar Call Calls Candidate Candidates "
    "Chair Chairs Channel Channels Charter Charters Digest Election Elections Forum Input Intro Introduction Intros "
    "Issue Issues KEP KEPs Label Labels Lead Leadership Leads Liaison List Meet Meeting Meetings Member Members "
    "Names Notes Organizer Organizers Owners Page Pages PM PMs PR Process Program Project Projects Proposal PRs "
    "README READMEs Repo Report Reports Repos Repository Review Reviews Roles Schedule Session Sessions Slack "
    "Slides Structure Talk Talks Template Terminology TL TLs Update Updates Work Zoom".split()
)
"""What such groups have: *SIG Leads* is no group."""
_BRANCHES = PLACES | {"International", "Worldwide"}
"""Behind the head of a name, whose branch it is: *Red Cross Foundation Europe*."""
_CONFERENCE = re.compile(r"[A-Z]\w*[a-z](?:Con|Conf|Fest|Camp|Hack|Jam|Days)|[A-Z]\w+(?<!_)Festival")
"""*PyCon*, *RustConf*: a conference by how its name is made."""
_OF_CONFERENCES = frozenset("App Blog CFP Committee Site Slack Team Website Wiki".split())
"""What conferences have: *PyCon Wiki*."""
MEETINGS = frozenset("Conference Congress Forum Hackathon Meetup Roadshow Summit Symposium Workshop".split())
_REGIONS = frozenset("AMER APAC ANZ Asia China EMEA EU Europe India LATAM NA North".split())
_CLUBS = frozenset("Villa Rovers Wanderers Hotspur Albion".split())
_OF_CODE = frozenset("Class Client Code Component Components Function Software Standard Template UI Utility".split())
"""Before *Library* where it is one of code."""
DESKS = ("Help Desk", "Service Desk", "Support Desk")
"""How names of those end who answer questions."""
_HONOURS = frozenset("Award Awards Prize Prizes".split())
_SCHOOLS = frozenset("University College Institute".split())
_BODIES = frozenset("Commission Committee Bureau Agency Ministry Court Board".split())
_SURNAMES_TOO = frozenset("Press Post Church Fund Union Guard Board Court Council Bank College".split())


def _all_common(parts: list[str]) -> bool:
    """Whether all words before the last are function words and the like: ``Just Enough Administration``."""
    return all(part.lower() in words.NOT_NAMES and part not in words.ORGANIZATION_HEADS for part in parts)


def _specific(parts: list[str]) -> bool:
    """Whether a name that ends in a common word has another word that is none: not ``National Bank``."""
    if parts[-1] not in words.GENERIC_HEADS or (len(parts) > 2 and parts[-1] in _BODIES):
        return True
    common = words.NOT_NAMES | _GENERIC_ADJECTIVES
    return any(part.lower() not in common and part not in words.ORGANIZATION_HEADS for part in parts[:-1])


_GENERIC_ADJECTIVES = frozenset(
    "national international central public private federal local global regional human customer technical financial "
    "united state social legal digital internal external senior junior cloud data security web product design research "
    "engineering development operations consulting support professional nonfinancial community advisory executive "
    "management communications information technology acquisition delivery core shared common health self front "
    "privacy press program project employee employees business hiring travel account client partner certificate "
    "terminal network personnel records learning work working workers railroad railway "
    "steamship telegraph telephone female male".split()
)


def _is_person(parts: list[str], titled: bool) -> bool:
    if (
        not 2 <= len(parts) <= 4
        or parts[-1] in words.NOT_SURNAMES | words.NEVER_SURNAMES
        or parts[-1].removesuffix("s") in words.NEVER_SURNAMES  # "Stanley Cups"
        or parts[-1] in words.ORGANIZATION_HEADS
    ):
        return False
    plain = [part for part in parts if part not in _PARTICLES]
    if len(parts[-1]) == 1 or not all(_name_like(part) for part in plain):
        return False
    # Many surnames are words (Page, Cook, Price); beside a name that is a word too they show nothing.
    common = words.WEAK_STARTS | _GENERIC_ADJECTIVES
    if parts[0] not in words.GIVEN_NAMES or parts[0] in words.AMBIGUOUS_GIVEN:
        common = common | words.NOT_NAMES
    if any(part.lower() in common for part in plain[1:]):
        return False
    if titled:
        return True
    first = parts[0]
    if first not in words.GIVEN_NAMES:
        return False
    if first in words.AMBIGUOUS_GIVEN and " ".join(parts[:2]) in PLACES:
        return False
    return parts[-1] not in PLACES or first not in words.AMBIGUOUS_GIVEN


JOINED = re.compile(r"[a-z][A-Z]{2}")
"""Within a word that is made of a word and letters: *LampML*."""


def _name_like(part: str) -> bool:
    letters = part.replace("-", "").replace("’", "").replace("'", "")
    if JOINED.search(part):
        return False
    return letters.isalpha() and (len(letters) == 1 or not letters.isupper())


_BRACKET = re.compile(r"\((?:(?:the )?[\"“](?P<quoted>[^()\"“”]{2,40})[\"”]|(?P<plain>[^()]{2,40}))\)")
_LOWER_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SMALL = frozenset("of the and for in on to a an de la de".split())


def stands_for(short: str, long: str) -> bool:
    """Whether ``short`` is an acronym of ``long``, or made of beginnings of its words (``Boston Fed``)."""
    bare = short.rstrip("s") if len(short) > 2 and short[-1] == "s" and short[:-1].isupper() else short
    parts = [part for part in re.split(r"[\s-]+", long) if part]
    if " " not in bare:
        letters = [char for char in bare if char.isalnum()]
        if not 2 <= len(letters) <= 10 or not bare[0].isupper() or sum(char.isupper() for char in bare) < 2:
            return False
        wanted = "".join(letters).lower()
        full = "".join(part[0] for part in parts).lower()
        main = "".join(part[0] for part in parts if part.lower() not in _SMALL).lower()
        whole = "".join(part[0] for part in long.split() if part.lower() not in _SMALL).lower()
        apart = "".join(
            part[0] for word in long.split() if word.lower() not in _SMALL for part in word.split("-") if part
        ).lower()
        return wanted in (full, main, whole, apart)  # "Supply-chain Lamp Levels (SLL)", "in-process tests (IPT)"
    pieces = [piece.rstrip(".") for piece in bare.split()]
    if _initials_and_words(pieces, parts):
        return True
    return len(pieces) < len(parts) + 1 and all(
        piece[:1].isupper() and len(piece) > 2 and any(part.lower().startswith(piece.lower()) for part in parts)
        for piece in pieces
    )


def _initials_and_words(pieces: list[str], parts: list[str]) -> bool:
    """Whether the pieces are the words of a name in order, some as initials: ``VS Code``, ``NY Times``."""
    place = 0
    for piece in pieces:
        if place < len(parts) and piece == parts[place]:
            place += 1
        elif piece.isupper() and [part[0] for part in parts[place : place + len(piece)]] == list(piece):
            place += len(piece)
        else:
            return False
    return place == len(parts) and len(pieces) < len(parts)


def bracketed_forms(text: str) -> list[tuple[int, str]]:
    """What stands in brackets and may be a short form: where its bracket opens, and it."""
    forms = [(found.start(), (found["quoted"] or found["plain"]).strip()) for found in _BRACKET.finditer(text)]
    return [(start, form) for start, form in forms if form[:1].isalnum()]


_LEADING = frozenset("called include included includes including named termed use used uses using".split())
"""What stands before a term, not at its head."""


def defined_phrase(text: str, bracket: int, short: str) -> str | None:
    """The lower-case words before a bracket that its acronym stands for: ``graphics processing units (GPUs)``."""
    bare = short.rstrip("s") if len(short) > 2 and short[-1] == "s" and short[:-1].isupper() else short
    joined = "&" in bare
    if not 2 <= len(bare) <= 6 or not bare.replace("&", "").isalpha() or not bare.isupper():
        return None
    spans = [(found.start(), found.end()) for found in _LOWER_WORDS.finditer(text, max(0, bracket - 120), bracket)]
    # "time-and-materials (T&M)" is one word
    for count in range(1 if joined else len(bare), min(len(bare) + 3, len(spans)) + 1):
        start, end = spans[-count][0], spans[-1][1]
        phrase = text[start:end]
        if (
            re.search(r"[^\w\s-]", phrase)
            or text[end:bracket].strip()
            or phrase.split()[0].lower() in _SMALL | _LEADING
        ):
            continue
        if stands_for(bare, phrase):
            plural = short != bare and phrase.endswith("s") and not phrase.endswith("ss")
            phrase = singular(phrase) if plural else phrase
            # The first word may open the sentence; the phrase is a term all the same.
            lowered = phrase[0].lower() + phrase[1:] if phrase[1:2].islower() else phrase
            return lowered if lowered == lowered.lower() else None
    return None
