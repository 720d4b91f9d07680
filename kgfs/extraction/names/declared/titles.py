"""Titles as names: what a title names by its form alone, and which titles name nothing.

Used for pages, terms, links and aliases; pure. What is no name must not become one: a title that many texts would seem
to mention does more harm than a missing entity.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from itertools import pairwise
from pathlib import PurePosixPath

from kgfs.documents.dates import MONTH, MONTH_NAMES, from_name, from_title
from kgfs.extraction.names import capitals
from kgfs.extraction.names.declared import foreign_titles
from kgfs.extraction.names.declared.occasions import is_occasion
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.random_ids import is_random_id

MONTHS = frozenset(name.lower() for name in MONTH_NAMES)
MAX_WORDS = 12
"""Words of a title whose lead says what it is."""
MAX_UNCONFIRMED = 5
"""Words of a title for which only its form speaks."""
REMARK = 4
"""Words of a bracket that says something of a page, not which of several is meant: *(outdated, to be reviewed)*."""
_BRACKET = re.compile(r"^(?P<name>.{2,}?)\s*[(（](?P<what>[^()（）]{1,60})[)）]$")
_SAID_OF_PAGE = re.compile(r"(?:for|in|on|with) \S|(?:archived|deprecated|experimental|obsolete|outdated|retired)$")
"""The same of fewer words: *Lampd (for ships)*, *Lampd (deprecated)*."""
_ROLES = frozenset("assistant human system user".split())
"""Who speaks in a conversation with a model: in a brief a heading of that name would look like one of its turns."""
_GENERIC = (
    foreign_titles.GENERIC
    | _ROLES
    | frozenset(
        """
        abbreviations acronyms
        abstract alternatives assumptions background consequences context decision decisions motivation options problem
        proposal rationale risks solution
        about acknowledgements acknowledgments agenda annex appendix archive asked authors backlog bibliography
        bookmarks changelog changes chapter cheatsheet checklist conclusion conclusions contact contacts content
        contents contributing contributors copyright cover credits dashboard default definitions description diary
        disclaimer documentation draft drafts essay example examples faq faqs feedback foreword frequently general
        glossaries glossary help history home homepage howto imprint inbox index install installation intro
        introduction issues journal legal licence license links list log main methodology minutes misc miscellaneous
        moc name new news note notes objectives outline overview page pages part plan preamble preface privacy questions
        quickstart quiz readme reference references related release releases requirements resources results roadmap
        sample scratch scratchpad search section setup sitemap slides sources start start-here summary support
        none null nil true false yes
        syllabus synopsis syntax template templates terminology terms test testing thanks toc todo tools tutorial
        tutorials
        uncategorized untitled update updates upgrading usage using version vocabulary welcome what's-new whatsnew work
        workflow
    """.split()
    )
)
"""Titles that say where in a collection a page stands, not what it is about."""
_TEXTS = foreign_titles.TEXTS | frozenset(
    "minutes report reports letter letters notes agenda transcript newsletter digest bulletin release releases "
    "changelog meeting meetings statement update updates review recap standup retrospective log".split()
)
"""With a date or a number beside them they name one text of many."""
_PARTS = re.compile(
    r"(?i)^(?:alternative|approach|option|scenario|variant|part|chapter|section|lesson|step|week|day|module|unit|play|appendix|figure|table|episode|volume|vol|no|lecture"
    r"|exercise|session|sprint|phase|stage|level|tier|milestone|draft|version|v|note|page|slide|item|question|article|rule|act|scene|canto|book|question)\.?"
    r"(?:\s*#?\d|\s+(?:[ivxlc]+|[a-z])\b)"
)
_NUMBERED = re.compile(
    r"^(?!(?:1[5-9]|20)\d\d(?:–\d{2,4} |-(?:\d\d|[QqHh][1-4])(?!\d)))"
    r"(?:\d+[.):]|\d+(?:\.\d+)+\.?|#?\d+\s*[-–—:])\s*"
)
"""What numbers a title: *12 - Lamps*; a date does not."""
OPENING = re.compile(
    r"(?i)^(?:how|why|what|what's|when|where|who|which|whose|whether|if|can|should|is|are|do|does|did|will|would|could|"
    r"everything|things|tips|about|out of|see|using|more|learn|let's|your|my|our|we|i|you|this|these|from|to|on|in|for|"
    r"at|by|with|another|"
    r"after|before|during|understanding|introducing|introduction to|overview of|guide to|getting|welcome)\b[’' ]"
)
_ABOUT = re.compile(r"^about_\w+$")
_CALL = re.compile(r"::|\w\(|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
"""What code calls: ``WP_CLI::halt()``, ``MAX_SIZE``. Its low lines are its own."""
_MARKUP = re.compile(r"[^\w\s]{4,}|[{}<>|=\\]|https?:|www\.|@\w|\w\.(?:com|org|net|io|md|html?)\b/")
SENTENCE = re.compile(r"[!?…:;]$|(?<!\b[A-Z])(?<!\b(?:Jr|Sr|Co|St))(?<!\b(?:Inc|Ltd))(?<!\bCorp)\.$")
_HEX = re.compile(r"(?i)^(?=[0-9a-f_-]*\d)[0-9a-f]{6,}(?:[-_][0-9a-f]{2,})*$|^[\W\d_]+$")
WORD = re.compile(r"[^\W_]+(?:[’'.&/+-][^\W_]+)*\+*#?")
_DATES = re.compile(
    r"\b(?:q[1-4]|h[12])\b|"
    r"\d+\.? mars\b|\d+(?:st|nd|rd|th|\s?[年月日])?|"
    rf"\b(?:{'|'.join(sorted({*MONTHS, *(month[:3] for month in MONTHS)}))})\b|"
    rf"\b(?:{'|'.join(sorted(foreign_titles.MONTHS))})\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:mon|tue|wed|thu|fri|sat|sun|week|of|the|q|fy|and|to|at|am|pm)\b"
)
"""The parts of a date: what is left without them is a name, or nothing."""
ENDPOINT = re.compile(r"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) /\S*")
"""What a server is asked: ``GET /rest/events``."""
CLAUSE_WORDS = frozenset("is are was were has have you your we our it not include includes".split())
"""Words that stand in sentences and headlines, seldom in names."""
_ORDERS = frozenset(
    "add apply ask avoid be become complete build choose close configure connect convert create customize define "
    "delete deploy "
    "disable discover don't edit enable ensure explore find get handle improve install invoke join keep learn make "
    "manage migrate open prepare promote provide publish reduce remove send submit take turn understand update "
    "upgrade view write".split()
)
"""Verbs that open the title of an instruction, and few names."""
_SECTIONS = frozenset(
    "advantages basics considerations contributions disadvantages instructions limitations prerequisites pitfalls "
    "recommendations resources setup tips troubleshooting walkthrough".split()
)
"""What titles of sections begin or end with: *Firewall Setup*."""
_MORE = frozenset("added additional extra further helpful other recommended related useful various".split())
"""What they begin with: *Further Reading*."""
_FOR_DOING = re.compile(
    r"(?i) (?:for|of|on|to|when|while) (?:building|choosing|contributing|creating|getting|making|managing|running|"
    r"setting|using|working|writing)\b"
)
_TOPICS = frozenset(
    "administration annual architecture assessment backlog basics cheatsheet culture cycle development documentation "
    "governance "
    "guide handbook history index information layout lifecycle maintenance management manual onboarding organisation "
    "organization overview philosophy process processes questions quick-start quickstart recommendations reference "
    "review security self-assessment status strategy "
    "structure summary tutorial vision walkthrough workflow workflows".split()
)
"""Heads of titles that say what a page tells of: *Release process*, *Status of the release*."""
_PLACED = frozenset("in at on from for to with about under by".split())
"""*Data backups in Acme*, *Responsibilities for on-call*: what is told, and of what."""
_KINDS = frozenset(
    "categories conventions examples features files images labels levels limits lists models options parameters "
    "patterns properties releases requirements roles rules settings sources steps tasks terms types values "
    "versions".split()
)
"""Plural nouns that head the titles of lists of them: *Folder Types*."""
_DOING = re.compile(r"[A-Z][a-z]+ing (?:an?|the|your|our|\w+['’]s) ")
_DONE = frozenset(
    "assign call change check clear contact copy debug drain fix follow import list load log merge monitor move query "
    "raise rebuild record release rename reload report republish request reset restart restore resync retire review "
    "revoke roll rotate run scale search set sync test trigger use verify".split()
)
"""Verbs that open orders, and are nouns in names: only the words behind them tell."""
_SECTION = frozenset(
    "acknowledgements adopters alerts announcements authors calendar contributors credits licence license maintainers "
    "partners sponsors supporters users charter communication communications configuration deployment deployments "
    "events goals guidelines information liaisons manual meetings members membership mission monitoring operational "
    "people project projects responsibilities roles schedule scope talks team teams troubleshooting vision".split()
)
"""Titles of one word that say what is told of somebody or something, which stands elsewhere."""
_FILE_SUFFIX = re.compile(r"(?<=\w)\.(?:html?|md|csv|tsv|json|ya?ml|xml|rst|txt|erb|pdf|docx?)$")
_SPOKEN = frozenset("click here more this read see learn go back next previous you your below above".split())


_PRONOUNS = re.compile(r"(?i)\s*[(\[](?:any|he|she|they|xe|ze)\s*(?:/\s*\w+\s*){1,3}[)\]]")


_ALSO = re.compile(r"(?:a\.?k\.?a\.?|also known as|also called|formerly|previously) (?P<name>[A-Z].{1,50})")
"""*Rule (aka Ruler)*."""


class Title:
    """A title as a name."""

    def __init__(self, text: str) -> None:
        found = _BRACKET.match(text)
        self.text = text
        self.base = found["name"].strip() if found else text
        """Without the bracket that tells it from others of its name."""
        self.what = found["what"] if found else ""
        self.short = ""
        """An acronym of the name, or another one: *Paid parental leave (PPL)*, *Rule (aka Ruler)*."""
        if (called := _ALSO.match(self.what)) is not None:
            self.text, self.short, self.what = self.base, called["name"], ""
        if self.what and (capitals.stands_for(self.what, self.base) or _has_ends(self.what, self.base)):
            self.text, self.short, self.what = self.base, self.what, ""
        if self.what[:1].islower() and (len(self.what.split()) >= REMARK or _SAID_OF_PAGE.match(self.what)):
            self.text, self.what = self.base, ""
        self.words = [self.base] if "_" in self.base and " " not in self.base else WORD.findall(self.base)


def _has_ends(short: str, name: str) -> bool:
    """Whether a short form begins and ends as its name does, with a letter of a word that is left out: *Online
    University (OLU)*."""
    parts = name.split()
    return (
        len(parts) > 1
        and short.isalpha()
        and short.isupper()
        and len(short) == len(parts) + 1
        and (short[0], short[-1]) == (parts[0][:1], parts[-1][:1])
    )


def file_stem(path: str) -> str:
    """The name of a file without its suffixes: *data* of ``data.html.md``."""
    return _FILE_SUFFIX.sub("", PurePosixPath(path).stem)


_MONTH = "|".join(sorted(MONTH_NAMES))
_DAY_FIRST = re.compile(rf"(?i)^\d{{1,2}}[-_]{MONTH}[-_ ]+(?=[^\W\d_])")
"""*11-Jun_lamp-keepers*: a day without a year before a file's name."""
_DAY_BEFORE = re.compile(rf"(?i)(?:\d{{1,2}} (?:{_MONTH})|(?:{_MONTH}) \d{{1,2}},?) \d{{4}}\s*[:–—-]\s+(?=\w)")
"""*3 November 2010: Lamp Day*: when it was is no part of a name."""


