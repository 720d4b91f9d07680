"""Which clusters ``--on`` names. Pure but for looking whether Ray is installed; imports no Ray."""

from __future__ import annotations

import importlib.util
import re

from kgfs.errors import UsageError

LOCAL = "ray"
"""A cluster of this machine alone, which is started for the command and ends with it."""
FORMS = (
    "ray (starts Ray on this machine), auto (the cluster that this machine is a node of), HOST:PORT, ray://HOST:PORT"
)
_ADDRESS = re.compile(r"(?:ray://)?(?P<host>[\w.-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>[0-9]{1,5})")


def ray_address(on: str) -> str:
    """What Ray is told for an address. ``UsageError`` for what is none."""
    if on == LOCAL:
        return "local"
    if on == "auto" or host_and_port(on) is not None:
        return on
    raise UsageError(f"{on!r} names no Ray cluster; --on takes {FORMS}.")


def host_and_port(on: str) -> tuple[str, int] | None:
    """Where an address leads; ``None`` for one without a host."""
    match = _ADDRESS.fullmatch(on)
    if match is None or not 0 < int(match["port"]) < 65536:
        return None
    return match["host"].strip("[]"), int(match["port"])


def require_cluster(on: str) -> None:
    """``UsageError`` for what is no address, and where Ray is not installed."""
    ray_address(on)
    if importlib.util.find_spec("ray") is None:
        raise UsageError("--on needs Ray, which is not installed; run `pip install 'kgfs[ray]'`.")
