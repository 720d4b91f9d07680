"""Who *we* are in the documents of a folder, by what all of them suggest.

Used by the gazetteer; pure. A handbook says *we* on every page and *Acme* on some, and from those it is known whom the
others mean.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterator

from kgfs.extraction.names.wordlists import words
from kgfs.model import EntityCandidate, GazetteerEntry, Speaker

ENOUGH = 3
"""What must speak for a name: sentences, a title counts as two."""
TIMES = 3
"""How much more often than any other name in the folder, and as often as all others together."""

_OCCASIONS = frozenset(
    "breakfast christmas college conferences depth dinner events first growth heart interview kickoff launch least "
    "length lunch meetings midnight minimum maximum most night noon once peak random rest retro retrospectives risk "
    "root runtime scale school sea stake standup standups startup times university weekend weekends will".split()
)
"""What else stands in *at …, we* in lower case."""


class Speakers:
    """What all documents say of *we*."""

    def __init__(self) -> None:
        self._weights: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Folder to name to what speaks for it."""

    def add(self, candidate: EntityCandidate) -> None:
        """Add what one document suggests; its ``speaks_in`` is set."""
        assert candidate.speaks_in is not None
        if candidate.name in words.NOT_NAMES | _OCCASIONS:
            return  # "at lunch, we"
        self._weights[candidate.speaks_in][candidate.name] += candidate.weight

    def found(self) -> Iterator[Speaker]:
        """Each name with the folder that holds all that speaks for it, where no other is *we* there nearly as often."""
        folders: defaultdict[str, list[str]] = defaultdict(list)
        for folder, counts in sorted(self._weights.items()):
            for name in counts:
                folders[name].append(folder)
        for name, inside in sorted(folders.items()):
            top = posixpath.commonpath(inside) if all(inside) else ""
            there: Counter[str] = Counter()
            for folder, counts in self._weights.items():
                if is_beneath(folder, top):
                    there.update(counts)
            own = there.pop(name)
            if own >= ENOUGH and own >= TIMES * max(there.values(), default=0) and own >= there.total():
                yield Speaker(name=name, folder=top)


def speaker_entry(speaker: Speaker) -> GazetteerEntry:
    """Who speaks, as a known entity."""
    return GazetteerEntry(name=speaker.name, type="Organization", declared=False)


def is_beneath(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it; everything lies in the empty one."""
    return not folder or path == folder or path.startswith(f"{folder}/")
