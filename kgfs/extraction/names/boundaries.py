"""Where a tagged name really starts and ends: determiners, titles, possessives and fragments cut off or thrown away.

Used by tagging (which cleans what the tagger says) and the lexicon (which brings tags and capitals together); pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from kgfs.documents.dates import MONTH_NAMES
from kgfs.extraction.names import capitals
from kgfs.extraction.names.people import posts
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import ABBREVIATIONS, PLACES, is_administrative
from kgfs.extraction.names.wordlists.well_known import is_known_software


class TaggedSpan(NamedTuple):
    """The tagger says that ``text[start:end]`` is a name of a type."""

    start: int
    end: int
    type: str


_TOKEN = re.compile(r"\S+")
_EDGE = re.compile(r"[\n\r\t\ue000-\uf8ff]|  | (?:Pronouns?\b|(?:[Hh]e|[Ss]he|[Tt]hey) ?/ ?\w)")
"""Where one text ends and another one begins that stands beside it: a line's end, a gap, a sign of no script, pronouns."""
_TIME = re.compile(r"\d{1,2}[:.]\d\d(?: ?[-–—] ?\d{1,2}[:.]\d\d)?(?: ?[ap]\.?m\.?)?[ :,–—-]+(?=[A-Z])")
"""Before a name in an agenda: *11:25–11:40 Lamp Committee*."""
_LEAD = "\"'“”‘’«»([{<*_-–—,;:./|#&+`!?•·=~>"
_TRAIL = "\"“”‘’«»)]}>*_-–—,;:/|&`!?•·=~<([{'®™©"
_POSSESSIVE = re.compile(r"\s*['’](?:s|S)?$")
_ABBREVIATED = re.compile(r"(?:\b[A-Z]|\b(?:Inc|Corp|Co|Ltd|Jr|Sr|Bros|Cos|St|Mt|Ala|Ariz|Ark|Calif|Colo|Conn|Del|Fla|Ga|"
                          r"Ill|Ind|Kan|Ky|La|Md|Mass|Mich|Minn|Miss|Mo|Mont|Neb|Nev|Okla|Ore|Pa|Tenn|Tex|Vt|Va|Wash|Wis|"
                          r"Wyo|Feb|Gov|Dept|Univ|Assn))\.$")  # fmt: skip
_REGNAL = re.compile(r"[a-z] [IVX]{1,4}\.$")
"""A number with which a sentence ends: *her son Otto V.*"""
_DETERMINERS = frozenset(
    "the a an this that these those its his her their our my your some any each every no both all another such".split()
)
_TITLES = frozenset(
    "mr mrs ms miss dr sir dame lord lady prof professor president vice-president vice premier chancellor minister "
    "secretary senator sen rep representative congressman congresswoman governor gov mayor judge justice king queen "
    "prince princess emperor pope cardinal bishop archbishop rev reverend fr father brother sister saint rabbi imam "
    "general gen colonel col major maj captain capt lieutenant lt sergeant sgt corporal cpl private pvt admiral adm "
    "commander cmdr officer detective sheriff ambassador chairman chairwoman chair director ceo coach actor actress "
    "author singer director producer composer poet writer then-president ex-president comrade commissioner "
    "gen-secretary "
    "marshal baron count duke earl chief".split()
)
_INNER = frozenset("of the and for in on at de la le du des del della di da dos das do van von der den zu zum bin ibn al "
                   "el und et y e to with by from as a an or 'n n vs over under into".split())  # fmt: skip
