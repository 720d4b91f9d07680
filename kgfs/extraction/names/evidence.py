"""What the tagger's votes come to beside the words of a name and its uses: one type a document, and how sure it is.

Used by the lexicon and the extractor; pure. What one document finds is passed on as ``Evidence``, to be added up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from kgfs.extraction.names import bodies, capitals, fragments, software, tagging
from kgfs.extraction.names.context_clues import CLUE, ORGANIZATIONS, is_place_head
from kgfs.extraction.names.kinds import is_called_body, written_type
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.people import roles
from kgfs.extraction.names.verdict import MOST, RECURS, SOFTWARE_SHARE, as_software, may_be_body, type_weights
from kgfs.extraction.names.wording import Wording, is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import NETWORKS, phrase_type
from kgfs.extraction.names.wordlists.places import ABBREVIATIONS, PLACES
from kgfs.extraction.names.wordlists.well_known import (
    COMMON_NOUNS,
    FIRMS_TOO,
    PRACTICES,
    SOFTWARE,
    SYSTEMS,
    TECHNIQUES,
    well_known_type,
)
from kgfs.model import Evidence

_SUITES = frozenset("Adobe Amazon Apple Google Microsoft".split())
_OF_SUITES = frozenset(
    "Acrobat Ads Analytics Calendar Chat Classroom Cloud Doc Docs Drive Excel Exchange Form Forms Group Groups Hangout "
    "Hangouts Illustrator Maps Meet "
    "OneDrive Outlook Photos Service Sheets Sites Slides Teams Word Workspace".split()
)
"""Words that make a name that begins with a vendor one of software: *Google Drive*."""
_CENTRES = frozenset(
    "Security Research Information Policy Studies Disease Law Legal Rights Science Technology Innovation Resource "
    "Resources Excellence Development Cancer Health Climate Medical Education Justice Women's Children's".split()
)
"""What organizations that are called centres do; others are buildings."""
_UNITS = frozenset(
    "Administration Analysis Assurance Business Coordination Crime Delivery Digital Evaluation Finance Intelligence "
    "Investigation Management Operations Policy Programme Project Protection Research Response Statistics Strategy "
    "Support Training".split()
)
"""What groups of people do that are called units; others are parts of machines."""
_SIGNS = re.compile(r"[&/.]")
"""What stands between the letters of an acronym: ``D&A``, ``O.C.S.``."""
_DIRECTIONS = frozenset(
    "North South East West New Northern Southern Eastern Western Central Upper Lower Great Greater".split()
)
"""Before a place, they make another place."""
_TERMS = ("Technology", "Concept", "Policy", "Plan", "Procedure", "License", "Program")
"""Types of what a text explains, which the tagger takes for an organization."""
_NO_PAPERS = frozenset({"Event", "Law", "Product", "Work"})
"""What the tagger takes policies, plans and licences for."""
_GATHERINGS = frozenset("Hackathon Meetup Sprint Sprints Summit Symposium Workshop".split())
_SAINT = re.compile(r"(?:St\.|Saint) \w+")
_PERIODICALS = frozenset("Gazette Journal Magazine Quarterly".split())
UNSIGNED = 0.7
"""How sure it is that what is called so, and does nothing by itself, is a periodical."""
_PUBLIC = frozenset("Commission Committee Congress Council Court Ministry Parliament Senate Tribunal".split())
"""Heads of bodies that have names of ordinary words: *General Court*."""
_SEVERAL = dict.fromkeys("Accounts Channels Orgs Repos Repositories".split(), "Concept") | dict.fromkeys(
    "Drivers Packages Plugins Tools Utilities".split(), "Product"
)
"""What several things are called that some have or use, which the tagger takes for one organization."""
TERMED = 0.75
"""How sure it is that what a contract defines in quotes is a term of it."""
MUCH_CODE = 3
"""A document with more names in code is one about code."""
_LONG_PLURAL = 7
"""Letters of an ordinary word in the plural that is more likely a thing than somebody's surname, as *Flowers* is."""
_NO_SURNAME = ("tion", "ment", "ness", "ity", "ship", "ware", "ology")
_NOBODY = frozenset(
    "Linux Windows Unix Server OS PowerShell Azure Drive Calendar Mail Docs App Online Desktop Studio Cloud Web Portal "
    "Platform Console Hub Dashboard Suite Plugin Team Teams Pages Survey Policy Program".split()
)
_OF_PLACES = frozenset(ABBREVIATIONS) | {"DC", "UK", "US", "USA", "UAE", "NSW", "BC", "II", "III", "IV"}
"""Letters behind the name of a place."""
_SEVERAL_INITIALS = re.compile(r"(?:[A-Z]\.)+[A-Z]")
"""Of given names, without the last sign."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Between the words of which a name in code is made: *LampRole Binding* says no more than they."""
_INNER_CAPITAL = re.compile(r"(?<!Mc)(?<!Mac)(?<!De)(?<!Di)(?<!La)(?<!Le)(?<!Van)(?<![’'])(?<=[a-z])[A-Z]")


