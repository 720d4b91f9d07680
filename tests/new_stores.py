"""New stores for tests, as ``Database.open(create=True)`` makes them, in a tenth of its time.

Making the schema takes 0.2 s, and the tests make a thousand stores: the first catalog is kept and copied.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import uuid
from functools import cache
from pathlib import Path
from typing import Any

import _duckdb as duckdb

from kgfs.config import CATALOG
from kgfs.store.catalog import schema
from kgfs.store.catalog.database import Database

SET_ID = "UPDATE meta SET value = ? WHERE key = 'store_id'"
MAKE = Database._make
"""What makes a catalog for users."""
_kept: Path | None = None
"""Where processes share the first one, once there is one."""


def keep_catalogs(place: Path) -> None:
    """From now on this process, and those forked from it, make a catalog as a copy of the file ``place``."""
    global _kept
    _kept = place
    Database._make = _copy


def new_store(store: Path, **options: Any) -> Database:
    """An empty store with an id of its own, open; ``options`` are those of ``Database.open``."""
    store.mkdir(mode=0o700, parents=True, exist_ok=True)
    (store / CATALOG).write_bytes(_catalog())
    database = Database.open(store, **options)
    database.write(lambda cursor: cursor.execute(SET_ID, [uuid.uuid4().hex]))
    return database


def _copy(self: Database, path: Path) -> None:
    """In the place of ``Database._make``: a catalog of the program's schema, with an id of its own."""
    path.write_bytes(_catalog())
    with contextlib.closing(duckdb.connect(os.fspath(path), config=self._settings)) as connection:
        connection.execute(SET_ID, [uuid.uuid4().hex])


@cache
def _catalog() -> bytes:
    if _kept is not None and _kept.exists():
        return _kept.read_bytes()
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, CATALOG)
        with contextlib.closing(duckdb.connect(os.fspath(file))) as connection:
            schema.migrate(connection)
        made = file.read_bytes()
    if _kept is not None:
        new = _kept.with_name(f"{_kept.name}-{os.getpid()}")
        new.write_bytes(made)
        new.rename(_kept)  # another process may have been as quick: its catalog is as good
    return made
