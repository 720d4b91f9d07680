"""What a name may be written as in another document, how much it tells, and how two spellings of it differ.

Used by the resolver. Pure. Two names that share a form may be one; whether they are is decided by ``joining``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.well_known import well_known_type
from kgfs.graph.name_keys import SUFFIXES, name_key
from kgfs.names import without_accents
from kgfs.plurals import singular
from kgfs.store.graph.claims import NameForm

SCOPE = "\x1f"
"""Stands in a key between a name and the document in which alone it means what it means."""
ENOUGH = 12.0
"""Bits that a name must tell to be the same thing in every document."""
SMALL = frozenset("of the and for in on to a an at by with from de la du des".split())
"""Words that count for nothing in a name and its initials."""
_GENERIC = frozenset(
    "national international central public private federal local global regional state city county first second third "
    "united general new american north south east west northern southern eastern western community federal human main "
    "technical financial legal digital internal external".split()
)
_HEADS = frozenset(word.lower() for word in words.ORGANIZATION_HEADS)
_GIVEN = frozenset(word.lower() for word in words.GIVEN_NAMES)
_WHOLE_GIVEN = frozenset(words.SHORT_GIVEN.values())
_EVERYWHERE = frozenset("directors trustees governors managers members resources".split())
_IN_EVERY_TOWN = frozenset(
    "bank church school court council library museum hospital committee board station club association team "
    "college".split()
)
WHICH = _GENERIC | frozenset("fourth fifth supreme district high elementary middle savings baptist methodist".split())
"""Words that tell one of a kind from the others."""
_OWNED = frozenset("board committee council group sig subcommittee team wg".split())
"""Heads of bodies whose members speak of them without naming the organization: *Acme Executive Council*."""
_GROUPS = {"wg": "working group", "sig": "special interest group", "tf": "task force"}
"""What groups are called in their names, for short: *Lamp WG*, *SIG Lamp*."""
_WORK_GROUP = re.compile(r"\bwork ?group$")
_CLUB = re.compile(r" (?:a?fc|football club)$")
_MOST_OF_CLUB = 3
"""Words of a name that may be a club's."""
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)$")
_NO_OWNERS = frozenset("current emeritus former interim joint main old other previous".split())
_MAY_BE_GIVEN = frozenset({"Organization", "Product"})
"""What one word may be taken for that is somebody's given name."""
_MAY_BE_PROJECT = frozenset({"", "Concept", "Organization", "Product"})
_NO_PLURAL = frozenset({"Location", "Work", "Species", "Identifier"})
LONG_WORD = 6
"""Letters of a word whose plural and singular are one name; a shorter one may end so by itself."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa"})
_HONORS = frozenset("jr sr ii iii iv phd md esq".split())


def name_bits(name: str) -> float:
    """How many bits a name tells, roughly: a rare word tells much, ``National``, ``Bank`` and given names little."""
    bits = 0.0
    parts = re.findall(r"[^\W_]+", name)
    for part in parts:
        lowered = part.lower()
        if lowered in SMALL:
            continue
        if len(part) > 1 and part.isupper() and part.isalpha() and len(part) <= 6:
            bits += 4.0 * len(part)
        elif len(part) == 1 or part.isdigit():
            bits += 3.0
        elif lowered in words.NOT_NAMES or lowered in _EVERYWHERE:
            bits += 1.0
        elif lowered in _HEADS or lowered in _GENERIC or lowered in _IN_EVERY_TOWN:
            bits += 4.0
        elif lowered in _GIVEN:
            bits += 6.0
        else:
            bits += 12.0
    if re.search(r"\w (?:of|for) (?:the )?\w", name) and _EVERYWHERE.isdisjoint(name.lower().split()):
        bits += 8.0
    return bits


def says_too_little(name: str, type_: str) -> bool:
    """Whether a name of this type may be somebody else in the next document: ``Smith``, ``First National Bank``.

    A handle, ``@jsmith``, is one person's.
    """
    if type_ == "Person":
        return not name.startswith("@") and not re.search(r"[\s.]\S", name.strip())
    parts = re.findall(r"[^\W_]+", name.lower())
    return (
        type_ == "Organization"
        and len(parts) > 1
        and parts[-1] in _IN_EVERY_TOWN
        and all(part in WHICH for part in parts[:-1] if part != "the")
    )


def base_key(key: str) -> str:
    """A key without its document."""
    return key.partition(SCOPE)[0]


def name_forms(name: str, key: str, type_: str, titled: bool) -> Iterator[NameForm]:
    """The forms that a name shares with other names for the same thing."""
    plain = base_key(key)
    parts = plain.split()
    if not parts:
        return
    if type_ == "Organization":
        yield from _of_club(plain, parts)
    if type_ == "Person":
        yield from _of_person(parts, titled, alone=key != plain)
    elif len(parts) == 1:
        bare = name.rstrip("s")
        if type_ in _MAY_BE_GIVEN and len(name) > 2 and name.istitle() and name.isalpha() and not well_known_type(name):
            yield NameForm("given name", plain, "short")  # "Anatoli", which the tagger takes for a firm's name
        if len(plain) >= 6 and re.search(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]", name):
            yield NameForm("spelling", plain, "same")
        if 2 <= len(plain) <= 6 and name.isalpha() and name.isupper():
            yield NameForm(_letters_rule(plain), plain, "short")
        if len(plain) > LONG_WORD and name.isalpha() and type_ not in _NO_PLURAL and not well_known_type(name):
            yield NameForm("plural", singular(plain), "same")  # "Lampads" beside "Lampad"
        if type_ == "Location":
            yield NameForm("place", plain, "short")
        if type_ in _MAY_BE_PROJECT and len(plain) > 2 and name[:1].isupper():
            yield NameForm("project", plain, "short")
        if 2 <= len(bare) <= 6 and bare.isalpha() and bare.isupper() and len(name) - len(bare) < 2:
            yield NameForm("plural", bare.casefold(), "same")
    else:
        if type_ == "Location" and (place := name.partition(", ")[0]) != name and " " not in place:
            yield NameForm("place", name_key(place), "long")  # "Reno, Nevada"
        if type_ != "Location":
            for initials in {_initials(parts), _initials([part for part in parts if part not in SMALL])}:
                two = len(initials) == 2 and type_ == "Organization"
                if (two or 3 <= len(initials) <= 6) and _may_stand_for(initials.upper(), type_):
                    yield NameForm(_letters_rule(initials), initials, "long")
        yield NameForm("plural", singular(plain), "same")
        if len(parts) == 2 and parts[1] == "project" and type_ in _MAY_BE_PROJECT:
            yield NameForm("project", parts[0], "long")
        if type_ not in ("Location", "Work") and (group := group_form(name)):
            yield NameForm("spelling", group, "same")
        if type_ == "Organization" and (" of " in plain or " for " in plain):
            yield NameForm("spelling", re.sub(r" (of|for) the ", r" \1 ", plain), "same")  # "Office of (the) Guardian"
        if type_ == "Organization" and parts[-1] in _OWNED:
            yield from _of_owned(name, parts)
        if len(parts) == 2 and len(plain) > 6:
            yield NameForm("spelling", "".join(parts), "same")


def group_form(name: str) -> str:
    """The name of a working group or the like in one spelling: of *Lamp Practices WG*, *WG Lamp Practices* and *Lamp
    Practice Working Group (LAMP WG)* ``lamp practice working group``; empty for any other name."""
    spelled = _WORK_GROUP.sub("working group", _IN_BRACKETS.sub("", name).removeprefix("The ").lower())
    parts = spelled.split()
    if len(parts) > 1 and parts[0] in _GROUPS:
        parts = [*parts[1:], parts[0]]
    what, _, sort = " ".join([*parts[:-1], _GROUPS.get(parts[-1], parts[-1])] if parts else []).rpartition(" ")
    for written in _GROUPS.values():
        first, _, last = written.rpartition(" ")
        if sort == last and what.endswith(f" {first}") and (own := what.removesuffix(first).strip()):
            return f"{singular(own)} {written}"
    return ""


def _letters_rule(letters: str) -> str:
    """The rule by which letters stand for a name; two of them stand for so much that more must speak for it."""
    return "acronym" if len(letters) > 2 else "letters"


def _may_stand_for(letters: str, type_: str) -> bool:
    """Whether letters may stand for something of this type: for most readers *CSS* is no society."""
    return well_known_type(letters) in ("", "Organization", type_)


def _of_club(plain: str, parts: list[str]) -> Iterator[NameForm]:
    """A football club with and without what says that it is one: *Tarn F.C.*, *Tarn Football Club*, *Tarn*."""
    club = _CLUB.search(plain)
    if club is not None:
        own = plain[: club.start()]
        yield NameForm("spelling", f"{own} fc", "same")
        yield NameForm("club", own, "long")
    elif len(parts) <= _MOST_OF_CLUB and parts[-1] not in _HEADS:
        yield NameForm("club", plain, "short")


def _of_owned(name: str, parts: list[str]) -> Iterator[NameForm]:
    """A body by itself, and without the one or two words before it that may say whose it is."""
    yield NameForm("owner", " ".join(parts), "short")
    for owners in (1, 2):
        before = name.removeprefix("The ").split()[:owners]
        owned = not any(part in WHICH | _NO_OWNERS | words.NOT_NAMES for part in parts[:owners])
        if owned and len(parts) - owners >= 2 and all(word[:1].isupper() for word in before):
            yield NameForm("owner", " ".join(parts[owners:]), "long")


def _of_person(parts: list[str], titled: bool, *, alone: bool) -> Iterator[NameForm]:
    """``alone`` is whether one document alone shows whom one word means."""
    while len(parts) > 2 and parts[-1] in _HONORS:
        parts = parts[:-1]
    first, last = parts[0], parts[-1]
    if len(parts) == 1:
        if alone and titled:
            yield NameForm("title", last, "short")
            yield NameForm("titled", last, "same")
        elif alone:
            yield NameForm("given name", first, "short")
        return
    if len(last) == 1:
        if len(parts) == 2 and len(first) > 2:
            yield NameForm("surname initial", f"{first} {last}", "short")  # "Ann L", of two Anns in a call
        return
    if first == "mrs":
        return  # the surname alone is her husband's, too
    if len(first) == 1:
        yield NameForm("initials", f"{first} {last}", "short")
        return
    yield NameForm("initials", f"{first[0]} {last}", "long")
    yield NameForm("given name", first, "long")
    yield NameForm("surname initial", f"{first} {last[0]}", "long")
    yield NameForm("middle name", f"{first} {last}", "same")
    if first in words.SHORT_GIVEN or first in _WHOLE_GIVEN:
        whole = " ".join([words.SHORT_GIVEN.get(first, first), *parts[1:]])
        yield NameForm("short given name", whole, "same")  # "Nick Lind", "Nicholas Lind"
    bare = without_accents(" ".join(parts))
    yield NameForm("spelling", bare, "same")  # "Zoë Lind", "Zoe Lind"
    if (written := " ".join(parts).translate(_UMLAUTS)) not in (bare, " ".join(parts)):
        yield NameForm("spelling", written, "same")  # "Löwe", "Loewe"
    if len(parts) == 2 and len(bare) > 8:
        yield NameForm("spelling", bare.replace(" ", ""), "same")  # "ZoeLind", a handle
    yield NameForm("title", last, "long")


def _initials(parts: list[str]) -> str:
    return "".join(part[0] for part in parts if part[0].isalpha())


def spelling_difference(name: str, other: str) -> str:
    """In what two spellings with one key differ: the rule by which they are one name."""

    def plain(text: str) -> str:
        return unicodedata.normalize("NFKC", text).strip()

    one, two = plain(name), plain(other)
    if one.casefold() == two.casefold():
        return "case"

    def articled(text: str) -> bool:
        return text.casefold().startswith("the ")

    def suffixed(text: str) -> bool:
        return text.casefold().rstrip(".").split()[-1].rstrip(".,") in SUFFIXES

    if suffixed(one) != suffixed(two):
        return "company suffix"
    if articled(one) != articled(two):
        return "article"
    if re.search(r"['’]s?$", one) or re.search(r"['’]s?$", two):
        return "possessive"
    return "punctuation"
