"""How rows became those of the next snapshot, and columns made by that of the former ones.

Used by ``loading``. A row is known by its *place*, its index among the rows in id order. Copying a column costs a
millisecond a million rows; working it out anew costs a hundred times as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kgfs.namespace.relations import Ints, order_of

Columns = Mapping[str, Ints]
FEW_RUNS = 4096
"""Up to so many runs of rows a column is put together piece by piece."""
NONE = np.empty(0, np.int64)


class Edit:
    """From the rows before to those after."""

    def __init__(self, before: int, gone: Ints = NONE, came: Ints = NONE, changed: Ints = NONE) -> None:
        self.before = before
        self.gone = gone
        """Places before of rows that are no longer there, sorted."""
        self.came = came
        """Places after of rows that were not there, sorted."""
        self.changed = changed
        """Places after of rows that were there and say something else, sorted."""
        self.after = before - len(gone) + len(came)

    @property
    def empty(self) -> bool:
        """Whether nothing is other than it was."""
        return not (len(self.gone) or len(self.came) or len(self.changed))

    @property
    def grew(self) -> bool:
        """Whether each row has its place still: rows only came behind the others."""
        return not len(self.gone) and (not len(self.came) or int(self.came[0]) == self.before)

    @cached_property
    def moved(self) -> Ints:
        """Place before to place after, -1 where the row is gone, and for -1 itself."""
        moved = np.full(self.before + 1, -1, np.int32)
        moved[:-1][self._kept] = np.nonzero(self._stays)[0]
        return moved

    def follow(self, places: Ints) -> Ints:
        """Places before as places after, -1 where the row is gone (or was none)."""
        return places if self.grew else self.moved[places]

    def before_of(self, places: Ints) -> Ints:
        """Where rows that were there before stood; ``places`` after."""
        if self.grew:
            return places
        old, new = self.kept
        return old[np.searchsorted(new, places)]

    @cached_property
    def _kept(self) -> Ints:
        kept = np.ones(self.before, bool)
        kept[self.gone] = False
        return kept

    @cached_property
    def _stays(self) -> Ints:
        stays = np.ones(self.after, bool)
        stays[self.came] = False
        return stays

    @cached_property
    def kept(self) -> tuple[Ints, Ints]:
        """Rows that are there before and after, as places before and after."""
        return np.nonzero(self._kept)[0], np.nonzero(self._stays)[0]

    def column(self, former: Ints, came: Ints) -> Ints:
        """A column with the values of rows that came; rows that changed have the former ones still."""
        if self.grew:
            return np.concatenate([former, came.astype(former.dtype)]) if len(came) else former
        if len(self.gone) + len(self.came) <= FEW_RUNS:
            return self._joined(former, came.astype(former.dtype))
        new = np.empty(self.after, former.dtype)
        new[self._stays] = former[self._kept]
        new[self.came] = came
        return new

    def _joined(self, former: Ints, came: Ints) -> Ints:
        pieces, at, done = [], 0, 0
        gone = [*self.gone.tolist(), self.before]
        for number, place in enumerate([*self.came.tolist(), self.after]):
            left = place - done  # so many rows stay before the one that came
            while left:
                end = min(gone[0], at + left)
                pieces.append(former[at:end])
                left -= end - at
                at = end
                if at == gone[0] and at < self.before:
                    gone.pop(0)
                    at += 1
            while gone[0] == at and at < self.before:
                gone.pop(0)
                at += 1
            pieces.append(came[number : number + 1])
            done = place + 1
        return np.concatenate(pieces)


class Edited(NamedTuple):
    """Rows after an edit."""

    edit: Edit
    ids: Ints
    columns: dict[str, Ints]


def edited(ids: Ints, columns: Columns, read: Ints, fresh_ids: Ints, fresh: Columns, dropped: Ints = NONE) -> Edited:
    """Put rows that were read anew in the place of those that were read before.

    ``read`` are the places of the former rows that ``fresh`` speaks of, sorted: one that is not in ``fresh`` is gone.
    ``dropped`` are others that are gone.
    """
    former_ids = ids[read]
    place = np.searchsorted(fresh_ids, former_ids)
    place[place == len(fresh_ids)] = 0
    stays = fresh_ids[place] == former_ids if len(fresh_ids) else np.zeros(len(read), bool)
    gone = np.union1d(read[~stays], np.setdiff1d(dropped, read))
    is_new = np.ones(len(fresh_ids), bool)
    is_new[place[stays]] = False
    kept_ids = np.delete(ids, gone) if len(gone) else ids
    came_ids = fresh_ids[is_new]
    came = np.searchsorted(kept_ids, came_ids) + np.arange(len(came_ids))
    old, new = read[stays], place[stays]
    differs = np.zeros(len(old), bool)
    for name, column in columns.items():
        differs |= np.asarray(column[old] != fresh[name][new], bool)
    edit = Edit(len(ids), gone, came)
    edit.changed = edit.follow(old[differs]).astype(np.int64)
    found = {}
    for name, column in columns.items():
        made = edit.column(column, fresh[name][is_new])
        if differs.any():
            if made is column:
                made = made.copy()
            made[edit.changed] = fresh[name][new[differs]]
        found[name] = made
    return Edited(edit, edit.column(ids, came_ids), found)


def spliced(values: Ints, starts: Ints, ends: Ints, pieces: Ints, bounds: Ints) -> Ints:
    """``values`` with other ones in the place of some stretches: ``values[starts[i]:ends[i]]`` becomes
    ``pieces[bounds[i]:bounds[i + 1]]``. Stretches are sorted and do not overlap."""
    found, at = [], 0
    pieces = pieces.astype(values.dtype, copy=False)
    for start, end, first, last in zip(
        starts.tolist(), ends.tolist(), bounds[:-1].tolist(), bounds[1:].tolist(), strict=True
    ):
        found += [values[at:start], pieces[first:last]]
        at = end
    found.append(values[at:])
    return np.concatenate(found)


def grouped(values: Ints) -> dict[int, Ints]:
    """Value to the sorted places of rows that have it."""
    order = order_of(values)
    found, starts = np.unique(values[order], return_index=True)
    return dict(zip(found.tolist(), np.split(order, starts[1:]), strict=True)) if len(found) else {}


def joined(groups: Mapping[int, Ints]) -> Ints:
    """The places of rows in the order of the values."""
    return np.concatenate([np.empty(0, np.int32), *groups.values()])


def regrouped(groups: Mapping[int, Ints], former: Ints, now: Ints, edit: Edit) -> dict[int, Ints]:
    """``grouped`` of the values now, from what that was of the former ones."""
    old, new = edit.kept if not edit.grew else (np.arange(edit.before), np.arange(edit.before))
    differs = former[old] != now[new]
    changed = new[differs]
    leaves = {int(value) for value in np.unique(np.concatenate([former[old[differs]], former[edit.gone]])).tolist()}
    enters = np.concatenate([changed, edit.came])
    found: dict[int, Ints] = {}
    for value, places in groups.items():
        kept = places if edit.grew else edit.moved[places]
        if value in leaves:
            kept = kept[kept >= 0]
            kept = kept[now[kept] == value]
        if len(kept):
            found[value] = kept
    for value in np.unique(now[enters]).tolist():
        mine = enters[now[enters] == value]
        before = found.get(value)
        found[value] = np.sort(mine if before is None else np.concatenate([before, mine])).astype(np.int32)
    return dict(sorted(found.items()))
