"""``kgfs agent-setup``: how other agents are told of the mount and of the MCP server."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import click

from kgfs import interpreter, mounts
from kgfs.cli.agents.agent_programs import (
    PROGRAMS,
    NotMerged,
    Program,
    adding_command,
    instructions,
    with_block,
    with_server,
)
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, short
from kgfs.config import require_store
from kgfs.errors import UsageError

MOST_BYTES = 4 * 1024 * 1024
"""A larger file is no file of settings."""

What = Literal["shell", "mcp"]


class Part(NamedTuple):
    """A file, as it is and as it would be."""

    what: What
    file: Path
    before: str
    after: str
    snippet: str
    """Ours alone."""
    problem: str = ""

    @property
    def state(self) -> str:
        if self.problem:
            return "refused"
        return "there" if self.before == self.after else "changed" if self.before else "new"


@declare("agent-setup", "Configure another agent for the mount and for MCP.")
@click.argument("program", required=False, type=click.Choice(sorted(PROGRAMS)), metavar="[PROGRAM]")
@click.option("--write", is_flag=True, help="Put it in place, and show what changes.")
@click.option("--user", is_flag=True, help="For all your projects instead of the current directory.")
@click.option("--only", type=click.Choice(["shell", "mcp"]), help="Only the instructions, or only the MCP server.")
@click.option("--at", metavar="DIR", type=click.Path(path_type=Path), help="The mount, if there are several or none.")
def command(
    invocation: Invocation, program: str | None, write: bool, user: bool, only: What | None, at: Path | None
) -> int:
    """Print what another agent needs to use this store, or put it in place.

    PROGRAM is claude-code, codex, cursor, gemini, opencode, vscode, windsurf or zed; without it, they are listed. There
    are two ways, and both may be set up: instructions for an agent with a shell, which reads the mount; and `kgfs mcp`
    as a server of the Model Context Protocol. Files are those of the current directory, or with --user your own. What
    is in them stays; a file that cannot be merged is not touched.
    """
    if program is None:
        _list(invocation, user)
        return 0
    store = require_store(chosen_store(invocation)).resolve()
    chosen = PROGRAMS[program]
    server = [*_program(), "--store", str(store), "mcp"]
    parts = list(
        _parts(invocation, chosen, Path.home() if user else Path.cwd(), user, only, _mountpoint(store, at), server)
    )
    for part in parts:
        if write and part.state in ("new", "changed"):
            _put(part)
        _show(invocation, part, write)
    added = adding_command(chosen, server) if user and only != "shell" else None
    if added:
        if invocation.json:
            invocation.emit({"what": "mcp", "command": added, "state": "by hand"})
        else:
            print(f"# Run this; {chosen.title} keeps its servers itself:\n{added}\n")
    if not parts and not added:
        raise UsageError(f"{chosen.title} has no such file; leave out --{'user' if user else 'only'}.")
    if not write and any(part.state in ("new", "changed") for part in parts):
        invocation.note("Nothing was written; --write puts it in place.")
    return 1 if any(part.problem for part in parts) else 0


def _list(invocation: Invocation, user: bool) -> None:
    for name, program in sorted(PROGRAMS.items()):
        files = (program.user_instructions, program.user_servers) if user else (program.instructions, program.servers)
        if invocation.json:
            invocation.emit({"program": name, "title": program.title, "instructions": files[0], "mcp": files[1]})
        else:
            prefix = "~/" if user else ""
            print(f"{name:<12} {program.title:<20} {', '.join(prefix + file for file in files if file)}")
    invocation.note("`kgfs agent-setup PROGRAM` shows what to put where; --write does it.")


def _program() -> list[str]:
    """How this program is started from elsewhere."""
    script = Path(sys.executable).with_name("kgfs")
    found = str(script) if script.exists() else shutil.which("kgfs")
    return [found] if found else interpreter.program("kgfs.cli.main")


def _mountpoint(store: Path, at: Path | None) -> Path | None:
    """The mount that an agent is to read: the one that was named, or that of the store."""
    if at is not None:
        return at.expanduser().absolute()
    there = [mount.mountpoint for mount in mounts.mounts_of(store)]
    if len(there) > 1:
        raise UsageError(f"The store is mounted at {', '.join(map(short, there))}; say which one with --at.")
    return there[0] if there else None


def _parts(
    invocation: Invocation, program: Program, base: Path, user: bool, only: What | None, mountpoint: Path | None,
    server: list[str],
) -> Iterator[Part]:  # fmt: skip
    read, served = (
        (program.user_instructions, program.user_servers) if user else (program.instructions, program.servers)
    )
    if only != "mcp" and read is not None:
        if mountpoint is None:
            invocation.warn(
                "No instructions for a shell: the store is not mounted. `kgfs mount DIR`, or name it by --at."
            )
        else:
            block = instructions(mountpoint)
            yield _part("shell", base / read, block, lambda text: with_block(text, block))
    if only != "shell" and served is not None:
        yield _part(
            "mcp", base / served, with_server(program, "", server), lambda text: with_server(program, text, server)
        )


def _part(what: What, file: Path, snippet: str, merged: Callable[[str], str]) -> Part:
    try:
        before = _text(file)
    except NotMerged as error:
        return Part(what, file, "", "", snippet, f"{short(file)} {error.message}.")
    try:
        return Part(what, file, before, merged(before), snippet)
    except NotMerged as error:
        return Part(what, file, before, before, snippet, f"{short(file)} {error.message}, or add this yourself.")


def _text(file: Path) -> str:
    try:
        if file.exists() and not file.is_file():
            raise NotMerged("is no file")
        if file.exists() and file.stat().st_size > MOST_BYTES:
            raise NotMerged("is too large to be a file of settings")
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise NotMerged("is no UTF-8 text") from None


def _put(part: Part) -> None:
    """Write a file as a whole or not at all; a link to it stays one, and so does its mode."""
    file = part.file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = file.stat().st_mode & 0o7777 if file.exists() else 0o644
    descriptor, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as stream:
            stream.write(part.after)
        os.chmod(temporary, mode)
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise


def _show(invocation: Invocation, part: Part, written: bool) -> None:
    if invocation.json:
        state = "written" if written and part.state in ("new", "changed") else part.state
        shown = {"what": part.what, "file": str(part.file), "state": state, "content": part.snippet}
        invocation.emit({**shown, **({"problem": part.problem} if part.problem else {})})
        return
    if part.problem:
        invocation.warn(f"kgfs: {part.problem}")
    if part.state == "there":
        print(f"# {short(part.file)}: it is there already\n")
    elif written and not part.problem:
        print(f"# {short(part.file)}: written")
        lines = difflib.unified_diff(
            part.before.splitlines(), part.after.splitlines(), "before", "after", n=2, lineterm=""
        )
        print(_printable(invocation, lines) + "\n")
    else:
        print(f"# {short(part.file)}: {'add' if part.before else 'a new file with'}")
        print(_printable(invocation, part.snippet.splitlines()) + "\n")


def _printable(invocation: Invocation, lines: Iterable[str]) -> str:
    return "\n".join(invocation.printable(line) for line in lines)