def may_be_person(name: str) -> bool:
    """Whether the words of a name can be those of a person: no acronym, no identifier, not all of them words with
    an adjective or a verb among them."""
    parts = [part.strip(".,") for part in re.split(r"[\s-]+", name) if part.strip(".,")]
    if not parts or len(parts) > 6 or "and" in parts or any(char.isdigit() for char in name):
        return False
    if software.is_site(name):
        return False
    if any(capitals.JOINED.search(part) for part in parts):
        return False  # "Julia LampML", of a language
    if parts[0] in words.GIVEN_NAMES:
        return parts[-1] not in _NOBODY | words.NEVER_SURNAMES | words.PARTS_OF_PROGRAMS
    if len(parts) > 1 and len(parts[-1]) > _LONG_PLURAL and _is_plural(parts[-1]):
        return False  # "Acme Pipelines"
    if parts[-1].lower().endswith(_NO_SURNAME) or (len(parts) == 1 and tagging.is_only_verb(name.lower())):
        return False
    shouted = [part.isupper() and _SEVERAL_INITIALS.fullmatch(part) is None for part in parts]
    if any(loud and len(parts[i]) > 2 - bool(i) for i, loud in enumerate(shouted)) and not all(map(str.isupper, parts)):
        return False  # "Regular WG Meeting", but "TJ Lind", "J.E. Lind"
    if any(part in _NOBODY or _INNER_CAPITAL.search(part) for part in parts):
        return False
    lowered = [part.lower() for part in parts if part[0].isupper() and len(part) > 1]
    return (
        len(parts) == 1 or not all(map(tagging.is_word, lowered)) or not any(map(tagging.is_verb_or_adjective, lowered))
    )


def _is_plural(word: str) -> bool:
    """Whether a word with a capital is an ordinary one in the plural: *Pipelines*, not *Matthews*."""
    one = word.removesuffix("s")
    return one != word and one not in words.GIVEN_NAMES and tagging.in_dictionary(one.lower())


def may_be_place(name: str, prose: Collection[str]) -> bool:
    """Whether the words of a name can be those of a place: no acronym, no sign, not all of them words of the text."""
    if name in PLACES:
        return True
    if "&" in name or any(char.isdigit() for char in name) or (name.isupper() and "." not in name):
        return False
    if _INNER_CAPITAL.search(name) or _is_edition(name):
        return False
    return not all(part.lower() in prose for part in name.split())


def _is_edition(name: str) -> bool:
    """Whether a name ends in letters that are no state's: *Jakarta EE*, not *Kansas City MO*."""
    *parts, last = name.split()
    return (
        bool(parts) and last.isupper() and len(last) > 1 and last not in _OF_PLACES and not all(map(str.isupper, parts))
    )


def is_body(name: str) -> bool:
    """Whether the last word of a long name makes it that of an organization: *National Cyber Security Centre*, but not
    *Denial of Service*, whose head is another word, nor *Content Delivery Network*; or its first: *Center for AI
    Safety*."""
    if capitals.is_body_for(name):
        return True
    parts = name.split()
    if len(parts) < 3 or parts[-2] in words.PREPOSITIONS or parts[0] in capitals.NO_BODIES:
        return False
    before, last = parts[-2:]
    if last in ("Centre", "Center"):
        return before in _CENTRES
    if last == "Network" and before.lower() in NETWORKS:
        return False
    return last in words.ORGANIZATION_HEADS or last.lower() in ORGANIZATIONS


