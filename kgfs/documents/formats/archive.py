"""Zip files that documents are made of, opened with limits on what unpacking them may cost.

Used by the readers of DOCX, PPTX, XLSX and EPUB before any library sees the bytes; pure.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from kgfs.documents.formats.reading import BROKEN, RawFile, Unreadable

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SMALL = 16 * 1024 * 1024
"""Up to so much may be packed as tightly as it will: sheets of equal rows are."""
_ENCRYPTED = 0x1
MAX_MEMBERS = 50_000


def open_archive(source: RawFile) -> zipfile.ZipFile:
    """The file as a zip archive whose members may be unpacked.

    ``Unreadable`` where it is no zip file, asks for a password, or unpacks to more than ``max_unpacked_bytes`` or
    ``max_unpacked_ratio`` times its size (settings). What a member claims about its size holds: reading stops there.
    """
    data = source.data
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise Unreadable("It asks for a password")
        raise Unreadable("It is in an old Office format")
    if not data:
        raise Unreadable("It is empty")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, struct.error, ValueError, OSError, NotImplementedError) as error:
        raise Unreadable(BROKEN) from error
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise Unreadable(f"It holds {len(members):,} parts, more than the {MAX_MEMBERS:,} that are unpacked")
    if any(member.flag_bits & _ENCRYPTED for member in members):
        raise Unreadable("It asks for a password")
    gained = sum(max(0, member.file_size - member.compress_size) for member in members)
    most = source.config.max_unpacked_bytes
    if gained > most:
        raise Unreadable(f"It unpacks to {_size(gained)}, more than the {_size(most)} that are allowed")
    if gained > _SMALL and gained > source.config.max_unpacked_ratio * len(data):
        raise Unreadable(f"It unpacks to {gained // max(1, len(data)):,} times its size")
    return archive


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member. ``KeyError`` where there is none, ``Unreadable`` where it is damaged."""
    try:
        return archive.read(name)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,
        RuntimeError,
        struct.error,
    ) as error:
        raise Unreadable("It is broken or cut short") from error


def _size(count: int) -> str:
    return f"{count / (1 << 20):,.0f} MiB"
