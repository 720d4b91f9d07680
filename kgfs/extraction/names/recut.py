"""Names that were cut, or have more than the name: what stands before *for*, before a link, before the host of code.

Used by the lexicon; pure.
"""

from __future__ import annotations

import re
from dataclasses import replace

from kgfs.documents.markup import PlainSentence
from kgfs.extraction.names import boundaries, capitals
from kgfs.extraction.names.people import posts
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.given_names import WOMEN
from kgfs.extraction.names.wordlists.places import PERSON_LIKE, PLACES
from kgfs.extraction.names.wordlists.well_known import is_known_software

_HOSTS = frozenset("github gitlab bitbucket".split())
_CODED = re.compile(r"[a-zA-Z]\d|^[A-Z]{2,6}$|[a-z][A-Z]")
"""A word that is a name as it is written, and ends before a common noun: *OAuth2*, *TLS*."""
_MAKERS = frozenset("Adobe Amazon Apple Google Microsoft Oracle".split())
_NEXT = re.compile(r" (?P<next>[A-Z][a-z]+)(?![\w'’-])")
_NOT = "non-"
_GIVEN = re.compile(r"(?<![\w.,'’-])(?P<first>[A-Z][a-z]+) $")
_SERIES = re.compile(r"(?<=[a-zA-Z] )(?P<first>[A-Z][a-z]+), $")
"""Before the rest of what a body is for, inside a sentence: *the Oil, Lamp and Wick Office*."""
_AND_HEAD = re.compile(r" and (?P<things>(?:[A-Z][a-z]+ ){1,2})(?P<head>[A-Z][a-z]+)(?![\w-])")
"""Behind the first word of what a body is for: *the Securities and Exchange Commission*."""
_OF_COUNTRY = re.compile(r"(?:(?:U\.S\.|US|UK|EU|Federal|National|State) )?(?P<word>[A-Z][a-z]+)")
_FIRST_AND = re.compile(rf"(?<=[Tt]he ){_OF_COUNTRY.pattern} and $")
_THING_HEAD = re.compile(r"(?P<thing>[A-Z][a-z]+) (?P<head>[A-Z][a-z]+)(?:['’]s)?(?![\w-])")
_DIRECTORATE = " Directorate"
_TWICE = re.compile(r"(?P<once>.+ (?P<head>\w+ \w+)) (?P=head)")
_GLUED = re.compile(r"(?:by|in|of|to)The [A-Z]")
"""A name to which the word before it is glued, as texts of PDF files have it."""
_STATE_OF = re.compile(r"(?:City|Commonwealth|County|State|Town) of (?P<place>[A-Z][\w. ]+)")
_OF_PLACE = re.compile(r" of [A-Z][a-z]+(?: and [A-Z][a-z]+)?(?![\w-])")
_CUT_BEFORE = (
    ("Office of General", re.compile(r" Counsel(?![\w-])"), "Organization"),
    ("Royal Borough", _OF_PLACE, "Location"),
    ("Grand Duchy", _OF_PLACE, "Location"),
)
"""What the tagger cuts a name behind, what must follow there, and the type of the whole."""
_REST = re.compile(r" (?:[a-z]|[&/+-] (?!\w+Con\b))")
"""The words behind the name of a conference, unless they name one that is held with it."""
_LINE = re.compile(r"\bthe (?P<first>(?:[A-Z][a-z]+, ){1,3})$")
_PARTICLE = re.compile(r"(?:d[aeiou]|del|della|der|la|ten|van|von|zu)(?: de[nr]?| la)? [A-Z]")
_BEFORE_PARTICLE = re.compile(r"(?<![\w'’-])(?P<first>[A-Z][a-zà-ÿ]+) (?:(?P<second>[A-Z][a-zà-ÿ]+) )?$")
_OPENINGS = words.NOT_NAMES | words.WEAK_STARTS | boundaries.OPENING_VERBS
_MRS = re.compile(r"\b(?P<title>Mrs\.? )$")
_ESTATE = re.compile(r" (?:homestead|mansion|plantation|ranch)\b")
"""Behind a surname: a house or land that is called after who had it."""
_HEAD = re.compile(r"(?<=[a-z,;(\[\"“] )(?P<head>[A-Z][a-z]+(?:-[A-Z][a-z]+)?) for (?:the )?$")
"""Before a name, inside a sentence: *the Code for Lamps Society*."""
_FOR_SUBJECT = re.compile(r" (?:of|on|for) [A-Z]{2,4}(?![\w-])")
_OF_SUBJECT = re.compile(
    r"(?:.* for the |(?:.* )?(?:Expert|Advisory|Working|Study) (?=Group$|Panel$|Council$|Committee$)).+"
)
"""What goes on with its subject: *the Centre for the Governance of AI*, *the High-Level Expert Group on AI*."""
_GLUED_BEHIND = re.compile(r"-(?:adjacent|backed|based|funded|led|like|owned|related|sponsored|style|supported)$")


