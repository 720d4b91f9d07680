"""Which directories a sandbox is handed: that of a mount or of a session on it, and those that a user adds.

Used by ``kgfs run`` and by an agent. A directory that would show a store, a mount, keys or the whole machine is
refused, wherever links lead: a sandbox sees what a user means to show, and a program in it may print all of that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kgfs import mounts, trust
from kgfs.errors import KgfsError, NotADirectory, NotFoundError, UsageError
from kgfs.sandbox.bubblewrap import PLACE, Added

SESSIONS = "@session"
"""The directory of a mount that has a directory for each session."""
_MODES = {":ro": False, ":rw": True}
_SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr", PLACE)
"""A sandbox has its own, or none."""
_SCRATCH = ("/tmp", "/dev/shm")
"""A sandbox has its own; what lies in them may be added."""
_KEYS = (".aws", ".azure", ".config", ".docker", ".gnupg", ".kube", ".local", ".netrc", ".ssh")
"""Where programs keep keys, in the home of the user."""


def mounted_place(store: Path, session: str | None, shown: str) -> Path:
    """The directory that a sandbox sees as its ``/kg``; ``shown`` is how a message names the store.

    ``NotFoundError`` where the store is not mounted, or has no such session.
    """
    mounted = mounts.mounts_of(store)
    if not mounted:
        raise NotFoundError(f"The store {shown} is not mounted; run `kgfs mount ~/kg` first.")
    mountpoint = mounted[-1].mountpoint
    if not mounts.answers(mountpoint):
        raise KgfsError(f"The mount {mountpoint} does not answer; `kgfs status --check` says more.")
    if session is None:
        return mountpoint
    if session in ("", ".", "..") or "/" in session or "\0" in session:
        raise UsageError(f"{session!r} is no name of a session; `kgfs session list` shows them.")
    place = mountpoint / SESSIONS / session
    if place.is_symlink() or not place.is_dir():
        raise NotFoundError(
            f"There is no session {session!r}; `kgfs session list` shows them, `kgfs session new` makes one."
        )
    return place


def hidden_directories(store: Path) -> list[Path]:
    """Directories that no sandbox may see, should they lie in what it sees of the system."""
    return sorted({store.resolve(), _home(), *(mount.mountpoint for mount in mounts.our_mounts())})


def added_directory(text: str, store: Path) -> Added:
    """A directory as a user names it: ``DIR``, ``DIR:ro`` or ``DIR:rw``.

    ``UsageError`` where a sandbox must not see it, ``NotFoundError`` and ``NotADirectory`` where it is none.
    """
    name, writable = text, True
    if text[-3:] in _MODES and not os.path.isdir(text):
        name, writable = text[:-3], _MODES[text[-3:]]
    if not name or "\0" in name:
        raise UsageError("--add-dir wants a directory: DIR, or DIR:ro to let nothing be changed in it.")
    directory = Path(name).expanduser().resolve()
    if not directory.exists():
        raise NotFoundError(f"There is no directory {name}; make it first, or name another one.")
    if not directory.is_dir():
        raise NotADirectory(f"{name} is no directory; name the one that it lies in.")
    for reason in _reasons(directory, store):
        raise UsageError(f"{directory} cannot be added: {reason}.")
    return Added(directory, writable)


def _reasons(directory: Path, store: Path) -> Iterator[str]:
    """Why a directory must not be shown, each as a clause that goes on with what to do."""
    if directory == Path("/"):
        yield "it is the whole machine; name the folder that is needed"
    for name in _SYSTEM:
        if directory.is_relative_to(name) or directory.is_relative_to(Path(name).resolve()):
            yield f"{name} belongs to the system, and the sandbox has its own; name a folder of yours"
    if str(directory) in _SCRATCH:
        yield "the sandbox has its own; name a folder in it"
    if _meet(directory, store.resolve()):
        yield "it is, contains or lies in the store, which only the mount may change; name another folder"
    for mount in mounts.our_mounts():
        if _meet(directory, mount.mountpoint):
            yield f"the mount {mount.mountpoint} is in its way; the mount of this store is {PLACE} already"
    home = _home()
    if home.is_relative_to(directory):
        yield "it holds your home, with keys; name the folder in it that is needed"
    configuration = trust.user_directory().resolve()
    for kept in (*(home / name for name in _KEYS), configuration):
        if _meet(directory, kept):
            yield f"{kept} may hold keys of yours; name another folder"


def _meet(one: Path, other: Path) -> bool:
    """Whether one of two lies in the other."""
    return one.is_relative_to(other) or other.is_relative_to(one)


def _home() -> Path:
    return Path(os.path.expanduser("~")).resolve()
