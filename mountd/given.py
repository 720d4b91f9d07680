"""What a request to set attributes gives, as arguments of ``FileSystem.setattr``.

Used by ``writing`` and by submounts.
"""

from __future__ import annotations

import stat

from pyfuse3 import EntryAttributes, SetattrFields


def given_attributes(attr: EntryAttributes, fields: SetattrFields) -> dict[str, int]:
    """The arguments that a request gives, by name."""
    given: dict[str, int] = {}
    if fields.update_mode:
        given["mode"] = stat.S_IMODE(attr.st_mode)
    if fields.update_uid:
        given["uid"] = attr.st_uid
    if fields.update_gid:
        given["gid"] = attr.st_gid
    if fields.update_atime:
        given["atime_ns"] = attr.st_atime_ns
    if fields.update_mtime:
        given["mtime_ns"] = attr.st_mtime_ns
    if fields.update_size:
        given["size"] = attr.st_size
    return given
