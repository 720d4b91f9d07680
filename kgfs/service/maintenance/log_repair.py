"""What cannot be read of the catalog's log is left out, so that the store can be opened again.

Used by ``kgfs fsck --repair``, before there is a service.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from kgfs.config import CATALOG
from kgfs.errors import DamagedLog
from kgfs.fsck.findings import Finding
from kgfs.store.catalog import change_log


def leave_out(store: Path, error: DamagedLog) -> dict[str, Any]:
    """Leave out what cannot be read of the log of a store that nobody has open; the finding (``Finding``) says where
    all of it is. ``DamagedLog``, the same, where it is another log or nothing is left to leave out."""
    catalog = store / CATALOG
    if error.log != str(change_log.log_of(catalog)) or not change_log.has_more(catalog, error.place):
        raise error
    kept = change_log.cut(catalog, error.place)
    finding = Finding(
        check="log", explanation="The log of what was written last can be read to its end.", count=1,
        examples=[f"it cannot be read from byte {error.place:,} on; all of it is kept as {kept.name}"],
        remedy="What stands before is kept. What was written later is lost, unless a backup has it; `kgfs refresh"
        " --all` reads again what is on the disk.",
        state="mended",
    )  # fmt: skip
    return dict(msgspec.to_builtins(finding))
