"""``python -P -m MODULE`` for tests: has ``program_server`` run the module, passes signals on and ends as it ends.

``python -I -S program_client.py DIRECTORY -P -m MODULE ARGUMENTS…``. It imports next to nothing, so that it starts in
10 ms. Of a module that no server runs it becomes the process itself.
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
    "kgfs.documents.parser_child": "parser",
}
"""Modules that run in forked processes, and the socket of the server that forks them."""
APART = ("agent", "mcp")
"""Commands of kgfs that have servers of their own, by their names: they import much that no other needs."""
PASSED_ON = (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGUSR1, _signal.SIGUSR2)


def server_of(words: list[str]) -> tuple[str, list[str]]:
    """The socket for the arguments of Python, and the module with its own; an empty name where there is none."""
    rest = words[1:] if words[:1] == ["-P"] else words
    if len(rest) < 2 or rest[0] != "-m":
        return "", []
    server = SERVERS.get(rest[1], "commands" if rest[1].startswith("tests.") else "")
    if server == "commands":
        server = next((name for name in APART if name in rest[2:]), server)
    return server, rest[1:]


def ask(connection: _socket.socket, words: list[str]) -> int:
    """Have the module run with all that this process has; returns its process."""
    umask = os.umask(0)
    os.umask(umask)
    given = [int(name) for name in os.listdir("/proc/self/fd")]
    given = [number for number in given if number != connection.fileno() and is_open(number)]
    leads = os.getsid(0) == os.getpid()
    ignored = [int(number) for number in PASSED_ON if _signal.getsignal(number) == _signal.SIG_IGN]
    blocked = [int(number) for number in _signal.pthread_sigmask(_signal.SIG_BLOCK, [])]
    command = (words[0], words[1:], os.getcwdb(), umask, dict(os.environb), given, leads, ignored, blocked)
    message = marshal.dumps(command)
    descriptors = b"".join(number.to_bytes(4, sys.byteorder) for number in given)
    data = len(message).to_bytes(8, "little") + message
    sent = connection.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptors)])
    if sent < len(data):  # even nothing cannot be sent to a program that was quick and has ended
        connection.sendall(data[sent:])
    pid = receive(connection)
    for number in PASSED_ON:  # what is ignored here is ignored there, unless the program wants to know of it
        _signal.signal(number, lambda number, frame: os.kill(pid, number))
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, PASSED_ON)
    for number in given:
        os.close(number)
    return pid


def receive(connection: _socket.socket) -> int:
    data = connection.recv(4)
    if not data:
        sys.exit("program_client: the server has ended.")
    return int.from_bytes(data, "little")


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def run(directory: str, words: list[str]) -> None:
    server, module = server_of(words)
    if not server:
        os.execv(sys.executable, [sys.executable, *words])
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(f"{directory}/{server}")
    pid = ask(connection, module)
    name = f"{directory}/of-{os.getpid()}"
    if os.path.lexists(name):  # of a client that was killed, whose number this process now has
        os.unlink(name)
    os.symlink(str(pid), name)
    status = receive(connection)
    os.unlink(name)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != _signal.SIGKILL:
            _signal.signal(number, _signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2:])
