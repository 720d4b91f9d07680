"""The daemon that shows one store at one mountpoint: options, start, readiness, end.

Used by ``__main__``, on the main thread. Started by ``kgfs mount`` (or by hand with ``-f``) and never forked once the
store is open. What it has to say at the start goes to the readiness descriptor as one line of JSON: ``{"mountpoint": …,
"pid": …}`` when requests are answered, ``{"error": {"kind": …, "message": …}}`` when it cannot mount. Exit status: 0
after an unmount or a signal to end.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from kgfs import interpreter, logs, mounts, trust
from kgfs.config import ERRORS, LOG, find_store, require_store
from kgfs.errors import KgfsError
from kgfs.published.address import parse_address
from mountd import notifying
from mountd.watchdog import dump_stacks_on

if TYPE_CHECKING:
    from kgfs.filesystem import FileSystem
    from kgfs.service.service import Service
    from kgfs.store.catalog.database import Database
    from mountd.guard import ErrorLog

GC_THRESHOLD = 50_000
REST_SECONDS = 20.0
"""How often the engine lets go of what it keeps as a cache."""
SWITCH_SECONDS = 0.001
"""A thread that computes gives the interpreter back after this long, so that requests do not wait for it."""

log = logging.getLogger("mountd")


def parser() -> argparse.ArgumentParser:
    """The daemon's own options."""
    parser = argparse.ArgumentParser(prog="mountd", description="Shows a kgfs store as a file system (see kgfs mount).")
    parser.add_argument("mountpoint", type=Path, metavar="MOUNTPOINT", help="an empty directory; made if missing")
    parser.add_argument("--store", metavar="DIR", help="the store (default: $KGFS_STORE, the nearest .kgfs)")
    parser.add_argument("-f", "--foreground", action="store_true", help="stay in the foreground, log to the terminal")
    parser.add_argument("--read-only", action="store_true", help="mount read-only for the kernel too")
    parser.add_argument("--writable", metavar="DRIVE", action="append", default=[], help="let this drive be changed")
    parser.add_argument("--write-through", choices=["disk"], action="append", default=[], help="write its files too")
    parser.add_argument("--audit", choices=["reads"], action="append", default=[], help="record these too")
    parser.add_argument("--no-links", action="store_true", help="hide cross-references")
    parser.add_argument("--path-prefix", metavar="P", help="what paths in results begin with (default: the mountpoint)")
    parser.add_argument("--session", metavar="NAME", help="show this session as the mount itself")
    parser.add_argument("--published", metavar="URL", help="the store is a snapshot of this published graph: follow it")
    parser.add_argument("--poll", metavar="S", type=float, default=30.0, help="look for a newer one so often (30 s)")
    parser.add_argument("--allow-other", action="store_true", help="other users may look too")
    parser.add_argument("--no-warm", action="store_true", help="load the models with the first search, not before")
    parser.add_argument("--ready-fd", type=int, metavar="N", help="descriptor to write one line of JSON to when ready")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the daemon; returns the exit status."""
    arguments = parser().parse_args(argv)
    try:
        store = find_store(arguments.store)
    except KgfsError as error:
        print(f"mountd: {error.message}", file=sys.stderr)
        return error.exit_status
    if not arguments.foreground and arguments.ready_fd is None:
        return _detach(sys.argv[1:] if argv is None else list(argv), store)
    faulthandler.enable()
    dump_stacks_on(signal.SIGUSR1)
    logs.begin(store / LOG)
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(GC_THRESHOLD, 20, 50)  # before the first snapshot is loaded, which leaves no garbage
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    try:
        _serve(arguments, store)
    except KgfsError as error:
        _say(arguments.ready_fd, {"error": {"kind": error.kind, "message": error.message}})
        print(f"mountd: {error.message}", file=sys.stderr)
        return error.exit_status
    _end()


def _end() -> NoReturn:
    """End the process here and now: everything is closed, and a thread that hangs in the kernel needs our end."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _say(descriptor: int | None, word: dict[str, Any]) -> None:
    if descriptor is None:
        return
    try:
        os.write(descriptor, msgspec.json.encode(word) + b"\n")
        os.close(descriptor)
    except OSError as error:
        log.warning("the process that started this daemon is gone: %s", error)


def _serve(arguments: argparse.Namespace, store: Path) -> None:
    """Mount and answer until the end."""
    require_store(store)
    mounts.check_fuse(allow_other=arguments.allow_other)
    # Before the store is opened: a mount that is there says more than a lock does.
    mounts.check_mountpoint(arguments.mountpoint, store)

    from kgfs.service.health import state
    from kgfs.service.service import Service  # here: what is wrong with the mountpoint should be said at once

    prefix = arguments.path_prefix if arguments.path_prefix is not None else os.path.abspath(arguments.mountpoint)
    with Service.open(store, path_prefix=prefix, links=not arguments.no_links) as service:
        service.daemon = True
        service.writable |= set(arguments.writable)
        if arguments.published is not None:
            service.gate.shut = _shut_to_readers(arguments.published)
        elif arguments.read_only:
            service.gate.shut = _shut(arguments.mountpoint)
        if arguments.write_through:
            service.write_through()  # before a mountpoint is made: it may be refused
        if arguments.published is not None:
            service.follow(parse_address(arguments.published), arguments.poll)
        if arguments.session is not None:
            if arguments.published is not None and arguments.session not in service.components.sessions.names():
                service.components.sessions.new(arguments.session)
            service.components.sessions.info(arguments.session)  # it is there
        sources = [Path(path) for path in state.source_paths(service.database)]
        place = mounts.prepare_mountpoint(arguments.mountpoint, store, sources, allow_other=arguments.allow_other)
        _show(service, store, place, arguments)


