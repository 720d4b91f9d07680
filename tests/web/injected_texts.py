"""A graph in which whatever comes from documents tries to become markup or a script, or is otherwise odd."""

from __future__ import annotations

from pathlib import Path

from kgfs.namespace.publish import publish
from kgfs.store.catalog.database import Cursor, Database
from tests.graph_builder import build

RAN = "window.injected=1"
TEXTS = (
    f"<script>{RAN}</script>",
    f"</title><script>{RAN}</script>",
    f'"><img src=x onerror="{RAN}">',
    f"'><svg onload={RAN}>",
    f"</script><script>{RAN}</script>",
    f"<!--</script><script>{RAN}//-->",
    f"</pre></blockquote><iframe srcdoc='<script>parent.{RAN}</script>'></iframe>",
    f"[click](javascript:{RAN})",
    f"[click](data:text/html,<script>{RAN}</script>)",
    f'[click](https://example.org/"onmouseover="{RAN})',
    f"![picture](https://example.org/x.png \"x' onerror='{RAN}\")",
    f"<a href=\"jAvAsCrIpT:{RAN}\">x</a>",
    f"[[x|<script>{RAN}</script>]]",
    f"[[\"><script>{RAN}</script>]]",
    f"<https://example.org/?\"><script>{RAN}</script>>",
    f"{{{{ self.__init__.__globals__ }}}}{{% raw %}}<b onclick={RAN}>",
    f"`<script>{RAN}</script>`\n\n```\n</code><script>{RAN}</script>\n```",
    f"| a | b |\n|---|---|\n| <script>{RAN}</script> | [x](vbscript:{RAN}) |",
    f"[ref]\n\n[ref]: javascript:{RAN}",
    f"\x00\x0b<script\x0c>{RAN}</script\x00>",
    f"&lt;script&gt;{RAN}&lt;/script&gt;&#60;img src=x onerror={RAN}&#62;",
    "الذكاء الاصطناعي والمعرفة‮drow‬",
    "x" * 500,
    "\u2028\u2029 ends \ufeff of \u0085 lines",
    "</ScRiPt  ><sCrIpT>" + RAN + "</sCrIpT>",
    "<style>*{display:none}</style><base href=https://example.org/>",
    "<meta http-equiv=refresh content='0;url=https://example.org/'>",
)  # fmt: skip


def _inject(cursor: Cursor) -> None:
    def texts(table: str) -> list[tuple[str, int]]:
        rows = cursor.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()
        return [(TEXTS[place % len(TEXTS)].replace("\0", ""), row_id) for place, (row_id,) in enumerate(rows)]

    cursor.executemany("UPDATE entities SET name = $1, description = $1, summary = $1 WHERE id = $2", texts("entities"))
    cursor.executemany("UPDATE entity_aliases SET alias = $1 WHERE entity_id = $2", texts("entities"))
    cursor.executemany(
        "UPDATE documents SET title = $1, description = $1, summary = $1, tags = to_json([$1]) WHERE id = $2",
        texts("documents"),
    )
    cursor.executemany("UPDATE topics SET name = $1, definition = $1 WHERE id = $2", texts("topics"))
    cursor.executemany(
        "UPDATE facts SET description = $1, object_text = $1, unit = $1, quote = $1, role = $1, "
        "span_start = NULL, span_end = NULL WHERE id = $2",
        texts("facts"),
    )
    for text, row_id in texts("chunks"):
        said = f"Before. {text} After."
        cursor.execute(
            "UPDATE chunks SET text = $1, size = $2, headings = to_json([$1]) WHERE id = $3",
            [said, len(said.encode()), row_id],
        )
    # The names that pages of lists have, and dates before there were any.
    cursor.execute("UPDATE entities SET slug = 'index', slug_key = 'index' WHERE id = (SELECT min(id) FROM entities)")
    cursor.execute("UPDATE topics SET slug = 'index', slug_key = 'index' WHERE id = (SELECT min(id) FROM topics)")
    cursor.execute("UPDATE documents SET slug = 'index', slug_key = 'index' WHERE id = (SELECT min(id) FROM documents)")
    cursor.execute("UPDATE facts SET date = '-0044-03-15' WHERE id % 5 = 0")


def build_injected(store: Path) -> Database:
    """A published store with such a graph; close it yourself."""
    database = build(store, entities=60, documents=14, topics=30, published=False)
    database.write(_inject)
    publish(database)
    return database
