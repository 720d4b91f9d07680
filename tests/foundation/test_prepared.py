"""Records decoded for the first time by several threads at once: msgspec alone crashes the process there."""

from __future__ import annotations

import subprocess
import sys

RACE = """
import sys, threading, msgspec
from kgfs.model import prepared
sys.setswitchinterval(1e-6)
body = msgspec.msgpack.encode({"rows": [{"id": 1, "text": "x", "inner": {"a": 1, "b": [1, 2]}}]})
for n in range(1000):
    inner = msgspec.defstruct(f"Inner{n}", [("a", int), ("b", list[int])])
    row = msgspec.defstruct(f"Row{n}", [("id", int), ("text", str), ("inner", inner)])
    top = msgspec.defstruct(f"Top{n}", [("rows", list[row])])
    barrier = threading.Barrier(4)
    def work():
        barrier.wait()
        assert msgspec.msgpack.decode(body, type=prepared(top)).rows[0].inner.b == [1, 2]
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
print("survived")
"""


def test_first_use_in_many_threads() -> None:
    done = subprocess.run([sys.executable, "-c", RACE], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "survived\n", "")
