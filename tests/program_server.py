"""Runs ``kgfs`` in processes that are forked from one which has imported it.

Most of what a small command costs is the start of Python and the imports, and the tests run thousands of them.
``python -m tests.program_server SOCKET`` listens until its standard input ends; ``program_client`` is the program that
runs in the place of ``kgfs``. The command is still a process of its own: it has the client's arguments, environment,
directory, umask and standard streams, and it ends in the same way. Only engines that start threads are not imported
beforehand, because threads are lost in a fork.
"""

from __future__ import annotations

import importlib
import marshal
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

MODULES = ("kgfs.service", "kgfs.pipeline.pipeline", "kgfs.doctor", "kgfs.fsck", "kgfs.exchange.merging")


def import_what_commands_use() -> dict[str, str]:
    """Import the commands; returns the variables that modules have set when they were imported."""
    before = dict(os.environ)
    from kgfs.cli import main

    for command in main.COMMANDS:
        importlib.import_module(f"kgfs.cli.{main.module_of(command)}")
    for name in MODULES:
        importlib.import_module(name)
    assert len(os.listdir("/proc/self/task")) == 1, "an import has started a thread"
    return {name: value for name, value in os.environ.items() if before.get(name) != value}


def serve(listener: socket.socket, imported: dict[str, str]) -> list[str] | None:
    """Fork for each client until standard input ends; returns the arguments in the process of a command."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that wait for the commands
    while True:
        ready, _, _ = select.select([listener, 0], [], [])
        if listener not in ready:
            return None
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return attend(connection, imported)
        connection.close()


def attend(connection: socket.socket, imported: dict[str, str]) -> list[str]:
    """Start the command of one client and tell it how the command ended. Returns only in the command's process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    data, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    length = int.from_bytes(data[:8], "little")
    while len(data) < 8 + length:
        data += connection.recv(1 << 16)
    directory, umask, environment, arguments = marshal.loads(data[8:])
    pid = os.fork()
    if pid == 0:
        connection.close()
        for wanted, stream in enumerate(streams):
            os.dup2(stream, wanted)
            os.close(stream)
        open_streams()
        os.chdir(directory)
        os.umask(umask)
        os.environ.clear()
        os.environb.update(environment)
        for name, value in imported.items():
            os.environ.setdefault(name, value)
        return [os.fsdecode(argument) for argument in arguments]
    for stream in (0, 1, 2, *streams):
        os.close(stream)
    # The client is gone where a test has killed it: the command follows.
    ended = os.pidfd_open(pid)
    ready, _, _ = select.select([ended, connection], [], [])
    if ended not in ready:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        connection.sendall(status.to_bytes(4, "little"))
    os._exit(0)


def open_streams() -> None:
    """The streams of Python over the descriptors that the client gave, as Python opens them when it starts."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        old = getattr(sys, name)
        stream = open(number, mode, encoding=old.encoding, errors=old.errors, closefd=False)  # noqa: SIM115
        stream.reconfigure(line_buffering=old.line_buffering)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def run() -> None:
    imported = import_what_commands_use()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1] + ".new")
    listener.listen(64)
    Path(sys.argv[1] + ".new").rename(sys.argv[1])
    arguments = serve(listener, imported)
    if arguments is None:
        return
    sys.argv = ["kgfs", *arguments]
    importlib.import_module("kgfs.cli.main").main()


if __name__ == "__main__":
    run()
