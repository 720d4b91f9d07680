"""Rows in batches that one statement, transaction or call takes: so many at most, and so many bytes.

Used by the passes, the check of a store and exports, on any thread; pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import TypeVar

T = TypeVar("T")


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