def explained_type(name: str, short: str) -> str:
    """The type of what a text explains a short form with, where nothing else shows one."""
    if short in SOFTWARE and not short.isupper():
        return "Product"  # "Python Package Index (PyPI)"
    parts = name.split()
    written = written_type(name)
    if short in TECHNIQUES and written == "Policy":
        return "Technology"  # "Content Security Policy (CSP)"
    if written == "Document":
        return "Concept"  # of that type are pages
    if len(parts) > 2 and parts[-1] == "Regulations" and name[:1].isupper():
        return "Law"
    if len(parts) > 2 and parts[-1] == "Unit" and parts[-2] in _UNITS:
        return "Organization"
    if written not in ("", "Technology"):
        return written
    if not SYSTEMS.isdisjoint(parts) or software.is_software(name):
        return "Product"
    if parts[-1] in capitals.MEETINGS or parts[-1] == "Meeting":
        return "Event"  # "Annual General Meeting (AGM)"
    cue = capitals.type_cue(name) if name[:1].isupper() else None
    if cue is not None and cue[0] == "Organization" and cue[1] >= 0.8:
        return "Organization"  # "Office of Products and Programs (OPP)"
    of_place = parts[-1] in PLACES and name.istitle() and (len(parts) > 2 or parts[0] not in _DIRECTIONS)
    if is_called_body(name) or (len(parts) > 1 and (of_place or parts[-1] == "Community")):
        return "Organization"  # "the technical committee (TC)", "Public Health England (PHE)"
    kind = phrase_type(name.lower(), reach=1)
    if kind == "Product" and (parts[-1].lower() in ("manager", "framework") or parts[-1] == "App"):
        return kind  # "Node Package Manager (NPM)", but "single-lamp app (SLA)"
    if len(parts) > 2 and parts[-1] in ("Program", "Programme") and name.istitle():
        return "Program"  # "Digital Lamp Program (DLP)"
    if written == "Technology":
        return written
    return "Technology" if len(short) > 2 and short in TECHNIQUES else "Concept"


_NO_PEOPLES = frozenset(("Organization", "Person", "Location", "Product", "Work", "Facility", "Event"))
"""What no adjective of a people names."""


