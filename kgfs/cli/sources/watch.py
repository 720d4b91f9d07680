"""``kgfs watch``: follow a folder, so that the graph is what the folder is.

Runs on the main thread until Ctrl-C. Each burst of changes becomes one refresh: through the daemon's socket when there
is one at that moment, else in this process, which holds the store only so long.
"""

from __future__ import annotations

import os
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgfs import mounts
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.mounts import service_units
from kgfs.cli.outcome import note_failures
from kgfs.cli.progress import following
from kgfs.cli.sources.add import addable
from kgfs.cli.sources.refresh import parts
from kgfs.cli.stores import chosen_store, short
from kgfs.config import STORE_DIRECTORY, is_store
from kgfs.control.client import open_session
from kgfs.errors import Cancelled, KgfsError, NotFoundError, UsageError

if TYPE_CHECKING:
    from kgfs.sources.watching import EventBurst

RETRY_SECONDS = 5.0
ROOT_SECONDS = 1.0
GOING_SECONDS = 4.0
HELD_SECONDS = 60.0
"""A burst that is longer than ``GOING_SECONDS`` and takes files away is held back for so long at most."""


@declare("watch")
@click.argument("directory", metavar="DIR")
@click.option(
    "--budget", metavar="USD", type=float, help="Stop before the language model costs more than this in total."
)
@click.option(
    "--on-login",
    is_flag=True,
    help="Follow it from each login on, in the background (a systemd unit); undo: `kgfs watch --forget DIR`.",
)
@service_units.system
@click.option("--forget", is_flag=True, help="End what --on-login began, and follow DIR at no login any more.")
def command(
    invocation: Invocation, directory: str, budget: float | None, on_login: bool, system: bool, forget: bool
) -> int:
    """Follow DIR until Ctrl-C: each change of a file changes the graph too.

    DIR is added if neither it nor a folder above it is a source. A burst of changes is handled together. A renamed file
    keeps its document; a file that is deleted during the watch is removed from the graph. Files that vanished earlier
    stay. If DIR itself disappears (its disk was unmounted), nothing is removed, and the watch goes on when DIR is back.
    """
    if budget is not None and on_login:
        raise UsageError("--budget does not work with --on-login; use `kgfs config llm_budget_per_day USD`.")
    service_units.require_on_login(system, on_login)
    if forget:
        service_units.forget("watch", Path(directory).expanduser())
        invocation.say(f"{short(Path(directory).expanduser())} is not followed any more.")
        return 0
    store = chosen_store(invocation)
    root = addable(directory, store)
    if not root.is_dir():
        raise UsageError(f"{directory} is a file; watch the folder that it lies in.")
    for mount in mounts.our_mounts():
        if mount.mountpoint.is_relative_to(os.path.realpath(root)):
            raise UsageError(f"The mount {short(mount.mountpoint)} lies in {directory}; watch a folder beside it.")
    if on_login:
        _keep(invocation, store, root, system)
        return 0
    try:
        _Follower(invocation, store, root, budget).run()
    except (Cancelled, KeyboardInterrupt):
        raise Cancelled(
            "Stopped watching; nothing is lost, and the same command goes on with what changed by then."
        ) from None
    return 0


def _keep(invocation: Invocation, store: Path, root: Path, system: bool) -> None:
    """Have systemd follow a folder, from now on and after each login or boot."""
    manager = service_units.Manager(system)
    manager.require()
    unit = service_units.watch_unit(store, root, system=system)
    manager.start(unit)
    invocation.say(f"Watching {short(root)}, from now on at each {'boot' if system else 'login'}.")
    invocation.say(f"What it does: {manager.journal} {unit.name}    Undo: kgfs watch --forget {short(root)}")


