"""The subject of a page: what its title names, what its lead says that it is, and by what other names it goes.

Used for the names that documents declare (``gazetteer``), so by the pipeline and by the extractor; pure. Titles are
names as a rule in encyclopedias, vaults of notes and manuals; in reports, news and minutes they are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePosixPath

import msgspec

from kgfs.documents.file_titles import is_by_first_words
from kgfs.documents.formats.registry import format_of
from kgfs.documents.identifiers import KNOWN_SERIES, read_series
from kgfs.documents.suggestions.title_uses import TITLE
from kgfs.documents.summaries import is_spelled_like
from kgfs.extraction.links import is_front_page
from kgfs.extraction.names import capitals
from kgfs.extraction.names.declared.applications import applied_for
from kgfs.extraction.names.declared.filed_types import folder_type, has_only_ordinary_words, is_defined
from kgfs.extraction.names.declared.foreign_kinds import foreign_type
from kgfs.extraction.names.declared.page_names import is_spoken_of
from kgfs.extraction.names.declared.page_types import OWN, page_type
from kgfs.extraction.names.declared.redirects import redirect_target
from kgfs.extraction.names.declared.text_titles import TEXT_HEADS, is_action, is_title_of_a_text
from kgfs.extraction.names.declared.titles import (
    CLAUSE_WORDS,
    WORD,
    Title,
    file_stem,
    is_case,
    is_of_a_text,
    is_opaque,
    is_other_name,
    is_spelled_small,
    is_topic,
    may_name,
    tells_how,
    title_name,
)
from kgfs.extraction.names.kinds import SaidKind, definition_type, named_kind, said_kind, written_type
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.calendar_words import CALENDAR
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.extraction.names.wordlists.places import is_place_name
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO, well_known_type
from kgfs.model import EntityCandidate, ParsedDocument
from kgfs.plurals import singular

MAX_ALIAS = 100
"""Letters of what a title says behind a number."""
_TITLED = frozenset({"rst", "org", "asciidoc"})
_STRUCTURES = _TITLED | {"markdown", "html", "plain"}
_SERIES_TITLE = re.compile(
    r"\s*(?P<number>[A-Za-z/]{1,10}[ _-]?\d[\d.-]*\d|[A-Za-z/]{1,10}[ _-]?\d)(?:\s*(?:[–—:]|\s-)\s*(?P<said>\S.*))?$"
)
_ON_A_THING = re.compile(
    r"(?i:^(?:introduction|intro|guide) to\b)|(?i: how-?to)$|"
    r" (?:for|as|with|using|without) (?:an? |the )?[a-z][\w-]*(?: [a-z][\w-]*)*$"
)
"""A title of a text on something, not its name: *GitHub for newcomers*, *Flatpak as a platform*."""
_ABOUT = re.compile(r"About (?:the )?(?P<what>[A-Z][\w.-]+)")
"""*About Lampd*: the page is about what its title names."""
_KIND_BEFORE = re.compile(
    r"(?:Album|Article|Book|Course|Documentary|Essay|Film|Movie|Paper|Podcast|Song|Talk|Video) [-–—] "
    r"(?P<what>[^\W_].{2,})"
)
"""*Book - The Lamp Keepers*: a note on a work, under the kind of work it is."""
_OTHER_NAME = re.compile(
    r"\b(?:known(?: simply)? as|called|abbreviated(?: as| to)?|nicknamed|referred to as|stylized as|stylised as|"
    r"short for|or simply|officially"
    r"(?: called| named| known as)?)\s+(?:the\s+)?[\"“'‘*_]*(?P<name>[^\W\d_a-z][^,;()—\"”*_]{1,50}?)[\"”'’*_]*"
    r"(?= ?[,;()—]|\s(?:is|was|are|were|and|or|in|by|after|before|for|since|from|on|because|to)\b|\.?$)"
)
_SHORT = re.compile(r"\((?:the |or |abbreviated |abbr\. )?[\"“*]*(?P<name>[A-Z][A-Z0-9&.-]{1,9})[\"”*]*[);,]")
_OPENS_SHORT = re.compile(
    r"(?:The |An? |[A-Z][\w.-]*['’]s )?(?P<long>[A-Z][\w-]*(?: (?:[A-Z][\w-]*|and|for|of|the)){1,6}) "
    r"\((?P<short>[A-Z]{2,8})\)"
)
"""What a lead calls its subject, with the acronym: *Tarn's Lamp University (TLU) is the home of*."""
_IS_A = re.compile(r"(?:is|are|was|were|refers to|means)(?: \w+ly| also)? (?:an?|the|one|any)\b")
_CLAUSES = frozenset("is are was were has have".split())
"""Verbs in small letters, which no name has but that of a work."""
_CLAUSE_JOINTS = frozenset("that when where which who whose whom if because while until".split())
"""Words that open a clause: what holds one is more than a name, *Lamp faults occur when a wick* "is cut"."""
_GUESSED = frozenset({"Product", "Command", "Organization"})
"""Types that a page may have by its folder alone, whatever its title's words."""
_BIO = re.compile(r"(?i)(?:['’]s)? (?:bio|biography|candidate (?:bio|profile|statement)|profile|resume|cv)$")
_ON_ITSELF = re.compile(
    r"(?:This|The following) (?:article|chapter|doc|document|guide|list|page|section|table) (?:also )?"
    r"(?:contains?|covers?|describes?|details?|discusses|documents|explains?|gives|has|lists?|outlines|provides?|shows?|"
    r"summari[sz]es|tells|walks)\b"
)
"""A lead that says what its page holds, not what its title names."""
_TELLS = re.compile(r" (?:contains|covers|details|explains|lists|outlines|summari[sz]es)\b")
_GOES_ON = re.compile(r" (?:\d|(?:for|of|and|&) (?:the )?[A-Z]|[A-Z][a-z]+ )")
"""Behind a page's title where a lead opens with a longer name: *Fuzzing 101*, *Algorithms for Modern Hardware*."""
_PLACING = frozenset("at for in on to with".split())
_LIST = re.compile(r"(?i)^(?:lists?|index|outline|glossary|table|timeline|comparison|categor(?:y|ies)) of\b")
_SUFFIX = re.compile(rf",? (?:{'|'.join(sorted(words.STRONG_SUFFIXES))})\b\.?")
_FIRM = re.compile(rf"[A-Z][^,]{{1,60}}?(?: Co\.)?, (?:{'|'.join(sorted(words.STRONG_SUFFIXES))})\.?")
"""A title that is a company's name in full: *Tarn Lamps Co., Ltd.*"""
_NICKNAME = re.compile(r" [\"“][A-Z][\w.-]{1,15}[\"”] (?=[A-Z])")
"""*Thomas Leo "Tom" Clancy*."""
_JOINED = re.compile(r"[^\W_A-Z]+(?:[-_][^\W_A-Z]+)+")
"""A name in small letters that signs join: ``gray-lady``."""
_CAPITALS = re.compile(r"[A-Z\d][\w.'’&-]*(?: (?:(?:of|the|and|for|in|on|de|von|van|der) )*[A-Z\d][\w.'’&-]*)+")
_BARE = re.compile(r"[^\w\s-]")
_OF_ITSELF = re.compile(r"(?:It|They|This) (?:is|are|was|were) (?:an?|the) ")
_APART = frozenset({"Event", "Facility", "Location", "Work"})
"""Types of which one thing is called by one noun: no bridge is a castle, while a company may be a corporation."""
_TOLD = re.compile(r"(?: \([^()]*\))?,? (?:is|was) (?:an?|the|one of) ")
_IN = re.compile(r"^(?:In|On|At|Within|Under|For|As|[A-Z][a-z]+ed (?:by|in|as|at|from|on)) [^,]{2,60}, ")
_REDIRECT = re.compile(r"(?im)^\s*#?redirect(?:s to|:)?\s*:?\s*\[\[(?P<to>[^\]|#\n]{1,160})")

