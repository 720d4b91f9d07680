"""The worker's calls: declared once, done by the worker, and imitated by fakes as they are declared."""

from __future__ import annotations

import os
from typing import Any, get_args

import msgspec
import pytest

from kgfs import worker
from kgfs.calls import Lane, SearchCalls, WorkerCalls, declared
from kgfs.errors import UsageError
from kgfs.index_records import IndexRow
from kgfs.model import Gazetteer, ParsedDocument

CALLS = declared(WorkerCalls)


def test_the_worker_does_every_call() -> None:
    assert [name for name in CALLS if hasattr(getattr(worker.Calls, name), "declared")] == []
    assert {call.lane for call in CALLS.values()} == {*worker.LANES, "llm"} == set(get_args(Lane))


def test_a_fake_takes_what_the_call_takes() -> None:
    with pytest.raises(TypeError, match=r"Wrong\.keyword takes other arguments"):

        class Wrong(SearchCalls):
            def keyword(self, kinds: Any, query: str) -> Any: ...

    class Some(SearchCalls):
        def keyword(self, kinds: Any, query: str, limit: int, where: Any = None) -> Any:
            return {}

    assert Some().keyword(["chunk"], "x", 1) == {}
    with pytest.raises(NotImplementedError, match="Some does not do nearest"):
        Some().nearest(["chunk"], "x", 1)


def sent(call: str, /, **arguments: Any) -> dict[str, Any]:
    """The arguments of a call as they come out at the other end."""
    return CALLS[call].decoded(CALLS[call].encoded(arguments))


def test_a_gazetteer_is_encoded_once() -> None:
    known, other = Gazetteer(ambiguous=["Acme"]), Gazetteer(ambiguous=["Acme"])
    document = ParsedDocument(mime_type="text/plain")

    def encoded(one: Gazetteer) -> msgspec.Raw:
        return CALLS["extract"].encoded({"document": document, "gazetteer": one})["gazetteer"]

    assert encoded(known) is encoded(known)
    other.ambiguous.append("Beta")
    assert bytes(encoded(other)) == msgspec.msgpack.encode(other)


def test_arguments_cross() -> None:
    name = os.fsdecode(b"\xff.md")
    arguments = {"path": "/" + name, "data": b"x", "name": name, "mtime_ns": None, "url": ""}
    assert sent("parse", **arguments) == arguments
    rows = [IndexRow(id=1, document_id=1, gen=1, title="", text="words")]
    assert sent("index_texts", kind="chunk", rows=tuple(rows)) == {"kind": "chunk", "rows": rows}
    document, known = ParsedDocument(mime_type="text/plain"), Gazetteer()
    handed_on = sent("extract", document=document, gazetteer=known)
    assert isinstance(handed_on["document"], msgspec.Raw)
    assert msgspec.msgpack.decode(handed_on["document"], type=ParsedDocument) == document
    assert sent("extract", **handed_on) == handed_on


def test_other_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="unindex takes kind, ids; is the worker of this version"):
        sent("unindex", kind="chunk")
    with pytest.raises(UsageError, match="An argument of unindex is wrong"):
        sent("unindex", kind="chunk", ids="all")