def settle_votes(named: NameFindings, wording: Wording) -> None:
    """Turn the tags of all sentences into votes: a share of the tags each, more with more sentences.

    Where the words of the name show the same type, both count; where they show another, the surer one wins.
    """
    prose = wording.prose
    known = well_known_type(named.name)
    if named.name in words.DEMONYMS:
        named.acts = 0
        for found in (named.clues, named.tags, named.votes):
            for type_ in _NO_PEOPLES & found.keys():
                del found[type_]  # "use English", "German media"
    if named.name in words.SIDES and named.tags:
        named.tags, named.votes = Counter(Group=named.tags.total()), {}
    if named.name in FIRMS_TOO and not (named.acts or named.clues["Organization"] or named.votes.get("Organization")):
        known = "Product"
    if known:
        if known == "Organization":
            named.clues.pop("Product", None)  # "the Google app" is a product, Google is none
        named.votes = {known: 0.45 if named.name in FIRMS_TOO else 0.6}
        named.tags = Counter({known: named.tags.total()})
    if capitals.is_conference(named.name) and named.tags:
        named.tags = Counter(Event=named.tags.total())  # the tagger takes it for an organization
    if capitals.is_of_working_group(named.name) or capitals.is_of_working_group(named.name.partition(" ")[2]):
        named.tags, named.votes = Counter(Concept=named.tags.total()), {}
    if capitals.is_body_for(named.name) and named.tags:
        named.tags = Counter(Organization=named.tags.total())
    if roles.is_role_of_body(named, prose):
        named.tags = Counter(Concept=named.tags.total())
        named.votes = {}
    if named.tags.get("Person") and named.name.isupper() and named.name.isalnum() and not named.clues.get("Person"):
        named.tags["Organization"] += named.tags.pop("Person")  # an acronym
    if named.tags.get("Person") and not may_be_person(named.name):
        del named.tags["Person"]
        named.votes.pop("Person", None)
    if named.tags.get("Person") and _is_several(named.name, prose):
        del named.tags["Person"]
        named.votes.pop("Person", None)
        named.clues.pop("Person", None)
    if named.tags.get("Location") and not named.clues.get("Location") and not may_be_place(named.name, prose):
        del named.tags["Location"]
    foreign = not named.name.isascii() and " " not in named.name  # the tagger does not know such letters
    if (foreign or named.name in words.CLEAR_GIVEN) and not (named.clues.get("Organization") or named.acts):
        del named.tags["Organization"]  # "Łukasz"
    if named.tags.get("Location") and _has_plural(named, wording):
        del named.tags["Location"]  # "a Bonus Point"
        named.clues.pop("Location", None)
        named.votes.pop("Location", None)
    if named.tags.get("Location") and _has_article(named):
        del named.tags["Location"]  # "the Saint Brenna": a ship, a hotel, a ball
    parts = named.name.split()
    last = parts[-1]
    group = capitals.is_working_group(named.name)  # "SIG Testing"
    if named.tags.get("Organization") and (
        last in ("Charter", "Charters") or (_is_notion(named, wording) and not group)
    ):
        named.tags["Work" if last.startswith("Charter") else "Concept"] += named.tags.pop("Organization")
        named.votes.pop("Organization", None)
        named.clues.pop("Organization", None)
        if last == "Charter" and not wording.plain(named.name):
            named.votes["Work"] = 0.6  # its other words are a name
    if named.tags.get("Person") and not named.name.isascii() and _is_spelled_as_person(parts) and not named.acts:
        named.tags["Person"] += named.tags.pop("Organization", 0)  # "Łukasz Rozmej"
    if known != "Organization" and (
        (not SYSTEMS.isdisjoint(parts) and last not in words.ORGANIZATION_HEADS and not _is_not_software(named))
        or (parts[0] in _SUITES and last in _OF_SUITES)
        or (software.is_software(named.name) and not (named.name in FIRMS_TOO and named.votes.get("Organization")))
        or _is_program(named, wording)
        or (len(parts) > 1 and last in SOFTWARE and not named.acts)  # "CNCF Slack"
        or (len(parts) == 2 and last in words.PARTS_OF_PROGRAMS and parts[0] in words.GIVEN_NAMES)  # "Diego Cells"
    ):
        named.tags = Counter(Product=named.tags.total())
        named.votes.pop("Organization", None)  # "Amazon Elastic Container Service"
        if last in words.PARTS_OF_PROGRAMS:
            named.votes.pop("Person", None)
    paper = written_type(named.name)
    if paper and SYSTEMS.isdisjoint(parts) and not set(named.votes) - {"Law"}:
        for kind in _NO_PAPERS & named.tags.keys():
            named.tags[paper] += named.tags.pop(kind)  # "the Lamp Policy repository"
            named.votes.pop(kind, None)
    if len(parts) > 1 and named.tags.get("Organization") and not named.votes and not named.clues.get("Organization"):
        term = "Concept" if last in words.TERM_HEADS else "Organization"
        kind = written_type(named.name) or ("Work" if last in words.DOCUMENT_HEADS else term)
        named.tags[kind] += named.tags.pop("Organization")
    if _is_part_of_code(named, parts) and len(wording.code) > MUCH_CODE:
        named.tags["Concept"] += named.tags.pop("Organization")
    if last in _GATHERINGS and len(parts) > 1 and not (named.acts or known):
        named.tags["Event"] += named.tags.pop("Organization", 0)
    if last in _PERIODICALS and len(parts) > 1 and not (named.acts or known):
        named.tags, named.votes = Counter(Work=named.tags.total()), {"Work": UNSIGNED}
    if last in _PUBLIC and len(parts) > 1 and named.tags.get("Organization") and not named.votes:
        named.votes["Organization"] = MOST
    if last in _SEVERAL and len(parts) > 1 and named.tags.get("Organization") and not (named.acts or named.votes):
        named.tags[_SEVERAL[last]] += named.tags.pop("Organization")
    if named.name in wording.terms and not (known or named.acts or group):
        named.tags, named.votes = Counter(Concept=named.tags.total()), {"Concept": TERMED}
    named.shown = dict(named.votes)
    kinds = [kind for kind in _TERMS if named.shown.get(kind)]
    clear = kinds[:1] == ["Technology"] or not named.clues.get("Organization")
    if named.defined and kinds and clear and SYSTEMS.isdisjoint(named.name.split()):
        # The text explains a term; the tagger takes every one for an organization.
        runs = kinds[0] == "Concept" and named.clues["Product"] >= max(RECURS, SOFTWARE_SHARE * named.count)
        named.tags = Counter({"Product" if runs else kinds[0]: named.tags.total()})
        if runs:  # "the Lamp Hardware Interface (LHI)", of which there are versions
            del named.votes[kinds[0]]
    named.tags = as_software(named.tags, named.clues, named.count, named.acts)
    if named.tags.total():
        named.votes = type_weights(named.tags, named.shown)


