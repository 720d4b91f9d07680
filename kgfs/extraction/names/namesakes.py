"""Names that mean another thing of the same name where they stand: a river, a work, software, the county of another
state.

Used by the lexicon. Pure.
"""

from __future__ import annotations

import re

from kgfs.extraction.names.wordlists.places import CITIES, PLACES, STATES, is_administrative

_EDITION = re.compile(r"\b(?P<name>[A-Z]\w+) (?:CE|EE|SE)\b")


def editions(text: str) -> frozenset[str]:
    """The places that a text has as software of several editions: *Jakarta EE*."""
    return PLACES.intersection(found["name"] for found in _EDITION.finditer(text))


_TEAM = re.compile(
    r"(?:\d{4}(?:[–-]\d{2,4})? )?(?P<name>(?:[A-Z][\w.&'-]+ ){1,5})"
    r"(?:men's |women's )?(?:baseball|basketball|football|hockey|lacrosse|soccer|softball|volleyball)(?: team| season)?"
)


def team_places(title: str) -> frozenset[str]:
    """The place by which a page on the team of a school calls that: *Oregon* of *2005 Oregon Ducks football team*."""
    found = _TEAM.fullmatch(title)
    parts = found["name"].split() if found is not None else []
    return PLACES.intersection(" ".join(parts[:count]) for count in range(1, len(parts)))


_STATE = re.compile(
    r"\b(?:[Ee]astern|[Ww]estern|[Cc]entral|[Nn]orthern|[Ss]outhern) Washington\b(?!,? D)|"
    r"\bWashington [Ss]tate\b(?! (?:College|University))|"
    r"\b(?:Oregon|Idaho)(?:,|,? and) Washington\b(?!,? D)|\bWashington(?:,|,? and) (?:Oregon|Idaho)\b"
)


def state_names(text: str) -> dict[str, str]:
    """What a text that speaks of the state means by *Washington*."""
    return {"Washington": "Washington State"} if _STATE.search(text) is not None else {}


_OF_NATURE = re.compile(r"(?:,? (?:and|or) [A-Z]\w+)? (?:[Rr]ivers?|[Bb]asins?)\b")
_TITLE_OF = re.compile(r"[\"”],? (?:magazine|album|film|musical|song)\b")
_TITLES = re.compile(
    r"\b(?:album|film|magazine|musical|newspaper|novel|opera|play|song),? [\"“]$|"
    r"\b(?:albums?|films?|magazines?|musicals?|newspapers?|songs?)(?: such as| like| including|:) "
    r"(?:[\"“][^\"”]{1,40}[\"”],? (?:and )?){0,5}[\"“]$"
)


_TITLES_TOO = frozenset({"Location", "Organization", "Person"})
"""Types of what albums, films and books are called after."""
_KIND = r"(?P<kind>album|book|film|magazine|musical|novel|opera|play|series|single|song)"
_KIND_OF_WORK = re.compile(rf"\b{_KIND}\b")
_KIND_BEFORE = re.compile(rf"\b{_KIND}(?: called| titled)?,? [\"“]?$")
_KIND_BEHIND = re.compile(rf"[\"”]? {_KIND}\b")
_FIRST_HALF = re.compile(r"[A-Z][a-z]+[-–]$")
_SECOND_HALF = re.compile(r"[-–][A-Z][a-z]")
_VERSION = re.compile(r"-(?:\d|[A-Z]\b)")
"""Behind the name of what another one goes by: *Oberon-2*."""
_OF_PLACE = re.compile(
    r" (?:(?!States\b)[A-Z][a-z]+ers\b|(?:Abbey|Airport|Arena|Bridge|Castle|Cathedral|College|Farm|Farmhouse|Hall|"
    r"Hospital|Hotel|House|Lodge|Manor|Mill|Museum|Priory|School|Stadium|Station|Theater|Theatre|University)\b)"
)
"""What is called after a place: *Orm Hall*, *Orm Slingers*."""
_OF_AMERICA = re.compile(r"\b(?:[A-Z]\w+ (?:for|of)|Captain|Miss) $")
_SIDE = re.compile(r"\b(?:North|South|East|West) $")
_TOWN_BEFORE = re.compile(
    r"\bCounty, $|[A-Za-z.]{2}, $|\b(?:[Uu]pstate|[Dd]ownstate|[Ww]estern|[Nn]orthern|[Cc]entral|District of) $"
)
_STATES = "|".join(sorted(STATES - {"Washington"}))
_STATE_BESIDE = re.compile(rf"(?:\b(?:{_STATES})(?:,|,? and|,? or) )$|,?(?: and| or)? (?:{_STATES})\b(?! [A-Z])")
"""*Pennsylvania, New York, New Jersey*."""
_IN_LIST = re.compile(r",? (?:and|or|&) (?:the )?[A-Z]|, (?!United|U\.S|USA)(?:the )?[A-Z]")
"""Behind one of several towns: *Boston, New York and Reno*."""
_STATE_BEHIND = re.compile(r" [Ss]tate\b(?! (?:College|University))")


