"""``@grep``: exact lines, answered from the store: of the passages that belong to a directory (``passages``), or with
the flag ``r`` what ``grep -rn --binary-files=without-match`` finds beneath it (``stored_text``).

Used by the query area and by ``kgfs grep``; blocks, in any thread. GNU grep itself decides on every line: the texts
that may match (``stored_text``, narrowed by ``literals``) go through one grep as one stream (``grep_process``), and its
line numbers are mapped back to files (``matches``). What is no clean text (a NUL, or bytes that are no UTF-8) is given
to grep as a file, since what grep does with such a file depends on where it notices.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from kgfs.errors import NotFoundError, QueryError
from kgfs.names import name_bytes
from kgfs.namespace.bodies import Body, StaleSnapshotError
from kgfs.namespace.node import Node, NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries.grep_process import Command, Doubtful, Stream, require_pattern
from kgfs.namespace.queries.literals import needles
from kgfs.namespace.queries.matches import LIMIT_BYTES, Matches, too_large
from kgfs.namespace.queries.passages import passages
from kgfs.namespace.queries.stored_text import FEW_FILES, FileBelow, Late, Wanted, deadline, reach
from kgfs.namespace.route import File, Row, View
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree_reader import TreeReader
from kgfs.namespace.views.documents import ItemFile
from kgfs.store.catalog.database import Cursor
from kgfs.store.files.items import BLOCK_BYTES
from kgfs.store.tree import text_scan
from kgfs.store.tree.pages import generation
from kgfs.store.tree.text_scan import Needles, StoredText

FLAGS = "iFwlr1En"
"""``E`` and ``n`` change nothing; people who know grep type them."""
SECONDS = 9.0
"""An answer within 10 seconds, or none."""
WRITTEN_TRIES = 3
"""How often a file is read again that is written meanwhile."""
_PART_BYTES = 4 * 1024 * 1024
_TABLES = ("chunks", "documents", "items")

USAGE = b"""\
Exact lines by path: every line of the passages that belong to this directory, wherever they lie, that GNU grep -E
finds; each once, by document and line. Paths are from the root of the mount.

  cat '@grep/wage(s| growth)'              chunks/by_document/<doc>/chunk_0001/content.txt:12:the line
  cat '@grep/-iw/boston'                   flags before the pattern, as one component
  cat 'entities/organizations/Acme/@grep/-l/acquired'
  cat 'documents/@grep/-ri/boston'         what `grep -rniE` says in documents/: summaries, metadata ...

