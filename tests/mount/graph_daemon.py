"""A daemon over a store that ``graph_builder`` made, whose graph a test can change while it is mounted.

``python -m tests.mount.graph_daemon MOUNTPOINT STORE``. Commands as in ``planted_daemon``: ``["touch", seed]``
changes the graph at random and publishes, ``["expect"]`` answers what the tree is: path to kind, size, mtime in
nanoseconds and a hash of the bytes, or the target of a link.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import sys
import threading
from pathlib import Path

from kgfs.namespace import prefixes
from kgfs.namespace.bodies import StaleSnapshotError
from kgfs.service.service import Service
from mountd.guard import ErrorLog
from mountd.session import Session
from tests.graph_builder import touch


class Daemon:
    def __init__(self, mountpoint: Path, store: Path) -> None:
        self.service = Service.open(store, path_prefix=str(mountpoint))
        self.namespace = self.service.namespace
        self.session = Session(
            self.namespace, store, mountpoint, ErrorLog(store / "errors.jsonl"), deadline=10.0,
            drives=self.service.drives,
        )  # fmt: skip
        self.service.publication.on_publish = self.session.publish

    def obey(self) -> None:
        for line in sys.stdin:
            name, *arguments = json.loads(line)
            try:
                answer = getattr(self, name)(*arguments)
            except Exception as error:
                answer = {"fault": repr(error)}
            print(json.dumps(answer), flush=True)

    def touch(self, seed: int) -> int:
        with contextlib.suppress(IndexError):  # nothing of the kind is left to be changed
            touch(self.service.database, seed)
        self.service.publication.publish()
        return self.namespace.view.generation

    def newer(self) -> bool:
        """Another snapshot of the present state is shown."""
        return self.session.publish(self.namespace.load_snapshot())

    def expect(self) -> dict[str, list[object]]:
        found: dict[str, list[object]] = {}
        namespace = self.namespace
        waiting = [(namespace.root, "")]
        while waiting:
            directory, path = waiting.pop()
            while namespace.pending(directory):
                namespace.prepare(directory)
            for entry in namespace.entries(directory):
                below = f"{path}{entry.name}"
                if below.startswith(("@status", "@audit")):
                    continue  # changes by itself
                attr = namespace.attr(entry.node)
                what: object = None
                if attr.kind == "d":
                    waiting.append((entry.node, below + "/"))
                elif attr.kind == "l":
                    what = namespace.target(entry.node)
                else:
                    what = self.digest(entry.node)
                found[below] = [attr.kind, attr.size, attr.mtime_ns, what]
        return found

    def digest(self, node: int) -> str:
        try:
            body = self.namespace.peek(node) or self.namespace.load(node)
        except StaleSnapshotError as error:
            raise AssertionError("nobody else writes") from error
        return hashlib.md5(body.read(0, body.size + 1)).hexdigest()

    def ready(self) -> None:
        threading.Thread(target=self.obey, daemon=True).start()
        print(json.dumps("ready"), flush=True)


def main() -> None:
    prefixes.LIMIT = 5  # the graphs of tests are small, and all that the tree has is to be shown
    logging.basicConfig(level=logging.INFO)
    daemon = Daemon(Path(sys.argv[1]), Path(sys.argv[2]))
    daemon.session.open()
    try:
        daemon.session.run(daemon.ready)
    finally:
        daemon.service.publication.on_publish = None
        assert daemon.session.close()
        daemon.service.close()


main()
