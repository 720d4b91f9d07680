"""A thousand random messages: the server answers after each hundred, and says nothing that is no message."""

from __future__ import annotations

import json
import queue
import random
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from kgfs.tools.registry import TOOLS
from tests.mcp.mcp_clients import command

METHODS = (
    "tools/call", "tools/list", "resources/read", "resources/list", "resources/subscribe", "resources/unsubscribe",
    "completion/complete", "prompts/get", "prompts/list", "ping", "initialize", "subscriptions/listen",
    "notifications/cancelled", "notifications/progress", "logging/setLevel", "server/discover", "no/such", "", "\0",
)  # fmt: skip
NAMES = [name for name, tool in TOOLS.items() if name not in ("brief", "search", "search_semantic", "context_prompt")]
"""What loads no model."""


class Messages:
    """Lines that a client might send, and that none should."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def line(self) -> bytes:
        kind = self._random.randrange(8)
        if kind == 0:
            return self._random.randbytes(self._random.randrange(1, 200)).replace(b"\n", b" ")
        if kind == 1:
            return json.dumps(self._message()).encode()[: self._random.randrange(1, 60)]
        if kind == 2:
            return json.dumps(self._value(0)).encode()
        if kind == 3:
            return b"[" * self._random.randrange(1, 5000)
        if kind == 4 and self._random.random() < 0.1:
            return b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"' + b"x" * (2 << 20) + b'"}}'
        return json.dumps(self._message()).encode()

    def _message(self) -> dict[str, Any]:
        method = self._random.choice(METHODS)
        params = self._params(method) if self._random.random() < 0.8 else self._value(0)
        message = {"jsonrpc": "2.0", "id": self._random.randrange(10**6), "method": method, "params": params}
        for name in list(message):
            if self._random.random() < 0.05:
                del message[name]
            elif self._random.random() < 0.05:
                message[name] = self._value(0)
        return message

    def _params(self, method: str) -> Any:
        if method == "tools/call":
            name = self._random.choice(NAMES)
            fields = TOOLS[name].input_schema()["properties"]
            return {
                "name": name,
                "arguments": {field: self._value(1) for field in fields if self._random.random() < 0.8},
            }
        if method.startswith("resources/"):
            return {"uri": self._random.choice(["kgfs:///", "kgfs:///@kv", "file:///etc/passwd", "x", "kgfs:///%ff"])}
        if method == "completion/complete":
            ref = {"type": "ref/resource", "uri": "kgfs:///topics/{topic}/definition.txt"}
            value = self._random.choice(["", "a'; DROP TABLE x; --", "'", "\\"])
            return {"ref": ref, "argument": {"name": "topic", "value": value}}
        return {"name": self._value(1), "arguments": self._value(1), "requestId": self._random.randrange(10**6)}

    def _value(self, depth: int) -> Any:
        plain = [None, True, 0, -1, 10**30, 1.5, "", "agent", "/", "a:/b", "x" * 300, "\0", "(", "é", "\ud800"]
        if depth < 3 and self._random.random() < 0.3:
            if self._random.random() < 0.5:
                return [self._value(depth + 1) for _ in range(self._random.randrange(4))]
            return {str(self._value(3))[:10]: self._value(depth + 1) for _ in range(self._random.randrange(4))}
        return self._random.choice(plain)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_messages(light_store: Path, seed: int) -> None:
    messages = Messages(seed)
    answers: queue.Queue[bytes] = queue.Queue()
    with subprocess.Popen(
        command(light_store), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def read() -> None:
            for line in stdout:
                answers.put(line)

        threading.Thread(target=read, daemon=True).start()
        try:
            for turn in range(5):
                for _ in range(100):
                    stdin.write(messages.line() + b"\n")
                asked = f"still-{turn}"
                stdin.write(json.dumps({"jsonrpc": "2.0", "id": asked, "method": "ping"}).encode() + b"\n")
                stdin.flush()
                while True:
                    answer = json.loads(answers.get(timeout=60))
                    assert answer["jsonrpc"] == "2.0"
                    if answer.get("id") == asked:
                        assert "result" in answer or "error" in answer
                        break
            assert process.poll() is None
        finally:
            stdin.close()
            process.wait(30)
        assert process.returncode == 0
