"""What the tagger's votes come to beside the words of a name: one type a document, and how sure it is.

Used by the lexicon; pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import Protocol

from kgfs.ingest.extraction import tagging, words
from kgfs.ingest.extraction.places import PLACES

ONE_TAG = 0.5
"""How sure a type is that the tagger gave once; every further sentence that agrees adds to it."""
EACH_MORE = 0.08
MOST = 0.8


class Evidence(Protocol):
    """The part of a name that holds the evidence for its type."""

    name: str
    votes: dict[str, float]
    tags: Counter[str]
    clues: Counter[str]

    @property
    def best(self) -> tuple[str, float] | None: ...


_TECHNICAL = frozenset(
    "API APIs XML HTML JSON CSS HTTP HTTPS SSH SSL TLS URL URLs URI GUID UUID SQL CLI GUI UI UX IDE SDK PDF "
    "CSV YAML TOML DNS "
    "DHCP IP TCP UDP FTP SFTP SMTP CPU GPU RAM OS VM VPN LDAP SAML OAuth REST SOAP RPC CI CD ISO ASCII UTF "
    "UTF-8 Unicode "
    "NTLM MSI RSS WMI COM CLR DLL GPS SMS USB PIN MFA 2FA".split()
)
"""Short names of techniques, which the tagger takes for organizations."""
SYSTEMS = frozenset(
    "Windows Linux Unix macOS iOS Android Ubuntu Debian Fedora PowerShell Chrome Firefox Photoshop".split()
)
"""Words that make a name one of software."""
_NOBODY = frozenset(
    "Linux Windows Unix Server OS PowerShell Azure Drive Calendar Mail Docs App Online Desktop Studio".split()
)
_INNER_CAPITAL = re.compile(r"(?<!Mc)(?<!Mac)(?<!De)(?<!Di)(?<!La)(?<!Le)(?<!Van)(?<![’'])(?<=[a-z])[A-Z]")


def may_be_person(name: str) -> bool:
    """Whether the words of a name can be those of a person: no acronym, no identifier, not all of them words with
    an adjective or a verb among them."""
    parts = [part.strip(".,") for part in re.split(r"[\s-]+", name) if part.strip(".,")]
    if not parts or len(parts) > 6 or any(char.isdigit() for char in name):
        return False
    if parts[0] in words.GIVEN_NAMES:
        return parts[-1] not in _NOBODY
    if any(len(part) > 2 and part.isupper() for part in parts) and not all(part.isupper() for part in parts):
        return False
    if any(re.search(r"[a-z][A-Z]{2}", part) for part in parts):
        return False
    if any(part in _NOBODY or _INNER_CAPITAL.search(part) for part in parts):
        return False
    lowered = [part.lower() for part in parts if part[0].isupper() and len(part) > 1]
    return (
        len(parts) == 1 or not all(map(tagging.is_word, lowered)) or not any(map(tagging.is_verb_or_adjective, lowered))
    )


def may_be_place(name: str, prose: Collection[str]) -> bool:
    """Whether the words of a name can be those of a place: no acronym, no sign, not all of them words of the text."""
    if name in PLACES:
        return True
    if "&" in name or any(char.isdigit() for char in name) or (name.isupper() and "." not in name):
        return False
    return not all(part.lower() in prose for part in name.split())


def settle(named: Evidence, prose: Collection[str]) -> None:
    """Turn the tags of all sentences into votes: a share of the tags each, more with more sentences.

    ``prose`` are the lower-case words of the text.
    Where the words of the name show the same type, both count; where they show another, the surer one wins.
    """
    if named.name in _TECHNICAL:
        named.votes = {"Technology": 0.6}
        return
    if named.tags.get("Person") and not may_be_person(named.name):
        del named.tags["Person"]
        named.votes.pop("Person", None)
    if named.tags.get("Location") and not named.clues.get("Location") and not may_be_place(named.name, prose):
        del named.tags["Location"]
    if not SYSTEMS.isdisjoint(named.name.split()):
        named.tags = Counter(Product=named.tags.total())
    total = named.tags.total()
    if not total:
        return
    strength = min(MOST, ONE_TAG + EACH_MORE * (total - 1))
    for type_, count in named.tags.items():
        share = count / total * strength
        shown = named.votes.get(type_, 0.0)
        named.votes[type_] = min(0.95, shown + share / 2) if shown else share


def only_tagged(named: Evidence) -> bool:
    """Whether nothing but tags speaks for the type of a name."""
    best = named.best
    return best is None or (best[1] <= MOST and named.tags.get(best[0], 0) > 0)
