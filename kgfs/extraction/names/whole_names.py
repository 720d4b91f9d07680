"""Names of which the tagger left out a part that stands right beside it: letters before a place, the other things that
a body is for, the conference behind a town.

Used by the lexicon; pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kgfs.extraction.names import boundaries, capitals
from kgfs.extraction.names.people import posts
from kgfs.extraction.names.recut import cue, from_place, is_of_things, to_place
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import ABBREVIATIONS, PLACES
from kgfs.extraction.names.wordlists.well_known import is_known_software, well_known_type

_BODY = "Organization"
_LETTERS_BEFORE = re.compile(r"(?<![\w.,'’&/+-])(?<!\d )(?P<letters>[A-Z]{2,5}) $")
_LETTERS_TOO = re.compile(r"(?<![\w.,'’&/+-])(?P<letters>[A-Z]{2,5}) / $")
_COUPLE = re.compile(r"(?<![\w'’-])(?P<first>[A-Z][a-z]+)(?: [A-Z]\.)? (?:and|&) $")
_THINGS = re.compile(r"(?P<more>(?:, [A-Z][a-z]+)+),? (?:and|&) (?P<last>[A-Z][a-z]+)(?![\w'’-])")
_FOR_ONE_THING = re.compile(
    r"(?:[A-Z]\S* )*(?:Agency|Bureau|Center|Centre|Department|Institute|Ministry|Office) (?:of|for) "
    r"(?P<thing>[A-Z][a-z]+)"
)
_OF_WHAT = re.compile(r" of (?P<what>[A-Z][a-z]+)(?![\w'’-])(?! (?:[A-Z]|of\b))")
_MANAGER = re.compile(r" Manager(?![\w'’-])(?! [A-Z])")
_NICKNAMED = re.compile(
    r"(?P<first>[A-Z][\w.-]+(?: [A-Z][\w.-]*){0,2}) [\"“](?P<nick>(?:The )?[A-Z][a-z][\w-]*)[\"”] "
    r"(?P<last>[A-Z][\w'’-]+)(?:,? (?:Jr|Sr)\.)?"
)
_OF_FAMILY = re.compile(
    r"\b(?:brother|daughter|father|husband|mother|sister|son|widow|wife|archduke|archduchess|count|countess|duke|duchess|"
    r"emperor|empress|infanta|king|margrave|prince|princess|queen|married),? $"
    r"|\b(?:child|daughter|son) of [^,.;:()]{3,50} and $",
    re.I,
)
"""Before somebody who may be called after a realm or a town."""
_OF_REALM = re.compile(r" (?:of|von|of the) [A-Z][a-z]+(?:-[A-Z][a-z]+)*(?![\w'’-])(?! [A-Z][a-z])")
_NUMBER = re.compile(
    r" (?:I of [A-Z][a-z]+|(?:II|III|IV|VI{1,3}|IX|XI{1,3}|XIV|XV|XVI{0,3})(?: of [A-Z][a-z]+)?)"
    r"(?![\w'’-])(?! [A-Z][a-z])"
)
_SURNAME = re.compile(r" [A-Z][a-z]+(?![\w'’-])(?! [A-Z])")
_CAPITAL = re.compile(r" (?P<next>[A-Z]\w*)(?![\w'’-])")


def whole_names(text: str, candidates: Sequence[capitals.CapitalsSpan]) -> list[capitals.CapitalsSpan]:
    """The candidates of a sentence, each with what the tagger left out of its name, none within another one."""
    found = [next((one for widen in _WIDEN if (one := widen(text, each)) is not None), each) for each in candidates]
    return [
        one
        for place, one in enumerate(found)
        if not any(
            other.start <= one.start and one.end <= other.end and (other.end - other.start > one.end - one.start)
            for other in found[:place] + found[place + 1 :]
        )
    ]


def _with_nickname(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """Somebody whose name goes on behind what they are called: *Thomas Leo "Tom" Lee*, by that name."""
    found = _NICKNAMED.match(text, candidate.start)
    if found is None or candidate.tag not in ("", "Person") or found["first"].split()[0] not in words.GIVEN_NAMES:
        return None
    called = found["nick"] if found["nick"] in words.GIVEN_NAMES else found["first"]
    return replace(candidate, end=found.end(), text=f"{called} {found['last']}", tag="Person")


def _with_letters(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """A branch that has letters before its place: *LGT Europe*, no place; not *the US Virginia*, *10 AM London*."""
    name = candidate.text
    if name not in PLACES or name.isupper() or candidate.tag not in ("", "Location"):
        return None
    found = _LETTERS_BEFORE.search(text, max(0, candidate.start - 8), candidate.start)
    if found is None or not _is_acronym(found["letters"]) or text.startswith(", ", candidate.end):
        return None
    return replace(from_place(text, candidate, found.start("letters")), tag="Organization")


def _is_acronym(letters: str) -> bool:
    """Whether letters may be the name of somebody: no place, no post, no word in capitals."""
    common = words.NOT_NAMES | words.WEAK_STARTS | boundaries.OPENING_VERBS
    return not (
        letters in PLACES
        or letters in ABBREVIATIONS
        or letters in capitals.MODALS
        or letters in words.ROLE_WORDS
        or letters in words.MERE_LETTERS
        or letters.lower() in common
        or posts.is_post(letters)
        or well_known_type(letters) in ("Concept", "Location")
    )


def _with_both_letters(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """A body for two things, each of which goes by its letters: *AB / CD Working Group*."""
    letters, _, rest = candidate.text.partition(" ")
    if not (letters.isupper() and letters.isalpha() and len(letters) in range(2, 6) and cue(candidate.text) == _BODY):
        return None
    found = _LETTERS_TOO.search(text, max(0, candidate.start - 10), candidate.start) if rest else None
    return replace(from_place(text, candidate, found.start("letters")), tag=_BODY) if found is not None else None


def _with_spouse(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """A body that is called after two of one surname: *the John D. and Ann Lind Foundation*."""
    parts = candidate.text.split()
    if len(parts) < 3 or parts[0] not in words.GIVEN_NAMES or parts[-1] not in _OF_FAMILIES:
        return None
    found = _COUPLE.search(text, max(0, candidate.start - 30), candidate.start)
    if found is None or found["first"] not in words.GIVEN_NAMES:
        return None
    return replace(from_place(text, candidate, found.start("first")), tag=_BODY, titled=False)


_OF_FAMILIES = frozenset("Foundation Fund Hospital Institute Library Museum School Trust".split())


def _with_all_things(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """A body that is for several things: *the Bureau of Oil, Lamps and Wicks*."""
    head = _FOR_ONE_THING.fullmatch(candidate.text)
    found = _THINGS.match(text, candidate.end) if head is not None else None
    if head is None or found is None:
        return None
    things = (head["thing"], *found["more"].removeprefix(", ").split(", "), found["last"])
    return to_place(text, candidate, found.end(), _BODY) if is_of_things(*things) else None


def _with_conference(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """A conference that is called after where it is held: *Reno LampFest*."""
    found = _CAPITAL.match(text, candidate.end) if candidate.text in PLACES else None
    if found is None or not capitals.is_conference(found["next"]):
        return None
    return to_place(text, candidate, found.end(), "Event")


def _with_product(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """Software that is known by its maker's name and its own: *Amazon ECR*."""
    found = _CAPITAL.match(text, candidate.end) if " " not in candidate.text else None
    if found is None or not is_known_software(text[candidate.start : found.end()]):
        return None
    return to_place(text, candidate, found.end(), "Product")


