"""Rows in batches: what one statement, transaction or call takes, and a batch that is committed.

Used by the passes, the check of a store and exports, and by ``Database`` itself, on any thread; pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def batches(rows: Iterable[T], size: Callable[[T], int], *, rows_most: int, bytes_most: int) -> Iterator[list[T]]:
    """The rows in their order; a batch has one row at least, however large that is."""
    batch: list[T] = []
    held = 0
    for row in rows:
        length = size(row)
        if batch and (len(batch) == rows_most or held + length > bytes_most):
            yield batch
            batch, held = [], 0
        batch.append(row)
        held += length
    if batch:
        yield batch


def id_batches(sizes: Iterable[tuple[int, int]], *, rows_most: int, bytes_most: int) -> Iterator[list[int]]:
    """``batches`` of ids that come with sizes."""
    for batch in batches(sizes, itemgetter(1), rows_most=rows_most, bytes_most=bytes_most):
        yield [number for number, _ in batch]


def commit_batch(
    rows: Sequence[T],
    commit: Callable[[Sequence[T]], R],
    failed: Callable[[T, Exception], T | None],
    *,
    fatal: tuple[type[Exception], ...] = (),
) -> Iterator[tuple[Sequence[T], R]]:
    """Commit rows together, and where that fails each alone, so that the fault is its own row's.

    Yields the rows of each commit with what ``commit`` returned. A row that fails alone goes to ``failed``, which
    returns what is committed in its place, ``None`` for nothing, or raises. ``fatal`` errors are no row's fault.
    """
    try:
        result = commit(rows)
    except fatal:
        raise
    except Exception as error:
        if len(rows) > 1:
            for row in rows:
                yield from commit_batch([row], commit, failed, fatal=fatal)
        elif (instead := failed(rows[0], error)) is not None:
            yield from commit_batch([instead], commit, failed, fatal=fatal)
        return
    yield rows, result
