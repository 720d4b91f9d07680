"""The filter of system calls that a sandbox has, made by libseccomp.

Used by ``kgfs.sandbox.bubblewrap``. What it refuses are calls that no namespace bounds (keyrings, sockets of families
that know no network namespace, a terminal's input) and those with which faults of kernels are used (namespaces inside
the sandbox, mounts, ``bpf``, ``io_uring``). A program gets ``EPERM`` or ``ENOSYS`` and goes on.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import termios
from typing import Any

from kgfs.errors import KgfsError

LIBRARY = "libseccomp.so.2"
PACKAGE = "libseccomp2"

REFUSED = (
    "add_key", "keyctl", "request_key",
    "mount", "umount", "umount2", "pivot_root", "chroot", "setns", "unshare",
    "fsopen", "fsconfig", "fsmount", "fspick", "move_mount", "open_tree", "mount_setattr",
    "bpf", "perf_event_open", "ptrace", "process_vm_readv", "process_vm_writev", "userfaultfd",
    "open_by_handle_at", "acct", "quotactl", "quotactl_fd", "swapon", "swapoff", "reboot", "syslog", "vhangup",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "iopl", "ioperm", "modify_ldt",
    "clock_settime", "clock_adjtime", "settimeofday", "adjtimex", "sethostname", "setdomainname", "nfsservctl",
)  # fmt: skip
"""Refused with ``EPERM``. A call that the library does not know is one that it lets no filter name: it is left out."""

UNKNOWN = ("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register")
"""Refused as by a kernel without them: programs fall back. What ``clone3`` is asked for lies where no filter reads."""

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_EQUAL, _AT_LEAST, _MASKED = 4, 5, 7
_WHOLE_WORD = 0xFFFFFFFF
_NEW_USER_NAMESPACE = 0x10000000
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
_TERMINAL_INPUT = (termios.TIOCSTI, 0x541C)
"""``TIOCSTI`` and ``TIOCLINUX``: they type into a terminal."""
_NO_SUCH_CALL = -1


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operation", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


class _Filter:
    """A filter that allows what no rule refuses."""

    def __init__(self, library: Any) -> None:
        self._library = library
        library.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ALLOW)))
        if not self._context:
            raise KgfsError(f"{LIBRARY} makes no filter; reinstall the package {PACKAGE}.")

    def refuse(self, name: str, number: int, *comparisons: tuple[int, int, int, int]) -> None:
        """Refuse a system call with an error, or only one whose arguments compare so."""
        call = self._library.seccomp_syscall_resolve_name(name.encode())
        if call == _NO_SUCH_CALL:
            return
        array = (_Comparison * len(comparisons))(*(_Comparison(*one) for one in comparisons))
        answer = self._library.seccomp_rule_add_array(
            self._context, ctypes.c_uint32(_ERRNO | number), call, len(comparisons), array
        )
        self._require(answer, name)

    def export(self) -> int:
        """The filter as the kernel wants it, in a file that lies in memory, at its beginning."""
        file = os.memfd_create("filter", os.MFD_CLOEXEC)
        self._require(self._library.seccomp_export_bpf(self._context, file), "export")
        os.lseek(file, 0, os.SEEK_SET)
        self._library.seccomp_release(self._context)
        return file

    def _require(self, answer: int, what: str) -> None:
        if answer < 0:
            raise KgfsError(f"{LIBRARY} refuses {what} ({os.strerror(-answer)}); update the package {PACKAGE}.")


def filter_file(*, network: bool) -> int:
    """A descriptor of the filter; the caller closes it. ``KgfsError`` where the library is missing.

    With ``network`` the sandbox has the machine's network, to which the machine's abstract sockets belong; so it gets
    no socket of that family then. Pairs of such sockets remain.
    """
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        raise KgfsError(f"There is no {LIBRARY} here; install the package {PACKAGE}.") from None
    rules = _Filter(library)
    for name in REFUSED:
        rules.refuse(name, errno.EPERM)
    for name in UNKNOWN:
        rules.refuse(name, errno.ENOSYS)
    rules.refuse("clone", errno.EPERM, (0, _MASKED, _NEW_USER_NAMESPACE, _NEW_USER_NAMESPACE))
    # The kernel reads 32 bits of both; what stands above them must not hide them from a comparison.
    for request in _TERMINAL_INPUT:
        rules.refuse("ioctl", errno.EPERM, (1, _MASKED, _WHOLE_WORD, request))
    allowed = {int(family) for family in _FAMILIES if not (network and family == socket.AF_UNIX)}
    beyond = max(allowed) + 1
    for family in sorted(set(range(beyond)) - allowed):
        rules.refuse("socket", errno.EAFNOSUPPORT, (0, _EQUAL, family, 0))
    rules.refuse("socket", errno.EAFNOSUPPORT, (0, _AT_LEAST, beyond, 0))
    return rules.export()
