"""The object store in which a graph is published: reading, writing, and the one exchange of the pointer.

Used by the sender, by the cache and by the daemon that looks for news, on any thread. Requests, retries and keys are
the affair of ``obstore``: it reads them from the environment (``AWS_ACCESS_KEY_ID``,
``GOOGLE_APPLICATION_CREDENTIALS``, ``AZURE_STORAGE_ACCOUNT_KEY`` …); nothing of a store or of a snapshot has a say in
that.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from kgfs.errors import ChangedError, KgfsError, NotFoundError, RefusedError, StoreError, Unreachable
from kgfs.published.address import POINTER, Address
from kgfs.published.manifest import Pointer, decode_pointer

PATIENCE_SECONDS = 60.0
"""How long a request is repeated, and half of how long one may take: a piece of 8 MiB at 70 kB/s."""
_CONNECT_SECONDS = 5
_LOCK = ".publishing"
_MOST_POINTER = 64 << 10
_REMOVED_AT_ONCE = 1000
"""S3 removes no more in one request."""
_TAGS = re.compile(r"<[^>]*>|\s+")


class PublishedPointer(NamedTuple):
    """The pointer as it was read."""

    pointer: Pointer
    tag: str
    """The object store's name for this state of it."""


class Stored(NamedTuple):
    """An object as it is listed."""

    size: int
    at: datetime
    """When it was put there last."""


