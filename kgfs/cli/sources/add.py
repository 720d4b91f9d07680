"""``kgfs add``: documents and pages into the graph."""

from __future__ import annotations

import os
import re
import shlex
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from kgfs import mounts
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.outcome import PARTLY_DONE, note_failures, say_counts
from kgfs.cli.progress import following
from kgfs.cli.sources import options
from kgfs.cli.sources.reading import say_cluster, say_reading
from kgfs.cli.stores import chosen_store, going_on, short, warn_of_wishes
from kgfs.config import STORE_DIRECTORY, is_store, load_config
from kgfs.control.client import LocalSession, RemoteSession
from kgfs.errors import Cancelled, KgfsError, NotFoundError, UsageError

CHANGED = "known, changed since"
"""The pipeline's reason for a file that ``--on-conflict skip`` left as it was."""

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


@declare("add")
@click.argument("path", nargs=-1, required=True, metavar="PATH|URL...")
@click.option("--name", metavar="N", help="The name of the source under sources/ (one PATH or URL only).")
@click.option(
    "--extractor",
    type=click.Choice(["auto", "llm", "offline", "none"]),
    default=None,
    help="What extracts entities and facts. auto: a language model if there is a key, else patterns; llm: a language"
    " model; offline: patterns; none: nothing.",
)
@options.budget
@click.option(
    "--batch", is_flag=True, help="Send requests to the language model in batches: half the price, up to a day."
)
@click.option(
    "--on-conflict",
    type=click.Choice(["skip", "overwrite", "error"]),
    default="skip",
    show_default=True,
    help="What to do with a file that has changed since it was added, and with a page that was added before. skip:"
    " leave it; overwrite: read it again; error: fail if anything given is in the store already.",
)
@click.option(
    "--exclude",
    metavar="GLOB",
    multiple=True,
    help="Skip files that match this pattern, as in .gitignore (may be repeated).",
)
@click.option("--hidden", is_flag=True, help="Include files and folders whose names begin with a dot.")
@click.option("--cross-device", is_flag=True, help="Include other file systems mounted below PATH.")
@click.option("--prompt-addition", metavar="TEXT", help="Additional instructions for the agent that loads pages.")
@click.option("--allow-private", is_flag=True, help="Allow pages on this machine and its local network.")
@options.on
@click.option("--dry-run", is_flag=True, help="Only print what would be added.")
@click.option("--background", is_flag=True, help="Return at once; the daemon does the work (needs a mount).")
def command(
    invocation: Invocation,
    path: tuple[str, ...],
    name: str | None,
    extractor: str | None,
    on_conflict: str,
    exclude: tuple[str, ...],
    hidden: bool,
    cross_device: bool,
    prompt_addition: str | None,
    allow_private: bool,
    dry_run: bool,
    background: bool,
    budget: float | None,
    batch: bool,
    on: str | None,
) -> int:
    """Add files, folders and web pages: text first (keyword search works then), entities and facts next, vectors last.

    Files that .gitignore excludes, hidden files, temporary files of editors (notes.md~, *.swp, *.tmp, *.part), links
    that lead out of PATH, and other file systems are skipped and counted. So are files and pages that the store has
    already. Ctrl-C stops safely; run the same command again to continue. A URL is loaded by plain HTTP or, if a
    language model and MCP servers are configured, by an agent. The servers are listed in ~/.config/kgfs/mcp.json; the
    agent may call the tools that declare themselves read-only, and those that the file lists as readOnlyTools.
    """  # fmt: skip
    store = chosen_store(invocation)
    urls = [given for given in path if _URL.match(given)]
    paths = [addable(given, store) for given in path if not _URL.match(given)]
    if name is not None and len(path) > 1:
        raise UsageError("--name names one source; give one PATH with it.")
    if prompt_addition is not None and not urls:
        raise UsageError("--prompt-addition is for the agent that loads pages; give a URL with it.")
    if (budget is not None or batch) and extractor in ("offline", "none"):
        raise UsageError("--budget and --batch need a language model; leave them out, or leave out --extractor.")
    if extractor == "llm" and not dry_run and not is_store(store):
        _require_model(store)
    arguments: dict[str, Any] = {
        "paths": [os.fsencode(one) for one in paths], "name": name, "extractor": extractor,
        "on_conflict": on_conflict, "exclude": list(exclude), "hidden": hidden, "cross_device": cross_device,
        "dry_run": dry_run, "background": background, "urls": urls, "prompt_addition": prompt_addition,
        "allow_private": allow_private, "budget": budget, "batch": batch,
        "on": on,
    }  # fmt: skip
    given = ", ".join([*map(short, paths), *map(_shown, urls)])
    existed = is_store(store)
    told = False

    def ask(session: LocalSession | RemoteSession) -> dict[str, Any]:
        nonlocal told
        if background and not session.remote:
            raise UsageError("--background needs a daemon to do the work: `kgfs mount DIR` first, or leave it out.")
        if not dry_run and not told:
            new = not session.remote and not existed
            invocation.note(f"Store {short(store)}{' (new)' if new else ''}, source {given}")
            warn_of_wishes(invocation, store)
            told = True
        try:
            with following(invocation, "add") as receiver:
                return session.call("add", arguments, receiver)
        except (Cancelled, KeyboardInterrupt):
            again = shlex.join(["kgfs", *sys.argv[1:]])  # with the store and the options that were given
            raise Cancelled(f"Stopped; nothing is lost. `{again}` goes on.") from None

    with _used(store, dry_run) as used:
        result = going_on(invocation, used, ask, create=True)
    if "job" in result:
        return _started(invocation, result)
    return _summary(invocation, result, dry_run)


