"""What a backup is: one tar file, compressed by gzip, with the catalog, the settings, the search index and a manifest.

Used by ``backup`` and ``restore``. The manifest comes last, since it holds the digest of every other member: a backup
that was cut short has none.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

VERSION = 1
MANIFEST = "manifest.json"
PIECE = 1 << 20
"""Files are read and written in pieces of so many bytes."""


class BackupMember(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a backup."""

    size: int
    digest: str
    """blake2b-256 of its bytes, hexadecimal."""


class BackupManifest(msgspec.Struct, kw_only=True):
    """What a backup holds; newer versions may add fields."""

    kgfs_backup: int = VERSION
    """The version of this format."""
    kgfs: str
    """The program's version."""
    schema: int
    """The schema of the catalog."""
    created_at: str
    """When the copy of the rows was made, UTC, RFC 3339."""
    vectors: bool
    """Whether the search index is in it; without it everything is embedded again."""
    counts: dict[str, int] = {}
    """``documents chunks entities facts topics items``."""
    files: dict[str, BackupMember] = {}


def member_hasher() -> Any:
    """A new digest of a member."""
    return hashlib.blake2b(digest_size=32)