_LEADS_ON = re.compile(
    r"(?im)^(?:th(?:is|e) (?:page|document|content|guide) (?:has |was |is )?(?:been |now )?)?"
    r"(?:moved|relocated|merged|redirect(?:s|ing|ed)?) (?:here:|(?:in)?to)(?: |$)"
)
"""At the start of a page that only says where its text is now."""
_OPENING = 400
"""Letters of a page without a lead that are looked at."""


def page_subject(document: ParsedDocument) -> EntityCandidate | None:
    """The entity that a page is about, by its title and its lead; ``None`` where its title names nothing.

    Its ``type`` is empty where neither says what it is: the texts decide. A page that redirects gives its title as
    another name of where it leads.
    """
    target = redirect_target(document)
    if target is not None:
        title = PurePosixPath(document.path).stem if document.title.lower().startswith("redirect ") else document.title
        own = " ".join(title.replace("_", " ").split())
        known = target and target != own
        return EntityCandidate(name=target, type="", aliases=[own], declared=True, confidence=1.0) if known else None
    if is_by_first_words(document.title, document.path, document.text or ""):
        return None
    applicant = applied_for(document) if _is_text(document.mime_type) else None
    if applicant is not None:
        return applicant
    subject = _subject(
        document.title, document.lead, document.path, document.mime_type,
        (document.text or "")[:_OPENING] if not document.lead or "edirect" in document.lead[:20] else "",
    )  # fmt: skip
    if subject is not None and subject.unsaid and _is_proper(subject.name, document):
        return msgspec.structs.replace(subject, unsaid=False)
    if (
        subject is not None
        and subject.unsaid
        and subject.type in ("", "Concept")
        and is_spoken_of(subject.name, document.text or "")
    ):
        return msgspec.structs.replace(subject, type="Concept", unsaid=False)
    if subject is not None and subject.unsaid and _is_first_line(subject.name, document):
        return None
    return subject