def addable(given: str, store: Path) -> Path:
    """An absolute path of a file or folder that may be added."""
    path = Path(os.path.abspath(os.path.expanduser(given)))
    mount = mounts.mount_of(path)
    if mount is not None:
        raise UsageError(f"{given} lies on the mount {short(mount.mountpoint)}; add the files that it was made from.")
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if os.path.islink(path):
            raise NotFoundError(f"{given} is a link that leads nowhere; add what it should lead to.") from error
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            raise NotFoundError(f"{given}: no such file or folder.") from error
        raise KgfsError(f"{given} cannot be looked at ({error.strerror}); add what you may read.") from error
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UsageError(f"{given} is a device, pipe or socket; add files and folders.")
    real = Path(os.path.realpath(path))
    for directory in (real, *real.parents):
        held = directory == store.resolve() or directory.name == STORE_DIRECTORY
        with suppress(OSError):  # a folder that may not be entered: looking through it says so
            held = held or is_store(directory)
        if held:
            raise UsageError(f"{given} lies inside the store {short(directory)}; add what lies outside it.")
    return path


def _shown(url: str) -> str:
    """A URL without what may be a password."""
    return re.sub(r"(?<=://)[^/?#]*@", "", url)


def _require_model(store: Path) -> None:
    """``UsageError`` where there is no key, before a store is made that nothing would be put into."""
    from kgfs.llm.choice import LLM, choose_reader

    choose_reader(LLM, load_config(store))


@contextmanager
def _used(store: Path, dry_run: bool) -> Iterator[Path]:
    """The store that is asked: a dry run leaves nothing behind, no store either."""
    if is_store(store) or not dry_run:
        yield store
        return
    with tempfile.TemporaryDirectory(prefix="kgfs-") as scratch:
        yield Path(scratch) / STORE_DIRECTORY


def _move(offer: dict[str, str]) -> str:
    return shlex.join(["kgfs", "source", "move", offer["name"], offer["to"]])


def _started(invocation: Invocation, result: dict[str, Any]) -> int:
    if invocation.json:
        invocation.emit(result)
    invocation.say(f"Started job {result['job']}; `kgfs status` shows it, `kgfs wait` waits for it.")
    return 0


def _summary(invocation: Invocation, result: dict[str, Any], dry_run: bool) -> int:
    failures = result["failed"]
    status = PARTLY_DONE if failures or result.get("warnings") else 0
    if invocation.json:
        invocation.emit(result)
        return status
    skipped = result["skipped"]
    parts = [f"{'Would add' if dry_run else 'Added'} {result['added']:,}"]
    parts += [f"updated {result['updated']:,}"] if result.get("updated") else []
    parts += [f"{result['textless']:,} of these without text"] if result.get("textless") else []
    again = "to be read again" if dry_run else "read again"
    parts += [f"{again} {result['again']:,}"] if result.get("again") else []
    parts += [f"failed {result['unread']:,}"] if result["unread"] else []
    incomplete = len(failures) - result["unread"]
    parts += [f"{incomplete:,} of these incomplete"] if incomplete > 0 else []
    if skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in skipped.items())
        parts.append(f"skipped {sum(skipped.values()):,} ({reasons})")
    invocation.say(" · ".join(parts))
    if CHANGED in skipped and not dry_run:
        invocation.note(
            f"  {skipped[CHANGED]:,} changed on disk and kept as they were: --on-conflict overwrite reads them"
        )
    for offer in result.get("offers", ()):
        old, new = short(offer["path"]), short(offer["to"])
        again = "" if dry_run else " and takes out this second copy"
        invocation.note(
            invocation.printable(
                f"  {offer['name']} is gone from {old}, and its files are in {new}: `{_move(offer)}` keeps what was"
                f" read from them{again}."
            )
        )
    if result.get("counts") and not dry_run:
        say_counts(invocation, result)
    say_reading(invocation, result, dry_run=dry_run)
    say_cluster(invocation, result)
    note_failures(invocation, failures)
    note_failures(invocation, result.get("notes", ()), failed=False)
    for warning in result.get("warnings", ()):
        invocation.warn(f"  {warning}")
    if not dry_run and not mounts.mounts_of(Path(result["store"])):
        invocation.say("Next: kgfs mount ~/kg")
    return status
