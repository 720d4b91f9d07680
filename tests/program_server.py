"""Runs programs of kgfs in processes that are forked from one which has imported what they use.

Most of what a small command costs is the start of Python and the imports, and the tests run thousands of them; the
worker and the extractor take seconds for theirs. ``python -m tests.program_server DIRECTORY`` listens there until its
standard input ends; ``program_client`` is the program that runs in the place of ``python``. What it runs is still a
process of its own: it has the client's arguments, environment, directory, umask, descriptors and session, and it ends
in the same way. A client that is killed takes it along.

Each kind of program has a server: ``commands`` imports no engine that starts threads, because threads are lost in a
fork; ``worker`` (LanceDB starts its own again), ``extractor``, ``agent`` and ``mcp`` (these two for ``kgfs agent`` and
``kgfs mcp``) are forked from it by the first client that wants one; ``parser`` is forked first and has imported little.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import marshal
import os
import runpy
import select
import shlex
import shutil
import signal
import socket
import sys
import threading
import warnings
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from kgfs import interpreter
from kgfs.config import Config
from kgfs.errors import KgfsError
from kgfs.languages import language_of

COMMANDS = (
    "kgfs.service.service",
    "kgfs.control.answers",
    "kgfs.pipeline.pipeline",
    "kgfs.doctor",
    "kgfs.fsck",
    "kgfs.exchange.merging",
    "kgfs.control.server",
    "kgfs.models.client",
    "kgfs.namespace.namespace",
    "kgfs.namespace.publish",
    "kgfs.store.tree.text_scan",
    "mountd.allocator",
    "mountd.daemon",
    "mountd.session",
    "kgfs.agentfs.checking.check",
    "kgfs.agentfs.exchange.transfer",
    "kgfs.agentfs.filesystem.grafts",
    "kgfs.agentfs.keys.key_value_files",
    "kgfs.agentfs.overlays.sessions",
    "kgfs.search.searcher",
    "kgfs.service.agent_directories.session_directory",
    "kgfs.service.maintenance.reembedding",
    "kgfs.service.sources.source_changes",
    "kgfs.sources.comparison",
    "duckdb",
    "importlib.readers",
    "numpy.ma",
    "platformdirs",
    "pyarrow",
)
WORKER = (
    "kgfs.store.index.vectors", "kgfs.models.bert_embedder", "kgfs.models.onnx_embedder", "kgfs.graph.topics.grouping",
    "kgfs.graph.spelled_alike", "sklearn.cluster", "sklearn.feature_extraction.text", "sklearn.metrics",
    "kgfs.models.serving", "kgfs.graph.candidates", "onnxruntime", "torch", "tokenizers", "safetensors.torch",
)  # fmt: skip
EMBEDDING = [name for name in Config.__struct_fields__ if name.startswith("embedding_")]
NOT_ENGLISH = "Det regner, og vinden blæser hen over de grønne marker ved havet."
"""Its language is told by a model that takes a second to load."""
RESERVED = range(3, 300)
"""Numbers of descriptors that a server keeps for its clients'. An engine's own must not stand there: LanceDB's thread
would write its wake-ups into what a client has put in the place of its pipe."""
RECEIVED = 600
"""Received descriptors stay above this until they get their numbers."""


def import_for_commands() -> None:
    from kgfs.cli import main

    for command in main.COMMANDS:
        importlib.import_module(f"kgfs.cli.{main.module_of(command)}")
    for name in COMMANDS:
        importlib.import_module(name)
    assert len(os.listdir("/proc/self/task")) == 1, "an import has started a thread"


def import_for_worker() -> None:
    from kgfs.models.process import environment

    os.environ.update(environment())
    warnings.filterwarnings("ignore", "lancedb fork support is experimental")
    for name in WORKER:
        with suppress(ImportError):  # torch and others are extras
            importlib.import_module(name)
    with suppress(KgfsError, ImportError):
        keep_model()
    language_of(NOT_ENGLISH)


def keep_model() -> None:
    """Load the packaged model, which takes a third of what a worker costs, once for all workers."""
    import torch

    from kgfs.models import embedders

    load, config, threads = embedders.load, Config(), torch.get_num_threads()
    torch.set_num_threads(1)  # others would be lost in a fork
    model = load(config)
    torch.set_num_threads(threads)

    def kept(wanted: Config) -> embedders.Embedder:
        same = all(getattr(wanted, name) == getattr(config, name) for name in EMBEDDING)
        return model if same else load(wanted)

    embedders.load = kept


def import_for_extractor() -> None:
    importlib.import_module("kgfs.extraction.extractor_child")
    importlib.import_module("kgfs.extraction.extractor")
    from kgfs.extraction.names.tagging import has_tagger, tagging_zone

    if has_tagger():
        with tagging_zone():
            pass
    language_of(NOT_ENGLISH)


def import_for_agent() -> None:
    importlib.import_module("anthropic.types.beta")


def import_for_mcp() -> None:
    for name in ("http_serving", "server", "stdio_serving"):
        importlib.import_module(f"kgfs.mcp.{name}")


class Command(NamedTuple):
    """What a client wants to run."""

    module: str
    arguments: list[str]
    directory: bytes
    umask: int
    environment: dict[bytes, bytes]
    descriptors: list[int]
    leads: bool
    """Whether it is the first process of a session."""
    ignored: list[int]
    blocked: list[int]
    """Signals."""


class Server:
    """Forks for each client, and tells it how its command ended."""

    def __init__(self, imported: dict[str, str]) -> None:
        self._imported = imported
        """Variables that modules have set when they were imported."""
        self._running: dict[int, tuple[int, socket.socket]] = {}
        """By the descriptor of the command's process: its id and the client."""

    def serve(self, listeners: dict[str, socket.socket], later: dict[str, socket.socket]) -> Command | None:
        """Until standard input ends; returns the command in its process, else ``None``. A client of ``later`` has a
        server forked, which serves its listener from then on."""
        gc.collect()
        gc.freeze()  # so that the collector of a forked process does not copy all pages
        while True:
            clients = {connection.fileno(): ended for ended, (_, connection) in self._running.items()}
            waiting = [*listeners.values(), *later.values()]
            ready, _, _ = select.select([0, *(one.fileno() for one in waiting), *self._running, *clients], [], [])
            for number in ready:
                if number in self._running:
                    self._ended(number)
                elif number in clients and clients[number] in self._running:
                    os.kill(self._running[clients[number]][0], signal.SIGKILL)  # a test has killed the client
                    self._ended(clients[number])
            for name, listener in list(later.items()):
                if listener.fileno() in ready:
                    del later[name]
                    if os.fork() == 0:
                        for other in (*listeners.values(), *later.values()):
                            other.close()
                        self._let_go()
                        self._imported = importing(LATER[name])
                        gc.freeze()
                        listeners, later = {name: listener}, {}
                    else:
                        listener.close()
            for listener in listeners.values():
                if listener.fileno() in ready:
                    connection, _ = listener.accept()
                    command, received = receive(connection)
                    pid = os.fork()
                    if pid == 0:
                        for other in (*listeners.values(), *later.values(), connection):
                            other.close()
                        self._let_go()
                        self._become(command, received)
                        return command
                    for number in received:
                        os.close(number)
                    self._running[os.pidfd_open(pid)] = (pid, connection)
                    with suppress(OSError):
                        connection.sendall(pid.to_bytes(4, "little"))
            if 0 in ready:
                return None

    def _ended(self, process: int) -> None:
        pid, connection = self._running.pop(process)
        _, status = os.waitpid(pid, 0)
        os.close(process)
        with connection, suppress(OSError):
            connection.sendall(status.to_bytes(4, "little"))

    def _let_go(self) -> None:
        for process, (_, connection) in self._running.items():
            os.close(process)
            connection.close()
        self._running = {}

    def _become(self, command: Command, received: list[int]) -> None:
        """Have this process be as the client is."""
        assert max(command.descriptors, default=0) < RESERVED.stop
        kept = [fcntl.fcntl(number, fcntl.F_DUPFD, RECEIVED) for number in received]
        for number in received:
            os.close(number)
        os.closerange(RESERVED.start, RESERVED.stop)
        for number, wanted in zip(kept, command.descriptors, strict=True):
            os.dup2(number, wanted)
            os.close(number)
        for number in {0, 1, 2}.difference(command.descriptors):
            os.close(number)
        open_streams(command.descriptors)
        if command.leads:
            os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in command.ignored:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, command.blocked)
        os.chdir(command.directory)
        os.umask(command.umask)
        os.environ.clear()
        os.environb.update(command.environment)
        for name, value in self._imported.items():
            os.environ.setdefault(name, value)


