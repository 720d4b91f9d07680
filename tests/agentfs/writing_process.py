"""A process that writes into an ``agent.db`` and says what was acknowledged, until it is killed.

``python -m tests.agentfs.writing_process PATH ROUND``: each line of its output is a work that is durable.
"""

from __future__ import annotations

import json
import stat
import sys
import threading
from pathlib import Path

from kgfs.agentfs.audit.tool_calls import Call, ToolCalls
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.keys.key_values import KeyValues
from kgfs.filesystem import ROOT

_print = threading.Lock()


def say(line: str) -> None:
    with _print:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def content(name: str) -> bytes:
    return name.encode() * (hash_of(name) % 2500)


def hash_of(name: str) -> int:
    return sum(ord(sign) * (place + 7) for place, sign in enumerate(name))


def work(files: Workspace, writer: int, turn: int) -> None:
    folder = files.make(ROOT, b"%d-%d" % (turn, writer), stat.S_IFDIR | 0o755, 0, 0, 0).ino
    count = 0
    while True:
        name = f"{turn}-{writer}-{count}"
        temporary = files.make(folder, b"temporary", stat.S_IFREG | 0o644, 0, 0, 0)
        files.hold(temporary.ino)
        files.write(temporary.ino, 0, content(name))
        files.rename(folder, b"temporary", folder, name.encode(), 0)
        files.sync(temporary.ino)
        files.release(temporary.ino)
        say(f"put {name}")
        if count % 3 == 2:
            gone = f"{turn}-{writer}-{count - 1}"
            say(f"removing {gone}")
            files.unlink(folder, gone.encode())
            files.sync()
            say(f"removed {gone}")
        count += 1


def set_keys(database: AgentDatabase, turn: int) -> None:
    values, calls = KeyValues(database), ToolCalls(database)
    count = 0
    while True:
        name = f"{turn}-k-{count}"
        values.set(name, json.dumps(name))
        say(f"set {name}")
        calls.record([Call(name=name, started_ns=1, ended_ns=2)])
        say(f"called {name}")
        count += 1


def main() -> None:
    path, turn = Path(sys.argv[1]), int(sys.argv[2])
    database = AgentDatabase(path)
    files = Workspace(database)
    say("ready")
    for writer in range(4):
        threading.Thread(target=work, args=(files, writer, turn), daemon=True).start()
    threading.Thread(target=set_keys, args=(database, turn), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
