"""The type of what a page is about: by its title's bracket, its lead, the words of its name, its folder.

Used for the subjects of pages (``pages``); pure.
"""

from __future__ import annotations

import re

from kgfs.documents.dates import MONTH_NAMES
from kgfs.documents.identifiers import code_shape
from kgfs.extraction.names import capitals, software
from kgfs.extraction.names.declared.filed_types import folder_type, has_only_ordinary_words
from kgfs.extraction.names.declared.occasions import is_occasion
from kgfs.extraction.names.declared.titles import ENDPOINT, Title, is_case, is_instruction
from kgfs.extraction.names.kinds import SaidKind, called_type, definition_type, introduced_type, used_type, written_type
from kgfs.extraction.names.people.name_words import PARTICLES, may_be_somebody
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import noun_type, phrase_type
from kgfs.extraction.names.wordlists.places import is_place_name
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO, is_known_software, well_known_type

_BIRTH = 120
"""Letters of a lead that opens with somebody's birth: *Born in Oslo, Ada Lovell studied …*."""
_PROPER = frozenset({"Organization", "Person", "Facility", "Product", "Event"})
"""Types whose names are written with capitals."""
_NAMED = frozenset({"Facility", "Law", "Location", "Work"})
"""Types that the head of a phrase in small letters says of no thing: no *series* is meant there."""
_BUILT = frozenset({"Product", "Technology"})
_PLACES = frozenset({"Location", "Facility"})
OWN = frozenset({"Organization", "Person", "Location", "Facility", "Work", "Event", "Product", "Law"})
"""Types of what has a name of its own: what texts call *a module* is none of them."""
_LIFE = re.compile(
    r"\((?:[^()]{0,80}[ ,;])?(?:born\b|(?:born |b\. |c\. )?(?:\d{1,2} )?(?:[A-Z][a-z]+ )?(?:\d{1,2}, )?\d{3,4}\s*[–—-])"
)
_BORN = re.compile(
    rf"\([^()]{{0,120}}(?:\bborn\b|\bb\. \d|\b(?:{'|'.join(sorted(MONTH_NAMES))})\b[^()]{{1,20}}[–—-]"
    r"[^()]{0,30}\d{4}(?:,? (?:in |at )?[^\W\d_][^()\d]{1,40})?\))"
)
_CODE_PATH = re.compile(
    r"[a-z_]\w*\.(?:[a-z_]\w*\.)*(?!(?:com|org|net|io|dev|app|js|ts|md|txt|json|ya?ml|toml|html?|css|sh|cfg|ini|xml|csv)$)(?P<last>[A-Za-z_]\w+)"
)
"""``lamps.config.LampLoader``: of a reference of a program's code."""
_SCOPED = re.compile(r"[A-Z]\w*(?:::[A-Z]\w*)+")
"""``Lamp::Wick``."""
_SELF = re.compile(r"(?:(?:Hi|Hello|Hey)\b[^.]{0,30}?[,!] )?(?:I am|I'm|I’m|I have|I've|I work|I live|My name is) ")
_REIGNED = re.compile(
    r"(?: \([^()]*\))?,? (?:reigned|ruled|served) as (?:the )?(?:[a-z-]+ )?"
    r"(?:[Kk]ing|[Qq]ueen|[Ee]mperor|[Ee]mpress|[Dd]uke|[Pp]rince|[Pp]resident|[Gg]overnor|[Mm]ayor|"
    r"[A-Za-z ]*[Mm]inister)\b"
)
"""Behind somebody's name: *Otto IV reigned as King of Tarn*."""
_SERVED = re.compile(
    r"(?P<name>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]*){1,4}),? "
    r"(?:(?:has|had) )?(?:served|serves|worked|works|reigned) as (?:an? |the )?(?P<post>[\w'’ -]{3,60}?)"
    r"(?= (?:at|for|from|in|of|on|to|under|with)\b|[,.;]|$)"
)
"""*Ann Lee has served as Chief Lamp Officer*."""
_LIES = re.compile(
    r"(?: \([^()]{1,30}\))?,?(?: in [^,.]{3,40},?(?: [A-Z]\w+)?)? "
    r"(?:(?:is|was) (?:located|situated)|flows|lies|rises|stands) "
)
"""Behind the name of a place: *Orm River rises in the hills*."""
_OPUS = re.compile(r"(?:[A-Z][a-z]+ )?(?:Octet|Quartet|Quintet|Septet|Sextet|Trio) (?:No\.|in [A-G]\b)")
"""*String Quartet No. 14*: what is played, not who plays."""
_PLURAL = re.compile(r"(?<!s)(?<!serie)(?<!specie)s$")
"""*Breed standard (dogs)*: a field, not what it is."""
_SEVERAL = frozenset("calls conferences conventions events meetings meetups sessions talks workshops".split())
"""What a page tells of that are several, none of them an event by that name: *Regular Events*."""
_FAMILY = re.compile(r"[A-Z][a-z]{3,}(?:aceae|idae|inae|oidea)")
"""How families of living things are called: *Lampidae*."""
_BY_HEAD = frozenset(("Command", "Organization", "Product", "Work"))
"""Types that a plural head says of no name: *Google Groups*, *Lamp Recordings*."""
_ON_A_BODY = re.compile(
    r"\S+(?: \S+){0,3} (?:by|from|to|with) (?:our|the) |"
    r"(?:Call|Candidates|Charter|Elections?|Nominations|Report|Results|Update|Vote|Voting)\b.* (?:for|of) (?:our|the) "
)
"""What is told of a body, over a text: *Gratitude from the Lamp Team*, *Election for the Lamp Council*."""
_YEAR = re.compile(r"^(?:19|20)\d\d\b|\b(?:19|20)\d\d$")
_NO_VERB = re.compile(
    r"An? (?:(?:[A-Z][a-z]+ )?[a-z][\w-]*,? ){1,6}?"
    r"(?:for|to|that|which|written|used|in|with|of|on|from|near|by|about)\b"
)
"""A lead that only says what the title is: *A command line utility to manage lamps*."""
_ANY_EVENT = re.compile(r"is (?:an?|any) (?:[\w-]+ ){0,3}(?:attack|meeting|ceremony|process|incident)\b")
"""What a lead says of something that may happen at any time, and is no event of a name."""
_OF_OTHERS = re.compile(r" (?:of|with|for) ")
"""Behind the head of a name: *Versioning of Lamp Software* is no software."""
_PLACED = frozenset("in at on from with about under".split())