_DAY_BEHIND = re.compile(
    r"(?<=[A-Za-z])[ _-]+(?:(?:19|20)\d\d[ _.-]?(?:0?[1-9]|1[0-2])[ _.-]?(?:0?[1-9]|[12]\d|3[01])"
    r"|\d{1,2}[ _.-]\d{1,2}[ _.-](?:(?:19|20)?\d\d))$"
)
"""When a file was made, behind its name: ``Lamp Handbook 8 7 14``."""
_LASTING = frozenset("Charter Framework Guide Guidebook Handbook Manual Playbook Policy Specification Standard".split())
"""What is one text, whenever it was saved; of minutes each day has its own."""
_COPIED = re.compile(r"(?<=\w)~\d+$")
"""What tells files of one name apart: ``index~38``."""
_TEMPLATE = re.compile(r"\b(?:PROJECT|REPO|TEAM|GROUP|SIG|WG|COMPANY)[ _-]NAME\b")
"""What stands in a template for a name."""


def without_pronouns(name: str) -> str:
    """A name without how somebody wants to be spoken of: *Ann Lee (She/Her)*."""
    return _PRONOUNS.sub("", name)


def title_name(title: str, path: str = "") -> str:
    """A title as the name of something, without its number and with spaces; empty where it is none."""
    written = unescape(title) if "&" in title and ";" in title else title
    name = unicodedata.normalize("NFC", without_pronouns(" ".join(written.split()))).strip("\"'“”*_` ")
    stem = PurePosixPath(path).stem
    if name == stem:
        name = stem = _COPIED.sub("", file_stem(path))
    if name == stem or (name and " " not in name and "_" in name and not _ABOUT.match(name) and not _CALL.search(name)):
        name = name if _ABOUT.match(name) else name.replace("_", " ").strip()
        if " " not in name and name == name.lower() and name.count("-") and "." not in name:
            name = name.replace("-", " ")  # ``leave-policy.md``
    name = _DAY_BEFORE.sub("", _NUMBERED.sub("", _DAY_FIRST.sub("", name)), count=1)
    if title == PurePosixPath(path).stem and (dated := _DAY_BEHIND.search(name)) is not None:
        kept = name[: dated.start()]
        name = kept if kept.rpartition(" ")[2] in _LASTING else name
    if name.count('"') == 1 and title.strip()[:1] == '"':
        name = f'"{name}'  # of two phrases in quotes the first one's was cut
    elif name.count('"') == 1 and title.strip()[-1:] == '"':
        name = f'{name}"'
    if _TEMPLATE.search(name):
        return ""
    if not 2 <= len(name) <= 120 or len(name.encode()) > 200 or not any(letter.isalpha() for letter in name):
        return ""
    bare = name.casefold().strip(".!?")
    if bare in _GENERIC or bare.replace(" ", "-") in _GENERIC or _MARKUP.search(name) or _HEX.match(name):
        return ""
    if is_random_id(name.replace(" ", "_")):
        return ""  # of a file, whose low lines are spaces by now
    if _PARTS.match(name) or not _DATES.sub("", name.casefold()).strip(" -–—,.:_/|#()"):
        return ""
    return name


