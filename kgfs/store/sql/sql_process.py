"""A process that runs one statement of ``@sql`` and ends: the calling side and the process.

``ask_sql`` is called by ``kgfs.namespace.queries.sql`` in the thread of the query; ``main`` is the process. It opens a
file with the views (``kgfs.store.sql.exports``) read-only, shuts every way out of the engine, checks the statement
(``sql_check``), runs it in one thread within limits of time, memory, rows and bytes, and writes the answer to its
standard output. Whatever a statement does to it (memory, a loop that no interrupt reaches, a fault of the engine), it
costs this process and nothing else.
"""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

import _duckdb as duckdb
import msgspec

from kgfs import interpreter
from kgfs.errors import DeadlineExceeded, KgfsError, QueryError, StoreError, from_kind
from kgfs.model import prepared
from kgfs.store.sql.sql_check import check_statement, error_sentence
from kgfs.store.sql.sql_rows import RowWriter, readable_columns
from kgfs.store.sql.views import VIEWS

MEMORY_BYTES = 512 * 1024 * 1024
"""What the engine may use; the process may have ``_PROCESS_BYTES`` of addresses in all."""
_PROCESS_BYTES = 2 * 1024 * 1024 * 1024
AT_ONCE = 2
"""So many processes run; other statements wait, and the waiting counts as their time."""
_SHORTEST_SECONDS = 0.3
"""What a statement has at least, however long it waited."""
_GRACE_SECONDS = 1.0
"""A process that cannot stop by itself is killed so much after its time."""


_log = logging.getLogger(__name__)
_turns = threading.BoundedSemaphore(AT_ONCE)


class SqlLimits(msgspec.Struct, frozen=True):
    """What an answer may cost; it says so in its last line where a limit of rows, bytes or time cut it."""

    seconds: float = 8.0
    rows: int = 10_000
    bytes: int = 64 * 1024 * 1024


class SqlQuestion(msgspec.Struct):
    """What the process is asked, as JSON on its standard input."""

    file: str
    statement: str
    form: str
    limits: SqlLimits


class SqlOutcome(msgspec.Struct):
    """The first line of the reply; the bytes of the result follow."""

    kind: str = ""
    message: str = ""


def ask_sql(file: Path, statement: str, form: str, limits: SqlLimits) -> bytes:
    """The rows that a statement gives on the views in ``file``, as ``jsonl`` or ``csv``.

    ``RefusedError`` where it would do more than read them, ``QueryError`` where it is wrong or needs too much memory,
    ``DeadlineExceeded`` where its time was over before there was a row.
    """
    started = time.monotonic()
    if not _turns.acquire(timeout=limits.seconds):
        raise DeadlineExceeded("Other queries took all the time that this one had; ask again in a moment.")
    try:
        left = max(_SHORTEST_SECONDS, started + limits.seconds - time.monotonic())
        limits = msgspec.structs.replace(limits, seconds=left)
        question = SqlQuestion(os.fspath(file), statement, form, limits)
        done = _process(question)
        if _broke_down(done) and time.monotonic() < started + limits.seconds:
            # A busy machine may refuse it a thread or the file: what fails twice is the statement's fault.
            _log.warning("The process of a query ended with %d: %s", done.returncode, done.stderr[-500:])
            done = _process(question)
        return _read(done, limits)
    finally:
        _turns.release()


def _process(question: SqlQuestion) -> subprocess.CompletedProcess[bytes]:
    """The process that answered it, at its end."""
    # Of the environment nothing goes along but where Python finds this program.
    environment = {name: value for name in ("PYTHONPATH", "LD_LIBRARY_PATH") if (value := os.environ.get(name))}
    try:
        return subprocess.run(
            interpreter.program("kgfs.store.sql.sql_process"),
            input=msgspec.json.encode(question),
            capture_output=True,
            env=environment,
            cwd="/",
            timeout=question.limits.seconds + _GRACE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _late(question.limits) from error
    except OSError as error:
        raise StoreError(f"No process could be started for the query ({error.strerror}); ask again later.") from error


def _broke_down(done: subprocess.CompletedProcess[bytes]) -> bool:
    """Whether a process ended without an answer, before its time was over."""
    if done.returncode in (-signal.SIGALRM, -signal.SIGKILL):
        return False
    return done.returncode != 0 or b"\n" not in done.stdout


def _read(done: subprocess.CompletedProcess[bytes], limits: SqlLimits) -> bytes:
    """The answer of a process that ended."""
    if done.returncode in (-signal.SIGALRM, -signal.SIGKILL):
        raise _late(limits)
    if _broke_down(done):
        raise QueryError("The engine broke down on this statement and nothing else was harmed; write it another way.")
    head, _, body = done.stdout.partition(b"\n")
    outcome = msgspec.json.decode(head, type=prepared(SqlOutcome))
    if outcome.kind:
        raise from_kind(outcome.kind, outcome.message)
    return body


def _late(limits: SqlLimits) -> DeadlineExceeded:
    return DeadlineExceeded(
        f"There was no row within {limits.seconds:.2g} seconds; ask about fewer of them, with WHERE or LIMIT."
    )


# --- the process ----------------------------------------------------------------------------------------------------


def main() -> None:
    """Answer the question on standard input."""
    started = time.monotonic()
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=SqlQuestion)
    _confine(question.limits)
    outcome, body = answer_sql(question, started)
    out: IO[bytes] = sys.stdout.buffer
    out.write(msgspec.json.encode(outcome) + b"\n")
    out.write(body)
    out.flush()
    os._exit(0)


