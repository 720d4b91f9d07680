"""The tree as resources: which are named, how a URI names a path, what one holds, and completion of names.

Used by the server's handlers, on threads. ``kgfs:///entities/by_name/X/summary.txt`` is the file of that path; a
directory is the list of its entries. A URI reaches nothing but the tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

import msgspec

from kgfs.control.store_asking import Stop, StoreAsking
from kgfs.errors import IsADirectory, NotFoundError, TooLarge, UsageError
from kgfs.paths import PREFIX

SCHEME = "kgfs"
MOST_BYTES = 4 << 20
MOST_ENTRIES = 1000
COMPLETIONS = 100

NAMED = (
    ("AGENTS.md", "Guide", "How to read this graph; begin here.", "text/markdown"),
    ("entities/_index.tsv", "Entities", "All entities with type, aliases and counts, most facts first.", "text/plain"),
    ("documents/_index.tsv", "Documents", "All documents with title, date and origin.", "text/plain"),
    ("topics/_ontology.json", "Topics", "The hierarchy of topics.", "application/json"),
    ("@status/status.json", "Status", "Counts, and whether the index is complete.", "application/json"),
    ("@sql/_schema.sql", "SQL schema", "The tables that the tool sql knows.", "text/plain"),
)  # fmt: skip
"""Path, title, description and type of what is listed."""
TEMPLATES = (
    ("{+path}", "Path", "Any file or directory of the tree."),
    ("@brief/{question}", "Brief", "One text on a question: entities, facts, the best passages."),
    ("entities/by_name/{entity}/summary.txt", "Entity", "An entity: aliases, description, ten best facts."),
    ("entities/by_name/{entity}/facts/all.jsonl", "Facts of an entity", "One JSON object a fact."),
    ("documents/{document}/text.txt", "Document", "The text of a document."),
    ("topics/{topic}/definition.txt", "Topic", "What a topic is about."),
)
_TABLES = {"entity": "entities", "document": "documents", "topic": "topics"}


class Held(NamedTuple):
    """What a resource holds."""

    data: bytes
    mime_type: str


def uri_of(path: str) -> str:
    """The URI of a path."""
    return f"{SCHEME}:///{quote(path.encode('utf-8', 'surrogateescape'), safe='/@~')}"


def path_of(uri: str) -> str:
    """The path that a URI names. ``UsageError`` for one of another kind."""
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise UsageError(f"{uri!r} is no URI ({error}).") from error
    if parts.scheme != SCHEME or parts.netloc not in ("", "kg"):
        raise UsageError(f"{uri!r} is not of this server; its resources are {SCHEME}:///PATH.")
    whole = uri.split("://", 1)[1] if "://" in uri else uri.split(":", 1)[1]
    path = whole[len(parts.netloc) :]
    # A question may hold ? and #, which a URI's path does not.
    return unquote_to_bytes(path).decode("utf-8", "surrogateescape").strip("/")


def _place(path: str) -> dict[str, Any]:
    """A path as an argument of a request."""
    return {"place": {"text": f"{PREFIX}/{path}" if path else "/"}}


class Tree:
    """The tree of one store."""

    def __init__(self, asking: StoreAsking) -> None:
        self._asking = asking

    def read(self, uri: str, stop: Stop | None = None) -> Held:
        """What a URI names. ``NotFoundError``, ``UsageError``, ``TooLarge``."""
        path = path_of(uri)
        place = _place(path)
        if any(part == ".." for part in path.split("/")):
            raise NotFoundError(f"There is nothing at {uri}.")
        collected = _Collecting()
        try:
            self._asking.call("cat", place, collected, stop)
        except IsADirectory:
            return Held(self._listing(path, place), "text/plain")
        data = b"".join(collected.parts)
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return Held(data, "application/octet-stream")
        suffix = path.rpartition(".")[2]
        known = {"json": "application/json", "md": "text/markdown", "svg": "image/svg+xml"}
        return Held(data, known.get(suffix, "text/plain"))

    def _listing(self, path: str, place: dict[str, Any]) -> bytes:
        collected = _Collecting()
        self._asking.call("ls", place, collected)
        lines = [
            f"{each['name']}/" if each["kind"] == "directory" else each["name"]
            for each in collected.items[:MOST_ENTRIES]
        ]
        if len(collected.items) > MOST_ENTRIES:
            lines.append(f"… {len(collected.items) - MOST_ENTRIES:,} more")
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")

    def state(self, uri: str) -> tuple[Any, ...] | None:
        """What changes when a resource does; none where there is none."""
        path = path_of(uri)
        try:
            found = self._asking.call("stat", _place(path))
        except NotFoundError:
            return None
        if found["kind"] == "link":
            found = self._asking.call("stat", _place(f"{path}/."))
        return found["size"], found["mtime_ns"], found["ctime_ns"], found.get("entries")

    def complete(self, argument: str, begun: str, stop: Stop | None = None) -> list[str]:
        """Names that begin with a text, for the variable of a template."""
        table = _TABLES.get(argument)
        if table is None:
            return []
        text = begun.replace("'", "''").replace(" ", "_")
        statement = f"SELECT slug FROM {table} WHERE starts_with(lower(slug), lower('{text}')) ORDER BY 1 LIMIT 100"
        collected = _Collecting()
        self._asking.call("sql", {"statement": statement, "form": "jsonl"}, collected, stop)
        rows = (msgspec.json.decode(line) for line in b"".join(collected.parts).splitlines())
        return [row["slug"] for row in rows if "slug" in row][:COMPLETIONS]


class _Collecting:
    """Keeps the parts of an answer, up to ``MOST_BYTES``."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.parts: list[bytes] = []
        self._size = 0

    def progress(self, progress: dict[str, Any]) -> None:
        """Nobody looks."""

    def item(self, item: Any) -> None:
        self.items.append(item)

    def data(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > MOST_BYTES:
            raise TooLarge(f"This is larger than {MOST_BYTES >> 20} MiB; read parts of it with the tool read.")
        self.parts.append(data)
