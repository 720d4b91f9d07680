"""``@status/ingest.svg``: how far reading is, as a picture. Used by the table in ``tree``."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import msgspec

from kgfs.counting import counted
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.status_source import StatusSource
from kgfs.namespace.views.pictures import PictureFile
from kgfs.namespace.views.status import Volatile
from kgfs.picture_records import Picture, ProgressPicture, Step

_STEPS = {"keyword": "Text", "extraction": "Entities and facts", "vectors": "Vectors"}


class IngestPicture(PictureFile):
    """How far reading is. It changes without a new generation, as all that ``@status`` says."""

    volatile: ClassVar[bool] = True

    def __init__(self, run: Runtime) -> None:
        self._progress = progress = Volatile(run, _progress)

        def collect(store: PageStore, s: Snapshot, node: NodeRef) -> Picture:
            return msgspec.json.decode(bytes(progress.load(store, s, node).read(0, 1 << 20)), type=ProgressPicture)

        super().__init__(lambda: run.pictures, "ingest", collect, progress.stamp)

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return self._name, self._progress.key(s, node)


def _progress(s: Snapshot, source: StatusSource, node: NodeRef) -> bytes:
    """The picture as JSON: what it is made of is equal where it is."""
    status = source.status()
    steps = tuple(
        Step(name=_STEPS[name], done=one["done"], total=one["total"])
        for name, one in status.get("index", {}).items()
        if name in _STEPS
    )
    running = [job["title"] for job in source.jobs().values() if job["state"] == "running"]
    failed = status.get("failed_items", 0)
    said = [f"{running[0]} is running"] if running else []
    if failed:
        said.append(f"{counted(failed, 'file')} could not be read: @status/errors.jsonl")
    return msgspec.json.encode(ProgressPicture(title="What has been read", steps=steps, told="; ".join(said)))
