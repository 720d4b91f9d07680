"""Tools that ask the graph: one text on a question, searches, the tree by path, properties, chains, SQL.

Used through the registry, on the thread that calls a tool. What they say is what the paths of the mount say
(``@brief``, ``@find``, …), cut to what a model can read at once, with the next step where it was cut.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from typing import Any

import msgspec

from kgfs.errors import Cancelled, IsADirectory, NotADirectory, NotFoundError, UsageError
from kgfs.namespace import asking
from kgfs.namespace.queries.query_cache import encode
from kgfs.search.query import require_word
from kgfs.tools.file_parameters import GrepParameters
from kgfs.tools.graph_parameters import (
    BriefParameters,
    ChainParameters,
    FindParameters,
    ListParameters,
    PlaceParameters,
    ReadParameters,
    SearchParameters,
    SqlParameters,
)
from kgfs.tools.outcome import Hinted, NoTextContent, Value, call_text, done
from kgfs.tools.reach import Reach

TEXT_BYTES = 60_000
"""More of a file, or of the rows of a statement, is not given at once."""
LINE_CHARACTERS = 400
"""More of a line that matches is not shown."""
_NOTHING = "Nothing was found; ask in other words, or call grep for exact text."


def brief(reach: Reach, given: BriefParameters) -> Value:
    """``text`` as ``@brief`` has it."""
    require_word(given.question)
    text = _placed(reach, given.path, lambda: reach.required_graph.brief(given.question, given.path, given.limit))
    return done(text=text) if text else done(text="", note=_NOTHING)


def search(reach: Reach, given: SearchParameters) -> Value:
    """``results``, best first: ``path, type, title, score, snippet``, and ``ref`` and ``lines`` of a stored file."""
    require_word(given.query)
    found = _placed(
        reach, given.path, lambda: reach.required_graph.search(given.query, given.kind, given.path, given.limit)
    )
    results = [
        {
            "path": each["rel"],
            "type": each["type"],
            "title": each.get("title"),
            "score": each["score"],
            "snippet": each.get("snippet"),
            "ref": each.get("origin"),
            "lines": each.get("lines"),
        }
        for each in found["results"]
    ]
    value = done(results=results, mode=found["mode"], more=found["more"])
    if not results:
        value["note"] = _NOTHING
    elif found["more"]:
        value["note"] = "There are more; pass a larger limit, or a path to search in."
    return value


def read(reach: Reach, given: ReadParameters) -> Value:
    """``content``: lines of a file from ``offset`` on; ``next_offset`` where there are more."""
    namespace, node = _found(reach, given.path)
    path = namespace.path(node)
    if namespace.kind(node) == "d":
        raise Hinted(IsADirectory(f"{given.path} is a directory."), f"Call {call_text('list', path=path)} to list it.")
    taken: list[bytes] = []
    first, size = given.offset, 0
    more = cut = False
    for number, line in enumerate(_lines(reach, asking.pieces(namespace, node), path), 1):
        if number < first:
            continue
        if len(taken) >= given.limit or (taken and size + len(line) > TEXT_BYTES):
            more = True
            break
        cut = len(line) > TEXT_BYTES
        taken.append(line[:TEXT_BYTES])
        size += len(line)
    content = b"".join(taken).decode("utf-8", "replace")
    value = done(path=path, content=content, first_line=first, lines=len(taken))
    if more:
        value["next_offset"] = first + len(taken)
        value["note"] = f"There is more; call {call_text('read', path=path, offset=first + len(taken))} to go on."
    if cut:
        value["note"] = "The last line is longer than an answer and was cut. " + value.get("note", "")
    if not taken and first > 1:
        value["note"] = f"There is no line {first:,}."
    return value


def _lines(reach: Reach, parts: Iterator[bytes], path: str) -> Iterator[bytes]:
    """The lines of a text with their ends. ``NoTextContent`` where it is none."""
    rest = b""
    for start, part in enumerate(parts):
        _go_on(reach)
        if start == 0 and b"\0" in part[:8192]:
            raise Hinted(
                NoTextContent(f"{path} is not text."),
                f"Call {call_text('context_read', path=path)} for the text that was read from it.",
            )
        *whole, rest = (rest + part).split(b"\n")
        for line in whole:
            yield line + b"\n"
        if len(rest) > 4 * asking.READ_BYTES:  # one line without an end is not gathered for ever
            yield rest
            rest = b""
    if rest:
        yield rest


def list_directory(reach: Reach, given: ListParameters) -> Value:
    """``entries``: ``name, kind, size, target`` by name from ``offset`` on; ``total`` counts all."""
    namespace, node = _found(reach, given.path)
    path = namespace.path(node)
    if namespace.kind(node) != "d":
        raise Hinted(NotADirectory(f"{given.path} is a file."), f"Call {call_text('read', path=path)} to read it.")
    listed = sorted(asking.entries(namespace, node))
    entries: list[Value] = []
    start = given.offset - 1
    for entry in listed[start : start + given.limit]:
        _go_on(reach)
        try:
            told = asking.described(namespace, entry.node, entry.name)
        except NotFoundError:
            continue  # gone since it was listed
        entries.append({name: told[name] for name in ("name", "kind", "size", "target") if name in told})
    value = done(path=path or ".", entries=entries, total=len(listed))
    if start + given.limit < len(listed):
        value["next_offset"] = given.offset + given.limit
        again = call_text("list", path=path, offset=given.offset + given.limit)
        value["note"] = f"There are {len(listed):,}; call {again} to go on, or find by properties."
    return value


def stat(reach: Reach, given: PlaceParameters) -> Value:
    """What a path is: ``path, kind, size, mtime_ns``, the number of ``entries``, ``attributes``, ``target``."""
    namespace, node = _found(reach, given.path, follow=False)
    return done(**asking.described_whole(namespace, node))


def find(reach: Reach, given: FindParameters) -> Value:
    """``paths`` of what satisfies all properties, by kind and name; ``total`` counts those not shown too."""
    predicates = [
        f"{name}={encode('true' if value is True else 'false' if value is False else str(value))}"
        for name, value in msgspec.to_builtins(given).items()
        if name not in ("path", "offset", "limit") and value is not None
    ]
    if not predicates:
        raise UsageError("No property is given; pass one such as type, name or mentions.")
    namespace, start = _found(reach, given.path or "")
    if namespace.kind(start) != "d":
        raise Hinted(NotADirectory(f"{given.path} is a file."), "Pass a directory of the tree, or no path.")
    text = _asked(reach, start, "@find", *predicates, "_paths.txt")
    paths = text.splitlines()
    shown = paths[given.offset - 1 : given.offset - 1 + given.limit]
    value = done(paths=shown, total=len(paths))
    following = given.offset + len(shown)
    if following <= len(paths):
        value["next_offset"] = following
        value["note"] = f"There are {len(paths):,}; pass offset:{following}, or one more property."
    return value


def chains(reach: Reach, given: ChainParameters) -> Value:
    """``text``: a line a chain with the steps beneath it, as ``@path/<a>/<b>/path.txt``."""
    root = reach.required_graph.namespace.root
    try:
        return done(text=_asked(reach, root, "@path", encode(given.from_), encode(given.to), "path.txt"))
    except NotFoundError as error:
        raise Hinted(
            error, f"Call {call_text('search', query=given.from_, kind='entities')} for the names of entities."
        ) from error


def sql(reach: Reach, given: SqlParameters) -> Value:
    """``rows``: an object a row; ``truncated`` where there are more."""
    from kgfs.namespace.queries import sql as queries

    namespace = reach.required_graph.namespace
    lines = queries.rows(namespace.store, namespace.view, given.query, "jsonl").splitlines()
    rows: list[Any] = []
    size, said = 0, None
    for line in lines:
        row = msgspec.json.decode(line)
        if isinstance(row, dict) and "@truncated" in row:
            said = str(row.get("message") or "There are more rows.")
            break
        size += len(line)
        if rows and size > TEXT_BYTES:
            said = f"{len(rows):,} of {len(lines):,} rows are shown; select fewer columns, or add LIMIT and OFFSET."
            break
        rows.append(row)
    value = done(rows=rows, truncated=said is not None)
    if said is not None:
        value["note"] = said
    elif not rows:
        value["note"] = "The statement gave no rows."
    return value


def grep(reach: Reach, given: GrepParameters) -> Value:
    """``matches``: ``path, line, text`` of each line that matches, as ``@grep`` finds them."""
    namespace, node = _found(reach, given.path)
    flags = "".join(flag for flag, on in (("i", given.ignore_case), ("F", given.fixed), ("w", given.whole_words)) if on)
    here = namespace.path(node)
    one = namespace.kind(node) == "f"
    found = asking.matching(namespace, node, given.pattern, flags, reach.required_graph.stopped)
    matches: list[Value] = []
    size, more = 0, False
    for name, number, line in found.lines():
        _go_on(reach)
        path = here if one else "/".join(part for part in (here, name.decode("utf-8", "replace")) if part)
        if given.glob is not None and not fnmatch.fnmatchcase(path.rpartition("/")[2], given.glob):
            continue
        text = line.decode("utf-8", "replace")
        text = text if len(text) <= LINE_CHARACTERS else f"{text[:LINE_CHARACTERS]}…"
        size += len(text) + len(path)
        if len(matches) >= given.max_results or size > TEXT_BYTES:
            more = True
            break
        matches.append({"path": path, "line": number, "text": text})
    value = done(path=here or ".", matches=matches, more=more)
    if more:
        value["note"] = "There are more; use a narrower pattern, a deeper path, or a larger max_results."
    elif not matches:
        value["note"] = "No line matches; call search to ask by meaning."
    return value


# --- places ---------------------------------------------------------------------------------------------------------


def _found(reach: Reach, path: str, *, follow: bool = True) -> tuple[Any, int]:
    """The tree and the node of a path. ``NotFoundError`` with where to look."""
    graph = reach.required_graph
    return graph.namespace, _placed(reach, path, lambda: graph.find(path, follow=follow))


def _placed(reach: Reach, path: str | None, ask: Any) -> Any:
    """What a question that names a path gives; where there is no such path, the error says how to find one."""
    try:
        return ask()
    except (NotFoundError, NotADirectory) as error:
        name = (path or "").rstrip("/").rpartition("/")[2]
        look = f"{call_text('search', query=name)} or " if any(map(str.isalnum, name)) else ""
        raise Hinted(error, f"Call {look}{call_text('list', path='')} to see what there is.") from error


def _asked(reach: Reach, start: int, *components: str) -> str:
    """The text of a query file."""
    namespace = reach.required_graph.namespace
    node = namespace.resolve("/".join(components), start=start)
    parts = []
    for part in asking.pieces(namespace, node):
        _go_on(reach)
        parts.append(part)
    return b"".join(parts).decode("utf-8", "replace")


def _go_on(reach: Reach) -> None:
    if reach.required_graph.stopped():
        raise Cancelled("Stopped.")