Flags: i (ignore case), F (plain text, not an expression), w (whole words), l (only names of files),
r (byte for byte what `grep -rn` finds in the files beneath this directory, paths from here; @ areas are left out),
1 (as r, and also the targets of links below this directory, one hop away, under the path of the link),
E (expressions are extended, with and without it), n (lines have their numbers, with and without it).
In context/, a file without passages (large, hidden, just written) is read itself.
A pattern that begins with - needs flags before it: '@grep/-F/-rf' (or '@grep/[-]rf').
In a pattern write / as %2F, a leading . as %2E, and %25 for a % before 2F, 2E or 25. Quote it with '...'.
No hits: an empty file, as of grep. EFBIG: above 64 MB. ETIMEDOUT: search a smaller directory. EINVAL: a bad pattern.
cat @status/last_error.txt at the root says why, and that nothing matched.
"""


def matching_lines(tree: TreeReader, store: PageStore, s: Snapshot, node: Node, pattern: str, flags: str) -> bytes:
    """The bytes of ``@grep/-<flags>/<pattern>`` in a directory: files by path, lines in order.

    ``flags`` are letters of ``FLAGS``. ``QueryError`` with grep's reason for a pattern that is none, ``TooLarge`` above
    ``LIMIT_BYTES``, ``DeadlineExceeded`` after ``SECONDS``, ``NotFoundError`` where the directory is gone,
    ``StaleSnapshotError`` where the store went on since the snapshot was loaded.
    """
    found = search(tree, store, s, node, pattern, flags)
    parts: list[bytes] = []
    size = 0
    for line in found.lines():
        # (a path alone with -l)
        parts.append(line.path + b"\n" if found.names else b"%b:%d:%b\n" % line)
        size += len(parts[-1])
        if size > LIMIT_BYTES:
            raise too_large()
    return b"".join(parts)


def no_line(pattern: str, flags: str) -> str:
    """What ``last_error.txt`` says of an answer without a line.

    The file itself is empty, as the output of grep is: a sentence in it would be counted, cut and quoted as a line of a
    text, and one cannot tell it from one.
    """
    other = "" if "i" in flags else f"'@grep/-i{flags}/…' takes any case, "
    return f"No line here matches {pattern!r}; {other}'@search/text/…' looks by meaning."


def search(
    tree: TreeReader,
    store: PageStore,
    s: Snapshot,
    node: Node,
    pattern: str,
    flags: str,
    *,
    seconds: float | None = SECONDS,
    stopped: Callable[[], bool] = lambda: False,
    few_files: int = FEW_FILES,
) -> Matches:
    """The lines that belong to a directory and match, with the flag ``r`` those beneath it or of one file; errors as
    ``matching_lines``.

    ``Cancelled`` once ``stopped`` says so. ``few_files``: up to how many files are looked at one by one.
    """
    unknown = set(flags) - set(FLAGS)
    if unknown:
        raise QueryError(f"grep has no flag {min(unknown)!r} here; the flags are i F w l r 1 E n.")
    options = [b"-F" if "F" in flags else b"-E", *(f"-{flag}".encode() for flag in "iwl" if flag in flags)]
    command = Command(options, _encoded(pattern))
    late = deadline(seconds)
    searched = (
        reach(tree, s, node, "1" in flags, late, few_files)
        if set(flags) & {"r", "1"}
        else passages(tree, s, node, few_files)
    )
    found = Matches("l" in flags, searched, s)
    with Stream(command.stream(), found, late, stopped) as stream:
        texts = _Texts(store, s, found, needles(pattern, "F" in flags, "i" in flags), command, stream, late)
        stream.run(texts.feed)
    return found


def _encoded(pattern: str) -> bytes:
    raw = name_bytes(pattern)
    require_pattern(raw)
    return raw


class _Texts:
    """What may match, in one read transaction."""

    def __init__(
        self,
        store: PageStore,
        s: Snapshot,
        found: Matches,
        narrowing: Needles,
        command: Command,
        stream: Stream,
        late: Late,
    ) -> None:
        self._store, self._s, self._found, self._needles = store, s, found, narrowing
        self._stream, self._late = stream, late
        self._searched = found.searched
        self._doubtful = Doubtful(command, found, store.database.path.parent, late)

    def feed(self) -> None:
        """Everything, into the stream. ``StaleSnapshotError`` where the store is of another state than the snapshot."""
        for each in self._searched.loose:
            self._loose(each)
        wanted = self._searched.wanted
        if wanted:
            with self._store.database.read(snapshot=True) as cursor:
                self._require_present(cursor)
                written = self._written_since(cursor) if "items" in self._searched.rows else []
                self._pages(cursor)
                for table in ("chunks", "documents"):
                    if table in wanted:
                        self._batches(self._scanned(partial(text_scan.scan_texts, cursor, table), wanted[table]))
                if "items" in wanted:
                    own = wanted["items"]
                    small = own.sizes <= BLOCK_BYTES
                    inline = Wanted(own.ids[small], own.sizes[small])
                    self._batches(self._scanned(partial(text_scan.scan_items, cursor), inline))
            if "items" in wanted:
                for item in own.ids[~small].tolist():
                    self._large(item)
            for each in written:
                self._loose(each)
        self._doubtful.decide()

    def _require_present(self, cursor: Cursor) -> None:
        s, wanted = self._s, self._searched.wanted
        same = generation(cursor)[0] == s.generation
        for table in ("chunks", "documents"):
            if same and table in wanted:
                same = text_scan.rows_present(cursor, table, wanted[table].ids)
        if not same:
            raise _overtaken()

    def _written_since(self, cursor: Cursor) -> list[FileBelow]:
        """The stored files that somebody wrote since the snapshot was loaded. They are read one by one, as they are
        now: while many write, no snapshot would ever be new enough for all of them."""
        s, own = self._s, self._searched.wanted.get("items")
        places: list[tuple[Row, NodeRef]] = []
        if own is not None:
            columns = np.array(s.items.indexes(own.ids.tolist()), np.int64)
            changed, sizes = s.items.ctime_array[columns], np.asarray(s.item_size)[columns]
            same = text_scan.unchanged_files(cursor, own.ids, changed, sizes)
            self._searched.wanted["items"] = Wanted(own.ids[same], own.sizes[same])
            changed_ids = own.ids[~same].tolist()
            tree = s.context
            if any((inode := tree.inode_of(item)) in tree.place and inode not in tree.live for item in changed_ids):
                raise _overtaken()  # by a job: nothing here knows what it holds now
            texts = [StoredText("items", item, "", 0, b"") for item in changed_ids]
            places += [
                (row, ref)
                for row, view in self._searched.rows["items"]
                for text in texts
                for ref in view.places(s, text)
            ]
        new = [inode for inode, file in list(s.context.live.items()) if s.items.find_index(file.item) < 0]
        places += [
            (row, NodeRef(inode))
            for row, view in self._searched.rows["items"]
            if isinstance(view, ItemFile)
            for inode in new
        ]
        return [FileBelow("", row, ref) for row, ref in places]

    def _scanned(self, scan: Callable[..., Iterator[list[StoredText]]], own: Wanted) -> Iterator[list[StoredText]]:
        return scan(own.ids, own.sizes, self._needles, few=self._searched.few)

    def _pages(self, cursor: Cursor) -> None:
        views = {source: own for source, own in self._searched.wanted.items() if source not in _TABLES}
        if views:
            every = Wanted(
                np.concatenate([own.ids for own in views.values()]),
                np.concatenate([own.sizes.astype(np.int64) for own in views.values()]),
            )
            self._batches(self._scanned(partial(text_scan.scan_pages, cursor, list(views)), every))

    def _batches(self, batches: Iterator[list[StoredText]]) -> None:
        for batch in batches:
            if self._stream.over.is_set():
                raise BrokenPipeError
            clean = []
            for text in batch:
                if text.binary or b"\0" in text.body:
                    self._doubtful.add_text(text, [text.body])
                elif text.body.endswith(b"\n"):
                    clean.append(text)
                elif text.body:
                    clean.append(text._replace(body=text.body + b"\n"))
            if clean:
                self._stream.texts(clean)

    def _large(self, item: int) -> None:
        """A stored file that lies in blocks, piece by piece."""
        text = StoredText("items", item, "", 0, b"")
        if not any(
            any(True for _ in self._searched.shown(row, ref))
            for row, view in self._searched.rows["items"]
            for ref in view.places(self._s, text)
        ):
            return
        index = self._s.items.index(item)
        body = self._store.item(self._s, index)
        parts = self._parts(body)
        if self._s.item_textual[index]:
            self._stream.body(text, parts)
        elif b"\0" not in body.read(0, text_scan.HEAD_BYTES):
            self._doubtful.add_text(text, parts)

    def _parts(self, body: Body) -> Iterator[bytes]:
        offset = 0
        while part := body.read(offset, _PART_BYTES):
            if self._stream.over.is_set():
                raise BrokenPipeError
            yield bytes(part)
            offset += len(part)

    def _loose(self, each: FileBelow) -> None:
        """A file that is no stored text."""
        assert isinstance(each.row.node_type, File)
        view, ref = each.row.node_type.view, each.ref
        paths = list(self._searched.shown(each.row, ref))
        if not paths:
            return
        try:
            if not view.ready(self._s, ref):
                view.prepare(self._store, self._s, ref)
            body = self._loaded(view, ref)
        except NotFoundError:
            return
        data = body.read(0, body.size)
        if b"\0" in data or not _is_utf8(data):
            self._doubtful.add_files(paths, [data])
        elif data:
            self._stream.body(paths, [data])

    def _loaded(self, view: View, ref: NodeRef) -> Body:
        for _ in range(WRITTEN_TRIES):
            with contextlib.suppress(StaleSnapshotError):
                return view.load(self._store, self._s, ref)
        return view.load(self._store, self._s, ref)


def _overtaken() -> StaleSnapshotError:
    return StaleSnapshotError("The graph changed while it was searched; ask again.")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
