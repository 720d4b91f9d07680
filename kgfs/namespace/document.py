"""``docs/tree.md`` out of the table: ``python -m kgfs.namespace.document`` writes it, a test says when it is behind."""

from __future__ import annotations

from pathlib import Path

from kgfs.namespace.route import Row
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.tree import table

PATH = Path(__file__).resolve().parents[2] / "docs" / "tree.md"

HEAD = """\
# The tree

Made from `kgfs/namespace/tree.py` by `python -m kgfs.namespace.document`; a test fails when it is behind.

`/` at the end is a directory, `->` a link; a name in `<>` stands for many. Links of the graph are relative and stay
inside the mount. What is written goes to `context/agent/` (and drives named by `mount --writable`), `workspace/`,
`@kv/` and the directories of `@session/`; elsewhere a write is `EROFS`.

| path | what it is |
|---|---|
"""

TAIL = """
## Attributes

* Directories are `0755`, files `0644` (in `context/` the creator's mode), links `0777`; a directory's link count is 1.
* A file's size is the number of bytes that a read returns. An entity's directory has its number of facts as size.
* `mtime`: documents, chunks and facts have their own date (no time: 12:00 UTC; a month: its first day; a year: 1
  January), an entity that of its newest fact or chunk, `context/` the last write, other directories their newest
  member. `ctime`: when the bytes changed. A link has the dates of what it leads to.
* `user.kg.id`, `.ref`, `.type`, `.facts`, `.tokens`, `.indexed` where a place stands for something of its own.
  Setting or removing one of these has no effect (`rsync -X`, `mv` and `tar --xattrs` do it); other names with `user.`
  are yours.
* In a query exactly `%2F`, `%2E` and `%25` are decoded; a name that begins with `.` is no query (write `%2E`).
"""


def shown(row: Row) -> str:
    """A row's line of the table."""
    path = f"`{row.pattern} ->`" if row.kind == "l" else f"`{row.pattern}`"
    return f"| {path} | {row.description} |"


def text() -> str:
    """The whole page."""
    return HEAD + "\n".join(shown(row) for row in table(Runtime()).rows) + "\n" + TAIL


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
