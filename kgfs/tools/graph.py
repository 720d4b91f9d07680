"""Tools that ask the graph: one text on a question, search, files and directories of the tree, properties, SQL, chains.

Used through the registry, on the thread that calls a tool. Each asks what a command of the same name asks
(``Reach.tree``), and returns as much of it as suits a model, with the next step where there is more. Paths are shown as
``/kg/…``, which every tool takes.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import msgspec

from kgfs.errors import IsADirectory, NotADirectory, NotFoundError
from kgfs.namespace.queries.query_cache import encode
from kgfs.paths import PREFIX
from kgfs.tools.graph_parameters import (
    BriefParameters,
    FindParameters,
    LinesParameters,
    ListParameters,
    PathParameters,
    ReadParameters,
    SearchParameters,
    SqlParameters,
    StatParameters,
)
from kgfs.tools.outcome import Hinted, Value, call_text, done
from kgfs.tools.reach import Reach, TreeAnswer

READ_CHARACTERS = 20_000
"""Of a file, in one answer."""
READ_BYTES = 16 << 20
"""Beyond these bytes no line is counted."""
LINE_CHARACTERS = 400
ROW_CHARACTERS = 40_000


def brief(reach: Reach, given: BriefParameters) -> Value:
    """``text`` as ``@brief`` has it."""
    asked = {"question": given.question, "limit": given.limit, **_scope(given.path)}
    found = _ask(reach, "brief", asked).result
    value = done(text=found["text"])
    if not found["text"]:
        value["note"] = "The store says nothing of this; ask in other words, or call grep for exact text."
    return value


def search(reach: Reach, given: SearchParameters) -> Value:
    """``results``, best first: ``path, lines, type, title, score, snippet``."""
    asked = {"query": given.query, "kind": given.kind, "limit": given.limit, **_scope(given.path)}
    found = _ask(reach, "search", asked).result
    results = [
        {
            "path": shown(each["rel"]), "lines": each.get("lines"), "type": each["type"], "title": each.get("title"),
            "score": each["score"], "snippet": each.get("snippet"),
        }
        for each in found["results"]
    ]  # fmt: skip
    value = done(results=results, mode=found["mode"], more=found["more"])
    if not results:
        value["note"] = "Nothing was found; ask in other words, or call grep for exact text."
    return value


def read(reach: Reach, given: ReadParameters) -> Value:
    """``content``: lines of a file; ``end_line``, and ``next_offset`` where there are more."""
    try:
        answer = _ask(reach, "cat", _place(given.path), READ_BYTES)
    except IsADirectory as error:
        raise Hinted(error, f"Call {call_text('list', path=given.path)}.") from error
    lines = answer.data.decode("utf-8", "replace").splitlines(keepends=True)
    chosen: list[str] = []
    room = READ_CHARACTERS
    for line in lines[given.offset - 1 : given.offset - 1 + given.limit]:
        if len(line) > room and chosen:
            break
        chosen.append(line if len(line) <= room else f"{line[:room]}…\n")
        room -= len(chosen[-1])
        if room <= 0:
            break
    end = given.offset - 1 + len(chosen)
    value = done(path=_canonical(answer, given.path), content="".join(chosen), end_line=end)
    if end < len(lines):
        value["next_offset"] = end + 1
        value["note"] = f"Lines {given.offset}-{end} of {len(lines):,}; pass offset:{end + 1} for more."
    elif answer.cut:
        value["note"] = f"Only the first {READ_BYTES >> 20} MiB can be read in this way."
    elif lines and not chosen:
        value["note"] = f"The file has {len(lines):,} lines."
    return value


def listed(reach: Reach, given: ListParameters) -> Value:
    """``entries``: ``name, kind, size`` (of an entity: its facts), ``target`` of a link; whether there are ``more``."""
    answer = _ask(reach, "ls", _place(given.path), given.limit)
    entries = [
        {name: each[name] for name in ("name", "kind", "size", "target") if name in each} for each in answer.items
    ]
    value = done(path=_canonical(answer, given.path), entries=entries, more=answer.cut)
    if answer.cut:
        value["note"] = "There are more; pass a larger limit, or call find with a name or predicates."
    return value


def find_paths(reach: Reach, given: FindParameters) -> Value:
    """``paths`` of what has all properties."""
    asked = {**_place(given.path), "predicates": given.predicates, "name": given.name, "kind": given.type}
    answer = _ask(reach, "find", asked, given.limit)
    value = done(paths=[each["path"] for each in answer.items], more=answer.cut)
    if answer.cut:
        value["note"] = "There are more; name further predicates, or pass a larger limit."
    return value


def grep(reach: Reach, given: LinesParameters) -> Value:
    """``matches``: ``path, line, text`` of the lines of passages that match, each once; in a file, of its lines."""
    flags = "".join(flag for flag, on in (("i", given.ignore_case), ("F", given.fixed), ("w", given.whole_words)) if on)
    most = given.max_results + 1
    pattern = given.glob or "*"
    matches: list[Value] = []
    try:
        words = ["@grep", *([f"-{flags}"] if flags else []), encode(given.pattern)]
        place = f"{given.path.rstrip('/')}/{'/'.join(words)}" if given.path.strip("/") else "/".join(words)
        answer = _ask(reach, "cat", _place(place), READ_BYTES)
        for line in answer.data.decode("utf-8", "replace").splitlines():
            path, _, rest = line.partition(":")
            number, _, text = rest.partition(":")
            if number.isdigit() and fnmatchcase(_last(path), pattern):
                matches.append({"path": shown(path), "line": int(number), "text": _cut(text)})
                if len(matches) == most:
                    break
    except NotADirectory:
        asked = {**_place(given.path), "pattern": given.pattern, "flags": flags}
        matches = [
            {"path": given.path, "line": each["line"], "text": _cut(each["text"])}
            for each in _ask(reach, "grep", asked, most).items
        ]
    value = done(matches=matches[: given.max_results], more=len(matches) == most)
    if value["more"]:
        value["note"] = "There are more; use a rarer pattern, a narrower path, or a larger max_results."
    elif not matches:
        value["note"] = "No line matches; try ignore_case, a shorter pattern, or search."
    return value


def sql(reach: Reach, given: SqlParameters) -> Value:
    """``rows`` of a SELECT."""
    answer = _ask(reach, "sql", {"statement": given.query, "form": "jsonl"}, READ_BYTES)
    rows: list[Any] = []
    room = ROW_CHARACTERS
    lines = answer.data.splitlines()
    for line in lines[: given.limit]:
        room -= len(line)
        if room < 0 and rows:
            break
        rows.append(msgspec.json.decode(line))
    value = done(rows=rows, more=len(rows) < len(lines) or answer.cut)
    if value["more"]:
        value["note"] = f"{len(rows):,} rows are shown; add LIMIT and OFFSET, or select fewer columns."
    return value


def chains(reach: Reach, given: PathParameters) -> Value:
    """``text``: the shortest chains of facts, links and shared passages between two entities."""
    answer = _ask(reach, "cat", _place(f"@path/{encode(given.start)}/{encode(given.end)}/path.txt"), READ_BYTES)
    return done(text=answer.data.decode("utf-8", "replace")[:READ_CHARACTERS])


def stat(reach: Reach, given: StatParameters) -> Value:
    """What a path is: ``path, kind, size``, dates, ``entries``, ``attributes``."""
    found = _ask(reach, "stat", _place(given.path)).result
    return done(**{**found, "path": shown(found["path"])})


def _ask(reach: Reach, request: str, arguments: dict[str, Any], most: int = READ_BYTES) -> TreeAnswer:
    """Ask the tree; what is not there is said with how to find it."""
    try:
        return reach.ask_tree(request, arguments, most)
    except NotFoundError as error:
        raise Hinted(error, "Look for its name with search (kind entities), or list the directory above.") from error


def shown(path: str) -> str:
    """A path from the root of the tree as every tool and the shell of an agent take it."""
    return f"{PREFIX}/{path}" if path else PREFIX


def _canonical(answer: TreeAnswer, asked: str) -> str:
    path = answer.result.get("path")
    return asked if path is None else shown(path)


def _place(path: str) -> dict[str, Any]:
    return {"place": {"text": path}}


def _scope(path: str | None) -> dict[str, Any]:
    return {} if path is None or not path.strip("/") else {"scope": {"text": path}}


def _cut(text: str) -> str:
    return text if len(text) <= LINE_CHARACTERS else f"{text[:LINE_CHARACTERS]}…"


def _last(path: str) -> str:
    return path.rpartition("/")[2]