class Bucket:
    """One published graph. Errors: ``Unreachable`` where the network or the server fails, ``RefusedError`` where it
    does not let us, ``NotFoundError`` where there is no such bucket or object, ``StoreError`` for anything else."""

    def __init__(self, address: Address, *, patience: float = PATIENCE_SECONDS) -> None:
        """``patience``: after so many seconds a request that fails is not repeated; one may take twice as long."""
        self.address = address
        with self._explained(""):
            self._obstore, self._store = _open(address, patience)

    def pointer(self, known: str | None = None) -> PublishedPointer | None:
        """What is the newest; ``None`` where that is still the state ``known``. ``NotFoundError`` where nothing was
        published."""
        options = {} if known is None else {"options": {"if_none_match": known}}
        try:
            with self._explained(POINTER):
                found = self._obstore.get(self._store, POINTER, **options)
                body = self._body(found, POINTER, _MOST_POINTER)
        except _Unchanged:
            return None
        except NotFoundError as error:
            raise NotFoundError(
                f"Nothing is published at {self.address}; `kgfs publish {self.address}` does it."
            ) from error
        tag = found.meta["e_tag"]
        if tag is None:
            raise StoreError(f"{self.address} names no state of its objects (ETag); use another object store.")
        return PublishedPointer(decode_pointer(body), tag)

    def read(self, name: str, most: int) -> bytes:
        """An object of at most so many bytes."""
        with self._explained(name):
            return self._body(self._obstore.get(self._store, name), name, most)

    def _body(self, found: Any, name: str, most: int) -> bytes:
        if found.meta["size"] > most:
            raise StoreError(f"{name} at {self.address} is longer than it can be; publish again.")
        return bytes(found.bytes())

    def objects(self, prefix: str) -> dict[str, Stored]:
        """All objects beneath a prefix, by name."""
        with self._explained(prefix):
            return {
                one["path"]: Stored(one["size"], one["last_modified"])
                for part in self._obstore.list(self._store, prefix)
                for one in part
            }

    def sizes(self, prefix: str) -> dict[str, int]:
        """Name to bytes of all objects beneath a prefix."""
        return {name: stored.size for name, stored in self.objects(prefix).items()}

    def remove(self, names: Sequence[str]) -> None:
        """Remove objects; one that is gone already is none less."""
        for start in range(0, len(names), _REMOVED_AT_ONCE):
            with self._explained(names[start]), contextlib.suppress(FileNotFoundError):
                self._obstore.delete(self._store, names[start : start + _REMOVED_AT_ONCE])

    def write(self, name: str, body: bytes) -> None:
        """Put an object that never changes; one that is there is replaced by the same bytes."""
        with self._explained(name):
            self._obstore.put(self._store, name, body, use_multipart=False)

    def point(self, body: bytes, before: str | None) -> None:
        """Replace the pointer, whose state was ``before`` (``None``: there was none). ``ChangedError`` where it is
        another by now."""
        try:
            if self.address.directory is None:
                mode = "create" if before is None else {"e_tag": before}
                with self._explained(POINTER):
                    self._obstore.put(self._store, POINTER, body, mode=mode)
            else:
                self._point_in_directory(body, before)
        except _Changed:
            # The answer to a request that was repeated may have been lost: then it is ours that is there.
            if self.read(POINTER, _MOST_POINTER) != body:
                raise ChangedError(
                    f"Somebody else published at {self.address} meanwhile; nothing of that was replaced. Publish again"
                    " if yours is newer."
                ) from None

    def _point_in_directory(self, body: bytes, before: str | None) -> None:
        # A directory knows no conditions: publishers take turns by a lock.
        directory = self.address.directory
        assert directory is not None
        with self._explained(POINTER), open(directory / _LOCK, "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                now = self._obstore.head(self._store, POINTER)["e_tag"]
            except FileNotFoundError:
                now = None
            if now != before:
                raise _Changed
            self._obstore.put(self._store, POINTER, body)

    @contextlib.contextmanager
    def _explained(self, name: str) -> Iterator[None]:
        """Errors of the client as ours."""
        try:
            yield
        except (KgfsError, _Changed, _Unchanged):
            raise
        except FileNotFoundError as error:
            raise NotFoundError(f"{name} is not at {self.address}: {_first(error)}.") from error
        except Exception as error:
            raise _translated(error, self.address, name) from error


class _Changed(Exception):
    """The pointer is another than it was."""


class _Unchanged(Exception):
    """The pointer is what it was."""


def _translated(error: Exception, address: Address, name: str) -> Exception:
    kind, said = type(error).__name__, _first(error)
    if kind == "NotModifiedError":
        return _Unchanged()
    if kind in ("AlreadyExistsError", "PreconditionError"):
        return _Changed()
    if kind in ("PermissionDeniedError", "UnauthenticatedError") or isinstance(error, PermissionError):
        return RefusedError(
            f"{address} does not let you ({said}); check the keys in your environment (AWS_ACCESS_KEY_ID …)."
        )
    if kind == "NotSupportedError":
        return StoreError(
            f"{address} cannot replace an object on a condition, which publishing needs; use another server."
        )
    if kind in ("UnknownConfigurationKeyError", "InvalidPathError", "ValueError"):
        return StoreError(f"{address} cannot be used ({said}).")
    if address.directory is not None:
        return StoreError(f"{name or address.directory} cannot be read or written ({said}).")
    return Unreachable(f"{address} cannot be reached ({said}).")


def _first(error: Exception) -> str:
    """What an error says, as a part of a sentence: without the client's debugging and the server's markup."""
    said = _TAGS.sub(" ", str(error).split("Debug source:")[0]).strip()
    return (said[:300] + "…" if len(said) > 300 else said).rstrip(".") or type(error).__name__


def _open(address: Address, patience: float) -> tuple[Any, Any]:
    try:
        import obstore
        from obstore.store import from_url
    except ModuleNotFoundError as error:
        raise KgfsError(
            "Publishing needs obstore, which is not installed; run `pip install 'kgfs[publish]'`."
        ) from error
    if address.directory is not None:
        return obstore, from_url(address.url)
    options: Any = {
        "timeout": timedelta(seconds=2 * patience), "connect_timeout": timedelta(seconds=_CONNECT_SECONDS),
    }  # fmt: skip
    if os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true":
        options["allow_http"] = True
    retry: Any = {
        "retry_timeout": timedelta(seconds=patience), "max_retries": 8 if patience >= 30 else 2,
        "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=5), "base": 2},
    }  # fmt: skip
    provider = _profile() if address.url.startswith("s3:") else None
    return obstore, from_url(address.url, client_options=options, retry_config=retry, credential_provider=provider)


def _profile() -> Any:
    """What Amazon's own configuration of the user says (``~/.aws``, ``AWS_PROFILE``), where its client is installed and
    the environment has no key."""
    if os.environ.get("AWS_ACCESS_KEY_ID") or not (
        os.environ.get("AWS_PROFILE") or Path("~/.aws").expanduser().is_dir()
    ):
        return None
    try:
        from obstore.auth.boto3 import Boto3CredentialProvider

        return Boto3CredentialProvider()
    except ModuleNotFoundError:
        return None
    except ValueError as error:
        raise RefusedError(
            "There are no keys in your environment (AWS_ACCESS_KEY_ID …), nor in ~/.aws; set them and try again."
        ) from error
