"""The adjacency of entities by facts, whichever way these point: the graph that ``@path`` and ``@near`` walk.

Used by ``queries.paths``, in threads that block. Entities and facts are indexes into a snapshot's columns. An *edge*
is a pair of entities with the facts between them. Its *strength* is the chance that at least one of these is true, were
each true with its confidence: 1 - (1 - c1)(1 - c2)…, so it rises with their number and with their confidence.
"""

from __future__ import annotations

import threading
import weakref

import numpy as np

from kgfs.namespace.pages import PageStore
from kgfs.namespace.relations import Ints, flat
from kgfs.namespace.snapshot import Snapshot

UNKNOWN_CONFIDENCE = 0.5
_LEAST, _MOST = 0.01, 0.99
"""A fact is never certain, so that a second one still counts."""


class Adjacency:
    """All edges of a snapshot: those of entity ``i`` are ``bounds[i]:bounds[i + 1]``, by the other entity.

    Each pair stands here twice, once from either side. Immutable.
    """

    def __init__(self, s: Snapshot, confidence: Ints) -> None:
        facts = np.nonzero((s.fact_object_array >= 0) & (s.fact_object_array != s.fact_subject_array))[0]
        subject, object_ = s.fact_subject_array[facts], s.fact_object_array[facts]
        near = np.concatenate((subject, object_)).astype(np.int64)
        far = np.concatenate((object_, subject)).astype(np.int64)
        both = np.concatenate((facts, facts))
        sure = confidence[both]
        order = np.lexsort((both, -s.facts.mtime_array[both], -sure, near << 32 | far))
        keys = (near << 32 | far)[order]
        heads = np.concatenate(([True], keys[1:] != keys[:-1])) if len(keys) else np.empty(0, bool)
        starts = np.nonzero(heads)[0]
        self.other_array = far[order][starts].astype(np.int32)
        self.bound_array = np.searchsorted(near[order][starts], np.arange(len(s.entities) + 1))
        self.count_array = np.diff(np.append(starts, len(keys)))
        doubt = np.log1p(-np.clip(sure[order], _LEAST, _MOST))
        self.strength_array = -np.expm1(np.add.reduceat(doubt, starts)) if len(starts) else np.empty(0)
        self._facts = flat(both[order].astype(np.int32))
        self._starts = flat(np.append(starts, len(keys)))
        self.bounds, self.others = flat(self.bound_array), flat(self.other_array)

    def facts(self, edge: int) -> memoryview:
        """The facts of an edge: the surest first, of equally sure ones the newest."""
        return self._facts[self._starts[edge] : self._starts[edge + 1]]

    def around(self, entities: Ints) -> tuple[Ints, Ints]:
        """The edges of several entities, and for each the place of its entity among them."""
        low, high = self.bound_array[entities], self.bound_array[entities + 1]
        lengths = high - low
        owner = np.repeat(np.arange(len(entities)), lengths)
        ends = np.cumsum(lengths)
        return np.arange(int(lengths.sum())) - (ends - lengths)[owner] + low[owner], owner


_known: weakref.WeakKeyDictionary[Snapshot, Adjacency] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def adjacency_of(store: PageStore, s: Snapshot) -> Adjacency:
    """The edges of a snapshot, made when first asked for: one statement for how sure each fact is."""
    with _lock:
        found = _known.get(s)
        if found is None:
            found = _known[s] = Adjacency(s, confidences(store, s))
        return found


def confidences(store: PageStore, s: Snapshot) -> Ints:
    """How sure each fact is, 0 to 1."""
    with store.database.read() as cursor:
        columns = cursor.execute(
            f"SELECT id, coalesce(confidence, {UNKNOWN_CONFIDENCE})::DOUBLE AS sure FROM facts ORDER BY id"
        ).fetchnumpy()
    result = np.full(len(s.facts), UNKNOWN_CONFIDENCE)
    places = s.facts.map(np.asarray(columns["id"]))
    result[places[places >= 0]] = np.asarray(columns["sure"])[places >= 0]
    return result
