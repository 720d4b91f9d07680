"""What a command in a sandbox sees, as arguments of bubblewrap (``bwrap``), and whether that can be made here.

Used by ``kgfs.sandbox.starting`` and ``kgfs doctor``. The tree is empty, and only what stands here is put into it.
The command runs without rights. Outside, its user is the one who started it, since a mount serves no other. Inside, the
user is 1000 and has no capability, so root's files that it sees are read-only to it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from kgfs.errors import KgfsError
from kgfs.paths import PREFIX
from kgfs.sandbox import system_calls

PROGRAM = "bwrap"
PLACE = PREFIX
"""Where the mount is: there a path from the tree's root is a path of the file system too."""
HOME = "/tmp/home"
USER = 1000
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
ENVIRONMENT = {"PATH": PATH, "HOME": HOME, "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": "/tmp", "KGFS_MOUNT": PLACE}

_SYSTEM = "/usr"
_BESIDE_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into ``/usr`` on most systems, directories on some."""
_SETTINGS = (
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted", "/etc/protocols", "/etc/services", "/etc/mime.types",
)  # fmt: skip
_HIDDEN_PROC = ("/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kallsyms", "/proc/timer_list", "/proc/kmsg")
"""What these say is of the whole machine."""
_FILES = {
    "/etc/passwd": f"user:x:{USER}:{USER}::{HOME}:/bin/sh\nnobody:x:65534:65534::/:/usr/sbin/nologin\n",
    "/etc/group": f"user:x:{USER}:\nnogroup:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
_RESOLVER = Path("/etc/resolv.conf")
_ZONE = Path("/etc/localtime")
_PROBE_SECONDS = 20.0
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
"""Those that bubblewrap takes from the machine."""
_KEEP_DEVICES = (
    f"for one in {' '.join(_DEVICES)}; do"
    " mount --bind /dev/$one /dev/$one && mount -o remount,bind,ro /dev/$one || exit 1; "
    'done; exec "$@"'
)
"""For root, who owns the machine's devices: where they are mounted read-only, writing works and `chmod` does not."""


class Added(msgspec.Struct, frozen=True):
    """A directory of the machine that a sandbox sees under its own path."""

    directory: Path
    """Absolute and real: no part of it is a link."""
    writable: bool


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a sandbox sees besides the system."""

    mounted: Path
    """The directory that is its ``/kg``."""
    read_only: bool = False
    network: bool = False
    added: Sequence[Added] = ()
    known_as: Path | None = None
    """The path by which texts on the mount name it: a link to ``/kg`` inside, where nothing else is."""
    hidden: Sequence[Path] = ()
    """Directories that it must not see, should they lie in what it sees of the system."""
    scratch_bytes: int = 1 << 30
    """How much ``/tmp`` holds; ``/dev/shm`` holds half as much."""


class Sandbox(msgspec.Struct, frozen=True):
    """How to start a command: what to put before it, and the descriptors that this needs."""

    prefix: Sequence[str]
    descriptors: Sequence[int]


def program() -> str:
    """The program. ``KgfsError`` where it is not installed."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise KgfsError(
            f"There is no {PROGRAM} in PATH; install the package bubblewrap, or `--unsafe` runs without a sandbox."
        )
    return found


@contextlib.contextmanager
def prepared(view: View) -> Iterator[Sandbox]:
    """All that one start takes; the descriptors are read by it, and closed at the end."""
    with contextlib.ExitStack() as opened:
        bwrap = program()
        if os.stat(bwrap).st_uid == os.geteuid():
            # The sandbox can open it as /proc/1/exe, which is not read-only, and change its mode: it gets a copy.
            bwrap = f"/proc/{os.getpid()}/fd/{_holding(opened, Path(bwrap).read_bytes())}"
        descriptors = [system_calls.filter_file(network=view.network)]
        opened.callback(os.close, descriptors[0])
        words = [*_arguments(view), "--seccomp", str(descriptors[0])]
        for path, text in _files(view).items():
            descriptors.append(_holding(opened, text))
            words += ["--ro-bind-data", str(descriptors[-1]), path]
        # Last: whatever was made in it before is in it, and nothing more can be.
        words += ["--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/", "--chdir", PLACE]
        # In a file: the first process of the sandbox shows its arguments, and they name places outside.
        descriptors.append(_holding(opened, b"".join(os.fsencode(word) + b"\0" for word in words)))
        prefix = [bwrap, "--args", str(descriptors[-1]), "--"]
        if os.geteuid() == 0:
            prefix = ["unshare", "--mount", "--propagation", "slave", "--", "sh", "-c", _KEEP_DEVICES, "sh", *prefix]
        yield Sandbox(prefix, descriptors)


