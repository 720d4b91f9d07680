"""A process that works in a session and says what was acknowledged, until it is killed.

``python -m tests.agentfs.session_process FILE BASE ROUND``: the base is a directory of the host; each line of the
output is a work that is durable.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.overlays.overlay import Overlay
from kgfs.filesystem import ROOT
from tests.agentfs.writing_process import content, say
from tests.memory_file_system import MemoryFileSystem

FILES = 60
WRITERS = 3


def base_of(turn: int) -> MemoryFileSystem:
    """The base in a round: that of the one before, with more files. ``base-N-W-C`` is a name of it."""
    base = MemoryFileSystem(0, 0)
    for before in range(turn + 1):
        for writer in range(WRITERS):
            folder = base.make(ROOT, b"%d-%d" % (before, writer), stat.S_IFDIR | 0o755, 0, 0, 0).ino
            for count in range(FILES):
                name = f"base-{before}-{writer}-{count}"
                made = base.make(folder, name.encode(), stat.S_IFREG | 0o644, 0, 0, 0).ino
                base.write(made, 0, content(name))
    return base


def work(files: Overlay, writer: int, turn: int) -> None:
    folder = files.lookup(ROOT, b"%d-%d" % (turn, writer)).ino
    for count in range(FILES):
        base = f"base-{turn}-{writer}-{count}"
        ino = files.lookup(folder, base.encode()).ino
        new = f"moved-{turn}-{writer}-{count}"
        if count % 3 == 0:
            say(f"begin {base}")
            files.rename(folder, base.encode(), folder, new.encode(), 0)
            files.sync(ino)
            say(f"moved {base}")
        elif count % 3 == 1:
            say(f"begin {base}")
            files.unlink(folder, base.encode())
            files.sync(folder)
            say(f"removed {base}")
        else:
            say(f"begin {base}")
            files.hold(ino)
            files.write(ino, files.getattr(ino).size, b"added")
            files.sync(ino)
            files.release(ino)
            say(f"changed {base}")
    say(f"done {turn}-{writer}")
    threading.Event().wait()


def main() -> None:
    path, turn = Path(sys.argv[1]), int(sys.argv[2])
    files = Overlay(base_of(turn), AgentDatabase(path))
    say("ready")
    for writer in range(WRITERS):
        threading.Thread(target=work, args=(files, writer, turn), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
    os._exit(0)
