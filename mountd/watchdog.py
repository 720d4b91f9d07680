"""Notices that the event loop stands still, and says where.

Used by ``session``. Two guards: a thread of ours that writes a line into the error log, and the interpreter's own
timer, which needs no interpreter lock and so prints the stacks even when a call into C never came back.
"""

from __future__ import annotations

import faulthandler
import logging
import signal
import sys
import threading
import time

import trio

from mountd import notifying
from mountd.guard import ErrorLog

STUCK_SECONDS = 10.0
"""How long the loop may stand still before it counts as stuck."""

log = logging.getLogger(__name__)


def dump_stacks_on(number: signal.Signals) -> None:
    """From now on this signal prints every thread's stack to standard error, and nothing else happens."""
    faulthandler.register(number, file=sys.stderr, all_threads=True)


class Watchdog:
    """Watches the loop on which :meth:`beat` runs, from :meth:`start` to :meth:`stop`."""

    def __init__(self, errors: ErrorLog, seconds: float = STUCK_SECONDS) -> None:
        self._errors = errors
        self._seconds = seconds
        self._beat = time.monotonic()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self.noticed = 0
        """How often the loop was found stuck."""

    def start(self) -> None:
        self._beat = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        faulthandler.cancel_dump_traceback_later()
        self._thread.join(1.0)

    async def beat(self) -> None:
        """Runs on the loop and shows that it turns."""
        while True:
            self._beat = time.monotonic()
            # Armed again each time: it goes off when this task does not come round.
            faulthandler.dump_traceback_later(self._seconds, file=sys.stderr)
            notifying.tell(notifying.ALIVE)
            await trio.sleep(self._seconds / 5)

    def _watch(self) -> None:
        step = self._seconds / 5
        reported = False
        while not self._ending.wait(step):
            still = time.monotonic() - self._beat
            if still < self._seconds:
                if reported:
                    log.warning("the event loop runs again")
                reported = False
            elif not reported:
                reported = True
                self.noticed += 1
                message = f"The event loop has not run for {still:.1f} seconds; the log has the stacks."
                log.error(message)
                self._errors.note("watchdog", message)
