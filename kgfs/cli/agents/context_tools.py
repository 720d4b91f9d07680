"""The subcommands of ``kgfs context`` that are tools: options and their help come from the registry.

Used by ``kgfs.cli.agents.context``. A command sends one request, ``tool``, to the process that has the store open, or
handles it itself.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from kgfs.cli.agents import context_output as show
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.indexing import index, no_index
from kgfs.cli.stores import places, sendable, session
from kgfs.errors import KgfsError, TooLarge, UsageError
from kgfs.tools.registry import TOOLS

MOST_BYTES = 11 * 1024 * 1024
"""More does not fit into one request."""

Value = dict[str, Any]
Show = Callable[[Invocation, Value], None]

COMMANDS: dict[str, click.Command] = {}
"""Subcommand to command."""


# --- from the registry -----------------------------------------------------------------------------------------------


def _options(tool: str, left_out: Sequence[str], names: dict[str, list[str]]) -> list[click.Parameter]:
    """The parameters of a tool as options; without an option the tool uses its default."""
    found: list[click.Parameter] = []
    for name, schema in TOOLS[tool].input_schema()["properties"].items():
        if name in left_out:
            continue
        spelled = names.get(name, [f"--{name.replace('_', '-')}"])
        kinds = [schema, *schema.get("anyOf", ())]
        kind: dict[str, Any] = next(
            (each for each in kinds if each.get("type", "null") != "null" or "enum" in each), {}
        )
        default = schema.get("default")
        text = schema["description"]
        if default is not None and kind.get("type") != "boolean":
            text = f"{text.rstrip('.')} ({default})."
        if "enum" in kind:
            found.append(click.Option([*spelled, name], type=click.Choice(kind["enum"]), help=text))
        elif kind.get("type") == "boolean":
            if default:
                spelled = [f"--{name}/--no-{name}"]
            found.append(click.Option([*spelled, name], is_flag=True, default=None, help=text))
        elif kind.get("type") == "integer":
            numbers = click.IntRange(kind.get("minimum"), kind.get("maximum"))
            found.append(click.Option([*spelled, name], type=numbers, metavar="N", help=text))
        elif kind.get("type") == "number":
            reals = click.FloatRange(kind.get("minimum"), kind.get("maximum"))
            found.append(click.Option([*spelled, name], type=reals, metavar="X", help=text))
        else:
            found.append(click.Option([*spelled, name], metavar=name.upper(), help=text))
    return found


def _command(
    name: str,
    tool: str,
    short: str,
    text: str | None,
    shown: Show,
    *,
    paths: Sequence[click.Argument] = (),
    words: Sequence[click.Argument] = (),
    left_out: Sequence[str] = (),
    names: dict[str, list[str]] | None = None,
    more: Sequence[click.Parameter] = (),
    prepare: Callable[[dict[str, Any]], None] = lambda given: None,
    status: Callable[[Value], int] = lambda value: 0,
    writes: bool = False,
) -> None:
    """Make the subcommand of a tool. ``paths`` and ``words`` are its arguments, by the names of its parameters.

    Its help is ``text``, or else the description of the tool. What one that ``writes`` has written is indexed.
    """
    on_paths = [str(each.name) for each in (*paths, *more) if each.name in ("path", "src_path", "dst_path")]
    on_words = [str(each.name) for each in words]
    drives = [each.replace("path", "drive") for each in on_paths]

    def run(invocation: Invocation, **given: Any) -> int:
        prepare(given)
        leave = given.pop("no_index", None)
        given = {key: value for key, value in given.items() if value is not None}
        value, _ = _asked(invocation, tool, given, [each for each in on_paths if each in given], leave)
        ended = show.finish(invocation, value)
        if not ended and not invocation.json:
            shown(invocation, value)
        return ended or status(value)

    run.__doc__ = text or TOOLS[tool].description
    made = declare(name, short)(no_index(run) if writes else run)
    options = _options(tool, [*on_paths, *on_words, *drives, *left_out], names or {})
    made.params[:0] = [*words, *paths, *options, *more]
    COMMANDS[name] = made


def ask(invocation: Invocation, tool: str, given: dict[str, Any], on_paths: Sequence[str]) -> Value:
    """Call a tool; ``on_paths`` are the arguments that are a PATH."""
    return _asked(invocation, tool, given, on_paths, None)[0]


def _asked(
    invocation: Invocation, tool: str, given: dict[str, Any], on_paths: Sequence[str], leave: bool | None
) -> tuple[Value, str]:
    """The result of a tool; of one that writes also when the text is searchable. ``leave``: do not index it here."""
    texts = [given[name] for name in on_paths]
    with session(invocation, texts) as store:
        named = {name: place.fields() for name, place in zip(on_paths, places(store.store, texts), strict=True)}
        plain = {name: _text(value) for name, value in given.items() if name not in on_paths}
        value = store.call("tool", {"name": tool, "arguments": plain, "places": named})
        soon = "" if leave is None or value["is_error"] else index(invocation, store, leave=leave)
        return value, soon


def _text(value: Any) -> Any:
    """A text as it can cross the socket: bytes that are not UTF-8 become question marks."""
    return sendable(value) if isinstance(value, str) else value


def _path(name: str = "path", required: bool = True) -> click.Argument:
    shown = {"src_path": "FROM", "dst_path": "TO"}.get(name, "PATH")
    return click.Argument([name], required=required, metavar=shown if required else f"[{shown}]")


_RECURSIVE = {"recursive": ["-r", "--recursive"]}

_command(
    "list", "context_list_drives", "List the drives, with counts and sizes.",
    """List every drive that has content, and agent, with the number and size of their items.""",
    show.drives,
)  # fmt: skip
_command(
    "tree", "context_tree", "Draw a drive or a directory as a tree.",
    """Draw a drive or a directory as a tree; without PATH, list the drives.

    Of a large directory only the upper levels are drawn, with counts of what is below them.""",
    show.drives,
    paths=[_path(required=False)], names={"max_depth": ["-L", "--max-depth"]},
)  # fmt: skip
_command(
    "info", "context_info", "Describe an item: size, lines, type, dates.",
    None, show.described, paths=[_path()],
)  # fmt: skip
_command(
    "exists", "context_exists", "Check whether PATH exists.",
    """Check whether there is an item or a directory at PATH. The exit status is 3 if there is none.""",
    show.existing, paths=[_path()], status=lambda value: 0 if value["exists"] else 3,
)  # fmt: skip
_command(
    "count-lines", "context_count_lines", "Count the lines of an item.",
    None, lambda invocation, value: show.line_count(value), paths=[_path()],
)  # fmt: skip
_command(
    "delete", "context_delete", "Delete an item or a directory.",
    """Delete an item, or with -r a directory and everything below it. Versions are kept.""",
    show.deleted, paths=[_path()], names=_RECURSIVE, writes=True,
)  # fmt: skip
_command(
    "copy", "context_copy", "Copy an item or a directory.",
    None, show.copied, paths=[_path("src_path"), _path("dst_path")], writes=True,
)  # fmt: skip
_command(
    "move", "context_move", "Rename or move an item or a directory.",
    None, show.moved, paths=[_path("src_path"), _path("dst_path")], writes=True,
)  # fmt: skip
_command(
    "mkdir", "context_create_dir", "Create a directory.",
    None, show.made, paths=[_path()],
)  # fmt: skip
_command(
    "size", "context_dir_size", "Print the total size of a directory.",
    """Print the total size of a directory or a drive; without PATH, of the drive agent.""",
    show.size, paths=[_path(required=False)],
)  # fmt: skip
_command(
    "refresh", "context_refresh", "Read sources again that have changed.",
    """Read sources again that have changed: those at PATH, or all. `kgfs refresh` also reports progress and can remove
    vanished files.""",
    show.refreshed, paths=[_path(required=False)],
)  # fmt: skip
_command(
    "search", "search_semantic", "Search by meaning and words.",
    """Search documents, entities, facts and topics, best first. `kgfs search` does the same with output for people.""",
    show.found,
    words=[click.Argument(["query"], nargs=-1, required=True, metavar="QUERY…")],
    left_out=["drive", "path"],
    more=[
        click.Option(["--in", "path"], metavar="PATH", help="Search only this drive, directory or item.")
    ],
    prepare=lambda given: given.update(query=" ".join(given["query"])),
)  # fmt: skip
_command(
    "grep", "search_grep", "Find exact lines in stored files.",
    """Find the lines of stored files that match PATTERN, as grep -E does, below PATH or everywhere. No match is not a
    failure.""",
    show.matches,
    words=[click.Argument(["pattern"], metavar="PATTERN")], paths=[_path(required=False)],
    names={"ignore_case": ["-i", "--ignore-case"], "fixed": ["-F", "--fixed"], "whole_words": ["-w", "--whole-words"]},
)  # fmt: skip


# --- those that take or give a text ----------------------------------------------------------------------------------


@declare("read", "Print the text of an item.")
@click.argument("path", metavar="PATH")
@click.option("--offset", type=click.IntRange(1), metavar="N", help="First line to print, counted from 1.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum number of lines (all).")
@click.option("--raw", is_flag=True, help="Print the stored body instead of the extracted text.")
def read(invocation: Invocation, path: str, offset: int | None, limit: int | None, raw: bool) -> int:
    """Print the text of an item, all of it or from a line on. `kgfs cat` prints any file of the tree.

    The text of a PDF, a page or a mail is what was extracted from it; --raw prints the stored body (the HTML of a
    page).

    With --json it is one call of the tool: at most 1 MiB, and the line to continue from.
    """
    line, left = offset or 1, limit
    while True:
        given = {"path": path, "offset": line, "limit": left, "raw": raw or None}
        value = ask(invocation, "context_read", {k: v for k, v in given.items() if v is not None}, ["path"])
        status = show.finish(invocation, value)
        if status or invocation.json:
            return status
        show.text(value)
        if not value["truncated"]:
            return 0
        if "was cut" in value["next_action_hint"]:
            invocation.note(f"Line {value['end_line']:,} is longer than 1 MiB and was cut; `kgfs cat` prints it whole.")
        if left is not None:
            left -= value["next_offset"] - line
            if left < 1:
                return 0
        line = value["next_offset"]


@declare("write", "Write a whole item, from standard input.")
@click.argument("path", metavar="PATH")
@click.option("--content", metavar="TEXT", help="The content as an argument.")
@click.option("--file", "file", metavar="FILE", help="Read the content from FILE; - is standard input.")
@click.option("--overwrite", is_flag=True, help="Replace an existing item; its versions are kept.")
@no_index
def write(
    invocation: Invocation, path: str, content: str | None, file: str | None, overwrite: bool, no_index: bool
) -> int:
    """Write a whole item from standard input, --file or --content. Missing directories are created.

    The item is indexed: within seconds if the store is mounted, else before the command ends.
    """
    if content is not None and file is not None:
        raise UsageError("Give --content or --file, not both.")
    if content is not None:
        body = content.encode("utf-8", "surrogateescape")
    else:
        body = sys.stdin.buffer.read() if file in (None, "-") else _content(str(file))
    if len(body) > MOST_BYTES:
        raise TooLarge(
            f"That is more than {MOST_BYTES >> 20} MiB, which no tool writes; copy the file to notes/ on the mount."
        )
    given: dict[str, Any] = {"path": path, "on_conflict": "overwrite" if overwrite else "error"}
    try:
        given["content"] = body.decode("utf-8")
    except UnicodeDecodeError:
        given["content_base64"] = base64.b64encode(body).decode("ascii")
    value, soon = _asked(invocation, "context_write", given, ["path"], no_index)
    status = show.finish(invocation, value)
    if not status and not invocation.json:
        show.written(invocation, value, soon)
    return status


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise KgfsError(f"{file}: {error.strerror or error}.") from error


@declare("edit", "Change lines of an item by patches.")
@click.argument("path", metavar="PATH")
@click.option("--patches", metavar="JSON", help="The patches (standard input).")
@no_index
def edit(invocation: Invocation, path: str, patches: str | None, no_index: bool) -> int:
    """Change lines of an item. Patches are a JSON list of {"start_line", "end_line", "content"}.

    Lines are counted from 1 and the end is inclusive; "end_line": 0 inserts before start_line, "content": "" deletes.
    All line numbers are those before the edit; either all patches are applied or none.
    """
    text = patches if patches is not None else sys.stdin.read()
    try:
        decoded = msgspec.json.decode(text.encode("utf-8", "surrogateescape"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"The patches are not JSON: {error}.") from error
    listed = decoded if isinstance(decoded, list) else [decoded]
    value, _ = _asked(invocation, "context_edit", {"path": path, "patches": listed}, ["path"], no_index)
    status = show.finish(invocation, value)
    if not status and not invocation.json:
        show.edited(invocation, value)
    return status


COMMANDS |= {"read": read, "write": write, "edit": edit}
