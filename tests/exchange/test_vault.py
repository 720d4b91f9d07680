"""An Obsidian vault: where its links, embeds and tags lead."""

from __future__ import annotations

import time
from pathlib import Path

import duckdb

from kgfs.documents.formats import parsing
from kgfs.documents.markup import plain_sentence
from kgfs.exchange.import_formats import import_format
from kgfs.exchange.obsidian import add_arguments
from kgfs.extraction.links import document_links
from kgfs.model import Extraction
from kgfs.store.files import documents, items
from kgfs.store.files.items import NewItem
from kgfs.store.sql.exports import Exports, NamingRules
from tests import planned_graphs as graphs
from tests.new_stores import new_store

NOTE = """---
tags: [reading/papers, idea]
aliases: [The Note]
---
# A note #heading-tag

See [[Index]], [[b/Index|the other]], [[b/Index#Part two]], [[Index#^block]] and [[Nowhere]].
![[Index]] and ![[shot.png|300]] are shown. #work/project-1 and (#no) or a#b, #123, #fff, #a1b2c3 `#code`

| link |
|---|
| [[Table note\\|in a table]] |

```
#include
if [[ -f x ]]; then cat [a](b.md); fi
```
Code has `[[no links]]`, %%nor have [[comments]]%%.
"""


def test_what_a_note_says() -> None:
    document = parsing.parse_document(NOTE.encode(), "note.md")
    assert document.tags == ["reading/papers", "idea", "heading-tag", "work/project-1"]
    assert [(link.kind, link.target, link.label) for link in document_links(document)] == [
        ("wikilink", "Index", ""), ("wikilink", "b/Index", "the other"), ("wikilink", "Nowhere", ""),
        ("embed", "Index", ""), ("embed", "shot.png", "300"), ("wikilink", "Table note", "in a table"),
    ]  # fmt: skip
    assert plain_sentence("A ![[shot.png|300]] of [[Table note\\|it]].").text == "A  of it."


def test_where_links_lead(tmp_path: Path) -> None:
    with new_store(tmp_path / "store", reserve=0) as database:
        document = parsing.parse_document(NOTE.encode(), "note.md")
        places = {path: graphs.put(database, path, graphs.parsed(["x"])) for path in ("/v/a/Index.md", "/v/b/Index.md")}
        found = Extraction(extractor="x", links=document_links(document))
        graphs.put(database, "/v/note.md", graphs.parsed(["y"]), found)
        picture = NewItem(drive="disk", path="/v/files/Shot.png", body=b"\x89PNG", mime_type="image/png")
        database.write(lambda cursor: items.put_item(cursor, picture))
        database.write(documents.resolve_links)
        targets = database.fetch("SELECT kind, target, target_id FROM document_links ORDER BY rowid")
        _, second = places.values()  # of two of one name neither is meant
        assert targets[:5] == [
            ("wikilink", "Index", None), ("wikilink", "b/Index", second), ("wikilink", "Nowhere", None),
            ("embed", "Index", None), ("embed", "shot.png", None),
        ]  # fmt: skip
        paths = {number: f"context/disk{path}" for number, path in database.fetch("SELECT id, path FROM context_items")}
        naming = NamingRules(str, str, paths.get)
        with (
            Exports(database).file(1, frozenset({"document_links"}), naming, time.monotonic() + 60) as file,
            duckdb.connect(file, read_only=True) as export,
        ):
            rows = export.execute("SELECT kind, target, target_document, file FROM document_links").fetchall()
        files = {(kind, target): (document, path) for kind, target, document, path in rows}
        assert files["embed", "shot.png"] == (None, "context/disk/v/files/Shot.png")
        assert files["wikilink", "b/Index"][1] == "context/disk/v/b/Index.md"
        assert files["wikilink", "Nowhere"] == (None, None)


def test_how_a_vault_is_known(tmp_path: Path) -> None:
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    assert import_format(tmp_path / "vault", "auto") == "obsidian"
    arguments = add_arguments(tmp_path / "vault", "mine", "skip")
    assert (arguments["name"], arguments["exclude"]) == ("mine", [".obsidian/", ".trash/"])
