"""``kgfs session``: work on a copy of the whole tree, see what was changed, commit it or throw it away."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from kgfs.agentfs.audit.call_lines import timestamp
from kgfs.cli.declaration import Invocation, SharedOptions, declare, shared_options
from kgfs.cli.exchange.export import Relay, megabytes, receive, writable
from kgfs.cli.indexing import index, no_index
from kgfs.cli.outcome import PARTLY_DONE
from kgfs.cli.progress import following
from kgfs.cli.stores import sendable, session, short
from kgfs.config import require_store
from kgfs.control.client import Discard, LocalSession, RemoteSession, open_session
from kgfs.counting import counted
from kgfs.errors import ConflictError, UsageError

Store = RemoteSession | LocalSession


class _Sessions(SharedOptions, click.Group):
    """The group of the subcommands, in the order in which they were declared."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


command = _Sessions(
    name="session",
    help="""Work on a copy of the whole tree, see what was changed, commit it or throw it away.

    A session is at @session/NAME on a mount. Everything in it can be written, and nothing of that is seen outside until
    it is committed. It is kept in a file of its own in the store.
    """,
    short_help="Change a copy of the tree; commit or discard it.",
    params=shared_options(),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@declare("new")
@click.argument("name")
def _new(invocation: Invocation, name: str) -> None:
    """Make the session NAME, in which nothing is changed yet."""
    with session(invocation) as store:
        result = store.call("session-new", {"name": sendable(name)})
    _tell_made(invocation, result)


def _tell_made(invocation: Invocation, result: dict[str, Any]) -> None:
    if invocation.json:
        invocation.emit(result)
        return
    where = result["path"] if result["mounted"] else f"@session/{result['name']} of a mount"
    invocation.say(f"Session {result['name']}: work in {short(where)}, then `kgfs session commit {result['name']}`.")


@declare("list")
def _list(invocation: Invocation) -> None:
    """List the sessions with what was added (A), modified (M) and deleted (D) in each."""
    lines = _Lines()
    with session(invocation) as store:
        store.call("session-list", {}, lines)
    for one in lines.lines:
        if "error" in one:
            invocation.emit(one) if invocation.json else invocation.warn(f"{one['name']}: {one['error']}")
            continue
        if invocation.json:
            invocation.emit(one | {"created_at": timestamp(one["created_at"])})
            continue
        counts = " ".join(f"{kind} {one['changes'].get(kind, 0):<5,}" for kind in "AMD")
        print(f"{timestamp(one['created_at'])}  {counts} {megabytes(one['bytes']):>9}  {one['name']}")
    if not lines.lines:
        invocation.say("There are no sessions; `kgfs session new NAME` makes one.")


@declare("diff")
@click.argument("name")
@click.option("--patch", is_flag=True, help="Show the changes of texts, as `diff -u` does.")
@click.option("--conflicts", is_flag=True, help="Write out what was changed outside too, in three versions each.")
def _diff(invocation: Invocation, name: str, patch: bool, conflicts: bool) -> None:
    """Show what was added (A), modified (M) and deleted (D) in the session NAME, and what kind of thing each is.

    With --conflicts print a folder that has three files for each path that was changed both in the session and
    outside it: .base is the original, .theirs is the version outside, .ours is the version in the session.
    """
    with session(invocation) as store:
        if conflicts:
            found = write_conflicts(store, sendable(name))
            _tell_conflicts(invocation, *found)
            return
        lines = _Lines()
        request = {"name": sendable(name), "patch": patch}
        if patch and not invocation.json:
            store.call("session-diff", request, Relay(Discard(), lines.item, sys.stdout.buffer.write))
            sys.stdout.flush()
            return
        store.call("session-diff", request, lines)
    for one in lines.lines:
        if invocation.json:
            invocation.emit(one)
        else:
            print(invocation.printable(f"{one['kind']}  {one['what']:<10} {one['path']}"))
    if not lines.lines:
        invocation.say("Nothing was changed.")


@declare("import")
@click.argument("file")
@click.argument("name")
def _import(invocation: Invocation, file: str, name: str) -> None:
    """Make the session NAME of FILE, which `kgfs session snapshot` wrote, here or where this graph is read."""
    with session(invocation) as store:
        _take(invocation, store, Path(os.path.abspath(os.path.expanduser(file))), name)


def _take(invocation: Invocation, store: Store, file: Path, name: str) -> None:
    result = store.call("session-take", {"name": sendable(name), "file": os.fspath(file)})
    for told in result["mended"]:
        invocation.warn(f"  {told}")
    _tell_made(invocation, result)


@declare("commit")
@click.argument("name")
@click.option("--to", metavar="STORE", help="Commit it in another store: that of a graph that is only read here.")
@click.option("--force", is_flag=True, help="Take the session's version of what was changed outside too.")
@no_index
def _commit(invocation: Invocation, name: str, to: str | None, force: bool, no_index: bool) -> int:
    """Apply the changes of the session NAME to the store.

    Files of context/ (and notes/) are written, moved and removed as on a mount, with their history; workspace/ is
    merged; another description in an entity's summary.txt describes the entity, and a fact whose file was removed is
    retracted. All of that leaves the session. Changes that cannot be applied stay in it and are listed.

    What was changed outside meanwhile is a conflict: it is left as it is, and its three versions are written to a
    folder. The exit status is 4 with conflicts, 5 if something else could not be committed.

    With --to the session is copied to STORE under its name and committed there. Use it to bring notes that you made on
    a mount of a published graph into the store that publishes it. The copy here stays until you discard it.
    """
    if to is not None:
        target = Path(os.path.abspath(os.path.expanduser(to)))
        _send(invocation, name, target)
        invocation = replace(invocation, store=os.fspath(target))
    with session(invocation) as store:
        with following(invocation, "commit") as receiver:
            result = store.call("session-commit", {"name": sendable(name), "force": force}, receiver)
        folder = write_conflicts(store, sendable(name))[0] if result["conflicts"] else None
        soon = index(invocation, store, leave=no_index) if result["committed"] else ""
    if invocation.json:
        invocation.emit({**result, "folder": None if folder is None else str(folder)})
    else:
        _tell_commit(invocation, name, result, folder, soon)
    if result["conflicts"]:
        return ConflictError.exit_status
    return PARTLY_DONE if result["failed"] else 0


def _send(invocation: Invocation, name: str, target: Path) -> None:
    """Make a session of another store what it is here."""
    with tempfile.TemporaryDirectory(prefix="kgfs-session-") as place:
        file = Path(place) / "session.db"
        with session(invocation) as store, file.open("wb") as out:
            if store.store.resolve() == target.resolve():
                raise UsageError(f"{short(target)} is the store of the session; leave out --to.")
            receive(invocation, store, "session-copy", {"name": sendable(name), "form": "snapshot"}, out)
        with open_session(require_store(target), waiting=invocation.note) as other:
            _take(invocation, other, file, name)


def _tell_commit(invocation: Invocation, name: str, result: dict[str, Any], folder: Path | None, soon: str) -> None:
    for one in result["committed"]:
        done = f"  ({one['became']})" if one["became"] else ""
        invocation.say(invocation.printable(f"{one['kind']}  {one['path']}{done}"))
    for key in ("kept", "failed"):
        for one in result[key]:
            invocation.warn(f"  kept {one['kind']}  {one['path']}: {one['why']}")
    for one in result["conflicts"]:
        invocation.warn(f"  conflict {one['kind']}  {one['path']}: {one['why']}")
    if folder is not None:
        invocation.warn(
            f"  {short(folder)} has each in three versions; change the session's and commit again, or use --force."
        )
    also = f"; {soon}" if soon else ""
    invocation.say(f"{counted(len(result['committed']), 'change')} committed{also}.")
    left = len(result["kept"]) + len(result["failed"]) + len(result["conflicts"])
    if left:
        invocation.say(f"{counted(left, 'change')} left in the session.")
    else:
        invocation.say(f"Nothing is left in the session; `kgfs session discard {name}` removes it.")


def _tell_conflicts(invocation: Invocation, folder: Path | None, conflicts: Sequence[dict[str, Any]]) -> None:
    for one in conflicts:
        if invocation.json:
            invocation.emit({**one, "folder": str(folder)})
        else:
            print(invocation.printable(f"{one['kind']}  {one['path']}"))
    if folder is None:
        invocation.say("There are no conflicts.")
    else:
        invocation.say(f"{short(folder)} has each as .base, .theirs and .ours.")


def write_conflicts(store: Store, name: str) -> tuple[Path | None, list[dict[str, Any]]]:
    """Write the versions of all conflicting paths into a new folder; returns it, and the conflicts."""
    writer = _Versions(name)
    try:
        store.call("session-conflicts", {"name": name}, Relay(Discard(), writer.item, writer.data))
    finally:
        writer.close()
    return writer.folder, writer.conflicts


class _Versions:
    """A receiver of conflicts: an item a conflict, one a version, its bytes behind it."""

    def __init__(self, name: str) -> None:
        self.conflicts: list[dict[str, Any]] = []
        self.folder: Path | None = None
        self._name = name
        self._file: int | None = None

    def item(self, item: Any) -> None:
        self.close()
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix=f"kgfs-{self._name}-conflicts-"))
        if "version" not in item:
            self.conflicts.append(item)
            return
        place = self.folder / f"{item['path'].strip('/')}.{item['version']}"
        place.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)

    def data(self, data: bytes) -> None:
        assert self._file is not None
        while data:
            data = data[os.write(self._file, data) :]

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


