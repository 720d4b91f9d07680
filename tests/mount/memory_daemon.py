"""A daemon that shows a file system in memory beneath a planted tree, at ``workspace``.

``python -m tests.mount.memory_daemon MOUNTPOINT STORE``. Commands as in ``planted_daemon``: ``["fail", method,
errno]``, ``["calm"]``, ``["counts"]`` (nodes, how often they are held, inodes that the kernel knows), ``["write", name,
text]`` (past the kernel, which is told), ``["remake", name, text]`` (and the kernel is told that something changed).
"""

from __future__ import annotations

import contextlib
import json
import logging
import stat
import sys
import threading
from pathlib import Path

from kgfs.filesystem import ROOT
from mountd.guard import ErrorLog
from mountd.session import Options, Session
from tests.memory_file_system import MemoryFileSystem
from tests.mountd.planted import PlantedNamespace


class Daemon:
    def __init__(self, mountpoint: Path, store: Path, read_only: bool) -> None:
        namespace = PlantedNamespace({"AGENTS.md": b"guide\n", "workspace": None})
        namespace.submounted = {namespace.at("workspace")}
        self.below = MemoryFileSystem()
        self.session = Session(
            namespace, store, mountpoint, ErrorLog(store / "errors.jsonl"), deadline=2.0,
            options=Options(read_only=read_only), file_systems={"workspace/": self.below},
        )  # fmt: skip

    def obey(self) -> None:
        for line in sys.stdin:
            name, *arguments = json.loads(line)
            print(json.dumps(getattr(self, name)(*arguments)), flush=True)

    def fail(self, method: str, number: int) -> None:
        self.below.faults[method] = number

    def calm(self) -> None:
        self.below.faults.clear()

    def counts(self) -> list[int]:
        nodes = list(self.below.nodes.values())
        submount = self.session.submounts["workspace/"]
        return [len(nodes), sum(node.held for node in nodes), len(submount.kernel.counts)]

    def write(self, name: str, text: str) -> None:
        below, path = self.below, name.encode()
        try:
            found = below.lookup(ROOT, path)
        except FileNotFoundError:
            found = below.make(ROOT, path, stat.S_IFREG | 0o644, 0, 0, 0)
        below.setattr(found.ino, size=0)
        below.write(found.ino, 0, text.encode())
        self.session.submounts["workspace/"].changed([found.ino], [(ROOT, path)])

    def remake(self, name: str, text: str) -> None:
        """Another file under this name, and nobody says which."""
        below, path = self.below, name.encode()
        with contextlib.suppress(FileNotFoundError):
            below.unlink(ROOT, path)
        made = below.make(ROOT, path, stat.S_IFREG | 0o644, 0, 0, 0)
        below.write(made.ino, 0, text.encode())
        self.session.submounts_changed()

    def ready(self) -> None:
        threading.Thread(target=self.obey, daemon=True).start()
        print(json.dumps("ready"), flush=True)


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    daemon = Daemon(Path(sys.argv[1]), Path(sys.argv[2]), "--read-only" in sys.argv)
    daemon.session.open()
    try:
        daemon.session.run(daemon.ready)
    finally:
        assert daemon.session.close()


main()
