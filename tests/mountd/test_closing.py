"""The last close of a file of which something is still to be committed, as after writes through a mapping."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyfuse3
import pytest
import trio

from kgfs.namespace.context_names import AGENT_DRIVE
from kgfs.service.service import Service
from kgfs.store.catalog.database import Database
from kgfs.store.files import staging
from kgfs.store.files.staging import StagedBody
from mountd.guard import ErrorLog
from mountd.operations import Operations
from mountd.space import Space

LARGE = b"a line of text\n" * 200_000


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = Service.open(tmp_path / "store", create=True)
    yield opened
    opened.close()


@pytest.fixture
def operations(service: Service, tmp_path: Path) -> Operations:
    log = ErrorLog(tmp_path / "errors.jsonl")
    return Operations(service.namespace, log, deadline=10.0, space=Space(tmp_path), drives=service.drives)


async def written(operations: Operations, context: Any) -> int:
    """A new file with a large body that nobody has committed; answers its handle."""
    above = operations.namespace.resolve(f"context/{AGENT_DRIVE}")
    info, _ = await operations.create(above, b"large.md", 0o644, 0, context)
    await operations.write(info.fh, 0, LARGE)
    return int(info.fh)


def test_it_is_put_into_the_store_beside_the_loop(
    service: Service, operations: Operations, context: pyfuse3.RequestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, threads = staging.stage_body, set()

    def noted(database: Database, blocks: Iterable[bytes]) -> StagedBody:
        threads.add(threading.get_ident())
        return stage(database, blocks)

    monkeypatch.setattr(staging, "stage_body", noted)

    async def work() -> None:
        await operations.release(await written(operations, context))

    trio.run(work)
    service.database.write(lambda cursor: None)  # the commit stood before this in the writer's queue
    assert threads and threading.get_ident() not in threads
    assert service.drives.open_files.by_inode == {}
    assert service.database.fetch("SELECT size FROM context_items") == [(len(LARGE),)]


def test_what_cannot_be_kept_is_let_go(
    service: Service, operations: Operations, context: pyfuse3.RequestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(database: Database, blocks: Iterable[bytes]) -> StagedBody:
        raise OSError(errno.EIO, "the disk of the drafts fails")

    monkeypatch.setattr(staging, "stage_body", full)

    async def work() -> None:
        handle = await written(operations, context)
        with pytest.raises(pyfuse3.FUSEError) as caught:
            await operations.flush(handle)
        assert caught.value.errno == errno.EIO
        await operations.release(handle)

    trio.run(work)
    open_files = service.drives.open_files
    assert (open_files.by_inode, open_files.drafts) == ({}, {})
    assert service.namespace.entries(service.namespace.resolve(f"context/{AGENT_DRIVE}")) == []
