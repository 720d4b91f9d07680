"""The reader process: reads one document after another, with a limit on time and on memory.

The child that ``kgfs.ingest.reader_process`` starts: ``python -m kgfs.ingest.reader --socket FD --config JSON``.
Parsers of strangers' files hang, crash and take memory; here that costs one document and nothing else. An alarm ends
the process when a document takes too long, whatever it is in: a thread could not end a parser, a signal's default
action does. It imports formats only, never a model, and leaves when its socket closes.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import resource
import signal
import socket

import msgspec

from kgfs.config import Config
from kgfs.errors import WorkerError
from kgfs.ingest import formats
from kgfs.model import ParsedDocument
from kgfs.models import framing

log = logging.getLogger(__name__)


def read(name: bytes, data: bytes, mtime_ns: int, config: Config) -> ParsedDocument:
    """One document; the alarm is set for as long as it takes."""
    signal.setitimer(signal.ITIMER_REAL, max(0.001, config.parse_seconds))
    try:
        return formats.parse(data, os.fsdecode(name), mtime_ns=mtime_ns, config=config)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(frame: bytes | bytearray, config: Config) -> framing.Reply:
    call = msgspec.msgpack.decode(frame, type=framing.Call)
    name, mtime_ns = (msgspec.msgpack.decode(call.arguments[key]) for key in ("name", "mtime_ns"))
    data = msgspec.msgpack.decode(call.arguments["data"], type=bytes)
    try:
        document = read(name, data, mtime_ns, config)
        return framing.Reply(call.id, result=msgspec.Raw(msgspec.msgpack.encode(document)))
    except MemoryError:
        reason = f"it needs more than {config.parse_memory_bytes >> 20} MiB of memory; parse_memory_bytes allows more"
    except Exception as error:
        log.exception("Reading %r failed.", name)
        reason = f"{type(error).__name__}: {error}"[:300]
    return framing.Reply(call.id, error=framing.Failure(WorkerError.kind, reason))


def main() -> None:
    parser = argparse.ArgumentParser(prog="kgfs.ingest.reader", description="Reads documents; the worker starts it.")
    parser.add_argument("--socket", type=int, required=True, help="descriptor of an inherited socket")
    parser.add_argument("--config", default="{}")
    options = parser.parse_args()
    logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    config = msgspec.json.decode(options.config, type=Config)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = config.parse_memory_bytes if hard == resource.RLIM_INFINITY else min(config.parse_memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    connection = socket.socket(fileno=options.socket)
    with contextlib.suppress(ConnectionError):  # the worker is gone
        while (frame := framing.receive(connection)) is not None:
            framing.send(connection, _answer(frame, config))


if __name__ == "__main__":
    main()
