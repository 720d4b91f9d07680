"""Which names of one spelling are entities: those in code and the members of series that enough documents suggest.

Used by the gazetteer; pure. A document that has ``Get-Item`` in a code span, or ``PEP 703`` in a sentence, only
suggests it (``kgfs.documents.identifiers``): a single one may be an example, a value, a typing error.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from kgfs.documents.identifiers import KNOWN_SERIES, STANDARDS, Series, code_shape, read_series
from kgfs.documents.suggestions.attendance_names import ATTENDEE
from kgfs.documents.suggestions.profile_names import PROFILE
from kgfs.documents.suggestions.project_names import PROJECT
from kgfs.documents.suggestions.site_names import OFFICIAL_SITE, SITE
from kgfs.documents.suggestions.speakers import SPEAKER
from kgfs.extraction.names import capitals, tagging
from kgfs.extraction.names.kinds import written_type
from kgfs.extraction.names.people.name_words import may_be_somebody
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import phrase_type
from kgfs.extraction.names.wordlists.places import PLACES
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO, OTHER_NAMES, SYSTEMS, well_known_type
from kgfs.model import DefinedTerm, EntityCandidate, GazetteerEntry

ENOUGH = 3
"""Documents that have a name in code; a heading of its own counts as two."""
ENOUGH_NUMBERS = 2
"""How often the member of a series stands in all documents."""
FAMILY = 3
"""Commands of one program, numbers of one series: so many show that it is one."""
LONG_NUMBER = 3
"""Digits of a number that alone shows a series, with a dash before it: ``JIRA-123``."""
_SIZES = frozenset(str(2**power) for power in range(7, 17))
"""Numbers that say how large something is: ``AVX-512``."""
_AGREE = 0.6
"""The share of names of one shape whose type the others of that shape have too."""
_ALIKE = frozenset({"verb-noun"})
"""Shapes that mostly have names of one type in one collection: cmdlets here, functions there."""
_SAID = 0.2
"""The share of the documents with a name in code that say what it is."""
IDENTIFIER, STANDARD = "Identifier", "Standard"
_NEVER_CODE = frozenset({"Event", "Facility", "Law", "Location", "Species"})
_SELDOM_CODE = frozenset({"Concept", "Organization", "Person", "Work"})
_SETTING = re.compile(r"[a-z]{3,}(?:[A-Z][a-z]+)+(?:IDs?|URLs?)?|[a-z]{3,}(?:ID|URL)s?")
CODE_TYPES = {
    "cmdlet": "Command", "command": "Command", "function": "Function", "class": "Class", "module": "Module",
    "setting": "Setting", "property": "Property",
}  # fmt: skip
"""What the noun beside a name in code says of its type."""
ENOUGH_MENTIONS = 3
"""How often the sentences of all documents have the name of a project whose address some of them give."""
LINK_TYPES = {SITE: "Product", OFFICIAL_SITE: "Organization", PROFILE: "Person"}
"""What a link to the site or the profile of a name says of its type."""


def _is_somebody(name: str) -> bool:
    """Whether a name that has a site is a person's: *[Danny Ames](https://dannyames.com/)*."""
    parts = name.split()
    return 2 <= len(parts) <= 3 and parts[0] in words.CLEAR_GIVEN and parts[-1][:1].isupper() and may_be_somebody(parts)


def suggested_entity(term: DefinedTerm, folder: str) -> EntityCandidate:
    """What a document in ``folder`` suggests, as a candidate with a weight."""
    if term.kind == ATTENDEE:
        return EntityCandidate(name=term.name, type="Person", confidence=0.5, weight=term.weight, attends=True)
    type_ = IDENTIFIER if read_series(term.name) else LINK_TYPES.get(term.kind) or CODE_TYPES.get(term.kind, "")
    speaks_in = folder if term.kind == SPEAKER else None
    if type_ == "Product" and term.kind == SITE and _is_somebody(term.name):
        type_ = "Person"
    aliases = [term.definition] if term.kind == PROFILE and term.definition else []
    if term.kind == PROJECT:
        return EntityCandidate(name=term.name, type="Product", confidence=0.5, weight=term.weight, unsaid=True)
    return EntityCandidate(
        name=term.name, type=type_, aliases=aliases, confidence=0.5, weight=term.weight, speaks_in=speaks_in
    )


