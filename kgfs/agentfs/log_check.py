"""Whether all of the log beside ``agent.db`` (``agent.db-wal``) can be read, before SQLite opens it.

Used by ``AgentDatabase`` and by ``kgfs fsck``. SQLite ends reading a log at the first frame whose checksum is wrong:
that is how a write that was cut short looks. But it forgets all that follows, too, and overwrites it. So a log that
has a commit, and more, behind such a frame is refused here. What is wrong in the last transaction alone may have been
cut short; then the log is kept beside it, and a warning is logged.

The format: https://sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

import logging
import os
import shutil
import struct
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kgfs.errors import DamagedLog

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

_HEADER = 32
_FRAME = 24
"""Bytes before the page: its number, the size of the file after a commit, two salts, two checksums."""
_MAGIC = {0x377F0682: "<u4", 0x377F0683: ">u4"}
"""By how the checksums take the bytes."""
_LOOKS = 3
_LOOK_SECONDS = 0.1
"""Another process may begin the log anew while it is read here; what is damaged stays so."""


class Unread(NamedTuple):
    """What SQLite would leave out of a log."""

    place: int
    """The byte where it begins."""
    certain: bool
    """Whether it was whole once: not only the last transaction."""


def log_of(database: Path) -> Path:
    """Where the log of a database is."""
    return Path(f"{database}-wal")


def require_whole(database: Path) -> None:
    """``DamagedLog`` where commits in the database's log would be left out without a word."""
    for look in range(_LOOKS):
        if look:
            time.sleep(_LOOK_SECONDS)
        found = _looked(database)
        if found is None:
            return
    assert found is not None
    size = log_of(database).stat().st_size
    if found.certain:
        raise DamagedLog(
            f"The log {log_of(database)} of what was written last is damaged (at byte {found.place:,} of {size:,}), so"
            f" {database.name} is not opened. Restore a backup (kgfs restore), or run `kgfs fsck --repair`, which goes"
            " on with what stands before that and keeps the damaged log.",
            str(log_of(database)),
            found.place,
        )
    kept = _kept(log_of(database), "unread")
    log.warning(
        "The last transaction in %s is not whole: its writing was cut short, or it is damaged. It is left out, and the"
        " log is kept as %s.", log_of(database), kept.name,
    )  # fmt: skip


def cut(database: Path, place: int) -> Path:
    """Leave out what stands in the log from this byte on; returns where all of it is kept. Nobody may have the database
    open."""
    file = log_of(database)
    kept = _kept(file, "damaged")
    os.truncate(file, place)
    return kept


def _kept(file: Path, why: str) -> Path:
    kept = file.with_name(f"{file.name}.{why}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    shutil.copy2(file, kept)
    return kept


def _looked(database: Path) -> Unread | None:
    try:
        data = log_of(database).read_bytes()
    except FileNotFoundError:
        return None
    return unread(data)


def unread(data: bytes) -> Unread | None:
    """What SQLite would leave out of a log with these bytes; ``None`` where it reads every commit."""
    import numpy as np  # here: mostly there is no log

    if len(data) <= _HEADER or not any(data[:_HEADER]):
        return None
    magic, _, page_size, _, *rest = struct.unpack(">8I", data[:_HEADER])
    salts, sums = tuple(rest[:2]), tuple(rest[2:])
    order = _MAGIC.get(magic)
    if order is None or page_size not in (1 << bits for bits in range(9, 17)):
        return Unread(0, True) if any(data[_HEADER:]) else None
    if _sums(np.frombuffer(data[:24], order)[None, :], order)[0].tolist() != list(sums):
        return Unread(0, True) if any(data[_HEADER:]) else None
    count = (len(data) - _HEADER) // (_FRAME + page_size)
    frames = np.frombuffer(data, np.uint8, count * (_FRAME + page_size), _HEADER).reshape(count, -1)
    heads = np.ascontiguousarray(frames[:, :_FRAME]).view(">u4").astype(np.int64)
    # Frames of an earlier round of the log have two other salts.
    ours = ((heads[:, 2] == salts[0]) | (heads[:, 3] == salts[1])) & (heads[:, 0] > 0)
    last = int(np.flatnonzero(ours)[-1]) + 1 if ours.any() else 0
    whole = _whole(frames[:last], heads[:last], salts, sums, order)
    # What is whole, but without a commit at its end, was not acknowledged.
    committed = np.flatnonzero(ours[whole:last] & (heads[whole:last, 1] > 0))
    if whole == last or not len(committed):
        return None
    return Unread(_HEADER + whole * (_FRAME + page_size), bool(whole + int(committed[0]) + 1 < last))


def _whole(frames: NDArray[Any], heads: NDArray[Any], salts: tuple[int, ...], sums: tuple[int, ...], order: str) -> int:
    """How many frames from the first on have the salts and the checksums that they should have."""
    import numpy as np

    if not len(frames):
        return 0
    summed = np.ascontiguousarray(np.concatenate([frames[:, :8], frames[:, _FRAME:]], axis=1)).view(order)
    before = np.vstack([np.array(sums, np.int64), heads[:-1, 4:6]])
    right = (_sums(summed, order, before) == heads[:, 4:6]).all(axis=1)
    right &= (heads[:, 2] == salts[0]) & (heads[:, 3] == salts[1])
    return len(frames) if right.all() else int(np.argmin(right))


def _sums(words: NDArray[Any], order: str, before: NDArray[Any] | None = None) -> NDArray[Any]:
    """The two checksums of each row of words, which go on from those ``before``.

    They are linear in all that goes in: for each pair of words ``a``, ``b``, ``s += a + t`` and then ``t += b + s``,
    modulo 2³². So each row is one product with the weights that its words have in the end.
    """
    import numpy as np

    half = words.shape[1] // 2
    weights = np.zeros((2 * half, 2), np.uint32)
    s, t = np.array([1, 0], np.uint64), np.array([0, 1], np.uint64)  # of s and t of now, in s and t of the end
    mask = np.uint64(0xFFFFFFFF)
    for pair in reversed(range(half)):
        # s' = s + a + t, t' = t + b + s': s' weighs s + t' in the end.
        of_b = t.copy()
        of_a = (s + t) & mask
        weights[2 * pair], weights[2 * pair + 1] = of_a, of_b
        s, t = of_a, (of_a + of_b) & mask
    found = words.astype(np.uint32) @ weights
    if before is not None:
        found = found + before.astype(np.uint32) @ np.stack([s, t]).astype(np.uint32)
    return np.asarray(found, np.uint32).astype(np.int64)