_SO_MANY = re.compile(r"are (?:two|three|four|five|six|seven) ")
"""*The Lee sisters are two singers*."""
_QUARTER = re.compile(r"(?:19|20)\d\d[ -](?:Q[1-4]|H[12])\b|\b(?:Q[1-4]|H[12])[ -](?:19|20)\d\d\b")


_RELEASE = re.compile(r"(?:[A-Z][\w.+-]*[ -]){1,3}v?\d+(?:\.\d+){1,3}(?:[ -]?(?:alpha|beta|rc)[ .]?\d*)?")
"""*Lampshell 0.30*."""
_RELEASED = re.compile(r"(?i)\b(?:releas(?:e|es|ed|ing)|version|changelog|upgrade)\b")


def page_type(given: Title, lead: str, path: str, said: SaidKind | None) -> str:
    """The type that a page shows; of what the lead uses as a common noun (*a module is a unit*) it is no thing's."""
    found = _shown_type(given, lead, path, said)
    if said is not None and found == "Concept" and len(given.words) == 1 and code_shape(given.base):
        noun = said.kind.rpartition(" ")[2]
        found = "Setting" if noun in ("setting", "option", "parameter", "variable", "flag") else found
    if found == "Event" and is_occasion(given.text):
        return found
    if found in ("", "Concept", "Organization") and _QUARTER.search(given.base):
        return "Work"  # "2023 Q2 Lamp Safety WG", which says how the group did then
    if found in ("", "Concept") and _RELEASE.fullmatch(given.base) and _RELEASED.search(lead):
        return "Product"
    if found == "Organization" and _OPUS.match(given.base):
        return "Work"
    if found in ("Person", "Location", "Group") and "in" in given.words[1:-1]:
        people = given.words[0] in words.DEMONYMS or given.words[0].removesuffix("s") in words.DEMONYMS
        if people or found == "Person":
            return "Group" if people else "Concept"  # "Chinese in Samoa"
    if found == "Person" and _names_several(given):
        return "Concept"  # "Lamp Bundle, lamp bundle and Lampfile"
    if found == "Person" and said is not None and re.search(rf"(?i){re.escape(given.base)}s\b", lead[: said.start]):
        return "Concept"  # "Lead Lamp Researchers are …"
    if found == "Organization" and said is None and _names_fields(given, lead):
        return "Concept"
    if said is not None and found in _BY_HEAD | _SHOWN and _is_sort_of_thing(given, lead[said.start :]):
        return "Concept"
    small = found in _PROPER and _is_written_small(given, found) and not software.is_software(given.base)
    small = small and not _is_named_team(given, lead)
    small = small or (found in _NAMED and given.base == given.base.lower())  # "convergence of series"
    if small and (said is None or said.type != found):
        return "Concept"
    if said is None or found not in OWN or (found != "Person" and phrase_type(given.base, reach=1) == found):
        return found
    return "Concept" if _is_common(given, lead[: said.start], found) else found