def _is_not_software(named: NameFindings) -> bool:
    """Whether a name that holds one of software is that of an event, a group or a paper: *Kubernetes Forum*."""
    return (
        named.clues["Event"] >= CLUE
        or bool(named.votes.get("Event"))
        or written_type(named.name) != ""
        or is_called_body(named.name)
        or _is_branch(named.name)
        or capitals.is_of_working_group(named.name.partition(" ")[2])
        or capitals.is_working_group(named.name.partition(" ")[2] or "-")
    )


def _is_branch(name: str) -> bool:
    """Whether a name is that of a body with the place where it works: *Lamp Foundation Europe*."""
    parts = name.split()
    return len(parts) > 2 and parts[-1] in PLACES and parts[-2] in words.ORGANIZATION_HEADS


def _is_program(named: NameFindings, wording: Wording) -> bool:
    """Whether the text has a name, which acts as no body, also as programs are called: *Lamp Finder* beside
    ``lamp-finder``."""
    return (
        len(wording.code) > MUCH_CODE
        and " " in named.name
        and not named.acts
        and not named.clues.get("Organization")
        and set(named.tags) <= {"Organization", "Product", "Work", "Facility"}
        and named.name.lower().replace(" ", "-") in wording.slugs
        and not is_called_body(named.name)
    )


def _is_notion(named: NameFindings, wording: Wording) -> bool:
    """Whether a name is that of a kind of project, of which the text has several: *Lesson Projects*."""
    last = named.name.rpartition(" ")[2]
    several = named.name if last.endswith("s") else f"{named.name}s"
    return (
        last.removesuffix("s") in ("Program", "Programme", "Project")
        and " " in named.name
        and " of " not in named.name
        and not named.known
        and (wording.plain(named.name) or last.endswith("s"))
        and (named.uses["noun"] > 0 or wording.holds(several))
    )


def _is_spelled_as_person(parts: Sequence[str]) -> bool:
    """Whether a name is two or three words, each with one capital, none of which says what bodies are called."""
    return 2 <= len(parts) <= 3 and all(
        part.isalpha() and part.istitle() and part not in words.ORGANIZATION_HEADS | words.PLACE_HEADS for part in parts
    )


def _is_part_of_code(named: NameFindings, parts: Sequence[str]) -> bool:
    """Whether only the tagger takes a name that ends in letters for a body's, where there is code: *DB2 JCC*."""
    return (
        len(parts) == 2
        and parts[1].isupper()
        and len(parts[1]) > 2
        and parts[1] not in words.STRONG_SUFFIXES | words.ORGANIZATION_HEADS
        and not capitals.is_working_group(named.name)
        and named.tags["Organization"] > 0
        and not (named.acts or named.votes or named.clues["Organization"])
    )


def _is_several(name: str, prose: Collection[str]) -> bool:
    """Whether a name that no given name opens ends in the plural of a word of the text: *Argo Rollouts*, of *a
    rollout*."""
    first, _, last = name.rpartition(" ")
    one = last.lower().removesuffix("s")
    return (
        first.split()[:1] != [] and first.split()[0] not in words.GIVEN_NAMES and one != last.lower() and one in prose
    )


def stands_elsewhere(named: NameFindings) -> bool:
    """Whether a name that the tagger takes for a place's hardly ever stands where one does."""
    return not named.clues["Location"] and named.uses["elsewhere"] >= MOST * named.tags["Location"]


def _has_plural(named: NameFindings, wording: Wording) -> bool:
    """Whether a name of several words, the last of which is only what places are called, is one of a kind, as the text
    has its plural: *Bonus Points*, *Focus Areas*. Of *Cook Island* the plural is a place."""
    several = f"{named.name}s"
    return (
        " " in named.name
        and not (named.known or named.declared or named.name in PLACES or several in PLACES)
        and not is_place_head(several.rpartition(" ")[2])
        and wording.holds(several)
    )


def _has_article(named: NameFindings) -> bool:
    """Whether a saint's name that the tagger takes for a place's stands behind *the*, and hardly ever where places
    do."""
    return (
        _SAINT.fullmatch(named.name) is not None
        and not named.clues["Organization"]
        and named.tags["Location"] > 1
        and 2 * named.uses["the"] >= named.count
        and stands_elsewhere(named)
    )


