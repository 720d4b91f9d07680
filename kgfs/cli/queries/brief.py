"""``kgfs brief``: one text to read first on a question."""

from __future__ import annotations

import sys
from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.queries.brief_shown import shown_lines
from kgfs.cli.screen import Screen
from kgfs.cli.stores import places, sendable, session
from kgfs.errors import UsageError
from kgfs.search.query import require_word


@declare("brief", "Print one text on a question: entities, facts, passages.")
@click.argument("question", nargs=-1, required=True)
@click.option("--in", "scope", metavar="PATH", help="Only what belongs to this directory of the tree.")
@click.option("--limit", type=int, default=None, help="How many characters at most (6,000).")
def command(invocation: Invocation, question: tuple[str, ...], scope: str | None, limit: int | None) -> None:
    """Print one text on a question: whom it names, the facts that fit, the best passages whole, with paths and lines,
    and a line on each of the next ones; with -, the question is standard input.

    It is what `cat @brief/QUESTION` prints in a mount. No language model is needed.
    """
    text = " ".join(question)
    if text == "-":
        text = sys.stdin.read()
    text = text.strip()
    if not text:
        raise UsageError("The question is empty; say what to look for.")
    require_word(text)  # before a model is loaded for it
    arguments: dict[str, Any] = {"question": sendable(text), "limit": limit}
    with session(invocation, [scope] if scope else []) as store:
        if scope is not None:
            arguments["scope"] = places(store.store, [scope])[0].fields()
        if not store.remote:
            invocation.note("Loading the model, which takes seconds; a mount keeps it loaded.")
        answer = store.call("brief", arguments)
    if invocation.json:
        invocation.emit(answer)
    elif answer["text"]:
        lines = answer["text"].splitlines()
        if invocation.terminal:
            lines = shown_lines(invocation, Screen(invocation, store.store), answer["text"], text)
        for line in lines:
            print(line)
    else:
        invocation.say("Nothing found.")
