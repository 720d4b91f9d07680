"""The machine's mounts of kgfs: which there are, whose store each shows, what holds one, what hinders a new one.

Used by the commands (``mount``, ``umount``, ``doctor``, finding the store of a path) and by the daemon before it
mounts. Pure Linux: it reads ``/proc`` and calls ``fusermount3`` or ``umount``; it imports no engine and no FUSE
binding. Where a question must touch a mount, it is asked with a time limit: its daemon may hang.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from kgfs.config import is_store
from kgfs.errors import ConflictError, KgfsError, NotADirectory, NotFoundError, UsageError

FILE_SYSTEM_TYPE = "fuse.kgfs"
SUBTYPE = "kgfs"
MOUNTINFO = Path("/proc/self/mountinfo")
DEVICE = Path("/dev/fuse")
FUSE_CONF = Path("/etc/fuse.conf")
NO_FUSERMOUNT = "fusermount3 is not installed; install the package fuse3."
_ANSWER_SECONDS = 2.0
_OCTAL = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """One line of ``mountinfo``."""

    mountpoint: Path
    type: str
    source: str
    """For a mount of ours the store's path, percent-encoded (see :func:`source_of`)."""
    options: frozenset[str]
    """Those of the mount and those of the file system."""
    device: str = ""
    """The kernel's number of the file system, ``0:39``."""

    @property
    def ours(self) -> bool:
        return self.type == FILE_SYSTEM_TYPE

    @property
    def store(self) -> Path:
        """The store that a mount of ours shows."""
        return Path(unquote(self.source))


class Holder(NamedTuple):
    """A process that keeps a mount busy."""

    pid: int
    name: str
    how: str
    """``working directory``, ``program`` or ``open file``, with the path."""


def source_of(store: Path) -> str:
    """The mount's source for a store: its real path in plain ASCII, readable in ``df`` and free of option syntax."""
    return quote(os.fsencode(store.resolve()), safe="/._-~+=@")


def _unescape(field: str) -> str:
    # The kernel escapes white space and the backslash only, so each escape stands for one ASCII character.
    return _OCTAL.sub(lambda match: chr(int(match.group(1), 8)), field)


def parse_mountinfo(text: str) -> list[Mount]:
    """The mounts in a ``mountinfo`` text, in the kernel's order (a later one lies over an earlier one)."""
    mounts = []
    for line in text.split("\n"):
        fields = line.split(" ")
        if "-" not in fields:
            continue
        dash = fields.index("-", 6)
        mounts.append(
            Mount(
                Path(_unescape(fields[4])),
                fields[dash + 1],
                _unescape(fields[dash + 2]),
                frozenset(fields[5].split(",")) | frozenset(fields[dash + 3].split(",")),
                fields[2],
            )
        )
    return mounts


def all_mounts() -> list[Mount]:
    """Every mount that this process sees."""
    return parse_mountinfo(os.fsdecode(MOUNTINFO.read_bytes()))


def our_mounts() -> list[Mount]:
    """Every mount of kgfs, live or stale."""
    return [mount for mount in all_mounts() if mount.ours]


def mounts_of(store: Path) -> list[Mount]:
    """The mounts that show this store."""
    source = source_of(store)
    return [mount for mount in our_mounts() if mount.source == source]


def mount_at(path: Path) -> Mount | None:
    """The uppermost mount whose mountpoint is exactly this path (absolute, links resolved)."""
    found = [mount for mount in all_mounts() if mount.mountpoint == path]
    return found[-1] if found else None


def mount_of(path: Path) -> Mount | None:
    """The mount of ours in which a path lies, or ``None``."""
    place = _resolved(path)
    best: Mount | None = None
    for mount in all_mounts():
        if place.is_relative_to(mount.mountpoint) and (
            best is None or len(mount.mountpoint.parts) >= len(best.mountpoint.parts)
        ):
            best = mount
    return best if best is not None and best.ours else None


def store_of(path: Path) -> Path | None:
    """The store of the mount in which a path lies, or ``None`` outside our mounts."""
    mount = mount_of(path)
    return mount.store if mount else None


def is_stale(mount: Mount | Path) -> bool:
    """Whether the daemon behind a mount is gone (``ENOTCONN``). One that only hangs is not stale."""
    return _ask(mount.mountpoint if isinstance(mount, Mount) else mount) == errno.ENOTCONN


def answers(mountpoint: Path, seconds: float = _ANSWER_SECONDS) -> bool:
    """Whether the root of a mount answers within the time; a daemon that hangs does not."""
    return _ask(mountpoint, seconds) == 0


