"""The bash functions of ``kgfs shell``: ``ls``, ``cd``, ``cat``, ``grep`` and others that know the graph.

Used by ``kgfs shell`` and ``kgfs shell-init bash``. The functions are bash in files beside this one; ``core.bash`` is
read first, the order of the others does not matter.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

PARTS = ("core", "near", "place", "ls", "read", "grep", "find", "end")


def functions() -> str:
    """All functions as one text for bash to evaluate."""
    return "\n".join((files(__name__) / f"{part}.bash").read_text("utf-8") for part in PARTS)


def startup_file() -> Path:
    """The file that a bash of ``kgfs shell`` starts with."""
    return Path(str(files(__name__) / "startup.bash"))
