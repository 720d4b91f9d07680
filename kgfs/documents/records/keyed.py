"""Mappings whose keys are the names of records: ``lamper: {lead: {name: Ann Lee}, repos: […]}``.

Used by the readers of JSON and YAML; pure. A configuration has mappings in mappings too: the keys are names where a
file, or the key above, says what they are, or where what stands beneath them are people or repositories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from kgfs.documents.records.kinds import SOFTWARE_PROJECT, is_known_kind, software_kind
from kgfs.documents.records.record import key_word, may_be_name
from kgfs.plurals import singular

_FEWEST = 3
_SHARE = 0.6
"""Of the keys, so many lead to mappings, and of these so many have one key in common."""
_REPOSITORIES = frozenset("repo repos repository repositories".split())
_PERSONAL = frozenset("email irc github orcid".split())
_OF_SCHEMAS = frozenset("$ref default enum format items properties required schema".split())
"""Keys of what describes values, and is no record: definitions of an API, of settings."""


_BODIES = {
    "sig": "SIG", "wg": "WG", "working group": "Working Group", "interest group": "Interest Group", "guild": "Guild",
    "special interest group": "Special Interest Group", "committee": "Committee", "task force": "Task Force",
}  # fmt: skip
"""What files on bodies are called, in the singular, to what such a body is called behind its subject."""


def keyed_name(key: str, kind: str) -> str:
    """What a record is called by its key in a file of such a kind: *API*, in ``sigs.yaml``, is *API SIG*."""
    words = kind.lower().split()
    body = _BODIES.get(" ".join([*words[:-1], singular(words[-1])]), "") if words else ""
    return f"{key} {body}" if body and body.casefold() not in key.casefold().split() and key[:1].isupper() else key


def inner_words(value: Any, depth: int = 0) -> Iterator[str]:
    """The keys of a mapping and of those in it, in one spelling."""
    if isinstance(value, dict) and depth < 4:
        for key, one in value.items():
            yield key_word(str(key))
            yield from inner_words(one, depth + 1)
    elif isinstance(value, list) and value and depth < 4:
        yield from inner_words(value[0], depth + 1)


def keyed_kind(kind: str, members: Sequence[tuple[str, Any]]) -> str | None:
    """What records are whose names are the keys of ``members``; ``None`` where the keys are no names.

    ``kind`` is what the file or the key above says that they are; empty where neither says it.
    """
    mappings = [(key, value) for key, value in members if isinstance(value, dict) and value]
    if len(mappings) < _FEWEST or len(mappings) < _SHARE * len(members):
        return None
    if any(not may_be_name(key) for key, _ in mappings):
        return None
    shared = Counter(word for _, value in mappings for word in {key_word(str(key)) for key in value})
    common = [word for word, count in shared.items() if count >= _SHARE * len(mappings)]
    if not common or not _OF_SCHEMAS.isdisjoint(shared):
        return None
    words = frozenset(word for _, value in mappings for word in inner_words(value))
    return _kind(kind, words)


def _kind(kind: str, words: Collection[str]) -> str | None:
    if not _REPOSITORIES.isdisjoint(words) and kind.lower() in ("", "project", "projects"):
        return SOFTWARE_PROJECT
    said = software_kind(kind, words)
    if said == SOFTWARE_PROJECT or (said and is_known_kind(said)):
        return said
    return said or "record" if not _PERSONAL.isdisjoint(words) else None
