"""``kill -9`` of the daemon under writers in every area that is not rows: what was acknowledged is there, and whole."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kgfs import mounts
from kgfs.agentfs.audit.tool_calls import ToolCalls
from kgfs.agentfs.checking import check as rules
from kgfs.agentfs.database import AgentDatabase
from tests.mount.served_stores import ended, started
from tests.rounds import rounds
from tests.waiting import until

ROUNDS = rounds(2, 50)
BASE_FILES = 600
"""More than a session gets through in the few rounds; in the many it has some left to change in the first ones."""
SESSION = "@session/kept"
Acknowledged = dict[str, bytes | None]
"""What a path holds; nothing for one that was removed."""
Writer = Callable[[Path, str, Acknowledged, threading.Event], None]

pytestmark = [pytest.mark.mount, pytest.mark.long, pytest.mark.timeout(120 + 30 * ROUNDS)]


def content(text: str) -> bytes:
    return f"{text}\n".encode() * random.choice([1, 30, 5000])


def in_files(area: str) -> Writer:
    """New files of ``area``; two of three get their name by a rename and a flush of the directory."""

    def write(top: Path, tag: str, acknowledged: Acknowledged, stop: threading.Event) -> None:
        here = f"{area}/{tag}"
        (top / here).mkdir()
        for number in range(100_000):
            if stop.is_set():
                return
            path, body = f"{here}/{number}", content(f"{tag} {number}")
            beside = top / here / "beside"
            if number % 3:
                beside.write_bytes(body)
                beside.rename(top / path)
                descriptor = os.open(top / here, os.O_RDONLY)
                os.fsync(descriptor)
                os.close(descriptor)
            else:
                (top / path).write_bytes(body)
            acknowledged[path] = body

    return write


def in_keys(top: Path, tag: str, acknowledged: Acknowledged, stop: threading.Event) -> None:
    """Keys, made and replaced."""
    for number in range(100_000):
        if stop.is_set():
            return
        path, body = f"@kv/{tag}.{number % 7}", json.dumps(f"{tag} {number}").encode()
        acknowledged.pop(path, None)
        (top / path).write_bytes(body)
        acknowledged[path] = body


def over_base(top: Path, tag: str, acknowledged: Acknowledged, stop: threading.Event) -> None:
    """Files of the base are changed, removed and moved in the session, each once: so a doubt stays with its file."""
    here = top / SESSION / "workspace/base"
    for name in sorted(os.listdir(here)):
        if stop.is_set():
            return
        if "." in name or f"{SESSION}/workspace/base/{name}" in acknowledged:
            continue
        path, body = f"{SESSION}/workspace/base/{name}", content(f"{tag} {name}")
        match int(name) % 3:
            case 0:
                (here / name).write_bytes(body)
                acknowledged[path] = body
            case 1:
                (here / name).unlink()
            case _:
                (here / name).rename(here / f"{name}.moved")
        if int(name) % 3:
            descriptor = os.open(here, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)
            acknowledged[path] = None
        if int(name) % 3 == 2:
            acknowledged[f"{path}.moved"] = name.encode()


WRITERS: dict[str, Writer] = {
    "workspace": in_files("workspace"),
    "workspace beside": in_files("workspace"),
    "keys": in_keys,
    "session": in_files(f"{SESSION}/workspace"),
    "session's documents": in_files(f"{SESSION}/context/agent"),
    "session over its base": over_base,
    "documents": in_files("context/agent"),
}


def _until_gone(writer: Writer, top: Path, tag: str, acknowledged: Acknowledged, stop: threading.Event) -> None:
    try:
        writer(top, tag, acknowledged, stop)
    except OSError:
        return  # the mount is gone


def _wait_for_each(threads: list[threading.Thread], found: list[Acknowledged], before: list[int]) -> None:
    """Until each has something to lose, on a busy machine too; one that has no more to do has ended."""
    until(
        lambda: all(
            len(now) > count or not thread.is_alive() for thread, now, count in zip(threads, found, before, strict=True)
        )
    )


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    daemon = started(tmp_path)
    top, store = daemon.mountpoint, daemon.store
    acknowledged: dict[str, Acknowledged] = {what: {} for what in WRITERS}
    try:
        (top / "workspace/base").mkdir()
        for number in range(BASE_FILES):
            (top / f"workspace/base/{number}").write_bytes(str(number).encode())
        (top / SESSION).mkdir()
        for round_ in range(ROUNDS):
            stop = threading.Event()
            threads = [
                threading.Thread(target=_until_gone, args=(writer, top, f"{round_}-{number}", acknowledged[what], stop))
                for number, (what, writer) in enumerate(WRITERS.items())
            ]
            before = [len(found) for found in acknowledged.values()]
            for thread in threads:
                thread.start()
            _wait_for_each(threads, list(acknowledged.values()), before)
            time.sleep(0.3 + random.random() * 0.4)
            daemon.kill()
            stop.set()
            for thread in threads:
                thread.join(30)
                assert not thread.is_alive()
            mounts.unmount(top, lazy=True)
            daemon.clear()
            for file in ("agent.db", "sessions/kept.db"):
                with AgentDatabase(store / file) as database:
                    assert rules.check(database) == []
            daemon = started(tmp_path, new=False)
            for what in WRITERS:
                for path, body in acknowledged[what].items():
                    if body is None:
                        assert not (top / path).exists(), path
                    else:
                        assert (top / path).read_bytes() == body, path
            for area in ("workspace", f"{SESSION}/workspace"):
                every = [path for path in (top / area).rglob("*") if path.is_file()]
                assert all(len(path.read_bytes()) == path.stat().st_size for path in every)
        ended(daemon)
    finally:
        daemon.clear()
    assert all(acknowledged.values()), {what: len(found) for what, found in acknowledged.items()}
    with AgentDatabase(store / "agent.db", read_only=True) as database:
        told = b"".join(bytes(call.parameters or b"") for call in ToolCalls(database).list())
    for path in acknowledged["documents"]:
        assert f'"agent:/{path.removeprefix("context/agent/")}"'.encode() in told, path