def _holding(opened: contextlib.ExitStack, text: bytes) -> int:
    """A descriptor of a file in memory with this text, at its beginning."""
    file = os.memfd_create(PROGRAM, os.MFD_CLOEXEC)
    opened.callback(os.close, file)
    with os.fdopen(os.dup(file), "wb") as writing:
        writing.write(text)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def require(view: View) -> None:
    """Make such a sandbox once. ``KgfsError`` says in a sentence why there can be none."""
    with prepared(view) as sandbox:
        try:
            done = subprocess.run(
                [*sandbox.prefix, "true"], pass_fds=sandbox.descriptors, env={"PATH": PATH}, cwd="/",
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                errors="replace", timeout=_PROBE_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise KgfsError(
                f"{PROGRAM} does not answer; look whether {view.mounted} does (`kgfs status --check`)."
            ) from None
    if done.returncode != 0:
        why = " ".join(done.stderr.split()).removeprefix(f"{PROGRAM}: ").rstrip(".")
        raise KgfsError(
            f"No sandbox can be made here ({why or 'no reason given'}); allow user namespaces on this machine, or"
            " `--unsafe` runs the command without one."
        )


def _arguments(view: View) -> list[str]:
    words = [
        "--unshare-all", "--unshare-user", "--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox",
        "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
    ]  # fmt: skip
    if view.network:
        words.append("--share-net")
    for name, value in ENVIRONMENT.items():
        words += ["--setenv", name, value]
    words += ["--ro-bind", _SYSTEM, _SYSTEM]
    for path in map(Path, _BESIDE_SYSTEM):
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for name in _SETTINGS:
        words += ["--ro-bind-try", name, name]
    if _ZONE.is_symlink() and (zone := _ZONE.resolve()).is_relative_to(_SYSTEM):
        words += ["--symlink", str(zone), str(_ZONE)]
    for path in view.hidden:
        if path.is_relative_to(_SYSTEM) and path.exists():
            words += ["--perms", "0000", "--size", "4096", "--tmpfs", str(path), "--remount-ro", str(path)]
    words += ["--proc", "/proc"]
    for name in _HIDDEN_PROC:
        if os.path.exists(name):
            words += ["--ro-bind", os.devnull, name]
    words += ["--dev", "/dev", "--perms", "1777", "--size", str(view.scratch_bytes // 2), "--tmpfs", "/dev/shm"]
    words += ["--perms", "1777", "--size", str(view.scratch_bytes), "--tmpfs", "/tmp", "--dir", HOME]
    for one in sorted(view.added, key=lambda one: one.directory.parts):  # one that lies in another comes after it
        place = str(one.directory)
        words += ["--bind" if one.writable and not view.read_only else "--ro-bind", place, place]
    if view.known_as is not None and not view.known_as.is_relative_to(_SYSTEM) and str(view.known_as) != PLACE:
        words += ["--symlink", PLACE, str(view.known_as)]
    return [*words, "--ro-bind" if view.read_only else "--bind", str(view.mounted), PLACE]


def _files(view: View) -> dict[str, bytes]:
    files = {path: text.encode() for path, text in _FILES.items()}
    if view.network:
        with contextlib.suppress(OSError):
            files[str(_RESOLVER)] = _RESOLVER.read_bytes()
    return files
