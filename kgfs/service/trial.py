"""A bundle is tried before it is taken: in a store of its own, which is checked as ``kgfs fsck`` checks one.

Used by ``kgfs.service.exchange`` on the jobs thread. A bundle may hold anything. What a valid row
is stands in one place, the checks of ``kgfs.fsck``, so a row that they would find damaged never gets into a store.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgfs.config import Config
from kgfs.errors import Cancelled, KgfsError, NoSpaceError
from kgfs.fsck.findings import Check, Damage, Trial
from kgfs.fsck.run import Fsck
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.progress import Cancel, Progress
from kgfs.store.catalog.database import Database

if TYPE_CHECKING:
    from kgfs.exchange.bundle import Bundle

_TABLES = {
    "counters": ("counters", "name"),
    "items": ("context_items", "id"),
    "refs": ("context_items", "id"),
    "files in the way": ("context_items", "id"),
    "sources of files": ("context_items", "id"),
    "versions": ("item_versions", "id"),
    "documents without a file": ("documents", "id"),
}
"""Check to the table whose row its damage is in, and the column that the damage's key begins with."""
_NAMED = {"entity": "entities", "topic": "topics", "document": "documents", "source": "sources"}


def require_sound(bundle: Bundle, directory: Path, config: Config, progress: Progress, cancel: Cancel) -> None:
    """``KgfsError`` that names the line unless a store that holds this bundle alone is sound and can be mounted.

    ``directory`` is where the store for it is made for a while.
    """
    from kgfs.exchange import importing

    with (
        tempfile.TemporaryDirectory(prefix="import-", dir=directory) as place,
        Database.open(Path(place) / "store", create=True) as tried,
    ):
        try:
            importing.import_whole(tried, bundle, progress, cancel)
            _require_sound_rows(bundle, Fsck(tried, config, progress=progress, cancel=cancel))
            publish(tried)
            Namespace(tried).load_snapshot()
        except (KgfsError, Cancelled, NoSpaceError):
            raise
        except Exception as error:
            why = (str(error) or type(error).__name__).splitlines()[0]
            raise bundle.refused(f"what it holds cannot be shown ({why})") from error


def _require_sound_rows(bundle: Bundle, fsck: Fsck) -> None:
    """``KgfsError`` for the first row that is damaged; where damage is in no one row, for the first of it."""
    first: KgfsError | None = None
    try:
        for check, damage in fsck.damages():
            line = _line(bundle, check, damage)
            refused = bundle.refused(f"{check.name}: {damage.text}", line)
            if line is not None:
                raise refused
            first = first or refused
    except KgfsError:
        raise
    except Exception:
        if first is None:
            raise
    if first is not None:
        raise first


def _line(bundle: Bundle, check: Check | Trial, damage: Damage) -> int | None:
    """The line of the row in which the damage is, where it is in one."""
    key: tuple[Any, ...] = damage.key
    if not key:
        return None
    if check.name in _TABLES:
        table, column = _TABLES[check.name]
        return bundle.line_of(table, lambda place, values: values.get(column) == key[0])
    if len(key) > 1 and key[0] in _NAMED:
        return bundle.line_of(_NAMED[key[0]], lambda place, values: values.get("id") == key[1])
    if len(key) > 1 and key[0] in bundle.header.tables:
        return bundle.line_of(key[0], lambda place, values: place == key[1])
    return None
