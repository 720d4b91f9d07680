"""Nodes of a Ray cluster on this machine, each a group of processes that can be killed as one."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

START_SECONDS = 120
_STORE_BYTES = 100 << 20


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Cluster:
    """A head and one more node, of a processor each. Use it as a context."""

    def __init__(self) -> None:
        self.port, self.client_port = free_port(), free_port()
        self._folder = tempfile.TemporaryDirectory(prefix="kgr-", ignore_cleanup_errors=True)  # sockets: a short path
        self.token = secrets.token_hex(32)
        self._groups: list[subprocess.Popen[bytes]] = []
        self._numbers = itertools.count()

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs to be let in."""
        return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": self.token, "RAY_USAGE_STATS_ENABLED": "0"}

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def client_address(self) -> str:
        return f"ray://127.0.0.1:{self.client_port}"

    def __enter__(self) -> Cluster:
        try:
            self._start(
                "--head", f"--port={self.port}", f"--ray-client-server-port={self.client_port}",
                "--include-dashboard=false", f"--temp-dir={self._folder.name}",
            )  # fmt: skip
            self._wait(self.port)
            self._wait(self.client_port)
            self.add_node()
        except BaseException:
            self.__exit__()
            raise
        return self

    def add_node(self) -> None:
        """One more node; it is there when this returns."""
        log = self._start(f"--address={self.address}")
        deadline = time.monotonic() + START_SECONDS
        # It says so when the cluster knows it. To ask the cluster, one would have to start Ray once more.
        while "Ray runtime started" not in log.read_text():
            assert self._groups[-1].poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)

    def kill_last_node(self) -> None:
        """As if the machine lost its power."""
        group = self._groups.pop()
        os.killpg(group.pid, signal.SIGKILL)
        group.wait()

    def _start(self, *options: str) -> Path:
        """Start a node; returns its log."""
        log = Path(self._folder.name, f"start-{next(self._numbers)}.log")
        with log.open("wb") as output:
            command = [str(Path(sys.executable).with_name("ray")), "start", "--block", "--num-cpus=1"]
            command += [f"--object-store-memory={_STORE_BYTES}", "--disable-usage-stats", *options]
            environment = {**os.environ, **self.environment}
            node = subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)
        self._groups.append(node)
        return log

    def _wait(self, port: int) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            assert self._groups[-1].poll() is None and time.monotonic() < deadline
            time.sleep(0.2)

    def __exit__(self, *_: object) -> None:
        for group in reversed(self._groups):
            os.killpg(group.pid, signal.SIGTERM)
        for group in reversed(self._groups):
            with contextlib.suppress(subprocess.TimeoutExpired):
                group.wait(20)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group.pid, signal.SIGKILL)
            group.wait()
        self._folder.cleanup()
