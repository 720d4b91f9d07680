"""Rows in portions that one statement, transaction or call takes: so many at most, and so many bytes.

Used by the passes, the check of a store and exports, on any thread; pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import TypeVar

T = TypeVar("T")


def portions(rows: Iterable[T], size: Callable[[T], int], *, rows_most: int, bytes_most: int) -> Iterator[list[T]]:
    """The rows in their order; a portion has one row at least, however large that is."""
    portion: list[T] = []
    held = 0
    for row in rows:
        length = size(row)
        if portion and (len(portion) == rows_most or held + length > bytes_most):
            yield portion
            portion, held = [], 0
        portion.append(row)
        held += length
    if portion:
        yield portion


def id_portions(sizes: Iterable[tuple[int, int]], *, rows_most: int, bytes_most: int) -> Iterator[list[int]]:
    """``portions`` of ids that come with sizes."""
    for portion in portions(sizes, itemgetter(1), rows_most=rows_most, bytes_most=bytes_most):
        yield [number for number, _ in portion]
