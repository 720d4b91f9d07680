"""What ``kgfs status`` says is still to be done."""

from __future__ import annotations

import pytest

from kgfs.cli.upkeep.status import waits

NOTHING = dict.fromkeys(("files", "removed", "texts", "documents", "vectors", "topics"), 0)


@pytest.mark.parametrize(
    ("waiting", "said"),
    [
        ({}, ""),
        ({"documents": 930, "topics": 1}, "930 documents, topics"),
        ({"documents": 1, "texts": 1}, "1 document"),
        ({"documents": 2, "texts": 5}, "5 documents"),
        ({"files": 3, "documents": 3, "texts": 3}, "3 written files"),
        ({"files": 3, "documents": 10, "removed": 1}, "3 written files, 1 removed, 7 documents"),
        ({"vectors": 4000}, "4,000 vectors"),
        ({"documents": 930, "vectors": 4000}, "930 documents, 4,000 vectors"),
        ({"topics": 1}, "topics"),
    ],
)
def test_all_that_waits_is_named(waiting: dict[str, int], said: str) -> None:
    assert waits({**NOTHING, **waiting}) == said
