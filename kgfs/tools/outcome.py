"""What a tool returns: a value, also for a failure, so that a model can continue its loop.

Used by every tool and by ``kgfs.tools.calling``. A failure is ``{"is_error": true, "error_type", "message",
"next_action_hint"}``; everything else has ``"is_error": false``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kgfs.errors import (
    Cancelled,
    ChangedError,
    ConflictError,
    DeadlineExceeded,
    DiskReadOnly,
    ExistsError,
    IsADirectory,
    KgfsError,
    MountedReadOnly,
    NoSpaceError,
    NotADirectory,
    NotFoundError,
    QueryError,
    ReadOnlyError,
    StoreError,
    StoreLocked,
    TooLarge,
    UsageError,
    WorkerError,
)  # fmt: skip

Value = dict[str, Any]
"""The value that a tool returns; JSON can represent it."""
STOPPED_BY_USER = "The user stopped it; ask before you continue."
"""The hint on a call that the user stopped."""


class NoTextContent(KgfsError):
    """The item exists, but is not text."""

    exit_status = 1
    kind = "no_text_content"


class BadArguments(UsageError):
    """The arguments are not those of the tool."""

    kind = "bad_arguments"


class UnknownTool(UsageError):
    """There is no such tool."""

    kind = "unknown_tool"


class BadRange(UsageError):
    """The item has no such lines."""

    kind = "bad_range"


class Hinted(Exception):
    """Raised in a tool: the error, with what to do next about it."""

    def __init__(self, error: KgfsError, hint: str) -> None:
        super().__init__(error.message)
        self.error = error
        self.hint = hint


_HINTS: list[tuple[type[KgfsError], str]] = [
    (StoreLocked, "Wait a moment and call again."),
    (ChangedError, "Read it again, and call again with the current content."),
    (
        ConflictError,
        'Pass on_conflict:"overwrite" (overwrite:true to copy or move) to replace it, or choose another path.',
    ),
    (IsADirectory, "Name an item in it; context_tree lists the directory."),
    (NotADirectory, "A component of the path is a file; call context_tree to list the directories."),
    (NotFoundError, "Call context_list_drives({}), list, or kv_list({}) to see what there is."),
    (MountedReadOnly, "Tell the user: nothing can be written until the store is mounted without --read-only."),
    (DiskReadOnly, "Nothing was written; tell the user that the disk of the store is read-only."),
    (ReadOnlyError, 'Write to the drive "agent"; a copy made there with context_copy can be changed.'),
    (NoSpaceError, "Nothing was written; tell the user that the disk of the store is full."),
    (TooLarge, "Ask for less (a smaller directory, a rarer pattern, a range of lines), or write less at once."),
    (DeadlineExceeded, "Call again, or ask for less."),
    (WorkerError, 'Call again in a few seconds; search_semantic with kind:"keyword" needs no model.'),
    (QueryError, "Correct the query and call again."),
    (UsageError, "Correct the arguments and call again."),
    (Cancelled, STOPPED_BY_USER),
    (StoreError, "Tell the user; `kgfs doctor` says more."),
]


def done(**fields: Any) -> Value:
    """The value of a call that succeeded."""
    return {"is_error": False, **fields}


def failure(error: KgfsError, hint: str | None = None) -> Value:
    """The value of a failure; ``hint`` is the next step; the default is that of its kind."""
    if hint is None:
        hint = next((text for kind, text in _HINTS if isinstance(error, kind)), "Tell the user what failed.")
    kind = ExistsError.kind if type(error) is ConflictError else error.kind
    return {"is_error": True, "error_type": kind, "message": error.message, "next_action_hint": hint}


def call_text(tool: str, **arguments: object) -> str:
    """A call as a hint shows it: ``context_tree({drive:"disk",path:"/notes"})``."""
    shown = ",".join(f"{name}:{msgspec.json.encode(value).decode()}" for name, value in arguments.items())
    return f"{tool}({{{shown}}})"