def _names_several(given: Title) -> bool:
    """Whether a title joins names, by a comma or *and*, which the name of somebody has only before a rank or within
    lands: *Sophie, Duchess of Orm*, *Otto of Orm and Tarn*."""
    if "and" in given.words and "of" not in given.words[: given.words.index("and")]:
        return True
    return "," in _OF_RANK.sub("", given.base)


_OF_RANK = re.compile(rf", (?:{words.RANK_OF}|(?:Jr|Sr)\b|(?:Lord|Lady|\d+(?:st|nd|rd|th)) [A-Z]|I{{1,3}}$)")


def _is_sort_of_thing(given: Title, said: str) -> bool:
    """Whether a title in small letters names all of a sort, by its lead: *Lamp channels* "are …", no body that has the
    name; *Lamp doubling* "is an attack", one that anybody can make, and no event."""
    small = given.base[1:] == given.base[1:].lower() and " " in given.base
    several = said.startswith("are ") and not _SO_MANY.match(said)
    return small and (several or _ANY_EVENT.match(said) is not None)


def _names_fields(given: Title, lead: str) -> bool:
    """Whether a title joins two things and its lead does not name it: *Healthcare and Disability Insurance* is no firm,
    though its last word may be one's."""
    whole = given.base.lower() in lead.lower() or given.words[0] in words.ORGANIZATION_HEADS
    return "and" in given.words[1:-1] and not whole


def _is_written_small(given: Title, type_: str) -> bool:
    """Whether a title is written as no name of this type is: *Financial administration* is no firm, *Ann Lee
    discography* nobody. *2005 Oregon Ducks football team* is a team, *Aspley bus station* a station."""
    rest = [word for word in given.words[1:] if word not in words.TITLE_SMALL | PARTICLES]
    if not any(word[:1].islower() for word in rest):
        return False
    if type_ == "Person" or given.base == given.base.lower():
        return True
    if type_ == "Facility":
        return rest != [] and rest[-1] == rest[-1].lower() and rest[-1].endswith("s")  # "Lamp libraries"
    if any(char.isdigit() for char in given.words[0]) or capitals.is_working_group(given.base):
        return False
    return not any(word[:1].isupper() for word in rest)


def _is_named_team(given: Title, lead: str) -> bool:
    """Whether a lead opens with a team or a service as with a name: *The Oil team builds*, not *The oil team*."""
    last = given.words[-1]
    return (
        len(given.words) > 1
        and (last in _BODIES or last in _SQUADS)
        and all(word[0].isupper() for word in given.words[:-1] if word not in words.TITLE_SMALL)
        and lead.startswith(f"The {given.base} ")
    )


def _is_common(given: Title, subject: str, type_: str) -> bool:
    """Whether a title is a common noun: in small letters where its lead names it, or no way to write a person."""
    small = [word for word in given.words if word == word.lower() and word not in words.TITLE_SMALL | PARTICLES]
    if type_ == "Person" and small and given.words[0] != given.words[0].lower():
        return True
    if type_ == "Organization" and given.words[-1].lower() in _BODIES and len(given.words) > 1:
        return False  # "the triage team" is one
    lowered = given.base.lower()
    small_rest = given.base[1:] == lowered[1:]
    if small_rest and re.fullmatch(rf"(?i)(?:an?|each|every) {re.escape(lowered)}\W*", subject):
        return True  # "A lamp is a package"
    if lowered == given.base:
        return False
    forms = {lowered, lowered.removesuffix("s"), f"{lowered}s"}
    return any(re.search(rf"(?:^|\W){re.escape(form)}(?:\W|$)", subject) is not None for form in forms)


