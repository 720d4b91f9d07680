"""``kgfs workspace``: what goes into the workspace and out of it as a whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import msgspec

from kgfs.cli.declaration import Invocation, SharedOptions, declare, shared_options
from kgfs.cli.outcome import PARTLY_DONE
from kgfs.cli.progress import following
from kgfs.cli.stores import sendable, session, short
from kgfs.cli.workspaces.agent_file import read_agent
from kgfs.counting import counted
from kgfs.errors import NotFoundError


class _Workspace(SharedOptions, click.Group):
    """The group of the subcommands, in the order in which they were declared."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


command = _Workspace(
    name="workspace",
    help="""Bring files into the workspace, out of it, or into the notes.

    The workspace is a file system of its own in agent.db in the store: it keeps everything that POSIX knows and is not
    indexed. Its format is that of the Agent Filesystem Specification, so other programs can read what is exported.
    """,
    short_help="Import, export and promote files of the workspace.",
    params=shared_options(),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@declare("import")
@click.argument("source")
@click.argument("to", required=False)
@click.option("--replace", is_flag=True, help="Replace files and keys that are there.")
@click.option("--keys", is_flag=True, help="Import the key-value store of a file, too.")
@click.option("--calls", is_flag=True, help="Import the tool calls of a file, too.")
def _import(invocation: Invocation, source: str, to: str | None, replace: bool, keys: bool, calls: bool) -> int:
    """Copy the directory SOURCE, or what an Agent Filesystem file SOURCE holds, to the directory TO of the workspace.

    Without TO it goes to a directory of its own name; / is the workspace itself. Directories that are there are merged.
    The exit status is 5 if something was left out.
    """
    path = os.path.abspath(os.path.expanduser(source))
    options = {"replace": replace, "keys": keys, "calls": calls}
    place = None if to is None else os.fsencode(to)
    with session(invocation) as store, following(invocation, "import") as receiver:
        result = store.call("workspace-import", {"path": os.fsencode(path), "to": place, "options": options}, receiver)
    return _told(invocation, result, "imported")


@declare("export")
@click.argument("to")
@click.argument("source", required=False, default="/")
@click.option("--keys", is_flag=True, help="Export the key-value store, too, into a file.")
@click.option("--calls", is_flag=True, help="Export the tool calls, too, into a file.")
def _export(invocation: Invocation, to: str, source: str, keys: bool, calls: bool) -> int:
    """Copy the directory SOURCE of the workspace, or all of it, to TO, which must not exist.

    If TO ends in .db, .sqlite or .agentfs, it becomes a file that other clients of the Agent Filesystem can open, else
    a directory. The exit status is 5 if something was left out.
    """
    from kgfs.agentfs.exchange.transfer import export_path, opened_copy
    from kgfs.agentfs.filesystem.workspace import Workspace

    with session(invocation) as store:
        store.call("workspace-settle", {})
    database = read_agent(invocation)
    if database is None:
        raise NotFoundError("The store has no workspace yet.")
    path = Path(os.path.abspath(os.path.expanduser(to)))
    with database, opened_copy(database.path) as (copy, _):
        files = Workspace(copy, reserve=0)
        try:
            done = export_path(copy, files, os.fsencode(source), path, keys=keys, calls=calls)
        finally:
            files.close()
    return _told(invocation, msgspec.to_builtins(done), f"exported to {short(path)}")


@declare("promote")
@click.argument("paths", nargs=-1, required=True)
@click.option("--to", default="", metavar="DIR", help="The directory of notes/ to put them in.")
@click.option("--replace", is_flag=True, help="Replace notes that are there; what they held stays in their history.")
def _promote(invocation: Invocation, paths: tuple[str, ...], to: str, replace: bool) -> int:
    """Copy files of the workspace into notes/, where they are indexed and become knowledge.

    A directory is copied with all files beneath it. The exit status is 5 if something was left out.
    """
    given: dict[str, Any] = {
        "paths": [os.fsencode(path) for path in paths], "to": sendable(to), "replace": replace,
    }  # fmt: skip
    with session(invocation) as store, following(invocation, "promote") as receiver:
        result = store.call("workspace-promote", given, receiver)
        store.call("settle", {}, receiver)
    if invocation.json:
        invocation.emit(result)
    else:
        for sentence in result["left_out"]:
            invocation.warn(f"  {sentence}")
        invocation.say(f"{counted(len(result['promoted']), 'file')} promoted.")
    return PARTLY_DONE if result["left_out"] else 0


def _told(invocation: Invocation, result: dict[str, Any], verb: str) -> int:
    copied = result["copied"]
    if invocation.json:
        invocation.emit(result)
    else:
        for sentence in result["mended"]:
            invocation.note(f"  Mended: {sentence}")
        for sentence in copied["left_out"]:
            invocation.warn(f"  Left out: {sentence}")
        parts = [counted(copied["files"], "file"), counted(copied["directories"], "directory", "directories")]
        if copied["links"]:
            parts.append(counted(copied["links"], "link"))
        invocation.say(f"{', '.join(parts)} {verb}.")
    return PARTLY_DONE if copied["left_out"] else 0


for _subcommand in (_import, _export, _promote):
    command.add_command(_subcommand)