class _Follower:
    """One folder that is followed."""

    def __init__(self, invocation: Invocation, store: Path, root: Path, budget: float | None) -> None:
        self._invocation = invocation
        self._store = store
        self._root = root
        self._source: dict[str, Any] = {}
        self._vanished = 0
        self._whole_budget = self._budget = budget
        """What the language model may cost in all; what it may still cost."""

    def run(self) -> None:
        """Until it is interrupted; ``NotFoundError`` when the source is taken out of the store."""
        from kgfs.sources.source_roots import read_root
        from kgfs.sources.watching import EventBurst, event_bursts

        self._be_a_source()
        self._invocation.say(f"Watching {short(self._root)}; Ctrl-C ends it.")
        while True:
            here = read_root(self._root)
            pending, waiting_since, not_before = EventBurst(), 0.0, 0.0
            try:
                with closing(event_bursts(self._folders, self._concerns, self._invocation.note)) as seen_here:
                    last = time.monotonic()
                    for seen in seen_here:
                        began, last = last, time.monotonic()
                        waiting_since = waiting_since if pending else began
                        pending.add(seen)
                        now = read_root(self._root)
                        if now is None or here is None or not here.same(now):
                            break
                        # So many files vanish at once: perhaps the folder itself is on its way out.
                        going = seen.gone and last - began > GOING_SECONDS and last - waiting_since < HELD_SECONDS
                        if pending and not going and last >= not_before:
                            if self._refresh(pending):
                                pending = EventBurst()
                            else:
                                not_before = time.monotonic() + RETRY_SECONDS
                            last = time.monotonic()
            except NotFoundError:
                if self._root.is_dir():
                    raise
            self._await_root()

    def _be_a_source(self) -> None:
        """Add the folder where it is no source and lies in none."""
        asked = {"path": os.fsencode(self._root)}
        with open_session(self._store, create=True, waiting=self._invocation.note) as session:
            found = session.call("source", asked)
            if not found["name"]:
                self._invocation.note(f"Adding {short(self._root)} first.")
                with following(self._invocation, "add") as receiver:
                    arguments = {"paths": [asked["path"]], "on_conflict": "skip", "budget": self._budget}
                    result = session.call("add", arguments, receiver)
                    self._pay(result)
                    self._say_failures(result)
                if session.interrupted:
                    raise KeyboardInterrupt
                found = session.call("source", asked)
            self._source = found

    def _folders(self) -> list[Path]:
        """The folder and those beneath, as far as the source takes what lies in them."""
        from kgfs.sources.walking import walk_files

        found: list[Path] = []
        options = self._source["options"]
        with suppress(NotFoundError):
            for _ in walk_files(
                Path(os.fsdecode(self._source["path"])),
                exclude=options.get("exclude", ()),
                hidden=bool(options.get("hidden")),
                cross_device=bool(options.get("cross_device")),
                is_ours=is_store,
                only=[self._root],
                entered=found.append,
            ):
                pass
        return [path for path in found if path.is_relative_to(self._root)]

    def _concerns(self, path: Path) -> bool:
        """Whether a path may be of the source: not hidden (unless those are taken), of no store."""
        if path.is_relative_to(self._store) or path.name in (".git", STORE_DIRECTORY):
            return False
        hidden = path.name.startswith(".") and path != self._root and path.name != ".gitignore"
        return not hidden or bool(self._source["options"].get("hidden"))

    def _refresh(self, seen: EventBurst) -> bool:
        """Take in what was seen; false where that is to be tried again."""
        from kgfs.sources.watching import topmost_gone

        gone = topmost_gone(seen.gone - {self._root}, self._root)
        paths = [self._root] if seen.everything else sorted(seen.paths)
        arguments = {
            "paths": [os.fsencode(path) for path in paths],
            "gone": [os.fsencode(path) for path in gone],
            "prune": bool(gone),
            "budget": self._budget,
        }
        if not is_store(self._store):
            raise NotFoundError(f"The store {short(self._store)} is gone; restore it, then start the watch again.")
        try:
            with open_session(self._store) as session:
                result = session.call("refresh", arguments)
        except (Cancelled, NotFoundError, UsageError):  # of these none goes better the next time
            raise
        except KgfsError as error:
            self._invocation.note(f"  {error.message} Trying again.")
            return False
        if not result["sources"]:
            raise NotFoundError(f"{short(self._root)} was taken out of the store; `kgfs watch` adds it again.")
        self._pay(result)
        self._say(result, seen.everything)
        if session.interrupted:
            raise KeyboardInterrupt
        return True

    def _pay(self, result: dict[str, Any]) -> None:
        """Take what a run cost from the budget; something so small that nothing can be had for it stays."""
        if self._budget is not None:
            cost = result.get("cost") or {}
            paid = (cost.get("usd") or 0.0) + cost.get("unanswered_usd", 0.0)
            self._budget = max(1e-9, self._budget - paid)

    def _say(self, result: dict[str, Any], everything: bool) -> None:
        if self._invocation.json:
            self._invocation.emit(result)
            return
        clock = time.strftime("%H:%M:%S")
        for source in result["sources"]:
            did = {**source, "unchanged": 0, "skipped": {}, "vanished": 0}
            line = " · ".join(parts(did))
            name = f"{source['name']}  " if len(result["sources"]) > 1 else ""
            if line:
                self._invocation.say(f"{clock}  {name}{line}")
            if source["problem"]:
                self._invocation.note(f"{clock}  {source['name']}: {source['problem']}")
        vanished = sum(source["vanished"] for source in result["sources"])
        if everything and vanished != self._vanished:
            self._vanished = vanished
            names = " ".join(source["name"] for source in result["sources"] if source["vanished"])
            if vanished:
                self._invocation.note(
                    f"{clock}  {vanished:,} vanished unseen and stay: `kgfs refresh {names} --prune` removes them"
                )
        self._say_failures(result)

    def _say_failures(self, result: dict[str, Any]) -> None:
        note_failures(self._invocation, result["failed"], short)
        note_failures(self._invocation, result["notes"], short, failed=False)
        for warning in result["warnings"]:
            self._invocation.warn(f"  {warning}")
        if result["warnings"] and self._whole_budget is not None and self._budget is not None:
            # Each burst is a run of its own, which knows only what was left for it.
            paid = self._whole_budget - self._budget
            self._invocation.warn(f"  {paid:.4f} of {self._whole_budget:g} USD are spent since watching began")

    def _await_root(self) -> None:
        """Until there is a folder with something in it: an empty one may be where its disk is mounted."""
        told = False
        while not _has_entries(self._root):
            if not told:
                told = True
                self._invocation.note(
                    f"{short(self._root)} is gone (deleted, moved or unmounted); nothing is removed, waiting for it."
                )
            time.sleep(ROOT_SECONDS)
        self._invocation.note(
            f"{short(self._root)} is {'back' if told else 'another folder now'}; looking at all of it."
        )


def _has_entries(path: Path) -> bool:
    try:
        with os.scandir(path) as entries:
            return next(entries, None) is not None
    except OSError:
        return False