@declare("discard")
@click.argument("name")
def _discard(invocation: Invocation, name: str) -> None:
    """Remove the session NAME with all that was changed in it and not committed."""
    with session(invocation) as store:
        result = store.call("session-discard", {"name": sendable(name)})
    if invocation.json:
        invocation.emit(result)
    else:
        invocation.say(f"Session {name} and {counted(result['changes'], 'change')} in it are gone.")


@declare("fork")
@click.argument("name")
@click.argument("new")
def _fork(invocation: Invocation, name: str, new: str) -> None:
    """Make the session NEW with everything that was changed in NAME; from then on they are independent."""
    with session(invocation) as store:
        result = store.call("session-fork", {"name": sendable(name), "new": sendable(new)})
    _tell_made(invocation, result)


@declare("snapshot")
@click.argument("name")
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace FILE.")
def _snapshot(invocation: Invocation, name: str, file: str, force: bool) -> None:
    """Write the session NAME as it is now to FILE: what was changed, and what was removed.

    FILE is a file of the Agent Filesystem with the tables of an overlay; its base is the tree, which is not in it.
    """
    _write_out(invocation, name, file, force, "snapshot")


@declare("export")
@click.argument("name")
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace FILE.")
def _export(invocation: Invocation, name: str, file: str, force: bool) -> None:
    """Write what was added and modified in the session NAME to FILE, which other clients of the Agent Filesystem open.

    What was removed is not in it; `kgfs workspace import FILE` reads it too.
    """
    _write_out(invocation, name, file, force, "export")


def _write_out(invocation: Invocation, name: str, file: str, force: bool, form: str) -> None:
    from kgfs.exchange.files import whole_file

    path = writable(file)
    with session(invocation) as store, whole_file(path, force=force) as out:
        receive(invocation, store, "session-copy", {"name": sendable(name), "form": form}, out)
    size = path.stat().st_size
    if invocation.json:
        invocation.emit({"name": name, "file": str(path), "bytes": size})
    else:
        invocation.say(f"Session {name} written to {short(path)}, {megabytes(size)}.")


class _Lines(Discard):
    """Gathers items."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def item(self, item: Any) -> None:
        self.lines.append(item)


for _subcommand in (_new, _list, _diff, _commit, _import, _discard, _fork, _snapshot, _export):
    command.add_command(_subcommand)
