"""``kgfs search``: what the graph knows about a question."""

from __future__ import annotations

import re
import sys
import time
from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import places, sendable, session, short
from kgfs.errors import UsageError
from kgfs.search.query import require_word
from kgfs.search.snippets import hit_line

KINDS = ("semantic", "keyword", "entities", "facts", "chunks", "topics")


@declare("search", "Search documents, entities, facts and topics.")
@click.argument("query", nargs=-1, required=True)
@click.option("--kind", type=click.Choice(KINDS), default="semantic", show_default=True, help="What to search for.")
@click.option("--in", "scope", metavar="PATH", help="Search only what belongs to this directory of the tree.")
@click.option("--origin", metavar="DRIVE", help="Search only documents of this drive, e.g. disk.")
@click.option("--limit", type=click.IntRange(1, 1000), default=None, help="How many hits (20).")
def command(
    invocation: Invocation, query: tuple[str, ...], kind: str, scope: str | None, origin: str | None, limit: int | None
) -> None:
    """Search documents, entities, facts and topics, best first; with -, the query is standard input.

    The last line says how the search ran: `keyword, model loading` means that no vectors were used.
    """
    text = " ".join(query)
    if text == "-":
        text = sys.stdin.read()
    text = text.strip()
    if not text:
        raise UsageError("The query is empty; say what to look for.")
    require_word(text)  # before a model is loaded for it
    started = time.monotonic()
    arguments: dict[str, Any] = {"query": sendable(text), "kind": kind, "origin": origin, "limit": limit}
    with session(invocation, [scope] if scope else []) as store:
        if scope is not None:
            arguments["scope"] = places(store.store, [scope])[0].fields()
        if not store.remote and kind != "keyword":
            invocation.note(
                "Loading the model, which takes seconds; a mount keeps it loaded, and --kind keyword needs none."
            )
        answer = store.call("search", arguments)
    results = answer["results"]
    if invocation.json:
        for result in results:
            invocation.emit(result)
    elif invocation.terminal:
        for result in results:
            _show(invocation, result)
        more = ", more with --limit" if answer.get("more") else ""
        shown = f"{len(results)} shown" if results else "Nothing found"
        invocation.say(f"{shown}{more} · {answer['mode']} · {(time.monotonic() - started) * 1000:.0f} ms")
    else:
        for result in results:
            print(hit_line(result["path"], result["score"], result.get("title"), _line(result["snippet"])))


def _show(invocation: Invocation, result: dict[str, Any]) -> None:
    printable = invocation.printable
    head = f"{result['rank']} {result['score']:.2f} {result['type']:<6}"
    where = printable(_where(result))
    title = printable(result.get("title") or "")
    if result["type"] == "chunk":
        print(f"{head} {invocation.style(where, fg='magenta')}  {title}")
    else:
        print(f"{head} {title}  {invocation.style(where, fg='magenta')}")
    snippet = _line(printable(result.get("snippet") or ""))
    if snippet and snippet != title:
        print(f"       {snippet}")


def _where(result: dict[str, Any]) -> str:
    """A chunk of a file on disk by the file and its line, anything else by its place in the tree."""
    origin, lines = result.get("origin") or "", result.get("lines")
    if result["type"] != "chunk" or not origin.startswith("disk:"):
        return str(result.get("rel") or result["path"])
    return short(origin.removeprefix("disk:")) + (f":{lines[0]}" if lines else "")


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