"""Lower-case words that a name may hold between its capitals."""
_PARTICLES = frozenset("de la le du des del della di da dos das van von der den zu bin ibn al el d' l'".split())
_NOT_NAME = re.compile(
    r"https?:|www\.|@|\\|[{}<>=|^$]|::|\(\)|_|\.(?:md|txt|ps1|psm1|psd1|py|js|ts|json|ya?ml|xml|csv|html?|exe|dll|pdf|"
    r"docx?|xlsx?|pptx?|png|jpe?g|gif|svg|zip|sh|toml|ini|cfg|log)\b|\w/\w.*/|^[-/.]",
    re.I,
)
_NUMBERED = re.compile(r"[A-Z][a-z]+\d{2,}")
_CODE = re.compile(r"[A-Z]{1,6}-?\d[\w-]*|\d[\w.,:/-]*|[A-Z]\w*-?v?\d+(?:\.\d+)+|[IVXLC]+\.?|[A-Z]\.?|v\d.*")
_COMMAND = re.compile(
    r"(?:Add|Clear|Close|Connect|Convert|ConvertFrom|ConvertTo|Copy|Debug|Disable|Disconnect|Enable|Enter|Exit|Export|"
    r"Find|ForEach|Format|Get|Group|Import|Install|Invoke|Join|Limit|Measure|Move|New|Out|Pop|Publish|Push|Read|Receive|"
    r"Register|Remove|Rename|Reset|Resolve|Restart|Restore|Resume|Save|Select|Send|Set|Show|Sort|Split|Start|Stop|"
    r"Suspend|Tee|Test|Trace|Uninstall|Unregister|Update|Use|Wait|Where|Write)-[A-Z]\w+"
)
OPENING_VERBS = frozenset(
    "add aggregate allow apply ask avoid book browse build call change check choose click close complete configure "
    "connect consider "
    "contact copy create customize define delete deploy describe disable discuss display download drop edit email "
    "enable enter exit explore export fill find follow force get give go help ignore import include insert install "
    "invite invoke "
    "join keep learn let list load log look make manage map merge move name note open paste pick prepare "
    "press print read "
    "reduce refer register remove rename replace report request reset restart return review run save schedule "
    "search see "
    "select send set share show sign sort specify start stop submit switch talk tell test try turn type "
    "uninstall update "
    "upgrade upload use verify view visit vote wait want watch work write track notify mention message ping post reply "
    "attend edited founded organized attended redesignated inactivated activated assigned listed born "
    "accepted agreed announced appointed approved asked completed confirmed created decided discussed drafted elected "
    "finished hired invited merged moved notified postponed prepared proposed published rejected released requested "
    "resolved reviewed scheduled selected sent shared updated voted established co-founded cofounded launched joined "
    "received helped served worked built led raised acquired introduced supported secured developed designed directed "
    "managed hosted taught advised funded headed chaired criticized praised visited".split()
)
"""Verbs that open an instruction, or a line on what was done; the capital is the sentence's."""
_PAST = re.compile(
    r"[a-z]{3,}ed|bought|sold|built|won|lost|paid|made|said|says|took|grew|rose|fell|became|left|led|began|spent|sent|met"
)
"""Behind a name: what it did, which the tagger took for a part of it."""
_DOTTED = re.compile(r"[.:]\w|[-_$(\[\\/=]\w|\(\)|::")
"""Behind a name: it is the first part of an identifier or a path."""
_BOUND = frozenset("._$\\@#=")
_RANKS = "Admiral|Captain|Colonel|General|Judge|Lieutenant|Major|Miss|Reverend|Senator|Governor"
_RANK = re.compile(rf"\b(?:{_RANKS}) $")
_OFFICER = re.compile(rf"(?:{_RANKS}) (?P<name>[A-Z][a-z]+)")
"""Who has a rank, whom the tagger takes for a body: *General Lind*."""
_GENERAL = frozenset(
    "Accident Advocate Agreement Assembly Atomics Catalogue Convention Counsel Dynamics Election Electric Foods Fund "
    "General Land League Leagues Ledger Lighting Manager Mills Motor Overview Partner Public Purpose Scholarship Staff "
    "Staffs Store Strike Synod".split()
)
"""What else stands behind these ranks: *General Mills*, *Major League*."""
_OF_ANY = (" of the City", " of the County", " of the State", " of the Town")
_DISEASES = re.compile(
    r"(?:COVID(?:-19)?|SARS(?:-CoV(?:-\d)?)?|MERS|HIV|AIDS|H\d+N\d+|Ebola|Covid-19|Coronavirus)", re.I
)
_AND_OR_SUFFIX = re.compile(r", (?:(?:Inc|Ltd|LLC|Co|Corp|PLC)\b|L\.|P\.|S\.|N\.|D\.C)|\band\b|&[^,]*$")
_PEOPLE = re.compile(rf" (?:{'|'.join(sorted(words.DEMONYMS))})s$")
"""A people, behind somebody's name of which the sentence before says something: *before Alexander Greeks came*."""
_I_AM = ("i'm", "i’m")
_OPENS = re.compile(r"(?:^|[-–—:] )[\s\"'“‘(`]*$")
_LICENSE = re.compile(
    r"(?:Creative Commons )?\bAttribution(?:[- ](?:NonCommercial|ShareAlike|NoDerivs|NoDerivatives|Share Alike))+"
    r"(?: \d\.\d)?(?: (?:International|Unported|Generic))?(?: Public)?(?: Licen[cs]e)?|"
    r"Creative Commons (?:Attribution|Zero)(?: \d\.\d)?(?: (?:International|Unported|Generic))?(?: Licen[cs]e)?|"
    r"(?:GNU )?(?:Lesser |Affero )?General Public Licen[cs]e"
)
_LICENSED = ("Attribution", "Creative Commons", "General Public Licen")
"""Every one of them has one of these: what has none is not looked at further."""
_THROUGH = re.compile(r" (?:over|via|on|in|using|through) (?P<by>[A-Z]\S*(?: [A-Z]\S*)?)$")
"""Behind a body: by what it meets, *the Core Team over Zoom*."""
OF_SPEAKER = re.compile(r"(?:^|[.!?;] |\n[-*+ \t]*)[A-Z][\w.'’-]*(?: (?:(?:and|&|/) )?[A-Z][\w.'’-]*){0,3}: $")
"""Before what somebody is to do: *Erin: Find Acme numbers*."""
_PAPER = re.compile(r"(?: (?:Action|Actions|Candidate|Nominee|Bio|Biography|Profile|Statement|Candidacy|Nomination))+$")
"""Behind a person in a heading: what the text is."""
_SOME_OF = re.compile(
    r"(?:Admirers|Advisers|Advisors|Alumni|Analysts|Backers|Citizens|Clients|Colleagues|Competitors|Copies|Critics|"
    r"Customers|Directors|Employees|Executives|Fans|Followers|Graduates|Inhabitants|Investors|Lawyers|Leaders|Managers|"
    r"Members|Officials|Opponents|Owners|Parts|Photographs|Photos|Pictures|Readers|Representatives|Residents|Rivals|"
    r"Shareholders|Shares|Spokesmen|Staff|Students|Subscribers|Subsidiaries|Supporters|Survivors|Users|Victims|"
    r"Viewers|Visitors|Workers) (?:of|at|from) (?:the )?(?=[A-Z])"
)
"""At the start of a sentence, before a name: some who have to do with what is called so, *Critics of Orm Group*."""
_RULER = re.compile(rf"(?:[Tt]he )?{words.RANK_OF}(?=[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?$)")
_CHAIR = re.compile(r"(?:[Tt]he )?(?:Co-)?(?:Chair|Chairs|Secretary|Members|Member) of the (?=[A-Z])")
"""Before a body: who somebody is there."""
_CODE_BEFORE = re.compile(r"\bCode of $")
_WITH_COMMAS = frozenset({"Work", "Law", "Event"})
"""Types whose names may hold a comma; of an organization it stands before a suffix."""
_ENTITY_KINDS = frozenset({"Person", "Organization", "Location", "Facility"})
_ASKING = frozenset("how what why when where which".split())
"""Words that open titles, not names of bodies or persons: ``How We Relate to Partners``."""
_COMPOUND = re.compile(
    r".+-(?:specific|based|only|compatible|like|style|related|aware|issued|led|owned|wide|free|ready|assisted|driven|"
    r"powered|first|native|generated|enabled|friendly|[Oo]rgani[sz]ed|run|agnostic|neutral|centric|oriented|hosted|managed|focused)"
)
"""An adjective made of a name: ``Windows-specific``."""
_PRONOUNS = frozenset("i he she it we they you who me him us them mine ours yours himself herself itself".split())


