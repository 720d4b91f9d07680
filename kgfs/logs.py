"""Where a process that stays writes its log: the journal, a file that stays small, or the terminal.

Used by the daemon and the worker, once, when they start. What other code prints to standard error (an engine, the
interpreter's own stacks after a crash) ends in the same place.
"""

from __future__ import annotations

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

LOG_BYTES = 4 * 1024 * 1024
"""A longer log file is put aside (``.1``); the one before it goes."""
_PLAIN = "%(levelname)s %(name)s: %(message)s"
_PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
"""syslog's numbers, which the journal reads at the beginning of a line (sd-daemon(3))."""


def begin(file: Path) -> None:
    """Log from now on to where standard error leads: ``file`` is kept small if it is that one.

    In systemd's journal each line has its priority and no time: the journal has its own.
    """
    handler: logging.Handler
    if _is_journal():
        handler = logging.StreamHandler()
        handler.setFormatter(_JournalFormatter(_PLAIN))
    else:
        handler = BoundedLog(file) if _is_standard_error(file) else logging.StreamHandler()
        handler.setFormatter(logging.Formatter(f"%(asctime)s {_PLAIN}"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    # What cannot be written is lost: a disk that refuses would have each line's own traceback follow it.
    logging.raiseExceptions = False


class BoundedLog(RotatingFileHandler):
    """The file that standard output and standard error are; they follow to the new one when it was put aside."""

    def __init__(self, file: Path, longest: int = LOG_BYTES) -> None:
        super().__init__(file, maxBytes=longest, backupCount=1, encoding="utf-8", errors="backslashreplace")
        if file.stat().st_size > longest:  # by what others printed there
            self.doRollover()

    def doRollover(self) -> None:
        super().doRollover()
        assert self.stream is not None
        for number in (1, 2):
            os.dup2(self.stream.fileno(), number)


class _JournalFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        mark = f"<{_PRIORITIES.get(record.levelno, 6)}>"
        return "\n".join(mark + line for line in super().format(record).splitlines())


def _is_journal() -> bool:
    """Whether standard error is the socket of the journal that ``$JOURNAL_STREAM`` names (systemd.exec(5))."""
    try:
        there = os.fstat(2)
    except OSError:
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{there.st_dev}:{there.st_ino}"


def _is_standard_error(file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(2), file.stat())
    except OSError:
        return False
