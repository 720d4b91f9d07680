"""What the daemon tells systemd when it is started as a unit: that it is ready, that it ends, that it still turns.

Used by ``daemon`` and the watchdog. The protocol is one datagram to the socket that ``$NOTIFY_SOCKET`` names
(sd_notify(3), which asks programs to speak it themselves and promises that it stays as it is). Without that variable
nothing happens.
"""

from __future__ import annotations

import logging
import os
import socket

READY, STOPPING, ALIVE = "READY=1", "STOPPING=1", "WATCHDOG=1"

log = logging.getLogger(__name__)


def tell(state: str, status: str = "") -> None:
    """Send a state, and a line that ``systemctl status`` shows. Never raises: nobody may listen any more."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    message = f"{state}\nSTATUS={' '.join(status.splitlines())}" if status else state
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sending:
            sending.setblocking(False)
            sending.connect(address.replace("@", "\0", 1) if address.startswith("@") else address)
            sending.send(os.fsencode(message))
    except OSError as error:
        log.debug("systemd does not listen: %s", error)