def _ask(path: Path, seconds: float = _ANSWER_SECONDS) -> int | None:
    """The errno of ``stat`` on a path, 0 if it worked, ``None`` if no answer came in time."""
    result: list[int] = []

    def ask() -> None:
        try:
            # statvfs reaches the daemon; stat of a root may be answered out of the kernel's cache.
            os.statvfs(path)
            result.append(0)
        except OSError as error:
            result.append(error.errno or errno.EIO)

    thread = threading.Thread(target=ask, name="mount-answer", daemon=True)
    thread.start()
    thread.join(seconds)
    return result[0] if result else None


def holders(mountpoint: Path) -> list[Holder]:
    """The processes that have a working directory, a program or an open file in a mount (those we may look at)."""
    inside = os.fsencode(mountpoint)
    found = []
    for number in os.listdir("/proc"):
        if not number.isdigit() or int(number) == os.getpid():
            continue
        how = _holds(f"/proc/{number}", inside)
        if how:
            try:
                name = Path("/proc", number, "comm").read_text("utf-8", "replace").strip()
            except OSError:
                continue
            found.append(Holder(int(number), name, how))
    return sorted(found)


def _holds(process: str, inside: bytes) -> str | None:
    places = [(f"{process}/cwd", "working directory"), (f"{process}/root", "root"), (f"{process}/exe", "program")]
    with contextlib.suppress(OSError):
        places += [(f"{process}/fd/{number}", "open file") for number in os.listdir(f"{process}/fd")]
    for link, kind in places:
        try:
            target = os.readlink(os.fsencode(link))
        except OSError:
            continue
        if target == inside or target.startswith(inside.rstrip(b"/") + b"/"):
            return f"{kind} {os.fsdecode(target)}"
    return None


def unmount(mountpoint: Path, *, lazy: bool = False) -> None:
    """Unmount; ``lazy`` detaches at once and lets processes that hold it finish.

    Raises ``NotFoundError`` where no mount of ours is, ``ConflictError`` that names what holds it, else ``KgfsError``.
    """
    import shutil  # both here: hardly a command unmounts, and each asks what is mounted
    import subprocess

    place = _resolved(mountpoint)
    mount = mount_at(place)
    if mount is None or not mount.ours:
        raise NotFoundError(f"Nothing of kgfs is mounted at {mountpoint}; `kgfs status` shows the mount.")
    commands = []
    if os.geteuid() == 0 and shutil.which("umount"):
        commands.append(["umount", *(["-l"] if lazy else []), str(place)])
    if shutil.which("fusermount3"):
        commands.append(["fusermount3", "-u", *(["-z"] if lazy else []), str(place)])
    if not commands:
        raise KgfsError("Neither fusermount3 nor umount is here; install the package fuse3.")
    why = ""
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == 0 or (now := mount_at(place)) is None or not now.ours:
            return
        why = done.stderr.strip() or why
    holding = holders(place)
    if holding:
        named = "; ".join(f"{one.name} (pid {one.pid}, {one.how})" for one in holding[:5])
        more = f" and {len(holding) - 5} more" if len(holding) > 5 else ""
        raise ConflictError(f"{mountpoint} is in use by {named}{more}; end that or use `kgfs umount --lazy`.")
    if "busy" in why:
        raise ConflictError(f"{mountpoint} is in use; close what uses it or use `kgfs umount --lazy`.")
    raise KgfsError(f"{mountpoint} could not be unmounted ({why or 'no reason given'}); try `kgfs umount --lazy`.")


def check_fuse(*, allow_other: bool = False) -> None:
    """Whether this user can mount here at all; raises ``KgfsError`` with what to do."""
    import shutil

    check_device()
    if os.geteuid() != 0:
        if shutil.which("fusermount3") is None:
            raise KgfsError(NO_FUSERMOUNT)
        if allow_other and not _user_allow_other():
            raise KgfsError(f"--allow-other needs the line user_allow_other in {FUSE_CONF}; add it as root.")


