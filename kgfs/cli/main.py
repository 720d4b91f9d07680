"""The entry point ``kgfs``: loads the one command that was asked for and turns errors into sentences and exit statuses.

Runs on the main thread. A command's module is imported when it is named (all of them for ``--help``); none imports an
engine at module level, so that a command costs what it does and no more.
"""

from __future__ import annotations

import importlib
import keyword
import logging
import os
import sys
import traceback
from typing import NoReturn

import click

from kgfs import __version__
from kgfs.cli.declaration import Invocation, SharedOptions, shared_options
from kgfs.errors import Cancelled, KgfsError
from kgfs.nearest import did_you_mean

COMMANDS = {
    "init": "upkeep", "add": "sources", "refresh": "sources", "source": "sources", "watch": "sources",
    "rm": "sources", "wait": "sources", "search": "queries", "brief": "queries", "ls": "browsing", "cat": "browsing",
    "tree": "browsing", "find": "queries", "grep": "queries", "sql": "queries", "stat": "browsing",
    "entity": "corrections", "fact": "corrections", "web": "browsing", "open": "browsing", "agent": "agents",
    "agent-setup": "agents", "mcp": "agents", "context": "agents", "tools": "agents", "mount": "mounts",
    "umount": "mounts", "shell": "mounts", "shell-init": "mounts", "run": "agents", "status": "upkeep",
    "config": "upkeep", "trust": "upkeep", "reembed": "upkeep", "doctor": "upkeep", "kv": "workspaces",
    "workspace": "workspaces", "session": "workspaces", "audit": "workspaces", "fsck": "upkeep", "import": "exchange",
    "export": "exchange", "publish": "exchange", "backup": "exchange", "restore": "exchange", "demo": "",
    "completion": "",
}  # fmt: skip
"""Command to the part of ``kgfs.cli`` that has its module, in the order in which help lists them."""


def module_of(command: str) -> str:
    """The module of ``kgfs.cli`` that has a command."""
    name = command.replace("-", "_")
    module = f"{name}_" if keyword.iskeyword(name) else name
    return f"{COMMANDS[command]}.{module}" if COMMANDS[command] else module


class Program(SharedOptions, click.Group):
    """The group of all commands, each in the module of its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"kgfs.cli.{module_of(cmd_name)}").command
        return command


PROGRAM = Program(
    name="kgfs",
    help="A knowledge graph that you mount: documents in, a file system out.",
    epilog="The store is --store, $KGFS_STORE, that of the mount you are in, the nearest .kgfs/, or your own.",
    params=[
        *shared_options(),
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False,
            callback=lambda context, parameter, wanted: _version(context, wanted), help="Show the version and exit.",
        ),
    ],
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip


def _version(context: click.Context, wanted: bool) -> None:
    if wanted:
        click.echo(f"kgfs {__version__}")
        context.exit()


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run one command and end the process with its exit status."""
    _open_standard_streams()
    status = run(arguments if arguments is not None else sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        status = _reader_gone()
    sys.stderr.flush()
    # Everything durable is committed and closed by now. Threads of engines must not keep a finished command alive, and
    # taking all modules apart would cost as much as a small command.
    os._exit(status)


def run(arguments: list[str]) -> int:
    """Run one command; returns the exit status and prints the error, if there is one."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="surrogateescape")
    invocation = Invocation()
    # What went wrong is said once, as a sentence; the log lines behind it are for -v and for a daemon's log.
    logging.basicConfig(level=logging.DEBUG if {"-v", "--verbose"} & set(arguments) else logging.CRITICAL + 1)
    try:
        status = PROGRAM.main(arguments, prog_name="kgfs", standalone_mode=False, obj=invocation)
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else error.message)
        return 2
    except click.UsageError as error:
        hint = f" See `{error.ctx.command_path} --help`." if error.ctx else ""
        sentence = _sentence(error)
        return invocation.fail("usage", sentence + ("" if sentence.endswith((".", "?")) else ".") + hint, 2)
    except click.ClickException as error:
        return invocation.fail("failed", error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return invocation.fail("cancelled", "Stopped.", 130)
    except BrokenPipeError:
        return _reader_gone()
    except Cancelled as error:
        return invocation.fail(error.kind, error.message, error.exit_status)
    except KgfsError as error:
        return invocation.fail(error.kind, error.message, error.exit_status)
    except OSError as error:
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return invocation.fail("failed", f"{where}{error.strerror or error}.", 1)
    except Exception as error:
        if invocation.verbose:
            traceback.print_exc()
        sentence = f"Unexpected {type(error).__name__}: {error}; run it again with -v and report what it prints."
        return invocation.fail("internal", sentence, 1)


def _sentence(error: click.UsageError) -> str:
    """What is wrong with the words of a command, and what may have been meant."""
    if isinstance(error, click.NoSuchOption):
        options = [name for each in error.ctx.command.get_params(error.ctx) for name in each.opts] if error.ctx else []
        near = did_you_mean(error.option_name, options)
        return f"There is no option {error.option_name}{f'; {near}' if near else '.'}"
    if isinstance(error, click.exceptions.NoSuchCommand):
        group = error.ctx.command if error.ctx else PROGRAM
        known = group.list_commands(error.ctx or click.Context(group)) if isinstance(group, click.Group) else []
        near = did_you_mean(error.command_name, known)
        return f"There is no command {error.command_name}{f'; {near}' if near else '.'}"
    return error.format_message()


def _open_standard_streams() -> None:
    """A stream that is closed (``>&-``) leads nowhere: else the next file opened would get what is printed."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # as long as the process


def _reader_gone() -> int:
    """The reader of our output has enough (``| head``): end quietly, as other tools do."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


if __name__ == "__main__":
    main()