def _shut(mountpoint: Path) -> str:
    place = os.path.abspath(mountpoint)
    return (
        f"The store is mounted read-only at {place}; to change it, run `kgfs umount {place}` and mount it without"
        " --read-only."
    )


def _shut_to_readers(url: str) -> str:
    return (
        f"This is a mount of what is published at {url}, which is only read here. Change the store, or send it a"
        " session: `kgfs session commit NAME --to STORE`."
    )


def _show(service: Service, store: Path, place: Path, arguments: argparse.Namespace) -> None:
    from kgfs.control import answers
    from kgfs.control.server import Server
    from kgfs.namespace.tree import SESSIONS
    from mountd.guard import ErrorLog
    from mountd.request_meter import REQUESTS
    from mountd.session import Options, Session

    errors = ErrorLog(store / ERRORS)
    service.metrics.add(REQUESTS)
    session = Session(
        service.namespace,
        store,
        place,
        errors,
        deadline=service.config.deadline_seconds,
        options=Options(
            allow_other=arguments.allow_other,
            read_only=arguments.read_only,
            audit_reads="reads" in arguments.audit,
            session=arguments.session,
        ),
        refuse=service.publication.refused,
        drives=service.drives,
        file_systems=_file_systems(service, errors, arguments.session),
        record=service.audit.record,
    )
    service.publication.on_publish = session.publish
    service.components.agent.on_changed = session.submounts_changed
    service.components.on_session = partial(session.name_changed, SESSIONS)
    server = Server(store, partial(answers.answer, service))
    ending = threading.Event()
    server.start()
    os.chdir("/")  # a daemon that stays in a directory keeps that busy
    try:
        session.open()
        try:
            session.run(partial(_ready, service, place, arguments, ending))
        finally:
            notifying.tell(notifying.STOPPING)
            ending.set()
            service.publication.on_publish = None
            service.components.agent.on_changed = lambda: None
            service.components.on_session = lambda name: None
            session.close()
    finally:
        server.close()
    log.info("unmounted %s", place)


def _file_systems(service: Service, errors: ErrorLog, session: str | None) -> dict[str, FileSystem]:
    """The workspace and its like; none where they cannot be opened: the graph is shown all the same. Of a session that
    is the mount itself ``KgfsError``."""
    if session is not None:
        return service.components.file_systems(session)
    try:
        return service.components.file_systems()
    except KgfsError as error:
        log.warning("there is no workspace: %s", error.message)
        errors.note("workspace", error)
        return {}


def _ready(service: Service, place: Path, arguments: argparse.Namespace, ending: threading.Event) -> None:
    # The present objects stay: the collector need not look through a snapshot's millions of objects again and again.
    gc.freeze()
    log.info("mounted %s at %s", service.store, place)
    _say(arguments.ready_fd, {"mountpoint": str(place), "pid": os.getpid()})
    notifying.tell(notifying.READY, f"{service.store} is mounted at {place}.")
    threading.Thread(target=_rest, args=(service.database, ending), name="rest", daemon=True).start()
    if not arguments.no_warm:
        threading.Thread(target=_warm, args=(service.warm, ending), name="warm", daemon=True).start()


def _rest(database: Database, ending: threading.Event) -> None:
    """Keep the engine's cache small."""
    while not ending.wait(REST_SECONDS):
        try:
            database.rest()
        except Exception as error:  # the engine is being opened again, or closed
            log.debug("the engine cannot rest now: %s", error)


def _warm(warm: Callable[[], None], ending: threading.Event) -> None:
    """Start the worker and what else the first search needs, so that it is quick."""
    try:
        warm()
    except Exception:
        if not ending.is_set():  # else the worker was ended under it
            log.exception("warming up failed; the first search will try again")


def _detach(argv: list[str], store: Path) -> int:
    """Start the same daemon detached from this terminal; returns when it has mounted."""
    try:
        require_store(store)
        trust.refuse_links(store)  # before a log is written there
    except KgfsError as error:
        print(f"mountd: {error.message}", file=sys.stderr)
        return error.exit_status
    reading, writing = os.pipe()
    with (store / LOG).open("ab") as output:
        subprocess.Popen(
            interpreter.program("mountd", "--ready-fd", str(writing), *argv),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=[writing],
            start_new_session=True,
        )
    os.close(writing)
    with open(reading, "rb") as pipe:
        line = pipe.readline()
    word: dict[str, Any] = (
        msgspec.json.decode(line) if line else {"error": {"message": f"It ended; see {store / LOG}."}}
    )
    if "error" in word:
        print(f"mountd: {word['error']['message']}", file=sys.stderr)
        return 1
    return 0
