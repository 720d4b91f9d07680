"""Where a published graph is: a directory, or a place in an object store.

Used by the commands and by the service. Pure, but for the look at a directory.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from kgfs.errors import UsageError

POINTER = "latest"
"""The object that names the newest snapshot: by it a directory is known to be a published graph."""
_SCHEMES = ("s3", "gs", "az")


class Address(NamedTuple):
    """A place of a published graph."""

    url: str
    """Without a slash at its end; a directory is ``file:///…``."""

    @property
    def directory(self) -> Path | None:
        """The directory, where it is one."""
        return Path(unquote(urlsplit(self.url).path)) if self.url.startswith("file:") else None

    @property
    def key(self) -> str:
        """A short name of it that a file can have."""
        return hashlib.blake2b(self.url.encode(), digest_size=12).hexdigest()

    def __str__(self) -> str:
        return str(self.directory or self.url)


def is_url(text: str) -> bool:
    """Whether a text was meant as an address with a scheme."""
    return "://" in text


def is_published(directory: Path) -> bool:
    """Whether a directory holds a published graph; a mount whose daemon died holds none."""
    try:
        return (directory / POINTER).is_file() and (directory / "objects").is_dir()
    except OSError:
        return False


def parse_address(text: str) -> Address:
    """The address that a user wrote. ``UsageError`` where it is none, or holds what is the environment's to say."""
    if not is_url(text):
        return _of_directory(Path(os.path.abspath(os.path.expanduser(text))))
    try:
        parts = urlsplit(text)
        named = parts.username or parts.password or parts.port
    except ValueError as error:
        raise UsageError(f"{text} is no address ({error}); write s3://BUCKET/NAME.") from error
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return _of_directory(Path(os.path.abspath(unquote(parts.path) or "/")))
    if parts.scheme not in _SCHEMES or not parts.netloc:
        raise UsageError(f"{text} is no address; write a directory, s3://BUCKET/NAME, gs://… or az://….")
    if named or parts.query or parts.fragment or "@" in parts.netloc:
        raise UsageError(
            "An address is a bucket and a name and nothing else; keys, regions and servers belong in the environment"
            " (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL …)."
        )
    names = [name for name in parts.path.split("/") if name]
    if {".", ".."} & set(names):
        raise UsageError(f"{text} has . or .. in it; write the whole name.")
    return Address("/".join([f"{parts.scheme}://{parts.netloc}", *names]))


def _of_directory(path: Path) -> Address:
    return Address(f"file://{quote(os.fsencode(path), safe='/~')}".rstrip("/"))