_BOOKS = frozenset("checklist cookbook faq guidebook handbook manual reference".split())
_BODIES = frozenset("board committee council team".split())
_SQUADS = frozenset("chapter crew department desk division group guild service squad unit".split())
_SHOWN = frozenset(("Event", "Facility", "Law"))
_FIRST_WORDS = {
    "cape": "Location", "mount": "Location", "lake": "Location", "fort": "Facility", "operation": "Event",
    "hurricane": "Event", "cyclone": "Event", "typhoon": "Event",
}  # fmt: skip
"""The first word of a name, to the type of what is called so."""


_HAPPENED = re.compile(
    r"(?:Death|Deaths|Murder|Murders|Assassination|Killing|Shooting|Disappearance|Kidnapping|Execution|Lynching|Abduction|Funeral|Coronation|Wedding|"
    r"Abdication|Impeachment|Arrest|Suicide|Poisoning|Sinking|Fall|Siege|Capture|Trial) of (?:the )?(?=[A-Z])"
)
"""What happened to somebody or something of a name: *Death of Ann Lee*."""
_BREEDS = frozenset("cattle sheep goat pig horse pony donkey chicken duck goose".split())


def _head_type(given: Title) -> str:
    """The type that the head of a name shows where it is not its last word: *Battle of …*, *Cape …*."""
    head, of, _ = given.base.partition(" of ")
    if of and given.words[0][:1].isupper():
        found = phrase_type(head, reach=1)
        return found if found in _SHOWN else ""
    two = len(given.words) == 2 and given.words[1][:1].isupper()
    return _FIRST_WORDS.get(given.words[0].lower(), "") if two else ""


_TEAM = re.compile(
    r"(?:The|Our) (?P<name>\S+(?: \S+){0,4}?) (?:chapter|department|division|group|guild|office|squad|team|unit)"
    r"(?: (?:at|in|of|within) \S+(?: \S+){0,3}?)? (?:builds?|designs?|develops?|focus(?:es)?|handles|helps?|is|leads?|"
    r"maintains?|makes?|manages?|oversees|owns?|provides?|runs?|serves?|supports?|works?)\b"
)


_APPOSED = re.compile(
    r", (?:an?|the|our) (?P<kind>[^,.;:()]{3,60}), (?:is|was|has|can|(?!always\b|perhaps\b)[a-z]{2,}[^s\W]s)\b"
)
"""Behind the name of what a page is about: *Tarnstore, the document store behind Orm, is*."""
_OF_KIND = re.compile(r" (?:behind|beneath|for|from|in|of|that|to|which|with|within)\b")
_CALLED_TEAM = re.compile(r"Team [A-Z][\w-]+(?: [A-Z][\w-]+)?")
_OPERATES = re.compile(r"(?: \([A-Z]{2,8}\))? (?:operates|resides|sits) (?:within|under|as (?:a )?part of) ")
"""Behind the name of a body: *The Lamp Portfolio (LP) operates within Orm*."""


def _is_team(given: Title, lead: str) -> bool:
    """Whether a page opens with what the team does after which it is called, or within what it operates: *Orm Design*,
    "The Design team at Orm"."""
    found = _TEAM.match(lead)
    if found is not None:
        return f" {given.base}".endswith(f" {found['name']}")
    start = len(given.base) + 4 * lead.startswith("The ")
    return (
        len(given.words) > 1
        and all(word[0].isupper() for word in given.words if word not in words.TITLE_SMALL)
        and lead[:start].endswith(given.base)
        and _OPERATES.match(lead, start) is not None
    )


def _is_life(given: Title, lead: str, said: SaidKind | None) -> bool:
    """Whether a lead is about somebody: it says so, or when somebody was born."""
    told = said is not None and said.type == "Person"
    return told or (2 <= len(given.words) <= 5 and _LIFE.search(lead[:200]) is not None and said is None)