def _is_first_line(name: str, document: ParsedDocument) -> bool:
    """Whether a name is only one word at the start of a text without markup, or the name of a file with signs for
    spaces: *Acme* over *Security Assessment*, ``acme_citation_BibTeX``."""
    structure = format_of(document.mime_type)
    if structure is not None and structure.structure != "plain" and not structure.binary:
        return False
    stem = PurePosixPath(document.path).stem
    return " " not in name or (document.title == stem and "_" in stem)


def _is_proper(name: str, document: ParsedDocument) -> bool:
    """Whether the sentences of a page write its title, which is its name, as one."""
    return document.title.startswith(name) and any(term.kind == TITLE for term in document.terms)


def _is_text(mime_type: str) -> bool:
    structure = format_of(mime_type)
    return (structure.structure if structure else "plain") in _STRUCTURES and mime_type != "message/rfc822"


@lru_cache(maxsize=65536)
def _subject(title: str, lead: str, path: str, mime_type: str, head: str) -> EntityCandidate | None:
    if not _is_text(mime_type):
        return None
    structure = format_of(mime_type)
    member = _member_of_series(title, path, lead)
    if member is not None:
        return member
    name = title_name(title, path) or _named_as_day(title, lead)
    if not name:
        return None
    if is_opaque(name) and name not in lead and (_is_folder_name(title, path) or not lead):
        return None  # "i1", a folder of pictures
    if (work := _KIND_BEFORE.fullmatch(name)) is not None:
        return _candidate(Title(work["what"]), lead, "Work", [name])
    if (about := _ABOUT.fullmatch(name)) is not None and not is_ordinary(about["what"].lower()):
        name = about["what"]
    if name.islower() and title == PurePosixPath(path).stem:
        name = _as_written(name, title, lead)
    joined = [title] if _JOINED.fullmatch(title) else []
    if joined or (name[1:].islower() and (_is_folder_name(title, path) or _has_small_name(name))):
        name = _as_subject(name, lead)
    name = _as_known(name)
    long = _long_name(name, lead)
    if long:
        return _candidate(Title(long), lead, page_type(Title(long), lead, path, None), [name])
    bio = _BIO.sub("", name)
    if bio != name and (capitals.type_cue(bio) or ("",))[0] == "Person":
        name = bio
    target = _REDIRECT.search(head or lead)
    if target is not None:
        to = " ".join(target["to"].replace("_", " ").split())
        return EntityCandidate(name=to, type="", aliases=[name], declared=True, confidence=1.0) if to != name else None
    if _LEADS_ON.match(lead) or (len(head) < _OPENING and _LEADS_ON.search(head)):
        return None
    if name.endswith("s") and not well_known_type(name) and well_known_type(name[:-1]) == "Product":
        name = name[:-1]  # "Lampads", several of what everybody knows
    given = Title(name)
    said = said_kind(lead) if lead else None
    confirmed = (
        said is not None
        and (
            _is_about(lead[: said.start], given, said.kind)
            or _goes_by(lead[: said.start], given)
            or is_spelled_like(_subject_name(lead, said), given.base)
        )
    ) or _opens_with(lead, given)
    if said is not None and confirmed and _tells_of_another(lead, said, given):
        confirmed, lead, said = False, "", None  # nothing is said of this page
    kind = named_kind(lead)
    if kind is not None and (not confirmed or kind[1] == "Command") and _same(kind[0], given.base):
        return _candidate(given, lead, kind[1], [])
    if not confirmed and title == PurePosixPath(path).stem and structure is not None and structure.structure in _TITLED:
        return None  # "ch06-github.adoc": such a text has its title inside, or it is a part of another one
    if name == file_stem(path) and name.islower() and name.isalpha() and not (confirmed and said):
        return None  # "check.md": a file's name that is a word, and nothing says of what
    if "may refer to" in lead[:120] or given.what == "disambiguation" or _LIST.match(given.text):
        return None
    if not _CLAUSES.isdisjoint(given.words[1:]) and not _is_told_of(given, lead):
        return None  # "Lampd 1.9 is released", over the same words
    if not confirmed and _are_two_things(given.base, lead):
        return None  # "Brassd sends photos to Tinbucket"
    company = _company(lead, given)
    if company:
        return _candidate(given, lead, "Organization", [company])
    if _FIRM.fullmatch(given.base) and not is_case(given.base):
        short = given.what if given.what in given.words else ""
        return _candidate(given, lead, "Organization", [short] if short else [])
    if _ON_A_THING.search(given.base) and (said is None or said.type not in ("Work", "Concept")):
        return None
    if title == PurePosixPath(path).stem and not _is_called(title, lead):
        return None
    if not may_name(given, confirmed or bool(given.short), bool(said and said.type)):
        return None
    said = said if confirmed else None
    type_ = page_type(given, lead, path, said)
    if type_ in ("", "Concept") and (said is None or not said.type):
        type_ = foreign_type(given.base, lead) or type_
    if is_of_a_text(given) and (said is None or said.type != "Work"):
        return None
    if is_action(given) and not (said is not None and said.type not in ("", "Concept")):
        return None  # "Deploying to Orm" takes an hour
    texts = not (said and said.type) and is_title_of_a_text(given, alone=not lead)
    if texts and not (lead and _names_title(lead, given)):
        return None  # "Weather diary", over what the weather was
    if type_ in ("", "Concept") and _TELLS.match(lead, len(given.base)) and _same(lead[: len(given.base)], given.base):
        return None  # "Column editing contains …": the page does
    opening = re.sub(r"^(?:The|An?) ", "", lead.lstrip('"“*_'))
    opens = _same(opening[: len(given.base)], given.base) and not _GOES_ON.match(opening, len(given.base))
    untold = type_ in ("", "Concept") and not given.short
    if untold and tells_how(given) and given.words[0].endswith("ing"):
        return None  # "Becoming a keeper is the next step"
    if not opens and (
        tells_how(given)
        or (untold and (_is_doing(given) or _ON_ITSELF.match(lead) or _is_headline(given, title, path, said)))
    ):
        return None  # the page is entity enough, by its title
    page = _candidate(given, lead, type_, _aliases(given, lead, said, confirmed))
    page.aliases += [one for one in joined if one.replace("-", " ").replace("_", " ") == name.lower() != name]
    guessed = (type_ in ("", "Concept") and not is_defined(path)) or (
        type_ in _GUESSED
        and type_ == folder_type(given, path)
        and (type_ != "Organization" or has_only_ordinary_words(given))
        and not _is_used_as_name(given, lead)
    )
    page.unsaid = guessed and not opens and not page.aliases and not (said is not None and _says_what(lead, said))
    return page