def importing(imports: object) -> dict[str, str]:
    """Import what a kind of program uses; returns the variables that modules have set."""
    before = dict(os.environ)
    assert callable(imports)
    imports()
    return {name: value for name, value in os.environ.items() if before.get(name) != value}


def receive(connection: socket.socket) -> tuple[Command, list[int]]:
    """What a client sends, and the descriptors that came with it."""
    data, received, _, _ = socket.recv_fds(connection, 1 << 16, 250)
    length = int.from_bytes(data[:8], "little")
    while len(data) < 8 + length:
        data += connection.recv(1 << 16)
    return Command(*marshal.loads(data[8:])), received


def open_streams(given: list[int]) -> None:
    """The streams of Python over the descriptors that the client gave, as Python opens them when it starts."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        old = getattr(sys, name)
        stream = None
        if number in given:
            stream = open(number, mode, encoding=old.encoding, errors=old.errors, closefd=False)  # noqa: SIM115
            stream.reconfigure(line_buffering=old.line_buffering)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def reserve() -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number in RESERVED:
        if number != nothing:
            os.dup2(nothing, number, inheritable=False)


def listen(place: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{place}.new")
    listener.listen(64)
    Path(f"{place}.new").rename(place)
    return listener


LATER = {
    "worker": import_for_worker,
    "extractor": import_for_extractor,
    "agent": import_for_agent,
    "mcp": import_for_mcp,
}
"""The servers that the first client brings about."""


def import_for_parser() -> None:
    importlib.import_module("kgfs.documents.parser_child")


def write_python(directory: Path) -> str:
    """The program that starts what the servers run, and everything else as Python does."""
    client = Path(__file__).with_name("program_client.py")
    program = directory / "python"
    words = shlex.join([sys.executable, "-I", "-S", str(client), str(directory)])
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    program.chmod(0o755)
    return str(program)


def run() -> None:
    # A Ctrl-C is for the tests: to end what they have begun, they still need the servers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reserve()
    place = Path(sys.argv[1])
    interpreter.PYTHON = write_python(place)
    parser = listen(place / "parser")
    if os.fork() == 0:  # before anything else is imported: a parser may take little memory
        command = Server(importing(import_for_parser)).serve({"parser": parser}, {})
    else:
        parser.close()
        server = Server(importing(import_for_commands))
        importlib.import_module("tests.new_stores").keep_catalogs(place / "catalog")
        later = {name: listen(place / name) for name in LATER}
        command = server.serve({"commands": listen(place / "commands")}, later)
        if command is None:
            shutil.rmtree(place, ignore_errors=True)
    if command is None:
        leave(0)
    if command.module == "kgfs.cli.main":
        sys.argv = ["kgfs", *command.arguments]
        importlib.import_module(command.module).main()
        return
    sys.argv = [command.module, *command.arguments]
    sys.modules.pop(command.module, None)
    try:
        runpy.run_module(command.module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            raise
        leave(ended.code or 0)


def leave(status: int) -> NoReturn:
    """End as Python does, but for the interpreter: an engine, which this program may not have imported, would complain
    of what is left in it."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            if stream is not None:
                stream.flush()
    os._exit(status & 0xFF)


if __name__ == "__main__":
    run()
