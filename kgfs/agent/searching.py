"""The file tool ``grep``: the store's own search for directories of the graph, GNU grep in the sandbox for the rest.

Used by ``kgfs.agent.file_tools``.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import msgspec

from kgfs.agent.places import Places
from kgfs.errors import QueryError
from kgfs.tools.graph_parameters import LinesParameters
from kgfs.tools.outcome import BadArguments, Hinted, Value, done

Ask = Callable[[str, dict[str, Any]], Value]
"""Calls a store tool: its name and arguments to its value."""

MOST_RESULTS = 1_000
_UNSEEN = "What the session itself changed is not searched here; grep notes or workspace for that."
_LINE_CHARACTERS = 400
_OUTPUT_BYTES = 1 << 20
_SECONDS = 60.0
_PLAIN = frozenset({"workspace", "@kv", "@session", "@agent", "@audit", "@status", "context", "notes"})
"""Below the root of the mount, what are files and not pages of the graph."""


def grep(places: Places, ask: Ask, given: LinesParameters) -> Value:
    """Lines that match: ``matches`` with path, line and text."""
    if not 1 <= given.max_results <= MOST_RESULTS:
        raise BadArguments(f"max_results is a number from 1 to {MOST_RESULTS:,}.")
    if not given.pattern or "\0" in given.pattern or "\n" in given.pattern:
        raise BadArguments("A pattern is one line, without a NUL.")
    with places.at(given.path) as one:
        location, directory = one.location, one.kind == "directory"
        if not directory:
            places.require_file(given.path, one)
    if directory and _of_graph(places, location):
        words = {name: value for name, value in msgspec.structs.asdict(given).items() if value is not None}
        value = ask("grep", {**words, "path": places.roots.shown(location)})
        if places.roots.session is not None and not value["is_error"]:
            value = {**value, "note": f"{value.get('note', '')} {_UNSEEN}".strip()}
        return value
    return _in_sandbox(places, given, location)


def _of_graph(places: Places, location: str) -> bool:
    place = places.roots.place
    if location == place:
        return True
    return location.startswith(f"{place}/") and location.removeprefix(f"{place}/").split("/")[0] not in _PLAIN


def _in_sandbox(places: Places, given: LinesParameters, location: str) -> Value:
    flags = ["-F" if given.fixed else "-E", *["-i"] * given.ignore_case, *["-w"] * given.whole_words]
    words = ["command", "-p", "grep", "-rnHIZ", "-D", "skip", "--color=never", *flags]
    if given.glob is not None:
        words.append(f"--include={given.glob}")
    if not location.rpartition("/")[2].startswith("@"):
        words.append("--exclude-dir=@*")
    words += ["-e", given.pattern, "--", location]
    bounds = f"command -p head -n {given.max_results + 1} | command -p head -c {_OUTPUT_BYTES - 1}"
    value = places.shell.run(
        f'( {shlex.join(words)} 2>&1 | {bounds}; exit "${{PIPESTATUS[0]}}" )', _SECONDS, 2 * _OUTPUT_BYTES
    )
    if value["is_error"]:
        return value
    matches, said = [], []
    for line in value["output"].split("\n")[:-1] if value["output"].endswith("\n") else value["output"].split("\n"):
        path, nul, rest = line.partition("\0")
        number, _, text = rest.partition(":")
        if nul and number.isdigit():
            shown = text if len(text) <= _LINE_CHARACTERS else f"{text[:_LINE_CHARACTERS]}…"
            matches.append({"path": places.roots.shown(path), "line": int(number), "text": shown})
        elif line:
            said.append(line)
    if value["status"] == 2 and not matches:
        raise Hinted(QueryError(f"grep says: {' '.join(said)[:300]}"), "Correct the pattern, or pass fixed:true.")
    found = done(path=places.roots.shown(location), matches=matches[: given.max_results])
    found["more"] = len(matches) > given.max_results
    if found["more"]:
        found["note"] = "There are more; use a narrower pattern, a deeper path, or a larger max_results."
    return found
