"""``kgfs context prompt``: context for a model's task, as text for its prompt."""

from __future__ import annotations

import sys
from typing import Any

import click

from kgfs.cli.agents import context_output as show
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import sendable, session
from kgfs.counting import counted
from kgfs.errors import UsageError
from kgfs.tools.parameters import MOST_BUDGET

_NAMED = 10


@declare("prompt", "Assemble the context of a task for a model's prompt.")
@click.argument("task", nargs=-1, required=True, metavar="TASK…")
@click.option(
    "--budget-tokens", type=click.IntRange(0, MOST_BUDGET), metavar="N", help="Maximum number of tokens (8000)."
)
@click.option("--top-k", type=click.IntRange(0, 1000), metavar="N", help="Maximum number of passages (10).")
def prompt(invocation: Invocation, task: tuple[str, ...], budget_tokens: int | None, top_k: int | None) -> int:
    """Print the context of TASK (- is standard input), as text for a model's prompt.

    It contains, in this order: the Markdown files of your own drives whose front matter says `loading: always`; those
    that say `loading: contextual` and share words with the task; and the passages that a search for the task finds,
    each with its reference. What does not fit into the budget is listed on standard error.
    """
    text = sys.stdin.read() if task == ("-",) else " ".join(task)
    if not text.strip():
        raise UsageError("The task is empty; describe it in words.")
    given: dict[str, Any] = {"task": sendable(text), "budget_tokens": budget_tokens, "top_k": top_k}
    arguments = {name: each for name, each in given.items() if each is not None}
    with session(invocation) as store:
        value = store.call("tool", {"name": "context_prompt", "arguments": arguments, "places": {}})
    status = show.finish(invocation, value)
    if status or invocation.json:
        return status
    sys.stdout.write("\n".join(map(invocation.printable, value["prompt"].split("\n"))))
    for note in value["notes"]:
        invocation.note(invocation.printable(note))
    left_out = value["left_out"]
    for part in left_out[:_NAMED]:
        lines = f", lines {part['lines'][0]}-{part['lines'][1]}" if part["lines"] else ""
        said = f"No room for {part['ref']}{lines} ({part['kind']}, {counted(part['tokens'], 'token')})."
        invocation.note(invocation.printable(said))
    if len(left_out) > _NAMED:
        invocation.note(f"And {len(left_out) - _NAMED:,} more; --budget-tokens makes room.")
    searched = f" · {value['mode']}" if value["mode"] else ""
    invocation.note(
        f"{counted(len(value['parts']), 'part')}, {value['tokens']:,} of {value['budget_tokens']:,} tokens{searched}"
    )
    return 0


COMMANDS: dict[str, click.Command] = {"prompt": prompt}
"""Subcommand of ``kgfs context`` to command."""