def _is_called(served: re.Match[str], given: Title) -> bool:
    """Whether a lead says by the title, initials apart, in what post somebody served: *Ann Lee* on *Ann I. Lee*."""
    own, other = ([part for part in one.split() if not part.endswith(".")] for one in (given.base, served["name"]))
    somebody = len(given.base.split()) > len(own) or phrase_type(served["post"].lower(), reach=1) == "Person"
    return own == other and len(own) > 1 and somebody


def _used_type(given: Title, lead: str) -> str:
    """What a name in capitals, or an address, is by a lead on who uses it."""
    proper = "." in given.base or (
        any(char.isupper() for char in given.base[1:]) and not has_only_ordinary_words(given)
    )
    return used_type(lead, given.base) if proper else ""


_PLACE_DEFINED = re.compile(
    r"An? (?P<kind>[a-z][a-z -]{2,40}?) (?:in|of|on|near|off) (?:the )?(?:[a-z-]+ (?:of )?(?:the )?){0,2}[A-Z]"
)
"""*A river in the west of Tarn*: of a place, and where it is."""


def _defined_types(given: Title, lead: str) -> frozenset[str]:
    """The types that a lead without a verb may say of a title: any of a name, *A river in the north* of *Isk*; of
    ordinary words in capitals those of a place, *Red Hill*, and of one alone only if no kind of thing is called so."""
    if not all(word[0].isupper() for word in given.words if word not in words.TITLE_SMALL | PARTICLES):
        return _BUILT
    if not has_only_ordinary_words(given):
        return OWN
    alone = len(given.words) == 1 and (noun_type(given.base.lower()) or given.base.lower() in words.NOT_NAMES)
    return _BUILT | _PLACES if _PLACE_DEFINED.match(lead) and not alone else _BUILT


