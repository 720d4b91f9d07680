"""Reading claims of names that very many documents have: the work grows with the documents, not with their square."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.graph import claims

DOCUMENTS = 3_000
KEYS = ["acme", "jane smith"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Database.open(tmp_path_factory.mktemp("store"), create=True, reserve=0) as opened:
        opened.write(_fill)
        yield opened


def _fill(cursor: Cursor) -> None:
    documents = f"range(1, {DOCUMENTS + 1}) d(id), (VALUES ('acme'), ('jane smith')) k(key)"
    cursor.execute(
        "INSERT INTO entity_claims BY NAME SELECT 1 AS group_id, id AS document_id, key, key AS name, '' AS type,"
        " '[]' AS aliases, '' AS description, '{}' AS attributes, 1.0 AS confidence, false AS declared,"
        f" 'test' AS extractor, 'sure' AS standing, '[]' AS passages FROM {documents}"
    )
    cursor.execute(
        "INSERT INTO claim_forms BY NAME SELECT 1 AS group_id, id AS document_id, key, 'initials' AS rule,"
        f" 'j smith' AS form, 'same' AS side FROM {documents}"
    )
    cursor.execute(
        "INSERT INTO claim_aliases BY NAME SELECT 1 AS group_id, id AS document_id, key, 'other' AS alias_key,"
        f" false AS declared, 'stated' AS rule FROM {documents}"
    )
    cursor.execute(
        "INSERT INTO claim_evidence BY NAME SELECT 1 AS group_id, id AS document_id, key, 'seen' AS kind, '' AS label,"
        f" 1.0 AS amount FROM {documents}"
    )


@pytest.mark.parametrize(
    "read",
    [
        lambda cursor: claims.form_holders(cursor, KEYS),
        lambda cursor: claims.aliases_of_keys(cursor, KEYS),
        lambda cursor: claims.name_standings(cursor, KEYS),
        lambda cursor: claims.summed_evidence(cursor, KEYS),
        lambda cursor: claims.pairs_in_one_document(cursor, [("acme", "jane smith")]),
        lambda cursor: claims.claimed_keys(cursor, range(1, 129)),
    ],
)
def test_no_join_is_quadratic(read: Callable[[Cursor], Any], shared: Database) -> None:
    profile = shared.path.parent / "profile.json"  # the engine writes nowhere else

    def profiled(cursor: Cursor) -> Any:
        cursor.execute("PRAGMA enable_profiling = 'json'")
        cursor.execute(f"PRAGMA profiling_output = '{profile}'")
        try:
            return read(cursor)
        finally:
            cursor.execute("PRAGMA disable_profiling")

    assert shared.write(profiled)
    most = max(_rows(msgspec.json.decode(profile.read_bytes())["operator"]))
    assert 0 < most <= 4 * DOCUMENTS


def _rows(operators: list[Any]) -> Iterator[int]:
    """How many rows each operator of a plan gave out."""
    for operator in operators:
        yield operator["intermediate_rows"]
        yield from _rows(operator.get("children", []))