def _names_title(lead: str, given: Title) -> bool:
    """Whether a lead has the title in it, or says what sort of thing that is without a name for it: *It is a charity*,
    *A rock band from the north*."""
    if re.search(rf"(?i)(?<!\w){re.escape(re.sub('^(?:The|An?) ', '', given.base))}(?!\w)", lead) is not None:
        return True
    said = said_kind(lead) if _OF_ITSELF.match(lead) else None
    return (said is not None and said.type in OWN) or definition_type(lead) in OWN


def _tells_of_another(lead: str, said: SaidKind, given: Title) -> bool:
    """Whether a lead tells of what shares words with the title and is another thing, by the nouns in which both end:
    *The Ferry Board is a committee*, on the page *Ferry Memo*, or *The Ferry is a boat*, on *Ferry Diary*."""
    spoken = WORD.findall(_subject_name(lead, said))
    if not spoken or len(given.words) < 2 or not given.words[-1].isalpha():
        return False
    own, other, kind = given.words[-1].lower(), spoken[-1].lower(), said.kind.lower()
    if own in map(str.lower, spoken) or _is_among(own, kind.split()) or singular(own) == singular(other):
        return False
    if own in TEXT_HEADS or written_type(given.base) == "Document":
        return spoken[-1][0].isupper() and said.type not in ("", "Concept", "Work", "Document")
    own_type, other_type = noun_type(own), noun_type(other)
    if not (own_type and other_type) or other in map(str.lower, given.words) or spoken[-1].islower():
        return False
    if own_type == other_type:
        return own_type in _APART and kind.endswith(other)
    return said.type == other_type


