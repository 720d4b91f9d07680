"""Progress of long work: a bar for each pass on a terminal, a plain line for each step elsewhere.

Used by ``add``, ``rm`` and ``wait``. The library that draws is imported only on a terminal.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kgfs.cli.declaration import Invocation
from kgfs.control.client import Discard, Receiver

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LABELS = {
    "move": "Moving", "read": "Reading", "count": "Counting", "remove": "Removing", "chunk": "Cutting",
    "extract": "Extracting", "embed": "Embedding", "publish": "Publishing", "check": "Checking",
    "export": "Exporting", "import": "Importing", "pack": "Packing", "unpack": "Unpacking",
    "send": "Sending", "fetch": "Fetching",
}  # fmt: skip
DONE_NOTES = {"read": "done; keyword search works now"}
PLAIN_SECONDS = 5.0
"""Off a terminal a pass says how far it is this often."""


@contextmanager
def following(invocation: Invocation, command: str) -> Iterator[Receiver]:
    """A receiver that shows progress on standard error until the block ends."""
    if invocation.quiet:
        yield Discard()
    elif invocation.json:
        yield _JsonLines(invocation)
    elif sys.stderr.isatty():
        bars = _Bars(invocation)
        try:
            yield bars
        finally:
            bars.close()
    else:
        yield _Lines()


class _JsonLines(Discard):
    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._last = 0.0

    def progress(self, progress: dict[str, Any]) -> None:
        final = progress.get("done") == progress.get("total")
        if final or time.monotonic() - self._last > 1.0:
            self._last = time.monotonic()
            self._invocation.emit({"progress": progress})
            sys.stdout.flush()


class _Lines(Discard):
    def __init__(self) -> None:
        self._last: dict[str, float] = {}
        self._finished: set[str] = set()

    def progress(self, progress: dict[str, Any]) -> None:
        stage = str(progress.get("stage"))
        if progress.get("message") and stage not in LABELS:
            print(f"{stage.capitalize()}: {progress['message']}", file=sys.stderr, flush=True)
            return
        if stage not in LABELS:
            return
        done, total = int(progress.get("done", 0)), int(progress.get("total", 0))
        now = time.monotonic()
        if total and done >= total:
            if stage not in self._finished:
                self._finished.add(stage)
                print(f"{LABELS[stage]:<11} {_count(progress)}  {_end(stage)}", file=sys.stderr, flush=True)
        elif now - self._last.setdefault(stage, now) >= PLAIN_SECONDS:
            self._last[stage] = now
            print(f"{LABELS[stage]:<11} {_count(progress)}{_pace(progress)}", file=sys.stderr, flush=True)


class _Bars(Discard):
    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def progress(self, progress: dict[str, Any]) -> None:
        bars = self._drawn()
        stage = str(progress.get("stage"))
        if stage not in LABELS:
            if progress.get("message"):
                bars.console.print(f"{stage.capitalize()}: {progress['message']}", markup=False, highlight=False)
            return
        done, total = int(progress.get("done", 0)), int(progress.get("total", 0))
        note = _end(stage) if total and done >= total else _pace(progress).strip()
        if stage not in self._tasks:
            self._tasks[stage] = bars.add_task(LABELS[stage], total=total or None, count="", note="")
        bars.update(self._tasks[stage], completed=done, total=total or None, count=_count(progress), note=note)

    def close(self) -> None:
        if self._bars is not None:
            self._bars.stop()

    def _drawn(self) -> Progress:
        if self._bars is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self._bars = Progress(
                TextColumn("{task.description:<11}"),
                BarColumn(bar_width=20),
                TextColumn("{task.fields[count]}"),
                TextColumn("{task.fields[note]}"),
                console=Console(stderr=True, no_color=self._invocation.no_color, highlight=False),
            )
            self._bars.start()
        return self._bars


def _count(progress: dict[str, Any]) -> str:
    unit = f" {progress['unit']}" if progress.get("unit") else ""
    return f"{int(progress.get('done', 0)):,}/{int(progress.get('total', 0)):,}{unit}"


def _end(stage: str) -> str:
    return DONE_NOTES.get(stage, "done")


def _pace(progress: dict[str, Any]) -> str:
    rate, left = progress.get("rate"), progress.get("seconds_left")
    text = f"  {rate:.1f}/s" if rate else ""
    return text + (f"  {duration(left)} left" if left else "")


def duration(seconds: float) -> str:
    """``40 s``, ``12 min``, ``3 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
