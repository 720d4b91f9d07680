"""A listing of stored files that somebody goes on with while names change and other snapshots are adopted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyfuse3
import pytest
import trio

from kgfs.service.service import Service
from mountd.guard import ErrorLog
from mountd.operations import Operations
from mountd.space import Space


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = Service.open(tmp_path / "store", create=True)
    yield opened
    opened.close()


@pytest.mark.parametrize("before", range(5))
def test_it_never_names_what_is_gone(
    before: int, service: Service, tmp_path: Path, context: pyfuse3.RequestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel would take it for a file, and what is written under this name would go into the one that had it. The
    snapshot is of the same generation, and as many changes lie behind its tree as lay behind the former one."""
    namespace, places = service.namespace, service.files_by_path
    names: list[str] = []

    def reply(token: object, name: bytes, attr: Any, offset: int) -> bool:
        names.append(name.decode())
        return True

    monkeypatch.setattr(pyfuse3, "readdir_reply", reply)
    operations = Operations(namespace, ErrorLog(tmp_path / "errors"), deadline=10.0, space=Space(tmp_path))
    places.put("agent", "/d/.t.tmp", b"text\n")
    namespace.adopt(namespace.load_snapshot())
    for number in range(before):
        places.put("agent", f"/d/{number}", b"text\n")

    async def work() -> None:
        handle = await operations.opendir(namespace.resolve("context/agent/d"), context)
        places.move("agent", "/d/.t.tmp", "agent", "/d/t.md")
        generation = namespace.view.generation
        namespace.adopt(namespace.load_snapshot())
        assert namespace.view.generation == generation
        for number in range(2):
            places.put("agent", f"/d/new{number}", b"text\n")
            names.clear()
            await operations.readdir(handle, 0, None)
            expected = [entry.name for entry in namespace.entries(namespace.resolve("context/agent/d"))]
            assert names == [".", "..", *expected]
            assert ".t.tmp" not in names
        await operations.releasedir(handle)

    trio.run(work)