_OPAQUE = re.compile(r"[a-z]{1,2}\d{1,4}|(?=(?:[a-z]+\d+){2})(?!.*[a-z]{3})[a-z\d]{4,12}")


def is_opaque(name: str) -> bool:
    """Whether a name is a few letters and digits and no word, as of a folder that has a number: *i1*."""
    return _OPAQUE.fullmatch(name) is not None


def is_generic(name: str) -> bool:
    """Whether a name only says where in a collection a text stands: *Frequently Asked Questions*."""
    return all(word.lower() in _GENERIC or word.lower() in words.TITLE_SMALL for word in WORD.findall(name))


def is_part(name: str) -> bool:
    """Whether a name is the number of a part of something: *Phase 1*, *Chapter IV*."""
    return _PARTS.match(name) is not None


_OF_A_TEXT = re.compile(
    r"(?:an?|the) (?:short |brief |personal |quick |complete )?(?:history|overview|introduction|guide|account|summary|"
    r"review|survey|list|look|note|primer|tour|walk|story|comparison)\b",
    re.I,
)
_INSTRUCTION = re.compile(r"\w+(?: \w+)? (?:an?|your|our|the) (?:[\w-]+ )?[a-z]")
_CASE = re.compile(r"[A-Z][\w.]*,? v\.? (?:the )?[A-Z]")
_OWNERS = frozenset("its their his her our my your".split())


