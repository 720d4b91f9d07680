"""The audit trail as files of lines: all calls, those of a name, those of a day; and a table of numbers.

Used by the service for ``@audit``. What is asked on an event loop (names, sizes, dates, numbers) is answered from
memory: an index says of each file how long it is and, every 64 KiB, which call stands there. It is made when somebody
looks for the first time and goes on from there, in the recorder's thread, so it costs nothing where nobody looks. The
lines are made of the rows when they are read, some rows at a time. Rows only ever come behind the last one; where that
is not so (another program ended a call that it had begun, calls were archived), the index is made anew.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NamedTuple

from kgfs.agentfs.audit.call_lines import call_line, day_of, timestamp
from kgfs.agentfs.audit.tool_calls import RecordedCall, ToolCalls
from kgfs.agentfs.database import AgentDatabase
from kgfs.errors import ConflictError

BLOCK_BYTES = 64 * 1024
"""About so many bytes of a file are made at once."""
BLOCKS = 64
"""So many of them are kept."""
ROWS = 2_000
"""So many calls are looked at in one transaction."""
LOOK_SECONDS = 1.0
"""How often, while somebody looks, calls of other programs are looked for."""
PENDING = 500
"""Of so many calls that other programs began it is known when they end."""
NAME_BYTES = 200

BY_NAME, BY_DAY = "name", "day"


class Place(NamedTuple):
    """Which file: the group that it is in, and what it is about there."""

    group: str
    key: str = ""


EVERYTHING = Place("")


class Extent(NamedTuple):
    """How far a file reaches at one moment."""

    size: int = 0
    last_id: int = 0
    latest_us: int = 0
    """When the last of its calls ended, in microseconds since 1970."""


class _Growing:
    """A file, by what begins where in it."""

    __slots__ = ("extent", "ids", "last_id", "latest_us", "marks", "size")

    def __init__(self) -> None:
        self.marks: list[int] = []
        self.ids: list[int] = []
        """The call whose line begins at each mark."""
        self.size = self.last_id = self.latest_us = 0
        self.extent = Extent()
        """What is shown; replaced as a whole, so that a reader in another thread has parts that agree."""

    def add(self, call_id: int, length: int, ended_us: int) -> None:
        if not self.marks or self.size - self.marks[-1] >= BLOCK_BYTES:
            self.ids.append(call_id)
            self.marks.append(self.size)
        self.size += length
        self.last_id = call_id
        if ended_us > self.latest_us:
            self.latest_us = ended_us


class _Numbers:
    """The calls of one name in numbers; as ``ToolCalls.stats`` counts them."""

    __slots__ = ("calls", "failed", "latest_us", "longest_ms", "total_ms")

    def __init__(self) -> None:
        self.calls = self.failed = self.latest_us = 0
        self.total_ms = self.longest_ms = 0.0


class _Index:
    """What is known of all calls up to one."""

    def __init__(self) -> None:
        self.last_id = 0
        self.files: dict[Place, _Growing] = {EVERYTHING: _Growing()}
        self.keys: dict[str, dict[str, str]] = {BY_NAME: {}, BY_DAY: {}}
        """Name of a file to what it is about, by group."""
        self._groups: dict[str, dict[str, _Growing]] = {BY_NAME: {}, BY_DAY: {}}
        self.numbers: dict[str, _Numbers] = {}
        self.pending: list[int] = []
        self.blocks: OrderedDict[tuple[Place, int, int], bytes] = OrderedDict()

    def add(self, calls: Sequence[RecordedCall]) -> None:
        everything = self.files[EVERYTHING]
        touched = {everything}
        for call in calls:
            length, ended = len(call_line(call)), _ended_us(call)
            everything.add(call.id, length, ended)
            for group, key in ((BY_NAME, call.name), (BY_DAY, day_of(call))):
                if key:
                    file = self._groups[group].get(key) or self._begin(group, key)
                    file.add(call.id, length, ended)
                    touched.add(file)
            self._count(call, ended)
        for file in touched:
            file.extent = Extent(file.size, file.last_id, file.latest_us)
        self.last_id = calls[-1].id

    def _begin(self, group: str, key: str) -> _Growing:
        file = self.files[Place(group, key)] = self._groups[group][key] = _Growing()
        self.keys[group][file_name(key) if group == BY_NAME else key] = key
        return file

    def _count(self, call: RecordedCall, ended: int) -> None:
        if call.status == "pending":
            self.pending = [*self.pending[1 - PENDING :], call.id]
            return
        numbers = self.numbers.get(call.name)
        if numbers is None:
            numbers = self.numbers[call.name] = _Numbers()
        milliseconds = call.elapsed_us / 1000 if call.elapsed_us is not None else float(call.duration_ms)
        numbers.calls += 1
        numbers.failed += call.error is not None
        numbers.total_ms += milliseconds
        numbers.longest_ms = max(numbers.longest_ms, milliseconds)
        numbers.latest_us = max(numbers.latest_us, ended)


class CallFiles:
    """The files of one store's calls. ``prepare`` and ``read`` block; the others do not."""

    def __init__(
        self, database: Callable[[], AgentDatabase | None], settle: Callable[[], None], look: Callable[[], None]
    ) -> None:
        """``database`` is none while there is no file. ``settle`` brings calls that wait into it, for the first look;
        ``look`` has ``catch_up`` called soon, on another thread."""
        self._database, self._settle, self._look = database, settle, look
        self._lock = threading.Lock()
        self._index: _Index | None = None
        self._looked = 0.0

    @property
    def ready(self) -> bool:
        """Whether anything is known; else ``prepare``."""
        return self._index is not None

    def prepare(self) -> None:
        """Make the index where there is none. ``KgfsError``."""
        if self._index is None:
            self._settle()
            with self._lock:
                if self._index is None:
                    index = _Index()
                    self._read_on(index)
                    self._index = index

    def catch_up(self) -> None:
        """Take in what calls there are now. Cheap where nobody has looked. ``KgfsError``."""
        with self._lock:
            index = self._index
            if index is None:
                return
            if index.pending and self._some_ended(index.pending):
                self._index = None
                return
            self._read_on(index)

    def start_anew(self) -> None:
        """Forget everything: calls went, or changed."""
        self._index = None

    def names(self, group: str) -> Sequence[str]:
        """The names of the files in a group, sorted."""
        index = self._seen()
        return sorted(list(index.keys[group])) if index is not None else ()

    def place(self, group: str, name: str) -> Place | None:
        """The file of this name in a group."""
        index = self._seen()
        key = index.keys[group].get(name) if index is not None else None
        return None if key is None else Place(group, key)

    def extent(self, place: Place) -> Extent | None:
        """How far a file reaches now; none where it is not known."""
        index = self._seen()
        file = index.files.get(place) if index is not None else None
        return None if file is None else file.extent

    def stats(self) -> bytes:
        """A table: name, calls, successful and failed ones, average and longest milliseconds, when the last ended."""
        index = self._seen()
        lines = ["name\tcalls\tsuccess\terror\tavg_ms\tmax_ms\tlast"]
        found = list(index.numbers.items()) if index is not None else []
        for name, one in sorted(found, key=lambda item: (-item[1].calls, item[0])):
            lines.append(
                f"{_one_field(name)}\t{one.calls}\t{one.calls - one.failed}\t{one.failed}"
                f"\t{one.total_ms / one.calls:.1f}\t{one.longest_ms:.1f}\t{timestamp(one.latest_us // 1_000_000)}"
            )
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")

    def read(self, place: Place, extent: Extent, offset: int, length: int) -> bytes:
        """Bytes of a file as it was when it reached so far. ``ConflictError`` where calls went since."""
        index = self._index
        file = index.files.get(place) if index is not None else None
        end = min(offset + length, extent.size)
        if index is None or file is None:
            raise _changed()
        if offset >= end:
            return b""
        which = bisect_right(file.marks, offset) - 1
        begin = at = file.marks[which]
        parts = []
        while at < end:
            last = which + 1 == len(file.marks) or file.ids[which + 1] > extent.last_id
            stop = extent.size if last else file.marks[which + 1]
            until = extent.last_id if last else file.ids[which + 1] - 1
            parts.append(self._block(index, place, file.ids[which], until, stop - at))
            at = stop
            which += 1
        return b"".join(parts)[offset - begin : end - begin]

    def _block(self, index: _Index, place: Place, first: int, last: int, size: int) -> bytes:
        """The lines of the calls of a file from one to another."""
        key = (place, first, last)
        block = index.blocks.get(key)
        if block is None:
            database = self._database()
            if database is None:
                raise _changed()
            given = {place.group: place.key} if place.group else {}
            block = b"".join(map(call_line, ToolCalls(database).between(first, last, **given)))
            if len(block) != size:
                self._index = None
                raise _changed()
            index.blocks[key] = block
            while len(index.blocks) > BLOCKS:
                index.blocks.popitem(last=False)
        return block

    def _seen(self) -> _Index | None:
        """The index, brought up to date for a reader."""
        now = time.monotonic()
        if now - self._looked > LOOK_SECONDS:
            self._looked = now
            self._look()
        return self._index

    def _read_on(self, index: _Index) -> None:
        database = self._database()
        if database is None:
            return
        calls = ToolCalls(database)
        while found := calls.after(index.last_id, ROWS):
            index.add(found)

    def _some_ended(self, pending: Sequence[int]) -> bool:
        database = self._database()
        return database is not None and ToolCalls(database).count_pending(pending) != len(pending)


def file_name(name: str) -> str:
    """The name of the file of the calls of a name, without its ending: one that a directory can have."""
    text = name.replace("%", "%25").replace("/", "%2F").replace("\0", "%00")
    text = f"%2E{text[1:]}" if text.startswith(".") else text
    if len(text.encode("utf-8", "replace")) > NAME_BYTES:
        return f"{text[:40]}~{sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"
    return text


def _ended_us(call: RecordedCall) -> int:
    """When a call ended, as exactly as it is known."""
    if call.started_ns is not None and call.elapsed_us is not None:
        return call.started_ns // 1000 + call.elapsed_us
    seconds = call.completed_at if call.status != "pending" else call.started_at
    return seconds * 1_000_000 if isinstance(seconds, int) and 0 <= seconds < 1 << 33 else 0


def _one_field(text: str) -> str:
    return text.translate({9: " ", 10: " ", 13: " "})


def _changed() -> ConflictError:
    return ConflictError("The audit trail changed while it was read; read it again.")