def check_device() -> None:
    """Whether FUSE's device can be opened; raises ``KgfsError`` with what to do.

    It is opened: what its permissions say is not all, a container or a kernel without FUSE may refuse root too.
    """
    try:
        descriptor = os.open(DEVICE, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise KgfsError(
            f"There is no {DEVICE}; run `modprobe fuse` as root, or start the container with --device {DEVICE}."
        ) from None
    except PermissionError:
        advice = f"start the container with --device {DEVICE}" if os.geteuid() == 0 else f"as root: chmod 666 {DEVICE}"
        raise KgfsError(f"{DEVICE} may not be opened by you; {advice}.") from None
    except OSError as error:
        raise KgfsError(
            f"{DEVICE} cannot be opened ({error.strerror}); run `modprobe fuse` as root, or start the container with"
            f" --device {DEVICE}."
        ) from error
    try:
        is_device = stat.S_ISCHR(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)
    if not is_device:
        raise KgfsError(f"{DEVICE} is no device; remove it and run `modprobe fuse` as root.")


def _user_allow_other() -> bool:
    try:
        lines = FUSE_CONF.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    return any(line.strip() == "user_allow_other" for line in lines)


def check_mountpoint(mountpoint: Path, store: Path, sources: Iterable[Path] = ()) -> Path:
    """Whether a store can be mounted at a path, before anything is changed; returns the path with links resolved.

    A stale mount of ours is no obstacle (see :func:`prepare_mountpoint`). Raises ``UsageError`` for a place inside a
    source, a store or another mount of ours, or one that is not empty; ``ConflictError`` for one that is taken, or a
    store that is mounted elsewhere; ``NotADirectory``.
    """
    place = _resolved(mountpoint)
    taken = mount_at(place)
    stale = taken is not None and taken.ours and is_stale(taken)
    for other in mounts_of(store):
        if other.mountpoint != place and not is_stale(other):
            raise ConflictError(
                f"This store is mounted at {other.mountpoint} already; use that, or `kgfs umount {other.mountpoint}`."
            )
    if taken is not None and not stale:
        if taken.ours:
            whose = "This store" if taken.source == source_of(store) else f"The store {taken.store}"
            raise ConflictError(f"{whose} is mounted at {mountpoint} already; `kgfs umount {mountpoint}` ends it.")
        if taken.type.startswith("fuse"):
            raise ConflictError(f"{mountpoint} is in use by another mount ({taken.type}); choose another directory.")
    outer = mount_of(place.parent)
    if outer is not None:
        raise UsageError(f"{mountpoint} lies inside the mount {outer.mountpoint}; mount outside it.")
    _check_apart(mountpoint, place, store, sources)
    if stale:
        return place
    _check_empty_directory(mountpoint, place)
    return place


def _check_empty_directory(mountpoint: Path, place: Path) -> None:
    try:
        status = place.lstat()
    except FileNotFoundError:
        return
    except NotADirectoryError as error:
        raise NotADirectory(f"{mountpoint} goes on beneath a file; name a directory.") from error
    except OSError as error:
        raise KgfsError(f"{mountpoint} cannot be looked at ({error.strerror}); choose another directory.") from error
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectory(f"{mountpoint} is not a directory; name one that is empty, or one that does not exist.")
    try:
        if os.listdir(place):
            raise UsageError(f"{mountpoint} is not empty; name an empty directory, or one that does not exist.")
    except PermissionError as error:
        raise KgfsError(f"{mountpoint} may not be read; choose a directory of your own.") from error


def _check_apart(mountpoint: Path, place: Path, store: Path, sources: Iterable[Path]) -> None:
    if place.is_relative_to(store.resolve()):
        raise UsageError(f"{mountpoint} lies inside the store {store}; mount outside it, e.g. ~/kg.")
    for directory in place.parents:
        if is_store(directory):
            raise UsageError(f"{mountpoint} lies inside the store {directory}; mount outside it, e.g. ~/kg.")
    for source in sources:
        if place.is_relative_to(_resolved(source)):
            raise UsageError(f"{mountpoint} lies inside source {source}; mount outside it, e.g. ~/kg.")


def prepare_mountpoint(
    mountpoint: Path, store: Path, sources: Iterable[Path] = (), *, allow_other: bool = False
) -> Path:
    """Make ready to mount: all checks, then stale mounts of this store and at this place go, then a missing directory
    is made. Answers the path with links resolved."""
    check_fuse(allow_other=allow_other)
    place = check_mountpoint(mountpoint, store, sources)
    for old in mounts_of(store):
        if is_stale(old):
            unmount(old.mountpoint, lazy=True)
    while (here := mount_at(place)) is not None and here.ours and is_stale(here):
        unmount(place, lazy=True)
    # What lay under a stale mount can be looked at only now.
    check_mountpoint(mountpoint, store, sources)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KgfsError(
            f"{mountpoint} could not be made ({error.strerror}); make it or choose another directory."
        ) from error
    if os.geteuid() != 0 and not os.access(place, os.W_OK):
        raise KgfsError(f"{mountpoint} is not writable by you, so you may not mount there; choose one of your own.")
    return place


def _resolved(path: Path) -> Path:
    """Absolute with links resolved; what lies on a mount of ours is not touched, for that may not answer."""
    whole = Path(os.path.abspath(path.expanduser()))
    if any(whole.is_relative_to(mount.mountpoint) for mount in our_mounts()):
        return whole
    return Path(os.path.realpath(whole))
