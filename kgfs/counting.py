"""How a number of things is said to a person. Used wherever texts are made; pure."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """``1 file``, ``1,200 files``; ``many`` where it is not ``one`` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