_SPOKEN = re.compile(r"(?:(?:Quoth|Says|Cried|Hilloa|Hullo|Hallo|Hello|Ah|Nay|Yea|Aye|Alas),? )+(?=[A-Z])")
"""What stands before a name in dialogues: *Quoth Dick*, *Hilloa, Guest*."""
_DASHES = re.compile(r",?--(?=\w)")
"""A dash of plain text: *London,--a thing*."""


_BEFORE_VERBS = frozenset(("Facility", "Location", "Person"))
_VERB_WITHIN = re.compile(r" (?:is|was|were|has|had) (?=[A-Z])")
"""A verb between two names that the tagger takes for one: *Otto I was King of Tarn*."""


def cleaned_spans(text: str, start: int, end: int, type_: str) -> list[TaggedSpan]:
    """What of a tagged ``text[start:end]`` is a name: none, one, or several that commas part."""
    while start < end and _EDGE.match(text, start):
        start += 1
    if (timed := _TIME.match(text, start, end)) is not None:
        start = timed.end()
    if type_ == "Person" and (spoken := _SPOKEN.match(text, start, end)) is not None:
        start = spoken.end()
    if type_ in _BEFORE_VERBS and (verb := _VERB_WITHIN.search(text, start, end)) is not None:
        end = verb.start()
    if type_ == "Person" and (rank := _RULER.match(text, start, end)) is not None:
        start, type_ = rank.end(), "Location"  # "Earl of Orm", of whom the place alone is a name
    if type_ == "Organization" and _opens(text, start) and _SOME_OF.match(text, start, end) is not None:
        return []  # the capitals behind it are the name
    edge = _EDGE.search(text, start, end) or _DASHES.search(text, start, end)
    if edge:
        end = edge.start()
    licenses = _LICENSE.finditer(text) if any(word in text for word in _LICENSED) else ()
    license = next((one for one in licenses if one.start() < end and start < one.end()), None)
    if license is not None:
        return [TaggedSpan(license.start(), license.end(), "License")]
    if type_ in ("Law", "Organization", "Work") and (chair := _CHAIR.match(text, start, end)):
        start, type_ = chair.end(), "Organization"
    officer = _OFFICER.match(text, start, end) if type_ == "Organization" else None
    if officer is not None and officer.end() == end and officer["name"] not in words.ORGANIZATION_HEADS | _GENERAL:
        return cleaned_spans(text, officer.start("name"), end, "Person")
    if type_ == "Organization":
        start = _with_code(text, start)
    listed = ", " in text[start:end] and type_ not in _WITH_COMMAS
    if listed and type_ == "Organization" and (campus := _campus(text[start:end])):
        return [TaggedSpan(end - len(campus), end, type_)]
    if listed and (type_ != "Organization" or _AND_OR_SUFFIX.search(text[start:end]) is None):
        return _parted(text, start, end, type_)
    for sign in _BETWEEN_NAMES:
        if type_ != "Work" and sign in text[start:end] and _parts_names(sign, text[start:end], type_):
            place = start
            found: list[TaggedSpan] = []
            for piece in text[start:end].split(sign):
                found += cleaned_spans(text, place, place + len(piece), type_)
                place += len(piece) + len(sign)
            return found
    while (last := text[start:end].rstrip().rpartition(" "))[0] and last[2] in capitals.MODALS:
        end = start + len(last[0])
    start, end = trimmed_span(text, start, end, type_)
    if type_ == "Organization" and (through := _THROUGH.search(text, start, end)) and is_known_software(through["by"]):
        end = through.start()
    if type_ == "Person" and (paper := _PAPER.search(text, start, end)) and " " in text[start : paper.start()]:
        end = paper.start()
    if type_ == "Person" and (people := _PEOPLE.search(text, start, end)) is not None:
        end = people.start()
    if not is_name(text[start:end], type_):
        return []
    name = text[start:end]
    if type_ == "Organization" and (body := posts.without_post(name)):
        return [TaggedSpan(start, start + len(body), type_)]
    if _DISEASES.fullmatch(name):
        return [TaggedSpan(start, end, "Concept")]
    if type_ in _ENTITY_KINDS and _CODE.fullmatch(name):
        return []
    return [TaggedSpan(_with_ordinal(text, start, name), end, type_)]


