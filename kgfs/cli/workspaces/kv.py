"""``kgfs kv``: JSON values by key."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from kgfs.agentfs.audit.call_lines import timestamp
from kgfs.agentfs.keys.key_values import KeyValue, KeyValues, checked
from kgfs.cli.declaration import Invocation, SharedOptions, declare, shared_options
from kgfs.cli.stores import sendable, session
from kgfs.cli.workspaces.agent_file import read_agent
from kgfs.errors import NotFoundError, UsageError


class _Keys(SharedOptions, click.Group):
    """The group of the subcommands, in the order in which they were declared."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


command = _Keys(
    name="kv",
    help="""Keep JSON values by key: state and preferences of agents.

    They are in agent.db in the store, in the table kv_store of the Agent Filesystem Specification.
    """,
    short_help="Keep JSON values by key.",
    params=shared_options(),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _fields(one: KeyValue) -> dict[str, Any]:
    return {
        "key": one.key,
        "value": json.loads(one.value),
        "created_at": timestamp(one.created_at),
        "updated_at": timestamp(one.updated_at),
    }


def _say(invocation: Invocation, text: str) -> None:
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


@declare("get")
@click.argument("key")
def _get(invocation: Invocation, key: str) -> None:
    """Print the value of KEY."""
    database = read_agent(invocation)
    if database is None:
        raise NotFoundError(f"There is no key {sendable(key)!r}.")
    with database:
        found = KeyValues(database).get(sendable(key))
    if invocation.json:
        invocation.emit(_fields(found))
    else:
        _say(invocation, found.value)


@declare("set")
@click.argument("key")
@click.argument("value", required=False)
@click.option("--string", is_flag=True, help="VALUE is text, not JSON; it becomes a JSON string.")
def _set(invocation: Invocation, key: str, value: str | None, string: bool) -> None:
    """Set KEY to the JSON value VALUE; without VALUE, or with -, to what standard input has.

    What is not JSON is refused, and nothing changes.
    """
    if value is None or value == "-":
        data = sys.stdin.buffer.read()
        try:
            value = data.decode()
        except UnicodeDecodeError:
            raise UsageError("The value is not UTF-8.") from None
    value = json.dumps(sendable(value), ensure_ascii=False) if string else sendable(value)
    checked(value)
    with session(invocation) as store:
        store.call("kv-set", {"key": sendable(key), "value": value})


@declare("delete")
@click.argument("key")
def _delete(invocation: Invocation, key: str) -> None:
    """Delete KEY."""
    with session(invocation) as store:
        store.call("kv-delete", {"key": sendable(key)})


@declare("list")
@click.argument("prefix", required=False, default="")
def _list(invocation: Invocation, prefix: str) -> None:
    """List the keys that begin with PREFIX, by name."""
    database = read_agent(invocation)
    if database is None:
        return
    with database:
        found = KeyValues(database).list(sendable(prefix))
    for one in found:
        if invocation.json:
            invocation.emit(_fields(one))
        else:
            print(invocation.printable(one.key))


@declare("watch")
@click.argument("prefix", required=False, default="")
def _watch(invocation: Invocation, prefix: str) -> None:
    """Print each change of a key that begins with PREFIX, as a line of JSON, until interrupted.

    A line has the key and its value; for a key that was deleted it has "deleted": true instead.
    """
    database = read_agent(invocation)
    if database is None:
        # The first key makes the file; so does this.
        with session(invocation) as store:
            store.call("workspace-settle", {"make": True})
        database = read_agent(invocation)
    assert database is not None
    with database:
        for change in KeyValues(database).watch(sendable(prefix)):
            if change.value is None:
                invocation.emit({"key": change.key, "deleted": True})
            else:
                invocation.emit({"key": change.key, "value": json.loads(change.value)})
            sys.stdout.flush()


for _subcommand in (_get, _set, _delete, _list, _watch):
    command.add_command(_subcommand)
