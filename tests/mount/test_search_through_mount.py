"""Retrieval through the mount is retrieval through the library: the same hits, scores, legs and snippets."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgfs.errors import DeadlineExceeded
from kgfs.namespace.queries.query_cache import encode
from kgfs.service.service import Service
from tests.conftest import Mounting, Program

pytestmark = [pytest.mark.mount, pytest.mark.slow, pytest.mark.model]

QUERIES = (
    "which AI labs did Google buy", "wages in Boston", "who founded DeepMind", "chief executive of YouTube",
    "unemployment during the pandemic", "acquired a map company", "Geoffrey Hinton", "interest rates/mortgages",
    "thermostats", "price of crude oil in Texas",
)  # fmt: skip
PLACES = ("", "chunks", "entities/organizations/Alphabet_Inc", "documents/deepmind", "topics/labor_markets")
SECONDS = 120.0


def hybrid(ask: Callable[[], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The hits once the model has a part in them: until it is loaded, answers are by keyword, or late."""
    deadline = time.monotonic() + SECONDS
    while True:
        hits = []
        with contextlib.suppress(TimeoutError, DeadlineExceeded):
            hits = ask()
        if hits and hits[0]["mode"] == "hybrid":
            return [{name: value for name, value in hit.items() if name != "path"} for hit in hits]
        assert time.monotonic() < deadline, hits[:1]
        time.sleep(0.5)


def test_the_mount_and_the_library_agree(kgfs: Program, sample_store: Path, mount: Mounting) -> None:
    """The library first, while nobody else has the store; then the same questions as paths."""
    asked = [(place, query) for place in PLACES for query in (QUERIES if not place else QUERIES[:3])]
    by_library = {}
    with Service.open(sample_store) as service:
        for place, query in asked:
            within = service.namespace.resolve(place) if place else None
            search = service.searching.search
            by_library[place, query] = hybrid(lambda: search(query, limit=20, within=within)["results"])  # noqa: B023
    root = mount(sample_store)
    for place, query in asked:
        file = root / place / "@search/semantic" / encode(query) / "results.jsonl"
        hits = hybrid(lambda: [json.loads(line) for line in file.read_text().splitlines()])  # noqa: B023
        assert hits == by_library[place, query], (place, query)