_FIELD_OF = re.compile(
    r"(?:[A-Z][a-z]+,? (?:and |& )?){0,3}(?:Accounting|Affairs|Audit|Communications|Compliance|Counsel|Development"
    r"|Engineering|Finance|Information|Law|Marketing|Merchandising|Operations|Planning|Product|Relations|Resources"
    r"|Sales|Services|Strategy|Tax|Technology|Treasury) (?:of|at|for|with)"
    r" (?P<firm>[A-Z][\w.&’' -]+? (?:Inc|Corp|Corporation|Company|Co|LLC|LLP|Ltd|plc|PLC|Group|Holdings)\b\.?)"
)
"""The field of a post, and whose it is."""
_REFERENCE = re.compile(r"(?P<name>.+) (?:Section|Article|Appendix|Annex|Clause|Paragraph|Table|Figure)s?")
_OF_REFERENCE = re.compile(r" §?(?:\d|[A-Z](?![\w-]))")
"""Behind a word for a part of a text: the number of the part."""


def recut(content: PlainSentence, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan:
    """A candidate of a sentence with its head, and without what belongs to no name of which it is the end."""
    text = content.text
    reference = _REFERENCE.fullmatch(candidate.text)
    if reference is not None and _OF_REFERENCE.match(text, candidate.end):
        return to_place(text, candidate, candidate.start + reference.end("name"))  # "Lamp Rules Section 3.2"
    for ending, goes_on, whole_type in _CUT_BEFORE:
        if candidate.text.endswith(ending) and (behind := goes_on.match(text, candidate.end)) is not None:
            return to_place(text, candidate, behind.end(), whole_type)
    field = _FIELD_OF.fullmatch(candidate.text)
    if field is not None:
        return from_place(text, candidate, candidate.start + field.start("firm"))  # "Finance and Strategy of Acme Inc."
    if candidate.text.startswith(_NOT) and candidate.text[len(_NOT) :][:1].isupper():
        return from_place(text, candidate, candidate.start + len(_NOT))
    if (glued := _GLUED_BEHIND.search(candidate.text)) is not None:
        return to_place(text, candidate, candidate.start + glued.start())  # "Acme-backed"
    subject = _FOR_SUBJECT.match(text, candidate.end) if _OF_SUBJECT.fullmatch(candidate.text) else None
    if subject is not None:
        return to_place(text, candidate, subject.end(), "Organization")
    _, of, owned = candidate.text.replace("’", "'").partition("'s ")
    if of and is_known_software(owned):
        return from_place(text, candidate, candidate.end - len(owned))  # "Acme's Python"
    owner = candidate.text[: len(candidate.text) - len(owned) - len(of)]
    if of and " " in owner and {cue(owner), cue(owned)} == {"Organization", "Event"}:
        return from_place(text, candidate, candidate.end - len(owned))  # "the Lamp Foundation's Lamp Summit Europe"
    if of and " " in owner and candidate.tag == "Person":
        return to_place(text, candidate, candidate.start + len(owner))  # "Ann Lind's Blog"
    first, _, rest = candidate.text.partition(" ")
    said = candidate.tag == "Person" or text.endswith("Chief ", 0, candidate.start)
    if said and " " in rest and posts.is_post(first) and first not in words.GIVEN_NAMES:
        return from_place(text, candidate, candidate.end - len(rest))  # "Scientist Ann Lind"
    if first == "Will" and rest and candidate.initial and text.endswith("?"):
        return from_place(text, candidate, candidate.end - len(rest))  # "Will Acme go on?"
    if capitals.is_conference(first) and rest.partition(" ")[0] in words.CLEAR_GIVEN and " " in rest:
        return to_place(text, candidate, candidate.start + len(first))  # "During LampCon Ann Lind organized"
    head, _, last = candidate.text.rpartition(" ")
    if head and last.casefold() in _HOSTS:
        return from_place(text, candidate, candidate.end - len(last))  # "Acme Lamps Github"
    if head and last.islower() and last.isalpha() and " " not in head and _CODED.search(head):
        return to_place(text, candidate, candidate.start + len(head))  # "OAuth2 exchange"
    given = _GIVEN.search(text, max(0, candidate.start - 20), candidate.start) if candidate.text in PLACES else None
    if given is not None and given["first"] in words.CLEAR_GIVEN - PLACES and " " not in candidate.text:
        person = from_place(text, candidate, given.start("first"))
        return replace(person, tag="Person")  # "Ann Brazil"
    if (twice := _TWICE.fullmatch(candidate.text)) is not None:
        return to_place(text, candidate, candidate.start + twice.end("once"))  # "Lamp Working Group Working Group"
    if candidate.tag in ("", "Organization", "Location") and (body := _whole_body(text, candidate)) is not None:
        return body
    if _GLUED.match(candidate.text):
        return from_place(text, candidate, candidate.start + 2)
    place = _STATE_OF.fullmatch(candidate.text)
    if place is not None and place["place"] in PLACES | PERSON_LIKE:
        return from_place(text, candidate, candidate.start + place.start("place"))  # "the State of Georgia"
    if capitals.is_conference(candidate.text) and (ends := _REST.search(candidate.text)):
        return to_place(text, candidate, candidate.start + ends.start())  # "LampCon keynote & upcoming"
    before = _BEFORE_PARTICLE.search(text, max(0, candidate.start - 40), candidate.start)
    if before is not None and _PARTICLE.match(candidate.text):
        own = next((part for part in ("first", "second") if (before[part] or "").lower() not in _OPENINGS), None)
        if own is not None and before[own]:
            return from_place(text, candidate, before.start(own))  # "San Lindo de Tarn", "Ann van Lind"
    line = _LINE.search(text, max(0, candidate.start - 60), candidate.start) if " & " in candidate.text else None
    if line is not None and candidate.text.rpartition(" ")[2] in words.ORGANIZATION_HEADS:
        return from_place(text, candidate, line.start("first"))  # "the Tarn, Wick & Reno Railway Company"
    wife = _MRS.search(text, max(0, candidate.start - 6), candidate.start)
    if wife is not None and _is_whole_name_of_man(candidate.text):
        return replace(from_place(text, candidate, wife.start("title")), titled=True, tag="Person")
    if " " not in candidate.text and (estate := _ESTATE.match(text, candidate.end)) is not None:
        return to_place(text, candidate, estate.end(), "Facility")
    series = _SERIES.search(text, max(0, candidate.start - 40), candidate.start)
    if series and candidate.tag in ("", "Organization") and _is_series(series["first"], candidate.text):
        return from_place(text, candidate, series.start("first"))
    following = _NEXT.match(text, candidate.end) if candidate.text in _MAKERS else None
    if following is not None and _is_of_maker(following["next"]):
        return to_place(text, candidate, following.end(), "Product")  # "Amazon Lex"
    for link in content.links:
        inside = not link.wiki and candidate.start < link.start < candidate.end <= link.end
        if inside and " " in text[link.start : link.end].strip() and text[link.start].isupper():
            return from_place(text, candidate, link.start)  # "Tarn [University of Lamps]"
    if (
        candidate.tag in ("", "Organization")
        and cue(candidate.text) == "Organization"
        and (found := _HEAD.search(text, max(0, candidate.start - 40), candidate.start)) is not None
        and not posts.is_post(found["head"])
        and found["head"] not in words.ROLE_WORDS
    ):
        return from_place(text, candidate, found.start("head"))
    return candidate


def _whole_body(text: str, candidate: capitals.CapitalsSpan) -> capitals.CapitalsSpan | None:
    """A body that is for one thing and another, of which a candidate is the beginning or the end, else ``None``: *the
    U.S. Lamp and Wick Office*."""
    if text.startswith(_DIRECTORATE, candidate.end):
        return to_place(text, candidate, candidate.end + len(_DIRECTORATE), "Organization")
    first, rest = _OF_COUNTRY.fullmatch(candidate.text), _AND_HEAD.match(text, candidate.end)
    if (
        first is not None
        and rest is not None
        and text.endswith(("the ", "The "), 0, candidate.start)
        and rest["head"] in _FOR_THINGS
        and is_of_things(first["word"], rest["things"])
    ):
        return to_place(text, candidate, rest.end(), "Organization")
    before = _FIRST_AND.search(text, max(0, candidate.start - 30), candidate.start)
    said = _THING_HEAD.match(candidate.text)
    if before is None or said is None or said["head"] not in _FOR_THINGS:
        return None
    return from_place(text, candidate, before.start()) if is_of_things(before["word"], said["thing"]) else None


_BODIES = frozenset("Board Commission Committee Congress Council Court Government House Parliament Senate".split())
_FOR_THINGS = frozenset(
    "Administration Agency Association Authority Bureau Center Centre Commission Department Directorate Division "
    "Foundation Institute Ministry Office Society".split()
)


def is_of_things(*parts: str) -> bool:
    """Whether the words of what a body is for are ordinary ones: *Lamp and Wick*, not *Ann and Tarn*."""
    others = PLACES | words.GIVEN_NAMES | words.DEMONYMS | _BODIES
    return all(is_ordinary(word.lower()) and word not in others for part in parts for word in part.split())


def _is_whole_name_of_man(name: str) -> bool:
    """Whether a name behind *Mrs.* is that of her husband: *Thomas Lind*, *J.T. Lind*, not *Ann Lind*."""
    first, _, last = name.partition(" ")
    return last != "" and first not in WOMEN and not first.endswith("a")


def _is_series(first: str, name: str) -> bool:
    """Whether a word with a capital is the first of several that a body is for: *Oil*, of *Lamp and Wick Office*."""
    others, _, last = name.partition(" and ")
    return (
        last.rpartition(" ")[0] != ""
        and last.rpartition(" ")[2] in words.ORGANIZATION_HEADS
        and all(is_ordinary(part.lower()) and part not in PLACES for part in (first, *others.split()))
    )


def _is_of_maker(word: str) -> bool:
    """Whether a word with a capital behind a maker's name is what it makes: no ordinary word, nobody."""
    return not (is_ordinary(word.lower()) or word in words.GIVEN_NAMES | words.ROLE_WORDS or posts.is_post(word))


def cue(name: str) -> str:
    """The type that the words of a name show; empty where they show none."""
    return (capitals.type_cue(name) or ("",))[0]


def from_place(text: str, candidate: capitals.CapitalsSpan, start: int) -> capitals.CapitalsSpan:
    """The candidate with another beginning, in characters of ``text``."""
    return replace(candidate, start=start, text=text[start : candidate.end], initial=not text[:start].strip())


def to_place(text: str, candidate: capitals.CapitalsSpan, end: int, tag: str = "") -> capitals.CapitalsSpan:
    """The candidate with another end, in characters of ``text``, and with another type where ``tag`` is one."""
    return replace(candidate, end=end, text=text[candidate.start : end], tag=tag or candidate.tag)
