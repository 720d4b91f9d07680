"""Links as places: of a document, and of the page of an entity."""

from __future__ import annotations

from pathlib import Path

from kgfs.model import DocumentLink, EntityCandidate, Extraction, Mention
from kgfs.namespace.publish import publish
from kgfs.store.files import documents
from tests import planned_graphs as graphs
from tests.namespace.drivers import NamespaceDriver, SubstringSearcher, opened
from tests.new_stores import new_store


def extracted(targets: list[str], names: list[str]) -> Extraction:
    return Extraction(
        extractor="x",
        entities=[EntityCandidate(name=name, type="Concept", confidence=1.0, declared=True) for name in names],
        mentions=[Mention(entity=number, chunk=1) for number in range(len(names))],
        links=[DocumentLink(target=target, kind="wikilink") for target in targets],
    )


def test_links_lead_both_ways(tmp_path: Path) -> None:
    with new_store(tmp_path / "store") as database:
        graphs.put(
            database, "/v/Leave.md", graphs.parsed(["Leave is paid."], title="Paid leave (policy)"),
            extracted(["Holidays", "Team", "Leave", "nowhere"], ["Paid leave"]),
        )  # fmt: skip
        graphs.put(
            database, "/v/Holidays.md", graphs.parsed(["Holidays."], title="Holidays"),
            extracted(["Leave"], ["Holidays", "Paid leave"]),
        )  # fmt: skip
        graphs.put(database, "/v/Team.md", graphs.parsed(["We."], title="Team"), extracted([], ["Other"]))
        database.write(documents.resolve_links)
        publish(database)
        tree = NamespaceDriver(opened(database, searcher=SubstringSearcher(database)))
        assert tree.listdir("documents/Leave/links") == ["Holidays", "Team"]
        assert tree.listdir("documents/Leave/backlinks") == ["Holidays"]
        assert tree.listdir("documents/Team/links") == []
        assert tree.listdir("documents/Team/backlinks") == ["Leave"]
        assert tree.readlink("documents/Leave/links/Team") == "../../../documents/Team"
        # The page of an entity is the document of its name, even where others declare it.
        page = "entities/concepts/Paid_leave"
        assert tree.listdir(f"{page}/links") == ["Holidays", "Team"]
        assert tree.listdir(f"{page}/backlinks") == ["Holidays"]
        assert tree.readlink(f"{page}/backlinks/Holidays") == "../../../../documents/Holidays"
        assert not {"links", "backlinks"} & set(tree.listdir("entities/concepts/Other"))
        # What is asked there is asked of these documents.
        assert sorted(tree.listdir(f"{page}/links/@find/type=document")) == ["Holidays", "Team"]
        hits = tree.read("documents/Leave/links/@search/text/holidays").decode()
        assert "chunks/by_document/Holidays" in hits
        assert "by_document/Leave" not in hits
