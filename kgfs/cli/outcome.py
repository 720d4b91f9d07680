"""What a run over documents tells at its end: counts, failures, and its exit status when it is partly done.

Used by ``add``, ``refresh``, ``watch`` and ``rm``, on the main thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kgfs.cli.declaration import Invocation
from kgfs.cli.progress import duration
from kgfs.counting import counted
from kgfs.names import one_line

PARTLY_DONE = 5
"""The exit status."""
SHOWN_FAILURES = 20


def say_counts(invocation: Invocation, result: dict[str, Any]) -> None:
    """What the store holds now, and how long the run took."""
    counts = result["counts"]
    invocation.say(
        f"{counted(counts['chunks'], 'chunk')}, {counted(counts['entities'], 'entity', 'entities')},"
        f" {counted(counts['facts'], 'fact')}"
        f" in {duration(result['seconds'])}"
    )


def note_failures(
    invocation: Invocation, failures: Sequence[dict[str, Any]], path: Callable[[str], str] = str, *, failed: bool = True
) -> None:
    """One line a failure, or where nothing ``failed`` a note; of many the first. ``path`` is how paths are shown."""
    tell = invocation.warn if failed else invocation.note
    for failure in failures[:SHOWN_FAILURES]:
        tell(f"  {one_line(path(failure['path']))}: {one_line(failure['error'])}")
    if len(failures) > SHOWN_FAILURES:
        # What could not be read at all has no row that could be asked for later.
        more = f"{len(failures) - SHOWN_FAILURES:,} more"
        tell(f"  and {more}: kgfs status --errors lists what is stored, --json names all of a run")