_ORDINAL = re.compile(r"(?<![\w.-])\d{1,4}(?:st|nd|rd|th|d) $")


def _with_ordinal(text: str, start: int, name: str) -> int:
    """Where the name of a unit of troops begins, of which its number is a part: *the 101st Airborne Division*."""
    if not capitals.is_unit(name):
        return start
    found = _ORDINAL.search(text, max(0, start - 8), start)
    return start if found is None else found.start()


_BETWEEN_NAMES = (" / ", " + ", " - ", " – ", " — ", ": ", " v ", " vs ", " vs. ", " to ", " and ")
"""What may stand between two names that the tagger takes for one."""
_OF_PERSONS = frozenset({": ", " v ", " vs ", " vs. ", " to "})
"""Of those, the ones that part nothing but persons: *Ann: Bob will write*, *Ann vs Bob*."""
_LETTERS = re.compile(r"[A-Z]{2,5} / [A-Z]{2,5} ")


def _parts_names(sign: str, name: str, type_: str) -> bool:
    """Whether a sign stands between two names in what the tagger takes for one of a type."""
    if type_ == "Person" and sign != " and ":
        return True
    if sign == " and ":
        return _are_two(name, type_)
    if sign == " + ":  # "KubeCon + CloudNativeCon"
        return type_ == "Organization" and all(map(_is_whole_body, name.split(sign)))
    if sign == " / ":  # "AI / ML Working Group" is one
        return not (_LETTERS.match(name) and name.count(sign) == 1 and _is_whole_body(name))
    return sign not in _OF_PERSONS


