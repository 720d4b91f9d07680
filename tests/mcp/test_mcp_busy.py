"""More calls wait for the store than there are threads: the server hears what comes behind them."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Mounting, Program, daemon_pid
from tests.mcp.mcp_clients import command

CALLS = 60


@pytest.mark.mount
def test_a_ping_behind_calls_that_wait(kgfs: Program, mount: Mounting, light_store: Path) -> None:
    """The daemon is stopped, so that no call ends. A ping is answered meanwhile, and the calls when it goes on."""
    mount(light_store)
    daemon = daemon_pid(kgfs, light_store)
    server = subprocess.Popen(command(light_store), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None and server.stdout is not None
    said: queue.Queue[dict[str, Any]] = queue.Queue()

    def listen() -> None:
        assert server.stdout is not None
        for line in server.stdout:
            said.put(json.loads(line))

    def tell(method: str, number: int | None = None, **params: Any) -> None:
        assert server.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()

    def answer() -> dict[str, Any]:
        while "id" not in (message := said.get(timeout=60)):
            pass
        return message

    threading.Thread(target=listen, daemon=True).start()
    try:
        client = {"name": "busy", "version": "1"}
        tell("initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        assert answer()["id"] == 1
        tell("notifications/initialized")
        os.kill(daemon, signal.SIGSTOP)
        try:
            for number in range(CALLS):
                tell("tools/call", 100 + number, name="list", arguments={"path": "/kg/documents"})
            tell("ping", 2)
            assert answer()["id"] == 2
        finally:
            os.kill(daemon, signal.SIGCONT)
        answers = [answer() for _ in range(CALLS)]
        assert {each["id"] for each in answers} == set(range(100, 100 + CALLS))
        assert not any(each["result"].get("isError") for each in answers)
    finally:
        server.stdin.close()
        server.wait(60)
        server.stdout.close()
