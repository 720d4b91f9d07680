"""A source whose folder stands elsewhere now: told by the user, and noticed when its files are added from there.

Used by the service on its jobs thread, and by the pipeline. Looks at files; reads those of which it is to be known
whether they are a missing source's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from kgfs.errors import ConflictError, UsageError
from kgfs.graph import embedding_text
from kgfs.graph.resolution import remove_items
from kgfs.sources import source_roots
from kgfs.sources.moves import find_moves
from kgfs.sources.walking import WalkedFile
from kgfs.store import indexing
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import documents, items, source_moves, sources

REMOVE_ITEMS = 64
"""Items that one transaction takes away."""
REHASH_ITEMS = 200
"""Items of whose chunks one transaction notes by what they are known."""


class MoveOffer(msgspec.Struct, frozen=True):
    """A source that is gone from its place, and whose files were found at another."""

    name: str
    path: str
    to: str


class MovedSources(msgspec.Struct):
    """What a move of sources did."""

    sources: list[str] = []
    """Their names."""
    items: int = 0
    doubles: int = 0
    """Second copies that had been read from the new place, and went."""


def move_sources(database: Database, drive: str, path: str, to_path: str, *, check: Callable[[], None]) -> MovedSources:
    """Have all that was read from ``path`` come from ``to_path``: documents, chunks, vectors, facts and ids stay.

    What had been read from there already goes, as far as the files say it again. ``check`` is called
    where the user may stop it. ``UsageError`` where no source is at or beneath ``path``;
    ``ConflictError`` where the new place does not hold the files, or a row there says what no file does.
    """
    with database.read(snapshot=True) as cursor:
        concerned = source_moves.sources_beneath(cursor, drive, path)
        members = {source.id: list(sources.members(cursor, source.id)) for source in concerned}
        occupied = source_moves.occupied_rows(cursor, drive, path, to_path)
    if not concerned:
        raise UsageError(f"{path} is no source; `kgfs source list` names them.")
    now = {source_moves.moved_path(source.path, path, to_path) for source in concerned}
    for source in concerned:
        if source.path in now:
            raise ConflictError(f"{source.name} is at the new place and would move too; move it first, by itself.")
        place = Path(items.host_path(source_moves.moved_path(source.path, path, to_path)))
        files = [Path(items.host_path(source_moves.moved_path(one, path, to_path))) for one in members[source.id]]
        if source_roots.out_of_reach_reason(place, source_roots.decode_root(source.root), files) is not None:
            raise ConflictError(f"{place} does not hold the files of {source.name}; name the place where they are now.")
    for other in occupied:
        if other.moving or not other.readable:
            raise ConflictError(
                f"{other.ref} is stored already and differs from its file; save its text if you need it, then"
                " remove it with `kgfs rm`."
            )
    for start in range(0, len(occupied), REMOVE_ITEMS):
        batch = [other.item_id for other in occupied[start : start + REMOVE_ITEMS]]
        database.write(lambda cursor, batch=batch: remove_items(cursor, batch))  # type: ignore[misc]
        check()
    moved = database.write(lambda cursor: source_moves.move_rows(cursor, drive, path, to_path))
    for start in range(0, len(moved), REHASH_ITEMS):
        batch = moved[start : start + REHASH_ITEMS]
        database.write(lambda cursor, batch=batch: rehash_chunks(cursor, batch))  # type: ignore[misc]
    database.write(documents.resolve_links)
    return MovedSources([source.name for source in concerned], len(moved), len(occupied))


def rehash_chunks(cursor: Cursor, item_ids: Sequence[int]) -> None:
    """Let the chunks of items that moved be known by the place that these have now, so that they keep their vectors: a
    chunk is known by what is embedded for it, and that begins with its source."""
    chunks = indexing.chunk_rows(cursor, indexing.chunk_ids(cursor, item_ids))
    hashes = {
        chunk.id: embedding_text.text_hash(
            embedding_text.chunk_text(chunk.title, chunk.description, chunk.headings, chunk.ref, chunk.text)
        )
        for chunk in chunks
    }
    sources.note_chunk_hashes(cursor, hashes)


def offer_moves(database: Database, drive: str, new: Sequence[WalkedFile]) -> list[MoveOffer]:
    """The sources that are not at their places and most of whose files are among those that are ``new``.

    Nothing is read unless a source is missing.
    """
    with database.read() as cursor:
        missing = [
            (source, list(sources.members(cursor, source.id).values()))
            for source in sources.sources(cursor)
            if source.drive == drive and source_roots.is_missing(Path(items.host_path(source.path)))
        ]
    found = []
    for source, members in missing:
        places: Counter[str] = Counter()
        for row, file, _ in find_moves([row for row in members if row.size], new):
            place = _place_of(source.path, row.path, items.row_path(file.path))
            if place is not None:
                places[place] += 1
        (place, count) = (places.most_common(1) or [("", 0)])[0]
        if count and count * 2 >= sum(row.size > 0 for row in members):
            found.append(MoveOffer(source.name, source.path, place))
    return found


def _place_of(root: str, path: str, now: str) -> str | None:
    """Where a source is now of whose files one is at ``now``; ``None`` where it lies at another place within it."""
    inside = PurePosixPath(path).relative_to(root).parts
    parts = PurePosixPath(now).parts
    if not inside:
        return now
    if parts[-len(inside) :] != inside:
        return None
    return str(PurePosixPath(*parts[: -len(inside)]))
