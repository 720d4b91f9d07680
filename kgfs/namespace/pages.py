"""Texts out of the store: an LRU by bytes, filled in aligned runs of neighbours with one SQL statement a run.

Used by the views. ``peek`` functions run on the event loop, loading ones in any thread. A run grows while misses lie
side by side (16, 64, 256, 1024) in either direction: a single ``cat`` costs one small statement, a walk over 10,000
directories costs tens.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping

from kgfs.namespace.bodies import CHANGED, BlockBody, Body, BytesBody, StaleSnapshotError
from kgfs.namespace.cache_use import CacheUse
from kgfs.namespace.domains import Domain, PageColumn
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import items as item_rows
from kgfs.store.tree.pages import read_bodies

DEFAULT_CACHE_BYTES = 64 * 1024 * 1024
WHOLE_BYTES = 1024 * 1024
"""Up to this size a stored file is read at once; beyond, in pieces."""
TOGETHER_BYTES = 64 * 1024
"""Stored files up to this size are loaded with their neighbours."""
_RUNS = (16, 64, 256, 1024)
"""A statement that loads 16 texts takes 2 ms, one that loads a single one 1.5 ms."""
_NEAR = 16
_WALKS = 8
_RUN_BYTES = 8 * 1024 * 1024
_ENTRY_BYTES = 150
"""What a cached text costs beside its bytes."""


class TextCache:
    """Texts by key, the least recently used dropped first. For any thread."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._texts: OrderedDict[Hashable, bytes] = OrderedDict()
        self._bytes = 0
        self._hits = self._misses = 0
        self._lock = threading.Lock()

    def use(self) -> CacheUse:
        """How full it is, and how often it had what was asked for."""
        return CacheUse(self._bytes, len(self._texts), self._hits, self._misses)

    def get(self, key: Hashable) -> bytes | None:
        with self._lock:
            text = self._texts.get(key)
            if text is None:
                self._misses += 1
            else:
                self._hits += 1
                self._texts.move_to_end(key)
            return text

    def __contains__(self, key: Hashable) -> bool:
        return key in self._texts

    def put(self, texts: Mapping[Hashable, bytes]) -> None:
        with self._lock:
            for key, text in texts.items():
                if key not in self._texts:
                    self._texts[key] = text
                    self._bytes += len(text) + _ENTRY_BYTES
            while self._bytes > self._limit and len(self._texts) > 1:
                _, dropped = self._texts.popitem(last=False)
                self._bytes -= len(dropped) + _ENTRY_BYTES


class Runs:
    """How far ahead to read for one kind of text, from how the misses lie.

    Several walks are told apart (``rg`` has one a thread): each is where its last run lay and how long it was.
    """

    def __init__(self) -> None:
        self._walks: list[tuple[int, int, int]] = []
        """First and last rank (excluded) of a walk's last run and its step, the walk that moved last at the end."""

    def around(self, rank: int, count: int, cost: Callable[[int], int]) -> tuple[int, int]:
        """The aligned run of ranks to load for a miss at ``rank``; ``cost`` is a rank's bytes."""
        step = 0
        for number, (low, high, before) in enumerate(self._walks):
            if low - _NEAR <= rank < high + _NEAR:
                step = min(before + 1, len(_RUNS) - 1)
                del self._walks[number]
                break
        length = _RUNS[step]
        low = rank - rank % length
        high = min(low + length, count)
        # Large texts: no more than a few megabytes at once, nearest first.
        total, start, end = cost(rank), rank, rank + 1
        while end < high and total < _RUN_BYTES:
            total += cost(end)
            end += 1
        while start > low and total < _RUN_BYTES:
            start -= 1
            total += cost(start)
        self._walks.append((start, end, step))
        del self._walks[:-_WALKS]
        return start, end


