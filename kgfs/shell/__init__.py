"""The bash functions of ``kgfs shell``: ``ls``, ``cd``, ``cat``, ``grep`` and others that know the graph.

Used by ``kgfs shell`` and ``kgfs shell-init bash``. The functions are bash, in files beside this one. ``core`` comes
first and ``end`` last; the order of the others does not matter.
"""

from __future__ import annotations

from importlib.resources import files

PARTS = ("core", "near", "place", "ls", "read", "grep", "find", "end")


def functions() -> str:
    """All functions as one text for bash to evaluate."""
    return "\n".join(_part(name) for name in PARTS)


def startup() -> str:
    """What a bash of ``kgfs shell`` reads when it starts: the user's own settings, the prompt, the functions."""
    return _part("startup") + "\n" + functions()


def _part(name: str) -> str:
    return (files(__name__) / f"{name}.bash").read_text("utf-8")
