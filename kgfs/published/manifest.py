"""What a snapshot is: a manifest with the digests of all it holds, and the pointer to the newest one.

Used by the sender and by the cache. What is read here was written by others: nothing of it is taken that a snapshot
cannot have. Pure.

An object is a piece of a file, under the digest of its bytes: ``objects/ab/ab12…``. A manifest is
``manifests/NUMBER-DIGEST.json``. Both never change. ``latest`` is the one object that does.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath
from typing import Annotated, TypeVar

import msgspec

from kgfs.config import CATALOG, CONFIG, VECTORS
from kgfs.errors import StoreError
from kgfs.model import prepared

T = TypeVar("T")

VERSION = 1
CATALOG_PIECE = 1 << 20
"""The engine writes blocks of 256 KiB where there is room: small pieces of the catalog stay what they were."""
PIECE = 8 << 20
MOST_BYTES = 64 << 20
"""No manifest is longer."""
_MOST_FILES = 200_000
_MANIFEST_NAME = re.compile(r"manifests/(?P<number>\d{10,16})-(?P<digest>[0-9a-f]{64})\.json")

Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]


class Pointer(msgspec.Struct, frozen=True, kw_only=True):
    """The newest snapshot; newer versions may add fields."""

    kgfs_published: int = VERSION
    number: Count
    """How many were published here, this one included."""
    manifest: Digest


class PublishedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a snapshot."""

    size: Count
    piece: Annotated[int, msgspec.Meta(ge=1, le=1 << 30)]
    """Bytes of each piece but the last."""
    pieces: tuple[Digest, ...]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot; newer versions may add fields."""

    kgfs_published: int = VERSION
    kgfs: str
    """The program's version."""
    schema: Count
    """The schema of the catalog."""
    graph: str
    """Which graph this is, whatever place it is published at."""
    number: Count
    generation: Count
    """Of the store, when this was published."""
    published_at: str
    """UTC, RFC 3339."""
    content: str = ""
    """A fingerprint of all rows: where it is the same, nothing changed."""
    counts: dict[str, int] = {}
    files: dict[str, PublishedFile] = {}

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files.values())


def digest_of(body: bytes | memoryview) -> str:
    """blake2b-256, hexadecimal."""
    return hashlib.blake2b(body, digest_size=32).hexdigest()


def object_name(digest: str) -> str:
    return f"objects/{digest[:2]}/{digest}"


def manifest_name(number: int, digest: str) -> str:
    return f"manifests/{number:010d}-{digest}.json"


def manifest_of(name: str) -> Pointer | None:
    """What a pointer to the manifest of this name says; ``None`` where no manifest is called so."""
    found = _MANIFEST_NAME.fullmatch(name)
    return None if found is None else Pointer(number=int(found["number"]), manifest=found["digest"])


def encoded(value: Pointer | Manifest) -> bytes:
    """The bytes of the object."""
    return msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=1) + b"\n"


def decode_pointer(body: bytes) -> Pointer:
    """``StoreError`` where it is none."""
    return _decoded(body, Pointer, "pointer to the newest snapshot")


def decode_manifest(body: bytes, pointer: Pointer, newest_schema: int) -> Manifest:
    """The manifest that ``pointer`` names. ``StoreError`` where it is another, cannot be, or is of a newer kgfs."""
    if digest_of(body) != pointer.manifest:
        raise StoreError("The manifest of the newest snapshot is damaged; publish again.")
    found = _decoded(body, Manifest, "manifest of the newest snapshot")
    if found.schema > newest_schema:
        raise StoreError(f"The snapshot was published by a newer kgfs ({found.kgfs[:40]}); upgrade kgfs to mount it.")
    if found.number != pointer.number:
        raise StoreError("The manifest of the newest snapshot has another number than its pointer; publish again.")
    _require_possible(found)
    return found


def _decoded(body: bytes, kind: type[T], what: str) -> T:
    try:
        version = msgspec.json.decode(body, type=prepared(_Version)).kgfs_published
        if version > VERSION:
            raise StoreError(f"The {what} is of a newer kgfs; upgrade kgfs to mount it.")
        found: T = msgspec.json.decode(body, type=prepared(kind))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"The {what} cannot be read ({error}); publish again.") from error
    return found


class _Version(msgspec.Struct):
    kgfs_published: int


def _require_possible(manifest: Manifest) -> None:
    if CATALOG not in manifest.files or len(manifest.files) > _MOST_FILES:
        raise StoreError("The newest snapshot has no catalog, or too many files; publish again.")
    for name, file in manifest.files.items():
        if not _is_expected(name):
            raise StoreError(f"The newest snapshot holds {name[:100]!r}, which no snapshot does; publish again.")
        if len(file.pieces) != -(-file.size // file.piece):
            raise StoreError(f"The manifest says of {name[:100]!r} what cannot be; publish again.")
    parents = {str(above) for name in manifest.files for above in PurePosixPath(name).parents}
    if parents & manifest.files.keys():
        raise StoreError("The newest snapshot has a file where it has a directory; publish again.")


def _is_expected(name: str) -> bool:
    """Whether a snapshot may hold a file of this name: nothing is ever written elsewhere."""
    path = PurePosixPath(name)
    if path.as_posix() != name or path.is_absolute() or {"..", "."} & set(path.parts) or "\0" in name:
        return False
    if len(path.parts) > 20 or any(len(part.encode()) > 255 for part in path.parts):
        return False
    return name in (CATALOG, CONFIG) or (path.parts[0] == VECTORS and len(path.parts) > 1)