class PageStore:
    """Texts of the store through one cache. For any thread; loading functions block."""

    def __init__(self, database: Database, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self.database = database
        self.cache = TextCache(cache_bytes)
        self._runs: dict[str, Runs] = {}
        self._lock = threading.Lock()

    def run(self, kind: str, domain: Domain, index: int, cost: Callable[[int], int]) -> list[int]:
        """The indexes to load together with ``index``, which misses; ``cost`` is an index's bytes."""
        order = domain.order
        with self._lock:
            runs = self._runs.setdefault(kind, Runs())
            low, high = runs.around(domain.rank[index], len(domain), lambda rank: cost(order[rank]))
        return [order[rank] for rank in range(low, high)]

    # --- pages ------------------------------------------------------------------------------------------------------

    def page(self, view: str, domain: Domain, column: PageColumn, index: int) -> bytes:
        """The page of one owner, loaded with its neighbours. ``StaleSnapshotError`` where it is gone."""
        page_id = column.ids[index]
        known = self.cache.get(page_id)
        if known is not None:
            return known
        wanted = self.run(view, domain, index, lambda each: column.sizes[each])
        found = self.load_pages([column.ids[each] for each in wanted])
        return _required(found.get(page_id), column.sizes[index])

    def load_pages(self, page_ids: Iterable[int]) -> dict[int, bytes]:
        """The pages of these ids that still exist, from the cache or by one statement."""
        found: dict[int, bytes] = {}
        missing = []
        for page_id in page_ids:
            known = self.cache.get(page_id)
            if known is None:
                missing.append(page_id)
            else:
                found[page_id] = known
        if missing:
            with self.database.read() as cursor:
                loaded = read_bodies(cursor, missing)
            self.cache.put({page_id: body for page_id, body in loaded.items()})
            found |= loaded
        return found

    def required(self, pages: Mapping[int, bytes], page_id: int) -> bytes:
        """One of loaded pages. ``StaleSnapshotError`` where it is gone."""
        text = pages.get(page_id)
        return _required(text, -1 if text is None else len(text))

    # --- columns that are texts -------------------------------------------------------------------------------------

    def chunk(self, s: Snapshot, index: int) -> bytes:
        """The passage of a chunk, loaded with its neighbours."""
        ids = s.chunks.ids
        known = self.cache.get(("chunk", ids[index]))
        if known is not None:
            return known
        wanted = [ids[each] for each in self.run("chunk", s.chunks, index, lambda each: s.chunk_size[each])]
        with self.database.read() as cursor:
            loaded = _texts(cursor, "SELECT id, text FROM chunks", wanted)
        self.cache.put({("chunk", row_id): text for row_id, text in loaded.items()})
        return _required(loaded.get(ids[index]), s.chunk_size[index])

    def chunks(self, s: Snapshot, indexes: Iterable[int]) -> dict[int, bytes]:
        """The passages of chunks that lie anywhere, those that are not in memory by one statement."""
        ids = s.chunks.ids
        found = {index: self.cache.get(("chunk", ids[index])) for index in indexes}
        missing = [ids[index] for index, text in found.items() if text is None]
        loaded: dict[int, bytes] = {}
        if missing:
            with self.database.read() as cursor:
                loaded = _texts(cursor, "SELECT id, text FROM chunks", missing)
            self.cache.put({("chunk", row_id): text for row_id, text in loaded.items()})
        return {
            index: _required(loaded.get(ids[index]) if text is None else text, s.chunk_size[index])
            for index, text in found.items()
        }

    def document_text(self, s: Snapshot, index: int) -> Body:
        """A document's text, where that is not the stored file itself."""
        document = s.documents.ids[index]
        with self.database.read() as cursor:
            loaded = _texts(cursor, "SELECT id, text FROM documents", [document])
        text = BytesBody(_required(loaded.get(document), s.document_size[index]))
        if text.size <= WHOLE_BYTES:
            self.cache.put({("text", document, s.documents.ctime[index]): text.data})
        return text

    def item_key(self, s: Snapshot, index: int) -> Hashable:
        return "item", s.items.ids[index], s.items.ctime[index], s.item_size[index]

    def item(self, s: Snapshot, index: int) -> Body:
        """A stored file: whole where it is small, else in pieces that are read when asked for."""
        item, size = s.items.ids[index], s.item_size[index]
        if size <= TOGETHER_BYTES:
            return BytesBody(self._small_item(s, index))
        if size <= WHOLE_BYTES:
            body = BytesBody(_required(self._item_part(item, 0, size + 1), size))
            self.cache.put({self.item_key(s, index): body.data})
            return body
        return BlockBody(size, lambda offset, length: _required(self._item_part(item, offset, length), length))

    def peek_written(self, item: int, serial: int, size: int) -> Body | None:
        """``written``, if it is in memory or is read in pieces."""
        text = self.cache.get(("written", item, serial))
        if text is not None:
            return BytesBody(text)
        if not size:
            return BytesBody(b"")
        return None if size <= WHOLE_BYTES else self.written(item, serial, size)

    def written(self, item: int, serial: int, size: int) -> Body:
        """A stored file that was written since the snapshot was loaded."""
        if size > WHOLE_BYTES:
            return BlockBody(size, lambda offset, length: _required(self._item_part(item, offset, length), length))
        body = BytesBody(_required(self._item_part(item, 0, size + 1), size))
        self.keep_written(item, serial, body.data)
        return body

    def keep_written(self, item: int, serial: int, body: bytes) -> None:
        """Remember a body that was just committed."""
        self.cache.put({("written", item, serial): body})

    def _small_item(self, s: Snapshot, index: int) -> bytes:
        """A small stored file, loaded with its neighbours of the same kind."""
        ids, sizes = s.items.ids, s.item_size
        run = self.run("item", s.items, index, lambda each: sizes[each])
        wanted = [each for each in run if sizes[each] <= TOGETHER_BYTES]
        with self.database.read() as cursor:
            loaded = item_rows.read_items(cursor, [ids[each] for each in wanted])
        # One of another size was written again since this snapshot.
        found = {
            each: body for each in wanted if (body := loaded.get(ids[each])) is not None and len(body) == sizes[each]
        }
        self.cache.put({self.item_key(s, each): body for each, body in found.items()})
        return _required(found.get(index), sizes[index])

    def _item_part(self, item: int, offset: int, length: int) -> bytes:
        with self.database.read(snapshot=True) as cursor:
            part = item_rows.read_item(cursor, item, offset, length)
        if part is None:
            raise StaleSnapshotError("This file was removed while it was read.")
        self.database.passed(len(part))
        return part


def _texts(cursor: Cursor, select: str, row_ids: list[int]) -> dict[int, bytes]:
    if len(row_ids) == 1:
        cursor.execute(f"{select} WHERE id = $1 AND text IS NOT NULL", row_ids)
    else:
        cursor.execute(
            f"{select} WHERE id BETWEEN $1 AND $2 AND id IN (SELECT unnest($3::BIGINT[])) AND text IS NOT NULL",
            [min(row_ids), max(row_ids), row_ids],
        )
    return {row_id: text.encode() for row_id, text in cursor.fetchall()}


def _required(text: bytes | None, size: int) -> bytes:
    if text is None or len(text) != size:
        raise StaleSnapshotError(CHANGED)
    return text
