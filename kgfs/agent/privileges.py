"""Root without its right to any file, for the time of a tool's work.

Used by the file tools. Processes of the sandbox have no capability: what belongs to another user is refused to them,
also where root started them. The file tools work outside it, on behalf of the same agent, and must not see more.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator

_LIBC = ctypes.CDLL(None, use_errno=True)
_VERSION = 0x20080522
_OVERRIDING = 0b1110
"""``CAP_DAC_OVERRIDE``, ``CAP_DAC_READ_SEARCH``, ``CAP_FOWNER``."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Set(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextlib.contextmanager
def as_in_sandbox() -> Iterator[None]:
    """Open files as their owner only, in this thread; other users than root do anyway. ``OSError`` if that fails."""
    if os.geteuid() != 0:
        yield
        return
    header, sets = _Header(_VERSION, 0), (_Set * 2)()
    _call(_LIBC.capget, header, sets)
    before = sets[0].effective
    sets[0].effective = before & ~_OVERRIDING
    _call(_LIBC.capset, header, sets)
    try:
        yield
    finally:
        sets[0].effective = before
        _call(_LIBC.capset, header, sets)


def _call(function: ctypes._NamedFuncPointer, header: _Header, sets: ctypes.Array[_Set]) -> None:
    if function(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