def _are_two(name: str, type_: str) -> bool:
    """Whether *and* stands between the names of two bodies: *Lamp Committee and Oil Board*, not *Lamp and Oil Board*."""
    left, _, right = name.partition(" and ")
    if is_known_software(left) and is_known_software(right):
        return True  # "Google Meet and Zoom"
    if type_ == "Organization" and right in _MERE_BODIES and left.startswith("The ") and left[-1] == "s":
        return True  # "The Lamps and Board": a lone word is the board of a body named before
    if type_ == "Organization" and left.rpartition("he ")[2] in _LONE_BODIES and right in _LONE_BODIES:
        return True  # "the Project and Foundation"
    if type_ == "Person":
        return _OF_REALM.fullmatch(left) is not None
    if type_ != "Organization" or " " not in left or " " not in right:
        return False
    first, second = left.split(), right.split()
    of = first[0] in words.OF_HEADS and second[0] in words.OF_HEADS and second[1] in ("of", "for")
    return of or (_is_whole_body(left) and _is_whole_body(right))


_OF_REALM = re.compile(r"[A-Z]\w+(?: [IVX]+)? of [A-Z]\w+")
"""Somebody called after a realm: *Otto I of Tarn and Ann of Orm* are two."""
_MERE_BODIES = frozenset("Board Committee Council Staff".split())
_LONE_BODIES = words.GENERIC_HEADS - {"Fund", "Trust", "Bank"} | {"Agency", "Foundation", "Project", "Senate", "Team"}
"""Words that mean a body of which a text spoke before."""
_BOARD = re.compile(r"(?:[A-Z]\S* ){0,4}Board of (?:Commissioners|Directors|Governors|Management|Regents|Trustees)")


