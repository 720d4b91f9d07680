"""The file tools that change a file: a whole one, or a text in it.

Used by ``kgfs.agent.file_tools`` and the editor. A file of the workspace, of an added directory or of ``/tmp`` is
replaced in one step by a renamed one. Elsewhere on the mount it is written in place, for there closing it is the one
step, and what was there before is kept as a version of the same file.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator

from kgfs.agent.opening import open_beneath, opened_again
from kgfs.agent.places import PathTarget, Places
from kgfs.agent.reading import WHOLE_BYTES
from kgfs.errors import ChangedError, ExistsError, NotFoundError, TooLarge
from kgfs.tools.outcome import BadArguments, Hinted, NoTextContent, Value, call_text, done

_WORKSPACE = "workspace"
_LINES_NAMED = 10


def write_file(places: Places, path: str, content: str, overwrite: bool = False) -> Value:
    """Write a whole file, with its parents; one that is there only with ``overwrite``."""
    body = _encoded(content)
    try:
        with places.new_file(path) as made:
            _write(places, path, made, body)
    except FileExistsError:
        return _written_over(places, path, body, overwrite)
    with places.at(path) as one:
        return done(path=places.roots.shown(one.location), bytes=len(body), created=True)


def edit_file(places: Places, path: str, old_string: str, new_string: str, replace_all: bool = False) -> Value:
    """Replace a text by another one: the only place where it stands, or with ``replace_all`` each."""
    if not old_string:
        raise BadArguments("old_string is empty; to write a whole file use write_file.")
    if old_string == new_string:
        raise BadArguments("old_string and new_string are the same; nothing would change.")
    old, new = _encoded(old_string), _encoded(new_string)
    first = 0

    def edited(body: bytes, shown: str) -> bytes:
        nonlocal first
        count = body.count(old)
        if not count:
            ends = " Its lines end with \\r\\n, which old_string must have too." if b"\r\n" in body else ""
            raise Hinted(
                NotFoundError(f"old_string is not in {shown}."),
                f"Copy it exactly, with its spaces, from {call_text('read_file', path=shown)}.{ends}",
            )
        if count > 1 and not replace_all:
            lines = ", ".join(map(str, _lines_of(body, old)))
            raise Hinted(
                ExistsError(f"old_string stands {count} times in {shown}, in lines {lines}."),
                "Add lines around it to name one place, or pass replace_all:true.",
            )
        first = body[: body.index(old)].count(b"\n") + 1
        return body.replace(old, new)

    value = change_file(places, path, edited)
    replaced = value.pop("before").count(old)
    return {**value, "replaced": replaced, "first_line": first}


def change_file(places: Places, path: str, edited: Callable[[bytes, str], bytes]) -> Value:
    """Replace a text file by what a function makes of its body. The value has the body ``before``."""
    with places.file(path) as (opened, one):
        shown = places.roots.shown(one.location)
        with places.translated(path):
            body = _whole(opened, shown)
        changed = edited(body, shown)
        _replace(places, path, one, changed)
    return done(path=shown, bytes=len(changed), before=body)


def _encoded(text: str) -> bytes:
    try:
        body = text.encode()
    except UnicodeEncodeError:
        raise BadArguments("The text has half of a surrogate pair; write it in UTF-8.") from None
    if len(body) > WHOLE_BYTES:
        raise TooLarge("The text is longer than 16 MiB; make the file by execute.")
    return body


def _written_over(places: Places, path: str, body: bytes, overwrite: bool) -> Value:
    try:
        with places.at(path) as one:
            places.require_file(path, one)
            shown = places.roots.shown(one.location)
            if not overwrite:
                raise Hinted(
                    ExistsError(f"{shown} exists."), "Use edit_file to change it, or pass overwrite:true to replace it."
                )
            _replace(places, path, one, body)
            return done(path=shown, bytes=len(body), created=False)
    except Hinted as raised:
        if not isinstance(raised.error, NotFoundError):
            raise
    # A link to a file that is not there: the file is made, as the shell does.
    with places.translated(path), places.shell.root() as root:
        made = open_beneath(root, places.roots.absolute(path), os.O_CREAT | os.O_WRONLY, 0o666)
        with _closing(made):
            _write(places, path, made, body)
    with places.at(path) as one:
        return done(path=places.roots.shown(one.location), bytes=len(body), created=True)


def _whole(opened: int, shown: str) -> bytes:
    with os.fdopen(os.dup(opened), "rb") as file:
        body = file.read(WHOLE_BYTES + 1)
    if len(body) > WHOLE_BYTES:
        raise TooLarge(f"{shown} is larger than 16 MiB; change it by execute, with sed.")
    if b"\0" in body[:8192]:
        raise Hinted(
            NoTextContent(f"{shown} is binary."), "Change it by execute, with a program that knows its format."
        )
    return body


def _lines_of(body: bytes, text: bytes) -> Iterator[int]:
    place = -1
    for _ in range(_LINES_NAMED):
        if (place := body.find(text, place + 1)) < 0:
            return
        yield body.count(b"\n", 0, place) + 1


def _replace(places: Places, path: str, one: PathTarget, body: bytes) -> None:
    """Give a file a new body, all of it or nothing."""
    with places.translated(path):
        now = os.fstat(one.file)
        if (now.st_mtime_ns, now.st_size) != (one.status.st_mtime_ns, one.status.st_size):
            raise ChangedError(f"{path} was changed meanwhile.")
        place = places.roots.place
        workspace = one.location.startswith(f"{place}/{_WORKSPACE}/")
        if (workspace or not one.location.startswith(f"{place}/")) and _replaceable(one):
            with contextlib.suppress(PermissionError):  # the directory may not be changed, but the file may
                return _rename_over(places, one, body)
        with _closing(opened_again(one.file, os.O_WRONLY | os.O_TRUNC)) as opened:
            _write(places, path, opened, body)


def _replaceable(one: PathTarget) -> bool:
    """Whether another file may take its place: nobody has it by another name, and it has nothing but a body."""
    attributes = os.listxattr(f"/proc/self/fd/{one.file}")
    return one.status.st_nlink == 1 and one.status.st_uid == os.geteuid() and not attributes


def _rename_over(places: Places, one: PathTarget, body: bytes) -> None:
    folder, _, name = one.location.rpartition("/")
    temporary = f".{secrets.token_hex(8)}.tmp"
    with places.shell.root() as root, _closing(open_beneath(root, folder or "/", os.O_RDONLY | os.O_DIRECTORY)) as at:
        probe = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=at)
        with _closing(probe):
            if not os.path.samestat(os.fstat(probe), one.status):
                raise ChangedError(f"{one.location} was changed meanwhile.")
        # Opened to be written, as the kernel would have it where the file is written in place.
        os.close(opened_again(one.file, os.O_WRONLY))
        made = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=at)
        try:
            with _closing(made):
                _all_of(made, body)
                os.fchmod(made, one.status.st_mode & 0o7777)
            os.rename(temporary, name, src_dir_fd=at, dst_dir_fd=at)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=at)
            raise


def _write(places: Places, path: str, opened: int, body: bytes) -> None:
    """Write to a new file. What is refused only in the end is told by a duplicate: the last close tells nobody."""
    with places.translated(path):
        _all_of(opened, body)
        os.close(os.dup(opened))


def _all_of(opened: int, body: bytes) -> None:
    left = memoryview(body)
    while left:
        left = left[os.write(opened, left) :]


@contextlib.contextmanager
def _closing(opened: int) -> Iterator[int]:
    try:
        yield opened
    finally:
        os.close(opened)