def only_tagged(named: NameFindings) -> bool:
    """Whether nothing but tags speaks for the type of a name."""
    best = named.best
    return best is None or (best[1] <= MOST and named.tags.get(best[0], 0) > 0)


def only_seems_body(named: NameFindings, wording: Wording) -> bool:
    """Whether nothing but the tagger says that a name with capitals inside, where there is code, is a body's: elsewhere
    it is a firm's (*AltaVista*)."""
    if named.best is None or named.best[0] != "Organization" or len(wording.code) <= MUCH_CODE:
        return False
    said = name_evidence(named, wording)
    return (
        said.camel
        and said.single
        and not (named.acts or named.votes.get("Organization", 0) > MOST or may_be_body(said))
    )


def name_evidence(named: NameFindings, wording: Wording) -> Evidence:
    """What the document says of a name, in a form that adds up over documents."""
    name = named.name
    known = well_known_type(name) != "" or name in FIRMS_TOO
    against = Counter({kind: count for kind, count in named.uses.items() if count})
    if not known:
        against.update(_doubts(named, wording))
    if len(wording.code) > MUCH_CODE:
        against["beside"] = 1
    if name in COMMON_NOUNS or (named.name.isupper() and name in PRACTICES):
        against["generic"] = 1
    single = re.search(r"[\s-]", name) is None
    return Evidence(
        seen=named.count,
        types={type_: count for type_, count in named.tags.items() if count},
        clues={type_: count for type_, count in named.clues.items() if count},
        shown=named.shown if named.tags else named.votes,
        against=dict(against),
        word=single
        and not known
        and (not name.isupper() or len(name) >= capitals.SHOUTED)
        and name not in PLACES
        and _is_word(name.lower()),
        single=single,
        plain=not single and not name.endswith(" Community") and wording.plain(_HUMP.sub(" ", name)),
        acronym=single and 2 <= len(name) <= 6 and sum(map(str.isupper, name)) >= 2 and _SIGNS.sub("", name).isalnum(),
        camel=_INNER_CAPITAL.search(name) is not None,
        acts=named.acts,
        common_head=bodies.is_common_head(name) and not capitals.is_working_group(name),
        address=bodies.is_address(name),
    )


def _doubts(named: NameFindings, wording: Wording) -> list[str]:
    """What the wording of a document says against a name of which nobody knows beforehand what it means."""
    name = named.name
    doubts = {
        "code": name in wording.code or "/" in name.replace(" / ", " "),
        "common": wording.common(name, named.count),
        "heading": _is_title(named, wording),
        "label": bool(wording.code) and _unlikely_beside_code(named, wording),
    }
    return [kind for kind, doubted in doubts.items() if doubted]


def _is_word(lowered: str) -> bool:
    return is_ordinary(lowered) or tagging.is_inflected_verb(lowered)


def _is_title(named: NameFindings, wording: Wording) -> bool:
    """Whether a name that only the tagger vouches for is more likely a heading: ``Installing the Tools``."""
    name = named.name
    first = name.lower().split()[0]
    if fragments.is_heading(name):
        return True
    # "Steering Council" is no heading: who steers, in a body of two words.
    called = is_called_body(name) and name.count(" ") == 1
    if " " in name and first.endswith("ing") and tagging.is_word(first) and not called:
        return True
    if " " in name and tagging.is_only_verb(first) and not named.acts and wording.plain(name):
        return True  # "Create Project", of a menu
    if " " in name and name.isupper() and wording.plain(name):
        return True
    best = named.best
    if best is None or named.clues.get(best[0]) or capitals.type_cue(name) is not None:
        return False
    return (
        wording.is_heading(name) and wording.plain(name) and (" " in name or tagging.is_verb_or_adjective(name.lower()))
    )


def _unlikely_beside_code(named: NameFindings, wording: Wording) -> bool:
    """Whether a name is more likely a term: where there is code the tagger takes terms for persons and places."""
    best = named.best
    if best is None or named.clues.get(best[0]) or capitals.type_cue(named.name) is not None:
        return False
    if named.name in TECHNIQUES or not SYSTEMS.isdisjoint(named.name.split()):
        return False
    if best[0] == "Person" and " " in named.name and may_be_person(named.name) and not wording.plain(named.name):
        return False
    if best[0] in ("Person", "Location", "Facility", "Work"):
        return True
    lowered = named.name.lower()
    return " " not in lowered and (tagging.is_verb_or_adjective(lowered) or lowered in wording.heading_words)
