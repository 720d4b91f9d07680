"""A daemon over a planted namespace: what a test wants to see of the mount and no real store shows.

``python -m tests.mount.planted_daemon MOUNTPOINT STORE [STUCK_SECONDS]``. Commands come as lines of JSON on standard
input, one answer a line goes to standard output: ``["publish", {path: text | null}]``, ``["fail", method]``,
``["calm"]``, ``["hang", seconds]`` (the loop itself), ``["cold", path, seconds]``, ``["counts"]``.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import trio

from mountd.guard import ErrorLog
from mountd.session import Options, Session
from mountd.watchdog import dump_stacks_on
from tests.mountd.planted import PlantedNamespace


class Quiet(list[str]):
    """The planted namespace notes each call; over hours that is too much."""

    def append(self, call: str) -> None:
        pass


def tree_of(given: dict[str, str | None]) -> dict[str, bytes | str | None]:
    return {path: what if what is None or what.startswith("-> ") else what.encode() for path, what in given.items()}


class Daemon:
    def __init__(self, mountpoint: Path, store: Path, stuck_seconds: float) -> None:
        self.namespace = PlantedNamespace({"first": b"first\n"})
        self.namespace.calls = Quiet()
        self.session = Session(
            self.namespace, store, mountpoint, ErrorLog(store / "errors.jsonl"), deadline=2.0,
            options=Options(stuck_seconds=stuck_seconds),
        )  # fmt: skip
        self.token: trio.lowlevel.TrioToken | None = None

    def obey(self) -> None:
        for line in sys.stdin:
            name, *arguments = json.loads(line)
            print(json.dumps(getattr(self, name)(*arguments)), flush=True)

    def publish(self, tree: dict[str, str | None]) -> bool:
        return self.session.publish(self.namespace.plant(tree_of(tree)))

    def fail(self, method: str) -> None:
        self.namespace.raising[method] = RuntimeError("planted")

    def calm(self) -> None:
        self.namespace.raising.clear()

    def hang(self, seconds: float) -> None:
        assert self.token is not None
        trio.from_thread.run_sync(time.sleep, seconds, trio_token=self.token)

    def cold(self, path: str, seconds: float) -> None:
        self.namespace.cold.add(self.namespace.at(path))
        self.namespace.on_load = lambda node: time.sleep(seconds)

    def counts(self) -> Any:
        operations = self.session.operations
        return [len(operations.kernel.counts), len(operations.handles), len(self.namespace.forgotten)]

    def ready(self) -> None:
        self.token = trio.lowlevel.current_trio_token()
        threading.Thread(target=self.obey, daemon=True).start()
        print(json.dumps("ready"), flush=True)


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    dump_stacks_on(signal.SIGUSR1)
    daemon = Daemon(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 10.0)
    daemon.session.open()
    try:
        daemon.session.run(daemon.ready)
    finally:
        assert daemon.session.close()
    # As the daemon itself ends: a signal that comes while Python cleans up would count as its exit status.
    os._exit(0)


main()
