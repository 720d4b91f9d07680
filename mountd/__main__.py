"""``mountd``, the program: ends on Ctrl-C from its first moment on; all else is in ``daemon``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the daemon; returns the exit status."""
    # Until there is a mount, Ctrl-C simply ends the process. Python's KeyboardInterrupt may come in the middle of an
    # import, where some library or the interpreter itself swallows it, and the daemon would run on. While the
    # interpreter starts we can do nothing about that, so `kgfs mount` starts us with these signals blocked.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    from mountd import allocator

    allocator.settle()
    from mountd import daemon

    return daemon.main(argv)


if __name__ == "__main__":
    sys.exit(main())