class Suggestions:
    """What all documents suggest."""

    def __init__(self) -> None:
        self._weights: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()
        self._types: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._sites: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._profiles: dict[str, list[str]] = {}
        """Names of persons to their handles."""
        self._projects: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Names of projects in small letters to how often they are written how."""

    def add(self, candidate: EntityCandidate) -> None:
        """Add what one document suggests."""
        name = OTHER_NAMES.get(candidate.name, candidate.name)
        if candidate.unsaid and candidate.type == "Product":
            self._projects[name.casefold()][name] += candidate.weight
            return
        self._weights[name] += candidate.weight
        self._documents[name] += 1
        if candidate.type:
            self._types[name][candidate.type] += 1
        if candidate.type == "Person":
            if _may_have_profile(name):
                self._profiles.setdefault(name, []).extend(candidate.aliases)
        elif candidate.type in LINK_TYPES.values() and _has_site(name):
            self._sites[name][candidate.type] += 1

    def entries(self) -> Iterator[GazetteerEntry]:
        """The names that enough documents suggest, each with its type; one whose type nothing shows is a concept."""
        series = {name: found for name in self._weights if (found := read_series(name)) is not None}
        for name in self._members(series):
            type_ = STANDARD if series[name].series in STANDARDS else IDENTIFIER
            yield GazetteerEntry(name=name, type=type_, declared=False)
        for name, handles in self._profiles.items():
            if name not in self._sites:
                yield GazetteerEntry(name=name, type="Person", aliases=list(dict.fromkeys(handles)), declared=False)
        for name, types in self._sites.items():
            shown = capitals.type_cue(name)
            said = phrase_type(name, reach=1) if " " in name else ""
            type_ = shown[0] if shown is not None else min(types, key=lambda one: (-types[one], one))
            # "JSON" has a site of its own, too.
            if type_ == "Product" and (" of " in name or (" " in name and name.split()[-1] in PLACES)):
                type_ = "Organization"  # "Trail of Bits", "New Media Denver"
            known = well_known_type(name) or ("Product" if name in FIRMS_TOO & SYSTEMS else "")
            type_ = known or written_type(name) or (said if said in ("Organization", "Event") else type_)
            yield GazetteerEntry(name=name, type=type_, declared=False)
        sites = {name.casefold() for name in self._sites}
        for key, written in self._projects.items():
            if written.total() >= ENOUGH_MENTIONS and key not in sites and _is_project(written):
                name, *others = sorted(written, key=lambda form: (-written[form], form))
                yield GazetteerEntry(name=name, type="Product", aliases=others, declared=False, unsaid=True)
        code = [
            name
            for name, weight in self._weights.items()
            if name.strip()
            and weight >= ENOUGH
            and self._documents[name] > 1
            and name not in series
            and name not in self._sites
            and name not in self._profiles
            and name.casefold() not in self._projects
        ]
        families = Counter(name.split()[0] for name in code if " " in name)
        kept = [name for name in code if " " not in name or families[name.split()[0]] >= FAMILY]
        usual = self._usual_types(kept)
        for name in kept:
            type_ = self._said(name) or usual.get(code_shape(name), "")
            if not type_ and code_shape(name) == "camel":
                continue  # "PowerShell": its capitals are no sign of code, and the texts know better
            aliases = [name.removesuffix("()")] if name.endswith("()") and code_shape(name.removesuffix("()")) else []
            yield GazetteerEntry(name=name, type=type_ or type_by_shape(name), aliases=aliases, declared=False)

    def programs(self) -> set[str]:
        """The first words of the commands that stand in code."""
        return {name.split()[0] for name in self._weights if code_shape(name) == "command"}

    def _members(self, series: dict[str, Series]) -> Iterator[str]:
        numbers = Counter(found.series for found in series.values())
        for name, found in series.items():
            if self._weights[name] < ENOUGH_NUMBERS:
                continue
            several = numbers[found.series] >= FAMILY
            digits = len(found.number.partition("-")[0].partition(".")[0])
            long = "-" in name and digits >= LONG_NUMBER and found.number not in _SIZES
            if found.series in KNOWN_SERIES or several or long:
                yield name

    def _said(self, name: str) -> str:
        """The type that the words beside a name show, in enough of the documents that have it."""
        said = self._types[name]
        type_ = min(said, key=lambda one: (-said[one], one), default="")
        return type_ if said[type_] >= _SAID * self._documents[name] else ""

    def _usual_types(self, names: list[str]) -> dict[str, str]:
        """The type that most names of a shape have, where most of those with one agree."""
        usual = {"call": "Function", "command": "Command"}
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for name in names:
            if said := self._said(name):
                counts[code_shape(name)][said] += 1
        for shape in _ALIKE & counts.keys():
            types = counts[shape]
            type_, count = types.most_common(1)[0]
            if count >= FAMILY and count >= _AGREE * types.total():
                usual.setdefault(shape, type_)
        return usual


def is_of_code(name: str) -> bool:
    """Whether a name is spelled as those of code are, and as no others: ``lamp_size``, ``LampLoader``."""
    return code_shape(name) not in ("", "command", "verb-noun")


def type_in_code(name: str, type_: str) -> str:
    """``type_``, but for what no thing with a name of code is: ``LampSession`` is no event, ``lamp_size`` no concept.

    A name with inner capitals may be a firm's (*OpenStack*), or that of a practice (*DevOps*).
    """
    shape = code_shape(name)
    if type_ == "Event" and capitals.is_conference(name):
        return type_  # "LampCon"
    if shape == "camel":
        never = _NEVER_CODE | _SELDOM_CODE if is_setting(name) else _NEVER_CODE
        return type_by_shape(name) if type_ in never else type_
    return (
        type_by_shape(name) if shape in ("call", "dotted", "snake") and type_ in _NEVER_CODE | _SELDOM_CODE else type_
    )


def type_by_shape(name: str) -> str:
    """The type of a name in code that nothing else shows: of ``lamps.LampLoader`` a class, of ``lamp_size`` that it is
    an identifier."""
    shape = code_shape(name)
    if shape in ("dotted", "camel") and re.split(r"[.:]+", name)[-1][0].isupper():
        return "Class"
    if shape in ("dotted", "snake") or is_setting(name):
        return IDENTIFIER
    return "Function" if shape == "call" else "Concept"


def is_setting(name: str) -> bool:
    """Whether a name is spelled as settings are: ``copyRangeMethod``, but not *arXiv*, *eBPF*."""
    return _SETTING.fullmatch(name) is not None


def _is_project(written: Counter[str]) -> bool:
    """Whether the forms of a name may be those of a project: no firm's that everybody knows, no place's."""
    return not any(name in PLACES or well_known_type(name) == "Organization" for name in written)


_SAY_HOW = frozenset("Awesome Fast Free Full Great Live Modern New Nice Open Original Public Quick Simple".split())
"""Words that begin sentences on tools: their sites are what comes behind them."""


def _has_site(name: str) -> bool:
    """Whether a link to a site of its name shows that something is a tool or a body: nobody's, no place's does."""
    if name in _SAY_HOW or (" " not in name and tagging.is_only_verb(name.lower())):
        return False  # "Open source", "Discover more"
    return name not in PLACES and not (" " in name and name.split()[0] in words.GIVEN_NAMES)


def _may_have_profile(name: str) -> bool:
    """Whether a link to a profile shows that somebody is called by a name: nothing in it says that it is a body's."""
    cue = capitals.type_cue(name)
    parts = name.split()
    if is_ordinary(parts[-1].lower()) and re.search(r"[a-z][A-Z]{2}", parts[0]) is not None:
        return False  # "OpenJS Case Studies (@ann)", who reports on it
    return cue[0] == "Person" if cue is not None else parts[-1] not in words.NO_SURNAMES and may_be_somebody(parts)
