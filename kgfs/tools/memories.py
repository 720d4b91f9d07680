"""The tool that keeps a text for later runs: a note in the directory of memories.

Used through the registry, on the thread that calls a tool. A memory is a stored file like any other: indexed, with a
history, shown at ``context/agent/memories/``.
"""

from __future__ import annotations

import time

from kgfs.errors import ChangedError, NotFoundError, UsageError
from kgfs.store import items
from kgfs.tools.addresses import lookup
from kgfs.tools.graph_parameters import RememberParameters
from kgfs.tools.outcome import Hinted, Value, done
from kgfs.tools.parameters import AGENT
from kgfs.tools.reach import Reach

DIRECTORY = "/memories"
TRIES = 5
PAUSE_SECONDS = 0.05
NAME_BYTES = 200


def remember(reach: Reach, given: RememberParameters) -> Value:
    """Write or extend a memory: its ``ref``, ``path`` and ``size``."""
    path = f"{DIRECTORY}/{_file_name(given.name)}"
    content = given.content if given.content.endswith("\n") else given.content + "\n"
    for left in reversed(range(TRIES)):
        before = _before(reach, path) if given.append else None
        body = content.encode() if before is None else _joined(before, content.encode())
        try:
            written = reach.files_by_path().put(
                AGENT, path, body,
                on_conflict="error" if given.append and before is None else "overwrite",
                instead_of=None if before is None else items.hash_body(before),
            )  # fmt: skip
            break
        except (ChangedError, NotFoundError) as error:
            if not left:
                raise Hinted(error, "Somebody writes it at this moment; call again.") from error
            time.sleep(PAUSE_SECONDS)
    return done(ref=items.ref(AGENT, path), path=f"context/agent{path}", size=written.size)


def _joined(before: bytes, content: bytes) -> bytes:
    return before + (b"" if not before or before.endswith(b"\n") else b"\n") + content


def _before(reach: Reach, path: str) -> bytes | None:
    with reach.database.read(snapshot=True) as cursor:
        item = lookup(cursor, AGENT, path)
        return None if item is None else items.read_item(cursor, item.id) or b""


def _file_name(name: str) -> str:
    """The file of a memory. ``UsageError`` for a name that is no plain name of a file."""
    plain = name.strip().removesuffix(".md").strip()
    if (
        not plain
        or plain.startswith(".")
        or "/" in plain
        or not plain.isprintable()
        or len(plain.encode()) > NAME_BYTES
    ):
        raise UsageError(f"{name!r} is no name of a memory; use a few words such as user-preferences, without a slash.")
    return f"{plain}.md"
