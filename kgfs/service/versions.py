"""What files held before: listed, compared, written back, erased (``kgfs context history``, ``kgfs rm --purge``).

Used by the control socket's requests, on their threads. A file need not be there any more: history survives a removal.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kgfs.drives.gate import Gate, Mutation
from kgfs.errors import NotFoundError, TooLarge
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import history, items
from kgfs.store.files.history import Version
from kgfs.store.files.items import DIRECTORY
from kgfs.store.llm import llm_uses

if TYPE_CHECKING:
    from kgfs.drives.files_by_path import FilesByPath

MOST_BYTES = 4 * 1024 * 1024
"""Texts beyond this are not compared: that would take minutes."""


class Versions:
    """The versions of one store's files."""

    def __init__(self, gate: Gate, files_by_path: Callable[[], FilesByPath]) -> None:
        """``files_by_path`` is asked for only where something is written."""
        self._gate, self._database, self._files_by_path = gate, gate.database, files_by_path

    def listed(self, drive: str, path: str) -> list[dict[str, Any]]:
        """The versions of a file, oldest first; of a directory those of all files beneath. ``NotFoundError`` where
        nothing is and nothing was."""
        ref = items.ref(drive, path)
        with self._database.read(snapshot=True) as cursor:
            found = history.versions(cursor, ref)
            if not found:
                found = history.versions_beneath(cursor, ref.rstrip("/") + "/")
            if not found and _kind(cursor, drive, path) is None:
                raise NotFoundError(
                    f"There is nothing at {ref}, and nothing was; `kgfs context list` shows the drives."
                )
        return [_told(version) for version in found]

    def compared(self, drive: str, path: str, number: int | None, other: int | None) -> tuple[dict[str, Any], bytes]:
        """What is to be said of a version (the newest) and what the file holds now, or another version; and their
        unified diff. ``NotFoundError``; ``TooLarge`` above ``MOST_BYTES``."""
        ref = items.ref(drive, path)
        with self._database.read(snapshot=True) as cursor:
            old = _version(cursor, ref, number)
            new = None if other is None else _version(cursor, ref, other)
            before = _body(cursor, old)
            after = _present(cursor, ref) if new is None else _body(cursor, new)
        labels = (f"{ref} {old.number}", ref if new is None else f"{ref} {new.number}")
        texts = items.text_of(before), items.text_of(after)
        same = before == after
        answer = {"ref": ref, "number": old.number, "other": other, "same": same, "binary": None in texts}
        if texts[0] is None or texts[1] is None:
            return {**answer, "sizes": [len(before), len(after)]}, b""
        dates = (_time(old.mtime_us), "" if new is None else _time(new.mtime_us))
        return answer, "".join(_unified(texts[0], texts[1], labels, dates)).encode()

    def restored(self, drive: str, path: str, number: int) -> dict[str, Any]:
        """Write a version back; what the file holds becomes a version."""
        ref = items.ref(drive, path)
        with self._database.read(snapshot=True) as cursor:
            version = _version(cursor, ref, number)
        self._files_by_path().restore(drive, path, version.number)
        return {"ref": ref, "number": version.number, "size": version.size}

    def remove(self, drive: str, path: str, *, recursive: bool, purge: bool) -> int:
        """Remove what was written here; returns how many files went. With ``purge``, which takes the history too, none
        need be left. ``NotFoundError``; what ``FilesByPath.remove`` raises."""
        try:
            return self._files_by_path().remove(drive, path, recursive=recursive, purge=purge)
        except NotFoundError:
            if purge and self.known(drive, path, recursive):
                return 0
            raise

    def purged(self, drive: str, path: str, recursive: bool) -> int:
        """Erase the history of a file, or with ``recursive`` of all beneath a directory; returns how many versions
        went."""
        ref = items.ref(drive, path)
        if not self.known(drive, path, recursive):
            return 0
        return self._gate.commit(
            Mutation(operation="purge", refs=(ref,)),
            lambda cursor: history.purge_history(cursor, _refs(cursor, ref, recursive)),
        )

    def answers_left(self) -> bool:
        """Whether there are answers of language models about documents that are gone."""
        with self._database.read() as cursor:
            return llm_uses.any_gone(cursor)

    def answers_purged(self) -> int:
        """Erase what language models answered about documents that are gone; returns how many answers went."""
        return self._gate.commit(Mutation(operation="purge", refs=()), llm_uses.purge_answers)

    def known(self, drive: str, path: str, recursive: bool) -> bool:
        """Whether a file, or with ``recursive`` anything beneath a directory, has versions."""
        with self._database.read() as cursor:
            return any(history.versions(cursor, ref) for ref in _refs(cursor, items.ref(drive, path), recursive))


def _refs(cursor: Cursor, ref: str, recursive: bool) -> list[str]:
    return [ref, *(history.refs_with_versions(cursor, ref.rstrip("/") + "/") if recursive else ())]


# --- parts ----------------------------------------------------------------------------------------------------------


def _kind(cursor: Cursor, drive: str, path: str) -> str | None:
    found = items.items_beneath(cursor, drive, path)
    return (found[0].mime_type if found[0].path == path else DIRECTORY) if found else None


def _version(cursor: Cursor, ref: str, number: int | None) -> Version:
    """The version of this number, or the newest. ``NotFoundError`` says which there are."""
    found = history.versions(cursor, ref)
    if not found:
        raise NotFoundError(f"{ref} has no versions: nothing was written over there, or it is too long ago.")
    if number is None:
        return found[-1]
    for version in found:
        if version.number == number:
            return version
    known = f"{found[0].number} to {found[-1].number}" if len(found) > 1 else f"{found[0].number} only"
    raise NotFoundError(f"{ref} has no version {number}; there is {known}.")


def _body(cursor: Cursor, version: Version) -> bytes:
    _require_small(version.ref, version.size)
    return history.read_version(cursor, version.id) or b""


def _present(cursor: Cursor, ref: str) -> bytes:
    item = items.find_item(cursor, ref)
    if item is None or item.mime_type == DIRECTORY:
        raise NotFoundError(f"{ref} is not there now; name two versions to compare, or `kgfs context restore` one.")
    _require_small(ref, item.size)
    return items.read_item(cursor, item.id) or b""


def _require_small(ref: str, size: int) -> None:
    if size > MOST_BYTES:
        raise TooLarge(
            f"{ref} is too large to be compared here; `diff` takes the files of @history beside it on the mount."
        )


def _told(version: Version) -> dict[str, Any]:
    return {
        "ref": version.ref,
        "number": version.number,
        "size": version.size,
        "written": _time(version.mtime_us),
        "replaced": _time(version.replaced_us),
        "mime_type": version.mime_type,
        "is_textual": version.is_textual,
        "hash": version.hash,
    }


def _time(moment: int) -> str:
    """Microseconds since 1970 as RFC 3339."""
    return datetime.fromtimestamp(moment / 1e6, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _unified(before: str, after: str, labels: Sequence[str], dates: Sequence[str]) -> Iterator[str]:
    """As ``diff -u``: lines end where ``\\n`` is, nowhere else."""
    lines = difflib.unified_diff(_lines(before), _lines(after), labels[0], labels[1], dates[0], dates[1])
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
