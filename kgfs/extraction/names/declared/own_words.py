"""Whom a text means by *we* and *the Company*, where it says so: filings, contracts, policies, annual reports.

Used by the gazetteer and the lexicon; pure. ``Tarn Lamps, Inc. (the “Company,” “we” or “us”)`` and ``references to “we”
mean Tarn Lamps, Inc.`` say it, and so does the cover page of a filing. ``speakers`` tells it of a whole folder.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from kgfs.documents.filings import read_filing
from kgfs.model import EntityCandidate, ParsedDocument

_OWN = re.compile(
    r"we|us|our|ours|company|corporation|registrant|firm|partnership|trust|bank|foundation|association|group|fund|organization|organisation",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"(?<!\w)[“\"](?=[\w&])(?P<said>[^“”\"\n]{1,42})(?<=[\w,.&])[”\"](?!\w)|(?<!\w)‘(?=\w)(?P<single>[^‘’\n]{1,42})’(?!\w)"
)
_BETWEEN = re.compile(r"[ ,]{0,3}(?:and |or )?(?:the |our |The )?")
"""Between two words of a list."""
_SUFFIX = r"(?:Inc|LLC|L\.?L\.?C|L\.?P|LLP|Ltd|Limited|Corp|plc|PLC|N\.A|S\.A|N\.V|B\.V|AG|SE|GmbH|Co)\b\.?"
_NAME = rf"(?P<name>[A-Z][\w&.’'-]*(?: (?:[A-Z&][\w&.’'-]*|of|and|for|the|de))*?(?:,? {_SUFFIX})?)"
_NAME_BEFORE = re.compile(rf"(?<![\w&.’'-]){_NAME}[ ,]*$")
_WITH = re.compile(
    r",? (?:together with|including|and|along with) (?:its|all of its|our|one or more of its|Subsidiar)[^()“”\"\n]{0,100}$"
)
_IN_BRACKET = re.compile(
    r"(?:collectively|hereinafter|together|herein|also|individually and |referred to |as |the |our |,| )*"
)
_MEANS = re.compile(
    rf"(?:,? (?:and|or) similar (?:terms|words|references),?)?(?:,? in this [a-z0-9 -]{{3,40}},?| herein,?)? ?"
    rf"(?:(?:shall|all|each|we are|are|is|each of these terms|the terms) )*(?:means?|meaning|refers?|referring|relate|to)(?: only)?(?: to)?:? (?:[Tt]he )?{_NAME}(?=,? (?:and|together|including|a|an|or|which)\b|[.,;\n(])"
)
_AROUND, _INSIDE = 200, 80
"""Characters before a bracket that may say whose words are in it, and in the bracket before them."""
_NOT_NAMES = frozenset(
    "Agreement Board Company Corporation Customer Each Employee Executive Services Site Subsidiaries Term Terms The This User Website You".split()
)


class OwnName(NamedTuple):
    """Who speaks in a text."""

    name: str
    aliases: tuple[str, ...]
    """Shorter names that the text says it uses."""
    words: tuple[str, ...]
    """What else the text calls it: ``the Company``."""


def own_name(document: ParsedDocument) -> OwnName | None:
    """Who speaks in a document, if it says so of one alone."""
    return _own_name(document.text) if document.text else None


def own_entity(document: ParsedDocument) -> EntityCandidate | None:
    """Who speaks in a document, as an entity that it declares."""
    own = own_name(document)
    if own is None:
        return None
    return EntityCandidate(name=own.name, type="Organization", aliases=list(own.aliases), confidence=OWN, declared=True)


OWN = 0.95
"""The confidence of such an entity: the document is written by it, not about it."""


@lru_cache(maxsize=8)
def _own_name(text: str) -> OwnName | None:
    filing = read_filing(text)
    said: dict[str, list[str]] = {}
    for name, words in _definitions(text):
        said.setdefault(name, []).extend(words)
    if filing is not None:
        of_filing = [words for name, words in said.items() if _same(name, filing.registrant)]
        return _own(filing.registrant, [word for words in of_filing for word in words] or ["Company", "registrant"])
    speaking = {
        name: words for name, words in said.items() if any(word.lower() in ("we", "us", "our") for word in words)
    }
    if len(speaking) != 1:
        return None
    ((name, words),) = speaking.items()
    return _own(name, words)


def _own(name: str, words: list[str]) -> OwnName:
    own, aliases = [], []
    for word in dict.fromkeys(words):
        if word.lower() in ("we", "us", "our", "ours"):
            continue
        if _OWN.fullmatch(word):
            own.append(f"the {word[0].upper()}{word[1:]}")
        elif word[0].isupper() and (word.isupper() or word.split()[0] in re.split(r"[ ,]+", name)) and word != name:
            aliases += [word, f"The {word}"] if name.startswith("The ") else [word]
    return OwnName(name, tuple(aliases), tuple(dict.fromkeys(own)))


def _definitions(text: str) -> list[tuple[str, list[str]]]:
    """Names with the words that the text says it uses for them: in a bracket behind the name, or before ``mean``."""
    found: list[tuple[str, list[str]]] = []
    quoted: list[re.Match[str]] = []
    for one in (*_QUOTED.finditer(text), None):
        if one is not None and (not quoted or _BETWEEN.fullmatch(text, quoted[-1].end(), one.start())):
            quoted.append(one)
            continue
        words = [_bare(word["said"] or word["single"]) for word in quoted]
        if any(map(_OWN.fullmatch, words)):
            for name in (_before(text, quoted[0].start()), _behind(text, quoted[-1].end())):
                if name and name.split()[0] not in _NOT_NAMES:
                    found.append((name, words))
        quoted = [one] if one is not None else []
    return found


def _before(text: str, start: int) -> str:
    """The name before the bracket in which words in quotes begin."""
    opening = text.rfind("(", max(0, start - _INSIDE), start)
    if opening < 0 or not _IN_BRACKET.fullmatch(text, opening + 1, start):
        return ""
    line = max(text.rfind("\n", 0, opening) + 1, opening - _AROUND)
    before = _WITH.sub("", text[line:opening].rstrip())
    found = _NAME_BEFORE.search(before)
    return _plain(found["name"]) if found is not None else ""


def _plain(name: str) -> str:
    """A name without its article, its possessive, and the sign that ends the sentence."""
    name = re.sub(r"['’]s$|^[Tt]he ", "", name.rstrip(","))
    return (
        name
        if re.search(r"(?:Inc|Corp|Co|Ltd|[A-Z])\.$", name) and not name.endswith(("GmbH.", "AG.", "LLC."))
        else name.rstrip(".")
    )


def _behind(text: str, end: int) -> str:
    """The name behind words in quotes that mean it."""
    found = _MEANS.match(text, end)
    return _plain(found["name"]) if found is not None else ""


def _bare(quoted: str) -> str:
    return re.sub(r"^[Tt]he (?=[A-Z])", "", quoted.strip(" ,."))


def _same(one: str, other: str) -> bool:
    """Whether two names are one but for their article, letters and signs."""

    def plain(name: str) -> str:
        return re.sub(r"[^a-z\d]+", " ", re.sub(r"^the ", "", name.lower())).strip()

    return plain(one) == plain(other) or plain(other).startswith(plain(one)) or plain(one).startswith(plain(other))