def may_name(given: Title, confirmed: bool, typed: bool) -> bool:
    """Whether a title is a name, by its form; one whose lead says what it is may be longer and odder."""
    count = len(given.words)
    if not count:
        # Scripts without spaces or capitals: short titles are names.
        return 2 <= len(given.base) <= 40
    if confirmed:
        return count <= (MAX_WORDS + 4 if typed else MAX_WORDS)
    if ENDPOINT.fullmatch(given.base) or is_occasion(given.text) or is_case(given.base):
        return True
    if SENTENCE.search(given.text) or from_title(given.text) or from_name(given.text):
        return False
    lowered = [word.lower() for word in given.words]
    if is_generic(given.base):
        return False
    if " ".join(lowered).removeprefix("the ") in _SECTION or (
        count == 2 and lowered[0] == "the" and noun_type(lowered[1])
    ):
        return False  # "The Mission"
    if lowered[-1] in ("agenda", "agendas", "minutes", "notes"):
        return False
    if any(word in _TEXTS for word in lowered) and any(
        word.isdigit() or word in MONTHS or word in foreign_titles.MONTHS for word in lowered
    ):
        return False
    if (
        OPENING.match(f"{given.base} ")
        or " - " in given.base
        or " – " in given.base
        or " — " in given.base
        or " · " in given.base
        or ": " in given.base
    ):
        return False
    if lowered[0].endswith("ing") and count > 1 and len(lowered[0]) > 4:
        return False  # "Finding a mentor"
    if lowered[0] in _ORDERS or lowered[:2] == ["set", "up"]:
        return False  # "Install the client", "Join"
    if count > 1 and (
        lowered[-1] in _SECTIONS
        or lowered[0] in _SECTIONS
        or (lowered[0] in _MORE and not given.words[-1][1:].isupper())
    ):
        return False  # "Firewall Setup", "Further Reading"
    if _FOR_DOING.search(given.base) or " / " in given.base:
        return False  # "Motivation for Using GitHub", "Debian / Ubuntu"
    if _INSTRUCTION.match(given.text):
        return False  # "Slice a pipeline", "Set up the data"
    if _OF_A_TEXT.match(given.text) or not _OWNERS.isdisjoint(lowered):
        return False  # "A History of Alphabet and Its Acquisitions"
    main = [word for word in given.words if word.lower() not in words.TITLE_SMALL]
    small = count - len(main)
    if not main or len(main) > MAX_UNCONFIRMED or small > 3 or any(char in given.base for char in "?!,"):
        return False
    if any(word in CLAUSE_WORDS for word in lowered):
        return False
    # A headline has small words that are no small words of a title: "Ad sales boost profit".
    lower = sum(word[0].islower() for word in main)
    return bool(lower <= 2 or lower == len(main) <= 3)


