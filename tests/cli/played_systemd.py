"""A systemd for tests: it starts what units say, waits for READY=1, starts it again when it fails, and stops it.

It answers the few questions that kgfs asks ``systemctl``, through a program of that name that comes first in ``PATH``.
What a unit's lines mean to the real one, ``systemd-analyze verify`` says beside it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

SECONDS = 120.0
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|.)")
_SYSTEMCTL = """#!{python} -IS
import json, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect({socket!r})
connection.sendall(json.dumps(sys.argv[1:]).encode() + b"\\n")
status, said = json.loads(connection.makefile().readline())
print(said, end="", file=sys.stderr)
sys.exit(status)
"""


def words(line: str) -> list[bytes]:
    """The words of a command line as systemd.service(5) reads them."""
    found = []
    for quoted, plain in _WORD.findall(line):
        text = _ESCAPE.sub(_meant, quoted) if quoted else plain
        found.append(text.replace("%%", "%").replace("$$", "$").encode("utf-8", "surrogateescape"))
    return found


def _meant(match: re.Match[str]) -> str:
    sign = match[1]
    return os.fsdecode(bytes([int(sign[1:], 16)])) if len(sign) > 1 else sign


def settings(text: str) -> dict[str, str]:
    """The last value of each name in a unit."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))


class PlayedService:
    """One unit and its main process."""

    def __init__(self, text: str, runtime: Path) -> None:
        self.settings = settings(text)
        self.process: subprocess.Popen[bytes] | None = None
        self.said: list[str] = []
        self.starts = 0
        self.stopping = False
        self.ready = threading.Event()
        self.ended = threading.Event()
        self._log = runtime / f"journal-{os.urandom(4).hex()}"
        self._address = runtime / f"notify-{os.urandom(4).hex()}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self._address))
        threading.Thread(target=self._hear, daemon=True).start()
        threading.Thread(target=self._keep, daemon=True).start()

    @property
    def journal(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def _hear(self) -> None:
        while True:
            message = self._socket.recv(4096).decode()
            self.said += message.splitlines()
            if "READY=1" in message.splitlines():
                self.ready.set()

    def _keep(self) -> None:
        """Run the command, again and again while it fails."""
        prevented = self.settings.get("RestartPreventExitStatus", "").split()
        well = {"0", *self.settings.get("SuccessExitStatus", "").split()}
        while True:
            self.starts += 1
            with self._log.open("ab") as log:
                there = os.fstat(log.fileno())
                self.process = subprocess.Popen(
                    words(self.settings["ExecStart"]), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    cwd=self.settings["WorkingDirectory"],
                    env={
                        **os.environ, "NOTIFY_SOCKET": str(self._address),
                        "JOURNAL_STREAM": f"{there.st_dev}:{there.st_ino}",
                    },
                )  # fmt: skip
            if self.settings["Type"] != "notify":
                self.ready.set()
            status = str(self.process.wait())
            if self.stopping or status in well or status in prevented or self.starts > 5:
                break
        self.ended.set()
        self.ready.set()  # nobody waits any longer

    def stop(self) -> None:
        self.stopping = True
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.Signals[self.settings.get("KillSignal", "SIGTERM")])
        assert self.ended.wait(SECONDS), self.journal


class PlayedSystemd:
    """The manager. ``with PlayedSystemd(directory) as systemd: kgfs(…, env=systemd.environment)``."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self._directory = directory
        self.units = directory / "config" / "systemd" / "user"
        self.services: dict[str, PlayedService] = {}
        self.asked: list[list[str]] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(directory / "socket"))
        self._listening.listen()
        program = directory / "bin" / "systemctl"
        program.parent.mkdir()
        program.write_text(_SYSTEMCTL.format(python=sys.executable, socket=str(directory / "socket")))
        program.chmod(0o755)
        self.environment = {
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "XDG_CONFIG_HOME": str(directory / "config"),
        }
        threading.Thread(target=self._answer, daemon=True).start()

    def __enter__(self) -> PlayedSystemd:
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
        for service in self.services.values():
            service.stop()

    @property
    def service(self) -> PlayedService:
        """The one that was started last."""
        return list(self.services.values())[-1]

    def _answer(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection, connection.makefile("rw") as stream:
                arguments = json.loads(stream.readline())
                self.asked.append(arguments)
                stream.write(json.dumps(self._do(*arguments)) + "\n")

    def _do(self, whose: str, verb: str, *names: str) -> tuple[int, str]:
        assert whose == "--user"
        name = names[-1] if names else ""
        if verb in ("stop", "restart", "disable") and name in self.services:
            self.services.pop(name).stop()
        if verb == "restart":
            service = self.services[name] = PlayedService((self.units / name).read_text(), self._directory)
            assert service.ready.wait(SECONDS)
            if service.ended.is_set():
                return 1, f"Job for {name} failed.\n"
        return 0, ""
