"""``python -P -m MODULE`` for tests: has ``program_server`` run the module and ends as it ends.

``python -I -S program_client.py DIRECTORY -P -m MODULE ARGUMENTS…``. It imports next to nothing, so that it starts in
10 ms. Of a module that no server has imported it becomes the process itself.
"""

import _signal
import _socket
import marshal
import os
import sys

SERVERS = {
    "kgfs.cli.main": "commands",
    "mountd": "commands",
    "kgfs.worker": "worker",
    "kgfs.extraction.extractor_child": "extractor",
}
"""Modules that run in forked processes, and the socket of the server that forks them."""


def ask(connection: _socket.socket, module: str, arguments: list[str]) -> int:
    """Have the module run with all that this process has; returns its status as of ``waitpid``."""
    umask = os.umask(0)
    os.umask(umask)
    given = [int(name) for name in os.listdir("/proc/self/fd")]
    given = [number for number in given if number != connection.fileno() and is_open(number)]
    leads = os.getsid(0) == os.getpid()
    command = (module, arguments, os.getcwdb(), umask, dict(os.environb), given, leads)
    message = marshal.dumps(command)
    descriptors = b"".join(number.to_bytes(4, sys.byteorder) for number in given)
    data = len(message).to_bytes(8, "little") + message
    sent = connection.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptors)])
    connection.sendall(data[sent:])
    for number in given:
        os.close(number)
    status = connection.recv(4)
    if not status:
        sys.exit(f"The server of {module} has ended.")
    return int.from_bytes(status, "little")


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def run(directory: str, words: list[str]) -> None:
    server = SERVERS.get(words[2]) if words[:2] == ["-P", "-m"] else None
    if server is None:
        os.execv(sys.executable, [sys.executable, *words])
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(f"{directory}/{server}")
    status = ask(connection, words[2], words[3:])
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != _signal.SIGKILL:
            _signal.signal(number, _signal.SIG_DFL)
            _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [number])
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


run(sys.argv[1], sys.argv[2:])
