"""``kgfs search``: what the graph knows about a question."""

from __future__ import annotations

import re
import sys
import time
from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.screen import Screen, pasted_host, width_of
from kgfs.cli.stores import places, sendable, session
from kgfs.errors import UsageError
from kgfs.names import one_line
from kgfs.search.query import require_word
from kgfs.search.snippets import found_at, hit_line

SNIPPET_LINES = 3
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
        screen = Screen(invocation, store.store)
        ranks = len(str(len(results)))
        for result in results:
            _show(invocation, screen, result, ranks, text)
        more = ", more with --limit" if answer.get("more") else ""
        shown = f"{len(results)} shown" if results else "Nothing found"
        spent = f"{(time.monotonic() - started) * 1000:.0f} ms"
        invocation.say(invocation.style(f"{shown}{more} · {answer['mode']} · {spent}", dim=True))
    else:
        for result in results:
            print(hit_line(result["path"], result["score"], result.get("title"), _line(result["snippet"])))


def _show(invocation: Invocation, screen: Screen, result: dict[str, Any], ranks: int, query: str) -> None:
    """A hit: where it is and what it is called, and beneath it the words that were found."""
    style, score = invocation.style, f"{result['score']:.2f}"
    title = one_line(result.get("title") or "")
    name, line = _where(screen, result)
    rank, kind = f"{result['rank']:>{ranks}}", result["type"]
    head = f"{style(rank, bold=True)} {style(score, dim=True)} {style(kind, fg='cyan')}" + " " * (6 - len(kind))
    place = f"{name}:{line}" if line else name, _linked(invocation, screen, result, name, line)
    called = title, style(title, bold=True)
    # A chunk is looked for by its file, anything else by its name.
    told = [cell for cell in ((place, called) if kind == "chunk" else (called, place)) if cell[0]]
    indent = ranks + 6
    if width_of("  ".join([f"{rank} {score} {kind:<6}", *(text for text, _ in told)])) <= screen.width:
        print("  ".join([head, *(styled for _, styled in told)]).rstrip())
    else:
        print(f"{head}  {place[1]}")
        for line_of_title in screen.paragraph(title, (), indent, most=2):
            print(style(line_of_title, bold=True))
    snippet = _line(one_line(result.get("snippet") or ""))
    snippet = snippet.lstrip("# ").removeprefix(title).lstrip(" :") if title else snippet
    for shown_line in screen.paragraph(snippet, found_at(snippet, query), indent, most=SNIPPET_LINES):
        print(shown_line)


def _where(screen: Screen, result: dict[str, Any]) -> tuple[str, str]:
    """A chunk of a file on disk by the file and its line, anything else by its place in the tree."""
    if (file := _file(result)) is None:
        return screen.path_here(str(result.get("rel") or result["path"])), ""
    lines = result.get("lines")
    return pasted_host(file), str(lines[0]) if lines else ""


def _file(result: dict[str, Any]) -> str | None:
    origin = result.get("origin") or ""
    return origin.removeprefix("disk:") if result["type"] == "chunk" and origin.startswith("disk:") else None


def _linked(invocation: Invocation, screen: Screen, result: dict[str, Any], name: str, line: str) -> str:
    styled, file = invocation.style(name, fg="magenta"), _file(result)
    if file is None:
        return screen.in_tree(styled, str(result.get("rel") or result["path"]))
    return screen.on_host(styled, file) + (":" + invocation.style(line, fg="green") if line else "")


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
