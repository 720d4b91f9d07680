"""``docs/cli.md`` out of the commands' own declarations: ``python -m kgfs.cli.reference > docs/cli.md``.

Used by whoever changes a command; a test compares the file with what this makes.
"""

from __future__ import annotations

import ast
import inspect
import re

import click
import msgspec

from kgfs.cli.declaration import shared_options
from kgfs.cli.main import PROGRAM
from kgfs.config import Config

EXIT_STATUSES = {
    0: "done; no hits too, but for `grep`",
    1: "failed; `grep` without a match",
    2: "wrong usage",
    3: "not found",
    4: "conflict: something is there already, or another process has it",
    5: "partly done: the messages say what failed",
    130: "stopped with Ctrl-C",
}


def reference() -> str:
    """The page, as Markdown."""
    context = click.Context(PROGRAM, info_name="kgfs")
    lines = [
        "# Commands",
        "",
        "Made from the declarations by `python -m kgfs.cli.reference > docs/cli.md`; a test checks that it is current.",
        "",
        "The store is `--store DIR`, else `$KGFS_STORE`, else the store of the mount in which PATH or the current",
        "directory lies, else the nearest `.kgfs/` upward, else the XDG data directory (made by the first `add`).",
        "",
        "PATH is a path on the mount, from the tree's root, `/kg/…`, `drive:/path` or an id.",
        "",
        "Errors are one sentence on standard error, with `--json`",
        '`{"error": {"kind", "message", "exit_status"}}`.',
        "",
        'Completion: `eval "$(kgfs completion bash)"` (or zsh, fish) in the shell\'s start file.',
        "",
        "## Exit statuses",
        "",
        "| status | meaning |",
        "|---|---|",
        *(f"| {status} | {meaning} |" for status, meaning in EXIT_STATUSES.items()),
        "",
        "## Options of every command",
        "",
        *_options(shared_options(), context),
    ]
    lines += _commands(PROGRAM, context)
    lines += ["", "## Settings", "", "What `kgfs config` shows and sets, for one store:", ""]
    lines += ["| setting | default | meaning |", "|---|---|---|"]
    said, defaults = descriptions(), msgspec.to_builtins(Config())
    for name, default in defaults.items():
        shown = msgspec.json.encode(default).decode()
        lines.append(f"| `{name}` | `{shown}` | {said.get(name, '')} |")
    return "\n".join(lines) + "\n"


def descriptions() -> dict[str, str]:
    """Each setting with what stands beneath its declaration."""
    (declared,) = ast.parse(inspect.getsource(Config)).body
    assert isinstance(declared, ast.ClassDef)
    found: dict[str, str] = {}
    for field, beneath in zip(declared.body, declared.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(beneath, ast.Expr):
            text = ast.literal_eval(beneath.value)
            found[field.target.id] = re.sub(r"\s+", " ", text).replace("``", "`").replace("|", "\\|").strip()
    return found


def _commands(group: click.Group, context: click.Context) -> list[str]:
    """The sections of a group's commands; those of a group in it follow it."""
    lines = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        own = click.Context(command, info_name=name, parent=context)
        shared = {option.name for option in shared_options()}
        usage = " ".join(command.collect_usage_pieces(own)).replace("[OPTIONS]", "").split()
        lines += ["", f"## {' '.join([context.command_path, name, *usage])}", "", _prose(command.help or "")]
        shown = _options([option for option in command.params if option.name not in shared], own)
        if shown:
            lines += ["", *shown]
        if isinstance(command, click.Group):
            lines += _commands(command, own)
    return lines


def _options(parameters: list[click.Parameter], context: click.Context) -> list[str]:
    rows = []
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            what = re.sub(r"\s+", " ", record[1]).replace("|", "\\|")
            names = record[0].replace("|", "\\|")
            rows.append(f"| `{names}` | {what} |")
    return ["| option | |", "|---|---|", *rows] if rows else []


def _prose(text: str) -> str:
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(re.sub(r"\s+", " ", paragraph).strip() for paragraph in paragraphs)


if __name__ == "__main__":
    print(reference(), end="")
