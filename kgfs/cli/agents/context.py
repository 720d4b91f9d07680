"""``kgfs context``: stored files by drive and path, with the agent's tools as commands.

A subcommand lies in the ``COMMANDS`` of the module that ``SUBCOMMANDS`` names; it is imported when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

import click

from kgfs.cli.declaration import Invocation, SharedOptions, shared_options
from kgfs.errors import KgfsError, UsageError

SUBCOMMANDS = {
    "list": "context_tools", "tree": "context_tools", "read": "context_tools", "write": "context_tools",
    "edit": "context_tools", "delete": "context_tools", "copy": "context_tools", "move": "context_tools",
    "info": "context_tools", "exists": "context_tools", "count-lines": "context_tools", "mkdir": "context_tools",
    "size": "context_tools", "refresh": "context_tools", "search": "context_tools", "grep": "context_tools",
    "prompt": "context_prompt",
    "history": "context_history", "diff": "context_history", "restore": "context_history",
}  # fmt: skip
"""Subcommand to its module in ``kgfs.cli.agents``, in the order in which help lists them."""


class Context(SharedOptions, click.Group):
    """The group of the subcommands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        module = importlib.import_module(f"kgfs.cli.agents.{SUBCOMMANDS[cmd_name]}")
        found: click.Command = module.COMMANDS[cmd_name]
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand. With ``--json`` a failure before the tool is called is a value too."""
        try:
            return super().invoke(ctx)
        except (KgfsError, click.UsageError) as error:
            invocation = ctx.find_object(Invocation)
            if invocation is None or not invocation.json or isinstance(error, click.exceptions.NoArgsIsHelpError):
                raise
            from kgfs.cli.agents import context_output
            from kgfs.tools.outcome import BadArguments, failure

            known = BadArguments(error.format_message()) if isinstance(error, click.UsageError) else error
            if type(known) is UsageError:
                known = BadArguments(known.message)
            return context_output.finish(invocation, failure(known))


command = Context(
    name="context",
    help="""Read and write stored files by drive and path, as an agent does with its tools.

    PATH is drive:/path, a path on the mount, a path from its root (notes/a.md), or an id. Only the drive agent is
    writable, unless the store is mounted with --writable. With --json a subcommand prints the result of the tool: one
    object, also for a failure (`is_error`).
    """,
    short_help="Read, write and edit stored files by drive and path.",
    params=shared_options(),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
