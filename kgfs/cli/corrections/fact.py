"""``kgfs fact``: facts that a person states or retracts; both hold when documents are read again."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli.declaration import Invocation, SharedOptions, declare, shared_options
from kgfs.cli.indexing import index, no_index
from kgfs.cli.stores import places, sendable, session
from kgfs.control.client import Discard
from kgfs.errors import UsageError


class Fact(SharedOptions, click.Group):
    """The group of the subcommands, in the order in which they were declared."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


command = Fact(
    name="fact",
    help="""State and retract facts. Both hold when documents are read again.

    FACT is the id of a fact (f_ and 16 digits) or the path of its file.
    """,
    short_help="State facts, retract them; undo that.",
    params=shared_options(),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@declare("add")
@click.argument("subject")
@click.argument("type", metavar="TYPE")
@click.argument("object", metavar="OBJECT")
@click.option("--text", is_flag=True, help="OBJECT is a value, such as '3.6 percent', not an entity.")
@click.option("--date", metavar="DATE", help="The date of the fact: 2019, 2019-10 or 2019-10-30.")
@click.option("--description", default="", metavar="SENTENCE", help="The fact in one sentence.")
@click.option("--quote-from", "chunk", metavar="CHUNK", help="The chunk that states it: its id or path.")
@click.option("--quote", default="", metavar="WORDS", help="The words in that chunk, verbatim.")
@no_index
def _add(
    invocation: Invocation,
    subject: str,
    type: str,
    object: str,
    text: bool,
    date: str | None,
    description: str,
    chunk: str | None,
    quote: str,
    no_index: bool,
) -> None:
    """State a fact. SUBJECT and OBJECT are entities; TYPE is ACQUIRED, FOUNDED or any other word.

    Without --quote-from the sentence is written to notes/annotations/facts.md, and the fact quotes that.
    """
    if (chunk is None) != (not quote):
        raise UsageError("Give --quote-from CHUNK and --quote WORDS together.")
    texts = {"subject": subject, "object": object} | ({} if chunk is None else {"chunk": chunk})
    with session(invocation, [each for each in texts.values() if "/" in each]) as store:
        named = [place.fields() for place in places(store.store, list(texts.values()))]
        arguments: dict[str, Any] = dict(zip(texts, named, strict=True))
        arguments |= {
            "action": "add", "type": sendable(type), "text": text, "date": None if date is None else sendable(date),
            "description": sendable(description), "quote": sendable(quote),
        }  # fmt: skip
        result = store.call("fact", arguments)
        index(invocation, store, leave=no_index)
    _say(invocation, f"{result['fact_id']}  {result['description']}", result)


@declare("retract")
@click.argument("fact")
@no_index
def _retract(invocation: Invocation, fact: str, no_index: bool) -> None:
    """Hide a fact permanently, even if documents state it again."""
    result = _asked(invocation, "retract", fact, leave=no_index)
    undo = f"`kgfs fact restore {result['fact_id']}` brings it back"
    _say(invocation, f"Retracted: {result['description']} ({undo})", result)


@declare("restore")
@click.argument("fact")
@no_index
def _restore(invocation: Invocation, fact: str, no_index: bool) -> None:
    """Undo a retraction."""
    result = _asked(invocation, "restore", fact, leave=no_index)
    shown = f"Restored: {result['description']}" if "path" in result else "Restored; its document is not here now."
    _say(invocation, shown, result)


@declare("retracted")
def _retracted(invocation: Invocation) -> None:
    """List the retracted facts: id, when, by whom, description."""
    lines = _Lines()
    with session(invocation) as store:
        store.call("fact", {"action": "retracted"}, lines)
    for line in lines.lines:
        if invocation.json:
            invocation.emit(line)
        else:
            print(invocation.printable(f"{line['fact_id']}  {line['at']}  {line['by']:<10} {line['description']}"))


def _asked(invocation: Invocation, action: str, fact: str, *, leave: bool) -> dict[str, Any]:
    with session(invocation, [fact] if "/" in fact else []) as store:
        result = store.call("fact", {"action": action, "fact": sendable(fact)})
        index(invocation, store, leave=leave)
        return result


def _say(invocation: Invocation, sentence: str, result: dict[str, Any]) -> None:
    if invocation.json:
        invocation.emit(result)
        return
    invocation.say(invocation.printable(sentence))
    if "path" in result:
        invocation.say(f"  {result['path']}")


class _Lines(Discard):
    """Gathers items."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def item(self, item: Any) -> None:
        self.lines.append(item)


for _each in (_add, _retract, _restore, _retracted):
    command.add_command(_each)
