"""The contract of file systems as the rows' drives keep it: the same cases, and the table of what rows cannot hold."""

from __future__ import annotations

import errno

from tests.posix_contract import PosixContract


class RowsContract(PosixContract):
    """For the drive ``agent``, on the interface and on a mount."""

    refuses = {  # noqa: RUF012
        "hard links": errno.EPERM,
        "special files": errno.EPERM,
        "owners": errno.EPERM,
        "exchange": errno.EINVAL,
        "more than a GiB": errno.EFBIG,
    }
    exact_blocks = False
    tick_ns = 1000
    counts_directories = False
    taken = [b"@search"]  # noqa: RUF012
    listed = 300  # each is a transaction


def own(names: list[bytes]) -> list[bytes]:
    """Extended attributes that somebody set; the others are what the graph says of a file."""
    return [name for name in names if not name.startswith(b"user.kg.")]
