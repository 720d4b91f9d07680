"""What removes and renames files as the sandbox sees them, for the SDK's memory tool.

Used by ``kgfs.agent.memory``; a shell has ``rm`` and ``mv``. A link is removed or renamed itself, and none beneath is
followed. What is removed from notes stays in their history.
"""

from __future__ import annotations

import os
import shutil
import stat

from kgfs.agent.places import Places
from kgfs.errors import ExistsError
from kgfs.tools.outcome import BadArguments, Hinted


def remove(places: Places, path: str) -> None:
    """Remove a file, a link, or a directory with all that is in it."""
    above, name = _parted(path)
    with places.directory(above) as opened, places.translated(path):
        if stat.S_ISDIR(os.stat(name, dir_fd=opened, follow_symlinks=False).st_mode):
            shutil.rmtree(name, dir_fd=opened)
        else:
            os.unlink(name, dir_fd=opened)


def rename(places: Places, old: str, new: str) -> None:
    """Give a file or directory another path, whose parents are made; nothing may be there."""
    (old_above, old_name), (new_above, new_name) = _parted(old), _parted(new)
    with places.directory(old_above) as source, places.translated(old):
        os.stat(old_name, dir_fd=source, follow_symlinks=False)
        with places.directory(new_above, make=True) as target, places.translated(new):
            if new_name in os.listdir(target):
                raise Hinted(ExistsError(f"{new} exists."), "Choose another name, or delete it first.")
            os.rename(old_name, new_name, src_dir_fd=source, dst_dir_fd=target)


def _parted(path: str) -> tuple[str, str]:
    above, _, name = path.rstrip("/").rpartition("/")
    if name in ("", ".", ".."):
        raise BadArguments(f"{path} names no file; name one by its path.")
    return above or "/", name
