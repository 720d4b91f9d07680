"""Which store a command means and what its PATH arguments name, as far as the client can tell.

Used by every command that opens a store. Asks the kernel's list of mounts; never touches a path on a mount of ours
beyond its directory part, so that a daemon that hangs cannot hang the question.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from kgfs import mounts
from kgfs.cli.declaration import Invocation
from kgfs.config import find_store, load_settings, require_own
from kgfs.control.client import PATIENCE_SECONDS, DaemonEnded, LocalSession, RemoteSession, open_session
from kgfs.control.path_arguments import PathArgument

T = TypeVar("T")

ENDING_SECONDS = 120.0
"""What a daemon does comes to a safe point in some seconds, on a busy machine in more; then it closes the store."""


def working_directory() -> Path | None:
    """Where the user is; ``None`` in a directory that is gone or on a mount that died."""
    try:
        return Path.cwd()
    except OSError:
        return None


def chosen_store(invocation: Invocation, paths: Sequence[str] = ()) -> Path:
    """The store that a command means (design, section 3); it need not exist."""
    if not invocation.store and not os.environ.get("KGFS_STORE"):
        here = working_directory()
        for path in [*paths, *([str(here)] if here else [])]:
            if path.startswith("/") or here is not None:
                store = mounts.store_of(Path(path))
                if store is not None:
                    require_own(store)  # a mount says of itself whose store it shows
                    return store
    return find_store(invocation.store, working_directory() or Path("/"))


def places(store: Path, paths: Sequence[str]) -> list[PathArgument]:
    """The PATH arguments for the side that has the store open."""
    here = working_directory()
    on_mount = [mount.mountpoint for mount in mounts.mounts_of(store)]
    at = _beneath(here, on_mount) if here else None
    found = []
    for text in paths:
        clean, inside = text, at
        if not text.startswith("/") and here is None:
            found.append(PathArgument(text=clean))
            continue
        whole = _upward(here, text) if here else Path(text)
        if inside is not None and _beneath(whole, on_mount) is None and text.startswith(".."):
            clean, inside = str(whole), None  # it leads out of the mount
        exact = _beneath(whole, on_mount) if text.startswith(("/", "..", "~")) or inside is None else None
        host = None if exact is not None or inside is not None else os.fsencode(os.path.abspath(whole))
        found.append(PathArgument(text=clean, exact=exact, inside=inside, host=host))
    return found


def _upward(here: Path, text: str) -> Path:
    """``text`` from ``here``, where no link is on the way: what it begins with, ``..``, leads where it seems to."""
    parts = text.split("/") if not text.startswith("/") else []
    while parts and parts[0] in ("..", ".", ""):
        here = here.parent if parts.pop(0) == ".." else here
    return Path(here, *parts) if parts or not text.startswith("/") else Path(text)


def _beneath(path: Path, mountpoints: list[Path]) -> str | None:
    """``path`` from the root of the mount that it lies on, as written (``..`` stays: links decide where it leads)."""
    if not mountpoints:
        return None
    for mountpoint in mountpoints:
        if path.is_relative_to(mountpoint):
            return str(path.relative_to(mountpoint))
    plain = Path(os.path.realpath(path.parent)) / path.name
    for mountpoint in mountpoints:
        if plain.is_relative_to(mountpoint):
            return str(plain.relative_to(mountpoint))
    return None


def sendable(text: str) -> str:
    """A text that is to be stored: bytes that are no UTF-8 become question marks. Paths go as they are."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@contextmanager
def session(
    invocation: Invocation, paths: Sequence[str] = (), *, create: bool = False
) -> Iterator[RemoteSession | LocalSession]:
    """The store that a command means, open to be asked."""
    store = chosen_store(invocation, paths)
    with open_session(store, create=create, waiting=invocation.note) as opened:
        yield opened


def warn_of_wishes(invocation: Invocation, store: Path) -> None:
    """Say which settings the store wishes that are not followed."""
    if refused := sorted(load_settings(store).refused):
        it = "a protected setting, which is" if len(refused) == 1 else "protected settings, which are"
        wishes = " and ".join(filter(None, (", ".join(refused[:-1]), refused[-1])))
        invocation.warn(f"This store asks for {wishes}, {it} ignored; `kgfs trust` shows the values.")


def going_on(
    invocation: Invocation,
    store: Path,
    ask: Callable[[LocalSession | RemoteSession], T],
    *,
    create: bool = False,
) -> T:
    """Have ``ask`` ask an open store, and ask again where the daemon ends over it: for what goes on where it was when
    it is asked once more. Somebody unmounted; then this process does the rest itself."""
    patience = PATIENCE_SECONDS
    while True:
        with open_session(store, create=create, waiting=invocation.note, patience=patience) as opened:
            try:
                return ask(opened)
            except DaemonEnded:
                if mounts.mounts_of(store):  # it was killed, or crashed: then the user should know, and decide
                    raise
                patience = ENDING_SECONDS
        invocation.note("The store was unmounted; nothing is lost, and this goes on without it.")


def short(path: str | Path) -> str:
    """A host path as people write it: ``~/notes``."""
    text, home = str(path), os.path.expanduser("~")
    if home != "/" and (text == home or text.startswith(home + "/")):
        return "~" + text[len(home) :]
    return text
