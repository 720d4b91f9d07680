"""``kgfs run``: a command in a sandbox that sees the mount and little else."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import click

from kgfs import mounts
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, sendable, short
from kgfs.control.client import open_session
from kgfs.counting import counted
from kgfs.errors import KgfsError, NotFoundError, UsageError
from kgfs.sandbox import bubblewrap
from kgfs.sandbox.control_group import new_group
from kgfs.sandbox.limits import Limits, limiting, processes_of_user
from kgfs.sandbox.running import Ended, Start, run

SESSIONS = "@session"
"""The directory of a mount that has a directory for each session."""
_OWN_PROCESSES = 2
"""Those of bubblewrap, which are counted too."""
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
    if unsafe and (read_only or net):
        raise UsageError("--unsafe keeps nothing from the command; leave --net and --read-only out.")
    store = chosen_store(invocation)
    place = _place(store, of_session)
    limits = Limits(memory_bytes=memory, processes=processes, output_bytes=output, seconds=timeout)
    asked = {"command": [sendable(word) for word in words], "net": net, "read_only": read_only, "unsafe": unsafe}
    began = time.time_ns()
    ended = _unsafely(invocation, place, limits, words) if unsafe else _safely(store, place, limits, words, asked)
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


def _place(store: Path, name: str | None) -> Path:
    """The directory that the command sees. ``NotFoundError`` where it is not."""
    mounted = mounts.mounts_of(store)
    if not mounted:
        raise NotFoundError(f"The store {short(store)} is not mounted; run `kgfs mount ~/kg`, then `kgfs run`.")
    mountpoint = mounted[-1].mountpoint
    if not mounts.answers(mountpoint):
        raise KgfsError(f"The mount {short(mountpoint)} does not answer; `kgfs status --check` says more.")
    if name is None:
        return mountpoint
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise UsageError(f"{name!r} is no name of a session; `kgfs session list` shows them.")
    place = mountpoint / SESSIONS / name
    if place.is_symlink() or not place.is_dir():
        raise NotFoundError(
            f"There is no session {name!r}; `kgfs session list` shows them, `kgfs session new` makes one."
        )
    return place


def _safely(store: Path, place: Path, limits: Limits, words: tuple[str, ...], asked: dict[str, Any]) -> Ended:
    hidden = {store.resolve(), Path(os.path.expanduser("~")), *(mount.mountpoint for mount in mounts.our_mounts())}
    view = bubblewrap.View(
        mounted=place, read_only=asked["read_only"], network=asked["net"], hidden=sorted(hidden),
        scratch_bytes=max(1 << 20, limits.memory_bytes // 2),
    )  # fmt: skip
    bubblewrap.require(view)
    limited = limiting(limits)
    with bubblewrap.prepared(view) as sandbox:
        group = new_group(limits.processes + _OWN_PROCESSES, limits.memory_bytes)
        if group is None and os.geteuid() == 0:
            raise KgfsError(
                "Processes of root can be counted only in a control group, and none can be made here; start it as"
                " another user."
            )
        start = Start(
            words=[*sandbox.prefix, *limited, *words], environment={"PATH": bubblewrap.PATH},
            directory=Path("/"), descriptors=sandbox.descriptors,
        )  # fmt: skip
        return run(start, limits, group)


def _unsafely(invocation: Invocation, place: Path, limits: Limits, words: tuple[str, ...]) -> Ended:
    invocation.warn("There is no sandbox: the command may read and change whatever you may.")
    start = Start(
        words=[*limiting(limits, processes_of_user()), *words],
        environment={**os.environ, "KGFS_MOUNT": str(place), "PWD": str(place)},
        directory=place,
    )
    return run(start, limits, new_group(limits.processes, limits.memory_bytes))


def _say(invocation: Invocation, ended: Ended, limits: Limits) -> None:
    """Why it was ended, where it did not end by itself."""
    reasons = {
        "time": f"after {limits.seconds:g} s; --timeout allows more",
        "output": f"since it printed more than {counted(limits.output_bytes, 'byte')}; --output allows more",
        "memory": "since it had too much memory; --memory allows more",
    }
    if ended.why in reasons:
        invocation.warn(f"kgfs: The command was ended {reasons[ended.why]}.")
