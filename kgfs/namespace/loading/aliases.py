"""The other names of entities: rows, and which entity each leads to.

Used by ``naming``. Of two entities with the same alias the one with the lower id has it; where an entity's own name is
the same it is no alias.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgfs.namespace.domains import Slugged, usable
from kgfs.namespace.loading.edits import Edited
from kgfs.namespace.loading.load_state import Aliases
from kgfs.namespace.loading.rows import Rows
from kgfs.namespace.relations import Ints
from kgfs.store.catalog.database import Cursor
from kgfs.store.tree.columns import Table, read_rows

Pair = tuple[int, str]
"""Row id and alias."""


def load_aliases(rows: Rows, cursor: Cursor, entities: Slugged, found: Edited, former: Slugged | None) -> Aliases:
    """The aliases of these entities."""
    ranges = rows.ranges("aliases")
    kept = rows.former_aliases
    if kept is None or former is None or ranges is None or not found.edit.grew:
        return _whole(*_sorted(read_rows(cursor, "aliases")), entities)
    changed = [place for place in found.edit.changed.tolist() if former.slugs[place] != entities.slugs[place]]
    came = {entities.slugs[place] for place in (*changed, *found.edit.came.tolist())}
    gone = {former.slugs[place] for place in changed}
    ids, slugs = kept.ids, kept.slugs
    removed: set[Pair] = set()
    added: set[Pair] = set()
    if ranges:
        fresh_ids, fresh = _sorted(read_rows(cursor, "aliases", ranges))
        inside = rows.inside(ids, "aliases")
        before = set(zip(ids[inside].tolist(), slugs[inside].tolist(), strict=True))
        now = set(zip(fresh_ids.tolist(), fresh.tolist(), strict=True))
        removed, added = before - now, now - before
        ids, slugs = np.delete(ids, inside), np.delete(slugs, inside)
        places = np.searchsorted(ids, fresh_ids)
        ids, slugs = np.insert(ids, places, fresh_ids), np.insert(slugs, places, fresh)
    for row_id in entities.id_array[found.edit.came].tolist():  # its aliases may have been there before
        own = slice(*np.searchsorted(ids, (row_id, row_id + 1)).tolist())
        added |= {(row_id, slug) for slug in slugs[own].tolist()}
    if any(slug in kept.owners for slug in came) or any(slug in kept.hidden for slug in gone):
        return _whole(ids, slugs, entities)
    if not removed and not added:
        return kept._replace(ids=ids, slugs=slugs)
    return _edited(kept, ids, slugs, entities, removed, added) or _whole(ids, slugs, entities)


def _sorted(table: Table) -> tuple[Ints, Ints]:
    """The rows, each once."""
    pairs = sorted(set(zip(table["id"].tolist(), table["slug"].tolist(), strict=True)))
    slugs = np.empty(len(pairs), object)
    slugs[:] = [slug for _, slug in pairs]
    return np.fromiter((row_id for row_id, _ in pairs), np.int64, len(pairs)), slugs


def _whole(ids: Ints, slugs: Ints, entities: Slugged) -> Aliases:
    owners: dict[str, int] = {}
    names: dict[int, list[str]] = {}
    hidden = []
    known = entities.by_slug
    for place, slug in zip(entities.map(ids).tolist(), slugs.tolist(), strict=True):
        if place < 0:
            continue
        if slug in known or slug in owners or not usable(slug):
            hidden.append(slug)
        else:
            owners[slug] = place
            names.setdefault(place, []).append(slug)
    return Aliases(ids, slugs, owners, names, frozenset(hidden))


def _edited(
    kept: Aliases, ids: Ints, slugs: Ints, entities: Slugged, removed: Iterable[Pair], added: Iterable[Pair]
) -> Aliases | None:
    """The same with other rows; ``None`` where other rows than these decide whose an alias is."""
    owners, names, hidden = kept.owners.copy(), kept.names.copy(), kept.hidden
    for row_id, slug in removed:
        place = entities.find_index(row_id)
        if place < 0:
            continue
        if slug in hidden or owners.get(slug) != place:
            return None
        del owners[slug]
        names[place] = [name for name in names[place] if name != slug]
        if not names[place]:
            del names[place]
    for row_id, slug in added:
        place = entities.find_index(row_id)
        if place < 0:
            continue
        if slug in owners or slug in hidden or slug in entities.by_slug or not usable(slug):
            return None
        owners[slug] = place
        names[place] = sorted((*names.get(place, ()), slug))
    return Aliases(ids, slugs, owners, names, hidden)
