"""Keys as files: names and back, what is stored when, and what is refused and changes nothing."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.keys.key_names import beginning_of, key_of, names_of
from kgfs.agentfs.keys.key_value_files import KeyValueFiles
from kgfs.agentfs.keys.key_values import KeyValues
from kgfs.filesystem import RENAME_EXCHANGE, RENAME_NOREPLACE
from tests.posix_contract import InterfaceDoor, fails

KEYS = [
    "plain", "", ".", "..", "...", "a/b", "/", "//", "%", "%2F", "%25", "100%", "%empty", "a%", "\n", " ", "é", "\x01",
    "n" * 255, "n" * 256, "n" * 1000, "é" * 400, "%" * 300, "/" * 5000, "n" * 240 + ".", "n" * 240 + "..", ".hidden",
    "user:42", "agent/run/7/state", "🙂" * 100,
]  # fmt: skip


@given(st.one_of(st.sampled_from(KEYS), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_each_key_has_names_and_each_names_one_key(key: str) -> None:
    names = names_of(key)
    assert key_of(names) == key
    for name in names:
        assert 0 < len(name) <= 255
        assert name not in (b".", b"..")
        assert b"/" not in name
        assert b"\0" not in name
    assert all(name.endswith(b"%") for name in names[:-1])
    assert not names[-1].endswith(b"%")
    for depth in range(1, len(names)):
        assert key.startswith(beginning_of(names[:depth]))


@pytest.mark.parametrize("name", [b"%41", b"a%", b"%", b"%2f", b"a%zz", b"\xff", b"%2E%2E%2E", b"a%empty", b"n" * 256])
def test_no_key_has_a_second_name(name: bytes) -> None:
    with pytest.raises(ValueError):
        key_of([name])


@pytest.fixture
def database(tmp_path: Path) -> Iterator[AgentDatabase]:
    with AgentDatabase(tmp_path / "agent.db") as opened:
        yield opened


@pytest.fixture
def values(database: AgentDatabase) -> KeyValues:
    return KeyValues(database)


@pytest.fixture
def door(database: AgentDatabase) -> InterfaceDoor:
    return InterfaceDoor(KeyValueFiles(database))


def put(door: InterfaceDoor, path: bytes, *pieces: bytes, flags: int = os.O_CREAT | os.O_TRUNC | os.O_RDWR) -> None:
    fd = door.open(path, flags)
    try:
        at = 0
        for piece in pieces:
            at += door.write(fd, at, piece)
    finally:
        door.close(fd)


def body(door: InterfaceDoor, path: bytes) -> bytes:
    fd = door.open(path, os.O_RDONLY)
    try:
        return door.read(fd, 0, 1 << 20)
    finally:
        door.close(fd)


def test_values_are_the_bytes_of_files(door: InterfaceDoor, values: KeyValues) -> None:
    for value in (b'{"a": [1, 2.50, "\\u00e9"]}\n', b"1", b" null ", '"é"'.encode(), b"[" + b"1," * 9999 + b"1]"):
        put(door, b"key", value[:3], value[3:])
        assert values.get("key").value.encode() == value == body(door, b"key")
        assert door.lstat(b"key").size == len(value)
        assert door.lstat(b"key").mtime_ns == values.get("key").updated_at * 10**9
    values.set("key", '"from elsewhere"')
    assert body(door, b"key") == b'"from elsewhere"'
    assert door.lstat(b"key").mode == stat.S_IFREG | 0o644
    door.unlink(b"key")
    assert values.list() == []
    fails(errno.ENOENT, door.lstat, b"key")
    fails(errno.ENOENT, door.unlink, b"key")


def test_what_is_no_json_changes_nothing(door: InterfaceDoor, values: KeyValues) -> None:
    put(door, b"key", b"[1]")
    for value in (b"{", b"text", b"[1] [2]", b"NaN", b"\xff", b"\0", b"[" * 100_000):
        fd = door.open(b"key", os.O_TRUNC | os.O_RDWR)
        door.write(fd, 0, value)
        fails(errno.EINVAL, door.fsync, fd)
        with pytest.raises(OSError) as caught:
            door.close(fd)
        assert caught.value.errno == errno.EINVAL
        door.file_system.release(door.lstat(b"key").ino)
        assert values.get("key").value == "[1]"
        assert body(door, b"key") == b"[1]"
        fd = door.open(b"new", os.O_CREAT | os.O_RDWR)
        ino = door.fstat(fd).ino
        door.write(fd, 0, value)
        with pytest.raises(OSError):
            door.close(fd)
        assert door.listdir(b"") == [b"key", b"new"]
        door.file_system.release(ino)
        assert door.listdir(b"") == [b"key"]
    fails(errno.EINVAL, door.truncate, b"key", 2)
    fails(errno.EFBIG, door.truncate, b"key", 1 << 30)
    assert body(door, b"key") == b"[1]"
    # What is opened, cut and left empty, as a shell does before it writes.
    put(door, b"key")
    put(door, b"new")
    assert (door.listdir(b""), body(door, b"key")) == ([b"key"], b"[1]")


def test_several_who_have_it_open_see_one_value(door: InterfaceDoor, values: KeyValues) -> None:
    put(door, b"key", b"[1, 2]")
    one, other = door.open(b"key", os.O_RDWR), door.open(b"key", os.O_RDWR)
    door.write(one, 1, b"7")
    assert door.read(other, 0, 10) == b"[7, 2]"
    assert values.get("key").value == "[1, 2]"
    door.fsync(other)
    assert values.get("key").value == "[7, 2]"
    door.unlink(b"key")
    door.write(one, 1, b"8")
    assert door.read(other, 0, 10) == b"[8, 2]"
    assert door.fstat(one).nlink == 0
    door.close(one)
    door.close(other)
    assert values.list() == []


def test_renames_are_one_step(door: InterfaceDoor, values: KeyValues) -> None:
    put(door, b"key", b"[1]")
    created = values.get("key").created_at
    put(door, b"key.tmp", b"[2]")
    reader = door.open(b"key", os.O_RDONLY)
    door.rename(b"key.tmp", b"key")
    assert door.read(reader, 0, 9) == b"[1]"
    door.close(reader)
    assert [(one.key, one.value, one.created_at) for one in values.list()] == [("key", "[2]", created)]
    put(door, b"b%2Fc", b"3")
    fails(errno.EEXIST, door.rename, b"key", b"b%2Fc", RENAME_NOREPLACE)
    door.rename(b"key", b"b%2Fc", RENAME_EXCHANGE)
    assert [(one.key, one.value) for one in values.list()] == [("b/c", "[2]"), ("key", "3")]
    fails(errno.EINVAL, door.rename, b"key", b"%41")
    fails(errno.ENOENT, door.rename, b"missing", b"key")
    fd = door.open(b"key", os.O_RDWR)
    door.write(fd, 0, b"no json")
    fails(errno.EINVAL, door.rename, b"key", b"other")
    door.write(fd, 0, b"  12345")
    door.rename(b"key", b"other")
    door.write(fd, 6, b"9")
    door.close(fd)
    assert [(one.key, one.value) for one in values.list()] == [("b/c", "[2]"), ("other", "  12349")]


@pytest.mark.slow
def test_keys_of_all_kinds(door: InterfaceDoor, values: KeyValues) -> None:
    for number, key in enumerate(KEYS):
        if number % 2:
            values.set(key, str(number))
            continue
        names = names_of(key)
        for depth in range(1, len(names)):
            if b"/".join(names[:depth]) not in seen(door):
                door.mkdir(b"/".join(names[:depth]))
        put(door, b"/".join(names), str(number).encode())
    assert [one.key for one in values.list()] == sorted(KEYS, key=str.encode)
    files = {path for path in seen(door) if not path.endswith(b"%")}
    assert files == {b"/".join(names_of(key)) for key in KEYS}
    for number, key in enumerate(KEYS):
        assert body(door, b"/".join(names_of(key))) == str(number).encode()
        door.unlink(b"/".join(names_of(key)))
    assert values.list() == []
    for path in sorted(seen(door), reverse=True):
        door.rmdir(path)
    assert door.listdir(b"") == []


def seen(door: InterfaceDoor, top: bytes = b"") -> set[bytes]:
    found: set[bytes] = set()
    for name in door.listdir(top):
        path = top + b"/" + name if top else name
        found.add(path)
        if stat.S_ISDIR(door.lstat(path).mode):
            found |= seen(door, path)
    return found


def test_other_things_than_keys_are_refused(door: InterfaceDoor) -> None:
    put(door, b"key", b"1")
    fails(errno.EPERM, door.mkdir, b"d")
    fails(errno.EPERM, door.symlink, b"x", b"l")
    fails(errno.EPERM, door.link, b"key", b"l")
    fails(errno.EPERM, door.mknod, b"p", stat.S_IFIFO | 0o600)
    fails(errno.EINVAL, put, door, b"%41", b"1")
    fails(errno.EINVAL, put, door, b"\xff", b"1")
    fails(errno.ENOENT, door.lstat, b"%41")
    fails(errno.ENOTDIR, door.lstat, b"key/x")
    fails(errno.ENOTDIR, door.listdir, b"key")
    fails(errno.EOPNOTSUPP, door.setxattr, b"key", b"user.x", b"1")
    assert door.listxattr(b"key") == []
    fails(errno.EPERM, door.chown, b"key", os.getuid() + 1, -1)
    door.chmod(b"key", 0o600)
    assert stat.S_IMODE(door.lstat(b"key").mode) == 0o644
    door.utime(b"key", 5 * 10**9, 1_234_567_890 * 10**9)
    assert door.lstat(b"key").mtime_ns == 1_234_567_890 * 10**9
