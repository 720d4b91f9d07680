"""Names of projects whose repository or site a text gives, written as its sentences write them: *lampd*, *OpenLamp*.

Used by formats when a file is parsed. Many projects are called in small letters, and no tagger finds these. A word is
suggested where an address has it (``github.com/lampd/lampd``, ``lampd.dev``), the sentences have it again, and it
stands once where names stand; whether it is an ordinary word is asked where there is a dictionary
(``extraction.names.declared.known_names``).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from kgfs.model import DefinedTerm

PROJECT = "project name"
"""``DefinedTerm.kind`` of such a name; its weight is how often the sentences of the document have it."""
MAX_PROJECTS = 40
"""Names that one document suggests."""

_FEWEST = 2
_REPOSITORY = re.compile(
    r"(?:github|gitlab|codeberg)\.(?:com|org)/(?P<owner>[\w.-]+)/(?P<name>[A-Za-z][\w.-]*?)(?:\.git)?(?=[/\s)>\]\"'|#?,]|$)"
)
_SITE = re.compile(
    r"(?:https?://|\]\()(?:www\.)?(?P<name>[a-z][a-z0-9-]{3,30})\.(?:app|dev|io|org|rs|run|sh|tools)(?=[/\s)>\]\"'|#,]|$)"
)
_NO_PROSE = re.compile(
    r"^(?P<fence>```|~~~).*?^(?P=fence)|^---\n.*?^---$|`[^`\n]*`|https?://[^\s)>\]]+|\]\([^()\s]*\)|<[^<>\n]{1,300}>"
    r"|[\w.-]*@[\w.-]+|(?<![\w/])[\w.-]*/[\w./-]+|\b\w+(?:\.\w+)+",
    re.S | re.M,
)
"""Code, addresses, handles and paths."""
_TOKEN = re.compile(r"(?<![\w@#/.-])[A-Za-z][A-Za-z\d]*(?:[-+][A-Za-z\d]+)*(?![\w@/])")
_NOUNS = (
    r"(?:CLI|app|application|binary|client|codebase|community|compiler|daemon|developers|framework|library|maintainers|"
    r"organi[sz]ation|pilot|plugin|project|repository|server|specification|team|tool|users)\b"
)
_VERBS = (
    r"(?:aims|allows|also|automates|builds|can|comes|creates|does|eliminates|enables|exists|extends|generates|handles|has|"
    r"helps|implements|integrates|is|lets|makes|manages|offers|presents|produces|provides|reads|runs|started|stores|"
    r"supports|takes|uses|verifies|was|will|works|writes)\b"
)
_HEAD = r"(?:^[ \t]*(?:#{1,6}[ \t]+|[-*+>|][ \t]+|\d+[.)][ \t]+)*|[.!?:][ \n])[\"“]?(?:\*\*|__|\[)?"
_WORD = r"(?P<name>[A-Za-z][A-Za-z\d]*(?:[-+][A-Za-z\d]+)*)"
_STANDS = (
    re.compile(rf"(?<![\w-]){_WORD}(?:\*\*|\])?(?:['’]s\b| {_NOUNS})"),
    re.compile(rf"{_HEAD}{_WORD}(?:\*\*|\])? {_VERBS}", re.M),
)
"""Where names stand: before what a thing has (*the lampd project*), or before what it does at the head of a sentence,
an item, a row or a heading (*lampd aims to*)."""
_CELL = re.compile(rf"^\|?[ \t]*{_WORD}[ \t]*\|", re.M)
_MEANS_NOTHING = frozenset(
    "about account action actions admin apps assets blog book build client code common community config contrib core "
    "data demo dev docs documentation example examples main meta name owner pages plugins project projects repo "
    "resources sdk server site specs template templates test tests tools user username utils website wiki".split()
)


def project_names(text: str) -> list[DefinedTerm]:
    """The projects that a text names, each as its sentences mostly write it."""
    repositories = {_letters(found["name"]) for found in _REPOSITORY.finditer(text)} - _MEANS_NOTHING
    owners = {_letters(found["owner"]) for found in _REPOSITORY.finditer(text)}
    sites = {_letters(found["name"]) for found in _SITE.finditer(text)}
    addresses = (repositories | owners | sites) - _MEANS_NOTHING
    if not addresses:
        return []
    prose = _NO_PROSE.sub(" ", text).replace("__", "**")
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for token in _TOKEN.findall(prose):
        if len(token) > 3 and (letters := _letters(token)) in addresses:
            forms[letters][token] += 1
    cells = {found["name"] for found in _CELL.finditer(prose)}
    stands = {found["name"] for pattern in _STANDS for found in pattern.finditer(prose)}
    found = []
    for letters, written in forms.items():
        name = max(written, key=lambda form: (written[form], form))
        if name.isupper() or not (name.islower() or letters in repositories):
            continue
        if name in cells or (written.total() >= _FEWEST and name in stands):
            found.append(DefinedTerm(name=name, kind=PROJECT, weight=written.total()))
    found.sort(key=lambda one: (-one.weight, one.name))
    return found[:MAX_PROJECTS]


def _letters(name: str) -> str:
    return re.sub(r"[-_.\s]", "", name).casefold()
