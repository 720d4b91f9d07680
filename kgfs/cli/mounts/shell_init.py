"""``kgfs shell-init``: the functions of ``kgfs shell``, for your own shell."""

from __future__ import annotations

import sys

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.shell import functions


@declare("shell-init", "Print the functions of `kgfs shell` for your own shell.")
@click.argument("shell", type=click.Choice(["bash"]))
def command(invocation: Invocation, shell: str) -> None:
    """Print functions that let ls, cd, cat, grep, find, wc, head, tail and pwd know the graph, on every mount of kgfs.

    Put this in ~/.bashrc: `eval "$(kgfs shell-init bash)"`. Other paths are passed to the real tools.
    """
    sys.stdout.write(functions())
