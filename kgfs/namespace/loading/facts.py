"""The facts of a snapshot: columns, groups by subject and by object, and what contradicts what.

Used by ``loader``, after entities and chunks.
"""

from __future__ import annotations

import numpy as np

from kgfs.namespace.domains import Domain, pages_of
from kgfs.namespace.fact_groups import FactColumns, group_facts
from kgfs.namespace.loading.edits import Edit, Edited, grouped, joined, regrouped
from kgfs.namespace.loading.topology import edited_groups
from kgfs.namespace.relations import Ints, flat, order_of
from kgfs.namespace.snapshot import Snapshot


def load_facts(s: Snapshot, found: Edited, entities: Edit, former: Snapshot | None) -> None:
    """The facts of these rows."""
    columns = found.columns
    s.facts = Domain("fact", found.ids, columns["ctime"])
    s.facts.pages = pages_of("facts", columns)
    s.fact_subject_array, s.fact_chunk_array = columns["subject"], columns["chunk"]
    s.fact_object_array, s.fact_type_array = columns["object"], columns["kind"]
    s.fact_subject, s.fact_chunk, s.fact_object, s.fact_type = (
        flat(columns[name]) for name in ("subject", "chunk", "object", "kind")
    )
    s.fact_month_array, s.fact_day_array, s.fact_status_array = (columns[name] for name in ("month", "day", "status"))
    s.fact_month, s.fact_hash = flat(s.fact_month_array), flat(columns["hash"])
    mtime = np.where(columns["month"] >= 0, columns["dated"], s.chunks.mtime_array[s.fact_chunk_array])
    if former is not None and np.array_equal(mtime, former.facts.mtime_array):
        mtime = former.facts.mtime_array
    s.facts.set_mtime(mtime)
    now = _grouped(s)
    if former is None:
        s.stated, s.received = (group_facts(len(s.entities), each) for each in now)
        s.by_fact_type = grouped(s.fact_type_array)
        s.months_of_facts = grouped(s.fact_month_array)
    else:
        was = _grouped(former)
        s.stated = edited_groups(former.stated, entities, found.edit, was[0], now[0])
        s.received = edited_groups(former.received, entities, found.edit, was[1], now[1])
        s.by_fact_type = regrouped(former.by_fact_type, former.fact_type_array, s.fact_type_array, found.edit)
        s.months_of_facts = regrouped(former.months_of_facts, former.fact_month_array, s.fact_month_array, found.edit)
    s.fact_types = sorted(s.by_fact_type)
    if former is not None and found.edit.grew and s.fact_type_array is former.fact_type_array:
        s.facts.take_order(former.facts)
    else:
        s.facts.walk_in(joined(s.by_fact_type))
    _load_hashes(s, found, former)
    if former is not None and _same_conflicts(found, former.load_state.rows["facts"].columns["conflict"]):
        s.conflicts = former.conflicts
    else:
        _load_conflicts(s, columns["conflict"])


def _grouped(s: Snapshot) -> tuple[FactColumns, FactColumns]:
    sizes, dates = s.facts.pages["fact_line"].size_array, s.facts.mtime_array
    return (
        FactColumns(s.fact_subject_array, s.fact_type_array, s.fact_object_array, sizes, dates),
        FactColumns(s.fact_object_array, s.fact_type_array, s.fact_subject_array, sizes, dates),
    )


def _load_hashes(s: Snapshot, found: Edited, former: Snapshot | None) -> None:
    hashes = found.columns["hash"]
    if former is None:
        order = order_of(hashes)
        s.hash_order, s.hashes = flat(order), flat(hashes[order])
        return
    edit = found.edit
    if edit.empty:
        s.hash_order, s.hashes = former.hash_order, former.hashes
        return
    order = edit.follow(np.asarray(former.hash_order))
    anew = np.zeros(edit.after + 1, bool)
    anew[edit.changed] = anew[-1] = True
    kept = ~anew[order]
    order, ordered = order[kept], np.asarray(former.hashes)[kept]
    fresh = np.union1d(edit.changed, edit.came)
    fresh = fresh[np.argsort(hashes[fresh], kind="stable")]
    places = np.searchsorted(ordered, hashes[fresh])
    s.hash_order = flat(np.insert(order, places, fresh.astype(order.dtype)))
    s.hashes = flat(np.insert(ordered, places, hashes[fresh]))


def _same_conflicts(found: Edited, before: Ints) -> bool:
    """Whether each fact that contradicts another did so before, and nothing of it changed."""
    edit, now = found.edit, found.columns["conflict"]
    other = now[np.concatenate([edit.came, edit.changed])], before[edit.before_of(edit.changed)]
    return edit.grew and not any((holders >= 0).any() for holders in other)


def _load_conflicts(s: Snapshot, holders: Ints) -> None:
    """``holders`` are the entities of which facts contradict another, -1 of those that contradict none."""
    found: dict[int, dict[int, list[int]]] = {}
    for fact in np.nonzero(holders >= 0)[0].tolist():
        # BORN, and BORN_ON as a table has it, are one thing.
        kind = s.names.number(s.names.name(s.fact_type[fact]).removesuffix("_ON"))
        found.setdefault(kind, {}).setdefault(s.entities.ids[int(holders[fact])], []).append(fact)
    for groups in found.values():  # of a fact whose other side is not shown nothing is seen
        for entity in [entity for entity, facts in groups.items() if len(facts) < 2]:
            del groups[entity]
    s.conflicts = {kind: groups for kind, groups in sorted(found.items()) if groups}