def answer_sql(question: SqlQuestion, started: float) -> tuple[SqlOutcome, bytes]:
    """How it went and what the statement gives; its time began at ``started`` (``time.monotonic``)."""
    # Views that cannot be opened are no fault of the statement: the process breaks down, and is started again.
    with contextlib.closing(open_views(question.file)) as connection:
        return _answered(connection, question, started)


def _answered(connection: duckdb.DuckDBPyConnection, question: SqlQuestion, started: float) -> tuple[SqlOutcome, bytes]:
    try:
        return SqlOutcome(), _run(connection, question, started)
    except KgfsError as error:
        return SqlOutcome(error.kind, error.message), b""
    except (MemoryError, duckdb.OutOfMemoryException):
        return SqlOutcome(
            QueryError.kind, f"This needs more than {MEMORY_BYTES >> 20} MB of memory; ask for less."
        ), b""
    except RecursionError:
        return SqlOutcome(QueryError.kind, "This statement is nested too deeply; write it flatter."), b""
    except duckdb.InterruptException:
        return SqlOutcome(DeadlineExceeded.kind, _late(question.limits).message), b""
    except duckdb.Error as error:
        return SqlOutcome(QueryError.kind, error_sentence(error)), b""


def _confine(limits: SqlLimits) -> None:
    """From here on the process writes no file, takes no more memory than it may, and ends when its time is over."""
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_AS, _PROCESS_BYTES),
    ):
        _, hard = resource.getrlimit(kind)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process whatever it is in, and if nobody waits for it
    signal.setitimer(signal.ITIMER_REAL, limits.seconds + _GRACE_SECONDS)


def _run(connection: duckdb.DuckDBPyConnection, question: SqlQuestion, started: float) -> bytes:
    limits = question.limits
    statement = check_statement(connection, question.statement, VIEWS)
    left = max(0.05, started + limits.seconds - time.monotonic())
    out_of_time = threading.Timer(left, connection.interrupt)
    out_of_time.daemon = True
    out_of_time.start()
    try:
        connection.execute("BEGIN TRANSACTION READ ONLY")
        connection.execute(statement)
        columns = [(str(name), str(kind)) for name, kind, *_ in connection.description or []]
        readings, again = readable_columns(columns, statement)
        if again is not None:
            connection.execute(again)
        writer = RowWriter(question.form, [name for name, _ in columns], readings, limits.rows, limits.bytes)
        _take_rows(connection, writer, limits)
        return writer.finish()
    finally:
        out_of_time.cancel()


def _take_rows(connection: duckdb.DuckDBPyConnection, writer: RowWriter, limits: SqlLimits) -> None:
    try:
        # One by one: of a batch that the end of time interrupts nothing would be left.
        while not writer.full and (row := connection.fetchone()) is not None:
            writer.add(row)
    except duckdb.InterruptException:
        if not writer.rows:
            raise
        writer.cut("time", f"{limits.seconds:.2g} seconds")


def open_views(file: str) -> duckdb.DuckDBPyConnection:
    """A connection that can read the views and nothing else, in one thread."""
    connection = duckdb.connect(
        file,
        read_only=True,
        config={
            "threads": 1,
            "memory_limit": f"{MEMORY_BYTES}B",
            "temp_directory": "",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "python_enable_replacements": False,
        },
    )
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


if __name__ == "__main__":
    main()
