"""Which names are one across documents: by what documents say, and by forms that names share.

Used by the resolver; pure. A name that tells little joins nothing by itself: an acronym of two letters needs two
documents that explain it, or one and another that has both names; one that only looks right needs two documents that
use it, one of them beside the one long name that it fits, a surname needs a title and one person alone. Ambiguity
leaves names apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from kgfs.graph.name_forms import ENOUGH, SCOPE, SMALL, base_key, name_bits
from kgfs.store.graph.claims import FormHolder, GivenAlias, NameStanding
from kgfs.store.graph.merge_candidates import PairVerdict

CONFIDENCE = {
    "stated": 0.9, "known": 0.95, "district": 0.95, "bracket": 0.9, "link": 0.85, "surname": 0.8,
    "given name": 0.75, "first word": 0.75,
    "base": 0.9, "judge": 0.75, "plural": 0.8, "spelling": 0.8, "middle name": 0.75, "short given name": 0.75,
    "initials": 0.65, "surname initial": 0.65, "owner": 0.65,
    "place": 0.65, "acronym": 0.6, "letters": 0.6, "title": 0.6, "titled": 0.6, "project": 0.8, "club": 0.8,
}  # fmt: skip
"""How sure a rule is."""
DECLARED = 1.0
SPELLING = 0.95
"""Two spellings that differ in what does not count: case, an article, a company's suffix."""
FAR_MORE = 4
"""Times as many documents that have one name as have the others."""
_OF_ONE_DOCUMENT = frozenset({"base", "surname", "given name", "first word"})
"""Rules that hold in the document that shows them and say nothing of others."""
_SEEN_TOGETHER = {"acronym": 1, "club": 1, "letters": 3, "owner": 1, "place": 1, "project": 1, "surname initial": 1}
"""Rules that need so many documents that have both names."""
_OF_LETTERS = frozenset({"acronym", "letters"})
_OF_GIVEN = frozenset({"initials", "middle name", "short given name", "surname initial"})
"""Rules by which persons may be one whose names differ."""


class NameJoin(NamedTuple):
    """A name that is another one."""

    child: str
    parent: str
    rule: str
    confidence: float


def join_names(
    standings: Mapping[str, NameStanding],
    given: Iterable[GivenAlias],
    holders: Iterable[FormHolder],
    together: Mapping[tuple[str, str], int] | None = None,
    judged: Iterable[PairVerdict] = (),
) -> tuple[list[NameJoin], list[list[str]]]:
    """How names are joined, and the parts that result, each sorted.

    ``standings`` are the names that are claimed; ``given`` and ``holders`` all that concerns them; ``together`` the
    pairs of ``pair_short_names`` that some document has both of, with how many do; ``judged`` what judges said of
    names: what they take for one is joined last.
    """
    together, given = together or {}, list(given)
    handles, called = _handles(given), {(one.alias, one.name) for one in given if one.rule == "given name"}
    found = _by_alias(standings, given, together)
    union = _Union(standings)
    for join in found:
        union.join(join.child, join.parent)
    by_form: defaultdict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for holder in sorted(set(holders)):
        if holder.key in standings:
            by_form[holder.form.rule, holder.form.form][holder.form.side].append(holder.key)
    declared = {union.root(key) for key, standing in standings.items() if standing.declared}
    for (rule, form), sides in sorted(by_form.items()):
        if rule == "titled" and by_form["title", form]["long"]:
            continue  # who of them is meant is asked below
        for join in _same(rule, form, sides.get("same", []), standings):
            if not (rule in _OF_GIVEN and _are_two(handles[join.child], handles[join.parent])):
                _add(join, found, union, declared)
    for (rule, _), sides in sorted(by_form.items()):
        for join in _short(rule, sides.get("long", []), sides.get("short", []), standings, union):
            if rule == "given name" and not _is_called(join, called):
                continue
            if rule in _OF_GIVEN and _are_two(handles[join.child], handles[join.parent]):
                continue
            times = max(together.get(pair, 0) for pair in ((join.child, join.parent), (join.parent, join.child)))
            if times >= _SEEN_TOGETHER.get(rule, 0):
                _add(join, found, union, declared)
    for verdict in sorted(judged):
        if verdict.same and verdict.one in standings and verdict.other in standings:
            parent, child = sorted((verdict.one, verdict.other), key=lambda key: _rank(standings[key], key))
            _add(NameJoin(child, parent, "judge", verdict.confidence), found, union, declared)
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for key in sorted(standings):
        parts[union.root(key)].append(key)
    return found, list(parts.values())