def _with_whole(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """A thing that is called after what it has or is for, in ordinary words: *a Lamp Bill of Costs*, but *the Lamp
    Office of Reno*, *Ann Lind of Tarn*."""
    found = _OF_WHAT.match(text, candidate.end) if _is_of_thing(candidate) else None
    if found is None or not is_of_things(found["what"]) or well_known_type(found["what"]):
        return None
    return replace(to_place(text, candidate, found.end()), tag="" if candidate.tag == _BODY else candidate.tag)


def _with_realm(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """Somebody of one name, with the realm or the town that tells them from others, or with the surname: *his wife
    Helga of Tarn*."""
    title, _, name = candidate.text.rpartition(" ")
    if candidate.tag not in ("", "Person") or not (name.isalpha() and name.istitle()):
        return None
    before = f"{title} " if title else text[max(0, candidate.start - 70) : candidate.start]
    if _OF_FAMILY.search(before) is None:
        return None
    found = _OF_REALM.match(text, candidate.end)
    if found is None and candidate.text in words.GIVEN_NAMES:
        found = _SURNAME.match(text, candidate.end)
    return to_place(text, candidate, found.end(), "Person") if found is not None else None


def _with_number(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """A ruler of one name, with the number, and with the realm behind *I*: *Otto II*, *Otto I of Tarn*."""
    if candidate.tag not in ("", "Person") or not (candidate.text.isalpha() and candidate.text.istitle()):
        return None
    found = _NUMBER.match(text, candidate.end)
    return to_place(text, candidate, found.end(), "Person") if found is not None else None


def _with_manager(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """What manages something, or who does: of *Acme Oils Manager* *Acme Oils* is no name."""
    found = _MANAGER.match(text, candidate.end) if candidate.tag != _BODY and _is_of_thing(candidate) else None
    return to_place(text, candidate, found.end()) if found is not None else None


def _is_of_thing(candidate: capitals.CapitalsSpan) -> bool:
    """Whether a name of several words ends in an ordinary word, which is neither a body's nor what somebody is."""
    first, _, last = candidate.text.rpartition(" ")
    return (
        first != ""
        and first.split()[0] not in words.GIVEN_NAMES
        and candidate.tag not in ("Person", "Location", "Facility")
        and last not in words.ORGANIZATION_HEADS | words.OF_HEADS
        and last not in PLACES | words.DEMONYMS
        and not posts.is_post(last)
        and is_ordinary(last.lower())
    )


_WIDEN = (
    _with_nickname,
    _with_letters,
    _with_both_letters,
    _with_spouse,
    _with_all_things,
    _with_conference,
    _with_product,
    _with_whole,
    _with_number,
    _with_realm,
    _with_manager,
)