def meant_place(name: str, text: str, start: int, end: int) -> str:
    """The place that a name means: *New York* behind a town, *Orm, New York*, is the state."""
    if name != "New York":
        return name
    if text.startswith(":", end):
        return name  # "New York: Lamp Press", where books appear
    if _STATE_BEHIND.match(text, end) is not None:
        return "New York State"
    if _STATE_BESIDE.search(text, max(0, start - 25), start) or _STATE_BESIDE.match(text, end):
        return "New York State"
    before = _TOWN_BEFORE.search(text, max(0, start - 12), start)
    return (
        name
        if before is None
        or (before[0][-2:] == ", " and not before[0].startswith("County") and _IN_LIST.match(text, end))
        else "New York State"
    )


_OF_NETWORKS = re.compile(r"[ -](?i:address|allow|block|filter|network|packet|phone|range|subnet|version|white)")
"""Behind *IP*, where it is the protocol."""


def means_other(name: str, type_: str, text: str, start: int, end: int) -> bool:
    """Whether what stands at ``start`` as a name of ``name`` means another thing there, by what is around it."""
    if type_ == "Location" and _is_other_than_place(text, start, end):
        return True
    if type_ in _TITLES_TOO and _is_title_of_work(type_, text, start, end):
        return True
    if type_ in ("Product", "Technology", "Language") and _VERSION.match(text, end):
        return True
    if place_of_namesake(name, text, start, end):
        return True
    base = text[start:end]
    if base == "IP" and name != base and _OF_NETWORKS.match(text, end):
        return True  # "IP address", whatever else the letters are short for
    return name.startswith(f"{base} (") and _is_other_kind(name[len(base) :].lower(), text, start, end)


def _is_other_than_place(text: str, start: int, end: int) -> bool:
    """Whether the name of a place is that of rivers there, or a part of another: *the Mississippi and Ohio rivers*."""
    if _OF_NATURE.match(text, end) is not None:
        return True
    said = text[start:end]
    if said in CITIES and (_SIDE.search(text, max(0, start - 7), start) or _SECOND_HALF.match(text, end)):
        return True  # "South Melbourne", a suburb; "Minneapolis-St. Paul"
    if text.startswith((" (@", " [@"), end):
        return True  # "Sofia (@sofia)"
    if _OF_PLACE.match(text, end) is not None:
        return True
    beside = text[max(0, start - 1) : start], text[end : end + 1]
    if _FIRST_HALF.search(text, max(0, start - 30), start) or beside == ("-", "-"):
        return True
    if said == "America" and _OF_AMERICA.search(text, max(0, start - 30), start):
        return True
    # "Reno-Reno Hotel"
    return text.startswith(f"-{said}", end) or text.endswith(f"{said}-", 0, start)


def _is_title_of_work(type_: str, text: str, start: int, end: int) -> bool:
    """Whether a name stands in quotes as the title of a work: *"New York" magazine*, *their album, "Lamps"*."""
    if text[max(0, start - 1) : start] not in ('"', "“"):
        return False
    if type_ == "Location" and text[end : end + 1] in ('"', "”"):
        return True  # nobody puts a town in quotes
    return _TITLE_OF.match(text, end) is not None or _TITLES.search(text, max(0, start - 200), start) is not None


def _is_other_kind(bracket: str, text: str, start: int, end: int) -> bool:
    """Whether a title is said to be that of another kind of work than its ``bracket`` says: *the novel "Lamps"*, where
    *Lamps* is a film."""
    if _KIND_OF_WORK.search(bracket) is None:
        return False
    said = _KIND_BEFORE.search(text, max(0, start - 30), start) or _KIND_BEHIND.match(text, end)
    return said is not None and said["kind"] not in bracket


_BEHIND_COMMA = re.compile(r", (?P<place>[A-Z][\w.]*(?: [A-Z]\w+)?)")


def place_of_namesake(name: str, text: str, start: int, end: int) -> str:
    """Where a place lies that shares its name with the one called ``name``: *Lamp County, Ohio*, not the one of
    Maine; empty where it is that one."""
    base = text[start:end]
    return _place_behind(text, end, name[len(base) :]) if name.startswith(f"{base}, ") else ""


def _place_behind(text: str, end: int, where: str) -> str:
    """The state or country that stands behind a name that ends at ``end``; empty where none does, or it is ``where``:
    *, Maine*."""
    found = _BEHIND_COMMA.match(text, end)
    if found is None or text.startswith(where, end):
        return ""
    return next((one for one in (found["place"], found["place"].split()[0]) if is_administrative(one)), "")
