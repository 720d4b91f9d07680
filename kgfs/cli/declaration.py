"""What all commands share: the options that every command takes, and the invocation that carries them.

Used by every module of ``kgfs.cli``. Imports click and nothing heavy. The shared options may stand before the command
or after it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from kgfs.names import json_bytes, one_line

DUMB = ("", "dumb", "unknown")
"""Values of ``$TERM`` of what shows text and nothing else."""


@dataclass
class Invocation:
    """One run of the program: the values of the shared options, and how it prints."""

    store: str | None = None
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    color_when: str = "auto"

    @property
    def terminal(self) -> bool:
        """Whether standard output is a terminal for a person."""
        return sys.stdout.isatty() and not self.json

    @property
    def color(self) -> bool:
        """Whether results have colours: as the user said, else as the environment says, else on a terminal."""
        return not self.json and self._colored(sys.stdout.isatty())

    @property
    def no_color(self) -> bool:
        """Whether progress, which is drawn on standard error, goes without colours."""
        return not self._colored(sys.stderr.isatty())

    def _colored(self, terminal: bool) -> bool:
        if self.color_when != "auto":
            return self.color_when == "always"
        if os.environ.get("NO_COLOR"):  # no-color.org
            return False
        if os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):  # bixense.com/clicolors
            return True
        return terminal and os.environ.get("TERM", "") not in DUMB and os.environ.get("CLICOLOR") != "0"

    def say(self, line: str = "") -> None:
        """A line for a person: left out with ``--quiet`` and ``--json``."""
        if not self.quiet and not self.json:
            print(line, flush=True)

    def note(self, line: str) -> None:
        """As ``say``, to standard error: what is not the result. Names and servers' words in it stay one line."""
        if not self.quiet and not self.json:
            print(one_line(line), file=sys.stderr, flush=True)

    def warn(self, line: str) -> None:
        """As ``note``, for a failure while the rest succeeded: printed with ``--quiet`` too."""
        if not self.json:
            print(one_line(line), file=sys.stderr, flush=True)

    def emit(self, value: Any) -> None:
        """One JSON object on its own line."""
        sys.stdout.write(json_bytes(value).decode() + "\n")

    def printable(self, text: str) -> str:
        """``text`` as it may go to standard output: on a terminal no control character gets through."""
        return one_line(text) if self.terminal else text

    def style(self, text: str, **style: Any) -> str:
        return click.style(text, **style) if text and style and self.color else text

    def fail(self, kind: str, message: str, status: int) -> int:
        """Print an error, as one sentence or as JSON, and return ``status``."""
        message = one_line(message)
        if self.json:
            error = {"error": {"kind": kind, "message": message, "exit_status": status}}
            line = json_bytes(error).decode()
        else:
            line = f"kgfs: {message}"
        print(line, file=sys.stderr, flush=True)
        return status


def _set(name: str, to: Any = None) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        if value:  # given before the command and after it: either is enough
            setattr(context.ensure_object(Invocation), name, value if to is None else to)

    return callback


def shared_options() -> list[click.Parameter]:
    """The options that may stand before and after every command."""
    return [
        click.Option(
            ["--store"], metavar="DIR", expose_value=False, callback=_set("store"), is_eager=True,
            help="The store to use.",
        ),
        click.Option(
            ["--json"], is_flag=True, expose_value=False, callback=_set("json"), is_eager=True,
            help="Print results and errors as JSON; a list has one object per line.",
        ),
        click.Option(
            ["-q", "--quiet"], is_flag=True, expose_value=False, callback=_set("quiet"), is_eager=True,
            help="Print only results and errors.",
        ),
        click.Option(
            ["-v", "--verbose"], is_flag=True, expose_value=False, callback=_set("verbose"), is_eager=True,
            help="Print more details.",
        ),
        click.Option(
            ["--color", "color_when"], type=click.Choice(["auto", "always", "never"]), metavar="WHEN",
            expose_value=False, callback=_set("color_when"), is_eager=True,
            help="Print colours: always, never, or auto, on a terminal (also: CLICOLOR_FORCE).",
        ),
        click.Option(
            ["--no-color"], is_flag=True, expose_value=False, callback=_set("color_when", "never"), is_eager=True,
            help="Print no colours (also: NO_COLOR).",
        ),
    ]  # fmt: skip


class SharedOptions(click.Command):
    """A command that tells its own options from the shared ones in its help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shared = {option.name for option in shared_options()}
        own: list[tuple[str, str]] = []
        common: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and record[1]:  # an argument is in the usage line, and explained in the help's text
                (common if parameter.name in shared else own).append(record)
        for title, records in (("Options", own), ("Options of every command", common)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)


class _Command(SharedOptions):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(shared_options())


def declare(name: str, short: str | None = None) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command of the program; it gets the ``Invocation`` first and may return an exit status.

    ``short`` is its line in the list of commands, where the first sentence of its help is too long for a terminal.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        return click.command(
            name,
            cls=_Command,
            short_help=short,
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        )(click.pass_obj(function))

    return decorate
