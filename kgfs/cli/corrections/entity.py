"""``kgfs entity``: a person's corrections of entities; they override documents and can be undone."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli.declaration import Invocation, SharedOptions, declare, shared_options
from kgfs.cli.indexing import index, no_index
from kgfs.cli.stores import places, sendable, session
from kgfs.control.client import Discard


class Entity(SharedOptions, click.Group):
    """The group of the subcommands, in the order in which they were declared."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


command = Entity(
    name="entity",
    help="""Merge, rename, retype and describe entities. Your corrections override documents, also when these are read
    again.

    ENTITY is a slug, a name, an alias, a path on the mount, entities/<types>/<slug> or an id. A path that changes
    leaves a link. `kgfs entity history` lists the corrections of an entity, `kgfs entity undo` takes one back.
    """,
    short_help="Merge, rename, retype, describe entities; undo that.",
    params=shared_options(),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _asked(
    invocation: Invocation,
    action: str,
    entity: str | None,
    into: str | None = None,
    leave: bool | None = None,
    **more: Any,
) -> Any:
    """The result of one request; entities are given as the user named them.

    ``leave`` is for one that changes something: whether indexing is left to others.
    """
    texts = [text for text in (entity, into) if text is not None]
    with session(invocation, [text for text in texts if "/" in text]) as store:
        named = [place.fields() for place in places(store.store, texts)]
        arguments: dict[str, Any] = {"action": action}
        arguments |= {name: sendable(value) if isinstance(value, str) else value for name, value in more.items()}
        arguments |= dict(zip(("entity", "into"), named, strict=False))
        result = store.call("entity", arguments)
        if leave is not None:
            index(invocation, store, leave=leave)
        return result


def _say(invocation: Invocation, sentence: str, result: dict[str, Any]) -> None:
    if invocation.json:
        invocation.emit(result)
        return
    invocation.say(invocation.printable(sentence))
    if "path" in result:
        invocation.say(invocation.printable(f"  {result['path']}"))


@declare("merge")
@click.argument("entity")
@click.argument("into", metavar="INTO")
@no_index
def _merge(invocation: Invocation, entity: str, into: str, no_index: bool) -> None:
    """Merge ENTITY into INTO: all facts and mentions of ENTITY become those of INTO, which keeps its name and type."""
    result = _asked(invocation, "merge", entity, into, leave=no_index)
    undo = f"`kgfs entity unmerge {result['merged']}` splits them again"
    _say(invocation, f"{result['merged']} is {result['name']} now; {undo}.", result)


@declare("unmerge")
@click.argument("entity")
@no_index
def _unmerge(invocation: Invocation, entity: str, no_index: bool) -> None:
    """Undo a merge. ENTITY is the one that was merged away, or one that exactly one other was merged into."""
    result = _asked(invocation, "unmerge", entity, leave=no_index)
    _say(invocation, f"{result.get('name', entity)} stands by itself again.", result)


@declare("rename")
@click.argument("entity")
@click.argument("name")
@no_index
def _rename(invocation: Invocation, entity: str, name: str, no_index: bool) -> None:
    """Rename an entity and its directory. Documents that mention the new name then mention this entity."""
    result = _asked(invocation, "rename", entity, value=name, leave=no_index)
    _say(invocation, f"{result['before']} is {result['name']} now.", result)


@declare("retype")
@click.argument("entity")
@click.argument("type", metavar="TYPE")
@no_index
def _retype(invocation: Invocation, entity: str, type: str, no_index: bool) -> None:
    """Give an entity another type: Organization, Person, Location, Concept or any other word."""
    result = _asked(invocation, "retype", entity, value=type, leave=no_index)
    _say(invocation, f"{result['name']} is of type {result['type']} now.", result)


@declare("describe")
@click.argument("entity")
@click.argument("text")
@no_index
def _describe(invocation: Invocation, entity: str, text: str, no_index: bool) -> None:
    """Describe an entity in one or two sentences."""
    result = _asked(invocation, "describe", entity, value=text, leave=no_index)
    _say(invocation, f"{result['name']} is described so now.", result)


@declare("add")
@click.argument("name")
@click.option("--type", "kind", default="Concept", show_default=True, help="Its type.")
@no_index
def _add(invocation: Invocation, name: str, kind: str, no_index: bool) -> None:
    """Create an entity. No document needs to mention it."""
    result = _asked(invocation, "make", None, value=name, type=kind, leave=no_index)
    _say(invocation, f"{result['name']} is an entity of type {result['type']}.", result)


@declare("show")
@click.argument("entity")
def _show(invocation: Invocation, entity: str) -> None:
    """Show the entity that ENTITY names: its name, type, path and description."""
    result = _asked(invocation, "show", entity)
    if invocation.json:
        invocation.emit(result)
        return
    for key in ("name", "type", "id", "path", "description"):
        print(f"{key:<11} {invocation.printable(result[key])}".rstrip())


@declare("history")
@click.argument("entity")
def _history(invocation: Invocation, entity: str) -> None:
    """List the corrections of an entity, oldest first: what, when, by whom, and whether it was undone."""
    lines = _Lines()
    with session(invocation, [entity] if "/" in entity else []) as store:
        (named,) = places(store.store, [entity])
        store.call("entity", {"action": "history", "entity": named.fields()}, lines)
    for line in lines.lines:
        if invocation.json:
            invocation.emit(line)
            continue
        number = "" if line["number"] is None else line["number"]
        before = f" (was {line['before']})" if line["before"] else ""
        undone = f"  taken back {line['undone_at']} by {line['undone_by']}" if line.get("undone_at") else ""
        print(
            invocation.printable(
                f"{number:>4}  {line['at']}  {line['by']:<10} {line['what']:<9} {line['value']}{before}{undone}"
            )
        )
    if not lines.lines:
        invocation.say("There are no corrections of it.")


@declare("undo")
@click.argument("entity")
@click.argument("number", type=click.IntRange(min=1), required=False)
@no_index
def _undo(invocation: Invocation, entity: str, number: int | None, no_index: bool) -> None:
    """Undo the last correction of an entity, or the one with NUMBER in its history."""
    result = _asked(invocation, "undo", entity, number=number, leave=no_index)
    undone = result["undone"]
    _say(invocation, f"Taken back: {undone['what']} {undone['value']}.", result)


class _Lines(Discard):
    """Gathers items."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def item(self, item: Any) -> None:
        self.lines.append(item)


for _each in (_merge, _unmerge, _rename, _retype, _describe, _add, _show, _history, _undo):
    command.add_command(_each)
