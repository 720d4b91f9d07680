"""A folder with one of everything, and what of it a copy must keep: for the tests of tools that copy."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any


def planted(top: Path) -> Path:
    """A folder with one of everything that a user may have."""
    top.mkdir()
    (top / "a").write_bytes(b"one\n" * 5000)
    os.link(top / "a", top / "hard")
    (top / "soft").symlink_to("a")
    (top / "absolute").symlink_to("/etc/hostname")
    (top / "broken").symlink_to("nowhere/at/all")
    (top / "run").write_text("#!/bin/sh\necho ran\n")
    (top / "run").chmod(0o755)
    (top / "private").mkdir(0o700)
    (top / "private/\udcff name\n").write_bytes(b"odd")
    (top / "private" / ("n" * 255)).write_bytes(b"")
    os.mkfifo(top / "pipe")
    with (top / "sparse").open("wb") as file:
        file.seek(1 << 24)
        file.write(b"end")
    os.setxattr(top / "a", "user.note", b"\0\xff")
    if os.getuid() == 0:
        os.chown(top / "run", 1234, 5678)
        os.mknod(top / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    # Not of now: rsync takes times within one second for equal.
    for number, path in enumerate([*sorted(os.listdir(top)), "private/" + "n" * 255]):
        os.utime(top / path, ns=(1, 1_234_567_890_123_456_789 + number * 1_000_000_007), follow_symlinks=False)
    os.utime(top / "soft", ns=(11, 13), follow_symlinks=False)
    return top


def described(top: Path, xattrs: bool = True) -> dict[str, Any]:
    """All that may be copied, by path; hard links by which of the paths are one file."""
    found: dict[str, Any] = {}
    first: dict[int, str] = {}
    for directory, names, files in os.walk(top):
        for name in sorted(names + files):
            path = os.path.join(directory, name)
            seen = os.lstat(path)
            kind = stat.S_IFMT(seen.st_mode)
            what: Any = None
            if stat.S_ISREG(seen.st_mode):
                what = Path(path).read_bytes()
            elif stat.S_ISLNK(seen.st_mode):
                what = os.readlink(path)
            values = {
                each: os.getxattr(path, each)
                for each in (os.listxattr(path, follow_symlinks=False) if xattrs and kind != stat.S_IFLNK else ())
            }
            relative = os.path.relpath(path, top)
            one = first.setdefault(seen.st_ino, relative) if kind != stat.S_IFDIR else relative
            found[relative] = (
                seen.st_mode, seen.st_uid, seen.st_gid, seen.st_rdev, seen.st_mtime_ns, what, values, one
            )  # fmt: skip
    return found
