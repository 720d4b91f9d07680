"""Which entities may be one though nothing says so: the merge candidates, found by their names.

Used by the worker process, where the vectors are, for the candidate pass; pure, numpy. Names that are one by their
normalised form, by what documents say or by a form that they share are joined already (``joining``). What is left is
what a person, or a model as judge, should look at: a letter that differs, a word more in front, letters that stand
for words, the first name of somebody or the first word of a firm. Such a pair is found by a key that both have, so
the time grows with the number of names; what differs in more letters is found by the runs of characters that names
share (``spelled_alike``). A name that tells too little (``name_forms.name_bits``) gives no pair, nor do names that
differ in a number or in what tells one of a kind from the other (*North*, *second*).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kgfs.graph.name_forms import ENOUGH, SMALL, WHICH, name_bits
from kgfs.graph.name_keys import name_key
from kgfs.graph.spelled_alike import spelled_alike
from kgfs.index_records import MergeCandidate, NamedEntity
from kgfs.plurals import singular

LETTER, ORDER, MORE, LETTERS, SHORTENED, JOINED_UP, ALIKE, MEANING, BEGINS = (
    "a letter differs", "same words in another order", "one has words more in front", "letters stand for words",
    "one is shortened", "spelled as one word", "spelled alike", "described alike", "one begins the other",
)  # fmt: skip
SCORES = {
    ORDER: 0.85, LETTERS: 0.8, JOINED_UP: 0.8, LETTER: 0.7, SHORTENED: 0.65, ALIKE: 0.6, MORE: 0.6, MEANING: 0.5,
    BEGINS: 0.45,
}  # fmt: skip
"""What a reason is worth before the vectors are asked."""
NEAR = 0.9
"""The cosine from which two of one type that share a word are a pair for what is said of them."""
VECTORS_COUNT = 0.4
"""How far the cosine of two entities moves the score of their pair."""
EXPECTED_COSINE = 0.6
"""The cosine that moves nothing."""
SCOPED_TYPES = frozenset({"Person", "Location"})
"""Types that are never taken for another: a person is not mistaken for a place or a thing."""
CROWD = 8
"""Names of one key; more are a kind of name (*Vol. 1* …), and no pair of them is a candidate."""
MANY = 32
"""Others that an entity may be near to; what has more is one of a kind (*Item 17 Device*), as the rows of a table are,
and each would be compared with each."""
_KINDS = frozenset(
    "app application company corporation file format group language program programme project service software system "
    "team tool".split()
)
"""What is put behind a name to say what it is."""
_DOMAIN = re.compile(r"(?P<name>\w[\w-]*)\.(?:com|org|net|io|ai|co)\b", re.I)
_BEGUN_TYPES = frozenset({"Person", "Organization"})
"""Types whose names are cut to their first word: *Dana*, *Northgate*."""
MOST_OF_A_TYPE = 20_000
"""Of a type with more entities pairs are found by their names alone: each would be compared with each."""
_ROWS = 2_000
"""So many are compared with all others at once: 160 MB for 20,000."""
_LONGEST = 8
"""Words; of longer names only the whole is compared."""
_LEAST_TYPO, _LEAST_TYPO_ALONE = 3, 6
"""Letters of a word in which one may be wrong: among other words, and alone."""


Vectors = NDArray[np.float32]


def find_merge_candidates(
    names: Sequence[NamedEntity], vectors: Callable[[Sequence[int]], Mapping[int, Vectors]]
) -> list[MergeCandidate]:
    """The pairs of entities that may be one, in order of ids.

    ``vectors`` gives those of ids, of length 1; what has none is judged by its name alone. The same entities give the
    same pairs, in whatever order they come.
    """
    by_id = {name.id: name for name in names}
    found = pairs_by_name(names)
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for name in sorted(names):
        if name.type not in SCOPED_TYPES:
            groups[name.type].append(name.id)
    compared = [group for group in groups.values() if len(group) <= MOST_OF_A_TYPE]
    wanted = {number for pair in found for number in pair} | {number for group in compared for number in group}
    known = vectors(sorted(wanted))
    cosines = {
        (one, other): float(known[one] @ known[other]) for one, other in found if one in known and other in known
    }
    for group in compared:
        for one, other, cosine in _near([number for number in group if number in known], known):
            if (one, other) not in found and share_a_word(by_id[one], by_id[other]):
                found[one, other] = MEANING
                cosines[one, other] = cosine
    return [_merge_candidate(place, reason, cosines.get(place)) for place, reason in sorted(found.items())]


def _near(ids: Sequence[int], vectors: Mapping[int, Vectors]) -> Iterator[tuple[int, int, float]]:
    """Pairs whose cosine reaches ``NEAR``; ids ascend. What is near more than ``MANY`` others gives none."""
    if len(ids) < 2:
        return
    matrix = np.stack([vectors[number] for number in ids])
    blocks = range(0, len(ids), _ROWS)
    near = [np.count_nonzero(matrix[start : start + _ROWS] @ matrix.T >= NEAR, axis=1) for start in blocks]
    kept = np.flatnonzero(np.concatenate(near) <= MANY + 1)  # each is near itself
    matrix, ids = matrix[kept], [ids[int(place)] for place in kept]
    for start in range(0, len(ids), _ROWS):
        cosines = matrix[start : start + _ROWS] @ matrix.T
        for row, column in np.argwhere(cosines >= NEAR):
            if start + row < column:
                yield ids[start + row], ids[column], float(cosines[row, column])


def _merge_candidate(place: tuple[int, int], reason: str, cosine: float | None) -> MergeCandidate:
    moved = 0.0 if cosine is None else VECTORS_COUNT * (cosine - EXPECTED_COSINE)
    score = round(min(0.99, max(0.01, SCORES[reason] + moved)), 2)
    return MergeCandidate(*place, reason, None if cosine is None else round(cosine, 3), score)


def pairs_by_name(names: Sequence[NamedEntity]) -> dict[tuple[int, int], str]:
    """The pairs that names suggest, the smaller id first, each with its best reason."""
    found: dict[tuple[int, int], str] = {}
    words = {name.id: _words(name.name) for name in names}
    by_key: defaultdict[tuple[object, ...], list[NamedEntity]] = defaultdict(list)
    for name in sorted(names):
        for key in dict.fromkeys(_keys(name, words[name.id])):
            by_key[key].append(name)
    for key, held in by_key.items():
        if len(held) > CROWD:
            continue
        reason = str(key[0])
        for one, other in combinations(held, 2):
            if _may_be_one(one, other, reason, words):
                place = one.id, other.id
                if place not in found or SCORES[reason] > SCORES[found[place]]:
                    found[place] = reason
    for one, other in _spelled_alike(sorted(names), words):
        if _may_be_one(one, other, ALIKE, words):
            found.setdefault((one.id, other.id), ALIKE)
    return found


def _spelled_alike(
    names: Sequence[NamedEntity], words: Mapping[int, tuple[str, ...]]
) -> Iterator[tuple[NamedEntity, NamedEntity]]:
    groups: defaultdict[str, list[NamedEntity]] = defaultdict(list)
    for name in names:
        groups[name.type if name.type in SCOPED_TYPES else ""].append(name)
    for group in groups.values():
        main = [[word for word in words[name.id] if word not in SMALL] for name in group]
        for one, other in spelled_alike(main):
            yield group[one], group[other]


def share_a_word(one: NamedEntity, other: NamedEntity) -> bool:
    """Whether two entities of one type whose vectors are near each other make a pair: a word of their names must be
    one."""
    mine, others = _words(one.name), _words(other.name)
    shared = (set(mine) & set(others)) - SMALL - WHICH
    return (
        bool(shared)
        and mine != others
        and _numbers(mine) == _numbers(others)
        and WHICH.isdisjoint(set(mine) ^ set(others))
        and min(name_bits(one.name), name_bits(other.name)) >= ENOUGH
    )


def _words(name: str) -> tuple[str, ...]:
    return tuple(name_key(name).split())


def _keys(name: NamedEntity, words: tuple[str, ...]) -> Iterator[tuple[object, ...]]:
    """Keys that another name of the same thing has as well: the reason first."""
    yield JOINED_UP, "".join(words)
    if domain := _DOMAIN.match(name.name):
        yield JOINED_UP, "".join(_words(domain["name"]))
    if name.type in _BEGUN_TYPES and words:
        yield BEGINS, words[0]
    if len(words) > _LONGEST:
        return
    if len(words) > 1:
        yield ORDER, tuple(sorted(words))
        yield MORE, words
        for first in range(1, len(words) - 1):
            yield MORE, words[first:]  # what stands in front of it is more
            yield MORE, (*words[:first], *words[first + 1 :])
        if singular(words[-1]) in _KINDS:
            yield MORE, words[:-1]
    for place, word in enumerate(words):
        if len(word) >= (_LEAST_TYPO if len(words) > 1 else _LEAST_TYPO_ALONE) and word.isalpha():
            around = words[:place], words[place + 1 :]
            # With the whole word: what lacks a letter is that of a longer one. The first letter is seldom wrong.
            for letter in range(0 if len(word) >= _LEAST_TYPO_ALONE else 1, len(word) + 1):
                yield LETTER, *around, word[:letter] + word[letter + 1 :]
    yield from _letters(name.name, words)
    if len(words) == 2 and len(words[1]) > 4:
        for length in range(2, len(words[1]) - 1):
            yield SHORTENED, words[0] + words[1][:length]
    elif len(words) == 1 and len(words[0]) >= 5:
        yield SHORTENED, words[0]


def _letters(name: str, words: tuple[str, ...]) -> Iterator[tuple[object, ...]]:
    """An acronym among other words, or the words that it may stand for."""
    written = re.findall(r"[^\W_]+", name)
    if len(written) == len(words) > 1:
        for place, word in enumerate(written):
            if word.isupper() and word.isalpha() and 2 <= len(word) <= 6:
                yield LETTERS, words[:place], words[place].rstrip("s"), words[place + 1 :]
    for start in range(len(words)):
        for end in range(start + 2, len(words) + 1):
            if end - start < len(words):
                main = [word for word in words[start:end] if word not in SMALL]
                for among in (words[start:end], main):
                    yield LETTERS, words[:start], "".join(word[0] for word in among), words[end:]


def _may_be_one(one: NamedEntity, other: NamedEntity, reason: str, words: dict[int, tuple[str, ...]]) -> bool:
    mine, others = words[one.id], words[other.id]
    if one.type != other.type and not SCOPED_TYPES.isdisjoint((one.type, other.type)):
        return False
    if mine == others or _numbers(mine) != _numbers(others):
        return False
    short, long = sorted((one, other), key=lambda name: (len(words[name.id]), len(name.name)))
    if reason in (LETTER, ALIKE):
        if one.type == "Person" and (len(mine) == 1 or (reason == ALIKE and len(mine) != len(others))):
            return False
        return WHICH.isdisjoint(set(mine) ^ set(others)) and name_bits(short.name) >= ENOUGH
    if reason == MORE:
        more = list(words[long.id])
        for word in words[short.id]:
            if word not in more:
                return False  # both are the same part of two longer names
            more.remove(word)
        behind = words[long.id][: len(words[short.id])] == words[short.id]
        return (
            bool(more)
            and WHICH.isdisjoint(more)
            and SMALL.isdisjoint(more)
            and (not behind or all(singular(word) in _KINDS for word in more))
            and name_bits(short.name) > ENOUGH
            and one.type != "Person"
        )
    if reason == BEGINS:
        # "Bank" begins too many names to be one of them; a first name may be anybody's, so that few have it.
        enough = 0.0 if one.type == "Person" else ENOUGH
        return (
            one.type == other.type
            and len(words[short.id]) == 1 < len(words[long.id])
            and name_bits(short.name) >= enough
        )
    if reason == LETTERS:
        return len(mine) != len(others)
    if reason == SHORTENED:
        return len(words[short.id]) == 1 and len(words[long.id]) == 2
    return name_bits(short.name) >= ENOUGH


def _numbers(words: tuple[str, ...]) -> list[str]:
    return sorted(word for word in words if any(char.isdigit() for char in word))
