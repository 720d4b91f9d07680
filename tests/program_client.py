"""``kgfs`` for tests: has ``program_server`` run it and ends as it ends.

``python -I -S program_client.py SOCKET ARGUMENTS…``. It imports next to nothing, so that it starts in 10 ms.
"""

import _signal
import _socket
import marshal
import os
import sys

UMASK = os.umask(0)
os.umask(UMASK)
command = (os.getcwdb(), UMASK, dict(os.environb), [os.fsencode(argument) for argument in sys.argv[2:]])
message = marshal.dumps(command)
connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
connection.connect(sys.argv[1])
streams = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))
data = len(message).to_bytes(8, "little") + message
sent = connection.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
connection.sendall(data[sent:])
for stream in (0, 1, 2):
    os.close(stream)
status = int.from_bytes(connection.recv(4), "little")
if os.WIFSIGNALED(status):
    number = os.WTERMSIG(status)
    if number != _signal.SIGKILL:
        _signal.signal(number, _signal.SIG_DFL)
    os.kill(os.getpid(), number)
os._exit(os.WEXITSTATUS(status))
