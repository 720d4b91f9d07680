"""Sizes as people read them. Used by the tools and by their commands; pure."""

from __future__ import annotations


def size_text(size: int) -> str:
    """``1.2 KB``: powers of 1,024, one digit behind the point."""
    value, unit = float(size), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{size} B" if unit == "B" else f"{value:.1f} {unit}"