def _handles(given: Iterable[GivenAlias]) -> defaultdict[str, set[str]]:
    """Of each person the handles, which texts state: one word that is no part of the name."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one in given:
        alias = base_key(one.alias)
        if one.rule == "stated" and " " in one.name and " " not in alias and alias not in one.name.split():
            found[one.name].add(alias)
    return found


def _are_two(handles: Collection[str], others: Collection[str]) -> bool:
    """Whether two persons have handles, and none in common."""
    return bool(handles) and bool(others) and set(handles).isdisjoint(others)


def _is_called(join: NameJoin, called: Collection[tuple[str, str]]) -> bool:
    """Whether a given name alone may mean somebody whom another document calls by the whole name: what one document
    shows to be a person needs a document that calls somebody so."""
    return SCOPE not in join.child or (base_key(join.child), join.parent) in called


def _rank(standing: NameStanding, key: str) -> tuple[bool, int, str]:
    return not standing.declared, -standing.documents, key


def pair_short_names(holders: Iterable[FormHolder], given: Iterable[GivenAlias] = ()) -> set[tuple[str, str]]:
    """Every short name with every long one that it may stand for, by its letters, as a body without whose it is, or as
    a document explains it."""
    found: defaultdict[tuple[str, str], tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for holder in holders:
        if holder.form.rule in _SEEN_TOGETHER:
            found[holder.form.rule, holder.form.form][holder.form.side == "long"].add(holder.key)
    explained = {(one.alias, one.name) for one in given if _is_acronym(one)}
    return explained | {(short, long) for shorts, longs in found.values() for short in shorts for long in longs}


def _add(join: NameJoin, found: list[NameJoin], union: _Union, declared: set[str]) -> None:
    """Join by a form, unless the child is declared to be a thing of its own."""
    child, parent = union.root(join.child), union.root(join.parent)
    if child != parent and child not in declared:
        union.join(child, parent)
        found.append(join)


def _by_alias(
    standings: Mapping[str, NameStanding], given: Iterable[GivenAlias], together: Mapping[tuple[str, str], int]
) -> list[NameJoin]:
    """Alias to the name that has it: by declared claims first, then by the number of documents."""
    best: dict[str, tuple[tuple[bool, int, str, float, str], GivenAlias]] = {}
    documents: defaultdict[tuple[str, str], int] = defaultdict(int)
    known = [one for one in given if one.alias in standings and one.name in standings]
    for one in known:
        documents[one.alias, one.name] += one.documents
    for one in known:
        count = documents[one.alias, one.name]
        if one.declared and one.rule in _OF_ONE_DOCUMENT:
            continue
        if (standings[one.alias].declared and not one.declared) or (
            not one.declared and not _tells(one, count, together)
        ):
            continue
        if not one.declared and _is_another_word(one, standings[one.alias]):
            continue
        rank = (not one.declared, -count, one.name, -CONFIDENCE.get(one.rule, 0.8), one.rule)
        if one.alias not in best or rank < best[one.alias][0]:
            best[one.alias] = (rank, one)
    return [
        NameJoin(alias, one.name, one.rule, DECLARED if one.declared else CONFIDENCE.get(one.rule, 0.8))
        for alias, (_, one) in sorted(best.items())
    ]


def _tells(one: GivenAlias, documents: int, together: Mapping[tuple[str, str], int]) -> bool:
    """Whether an alias that documents give may stand for the name in others too."""
    if one.rule in _OF_ONE_DOCUMENT:
        return False
    if one.rule in ("known", "district") or documents > 1 or (one.alias, one.name) in together:
        return True
    # Keys are in lower case: what has the first letters of the name counts as an acronym.
    return name_bits(base_key(one.alias).upper() if _is_acronym(one) else base_key(one.alias)) >= ENOUGH


def _is_acronym(one: GivenAlias) -> bool:
    initials = "".join(part[0] for part in one.name.split())
    main = "".join(part[0] for part in one.name.split() if part not in SMALL)
    return base_key(one.alias) in (initials, main)


def _is_another_word(one: GivenAlias, alias: NameStanding) -> bool:
    """Whether an alias is an acronym for which most documents that have it write a word: a Mac is no media access
    controller."""
    return _is_acronym(one) and 2 * alias.as_word > alias.documents


def _same(rule: str, form: str, keys: Sequence[str], standings: Mapping[str, NameStanding]) -> list[NameJoin]:
    """The names of one form joined to the one in most documents."""
    if len(keys) < 2:
        return []
    if rule == "middle name" and len({key.split()[1][0] for key in keys if len(key.split()) > 2}) > 1:
        return []  # John A. Smith and John B. Smith: whose is John Smith?

    def rank(key: str) -> tuple[bool, bool, int, bool, str]:
        whole = key == form
        in_full = rule == "short given name" and not whole  # who is called *Nick* is Nicholas
        return not standings[key].declared, in_full, -standings[key].documents, not whole, key

    kept = min(keys, key=rank)
    return [NameJoin(key, kept, rule, CONFIDENCE[rule]) for key in keys if key != kept]


def _short(
    rule: str, long: Sequence[str], short: Sequence[str], standings: Mapping[str, NameStanding], union: _Union
) -> list[NameJoin]:
    """The short names of one form joined to its long name, where that is one alone."""
    whole = {union.root(key): key for key in reversed(long) if standings[key].shown}
    root = _chief(whole, standings) if rule in _OF_LETTERS else next(iter(whole), "")
    if not root or (rule not in _OF_LETTERS and len(whole) != 1):
        return []
    if rule == "owner":
        pairs = [sorted((key, whole[root]), key=lambda one: _rank(standings[one], one)) for key in short]
        return [
            NameJoin(child, kept, rule, CONFIDENCE[rule])
            for kept, child in pairs
            if union.root(child) != union.root(kept)
        ]
    return [
        NameJoin(key, whole[root], rule, CONFIDENCE[rule])
        for key in short
        if union.root(key) != root
        and (rule != "acronym" or standings[key].documents > 1)
        and not (
            rule == "given name"
            and SCOPE not in key
            and (standings[key].sure or _is_elsewhere(key, whole[root], standings))
        )
    ]


def _is_elsewhere(short: str, long: str, standings: Mapping[str, NameStanding]) -> bool:
    """Whether far more documents have a short name than the long one, so that it is no given name of that alone."""
    return standings[short].documents > FAR_MORE * standings[long].documents


def _chief(whole: Mapping[str, str], standings: Mapping[str, NameStanding]) -> str:
    """The root of the name for which letters stand: the only one, or that of which far more documents speak than of all
    others, which are mostly misspelled."""
    documents = sorted(((standings[key].documents, root) for root, key in whole.items()), reverse=True)
    if not documents or sum(count for count, _ in documents[1:]) * FAR_MORE > documents[0][0]:
        return ""
    return documents[0][1]


class _Union:
    """Which names are one so far."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._above = {key: key for key in keys}

    def root(self, key: str) -> str:
        while self._above[key] != key:
            self._above[key] = self._above[self._above[key]]
            key = self._above[key]
        return key

    def join(self, child: str, parent: str) -> None:
        self._above[self.root(child)] = self.root(parent)
