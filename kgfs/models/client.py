"""The worker as the pipeline, the search and the service see it: its calls (``kgfs.calls``), and when it ends.

Used in the daemon and in commands, from any thread; every call blocks its thread. The other end is ``kgfs.worker``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgfs.calls import Call, WorkerCalls
from kgfs.config import WORKER_LOG, Config
from kgfs.errors import KgfsError, WorkerError
from kgfs.models.process import WorkerProcess

LLM_PAUSES_SECONDS = 300.0
"""What the pauses between the tries of a request to a language model may add to the time of the tries."""


class Worker(WorkerCalls):
    """The worker process of one store; it starts with the first call."""

    def __init__(self, store: Path, config: Config, log_path: Path | None = None) -> None:
        self._llm_seconds = config.llm_timeout_seconds * (config.llm_retries + 1) + LLM_PAUSES_SECONDS
        self._process = WorkerProcess(store, config, log_path or store / WORKER_LOG)
        self._indexed = False
        """Whether anything was written to the index."""

    @property
    def pid(self) -> int | None:
        """The worker's process while it runs."""
        return self._process.pid

    def configure(self, config: Config, *, restart: bool) -> None:
        """The settings of the process when it starts again: at once, or whenever it has to."""
        self._process.configure(config)
        if restart:
            self._process.end()

    def rest_while(self, work: Callable[[], None]) -> None:
        """Do ``work`` while no worker runs: the index beneath it is replaced by another."""
        self._indexed = False
        self._process.rest_while(work)

    def close(self) -> None:
        """End the process; nothing can be called afterwards."""
        if self._indexed and self._process.pid is not None:
            # Asked for, not left to the end of the process: when we die, another worker may have the index by then.
            with contextlib.suppress(KgfsError):
                self.tidy()
        self._process.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, call: Call, arguments: dict[str, Any]) -> Any:
        seconds = self._llm_seconds if call.seconds is None else call.seconds
        seconds += arguments.get("wait", 0.0)
        self._indexed = self._indexed or call.indexes
        encoded = call.encoded(arguments)
        try:
            return self._process.call(call.name, encoded, call.result, seconds)
        except WorkerError as error:
            if not call.again or type(error) is not WorkerError:
                raise
        return self._process.call(call.name, encoded, call.result, seconds)