def is_case(name: str) -> bool:
    """Whether a name is that of a case before a court: *Tarn Lamps, Inc. v. Lee*."""
    return _CASE.search(name) is not None


_WHOSE = re.compile(r"[A-Z]{2,5}|New|All|Other")
"""Before what a body has, in a title: *PMC Responsibilities*, *New Members*."""
_DUTIES = frozenset(
    "budgeting duties elections guidelines maintainers meetings members mentoring obligations onboarding processes "
    "responsibilities reporting roles rules tasks training voting".split()
)


def is_topic(given: Title) -> bool:
    """Whether a title says what a page tells of, where neither its lead nor its words make it the name of a thing:
    *Translating*, *Release process*, *Maturity levels*."""
    written = given.base.split()
    lowered = [word.lower() for word in written]
    last = lowered[-1] if lowered else ""
    if len(lowered) < 2:
        return len(last) > 5 and last.endswith("ing")
    if last in _TOPICS or "using" in lowered[1:-1] or not _PLACED.isdisjoint(lowered[1:-1]):
        return True
    if any(one in _TOPICS and other in ("of", "for") for one, other in pairwise(lowered[:-1])):
        return True
    if "and" in lowered[1:-1] and written[-1].islower():
        return True  # "Setup and building"
    if last in _DUTIES and _WHOSE.fullmatch(written[0]):
        return True  # "PMC Responsibilities"
    # "Keeper Groups" may be a thing's name.
    plural = len(last) > 3 and last.endswith("s") and not last.endswith(("ss", "us", "is")) and last.isalpha()
    return plural and (written[-1].islower() or "&" in lowered or last in _KINDS)