def _shown_type(given: Title, lead: str, path: str, said: SaidKind | None) -> str:
    """By what the title's bracket says, the lead's kind, a life in brackets, the name's words, the folder."""
    if _SCOPED.fullmatch(given.base):
        return "Class"
    if (code := _CODE_PATH.fullmatch(given.base)) is not None:
        return "Class" if code["last"][0].isupper() else "Module"
    if ENDPOINT.fullmatch(given.base):
        return "Endpoint"
    if _HAPPENED.match(given.base):
        return "Event"  # whomever its lead is about
    if is_place_name(given.text) and (said is None or said.type in ("", "Concept", "Facility")):
        return "Location"  # whatever its page begins with: an airport, an office
    untold = said is None or said.type in ("", "Concept")
    if untold and len(given.words) > 1 and given.words[-1] in _BREEDS and given.words[-2][:1].isupper():
        return "Species"  # "Asturian Valley cattle"
    if is_case(given.base) and (said is None or said.type in ("", "Concept", "Event", "Law")):
        return "Law"
    if is_book(given.base):
        return "Document"  # what its lead explains is what it is about
    if _ON_A_BODY.match(given.base) and phrase_type(given.base, reach=1) == "Organization":
        return "Concept"
    if _is_team(given, lead):
        return "Organization"
    if untold and _CALLED_TEAM.fullmatch(given.base) and lead.startswith(f"{given.base} "):
        return "Organization"  # "Team Heron"
    apposed = _APPOSED.match(lead, len(given.base)) if said is None and lead.startswith(given.base) else None
    if apposed is not None and (found := phrase_type(_OF_KIND.split(apposed["kind"], maxsplit=1)[0], reach=1)):
        return found
    if said is None and (
        called := called_type(lead, given.base) or introduced_type(lead, given.base) or _used_type(given, lead)
    ):
        return called
    kind = given.what if given.what.rpartition(" ")[2][:1].islower() or " " not in given.what else ""
    if kind and not _PLURAL.search(kind) and (found := phrase_type(kind, reach=1 if kind.endswith("ing") else 3)):
        if found in ("Organization", "Group", "Event") and _is_life(given, lead, said):
            return "Person"  # "Ann Lee (rugby league)", "Bo (Tarn dynasty)"
        return found  # not the "Contributor Covenant", which is a name
    if _SELF.match(lead) and 2 <= len(given.words) <= 4 and may_be_somebody(given.words):
        return "Person"
    if said is None and lead.startswith(given.base) and _REIGNED.match(lead, len(given.base)):
        return "Person"
    if said is None and (served := _SERVED.match(lead)) is not None and _is_called(served, given):
        return "Person"
    if lead.startswith("Born ") and f", {given.base} " in lead[:_BIRTH]:
        return "Person"
    if said is not None and said.type != "Person" and _BORN.search(lead[:200]) and 1 <= len(given.words) <= 6:
        return "Person"
    if said is None and _NO_VERB.match(lead) and (kind := definition_type(lead)) in _defined_types(given, lead):
        return kind
    if said is None and is_instruction(given):
        return folder_type(given, path)  # "Testing for Lamp Policy": its last word is another's
    own = _head_type(given) or phrase_type(_OF_OTHERS.split(given.base, maxsplit=1)[0], reach=1)
    if own == "Organization" and given.words[0] == "Online" and len(given.words) > 1:
        return "Product"  # "Online Lamp University", a site
    if is_occasion(given.text) and (said is None or said.type in ("", "Concept", "Work", "Organization")):
        return "Event"
    proper = not given.base.endswith("s") and all(
        word[:1].isupper() for word in given.words if word not in words.TITLE_SMALL
    )
    written = written_type(given.base)
    if written and (said is None or said.type in ("", "Concept")):
        return written  # "Travel policy": the page is it
    if said is not None and said.type == "Concept" and _FIRST_WORDS.get(given.words[0].lower()) == own == "Location":
        return own  # "Cape Lee is the easternmost point"
    if said is not None and said.type == "Concept" and own in _SHOWN and proper:
        return own  # "CFE Arena is a sports and entertainment venue"
    if said is not None and said.type == "Concept" and (capitals.type_cue(given.base) or ("",))[0] == "Event":
        return "Event"  # "The Lamp Awards are the yearly music awards"
    if said is not None and said.type == "Location" and own == "Organization":
        return own  # "Staff Resource Groups are communities"
    if said is not None and said.type in ("Language", "Product") and well_known_type(given.base) == "Technology":
        return "Technology"
    if said is not None and said.type and said.type != "Concept":
        return said.type
    if _LIFE.search(lead[:200]) and 2 <= len(given.words) <= 5 and said is not None:
        return "Person"
    if _FAMILY.fullmatch(given.base):
        return "Species"
    if known := well_known_type(given.base) or ("Product" if given.base in FIRMS_TOO else ""):
        return known
    if said is None and is_known_software(given.base):
        return "Product"  # "Ruby", whose page says of no gem that it is one
    if said is not None and said.type:
        return said.type
    if own in _PLACES and proper and _LIES.match(lead.removeprefix("The "), len(given.base)):
        return own
    cue = capitals.type_cue(given.base)
    if cue is not None and cue[1] >= 0.7:
        return cue[0]
    if _YEAR.search(given.base) and any(
        word in capitals.MEETINGS or noun_type(word.lower()) == "Event" for word in given.words[1:]
    ):
        return "Event"  # "2019 Lamp Summit NA"
    if software.is_site(given.base):
        return "Product"
    if software.is_software(given.base) or (said is None and software.is_offered(given.base, lead)):
        return "Product"
    if said is None and not _PLACED.isdisjoint(given.words[1:-1]):
        return "Concept"  # "Security in the Cloud": neither its last word nor a tagger says what it names
    if (
        (found := own)
        and len(given.words) > 1
        and found not in ("Person", "Species", "Location")
        and not (
            found in _BY_HEAD and given.base.endswith("s") and (found != "Work" or given.words[-1][0].isupper())
        )  # several: "Google Groups"
        and given.words[-1].lower() not in _SEVERAL
        and not (
            found == "Product" and given.words[-1].lower() == "service" and not _is_named_team(given, lead)
        )  # "Jury Service"
    ):
        return found
    return folder_type(given, path)


def is_book(name: str) -> bool:
    """Whether a page is called a book, so that it is a text and nothing else: *Lamp Cookbook*."""
    first, _, last = name.rpartition(" ")
    return first != "" and last.removesuffix("s").lower() in _BOOKS
