"""Names that all texts spell in one way: of things in code, and of the members of a numbered series.

Used by formats when a file is parsed and by the names of extraction; pure. One document shows only that such a name
stands in it: whether it names something, the number of documents that have it decides
(``extraction.names.declared.suggested``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from kgfs.documents.blocks import Block
from kgfs.documents.markup import plain_sentence
from kgfs.model import DefinedTerm

MAX_SUGGESTED = 200
"""Names of each of the two sorts that one document suggests: those that it has most often."""
MAX_CODE = 60
"""Characters of a name in code."""
MOSTLY = 2
"""So many times what stands in code, a name with inner capitals may stand in the text, to be a name of code."""
IN_HEADING = 2
"""What a heading of its own weighs."""

Shape = Literal["verb-noun", "call", "dotted", "snake", "camel", "command"]

_CODE = re.compile(
    r"(?::(?:[\w+-]+:)?(?P<role>[a-z][\w-]*):)?(?P<fence>`{1,2})(?P<code>[^`\n]{3,80})(?P=fence)(?!`)"
    r"|(?P<bold>\*\*)(?P<strong>[^*\s`\[\]()]{3,60})\*\*"
)
_OF_PLACES = frozenset({"doc", "download", "guilabel", "kbd", "math", "menuselection", "numref", "ref"})
"""Roles of reStructuredText that lead to a place of a text, or show no code: ``:ref:`ug_lamps```."""
_NO_VERB = (
    "Non|Pre|Post|Self|Co|Anti|Multi|Cross|Sub|Semi|Inter|Long|Short|High|Low|Real|Well|Full|Half|Built|First|Second|"
    "Third|End|Day|Year|One|Two|Three"
)
"""What stands before a hyphen in headings: *Non-Goals* is called as *Get-Item* is."""
_SHAPES: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    ("verb-noun", re.compile(rf"(?!(?:{_NO_VERB})-)[A-Z][a-z]+-[A-Z][A-Za-z]*[a-z][A-Za-z]*")),
    ("call", re.compile(r"[A-Za-z_][\w]*(?:(?:\.|::)[A-Za-z_]\w*)*\(\)")),
    ("dotted", re.compile(r"[A-Za-z_]\w+(?:(?:\.|::)[A-Za-z_]\w+)+")),
    ("snake", re.compile(r"[A-Za-z]\w*_\w*[A-Za-z0-9]_?|__[a-z]\w*__")),
    ("camel", re.compile(r"[A-Z][a-z\d]+(?:[A-Z][a-z\d]*)+|[a-z]{2,}[\da-z]*(?:[A-Z][a-z\d]+)+")),
    ("command", re.compile(r"[a-z][a-z\d]+(?:-[a-z\d]+)* [a-z][a-z\d]+(?:-[a-z\d]+)*")),
)
_ARGUMENTS = re.compile(r" (?=--?[A-Za-z]|[<\[{$~/.]|\.\.\.)")
"""Where the arguments of a command begin: options, what is to be filled in, a path."""
_FILE = re.compile(
    r"(?i)\.(?:adoc|bash|bat|bin|bmp|c|cc|cer|cfg|cmd|conf|cpp|cs|css|csv|dat|db|deb|dll|doc|docx|env|exe|gif|go|gz|h|"
    r"hpp|html?|ico|inc|ini|ipynb|jar|java|jpe?g|js|json|jsonl|jsx|key|lock|log|lua|md|mp[34]|msi|odt|org|pdf|pem|php|pid|"
    r"pl|png|pptx?|properties|ps1|ps1xml|psd1|psm1|py|pyc|rb|rpm|rs|rst|rtf|service|sh|so|sock|sql|svg|tar|tex|tgz|tmp|"
    r"toml|ts|tsv|tsx|txt|vue|whl|xlsx?|xml|xsd|ya?ml|zip|zsh)$"
)
_DOMAIN = re.compile(r"(?i)^www\.|\.(?:com|org|net|io|gov|edu|mil|dev|app|ai|co|uk|de|eu|fr|info)(?:\.|$)")
_MADE_UP = re.compile(r"(?i)(?:^|[_.-])(?:my|foo|bar|baz|your|example|sample|dummy|fake|xxx|acme)|(?:^|[^a-z])my[A-Z_]")
_NO_COMMAND = frozenset(
    "a an and are as at be but by can do for from has have if in into is it its may must no nor not of off on or our "
    "per so than that the then there these they this those to too true false up via was we were when which while will "
    "with you your".split()
)
_NOUNS = {
    "cmdlet": "cmdlet", "command": "command", "subcommand": "command", "sub-command": "command", "tool": "command",
    "utility": "command", "directive": "command", "func": "function", "function": "function", "meth": "function",
    "method": "function", "procedure": "function", "routine": "function", "macro": "function", "decorator": "function",
    "hook": "function", "class": "class", "struct": "class", "interface": "class", "enum": "class",
    "enumeration": "class", "exc": "class", "exception": "class", "trait": "class", "object": "class", "type": "class",
    "mod": "module", "module": "module", "package": "module", "namespace": "module", "library": "module",
    "option": "setting", "parameter": "setting", "param": "setting", "setting": "setting", "variable": "setting",
    "flag": "setting", "switch": "setting", "argument": "setting", "envvar": "setting", "key": "setting",
    "confval": "setting", "property": "property", "field": "property", "attribute": "property", "attr": "property",
    "column": "property", "metric": "metric",
}  # fmt: skip
"""What stands beside code, or is its role, and what it says that the code is."""
_PLURALS = {f"{noun}s": said for noun, said in _NOUNS.items()} | {
    "properties": "property", "classes": "class", "utilities": "command", "libraries": "module",
    "switches": "setting",
}  # fmt: skip
_BEHIND = re.compile(
    r"[`*]*\)?,? (?:(?:configuration|config|environment|command-line|built-?in|helper|server|static) )?"
    r"(?P<noun>[a-z-]{3,12})\b"
)
_BEFORE = re.compile(r"\b(?P<noun>[a-z-]{3,12})(?: (?:named|called))?[ \n][\[(\"“]?$")


_DEFINED = re.compile(
    r"(?:\b(?P<defines>class|interface|struct|def|func|fn|function) )?"
    r"(?:(?P<of>\$\w+\.)|(?<![\w.]))(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?P<sign>\(|=(?!=))?"
)
_DEFINES = {
    **dict.fromkeys(("class", "interface", "struct"), "class"),
    **dict.fromkeys(("def", "func", "fn", "function"), "function"),
}
_SIGNS = {"(": "function", "=": "setting"}
"""What follows a name in code: it is called, or passed by name (with no space between)."""


class Series(NamedTuple):
    """A member of a numbered series: ``PEP 703``."""

    name: str
    """As it is written by itself: capitals, no zeros in front of the number."""
    series: str
    number: str

    @property
    def key(self) -> str:
        return f"{self.series} {self.number}"


KNOWN_SERIES = frozenset(
    "RFC PEP CVE CWE ISO IEC ISO/IEC IEEE ANSI DIN NIST FIPS ECMA ITU STD BCP JEP KEP JSR ADR BIP EIP ERC ASTM GHSA "
    "RHSA DSA USN XEP STANAG".split()
)
"""Series of standards, proposals and advisories: of them one number is a name."""
STANDARDS = frozenset("ISO IEC ISO/IEC IEEE ANSI DIN FIPS ECMA ITU ASTM STANAG".split())
"""Those of them whose members are standards."""
_NO_SERIES = frozenset(
    """
    JAN FEB MAR APR MAY JUN JUL AUG SEP SEPT OCT NOV DEC JANUARY FEBRUARY MARCH APRIL JUNE JULY AUGUST SEPTEMBER OCTOBER
    NOVEMBER DECEMBER MON TUE WED THU FRI SAT SUN FY CY AY SY WY Q H WW UTC GMT EST EDT CST CDT MST MDT PST PDT CET CEST
    BST
    AD BC BCE CE AM PM USD EUR GBP JPY CHF CAD AUD NZD CNY INR KRW SEK NOK DKK RMB RM US UK EU UN NY DC LA UTF UCS SHA
    AES RSA MD DES HMAC CRC GPT BERT LLAMA COVID SARS HIV USB PCI HDMI HTTP HTTPS TLS SSL TCP UDP IP PORT
    MP IPV WIN OS KB MB GB TB PB HZ KHZ MHZ GHZ KM CM MM KG MG ML DB BIT
    PAGE PG PP FIG FIGURE TABLE STEP PART CHAPTER SECTION SEC VOL VOLUME NO NR NUM NUMBER APPENDIX ARTICLE ART TITLE BOX
    ROOM SUITE LINE ITEM NOTE TOP AGE TEL FAX EXT PO ZIP REV VER VERSION V R WEEK DAY YEAR MONTH PHASE LEVEL TIER GRADE
    STAGE ROUND GAME LOT UNIT BLOCK ROW COL LATIN MONTHS DAYS ISBN ISSN
    """.split()
)
_SERIES = re.compile(
    r"(?<![\w&/.$#@=+-])(?<!\d )"
    r"(?:(?P<series>[A-Z]{2,10}(?:/[A-Z]{2,6})?)(?P<sign>[ \u00a0-]?)(?P<number>\d{1,7}(?:[-.]\d{1,7}){0,3})"
    r"|(?P<small>rfc|cve|pep|cwe|bcp|jep|kep|eip)(?P<between>[ \u00a0-]?)(?P<figures>\d{1,7}(?:-\d{1,7})?)"
    r"|(?P<letter>[A-Z]-\d{2}-\d{2,4}))(?![\w%°]|[.,-]\d)"
)
"""In small letters those alone that are no words: ``rfc-9110``, ``cve-2024-31337``."""
_LOOSE = re.compile(
    r"(?P<series>[A-Za-z]{2,10}(?:/[A-Za-z]{2,6})?)(?P<sign>[ _-]?)(?P<number>\d{1,7}(?:[-.]\d{1,7}){0,3})"
)
_SMALL_WORD = re.compile(r"(?<!\w)[a-z]{2,10}(?!\w)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_COMPOUND = re.compile(r"-[A-Za-z]")


def suggested_terms(text: str, blocks: Sequence[Block]) -> list[DefinedTerm]:
    """The names in code and the members of series that a text of these ``blocks`` has, the most frequent first."""
    code: dict[str, Counter[str]] = {}
    weights: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    series: dict[str, str] = {}
    pieces: list[str] = []
    listings: list[str] = []
    for block in blocks:
        if block.kind == "front":
            continue
        for leaf in block.leaves:
            if leaf.kind == "code":
                listings.append(text[leaf.start : leaf.end])
            if leaf.kind == "code" or block.kind == "code":
                continue
            piece = text[leaf.start : leaf.end]
            pieces.append(piece)
            if "`" in piece or "**" in piece:
                for name, noun in _in_code(piece):
                    code.setdefault(name, Counter())[noun] += 1
            if leaf.kind == "heading" and code_shape(name := _bare(block.title)) not in ("", "command", "camel"):
                code.setdefault(name, Counter())
                weights[name] = IN_HEADING
            if ":`" in piece:
                piece = plain_sentence(piece).text  # ``:pep:`703```
            for one in _series_in(piece):
                numbers[one.name] += 1
                series[one.name] = one.series
    often = sorted(code, key=lambda name: (-code[name].total(), name))[:MAX_SUGGESTED]
    prose = "\n".join(pieces) if often else ""
    # "PowerShell" is a name like others that stands in code, too.
    often = [name for name in often if code_shape(name) != "camel" or prose.count(name) <= MOSTLY * code[name].total()]
    for name, noun in _in_listings(listings, {name for name in often if not _most(code[name])}):
        code[name][noun] += 1
    if set(series.values()) - KNOWN_SERIES:
        words = set(_SMALL_WORD.findall(text))  # "STEP 12" is no number of a series where the text has steps
        for name in [name for name, one in series.items() if one not in KNOWN_SERIES and one.lower() in words]:
            del numbers[name]
    terms = [DefinedTerm(name=name, kind=_most(code[name]), weight=max(1, weights[name])) for name in often]
    return terms + [DefinedTerm(name=name, weight=count) for name, count in numbers.most_common(MAX_SUGGESTED)]


def is_file_name(name: str) -> bool:
    """Whether a name ends as those of files do: ``server.xml``."""
    return _FILE.search(name) is not None


def is_made_up(name: str) -> bool:
    """Whether a name in code is that of an example: ``myServer``."""
    return _MADE_UP.search(name) is not None


def code_shape(name: str) -> Shape | Literal[""]:
    """What a name in code looks like; empty for what names nothing: a path, a value, an option, a word."""
    if not 4 <= len(name) <= MAX_CODE:
        return ""
    shape = next((shape for shape, pattern in _SHAPES if pattern.fullmatch(name)), None)
    if shape is None or _MADE_UP.search(name):
        return ""
    if shape == "dotted" and (_FILE.search(name) or _DOMAIN.search(name)):
        return ""
    if shape == "command" and not _NO_COMMAND.isdisjoint(name.split()):
        return ""
    return shape


def read_series(name: str, *, loose: bool = False) -> Series | None:
    """A name as the member of a series; ``None`` where it is none. ``loose``: a known series in any case and with any
    sign between (``pep-0703``)."""
    found = (_LOOSE if loose else _SERIES).fullmatch(name)
    if found is None:
        return None
    if loose and found["series"].upper() not in KNOWN_SERIES:
        return None
    return _series(found)


def series_spellings(name: str) -> list[str]:
    """The forms in which texts write the member of a series; none for other names."""
    found = read_series(name)
    if found is None:
        return []
    numbers = [found.number]
    if found.number.isdigit() and len(found.number) < 4:
        numbers.append(found.number.zfill(4))
    known = found.series in KNOWN_SERIES
    cases = [found.series, *([found.series.lower(), found.series.capitalize()] if known else [])]
    return [
        f"{case}{sign}{number}" for case in cases for number in numbers for sign in (" ", "-", *([""] if known else []))
    ]


def series_of(text: str) -> set[str]:
    """The series of which a text has several numbers."""
    numbers: dict[str, set[str]] = {}
    for one in _series_in(text):
        numbers.setdefault(one.series, set()).add(one.number)
    return {series for series, members in numbers.items() if len(members) > 1}


def _in_code(piece: str) -> Iterator[tuple[str, str]]:
    """The names in code or bold in a piece of text, each with what the words beside it say that it is, or nothing."""
    for found in _CODE.finditer(piece):
        if found["role"] in _OF_PLACES:
            continue
        bold = found["bold"] is not None
        name = _bare(found["strong"] if bold else found["code"])
        shape = code_shape(name)
        if not shape or (bold and shape in ("command", "call", "camel")):
            continue
        said = _NOUNS.get(found["role"] or "", "")
        if not said and (behind := _BEHIND.match(piece, found.end())):
            said = _noun(behind["noun"])
        if not said and (before := _BEFORE.search(piece, max(0, found.start() - 30), found.start())):
            said = _noun(before["noun"])
        yield name, said


def _in_listings(listings: Sequence[str], names: Collection[str]) -> Iterator[tuple[str, str]]:
    """What code shows of ``names`` that it defines, calls or passes: ``class LampLoader``, ``load_lamps(``."""
    for listing in listings if names else ():
        for found in _DEFINED.finditer(listing):
            name = found["name"]
            if name in names and (noun := _DEFINES.get(found["defines"] or "") or _SIGNS.get(found["sign"] or "", "")):
                made = not found["of"] and re.split(r"[.:]+", name)[-1][0].isupper()  # "$lamp.Light()" makes none
                yield name, "class" if noun == "function" and made else noun


def _bare(code: str) -> str:
    """What stands in code without the signs of its markup and the arguments of a command."""
    name = code.strip().strip("`*").lstrip("~!").strip()
    if " " in name:
        name = _ARGUMENTS.split(name, maxsplit=1)[0]
    return name.removeprefix("$ ").rstrip(":,;")


def _noun(word: str) -> str:
    return _NOUNS.get(word) or _PLURALS.get(word, "")


def _most(said: Counter[str]) -> str:
    """What is said most often, if anything is."""
    del said[""]
    return min(said, key=lambda noun: (-said[noun], noun)) if said else ""


def _series_in(text: str) -> Iterator[Series]:
    for found in _SERIES.finditer(text):
        if (one := _series(found)) is not None:
            yield one


def _series(found: re.Match[str]) -> Series | None:
    groups = found.groupdict()
    if groups.get("letter"):
        return Series(found[0], found[0][0], found[0][2:])
    if groups.get("small"):
        series, number, sign = groups["small"].upper(), groups["figures"], groups["between"]
    else:
        series, number, sign = found["series"].upper(), found["number"], found["sign"]
    known = series in KNOWN_SERIES
    if not known and _COMPOUND.match(found.string, found.end()):
        return None  # "ABC 3-clause": three of something
    if not known and (series in _NO_SERIES or not sign or "/" in series):
        return None
    if number.isdigit():
        number = number.lstrip("0") or "0"
    elif not known and "." in number:
        return None  # a version: "TLS 1.3"
    if (
        series in ("ISO", "IEC", "ISO/IEC", "DIN", "IEEE")
        and _YEAR.fullmatch(number.rpartition("-")[2])
        and "-" in number
    ):
        number = number.rpartition("-")[0]
    if not known and _YEAR.fullmatch(number):
        return None
    sign = "-" if series in ("CVE", "CWE", "GHSA", "RHSA", "DSA", "USN") or (sign == "-" and not known) else " "
    return Series(f"{series}{sign}{number}", series, number)