def _is_whole_body(name: str) -> bool:
    """Whether a name ends as that of a body: *Lamp Committee*, *Core Team*, *Board of Directors*."""
    last = name.rpartition(" ")[2]
    return last in words.ORGANIZATION_HEADS or last in ("Team", "Staff", "WG") or _BOARD.fullmatch(name) is not None


_CAMPUS = re.compile(
    r"(?:[Tt]he )?(?P<name>University of (?P<state>[A-Z]\w+(?: [A-Z]\w+)?), (?P<town>[A-Z]\w+(?: [A-Z]\w+)?))"
)


def _campus(name: str) -> str:
    """The university of a state in one of its towns, *the University of Ohio, Reno*, without an article; empty for any other
    name."""
    found = _CAMPUS.fullmatch(name)
    whole = found is not None and is_administrative(found["state"]) and not is_administrative(found["town"])
    return found["name"] if found is not None and whole else ""


def _with_code(text: str, start: int) -> int:
    """Where a body's name begins that the tagger cut: *Code of Conduct Committee*."""
    found = _CODE_BEFORE.search(text, max(0, start - len("_Code of ")), start)
    return found.start() if found is not None else start


def _parted(text: str, start: int, end: int, type_: str) -> list[TaggedSpan]:
    found: list[TaggedSpan] = []
    place = start
    for piece in text[start:end].split(", "):
        if piece.rstrip(".") in ("Jr", "Sr", "Inc", "II", "III", "D.C", "DC") and found:
            found[-1] = TaggedSpan(found[-1].start, place + len(piece), type_)
        else:
            found += cleaned_spans(text, place, place + len(piece), type_)
        place += len(piece) + 2
    return found


def trimmed_span(text: str, start: int, end: int, type_: str) -> tuple[int, int]:
    """The span without signs, determiners, titles, possessives and joining words at its ends; empty where all goes."""
    changed = True
    while changed and start < end:
        before = (start, end)
        while start < end and (text[start] in _LEAD or text[start].isspace()):
            start += 1
        while start < end and (text[end - 1] in _TRAIL or text[end - 1].isspace()):
            end -= 1
        start, end = _balanced(text, start, end)
        if text[start:end].endswith(" +"):
            end -= 2  # "KubeCon + CloudNativeCon", cut between them
        if (
            end > start
            and text[end - 1] == "."
            and (
                not _ABBREVIATED.search(text[start:end])
                or (end == len(text.rstrip()) and _REGNAL.search(text, start, end))
            )
        ):
            end -= 1
        possessive = _POSSESSIVE.search(text[start:end])
        if possessive and possessive.start() > 0:
            end = start + possessive.start()
        tokens = [(start + found.start(), found.group()) for found in _TOKEN.finditer(text[start:end])]
        if len(tokens) > 1:
            first = tokens[0][1]
            opens = _opens(text, start)
            if _drops_first(first, tokens[1][1], type_, opens):
                start = tokens[1][0]
            elif tokens[-1][1] in _INNER | _DETERMINERS or (
                tokens[-1][1].islower()
                and (
                    tokens[-1][1].rstrip(".,") in words.NOT_NAMES
                    or (type_ == "Product" and tokens[-1][1].isalpha())  # "JEA DSC resource"
                    or (type_ in _ENTITY_KINDS and _PAST.fullmatch(tokens[-1][1]) is not None)
                )
            ):
                end = tokens[-1][0]
        changed = (start, end) != before
    return start, end


def _opens(text: str, start: int) -> bool:
    """Whether a name stands where a sentence, or what somebody is to do, begins: its first capital shows nothing."""
    return start == 0 or text[:start].strip(" \"'“‘(`") == "" or OF_SPEAKER.search(text[:start]) is not None


