"""What people said of entities, read after what documents say: which names are one, and what an entity is called.

Used by the resolver; pure. The machine's parts are found as if nobody had said anything; here they are put together and
given words, so that taking an annotation back leaves exactly what the machine found. An annotation speaks of the part
that has the first of its names which documents mention. Where none is mentioned any more, its names are a part of their
own: what a person made, named, typed or described stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kgfs.store.graph.annotations import DESCRIBE, MAKE, MERGE, RENAME, RETYPE, Annotation


class Override(NamedTuple):
    """What people said of one entity; ``None`` where they said nothing."""

    name: str | None
    type: str | None
    description: str | None
    known_as: str
    """What it was called when somebody last spoke of it."""
    known_type: str


class MergedEntity(NamedTuple):
    """Names that are one entity by what people said."""

    own: list[str]
    """The machine's part that gives it its name and type; names that no document has come last."""
    others: list[str]
    """The names of what was merged into it."""
    word: Override
    stays: bool
    """Whether it is an entity where no document mentions it."""


def merge_as_said(
    groups: Sequence[Sequence[str]], said: Iterable[Annotation]
) -> tuple[list[MergedEntity], list[Sequence[str]]]:
    """Put the machine's parts together as people said; what they spoke of, and the parts that they did not.

    ``groups`` are the names that documents mention, those that are one by the machine's rules together. ``said`` are
    the annotations of entities that stand.
    """
    ordered = sorted(said, key=lambda one: one.id)
    places = _Places(groups)
    for one in reversed(ordered):
        for keys in (one.keys, one.target_keys):
            places.put(keys)

    spoken: defaultdict[int, list[Annotation]] = defaultdict(list)
    edges: list[tuple[int, int, list[int]]] = []
    named: dict[int, Annotation] = {}
    for one in ordered:
        subject = places.of(one.keys)
        if one.kind == MERGE:
            parts = {subject, *(places.at[key] for key in one.keys if key in places.mentioned)}
            edges.append((one.id, places.of(one.target_keys), sorted(parts)))
        else:
            spoken[subject].append(one)
            if one.kind == RENAME:
                named[subject] = one
    for subject, one in named.items():
        # What documents call by the name that a person gave is what the person meant.
        if one.name_key in places.mentioned:
            edges.append((one.id, subject, [places.at[one.name_key]]))
        elif one.name_key and one.name_key not in places.at:
            places.at[one.name_key] = subject
            places.nodes[subject].append(one.name_key)

    above = list(range(len(places.nodes)))

    def root(node: int) -> int:
        while above[node] != node:
            node = above[node]
        return node

    concerned = set(spoken)
    known: dict[int, tuple[str, str]] = {}
    targets = {one.id: one for one in ordered if one.kind == MERGE}
    for number, kept, gone in sorted(edges):
        concerned.update((kept, *gone))
        if number in targets:
            known[kept] = (targets[number].target_name, targets[number].target_type)
            for node in gone:
                known.setdefault(node, (targets[number].name, targets[number].type))
        for node in gone:
            if root(node) != root(kept):
                above[root(node)] = root(kept)

    members: defaultdict[int, list[int]] = defaultdict(list)
    for node in sorted(concerned):
        members[root(node)].append(node)
    found = []
    for keeper, nodes in sorted(members.items()):
        rest = [node for node in nodes if node != keeper]
        found.append(
            MergedEntity(
                own=places.nodes[keeper],
                others=[key for node in rest for key in places.nodes[node]],
                word=_word(spoken[keeper], known.get(keeper)),
                stays=any(spoken[node] for node in nodes),
            )
        )
    taken = {node for nodes in members.values() for node in nodes}
    return found, [keys for number, keys in enumerate(groups) if number not in taken]


class _Places:
    """Which part each name belongs to: a number of ``nodes``."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        self.nodes = [list(keys) for keys in groups]
        self.at = {key: number for number, keys in enumerate(groups) for key in keys}
        self.mentioned = frozenset(self.at)

    def put(self, keys: Sequence[str]) -> None:
        """Give the names of one entity that no document mentions a place: with those that some does, else their own."""
        if not keys:
            return
        held = [key for key in keys if key in self.mentioned] or [key for key in keys if key in self.at]
        if held:
            node = self.at[held[0]]
        else:
            node = len(self.nodes)
            self.nodes.append([])
        for key in keys:
            if key not in self.at:
                self.at[key] = node
                self.nodes[node].append(key)

    def of(self, keys: Sequence[str]) -> int:
        """The part that an annotation with these names speaks of."""
        return self.at[next((key for key in keys if key in self.mentioned), keys[0])]


def _word(spoken: Sequence[Annotation], known: tuple[str, str] | None) -> Override:
    last: dict[str, str] = {}
    called, kind = known or ("", "")
    for one in spoken:
        called, kind = one.name or called, one.type or kind
        if one.kind != MAKE:
            last[one.kind] = one.value
    return Override(last.get(RENAME), last.get(RETYPE), last.get(DESCRIBE), called, kind)
