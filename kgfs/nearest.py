"""What somebody may have meant by a name that nobody knows: the *did you mean* of every message.

Used by every layer; pure. 100,000 names take half a second, so it is for what has failed already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MOST = 3
LIKENESS = 0.7
"""Of two names: 1 where they are the same but for case and for what stands between words."""
BEGINNING = 3
"""Letters with which a name may begin to be meant."""
_LONGEST = 200


def nearest(word: str, known: Iterable[str], most: int = MOST) -> list[str]:
    """Up to ``most`` of the names that ``word`` may have been meant for, the likeliest first."""
    from difflib import get_close_matches  # here: nearly no command fails

    wanted = _plain(word)
    names: dict[str, str] = {}
    for name in known:
        names.setdefault(_plain(name), name)
    close = get_close_matches(wanted, names, most, LIKENESS)
    if len(wanted) >= BEGINNING:
        close += sorted(name for name in names if name.startswith(wanted))[:most]
    return [names[name] for name in dict.fromkeys(close)][:most]


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The end of a sentence: ``did you mean Alphabet_Inc?``, or ``otherwise`` where nothing is near."""
    return asked_whether(nearest(word, known), otherwise)


def asked_whether(near: Sequence[str], otherwise: str = "") -> str:
    """The same of names that were found to be near."""
    if not near:
        return otherwise
    return f"did you mean {' or '.join(filter(None, (', '.join(near[:-1]), near[-1])))}?"


def _plain(name: str) -> str:
    return name[:_LONGEST].casefold().replace("_", " ").replace("-", " ").strip()
