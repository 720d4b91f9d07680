"""Pairs of entities that may be one, and what judges said of pairs, as rows.

Used by the candidate and judge passes, by the resolver (verdicts that join names) inside a write transaction on the
store's writer thread, by the service, and by the tree, with a reader's cursor.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from kgfs.index_records import MergeCandidate, NamedEntity
from kgfs.store import indexing
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert
from kgfs.store.files.documents import IN
from kgfs.store.files.items import GROUP, now
from kgfs.store.graph.annotations import PERSON
from kgfs.store.graph.claims import IN_TEXTS, entities_of_keys
from kgfs.store.tree import pages

_MADE = "merge_candidates"


class PairVerdict(NamedTuple):
    """What a judge said of two normalised names, in order."""

    one: str
    other: str
    same: bool
    confidence: float
    said_by: str
    evidence: str
    """A hash of what the judge was shown."""


class ShownCandidate(NamedTuple):
    """A candidate with what the tree shows of its two entities: ``(slug, name, type)`` each."""

    one: tuple[str, str, str]
    other: tuple[str, str, str]
    reason: str
    cosine: float | None
    score: float


class JudgedEntity(NamedTuple):
    """What a judge is told of an entity."""

    id: int
    key: str
    """A normalised name of it that documents have, and this entity alone."""
    name: str
    type: str
    aliases: list[str]
    description: str
    quotes: list[str]
    """Of its best facts, at most three."""


def entity_state(cursor: Cursor) -> str | None:
    """What entities there are, as a text that changes with them; ``None`` while some wait for their vectors."""
    if indexing.rows_to_embed(cursor, "entity"):
        return None
    (row,) = cursor.execute("SELECT count(*), bit_xor(hash(id, name, type, want_gen)) FROM entities").fetchall()
    return f"{row[0]} {row[1]}"


def made_of(cursor: Cursor) -> str | None:
    """The state of which the candidates were made."""
    return pages.read_meta(cursor, _MADE)


def named_entities(cursor: Cursor) -> list[NamedEntity]:
    """Every entity."""
    rows = cursor.execute("SELECT id, name, type FROM entities ORDER BY id").fetchall()
    return [NamedEntity(*row) for row in rows]


def replace_candidates(cursor: Cursor, candidates: Sequence[MergeCandidate], made_of: str) -> bool:
    """Keep these candidates in the place of the former ones; whether they are others."""
    before = [MergeCandidate(*row) for row in cursor.execute(_ROWS).fetchall()]
    pages.write_meta(cursor, _MADE, made_of)
    changed = set(before) ^ set(candidates)
    if not changed:
        return False
    dirty_rows.mark_dirty(cursor, "entity", {number for one in changed for number in (one.one, one.other)})
    cursor.execute("DELETE FROM merge_candidates")
    insert(
        cursor,
        "merge_candidates",
        {
            "group_id": [GROUP] * len(candidates),
            "one_id": [one.one for one in candidates],
            "other_id": [one.other for one in candidates],
            "reason": [one.reason for one in candidates],
            "cosine": [one.cosine for one in candidates],
            "score": [one.score for one in candidates],
        },
    )
    return True


_ROWS = "SELECT one_id, other_id, reason, cosine, score FROM merge_candidates"


def candidates(cursor: Cursor) -> list[MergeCandidate]:
    """All candidates, the likeliest first."""
    rows = cursor.execute(f"{_ROWS} ORDER BY score DESC, one_id, other_id").fetchall()
    return [MergeCandidate(*row) for row in rows]


def shown_candidates(cursor: Cursor) -> list[ShownCandidate]:
    """The candidates whose entities are there still and of which nobody said that they are two, the likeliest first."""
    rows = cursor.execute(
        "SELECT a.slug, a.name, a.type, b.slug, b.name, b.type, reason, cosine, score FROM merge_candidates"
        " JOIN entities a ON a.id = one_id JOIN entities b ON b.id = other_id"
        " WHERE NOT EXISTS (SELECT 1 FROM merge_verdicts v JOIN entity_keys x ON x.key = v.one_key"
        " JOIN entity_keys y ON y.key = v.other_key WHERE NOT v.same"
        " AND least(x.entity_id, y.entity_id) = one_id AND greatest(x.entity_id, y.entity_id) = other_id)"
        " ORDER BY score DESC, a.slug, b.slug"
    ).fetchall()
    return [ShownCandidate(tuple(row[:3]), tuple(row[3:6]), *row[6:]) for row in rows]


def judged_entities(cursor: Cursor, entity_ids: Collection[int]) -> dict[int, JudgedEntity]:
    """What a judge is told of entities; those that no document names are left out."""
    numbers = sorted(entity_ids)
    quotes: dict[int, list[str]] = {}
    for number, quote in cursor.execute(
        "SELECT id, quote FROM (SELECT unnest([subject_id, object_id]) AS id, quote, confidence, fact_id FROM facts"
        f" WHERE subject_id {IN} OR object_id {IN}) WHERE id {IN}"
        " QUALIFY row_number() OVER (PARTITION BY id ORDER BY confidence DESC, fact_id) <= 3 ORDER BY id, fact_id",
        [numbers] * 3,
    ).fetchall():
        quotes.setdefault(number, []).append(quote)
    rows = cursor.execute(
        "SELECT e.id, min_by(key, (-c.documents, key)), e.name, e.type, coalesce(any_value(n.aliases), []),"
        " coalesce(e.description, '') FROM entities e JOIN entity_keys k ON k.entity_id = e.id"
        " JOIN (SELECT key, count(DISTINCT document_id) AS documents FROM entity_claims GROUP BY key) c USING (key)"
        " LEFT JOIN (SELECT entity_id, list(DISTINCT alias ORDER BY alias) AS aliases FROM entity_aliases"
        f" GROUP BY entity_id) n ON n.entity_id = e.id WHERE e.id {IN} GROUP BY e.id, e.name, e.type, e.description"
        " ORDER BY e.id",
        [numbers],
    ).fetchall()
    return {row[0]: JudgedEntity._make((*row, quotes.get(row[0], []))) for row in rows}


def put_verdicts(cursor: Cursor, verdicts: Sequence[PairVerdict]) -> None:
    """Keep what judges said. What a person said of a pair stays unless a person says another thing."""
    pairs = {(one.one, one.other): one for one in verdicts}
    held = of_keys(cursor, {key for pair in pairs for key in pair})
    for one in held:
        if (one.one, one.other) in pairs and one.said_by == PERSON and pairs[one.one, one.other].said_by != PERSON:
            del pairs[one.one, one.other]
    dirty_rows.mark_dirty(cursor, "entity", entities_of_keys(cursor, {key for pair in pairs for key in pair}).values())
    for one_key, other_key in pairs:
        cursor.execute("DELETE FROM merge_verdicts WHERE one_key = ? AND other_key = ?", [one_key, other_key])
    rows = list(pairs.values())
    insert(
        cursor,
        "merge_verdicts",
        {
            "group_id": [GROUP] * len(rows),
            "one_key": [one.one for one in rows],
            "other_key": [one.other for one in rows],
            "same": [one.same for one in rows],
            "confidence": [one.confidence for one in rows],
            "said_by": [one.said_by for one in rows],
            "evidence": [one.evidence for one in rows],
            "said_at": [now()] * len(rows),
        },
    )


def of_keys(cursor: Cursor, keys: Collection[str]) -> list[PairVerdict]:
    """What judges said of these names, in order."""
    wanted = sorted(keys)
    rows = cursor.execute(
        "SELECT one_key, other_key, same, confidence, said_by, evidence FROM merge_verdicts"
        f" WHERE one_key {IN_TEXTS} OR other_key {IN_TEXTS} ORDER BY ALL",
        [wanted, wanted],
    ).fetchall()
    return [PairVerdict(*row) for row in rows]
