"""A path whose file is made when it is named, while a commit is quicker."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgfs.control import stale_snapshots
from kgfs.control.path_arguments import walk
from kgfs.namespace.bodies import StaleSnapshotError
from kgfs.namespace.namespace import Namespace
from tests.graph_builder import build
from tests.namespace.drivers import opened


def test_a_page_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with build(tmp_path / "store", entities=6, documents=2, topics=2) as database:
        tree = opened(database)
        prepare, left = Namespace.prepare, [2]

        def overtaken(self: Namespace, node: int, name: str | None = None) -> None:
            left[0] -= 1
            if left[0] >= 0:
                raise StaleSnapshotError("The graph changed.")
            prepare(self, node, name)

        monkeypatch.setattr(Namespace, "prepare", overtaken)
        trail = walk(tree, [tree.root], "@web/documents/note_1.html")
        assert tree.path(trail[-1]) == "@web/documents/note_1.html" and left == [-1]
        left[0] = 1 << 30
        monkeypatch.setattr(stale_snapshots, "STALE_SNAPSHOT_SECONDS", 0.1)
        with pytest.raises(StaleSnapshotError):
            walk(tree, [tree.root], "@web/documents/note_2.html")
