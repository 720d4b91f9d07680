"""``kgfs completion``: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from kgfs.cli.declaration import Invocation, declare
from kgfs.errors import KgfsError


@declare("completion", "Print the completion script for a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(invocation: Invocation, shell: str) -> None:
    """Print the completion script for a shell: `eval "$(kgfs completion bash)"`."""
    print(script(shell))


def script(shell: str) -> str:
    """The text of the script, which asks `kgfs` itself for what can follow. ``KgfsError`` for another shell."""
    from kgfs.cli.main import PROGRAM

    kind = get_completion_class(shell)
    if kind is None:
        raise KgfsError(f"There is no completion for {shell}.")
    completion = kind(PROGRAM, {}, "kgfs", "_KGFS_COMPLETE")
    # The script without click's check of the shell's version, which would start that shell.
    return completion.source_template % completion.source_vars()