def _drops_first(first: str, second: str, type_: str, opens: bool) -> bool:
    """Whether the first of several words is none of the name's: ``the``, ``President``, a word that only leads."""
    bare = first.rstrip(".,").lower()
    if bare in _DETERMINERS:
        # "The Washington Post" keeps its article, "The Office of the President" has none of its own.
        body = type_ == "Organization" and second in words.OF_HEADS
        return first.islower() or (opens and type_ != "Work") or bare != "the" or body
    if type_ == "Person" and bare in _I_AM:
        return True
    if type_ == "Person" and bare in _TITLES and (first[0].isupper() or first.islower()) and second[0].isupper():
        return True
    if first.islower():
        return bare not in _PARTICLES
    if opens and type_ != "Work" and (bare in OPENING_VERBS or (bare.endswith("ing") and len(bare) > 5)):
        return True
    return opens and bare in words.WEAK_STARTS and first[0].isupper() and type_ not in ("Work", "Event", "Law")


def _balanced(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without what lies beyond a bracket or quotation that is only opened or only closed in it."""
    for opening, closing in ("()", "[]", "“”"):
        inside = text[start:end]
        if inside.count(opening) > inside.count(closing):
            return start, start + inside.rfind(opening)
        if inside.count(closing) > inside.count(opening):
            return start + inside.find(closing) + 1, end
    if text[start:end].count('"') == 1:
        place = start + text[start:end].index('"')
        return start, place if place > start else end
    return start, end


def is_name(name: str, type_: str = "") -> bool:
    """Whether a text can be a name at all: no pronoun, file, path, address, code, month or common word."""
    lowered = name.lower().rstrip(".")
    if len(name) < 2 or len(name) > 100 or not any(char.isupper() for char in name) or _NOT_NAME.search(name):
        return False
    if _COMMAND.search(name) or lowered in _PRONOUNS or lowered in _TITLES or lowered in _DETERMINERS:
        return False
    if name in MONTH_NAMES or _NUMBERED.fullmatch(name) or lowered.split()[0] in ("http", "https"):
        return False
    tokens = name.split()
    if len(tokens) > 1 and tokens[0].lower() in _ASKING and type_ in _ENTITY_KINDS:
        return False
    if len(tokens) == 1 and _COMPOUND.fullmatch(name):
        return False
    if type_ == "Organization" and any(sign in name for sign in (" or ", "--", ": ", " is ", " was ")):
        return False
    if name.endswith(_OF_ANY):
        return False  # "Supreme Court of the State": of which is not said
    if len(tokens) > 12 or (type_ in _ENTITY_KINDS and not any(_capital(token) for token in tokens)):
        return False
    if len(tokens) == 1 and name not in PLACES:
        return lowered not in words.NOT_NAMES and lowered not in words.WEAK_STARTS
    return not all(token.lower().strip(".,") in words.NOT_NAMES | words.WEAK_STARTS for token in tokens)


def _capital(token: str) -> bool:
    return any(char.isupper() for char in token)


def name_proposals(
    text: str,
    found: Sequence[capitals.CapitalsSpan],
    tags: Sequence[TaggedSpan],
    quantities: Sequence[tuple[int, int]] = (),
) -> list[capitals.CapitalsSpan]:
    """Capitals and tags brought together: candidates in order, none overlapping, with the tagger's types.

    Where both see a name, the wider one wins if its own words show that it is one (``Robert C. Byrd Education Center``,
    tagged as two) and else the tagger's.
    """
    used: list[capitals.CapitalsSpan] = []
    left = [
        part
        for candidate in found
        if is_name(candidate.text)
        for part in bodies_apart(_without_post(_without_party(text, candidate)))
    ]
    for tag in sorted(tags):
        over = [candidate for candidate in left if candidate.start < tag.end and tag.start < candidate.end]
        wide = next(
            (c for c in over if c.start <= tag.start and tag.end <= c.end and (c.start, c.end) != (tag.start, tag.end)),
            None,
        )
        if wide is not None and _whole(wide):
            used.append(wide)
        elif (bare := _without_article(text, tag, over)) is not None:
            used.append(bare)
        else:
            initial = not text[: tag.start].strip(" \"'“‘(`")
            titled = any(candidate.titled and candidate.start == tag.start for candidate in over)
            titled = titled or (
                tag.type == "Person" and _RANK.search(text, max(0, tag.start - 12), tag.start) is not None
            )
            used.append(
                capitals.CapitalsSpan(tag.start, tag.end, text[tag.start : tag.end], initial, titled, tag=tag.type)
            )
    chosen: list[capitals.CapitalsSpan] = []
    for candidate in sorted(used, key=lambda one: (one.start - one.end, one.start)):
        if all(candidate.end <= other.start or candidate.start >= other.end for other in chosen):
            chosen.append(candidate)
    for candidate in left:
        if any(candidate.start < other.end and other.start < candidate.end for other in chosen):
            continue
        if any(candidate.start < end and start < candidate.end for start, end in quantities):
            continue
        chosen.append(candidate)
    chosen = [
        one
        for one in chosen
        if not _DOTTED.match(text, one.end) and text[max(0, one.start - 1) : one.start] not in _BOUND
    ]
    chosen.sort(key=lambda one: one.start)
    return chosen


def bodies_apart(candidate: capitals.CapitalsSpan) -> list[capitals.CapitalsSpan]:
    """A run of capitals as the names of the two bodies that *and* joins in it."""
    left, _, right = candidate.text.partition(" and ")
    if not right or not _are_two(candidate.text, "Organization"):
        return [candidate]
    end = candidate.start + len(left)
    other = replace(candidate, start=end + len(" and "), text=right, initial=False, titled=False)
    return [replace(candidate, end=end, text=left), other]


def _without_article(text: str, tag: TaggedSpan, over: Sequence[capitals.CapitalsSpan]) -> capitals.CapitalsSpan | None:
    """A body behind the article that opens a sentence or an explanation: ``W3C - The World Wide Web Consortium``."""
    if not text.startswith("The ", tag.start) or _OPENS.search(text[: tag.start]) is None:
        return None
    for one in over:
        if (one.start, one.end) == (tag.start + len("The "), tag.end) and _whole(one):
            return capitals.CapitalsSpan(one.start, one.end, one.text, False, one.titled, tag.type)
    return None


def _without_party(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan:
    """``D-Ariz.`` as the state."""
    short = candidate.text[2:].rstrip(".")
    if re.match(r"[DRI]-[A-Z]", candidate.text) is None or short not in ABBREVIATIONS:
        return candidate
    start = candidate.start + 2
    end = start + len(short) + (text[start + len(short) : start + len(short) + 1] == ".")
    return capitals.CapitalsSpan(start, end, text[start:end], False, tag="Location")


def _without_post(candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan:
    body = posts.without_post(candidate.text)
    return replace(candidate, end=candidate.start + len(body), text=body) if body else candidate


def _whole(candidate: capitals.CapitalsSpan) -> bool:
    """Whether the words of a run of capitals show that it is one name."""
    shown = capitals.type_cue(candidate.text, candidate.titled)
    return shown is not None and shown[0] in ("Organization", "Law") and shown[1] >= 0.7


_OF_LIFE = frozenset({"BORN_IN", "LIVES_IN", "DIED_IN", "KILLED_IN"})
_STATE = re.compile(r", (?P<name>[A-Z][\w]*\.?(?:(?: ?[A-Z]\.)+|(?: [A-Z]\w+)*))")


def whole_end(text: str, start: int, end: int, fact_type: str) -> tuple[int, int]:
    """The end of a fact as a reader marks it: ``President Lincoln``; born in ``Point Pleasant, Ohio``.

    Where somebody was born or lives is one place with its state; that a place lies in a state is said of two.
    """
    if text[:start].endswith("President "):
        start -= len("President ")
    found = _STATE.match(text, end) if fact_type in _OF_LIFE else None
    if found is not None:
        name = found["name"]
        while name and not is_administrative(name):
            name = name.rpartition(" ")[0]
        if name:
            end = found.start("name") + len(name)
            if end == len(text.rstrip()) and name.endswith(".") and "." not in name[:-1]:
                end -= 1  # the sentence's own stop
    return start, end
