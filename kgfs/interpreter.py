"""How kgfs starts a Python program of its own in a process of its own.

Used by everything that starts one: commands, the daemon, the worker. Pure.
"""

from __future__ import annotations

import os
import sys

PYTHON = sys.executable
"""The interpreter. Tests put another program here, one that starts faster."""


def program(module: str, *arguments: str | os.PathLike[str]) -> list[str]:
    """The command that runs a module of kgfs as a program. ``-P``: it takes no module from the working directory,
    which may be a folder that somebody handed over.
    """
    return [PYTHON, "-P", "-m", module, *(os.fspath(argument) for argument in arguments)]
