"""Bundles that somebody wrote by hand: refused whole with the line, or what they make is sound and can be walked."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.errors import KgfsError
from kgfs.exchange import importing, merging
from kgfs.exchange.bundle import Bundle, BundleEnd, bundle_digest, end_line
from kgfs.fsck.run import Fsck
from kgfs.progress import Never
from kgfs.service.trial import require_sound
from tests.exchange.test_bundle import NEWEST, place, quiet, rich, tree, whole  # noqa: F401 (fixtures)
from tests.new_stores import new_store
from tests.rounds import rounds

VALUES: list[Any] = [
    "a/b", "..", ".", "", "a\0b", "x" * 300, "@find", "-rf", "~2", "A\nB", "{", "[]", "{}", "[[", "null", "2020-02-31",
    "\U0010ffff", None, -1, 0, 7, 1 << 27, 1 << 40, 1 << 80, 1.5, True, [], {}, ["a"], "[" * 5000 + "]" * 5000,
    "9999-12-31T00:00:00", "AAA",
]  # fmt: skip
Rows = list[tuple[str, dict[str, Any]]]


def rows_of(bundle: bytes) -> tuple[bytes, Rows]:
    """The header and the rows of a bundle."""
    lines = bundle.splitlines(keepends=True)
    rows = []
    for line in lines[1:-1]:
        ((table, values),) = msgspec.json.decode(line).items()
        rows.append((table, values))
    return lines[0], rows


def signed(header: bytes, rows: Rows) -> bytes:
    """A bundle of these rows with the digest and the counts that it must have."""
    lines = [header, *(msgspec.json.encode({table: values}) + b"\n" for table, values in rows)]
    counts: dict[str, int] = {}
    for table, _ in rows:
        counts[table] = counts.get(table, 0) + 1
    seen = bundle_digest()
    seen.update(b"".join(lines))
    return b"".join([*lines, end_line(BundleEnd(rows=counts, digest=seen.hexdigest()))])


def refusal(bundle: bytes, home: Path) -> str | None:
    """Why a bundle is refused; where it is not, what it makes is walked and checked."""
    path = home / "bundle.jsonl"
    path.write_bytes(bundle)
    try:
        with Bundle(path, NEWEST) as opened:
            require_sound(opened, home, Config(), quiet, Never())
    except KgfsError as error:
        assert [each.name for each in home.iterdir()] == ["bundle.jsonl"]
        return error.message
    with new_store(home / "store", reserve=0) as database, Bundle(path, NEWEST) as opened:
        importing.import_whole(database, opened, quiet, Never())
        assert tree(database)
        assert Fsck(database, Config()).check().findings == []
    return None


def test_the_bundle_as_it_was_written_is_taken(whole: bytes, tmp_path: Path) -> None:  # noqa: F811
    header, rows = rows_of(whole)
    assert refusal(signed(header, rows), tmp_path) is None


CRAFTED = [
    *(("entities", "slug", slug) for slug in ("a/b", "..", "", "a\0b", "x" * 300)),
    *(("topics", "slug", slug) for slug in ("a/b", "..")),
    *(("documents", "slug", slug) for slug in ("a/b", "..", "")),
    ("entities", "attributes", "{"),
    ("documents", "front_matter", "no JSON"),
    ("sources", "name", "../.."),
    ("context_items", "path", "/elsewhere"),
    ("context_items", "ref", "disk:/a/../b"),
    ("context_items", "xattrs", "[]"),
    ("context_items", "mode", 1 << 20),
    ("facts", "fact_id", "../../etc/passwd"),
    ("facts", "id", 0),
    ("chunks", "document_id", 999_999),
    ("entities", "name", 3),
    ("entities", "created_at", "yesterday"),
    ("counters", "next", 1 << 50),
]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column", "value"), CRAFTED)
def test_a_row_that_cannot_be_is_refused_with_its_line(
    whole: bytes,  # noqa: F811
    tmp_path: Path,
    table: str,
    column: str,
    value: Any,
) -> None:
    header, rows = rows_of(whole)
    last = max(number for number, (name, _) in enumerate(rows) if name == table)
    rows[last][1][column] = value
    why = refusal(signed(header, rows), tmp_path)
    assert why is not None and f"line {last + 2}: " in why, why


def test_what_only_a_store_says_of_itself_is_refused(whole: bytes, tmp_path: Path) -> None:  # noqa: F811
    header, rows = rows_of(whole)
    why = refusal(signed(header, [*rows, ("meta", {"key": "schema_version", "value": "1"})]), tmp_path)
    assert why is not None and f"line {len(rows) + 2}: " in why
    twice = refusal(signed(header, [*rows, rows[-1]]), tmp_path)
    assert twice is not None


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, float, float, Any]:
    return (
        draw(st.sampled_from(["set", "set", "set", "drop", "again"])),
        draw(st.floats(0, 1, exclude_max=True)),
        draw(st.floats(0, 1, exclude_max=True)),
        draw(st.sampled_from(VALUES)),
    )


@pytest.mark.long
@settings(max_examples=rounds(20, 150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(changes(), min_size=1, max_size=2))
def test_whatever_a_row_says(whole: bytes, given: list[tuple[str, float, float, Any]]) -> None:  # noqa: F811
    header, rows = rows_of(whole)
    tables = sorted({table for table, _ in rows})
    for action, which, what, value in given:
        # Of each table as often as of any other.
        share = which * len(tables)
        of_table = [at for at, (name, _) in enumerate(rows) if name == tables[int(share)]]
        if not of_table:
            continue
        number = of_table[int((share % 1) * len(of_table))]
        table, values = rows[number]
        if action == "drop":
            del rows[number]
        elif action == "again":
            rows.insert(number, (table, dict(values)))
        else:
            columns = sorted(values)
            rows[number] = (table, {**values, columns[int(what * len(columns))]: value})
    with tempfile.TemporaryDirectory() as home:
        why = refusal(signed(header, rows), Path(home))
        assert why is None or re.search(r"bundle\.jsonl(, line \d+)?: |is damaged", why), why


@pytest.mark.parametrize("merged", [False, True])
def test_facts_of_before_they_had_a_status_are_stated(whole: bytes, tmp_path: Path, merged: bool) -> None:  # noqa: F811
    """A bundle of an older store lacks the columns."""
    header, rows = rows_of(whole)
    told = msgspec.json.decode(header)
    for name in ("status", "role", "date_role"):
        told["kgfs_bundle"]["tables"]["facts"].pop(name)
    without = [
        (table, {name: value for name, value in values.items() if table != "facts" or name not in ("status", "role")})
        for table, values in rows
    ]
    path = tmp_path / "bundle.jsonl"
    path.write_bytes(signed(msgspec.json.encode(told) + b"\n", without))
    with new_store(tmp_path / "store", reserve=0) as database, Bundle(path, NEWEST) as opened:
        if merged:
            merging.merge_bundle(database, opened, "skip", quiet, Never())
        else:
            importing.import_whole(database, opened, quiet, Never())
        assert database.fetch("SELECT DISTINCT status, role FROM facts") == [("stated", None)]
        assert Fsck(database, Config()).check().findings == []