def tells_how(given: Title) -> bool:
    """Whether a title says what one does there, whatever its lead says: *Using the issue tracker*, *Restore indices
    from backup*."""
    if _DOING.match(given.base) is not None:
        return True
    first, *rest = given.words or [""]
    return first.lower() in (_DONE | _ORDERS) and len(rest) > 1 and any(word[:1].islower() for word in rest)


_AIMED = frozenset("a an the for of to with your".split())
_TRIES = frozenset("Test Fingerprint Enumerate Identify Review Verify Check Map Bypass Analyze Conduct".split())
"""Verbs that open a title of what one does, also where all of its words have capitals."""


def is_instruction(given: Title) -> bool:
    """Whether the words of a title are what one does something with, so that its last one says nothing of what it
    names: *Testing for Lamp Policy*, *Test Lamp Domain Policy*."""
    if len(given.words) < 3:
        return False
    first = given.words[0]
    gerund = first[:1].isupper() and first.endswith("ing") and len(first) > 5 and given.words[1] in _AIMED
    return gerund or first in _TRIES


def is_of_a_text(given: Title) -> bool:
    """Whether a title says what kind of text it stands over: *A brief history of Acme*."""
    return _OF_A_TEXT.match(given.text) is not None


def is_spelled_small(stem: str) -> bool:
    """Whether the name of a file is one of small letters with signs for spaces."""
    return stem == stem.lower() and re.search(r"[a-z\d][_-][a-z\d]", stem) is not None


def is_other_name(name: str, of: str) -> bool:
    """Whether what a page, or a link, calls a thing says enough to be a name of it wherever it stands.

    Not an ordinary word, nor words for the reader (*Learn more*), nor a phrase in lower case.
    """
    parts = name.split()
    if not 2 <= len(name) <= 80 or not 1 <= len(parts) <= 7 or (not name[:1].isupper() and not name[:1].isdigit()):
        return False
    if OPENING.match(f"{name} ") or any(part.casefold().strip(".,") in _SPOKEN for part in parts):
        return False
    if name.casefold() in words.NOT_NAMES or name.casefold() in _GENERIC or SENTENCE.search(name):
        return False
    shared = {part.casefold() for part in parts} & {part.casefold() for part in of.split()}
    return bool(shared) or len(parts) == 1 or sum(part[:1].isupper() for part in parts) * 2 >= len(parts)


def linked_name(path: str, name: str, label: str) -> str:
    """What a wikilink calls the page that it leads to, where no document has it; empty where it calls it nothing.

    ``name`` is the last part of the path. A path in small letters, or words that signs join, are the name of a file:
    only the label can say what the page is about, as in ``[[firms/tarn-lamps|Tarn Lamps]]``.
    """
    if name == name.lower() and label[:1].isupper() and "/" not in label:
        called = title_name(label)
        return called if may_name(Title(called), False, False) else ""
    if name == name.lower() and ("/" in path or is_spelled_small(name)):
        return ""
    return name if title_name(name) else ""
