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

_OPEN, _CLOSE = "[“\"”'‘]", "[”\"“'’]"
_OWN = r"we|us|our|ours|company|corporation|registrant|firm|partnership|trust|bank|foundation|association|group|fund|organization|organisation"
_ANCHOR = re.compile(rf"{_OPEN}(?:the )?(?:{_OWN})[,.]?{_CLOSE}", re.IGNORECASE)
_WORD = rf"(?:the |our )?{_OPEN}(?:the )?[\w&][\w& .’'/-]{{0,40}}?[,.]?{_CLOSE}"
_WORDS = rf"(?:{_WORD}(?:,? (?:and|or) |, ?| )?){{1,9}}"
_SUFFIX = r"(?:Inc|LLC|L\.?L\.?C|L\.?P|LLP|Ltd|Limited|Corp|plc|PLC|N\.A|S\.A|N\.V|B\.V|AG|SE|GmbH|Co)\b\.?"
_NAME = rf"(?:The |the )?(?P<name>[A-Z][\w&.’'-]*(?: (?:[A-Z&][\w&.’'-]*|of|and|for|the|de))*?(?:,? {_SUFFIX})?)"
_WITH = r"(?:,? (?:together with|including|and|along with) (?:its|all of its|our|one or more of its|Subsidiar)[^()“”\"\n]{0,100})?"
_BRACKET = re.compile(
    rf"{_NAME}{_WITH},? ?\((?:collectively|hereinafter|together|herein|also|individually and collectively|,| )*(?:referred to (?:herein )?as )?(?P<said>{_WORDS})[^()\n]{{0,80}}\)"
)
_MEANS = re.compile(
    rf"(?P<said>{_WORDS})(?:,? (?:and|or) similar (?:terms|words|references),?)?(?:,? in this [a-z0-9 -]{{3,40}},?| ?herein,?)? ?"
    rf"(?:(?:shall|all|each|we are|are|is|each of these terms|the terms) )*(?:mean|means|meaning|refer|refers|referring|relate|to)(?: only)?(?: to)?:? {_NAME}(?=,? (?:and|together|including|a|an|or|which)\b|[.,;\n(])"
)
_AROUND = 420
"""Characters before and behind a word in quotes, in its paragraph, that may say whose word it is."""
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
        if re.fullmatch(_OWN, word, re.IGNORECASE):
            own.append(f"the {word[0].upper()}{word[1:]}")
        elif word[0].isupper() and (word.isupper() or word.split()[0] in re.split(r"[ ,]+", name)) and word != name:
            aliases += [word, f"The {word}"] if name.startswith("The ") else [word]
    return OwnName(name, tuple(aliases), tuple(dict.fromkeys(own)))


def _definitions(text: str) -> list[tuple[str, list[str]]]:
    """Names with the words that the text says it uses for them."""
    found: list[tuple[str, list[str]]] = []
    end = 0
    for anchor in _ANCHOR.finditer(text):
        if anchor.start() < end:
            continue
        start = max(text.rfind("\n", 0, anchor.start()) + 1, anchor.start() - _AROUND)
        stop = text.find("\n", anchor.end())
        end = min(len(text) if stop < 0 else stop, anchor.end() + _AROUND)
        place = text[start:end]
        for pattern in (_BRACKET, _MEANS):
            for one in pattern.finditer(place):
                words = [_bare(word) for word in re.findall(_WORD, one["said"])]
                name = re.sub(r"['’]s$", "", one["name"].rstrip(","))
                if any(re.fullmatch(_OWN, word, re.IGNORECASE) for word in words) and name.split()[0] not in _NOT_NAMES:
                    found.append((name, words))
    return found


def _bare(quoted: str) -> str:
    word = re.sub(rf"^(?:the |our )?{_OPEN}|{_CLOSE}$", "", quoted).strip(" ,.")
    return re.sub(r"^[Tt]he (?=[A-Z])", "", word)


def _same(one: str, other: str) -> bool:
    """Whether two names are one but for their article, letters and signs."""

    def plain(name: str) -> str:
        return re.sub(r"[^a-z\d]+", " ", re.sub(r"^the ", "", name.lower())).strip()

    return plain(one) == plain(other) or plain(other).startswith(plain(one)) or plain(one).startswith(plain(other))
