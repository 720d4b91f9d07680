"""Rows of what language models answered, what that cost, and which batches are on their way.

Used by ``kgfs.llm`` and the pipeline: reads on any thread, writes on the store's writer thread. Functions take a
cursor.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC
from typing import Any

import msgspec

from kgfs.llm_records import LlmAnswer, LlmUsage
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, value_table
from kgfs.store.catalog.rows import encode_json, struct_columns
from kgfs.store.files.items import now
from kgfs.store.tree import pages

_SPENT, _PAUSED = "llm_spent", "llm_paused"
"""Rows of ``meta``."""


class AskedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is noted of a request."""

    key: str
    model: str
    prompt_version: str
    purpose: str
    document_id: int
    """The document that it is for; 0 where it is for many."""


class OpenBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch that is on its way."""

    id: str
    api_id: str | None
    """``None`` where the run ended before the server's id was noted."""
    created_at: float
    """Seconds since 1970, by this machine's clock."""
    asked: list[AskedRequest]


class DocumentCost(msgspec.Struct, frozen=True, kw_only=True):
    """What was paid for one document and one purpose."""

    document_id: int
    purpose: str
    model: str
    requests: int
    usage: LlmUsage
    usd: float | None


def stored_answers(cursor: Cursor, keys: Collection[str]) -> dict[str, LlmAnswer]:
    """The stored answers, by key."""
    if not keys:
        return {}
    with value_table(cursor, "asked", {"key": ("VARCHAR", list(keys))}):
        rows = cursor.execute(
            "SELECT key, input, stop_reason, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens"
            " FROM llm_answers JOIN asked USING (key)"
        ).fetchall()
    return {
        key: LlmAnswer(
            input=None if text is None else msgspec.json.decode(text),
            stop_reason=reason,
            usage=LlmUsage(
                input_tokens=counts[0], output_tokens=counts[1], cache_read_tokens=counts[2],
                cache_write_tokens=counts[3],
            ),
        )
        for key, text, reason, *counts in rows
    }  # fmt: skip


def put_answer(cursor: Cursor, asked: AskedRequest, answer: LlmAnswer, usd: float | None, *, batched: bool) -> None:
    """Keep an answer and count what it cost (``usd`` is ``None`` where nobody knows)."""
    used = answer.usage
    cursor.execute(
        "INSERT OR REPLACE INTO llm_answers BY NAME SELECT ? AS key, ? AS model, ? AS prompt_version, ? AS purpose,"
        " ? AS input, ? AS stop_reason, ? AS input_tokens, ? AS output_tokens, ? AS cache_read_tokens,"
        " ? AS cache_write_tokens, ? AS batched, ?::TIMESTAMP AS created_at",
        [
            asked.key, asked.model, asked.prompt_version, asked.purpose,
            None if answer.input is None else encode_json(answer.input), answer.stop_reason, used.input_tokens,
            used.output_tokens, used.cache_read_tokens, used.cache_write_tokens, batched, now(),
        ],
    )  # fmt: skip
    cursor.execute(
        "INSERT INTO llm_costs VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET requests = requests + 1,"
        " input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,"
        " cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,"
        " cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens, usd = usd + excluded.usd",
        [
            asked.document_id, asked.purpose, asked.model, used.input_tokens, used.output_tokens,
            used.cache_read_tokens, used.cache_write_tokens, usd,
        ],
    )  # fmt: skip
    if usd:
        put_spent(cursor, usd)


def put_spent(cursor: Cursor, usd: float) -> None:
    """Count what was paid today, by UTC; what was paid before today is forgotten."""
    pages.write_meta(cursor, _SPENT, encode_json({"day": _today(), "usd": spent_today(cursor) + usd}))


def spent_today(cursor: Cursor) -> float:
    """US dollars that all runs paid today, by UTC, as far as prices were known."""
    noted: dict[str, Any] = msgspec.json.decode(pages.read_meta(cursor, _SPENT) or "{}")
    return float(noted["usd"]) if noted.get("day") == _today() else 0.0


def _today() -> str:
    return now().date().isoformat()


def note_pause(cursor: Cursor, *, paused: bool) -> None:
    """Note whether a budget was spent, so that nobody but a person may have the model asked again."""
    pages.write_meta(cursor, _PAUSED, "yes" if paused else "")


def is_paused(cursor: Cursor) -> bool:
    """Whether a run ended because its budget was spent, and no other was asked for since."""
    return bool(pages.read_meta(cursor, _PAUSED))


def costs(cursor: Cursor) -> list[DocumentCost]:
    """All that was paid, by document and purpose."""
    rows = cursor.execute(
        "SELECT document_id, purpose, model, requests, input_tokens, output_tokens, cache_read_tokens,"
        " cache_write_tokens, usd FROM llm_costs ORDER BY ALL"
    ).fetchall()
    return [
        DocumentCost(
            document_id=document_id, purpose=purpose, model=model, requests=requests, usd=usd,
            usage=LlmUsage(
                input_tokens=counts[0], output_tokens=counts[1], cache_read_tokens=counts[2],
                cache_write_tokens=counts[3],
            ),
        )
        for document_id, purpose, model, requests, *counts, usd in rows
    ]  # fmt: skip


# --- batches -------------------------------------------------------------------------------------------------------


def begin_batch(cursor: Cursor, batch_id: str, asked: Sequence[AskedRequest]) -> None:
    """Note a batch that is about to be sent."""
    cursor.execute("INSERT INTO llm_batches VALUES (?, NULL, ?)", [batch_id, now()])
    insert(cursor, "llm_batch_requests", {"batch_id": [batch_id] * len(asked), **struct_columns(asked)})


def name_batch(cursor: Cursor, batch_id: str, api_id: str) -> None:
    """Note the server's id of a batch."""
    cursor.execute("UPDATE llm_batches SET api_id = ? WHERE id = ?", [api_id, batch_id])


def end_batch(cursor: Cursor, batch_id: str) -> None:
    """Forget a batch whose answers are rows, or that will have none."""
    cursor.execute("DELETE FROM llm_batch_requests WHERE batch_id = ?", [batch_id])
    cursor.execute("DELETE FROM llm_batches WHERE id = ?", [batch_id])


def open_batches(cursor: Cursor) -> list[OpenBatch]:
    """The batches that are on their way, oldest first."""
    found = cursor.execute("SELECT id, api_id, created_at FROM llm_batches ORDER BY created_at, id").fetchall()
    asked: dict[str, list[AskedRequest]] = {number: [] for number, _, _ in found}
    for number, *fields in cursor.execute(
        "SELECT batch_id, key, model, prompt_version, purpose, document_id FROM llm_batch_requests ORDER BY ALL"
    ).fetchall():
        asked[number].append(AskedRequest(**dict(zip(AskedRequest.__struct_fields__, fields, strict=True))))
    return [
        OpenBatch(id=number, api_id=api_id, created_at=made.replace(tzinfo=UTC).timestamp(), asked=asked[number])
        for number, api_id, made in found
    ]
