"""The key-value store: JSON values by key, in the table ``kv_store``.

Used by ``kgfs kv`` and by the files of ``@kv``, from any thread and from several processes at once. A value is the text
that was given, byte for byte; it is checked to be JSON and never written anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import msgspec

from kgfs.agentfs.database import AgentDatabase
from kgfs.errors import NotFoundError, UsageError
from kgfs.nearest import did_you_mean

VALUE_BYTES = 64 << 20
KEY_BYTES = 1 << 20
POLL_SECONDS = 0.1

KEY_ROWS = "SELECT key, value, created_at, updated_at FROM kv_store"
"""SQL: all keys with their values and times."""


class KeyValue(msgspec.Struct, frozen=True):
    """A key with its value."""

    key: str
    value: str
    """JSON."""
    created_at: int
    """Seconds since 1970."""
    updated_at: int


class Change(msgspec.Struct, frozen=True):
    """What happened to a key."""

    key: str
    value: str | None
    """None where it was deleted."""


SUGGESTED_FROM = 2_000
"""So many keys are compared with one that is not there."""


class KeyValues:
    """The keys of an open ``agent.db``."""

    def __init__(self, database: AgentDatabase) -> None:
        self._database = database

    def get(self, key: str) -> KeyValue:
        """A key with its value. ``NotFoundError``."""
        with self._database.read() as connection:
            row = connection.execute(f"{KEY_ROWS} WHERE key = ?", (_key(key),)).fetchone()
        if row is None:
            raise self._missing(key)
        return _key_value(row)

    def list(self, prefix: str = "") -> list[KeyValue]:
        """All keys that begin with ``prefix``, by key, with their values."""
        prefix = _key(prefix)
        with self._database.read() as connection:
            rows = connection.execute(
                f"{KEY_ROWS} WHERE substr(key, 1, ?) = ? ORDER BY key ASC", (len(prefix), prefix)
            ).fetchall()
        return [_key_value(row) for row in rows]

    def set(self, key: str, value: str | bytes) -> None:
        """Set a value, durably. ``UsageError`` where it is no JSON; then nothing changes."""
        text = checked(value)
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO kv_store (key, value, updated_at) VALUES (?, ?, unixepoch())"
                " ON CONFLICT(key) DO UPDATE SET value = excluded.value, updated_at = unixepoch()",
                (_key(key), text),
            )

    def delete(self, key: str) -> None:
        """Delete a key, durably. ``NotFoundError``."""
        with self._database.write() as connection:
            gone = connection.execute("DELETE FROM kv_store WHERE key = ?", (_key(key),)).rowcount
        if not gone:
            raise self._missing(key)

    def _missing(self, key: str) -> NotFoundError:
        with self._database.read() as connection:
            known = [str(one) for (one,) in connection.execute("SELECT key FROM kv_store LIMIT ?", (SUGGESTED_FROM,))]
        return NotFoundError(
            f"There is no key {key!r}; {did_you_mean(key, known, '`kgfs kv list` shows those that are there.')}"
        )

    def keys(self, prefix: str = "") -> Sequence[str]:
        """All keys that begin with ``prefix``, in order."""
        prefix = _key(prefix)
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT key FROM kv_store WHERE substr(key, 1, ?) = ? ORDER BY key ASC", (len(prefix), prefix)
            ).fetchall()
        return [str(key) for (key,) in rows]

    def measure(self, key: str) -> tuple[int, int, int]:
        """The bytes of a value, and when it was created and updated. ``NotFoundError``."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT length(CAST(value AS BLOB)), created_at, updated_at FROM kv_store WHERE key = ?", (_key(key),)
            ).fetchone()
        if row is None:
            raise NotFoundError(f"There is no key {key!r}.")
        return int(row[0]), int(row[1] or 0), int(row[2] or 0)

    def set_time(self, key: str, updated_at: int) -> None:
        """Say when a key was updated, durably. ``NotFoundError``."""
        with self._database.write() as connection:
            if not connection.execute(
                "UPDATE kv_store SET updated_at = ? WHERE key = ?", (updated_at, _key(key))
            ).rowcount:
                raise NotFoundError(f"There is no key {key!r}.")

    def move(self, key: str, to_key: str, *, exchange: bool = False) -> None:
        """Give a value another key, durably and in one step; one that is there is replaced, or with ``exchange`` gets
        the first one. A key that is replaced keeps the time of its creation. ``NotFoundError``."""
        with self._database.write() as connection:
            moved = [connection.execute(f"{KEY_ROWS} WHERE key = ?", (_key(one),)).fetchone() for one in (key, to_key)]
            for one, row in zip((key, to_key), moved, strict=True):
                if row is None and (exchange or one == key):
                    raise NotFoundError(f"There is no key {one!r}.")
            if exchange:
                for row, one in zip(moved, (to_key, key), strict=True):
                    connection.execute(
                        "UPDATE kv_store SET value = ?, updated_at = ? WHERE key = ?", (row[1], row[3], one)
                    )
                return
            connection.execute("DELETE FROM kv_store WHERE key = ?", (key,))
            connection.execute(
                "INSERT INTO kv_store (key, value, created_at, updated_at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT(key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
                (to_key, moved[0][1], moved[0][2], moved[0][3]),
            )

    def watch(self, prefix: str = "", *, seconds: float = POLL_SECONDS) -> Iterator[Change]:
        """Changes from now on, by any program; it never ends. A key that changes twice between two looks shows once."""
        connection = self._database.connect()
        known = {one.key: one.value for one in self.list(prefix)}
        version = None
        while True:
            now = connection.execute("PRAGMA data_version").fetchone()
            if now != version:
                version = now
                found = {one.key: one.value for one in self.list(prefix)}
                for key in sorted(known.keys() | found.keys()):
                    if known.get(key) != found.get(key):
                        yield Change(key, found.get(key))
                known = found
            time.sleep(seconds)


def _key_value(row: tuple[Any, ...]) -> KeyValue:
    return KeyValue(str(row[0]), str(row[1]), int(row[2] or 0), int(row[3] or 0))


def _key(key: str) -> str:
    try:
        length = len(key.encode())
    except UnicodeEncodeError:
        raise UsageError("A key is text in UTF-8.") from None
    if "\0" in key or length > KEY_BYTES:
        raise UsageError("A key has at most 1 MiB and no NUL.")
    return key


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def checked(value: str | bytes) -> str:
    """The value as text, once it is known to be JSON. ``UsageError``."""
    try:
        text = value.decode() if isinstance(value, bytes) else value
        if len(text.encode()) > VALUE_BYTES:
            raise UsageError("A value has at most 64 MiB.")
        json.loads(text, parse_constant=_refused)
    except RecursionError:
        raise UsageError("The value is nested too deeply.") from None
    except ValueError as error:
        raise UsageError(f"The value is no JSON: {error}. A text needs quotes: '\"text\"'.") from None
    return text
