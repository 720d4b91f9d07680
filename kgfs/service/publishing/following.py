"""Follows a published graph: looks for a newer snapshot, fetches it aside, and shows it in place of the one before.

Used by the daemon of a mount of a published graph, on a thread of its own. While the network is away, or what is
published cannot be shown, the snapshot that is shown goes on being shown, and ``@status`` says so.
"""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from datetime import UTC, datetime
from typing import Any

import msgspec

from kgfs import interpreter
from kgfs.config import CATALOG
from kgfs.errors import KgfsError, StoreError, Unreachable, from_kind
from kgfs.model import prepared
from kgfs.published.address import Address
from kgfs.published.bucket import Bucket
from kgfs.published.snapshot_cache import Shown, SnapshotCache
from kgfs.service.components import Components
from kgfs.service.publication import Publication
from kgfs.service.publishing import snapshots

log = logging.getLogger(__name__)

POLL_SECONDS = 30.0
"""How often it looks, in one small request; also how old a snapshot may be before a newer one is seen."""
MOST_SECONDS = 3600.0
"""What could not be shown is tried again after one poll, two, four … and at the latest after so long."""
PATIENCE_SECONDS = 5.0
"""A look that fails is repeated for so long; the next one comes soon."""
_CLOSE_SECONDS = 10.0


class Following:
    """One mount's following of one published graph."""

    def __init__(self, address: Address, components: Components, publication: Publication, poll: float) -> None:
        self.cache = SnapshotCache(address)
        self._components, self._publication, self._poll = components, publication, poll
        shown = self.cache.shown()
        if shown is None:
            raise StoreError(f"No snapshot of {address} is here; `kgfs mount {address} DIR` fetches one.")
        self._shown = shown
        self._bucket: Bucket | None = None
        self._tag: str | None = None
        """The state of the pointer that was dealt with."""
        self._refused: tuple[str, KgfsError] | None = None
        """The state of the pointer whose snapshot could not be shown, and why."""
        self._pause, self._again = poll, 0.0
        """How long that is left alone, in seconds, and until when."""
        self._problem = ""
        self._state = "current"
        self._checked = ""
        self._ending = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._follow, name="following", daemon=True)

    def start(self) -> None:
        """Look for news from now on."""
        self._thread.start()

    def close(self) -> None:
        """Stop; what was being fetched is fetched by the next mount."""
        self._ending.set()
        child = self._child
        if child is not None:
            child.terminate()
        if self._thread.is_alive():
            self._thread.join(_CLOSE_SECONDS)

    def status(self) -> dict[str, Any]:
        """What ``@status`` says: ``state`` is ``current``, ``behind`` (a newer one cannot be shown: ``problem``) or
        ``offline`` (nobody could be asked since ``checked_at``)."""
        shown = self._shown
        return {
            "address": str(self.cache.address), "snapshot": shown.number, "published_at": shown.published_at,
            "state": self._state, "checked_at": self._checked or None, "problem": self._problem or None,
        }  # fmt: skip

    # --- on its thread -----------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        while True:
            before = (self._state, self._problem, self._checked)
            try:
                self._look()
                self._state, self._problem = "current", ""
            except Unreachable as error:
                self._state, self._problem = "offline", error.message
            except KgfsError as error:
                self._state, self._problem = "behind", error.message
            except Exception as error:
                log.exception("looking for a newer snapshot failed")
                self._state, self._problem = "behind", f"Unexpected {type(error).__name__}: {error}"
            if self._ending.is_set():
                return
            if before != (self._state, self._problem, self._checked):
                if self._problem and self._problem != before[1]:
                    log.warning("%s", self._problem)
                self._publication.forget()
            self._ending.wait(self._poll)
            if self._ending.is_set():
                return

    def _look(self) -> None:
        if self._bucket is None:
            self._bucket = Bucket(self.cache.address, patience=PATIENCE_SECONDS)
        seen = self._bucket.pointer(self._tag)
        self._checked = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        if seen is None:
            return
        if seen.pointer.manifest != self._shown.manifest:
            self._try(seen.tag)
        self._tag = seen.tag

    def _try(self, tag: str) -> None:
        """Show the newest snapshot. To look at one costs as much as it is large, so one that could not be shown is left
        alone for a while: an object of it may be sent again."""
        if self._refused is not None and self._refused[0] == tag and time.monotonic() < self._again:
            raise self._refused[1]
        if self._refused is None or self._refused[0] != tag:
            self._pause = self._poll
        try:
            self._show(self._fetched())
        except Unreachable:
            raise
        except KgfsError as error:
            self._refused, self._again = (tag, error), time.monotonic() + self._pause
            self._pause = min(2 * self._pause, MOST_SECONDS)
            raise
        self._refused = None

    def _fetched(self) -> Shown:
        """Fetch the newest snapshot aside, in a process of its own."""
        least = self._publication.shown + 1
        command = interpreter.program("kgfs.service.publishing.snapshot_fetch", self.cache.address.url, str(least))
        self._child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/", start_new_session=True
        )
        try:
            said = self._child.communicate()[0]
        finally:
            self._child = None
        try:
            answer = msgspec.json.decode(said, type=dict[str, Any])
            if error := answer.get("error"):
                raise from_kind(str(error["kind"]), str(error["message"]))
            return msgspec.convert(answer, prepared(Shown))
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise KgfsError("What fetches a snapshot died; the log in the store says more.") from error

    def _show(self, shown: Shown) -> None:
        if self._ending.is_set():
            return
        if shown.graph != self._shown.graph:
            raise StoreError(
                f"Another graph is published at {self.cache.address} by now; unmount this one and mount it again."
            )
        aside = self.cache.store / f"{CATALOG}.old"
        worker = self._components.worker
        searching = worker.pid is not None
        self._components.database.replace(lambda: self.cache.next / CATALOG, aside)
        self._publication.reload()
        worker.rest_while(lambda: snapshots.swap_index(self.cache))
        for end in ("", ".wal"):
            aside.with_name(f"{aside.name}{end}").unlink(missing_ok=True)
        snapshots.finish(self.cache, shown)
        self._shown = shown  # last: a reader of this number finds the snapshot shown
        self._publication.refresh()
        log.info("snapshot %s is shown", shown.number)
        if searching:
            worker.warm()
