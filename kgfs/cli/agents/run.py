"""``kgfs run``: a command in a sandbox that sees the mount and little else."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, sendable, short
from kgfs.control.client import open_session
from kgfs.counting import counted
from kgfs.errors import KgfsError, UsageError
from kgfs.sandbox.bubblewrap import View
from kgfs.sandbox.limits import Limits
from kgfs.sandbox.places import added_directory, hidden_directories, mounted_place
from kgfs.sandbox.running import Ended, run
from kgfs.sandbox.starting import sandboxed, unsandboxed

_SIZE = re.compile(r"([0-9]{1,15})([KMGT]?)", re.IGNORECASE | re.ASCII)


class _Size(click.ParamType[int]):
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = _SIZE.fullmatch(str(value))
        size = int(match[1]) << (10 * " KMGT".index(match[2].upper() or " ")) if match else 0
        if not 0 < size < 1 << 63:
            self.fail(f"{value!r} is no size; write a number of bytes, 500K, 10M or 2G.", param, ctx)
        return size


@declare("run", "Run a command in a sandbox that sees the mount.")
@click.option("--session", "of_session", metavar="NAME", help="Show the tree of this session, not that of the store.")
@click.option("--net", is_flag=True, help="Let the command use the network of this machine.")
@click.option(
    "--add-dir", "added", metavar="DIR[:ro]", multiple=True,
    help="Show this directory too, under its real path; with :ro the command may change nothing in it.",
)  # fmt: skip
@click.option("--read-only", is_flag=True, help="Let the command change nothing on the mount.")
@click.option("--memory", type=_Size(), default="2G", show_default=True, help="Memory a process may have.")
@click.option("--processes", type=click.IntRange(min=1), default=256, show_default=True, help="Processes at once.")
@click.option("--output", type=_Size(), default="10M", show_default=True, help="What the command may print.")
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True, max=10_000_000), default=600, show_default=True,
    metavar="S", help="End the command after S seconds (exit status 124).",
)  # fmt: skip
@click.option("--unsafe", is_flag=True, help="Run without a sandbox, where none can be made: only the limits hold.")
@click.argument("words", metavar="-- CMD…", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    invocation: Invocation,
    of_session: str | None,
    net: bool,
    added: tuple[str, ...],
    read_only: bool,
    memory: int,
    processes: int,
    output: int,
    timeout: float,
    unsafe: bool,
    words: tuple[str, ...],
) -> int:
    """Run CMD in a sandbox that sees the mount at /kg, the system read-only, a private /tmp, and nothing else of this
    machine: no home, no network, no other process.

    The exit status is that of CMD. The audit trail has a record named `run`.
    """
    if unsafe and (read_only or net or added):
        raise UsageError("--unsafe keeps nothing from the command; leave --net, --read-only and --add-dir out.")
    store = chosen_store(invocation)
    place = mounted_place(store, of_session, short(store))
    view = View(
        mounted=place, read_only=read_only, network=net, hidden=hidden_directories(store),
        added=[added_directory(name, store) for name in added], scratch_bytes=max(1 << 20, memory // 2),
    )  # fmt: skip
    limits = Limits(memory_bytes=memory, processes=processes, output_bytes=output, seconds=timeout)
    asked = {
        "command": [sendable(word) for word in words], "net": net, "read_only": read_only, "unsafe": unsafe,
        "added": [sendable(name) for name in added],
    }  # fmt: skip
    began = time.time_ns()
    ended = _unsafely(invocation, place, limits, words) if unsafe else _safely(view, limits, words)
    _say(invocation, ended, limits)
    try:
        with open_session(store, waiting=invocation.note) as opened:
            opened.call(
                "run-record",
                {**asked, "session": of_session, "began": began, "status": ended.status, "why": ended.why,
                 "output_bytes": ended.output_bytes},
            )  # fmt: skip
    except KgfsError as error:
        invocation.warn(f"The audit trail does not have this run: {error.message}")
    return ended.status


# What follows the first word belongs to the command, with or without `--` before it.
command.allow_interspersed_args = False


def _safely(view: View, limits: Limits, words: tuple[str, ...]) -> Ended:
    with sandboxed(view, limits, words) as start:
        return run(start, limits)


def _unsafely(invocation: Invocation, place: Path, limits: Limits, words: tuple[str, ...]) -> Ended:
    invocation.warn("There is no sandbox: the command may read and change whatever you may.")
    environment = {**os.environ, "KGFS_MOUNT": str(place), "PWD": str(place)}
    with unsandboxed(place, limits, words, environment) as start:
        return run(start, limits)


def _say(invocation: Invocation, ended: Ended, limits: Limits) -> None:
    """Why it was ended, where it did not end by itself."""
    reasons = {
        "time": f"after {limits.seconds:g} s; --timeout allows more",
        "output": f"since it printed more than {counted(limits.output_bytes, 'byte')}; --output allows more",
        "memory": "since it had too much memory; --memory allows more",
    }
    if ended.why in reasons:
        invocation.warn(f"kgfs: The command was ended {reasons[ended.why]}.")
