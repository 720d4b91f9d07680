"""The subject of a page: what its title names, what its lead says that it is, and by what other names it goes.

Used for the names that documents declare (``gazetteer``), so by the pipeline and by the extractor; pure. Titles are
names as a rule in encyclopedias, vaults of notes and manuals; in reports, news and minutes they are not. What is no
name must not become one: a title that many texts would seem to mention does more harm than a missing entity.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import PurePosixPath

from kgfs.documents.dates import MONTH_NAMES, from_name, from_title
from kgfs.documents.formats.registry import format_of
from kgfs.documents.identifiers import KNOWN_SERIES, read_series
from kgfs.extraction.names import capitals, foreign_titles, words
from kgfs.extraction.names.kinds import SaidKind, definition_type, named_kind, noun_type, phrase_type, said_kind
from kgfs.model import DefinedTerm, EntityCandidate, ParsedDocument

MONTHS = frozenset(name.lower() for name in MONTH_NAMES)
MAX_ALIAS = 100
"""Letters of what a title says behind a number."""
_BIRTH = 120
"""Letters of a lead that opens with somebody's birth: *Born in Oslo, Ada Lovell studied …*."""
MAX_WORDS = 12
"""Words of a title whose lead says what it is."""
MAX_TERM_WORDS = 8
MAX_UNCONFIRMED = 5
"""Words of a title for which only its form speaks."""
_TITLED = frozenset({"rst", "org", "asciidoc"})
_STRUCTURES = _TITLED | {"markdown", "html", "plain"}
_SERIES_TITLE = re.compile(
    r"\s*(?P<number>[A-Za-z/]{1,10}[ _-]?\d[\d.-]*\d|[A-Za-z/]{1,10}[ _-]?\d)(?:\s*(?:[–—:]|\s-)\s*(?P<said>\S.*))?$"
)
_BRACKET = re.compile(r"^(?P<name>.{2,}?)\s*[(（](?P<what>[^()（）]{1,60})[)）]$")
_PARTICLES = frozenset(
    "de del della der den di da do dos du la le van von zu ter ten bin ibn al el y e i und ap".split()
)
"""Small words in the names of persons."""
_ROLES = frozenset("assistant human system user".split())
"""Who speaks in a conversation with a model: in a brief a heading of that name would look like one of its turns."""
_GENERIC = (
    foreign_titles.GENERIC
    | _ROLES
    | frozenset(
        """
        about acknowledgements acknowledgments agenda annex appendix archive asked authors backlog bibliography
        bookmarks changelog changes chapter cheatsheet checklist conclusion conclusions contact contacts content
        contents contributing contributors copyright cover credits dashboard default definitions description diary
        disclaimer documentation draft drafts essay example examples faq faqs feedback foreword frequently general
        glossaries glossary help history home homepage howto imprint inbox index install installation intro
        introduction issues journal legal licence license links list log main methodology minutes misc miscellaneous
        moc new news note notes objectives outline overview page pages part plan preamble preface privacy questions
        quickstart quiz readme reference references related release releases requirements resources results roadmap
        sample scratch scratchpad search section setup sitemap slides sources start start-here summary support
        none null nil true false yes
        syllabus syntax template templates terminology terms test testing thanks toc todo tools tutorial tutorials
        uncategorized untitled update updates upgrading usage using version welcome what's-new whatsnew work
        workflow
    """.split()
    )
)
"""Titles that say where in a collection a page stands, not what it is about."""
_ON_A_THING = re.compile(
    r"(?i:^(?:introduction|intro|guide) to\b)|(?i: how-?to)$|"
    r" (?:for|as|with|using|without) (?:an? |the )?[a-z][\w-]*(?: [a-z][\w-]*)*$"
)
"""A title of a text on something, not its name: *GitHub for newcomers*, *Flatpak as a platform*."""
_TEXTS = foreign_titles.TEXTS | frozenset(
    "minutes report reports letter letters notes agenda transcript newsletter digest bulletin release releases "
    "changelog meeting meetings statement update updates review recap standup retrospective log".split()
)
"""With a date or a number beside them they name one text of many."""
_PARTS = re.compile(
    r"(?i)^(?:part|chapter|section|lesson|step|week|day|module|unit|play|appendix|figure|table|episode|volume|vol|no|lecture"
    r"|exercise|session|sprint|draft|version|v|note|page|slide|item|question|article|rule|act|scene|canto|book|question)\.?"
    r"(?:\s*#?\d|\s+(?:[ivxlc]+|[a-z])\b)"
)
_NUMBERED = re.compile(r"^(?:\d+[.):]|\d+(?:\.\d+)+\.?|#?\d+\s*[-–—:])\s*")
_PROPER = frozenset({"Organization", "Person", "Facility", "Product", "Event"})
"""Types whose names are written with capitals."""
_OWN = frozenset({"Organization", "Person", "Location", "Facility", "Work", "Event", "Product", "Law"})
"""Types of what has a name of its own: what texts call *a module* is none of them."""
_OPENING = re.compile(
    r"(?i)^(?:how|why|what|what's|when|where|who|which|whose|whether|if|can|should|is|are|do|does|did|will|would|could|"
    r"everything|things|tips|about|see|using|more|learn|let's|your|my|our|we|i|you|this|these|from|to|on|in|for|at|by|with|"
    r"understanding|introducing|introduction to|overview of|guide to|getting|welcome)\b[’' ]"
)
_ABOUT = re.compile(r"^about_\w+$")
_CALL = re.compile(r"::|\w\(|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
"""What code calls: ``WP_CLI::halt()``, ``MAX_SIZE``. Its low lines are its own."""
_MARKUP = re.compile(r"[^\w\s]{4,}|[{}<>|=\\]|https?:|www\.|@\w|\w\.(?:com|org|net|io|md|html?)\b/")
_SENTENCE = re.compile(r"[!?…:;]$|(?<!\b[A-Z])(?<!\b(?:Jr|Sr|Co|St))(?<!\b(?:Inc|Ltd))(?<!\bCorp)\.$")
_HEX = re.compile(r"(?i)^(?=[0-9a-f_-]*\d)[0-9a-f]{6,}(?:[-_][0-9a-f]{2,})*$|^[\W\d_]+$")
_WORD = re.compile(r"[^\W_]+(?:[’'.&/+-][^\W_]+)*\+*#?")
_LIFE = re.compile(
    r"\((?:[^()]{0,80}[ ,;])?(?:born\b|(?:born |b\. |c\. )?(?:\d{1,2} )?(?:[A-Z][a-z]+ )?(?:\d{1,2}, )?\d{3,4}\s*[–—-])"
)
_BORN = re.compile(
    rf"\([^()]{{0,120}}(?:\bborn\b|\bb\. \d|\b(?:{'|'.join(sorted(MONTH_NAMES))})\b[^()]{{1,20}}[–—-]"
    r"[^()]{0,30}\d{4}\))"
)
_OTHER_NAME = re.compile(
    r"\b(?:known(?: simply)? as|called|abbreviated(?: as| to)?|nicknamed|referred to as|stylized as|stylised as|"
    r"short for|or simply)\s+(?:the\s+)?[\"“'‘*_]*(?P<name>[^\W\d_a-z][^,;()\"”*_]{1,50}?)[\"”'’*_]*"
    r"(?=[,;()]|\s(?:is|was|are|were|and|or|in|by|after|before|for|since|from|on|because|to)\b|\.?$)"
)
_SHORT = re.compile(r"\((?:the |or |abbreviated |abbr\. )?[\"“*]*(?P<name>[A-Z][A-Z0-9&.-]{1,9})[\"”*]*[);,]")
_LIST = re.compile(r"(?i)^(?:lists?|index|outline|glossary|table|timeline|comparison|categor(?:y|ies)) of\b")
_SUFFIX = re.compile(rf",? (?:{'|'.join(sorted(words.STRONG_SUFFIXES))})\b\.?")
_IN = re.compile(r"^(?:In|On|At|Within|Under|For|As|[A-Z][a-z]+ed (?:by|in|as|at|from|on)) [^,]{2,60}, ")
_FIRST = re.compile(r"[.,;:(–—]| - | is | are | was ")
_PLURAL = re.compile(r"(?<!s)(?<!serie)(?<!specie)s$")
"""*Breed standard (dogs)*: a field, not what it is."""
_ARTICLE = re.compile(r"(?i)^(?:an?|the)\s+")
_REDIRECT = re.compile(r"(?im)^\s*#?redirect(?:s to|:)?\s*:?\s*\[\[(?P<to>[^\]|#\n]{1,160})")


_DATES = re.compile(
    r"\b(?:q[1-4]|h[12])\b|"
    r"\d+\.? mars\b|\d+(?:st|nd|rd|th|\s?[年月日])?|"
    rf"\b(?:{'|'.join(sorted({*MONTHS, *(month[:3] for month in MONTHS)}))})\b|"
    rf"\b(?:{'|'.join(sorted(foreign_titles.MONTHS))})\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:mon|tue|wed|thu|fri|sat|sun|week|of|the|q|fy|and|to|at|am|pm)\b"
)
"""The parts of a date: what is left without them is a name, or nothing."""


_SAID = re.compile(r"[^\W\d_]{2}")
_CLAUSE = frozenset("is are was were has have you your we our it not include includes".split())
"""Words that stand in sentences and headlines, seldom in names."""
_ORDERS = frozenset(
    "add ask avoid be become complete build choose close configure connect convert create customize define delete "
    "deploy "
    "disable discover don't edit enable ensure explore find get handle improve install invoke join keep learn make "
    "manage migrate open prepare promote provide publish reduce remove send submit take turn understand update "
    "upgrade view write".split()
)
"""Verbs that open the title of an instruction, and few names."""
_SPOKEN = frozenset("click here more this read see learn go back next previous you your below above".split())


class _Title:
    """A title as a name."""

    def __init__(self, text: str) -> None:
        found = _BRACKET.match(text)
        self.text = text
        self.base = found["name"].strip() if found else text
        """Without the bracket that tells it from others of its name."""
        self.what = found["what"] if found else ""
        self.short = ""
        """An acronym of the name: *Paid parental leave (PPL)*."""
        if self.what and capitals.stands_for(self.what, self.base):
            self.text, self.short, self.what = self.base, self.what, ""
        self.words = _WORD.findall(self.base)


def page_subject(document: ParsedDocument) -> EntityCandidate | None:
    """The entity that a page is about, by its title and its lead; ``None`` where its title names nothing.

    Its ``type`` is empty where neither says what it is: the texts decide. A page that redirects gives its title as
    another name of where it leads.
    """
    return _subject(
        document.title, document.lead, document.path, document.mime_type,
        (document.text or "")[:400] if not document.lead or "edirect" in document.lead[:20] else "",
    )  # fmt: skip


@lru_cache(maxsize=65536)
def _subject(title: str, lead: str, path: str, mime_type: str, head: str) -> EntityCandidate | None:
    structure = format_of(mime_type)
    if (structure.structure if structure else "plain") not in _STRUCTURES or mime_type == "message/rfc822":
        return None
    member = _member_of_series(title, path, lead)
    if member is not None:
        return member
    name = title_name(title, path)
    if not name:
        return None
    target = _REDIRECT.search(head or lead)
    if target is not None:
        to = " ".join(target["to"].replace("_", " ").split())
        return EntityCandidate(name=to, type="", aliases=[name], declared=True, confidence=1.0) if to != name else None
    given = _Title(name)
    said = said_kind(lead) if lead else None
    confirmed = (
        said is not None and (_is_about(lead[: said.start], given, said.kind) or _goes_by(lead[: said.start], given))
    ) or _opens_with(lead, given)
    kind = named_kind(lead)
    if not confirmed and kind is not None and _same(kind[0], given.base):
        return _candidate(given, lead, kind[1], [])
    if not confirmed and title == PurePosixPath(path).stem and structure is not None and structure.structure in _TITLED:
        return None  # "ch06-github.adoc": such a text has its title inside, or it is a part of another one
    if name == PurePosixPath(path).stem and name.islower() and name.isalpha() and not (confirmed and said):
        return None  # "check.md": a file's name that is a word, and nothing says of what
    if "may refer to" in lead[:120] or given.what == "disambiguation" or _LIST.match(given.text):
        return None
    company = _company(lead, given)
    if company:
        return _candidate(given, lead, "Organization", [company])
    if _ON_A_THING.search(given.base) and (said is None or said.type not in ("Work", "Concept")):
        return None
    if title == PurePosixPath(path).stem and not _is_called(title, lead):
        return None
    if not _may_name(given, confirmed or bool(given.short), bool(said and said.type)):
        return None
    return _candidate(
        given, lead, _type(given, lead, path, said if confirmed else None), _aliases(given, lead, said, confirmed)
    )


def _member_of_series(title: str, path: str, lead: str) -> EntityCandidate | None:
    """The subject of a page whose title is, or begins with, its number in a series: ``PEP 703 – Making …``."""
    found = _SERIES_TITLE.match(title)
    number = read_series(found["number"], loose=True) or read_series(found["number"]) if found else None
    if found is None or number is None:
        stem = PurePosixPath(path).stem
        number = read_series(stem, loose=True)  # "pep-0703.rst"
        said = title if title != stem else ""
    else:
        said = (found["said"] or "").strip()
    if number is None or (number.series not in KNOWN_SERIES and " " in number.name):
        return None
    aliases = [said] if len(said.split()) >= 3 and len(said) <= MAX_ALIAS else []
    return EntityCandidate(
        name=number.name, type="Identifier", aliases=aliases, description=lead, confidence=1.0, declared=True
    )


def _candidate(given: _Title, lead: str, type_: str, others: list[str]) -> EntityCandidate:
    if given.text.startswith("The ") and (
        (type_ in ("Concept", "Product") and len(given.words) > 2) or (not type_ and given.words[-1].islower())
    ):
        others = [given.text, *others]
        given = _Title(given.text[4].upper() + given.text[5:])
    # "President (corporate title)": what a common noun means elsewhere its bracket does not say.
    common = given.base.lower() in words.NOT_NAMES or bool(noun_type(given.base.lower()))
    # "Kestrel (album)" by a band of that name: elsewhere the name is the band's.
    eponymous = type_ == "Work" and len(re.findall(rf"(?<!\w){re.escape(given.base)}(?!\w)", lead)) > 1
    names = [given.base, *others] if given.base != given.text and not common and not eponymous else others
    if given.short:
        names = [given.short, *names]
    if "," in given.base and lead.startswith(f"{given.base.partition(',')[0]} "):
        names = [given.base.partition(",")[0], *names]
    return EntityCandidate(
        name=given.text,
        type=type_,
        aliases=[name for name in dict.fromkeys(names) if name.casefold() != given.text.casefold()],
        description=lead,
        confidence=1.0,
        declared=True,
    )


def title_name(title: str, path: str = "") -> str:
    """A title as the name of something, without its number and with spaces; empty where it is none."""
    name = unicodedata.normalize("NFC", " ".join(title.split())).strip("\"'“”*_` ")
    stem = PurePosixPath(path).stem
    if name == stem or (name and " " not in name and "_" in name and not _ABOUT.match(name) and not _CALL.search(name)):
        name = name if _ABOUT.match(name) else name.replace("_", " ").strip()
        if " " not in name and name == name.lower() and name.count("-") and "." not in name:
            name = name.replace("-", " ")  # ``leave-policy.md``
    name = _NUMBERED.sub("", name)
    if not 2 <= len(name) <= 120 or len(name.encode()) > 200 or not any(letter.isalpha() for letter in name):
        return ""
    bare = name.casefold().strip(".!?")
    if bare in _GENERIC or bare.replace(" ", "-") in _GENERIC or _MARKUP.search(name) or _HEX.match(name):
        return ""
    if _PARTS.match(name) or not _DATES.sub("", name.casefold()).strip(" -–—,.:_/|#()"):
        return ""
    return name


def defined_term(term: DefinedTerm) -> EntityCandidate | None:
    """The entity that a glossary's entry names; ``None`` where its name is a sentence, a date or too long.

    An acronym that is defined by its long form is another name of that: ``GSA - General Services Administration``.
    """
    name = title_name(term.name.rstrip(":"))
    if not name or len(name.split()) > MAX_TERM_WORDS or _SENTENCE.search(name) or _OPENING.match(f"{name} "):
        return None
    if not _CLAUSE.isdisjoint(name.split()) or (term.definition and not _SAID.search(term.definition)):
        return None
    aliases = []
    type_ = definition_type(term.definition)
    long = _long_form(name, term.definition)
    if long:
        name, aliases = long, [name]
        cue = capitals.type_cue(long)
        said = said_kind(term.definition)
        type_ = cue[0] if cue else said.type if said else ""
    if (type_ == "Person" and name.split()[0] not in words.GIVEN_NAMES) or (
        type_ in _OWN and _is_phrase(name) and (" " in name or type_ != "Product" or noun_type(name))
    ):
        type_ = "Concept"
    return EntityCandidate(
        name=name,
        type=type_,
        aliases=aliases,
        description=term.definition,
        confidence=0.9,
        declared=True,
    )


def _long_form(name: str, definition: str) -> str:
    """What a definition opens with, where the name is short for it: *Technology Transformation Services* for TTS."""
    opening = _ARTICLE.sub("", _FIRST.split(definition, maxsplit=1)[0]).strip(" \"'“”*_")
    written = capitals.find_capitals(opening)
    first = written[0].text if written and not written[0].start else ""
    for long in (opening, first):
        if not 1 < len(long.split()) <= MAX_TERM_WORDS or not capitals.stands_for(name, long):
            continue
        # A phrase in small letters explains an acronym; of a name of several words it is only what is said of it.
        if " " not in name or all(word[0].isupper() or word in words.TITLE_SMALL for word in long.split()):
            return long
    return ""


def _is_phrase(name: str) -> bool:
    """Whether the words of a name, but for the first letter, are written small: no thing of its own has it."""
    rest = name.split()[1:]
    return all(word == word.lower() for word in rest or name.split())


_OF_A_TEXT = re.compile(
    r"(?:an?|the) (?:short |brief |personal |quick |complete )?(?:history|overview|introduction|guide|account|summary|"
    r"review|survey|list|look|note|primer|tour|walk|story|comparison)\b",
    re.I,
)
_OWNERS = frozenset("its their his her our my your".split())
_PLACED = frozenset("in at on from with about under".split())


def _may_name(given: _Title, confirmed: bool, typed: bool) -> bool:
    """Whether a title is a name, by its form; one whose lead says what it is may be longer and odder."""
    count = len(given.words)
    if not count:
        # Scripts without spaces or capitals: short titles are names.
        return 2 <= len(given.base) <= 40
    if confirmed:
        return count <= (MAX_WORDS + 4 if typed else MAX_WORDS)
    if _SENTENCE.search(given.text) or from_title(given.text) or from_name(given.text):
        return False
    lowered = [word.lower() for word in given.words]
    if all(word in _GENERIC or word in words.TITLE_SMALL for word in lowered):
        return False
    if any(word in _TEXTS for word in lowered) and any(
        word.isdigit() or word in MONTHS or word in foreign_titles.MONTHS for word in lowered
    ):
        return False
    if (
        _OPENING.match(f"{given.base} ")
        or " - " in given.base
        or " – " in given.base
        or " — " in given.base
        or ": " in given.base
    ):
        return False
    if lowered[0].endswith("ing") and count > 1 and len(lowered[0]) > 4:
        return False  # "Finding a mentor"
    if lowered[0] in _ORDERS:
        return False  # "Install the client", "Join"
    if _OF_A_TEXT.match(given.text) or not _OWNERS.isdisjoint(lowered):
        return False  # "A History of Alphabet and Its Acquisitions"
    main = [word for word in given.words if word.lower() not in words.TITLE_SMALL]
    small = count - len(main)
    if not main or len(main) > MAX_UNCONFIRMED or small > 3 or any(char in given.base for char in "?!,"):
        return False
    if any(word in _CLAUSE for word in lowered):
        return False
    # A headline has small words that are no small words of a title: "Ad sales boost profit".
    lower = sum(word[0].islower() for word in main)
    return bool(lower <= 2 or lower == len(main) <= 3)


def _goes_by(subject: str, given: _Title) -> bool:
    """Whether what stands before a lead's verb calls its subject by the title: ``known as Mo Idle``, ``(XTEL)``."""
    called = rf"(?:\b(?:as|or|by|name|pseudonym|called|named|just|simply|was) |\()[\"“'(]?{re.escape(given.base)}(?!\w)"
    return re.search(called, subject) is not None


def _is_about(subject: str, given: _Title, kind: str) -> bool:
    """Whether what stands before a lead's verb names the title, with some words more or fewer.

    Of a longer title the kind may say the rest: *Electoral district of Braidwood*, "Braidwood was an electoral
    district".
    """
    text = re.split(r"[(\[,]", _IN.sub("", subject), maxsplit=1)[0].casefold()
    if "," in given.base and text.startswith(given.base.partition(",")[0].casefold()):
        return True  # "Waterford, New York": "Waterford is a town"
    names = [word.casefold() for word in given.words if word.lower() not in words.TITLE_SMALL] or [
        given.base.casefold()
    ]
    spoken = [word.casefold() for word in _WORD.findall(text) if word.casefold() not in words.TITLE_SMALL]
    if not spoken or len(spoken) > len(names) + 5 or not _CLAUSE.isdisjoint(spoken):
        return False
    initials = {name for name in names if len(name) == 1}
    if any(word.islower() and not _is_among(word, spoken) and word not in kind.casefold() for word in _main(given)):
        return False  # "Git workflow": what is said of Git
    places = [place for place, word in enumerate(spoken) if _is_among(word, names) or word[0] in initials]
    if len(places) == len(spoken):
        said = kind.casefold()
        return len(places) * 2 >= len(names) or all(_is_among(name, spoken) or name in said for name in names)
    return len({spoken[place] for place in places}) * 2 >= len(names) and places[0] <= 3 if places else False


def _main(given: _Title) -> list[str]:
    """The words of a title behind its first that are no small words."""
    return [word for word in given.words[1:] if word not in words.TITLE_SMALL]


def _is_among(word: str, others: list[str]) -> bool:
    """Whether a word is one of others, in the singular or plural."""
    return word in others or f"{word}s" in others or word.removesuffix("s") in others


def _opens_with(lead: str, given: _Title) -> bool:
    """Whether a lead opens with the title, word for word: it is used as a name, whatever is said of it."""
    opening = lead[: len(given.base) + 20].lstrip("\"'“*_ ").casefold()
    name = given.base.casefold().removeprefix("the ")
    return len(given.words) > 1 and opening.removeprefix("the ").startswith(name)


def _company(lead: str, given: _Title) -> str:
    """The full name with which a lead opens, where it is the title with a company's suffix."""
    rest = lead[len(given.base) :]
    if not lead.startswith(given.base) or (found := _SUFFIX.match(rest)) is None:
        return ""
    return given.base + found[0]


def _same(name: str, title: str) -> bool:
    return name.casefold().strip("\"'`*_") == title.casefold()


def _type(given: _Title, lead: str, path: str, said: SaidKind | None) -> str:
    """The type that a page shows; of what the lead uses as a common noun (*a module is a unit*) it is no thing's."""
    found = _shown_type(given, lead, path, said)
    if found in _PROPER and _is_written_small(given, found) and (said is None or said.type != found):
        return "Concept"
    if said is None or found not in _OWN or (found != "Person" and phrase_type(given.base, reach=1) == found):
        return found
    return "Concept" if _is_common(given, lead[: said.start], found) else found


def _is_written_small(given: _Title, type_: str) -> bool:
    """Whether a title is written as no name of this type is: *Financial administration* is no firm, *Ann Lee
    discography* nobody. *2005 Oregon Ducks football team* is a team, *Aspley bus station* a station."""
    rest = [word for word in given.words[1:] if word not in words.TITLE_SMALL | _PARTICLES]
    if not any(word[:1].islower() for word in rest):
        return False
    if type_ == "Person" or given.base == given.base.lower():
        return True
    if type_ == "Facility" or any(char.isdigit() for char in given.words[0]):
        return False
    return not any(word[:1].isupper() for word in rest)


def _is_called(stem: str, lead: str) -> bool:
    """Whether a lead calls its subject as its file is called, where nobody wrote that as a name: ``jobs-site``."""
    if not is_spelled_small(stem):
        return True
    return re.sub(r"[_-]+", " ", stem) in re.sub(r"[\W_]+", " ", lead.casefold())


def is_spelled_small(stem: str) -> bool:
    """Whether the name of a file is one of small letters with signs for spaces."""
    return stem == stem.lower() and re.search(r"[a-z\d][_-][a-z\d]", stem) is not None


def _is_common(given: _Title, subject: str, type_: str) -> bool:
    """Whether a title is a common noun: in small letters where its lead names it, or no way to write a person."""
    small = [word for word in given.words if word == word.lower() and word not in words.TITLE_SMALL | _PARTICLES]
    if type_ == "Person" and small and given.words[0] != given.words[0].lower():
        return True
    lowered = given.base.lower()
    if lowered == given.base:
        return False
    forms = {lowered, lowered.removesuffix("s"), f"{lowered}s"}
    return any(re.search(rf"(?:^|\W){re.escape(form)}(?:\W|$)", subject) is not None for form in forms)


_SHOWN = frozenset(("Event", "Facility", "Law"))
_FIRST_WORDS = {
    "cape": "Location", "mount": "Location", "lake": "Location", "fort": "Facility", "operation": "Event",
    "hurricane": "Event", "cyclone": "Event", "typhoon": "Event",
}  # fmt: skip
"""The first word of a name, to the type of what is called so."""


def _head_type(given: _Title) -> str:
    """The type that the head of a name shows where it is not its last word: *Battle of …*, *… v. …*, *Cape …*."""
    if re.search(r" (?:v|vs)\.? [A-Z]", given.base):
        return "Law"
    head, of, _ = given.base.partition(" of ")
    if of and given.words[0][:1].isupper():
        found = phrase_type(head, reach=1)
        return found if found in _SHOWN else ""
    two = len(given.words) == 2 and given.words[1][:1].isupper()
    return _FIRST_WORDS.get(given.words[0].lower(), "") if two else ""


def _shown_type(given: _Title, lead: str, path: str, said: SaidKind | None) -> str:
    """By what the title's bracket says, the lead's kind, a life in brackets, the name's words, the folder."""
    if given.what and not _PLURAL.search(given.what) and (found := phrase_type(given.what)):
        return found
    if lead.startswith("Born ") and f", {given.base} " in lead[:_BIRTH]:
        return "Person"
    if said is not None and said.type != "Person" and _BORN.search(lead[:200]) and 1 <= len(given.words) <= 6:
        return "Person"
    own = phrase_type(given.base, reach=1) or _head_type(given)
    proper = not given.base.endswith("s") and all(
        word[:1].isupper() for word in given.words if word not in words.TITLE_SMALL
    )
    if said is not None and said.type == "Concept" and own in _SHOWN and proper:
        return own  # "CFE Arena is a sports and entertainment venue"
    if said is not None and said.type == "Concept" and (capitals.type_cue(given.base) or ("",))[0] == "Event":
        return "Event"  # "The Lamp Awards are the yearly music awards"
    if said is not None and said.type == "Location" and own == "Organization":
        return own  # "Staff Resource Groups are communities"
    if said is not None and said.type and said.type != "Concept":
        return said.type
    if _LIFE.search(lead[:200]) and 2 <= len(given.words) <= 5 and said is not None:
        return "Person"
    if said is not None and said.type:
        return said.type
    cue = capitals.type_cue(given.base)
    if cue is not None and cue[1] >= 0.7:
        return cue[0]
    if said is None and not _PLACED.isdisjoint(given.words[1:-1]):
        return "Concept"  # "Security in the Cloud": neither its last word nor a tagger says what it names
    if (
        (found := own)
        and len(given.words) > 1
        and found not in ("Person", "Species", "Location")
        and not (found in ("Organization", "Product") and given.base.endswith("s"))  # several: "Google Groups"
    ):
        return found
    found = _FOLDERS.get(PurePosixPath(path).parent.name.lower(), "")
    return "" if found == "Person" and not _may_be_person(given) else found


def _may_be_person(given: _Title) -> bool:
    """Whether a page in a folder of people can be one of them: *people* is a department, too."""
    ordinary = words.NOT_NAMES | words.TITLE_SMALL - _PARTICLES
    heads = words.TERM_HEADS | words.DOCUMENT_HEADS | words.ORGANIZATION_HEADS
    return len(given.words) <= 5 and not any(
        word.lower() in ordinary
        or word in heads
        or (word.islower() and word not in _PARTICLES)
        or noun_type(word.lower())
        for word in given.words
    )


_FOLDERS = {
    folder: type_
    for type_, folders in {
        "Person": "people persons contacts authors artists musicians writers politicians employees",
        "Organization": "companies organizations organisations orgs institutions universities agencies bands clubs",
        "Location": "places locations cities countries towns villages rivers mountains",
        "Work": "books films movies novels albums songs papers articles games poems paintings",
        "Event": "events wars battles conferences",
        "Product": "products tools apps software packages libraries",
        "Command": """
        cmdlets commands
    """,
        "Concept": "concepts terms ideas",
        "Species": "species animals plants birds",
    }.items()
    for folder in folders.split()
}
"""What folders call the things that their pages are about."""


def _aliases(given: _Title, lead: str, said: SaidKind | None, confirmed: bool) -> list[str]:
    """The names that a lead gives beside the title: a full name, an acronym, what stands behind ``known as``."""
    found: list[str] = []
    if not confirmed or said is None:
        return found
    subject = lead[: said.start]
    full = " ".join(re.split(r"[(\[,]| or ", subject, maxsplit=1)[0].replace('"', "").split()).strip(" '“”*_")
    full = re.sub(r"^\S+[’']s (?=\S+ \S)", "", full)  # "GSA's Online University"
    full = re.sub(r"^(?:The|A|An|In .{2,30}?,(?: an?| the)?) (?=\S)", "", full)
    names = [word for word in given.words if word.lower() not in words.TITLE_SMALL]
    if (
        full
        and full != given.base
        and len(full) <= 80
        and full[:1].isupper()
        and len(full.split()) <= 8
        and _covers(full, names)
    ):
        found.append(full)
    if said.type == "Species" and full and f"{full} ({given.base})" in subject and len(full.split()) <= 5:
        found.append(full)  # "The Philip Island Hibiscus (Hibiscus insularis) is"
    found += [one["name"].strip() for one in _OTHER_NAME.finditer(subject + "(")]
    initials = "".join(word[0] for word in names).lower()
    found += [
        one["name"]
        for one in _SHORT.finditer(subject)
        if one["name"].strip(".").replace(".", "").lower() in (initials, initials[: len(one["name"])])
        and len(initials) > 1
    ]
    return [name for name in found if is_other_name(name, given.base)]


def _covers(full: str, names: list[str]) -> bool:
    """Whether a longer name holds the first and the last word of a shorter one: ``Rumer Glenn Willis``."""
    parts = [part.casefold() for part in _WORD.findall(full)]
    return len(names) > 1 and names[0].casefold() in parts and names[-1].casefold() in parts


def is_other_name(name: str, of: str) -> bool:
    """Whether what a page, or a link, calls a thing says enough to be a name of it wherever it stands.

    Not an ordinary word, nor words for the reader (*Learn more*), nor a phrase in lower case.
    """
    parts = name.split()
    if not 2 <= len(name) <= 80 or not 1 <= len(parts) <= 7 or (not name[:1].isupper() and not name[:1].isdigit()):
        return False
    if _OPENING.match(f"{name} ") or any(part.casefold().strip(".,") in _SPOKEN for part in parts):
        return False
    if name.casefold() in words.NOT_NAMES or name.casefold() in _GENERIC or _SENTENCE.search(name):
        return False
    shared = {part.casefold() for part in parts} & {part.casefold() for part in of.split()}
    return bool(shared) or len(parts) == 1 or sum(part[:1].isupper() for part in parts) * 2 >= len(parts)
