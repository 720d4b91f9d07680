"""``kgfs mount``: start the daemon that shows the store as a file system; returns when it is ready."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec

from kgfs import interpreter, mounts, trust
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.mounts import published_mount, service_units
from kgfs.cli.mounts.umount import holder, wait_for_the_end
from kgfs.cli.screen import pasted_host
from kgfs.cli.stores import chosen_store, short, warn_of_wishes
from kgfs.config import LOG, is_store
from kgfs.control.client import DaemonEnded, RemoteSession, open_session
from kgfs.control.sockets import connect
from kgfs.counting import counted
from kgfs.errors import KgfsError, StoreError, StoreLocked, UsageError, from_kind

START_SECONDS = 120.0
"""A store that was not closed cleanly is replayed first."""


@declare("mount")
@click.argument("places", metavar="[PUBLISHED] DIR", nargs=-1, required=True)
@click.option("-f", "--foreground", is_flag=True, help="Stay in the foreground and log to the terminal.")
@click.option("--read-only", is_flag=True, help="Allow no writes, not even to notes/.")
@click.option(
    "--writable", metavar="DRIVE", multiple=True, help="Allow writes to the files of this drive (may be repeated)."
)
@click.option(
    "--write-through",
    type=click.Choice(["disk"]),
    multiple=True,
    help="Allow writes to this drive, and write them to the original files too (needs `kgfs trust`).",
)
@click.option(
    "--audit", type=click.Choice(["reads"]), multiple=True,
    help="Record openings of files for reading, too (see kgfs audit).",
)  # fmt: skip
@click.option("--no-links", is_flag=True, help="Hide cross-references, for programs that follow links in cycles.")
@click.option("--path-prefix", metavar="P", help="Prefix of absolute paths in results (default: the mountpoint).")
@click.option(
    "--poll",
    type=click.FloatRange(min=0.1),
    default=30.0,
    metavar="S",
    show_default=True,
    help="Of a published graph: look for a newer snapshot every S seconds.",
)
@click.option("--session", metavar="NAME", help="Show this session as the mount itself, all of it writable.")
@click.option(
    "--allow-other", is_flag=True, help="Allow access by other users (needs user_allow_other in /etc/fuse.conf)."
)
@click.option(
    "--on-login",
    is_flag=True,
    help="Mount now and at each login, and again when it dies (a systemd unit); undo: `kgfs umount --forget`.",
)
@service_units.system
def command(
    invocation: Invocation,
    places: tuple[str, ...],
    foreground: bool,
    read_only: bool,
    writable: tuple[str, ...],
    write_through: tuple[str, ...],
    audit: tuple[str, ...],
    no_links: bool,
    path_prefix: str | None,
    poll: float,
    session: str | None,
    allow_other: bool,
    on_login: bool,
    system: bool,
) -> int:
    """Mount the store at DIR, which is created if it is missing. A store can have one mount.

    PUBLISHED is what `kgfs publish` wrote: a directory, s3://BUCKET/NAME, gs://… or az://…. It is shown read-only,
    from a copy on this machine, and newer snapshots show up by themselves.
    """
    published, directory = published_mount.split(places)
    if published is not None and (writable or write_through or audit):
        raise UsageError("A published graph is only read; leave out --writable, --write-through and --audit.")
    if published is not None and invocation.store is not None:
        raise UsageError("A published graph has its store by itself; leave out --store.")
    read_only = read_only or (published is not None and session is None)
    if (writable or write_through) and read_only:
        raise UsageError("--read-only and --writable or --write-through exclude each other; leave one out.")
    if session is not None and (read_only or writable or write_through):
        raise UsageError("In a session everything is writable; leave --read-only, --writable and --write-through out.")
    if audit and read_only:
        raise UsageError("A store that is mounted with --read-only records nothing; leave out --audit or --read-only.")
    if foreground and on_login:
        raise UsageError("A unit of systemd is never in the foreground of a terminal; leave out -f or --on-login.")
    service_units.require_on_login(system, on_login)
    place = Path(directory).expanduser()
    store = chosen_store(invocation) if published is None else published_mount.store_of(published)
    manager = service_units.Manager(system) if on_login else None
    if manager is not None:
        manager.require()
        manager.stop(service_units.unit_name("mount", place))  # it may have other options now
    new = mounts.mount_at(Path(os.path.abspath(place))) is None and not place.exists()  # a dead mount is not asked
    # What is wrong is said before anything is made; the daemon checks again, with the sources it then knows.
    mounts.check_fuse(allow_other=allow_other)
    mounts.check_mountpoint(place, store)
    if published is not None:
        published_mount.fetch_newest(invocation, published)
    if not is_store(store):
        with open_session(store, create=True, waiting=invocation.note):
            invocation.note(f"Store {short(store)} (new and empty): kgfs add PATH")
    trust.refuse_links(store)  # before a log is written there
    refuse_while_added(store)
    warn_of_wishes(invocation, store)
    arguments = [os.path.abspath(place), "--store", str(store)]
    arguments += ["--path-prefix", path_prefix] if path_prefix is not None else []
    arguments += [f"--session={session}"] if session is not None else []
    if published is not None:
        arguments += ["--published", published.url, "--poll", str(poll)]
    switches = {"--read-only": read_only, "--no-links": no_links, "--allow-other": allow_other}
    arguments += [switch for switch, on in switches.items() if on]
    arguments += [f"--audit={what}" for what in dict.fromkeys(audit)]
    arguments += [f"--writable={drive}" for drive in writable]
    arguments += [f"--write-through={drive}" for drive in dict.fromkeys(write_through)]
    if "disk" in writable and not write_through:
        invocation.note("Edits to context/disk stay in the store; --write-through disk writes them to the files.")
    if foreground:
        with _signals_kept():
            command = interpreter.program("mountd", "-f", *arguments)
            os.execv(command[0], command)
    if manager is None:
        start_daemon(arguments, store)
    else:
        manager.start(service_units.mount_unit(store, place, arguments, system=system))
    _tell(invocation, store, place, new, read_only, session)
    if manager is not None:
        invocation.say(
            f"It is mounted at each {'boot' if system else 'login'}. Undo: kgfs umount --forget {short(place)}"
        )
    return 0


def refuse_while_added(store: Path) -> None:
    """``StoreLocked`` when a long command has the store open: the daemon could not name it.

    Waits for a daemon that was just unmounted (by ``umount``, which does not wait) and closes the store.
    """
    process: dict[str, Any] | None = None
    if (connection := connect(store)) is not None:
        with suppress(DaemonEnded):  # it was just being killed
            process = RemoteSession(store, connection).call("status", {"brief": True})["process"]
    if process is None or process["daemon"]:
        ending = None if mounts.mounts_of(store) else holder(store)
        if ending is not None:
            wait_for_the_end(store, ending)
        return
    raise StoreLocked(
        f"A kgfs command (process {process['pid']}) is at work on this store; wait until it has ended, or stop"
        " it with Ctrl-C and mount: the mount goes on with its work."
    )


def start_daemon(arguments: list[str], store: Path) -> None:
    """Start ``mountd`` apart from this terminal and wait for its word on the readiness pipe."""
    reading, writing = os.pipe()
    try:
        with _log(store) as log, _signals_kept():
            daemon = subprocess.Popen(
                interpreter.program("mountd", "--ready-fd", str(writing), *arguments),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[writing], start_new_session=True, cwd="/",
            )  # fmt: skip
        os.close(writing)
        writing = -1
        said = _word(reading, daemon)
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    if said.get("error"):
        raise from_kind(str(said["error"].get("kind")), str(said["error"].get("message")))


def _log(store: Path) -> BinaryIO:
    try:
        return (store / LOG).open("ab")
    except OSError as error:
        raise StoreError(
            f"The store {short(store)} cannot be written ({error.strerror}), which a mount needs; change that, or copy"
            " the store and mount the copy."
        ) from error


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Block the signals that end a program while it starts: a starting interpreter might lose them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _word(reading: int, daemon: subprocess.Popen[bytes]) -> dict[str, Any]:
    deadline = time.monotonic() + START_SECONDS
    line = b""
    while not line.endswith(b"\n"):
        if not select.select([reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
            daemon.terminate()
            raise KgfsError(f"The daemon did not mount within {START_SECONDS:.0f} s; its log in the store says why.")
        part = os.read(reading, 4096)
        if not part:
            status = daemon.wait()
            raise KgfsError(f"The daemon ended (exit status {status}) before it had mounted; see {LOG} in the store.")
        line += part
    said: dict[str, Any] = msgspec.json.decode(line)
    return said


def _tell(
    invocation: Invocation, store: Path, place: Path, new: bool, read_only: bool, session_name: str | None
) -> None:
    connection = connect(store)
    if connection is None:
        raise KgfsError(f"The daemon ended after it had mounted; see {LOG} in the store {short(store)}.")
    state = RemoteSession(store, connection).call("status", {"brief": True})
    counts = state["counts"]
    if invocation.json:
        invocation.emit({"mountpoint": str(place.absolute()), "store": str(store), "counts": counts})
        return
    shown = short(place)
    made = f"Created {shown}; mounted" if new else "Mounted"
    where = "Read-only." if read_only else f"Write under {shown}/notes."
    if session_name is not None:
        where = f"What you change stays in the session {session_name}."
    held = f"{counted(counts['documents'], 'document')}, {counted(counts['entities'], 'entity', 'entities')}"
    invocation.say(f"{made} {held}. {where}")
    invocation.say(f"Start: cat {pasted_host(place / 'AGENTS.md')}    Stop: kgfs umount {pasted_host(place)}")
