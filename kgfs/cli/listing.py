"""How the tree is shown on a terminal: one entry a line, as the tools that people know show it.

Used by ``ls``, ``tree``, ``find`` and ``stat``.
"""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from typing import Any

from kgfs.cli.declaration import Invocation
from kgfs.cli.screen import pasted

_TYPE_BITS = {"directory": stat.S_IFDIR, "file": stat.S_IFREG, "link": stat.S_IFLNK}


def moment(nanoseconds: int) -> str:
    """A date as ``ls -l --time-style=long-iso`` in UTC, so that a document's day is its day everywhere."""
    return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).strftime("%Y-%m-%d %H:%M")


def mode(item: dict[str, Any]) -> str:
    """``drwxr-xr-x``."""
    return stat.filemode(_TYPE_BITS[item["kind"]] | item["mode"])


def name(invocation: Invocation, text: str, kind: str) -> str:
    """A name in the colour of its kind; on a terminal as a shell reads it."""
    colors: dict[str, dict[str, Any]] = {"directory": {"fg": "blue", "bold": True}, "link": {"fg": "cyan"}}
    return invocation.style(shown_path(invocation, text), **colors.get(kind, {}))


def shown_path(invocation: Invocation, text: str) -> str:
    """A path as it can be pasted behind a command, on a terminal; elsewhere as it is."""
    return pasted(text) if invocation.terminal else text


def arrow(invocation: Invocation, item: dict[str, Any]) -> str:
    """``-> target`` after a link."""
    return f" -> {shown_path(invocation, item['target'])}" if item.get("target") else ""


def long_line(invocation: Invocation, item: dict[str, Any], width: int, shown: str) -> str:
    """A line of ``ls -l``, without owners: everything belongs to the user who mounts. ``shown`` is the name."""
    return f"{mode(item)} {item['size']:>{width}} {moment(item['mtime_ns'])} {shown}{arrow(invocation, item)}"