def _named_as_day(title: str, lead: str) -> str:
    """A title that is the name of a month or of a day of the week, where its lead says what thing is called so: *May is
    a village in Tarn*; else empty."""
    if title not in CALENDAR or _TOLD.match(lead, len(title)) is None or not lead.startswith(title):
        return ""
    said = said_kind(lead)
    return title if said is not None and said.type in OWN else ""


def _are_two_things(title: str, lead: str) -> bool:
    """Whether a title names two things and its lead has only one, or each by itself: *Brassd and Tinbucket*."""
    first, joined, second = title.partition(" and ")
    if not joined or not first[:1].isupper() or not second[:1].isupper() or title in lead:
        return False
    if lead.startswith(f"{first} ") and not lead.startswith(f"{first} and "):
        return True
    named = [re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", lead) is not None for one in (first, second)]
    return all(named) and " " not in f"{first}{second}"


def _is_doing(given: Title) -> bool:
    """Whether a title says what somebody does: *Adding Keepers*, *Employing Lamp Makers*."""
    stem = given.words[0].lower().removesuffix("ing")
    forms = (stem, f"{stem}e", stem[:-1])
    return len(given.words) > 1 and len(stem) > 2 and given.words[0].endswith("ing") and any(map(is_ordinary, forms))


def _as_known(name: str) -> str:
    """A title as everybody writes the name: *JSON* for *Json*."""
    shouted = name.upper()
    unknown = name.istitle() and name.isalpha() and not well_known_type(name) and not is_ordinary(name.lower())
    return shouted if unknown and well_known_type(shouted) else name


def _as_written(name: str, stem: str, lead: str) -> str:
    """A name in small letters, of a file, as its lead writes it: *Plan S* for ``plan-s``, *SystmOne* for ``systmone``.

    An acronym stays small where the lead does not explain it: texts on it have its long form.
    """
    found = re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", lead)
    written = name if found is None else found[0]
    if written.isupper():
        return written if _long_name(written, lead) else name
    return written if written[1:] != written[1:].lower() or (is_spelled_small(stem) and written.istitle()) else name


def _is_folder_name(title: str, path: str) -> bool:
    """Whether a title is the name of the folder whose page it is: *Bay of ald* of ``bay-of-ald/index.md``."""
    folder = PurePosixPath(path).parent.name
    return is_front_page(path) and _letters(folder) == _letters(title)


def _has_small_name(name: str) -> bool:
    """Whether a title has in small letters what is no ordinary word: *Bay of ald*, not *Bus station*."""
    return any(
        not is_ordinary(word) for word in WORD.findall(name)[1:] if word.isalpha() and word not in words.TITLE_SMALL
    )


def _as_subject(name: str, lead: str) -> str:
    """A name of small letters as a lead opens with it, all words in capitals: *Bay of Ald*, for ``bay-of-ald``."""
    wanted = _letters(name)
    opening = re.sub(r"^(?:The|An?) (?=[A-Z])", "", lead.lstrip('"“*_'))
    found = _CAPITALS.match(opening[: 2 * len(name) + 1])
    spoken = found[0].split() if found is not None else []
    for count in range(len(spoken), 1, -1):
        if _letters(" ".join(spoken[:count])) == wanted:
            return " ".join(spoken[:count])
    return name


def _letters(text: str) -> str:
    """The letters and digits of a text, in small letters."""
    return "".join(filter(str.isalnum, text.casefold()))


def _long_name(name: str, lead: str) -> str:
    """What a lead says that a page's title, an acronym, stands for; empty where it says nothing: *OFL*."""
    if not (name.isupper() and name.isalpha() and 2 < len(name) <= 6):
        return ""
    found = re.search(rf"\b(?P<long>[A-Z][\w-]+(?: (?:of|for|and|the|[A-Z][\w-]+)){{1,6}}) \({name}\)", lead)
    long = "" if found is None else found["long"].removeprefix("The ")
    return long if long and capitals.stands_for(name, long) else ""


def _is_used_as_name(given: Title, lead: str) -> bool:
    """Whether a lead writes a title with its capitals inside a sentence: *why we use Slack*; or everybody knows it."""
    if well_known_type(given.base) or given.base in FIRMS_TOO:
        return True
    return re.search(rf"[a-z,;] {re.escape(given.base)}(?![\w-])", lead) is not None


def _says_what(lead: str, said: SaidKind) -> bool:
    """Whether a lead says what its subject is: *a way to learn*, not *still pending*."""
    return said.type != "" or _IS_A.match(lead, said.start) is not None


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
    if number is None:
        return None
    numbered = said and re.search(rf"(?<!\d)0*{re.escape(number.number)}(?!\d)", PurePosixPath(path).stem) is not None
    if number.series not in KNOWN_SERIES and " " in number.name and not numbered:
        return None  # "Chapter 3": of texts of a series, their files have the number, too
    aliases = [said] if len(said.split()) >= 3 and len(said) <= MAX_ALIAS else []
    return EntityCandidate(
        name=number.name, type="Identifier", aliases=aliases, description=lead, confidence=1.0, declared=True
    )


def _candidate(given: Title, lead: str, type_: str, others: list[str]) -> EntityCandidate:
    if given.text.startswith("The ") and (
        (type_ in ("Concept", "Product") and len(given.words) > 2) or (not type_ and given.words[-1].islower())
    ):
        others = [given.text, *others]
        given = Title(given.text[4].upper() + given.text[5:])
    # "President (corporate title)": what a common noun means elsewhere its bracket does not say.
    common = given.base.lower() in words.NOT_NAMES or bool(noun_type(given.base.lower()))
    # "Kestrel (album)" by a band of that name: elsewhere the name is the band's.
    eponymous = type_ == "Work" and len(re.findall(rf"(?<!\w){re.escape(given.base)}(?!\w)", lead)) > 1
    # "Reno (album)": elsewhere the name is the place's.
    placed = type_ not in ("", "Location") and is_place_name(given.base)
    named = given.base != given.text and not (common or eponymous or placed)
    names = [given.base, *others] if named else others
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


def _subject_name(lead: str, said: SaidKind) -> str:
    """What a lead calls its subject, without an article."""
    subject = re.split(r"[(\[,]| or ", lead[: said.start], maxsplit=1)[0]
    full = " ".join(_NICKNAME.sub(" ", subject).replace('"', "").split()).strip(" '“”*_")
    full = re.sub(r"^\S+[’']s (?=\S+ \S)", "", full)  # "GSA's Online University"
    return re.sub(r"^(?:The|A|An|As (?:an?|the)|In .{2,30}?,(?: an?| the)?) (?=\S)", "", full)


def _goes_by(subject: str, given: Title) -> bool:
    """Whether what stands before a lead's verb calls its subject by the title: ``known as Mo Idle``, ``(XTEL)``."""
    if given.base not in subject:
        return False
    called = rf"(?:\b(?:as|or|by|name|pseudonym|called|named|just|simply|was) |\()[\"“'(]?{re.escape(given.base)}(?!\w)"
    return re.search(called, subject) is not None


def _is_about(subject: str, given: Title, kind: str) -> bool:
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
    spoken = [word.casefold() for word in WORD.findall(text) if word.casefold() not in words.TITLE_SMALL]
    if not spoken or len(spoken) > len(names) + 5 or not CLAUSE_WORDS.isdisjoint(spoken):
        return False
    initials = {name for name in names if len(name) == 1}
    if any(word.islower() and not _is_among(word, spoken) and word not in kind.casefold() for word in _main(given)):
        return False  # "Git workflow": what is said of Git
    if (head := _placed_head(given)) and not _is_among(head, spoken):
        return False  # "Fees on Lamp sites": what is said of the sites
    places = [place for place, word in enumerate(spoken) if _is_among(word, names) or word[0] in initials]
    if len(places) == len(spoken):
        said = kind.casefold()
        return len(places) * 2 >= len(names) or all(_is_among(name, spoken) or name in said for name in names)
    return len({spoken[place] for place in places}) * 2 >= len(names) and places[0] <= 3 if places else False


def _placed_head(given: Title) -> str:
    """The word before *in*, *on*, *with*, where a title in small letters ends behind it: *Fees on Lamp sites*."""
    lowered = [word.lower() for word in given.words]
    place = next((place for place, word in enumerate(lowered) if place and word in _PLACING), 0)
    return lowered[place - 1] if place and given.words[-1].islower() else ""


def _main(given: Title) -> list[str]:
    """The words of a title behind its first that are no small words."""
    return [word for word in given.words[1:] if word not in words.TITLE_SMALL]


def _is_headline(given: Title, title: str, path: str, said: SaidKind | None) -> bool:
    """Whether a title that somebody wrote over a text says what the text tells of, and nothing says what that is."""
    written = title != PurePosixPath(path).stem or given.base.endswith("ing")
    return (said is None or not said.type) and written and is_topic(given)


def _is_among(word: str, others: list[str]) -> bool:
    """Whether a word is one of others, in the singular or plural."""
    return word in others or f"{word}s" in others or word.removesuffix("s") in others


def _opens_with(lead: str, given: Title) -> bool:
    """Whether a lead opens with the title, word for word: it is used as a name, whatever is said of it."""
    opening = lead[: len(given.base) + 20].lstrip("\"'“*_ ").casefold()
    name = given.base.casefold().removeprefix("the ")
    if len(given.words) < 2:
        return False
    if opening.removeprefix("the ").startswith(name):
        return True
    own, spoken = (_BARE.sub("", text.removeprefix("the ")).split() for text in (name, opening))
    return len(own) > 1 and own == spoken[: len(own)]  # "Amar, después de amar", with another apostrophe


def _is_told_of(given: Title, lead: str) -> bool:
    """Whether a lead says what its title is, word for word: *Life is a Lamp is a 1997 film*."""
    opening = lead.lstrip("\"'“*_ ")
    rest = opening[len(given.base) :].lstrip("\"'”*_")
    return opening.startswith(given.base) and re.match(r"(?: \([^()]*\))?,? (?:is|was|are|were)\b", rest) is not None


def _company(lead: str, given: Title) -> str:
    """The full name with which a lead opens, where it is the title with a company's suffix."""
    rest = lead[len(given.base) :]
    if not lead.startswith(given.base) or (found := _SUFFIX.match(rest)) is None:
        return ""
    return given.base + found[0]


def _same(name: str, title: str) -> bool:
    return name.casefold().strip("\"'`*_") == title.casefold()


def _is_called(stem: str, lead: str) -> bool:
    """Whether a lead calls its subject as its file is called, where nobody wrote that as a name: ``jobs-site``."""
    if not is_spelled_small(stem):
        return True
    return re.sub(r"[_-]+", " ", stem) in re.sub(r"[\W_]+", " ", lead.casefold())


def _aliases(given: Title, lead: str, said: SaidKind | None, confirmed: bool) -> list[str]:
    """The names that a lead gives beside the title: a full name, an acronym, what stands behind ``known as``."""
    found: list[str] = []
    opening = _OPENS_SHORT.match(lead)
    if opening is not None and capitals.stands_for(opening["short"], given.base):
        ends = (given.words[0], given.words[-1])
        if (opening["long"].partition(" ")[0], opening["long"].rpartition(" ")[2]) == ends:
            found += [opening["long"], opening["short"]]
    if not confirmed or said is None:
        return _others(found, given)
    subject = lead[: said.start]
    full = _subject_name(lead, said)
    names = [word for word in given.words if word.lower() not in words.TITLE_SMALL]
    if (
        full
        and full != given.base
        and len(full) <= 80
        and full[:1].isupper()
        and len(full.split()) <= 8
        and full.count("(") == full.count(")")
        and not (" " not in full and lead.startswith(f"{full}, {given.base[len(full) + 1 :]}"))
        and _CLAUSE_JOINTS.isdisjoint(full.split())
        and (_covers(full, names, given_name=said.type == "Person") or is_spelled_like(full, given.base))
    ):
        found.append(full)
    rest = given.base.removeprefix(f"{full} ")
    if full[:1].isupper() and rest != given.base and rest.islower() and rest in said.kind.lower():
        found.append(full)  # "Ledger is the service that stores", on the page "Ledger service"
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
    placed = said.type not in ("Location", "")
    return [name for name in _others(found, given) if not (placed and is_place_name(name))]


def _others(names: Iterable[str], given: Title) -> list[str]:
    return [name for name in dict.fromkeys(names) if is_other_name(name, given.base)]


_OF_BODY = re.compile(r"(?P<body>[A-Z\d]{2,6}) (?P<rest>[A-Z][a-z]+(?: [A-Z][a-z]+)*)")
"""The title of a part of a body: *TTS Outreach*."""
_SPEAKS_OF_PART = r"(?:^|[.!?]\s+)(?:The )?{0} (?:is|has|helps|leads|manages|provides|works)\b"
_NAMES_PART = r"\b(?:[Tt]he|[Oo]ur|[Yy]our) {0} (?:[Tt]eam|[Oo]ffice|[Dd]ivision|[Uu]nit)\b"


def short_names(name: str, text: str) -> list[str]:
    """What the page of a part of a body calls it without the body, where it does so as of a name: *Outreach is part of*
    and *the Outreach team* on the page *TTS Outreach*."""
    part = _OF_BODY.fullmatch(name)
    if part is None:
        return []
    rest = re.escape(part["rest"])
    said = (re.search(form.format(rest), text, re.MULTILINE) for form in (_SPEAKS_OF_PART, _NAMES_PART))
    return [part["rest"]] if all(said) else []


def _covers(full: str, names: list[str], *, given_name: bool) -> bool:
    """Whether a longer name holds the first and the last word of a shorter one: ``Rumer Glenn Willis``.

    Somebody has a given name of any form: *Bill Gates* is ``William Henry Gates``.
    """
    parts = [part.casefold() for part in WORD.findall(full)]
    first = names[0].casefold() in parts or (given_name and len(parts) > 1)
    return len(names) > 1 and first and names[-1].casefold() in parts
