"""Names of any bytes, written through a mount and added from the disk: every tool and every command copes with them."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Program, copy_store, mounting

pytestmark = [pytest.mark.mount, pytest.mark.timeout(600)]

TEXT = b"# Heading\n\nAnna Smith works for Google in Boston. See [[ok]].\n"
ODD = [
    b"x\xff.md",
    b"ok.md",
    b"line\nbreak\ttab\\.md",
    b"ce\xed\xb2\x80su.md",
    b"esc\x1b[31m\x80.md",
    b"l" * 252 + b".md",
    b"\xff" + b"m" * 251 + b".md",
    "e\u0301 \u202e\U0001f600.md".encode(),
    b"%FF%.md",
    b"bin\xfe.dat",
]


def odd_path(root: bytes) -> list[bytes]:
    """Every path beneath a directory, from it; an error of any listing fails the test."""
    found = []

    def broken(error: OSError) -> None:
        raise error

    for where, folders, files in os.walk(root, onerror=broken):
        found += [os.path.join(where, name) for name in (*folders, *files)]
    return found


@pytest.fixture(scope="module")
def odd(
    kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Path]]:
    """A mounted store with odd names on both drives: mount point and store."""
    place = tmp_path_factory.mktemp("odd")
    store = copy_store(pristine_light_store, place / "store")
    with mounting(kgfs, place) as mount:
        root = mount(store)
        write_odd(root, place)
        kgfs("--store", store, "add", place / "source", "--extractor", "offline")
        kgfs("--store", store, "wait")
        yield root, store


def write_odd(root: Path, home: Path) -> None:
    source = os.fsencode(home / "source")
    for place in (os.fsencode(root) + b"/notes", source, source + b"/sub\xff\nq"):
        os.makedirs(place, exist_ok=True)
        os.mkdir(place + b"/d\xfe")
        for name in [*ODD, b"d\xfe/in\xfd.md"]:
            Path(os.fsdecode(place + b"/" + name)).write_bytes(b"\0\1" if name.endswith(b".dat") else TEXT)


@pytest.mark.slow
def test_every_tool_walks_the_whole_mount(odd: tuple[Path, Path], tmp_path: Path) -> None:
    root, _ = odd
    paths = odd_path(os.fsencode(root))
    notes = {path.rpartition(b"/")[2] for path in paths if b"/context/agent/" in path}
    assert notes == {*ODD, b"d\xfe", b"in\xfd.md"}, notes
    links = 0
    for path in paths:
        status = os.lstat(path)
        if os.path.islink(path):
            target = os.readlink(path)
            assert len(target) == status.st_size and os.stat(path)
            links += os.path.basename(path).startswith(b"original")
        elif os.path.isfile(path):
            assert len(Path(os.fsdecode(path)).read_bytes()) == status.st_size
        for name in os.listxattr(path, follow_symlinks=False):
            os.getxattr(path, name, follow_symlinks=False)
    assert links >= 3 * len(ODD)
    listed = subprocess.run(["ls", "-lR", root], capture_output=True, check=False)
    assert (listed.returncode, listed.stderr) == (0, b"")
    packed = subprocess.run(["tar", "cf", tmp_path / "all.tar", "-C", root, "."], capture_output=True, check=False)
    assert (packed.returncode, packed.stderr) == (0, b"")
    with tarfile.open(tmp_path / "all.tar", errors="surrogateescape") as archive:
        assert len(archive.getnames()) == len(paths) + 1


@pytest.mark.slow  # tests/foundation/test_names.py says it of names alone
def test_slugs_are_names_that_can_be_typed(odd: tuple[Path, Path]) -> None:
    for name in os.listdir(odd[0] / "documents"):
        assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co", "Cs") for char in name), repr(name)


COMMANDS = [
    *(([command, place]) for command in ("ls", "tree", "find", "stat") for place in ("/", "notes", "documents")),
    ["ls", "-l", "context/agent"], ["ls", "entities/by_name"], ["find", "/", "-name", "*.md"],
    ["find", "/", "name=*ok*"], ["grep", "Google"], ["grep", "Google", "notes"], ["grep", "-l", "Google", "context"],
    ["search", "Google"], ["search", "--kind", "keyword", "heading"],
    ["sql", "SELECT * FROM documents"], ["sql", "--csv", "SELECT * FROM chunks"],
    ["sql", "--table", "SELECT * FROM context_items"], ["sql", "SELECT * FROM context_items"],
    ["context", "list"], ["context", "tree", "agent:/"], ["context", "grep", "Google"], ["context", "search", "Google"],
    ["context", "info", "agent:/ok.md"], ["context", "size", "agent:/"], ["context", "list", "--help"],
    ["status"], ["status", "--check"], ["fsck"], ["refresh", "--all", "--dry-run"], ["refresh", "--all"],
    ["entity", "show", "Google"],
]  # fmt: skip


@pytest.mark.slow
def test_every_command_prints(odd: tuple[Path, Path], kgfs: Program) -> None:
    root, store = odd
    for command in COMMANDS:
        kgfs("--store", store, *command)
        if command[0] != "sql" and "--help" not in command:
            for line in kgfs("--store", store, "--json", *command).stdout.splitlines():
                json.loads(line.encode("utf-8"))  # UTF-8 whatever the names are
    shown = kgfs("--store", store, "find", "notes").stdout
    assert all(f"notes/{os.fsdecode(name)}\n" in shown for name in ODD)
    assert kgfs("ls", "notes", cwd=root).stdout == kgfs("--store", store, "ls", "notes").stdout


@pytest.mark.slow
def test_a_name_leads_to_its_file_however_it_is_given(odd: tuple[Path, Path], kgfs: Program) -> None:
    root, store = odd
    at = ("--store", store)
    for name in [*ODD, b"d\xfe/in\xfd.md"]:
        text = os.fsdecode(name)
        if name.endswith(b".dat"):
            continue
        said = json.loads(kgfs(*at, "--json", "stat", root / "notes" / text).stdout.encode())
        ref = said["attributes"]["ref"]
        for given in (f"notes/{text}", f"/kg/notes/{text}", f"agent:/{text}", said["path"], ref, root / "notes" / text):
            assert kgfs(*at, "cat", given).stdout.encode() == TEXT
            assert kgfs(*at, "context", "read", given).stdout.encode() == TEXT
            assert json.loads(kgfs(*at, "--json", "context", "read", given).stdout.encode())["content"] == TEXT.decode()
        assert kgfs("cat", f"notes/{text}", cwd=root).stdout.encode() == TEXT
        kgfs(*at, "context", "history", f"agent:/{text}")
    missing = kgfs(*at, "--json", "cat", os.fsdecode(b"notes/no\xff"), status=3)
    assert "no\U0010ffff" in json.loads(missing.stderr.encode())["error"]["message"]
    (root / "@status/last_error.txt").read_bytes().decode()
    first = os.fsdecode(ODD[0])
    kgfs(*at, "context", "copy", f"agent:/{first}", f"agent:/copy-{first}")
    kgfs(*at, "context", "write", f"agent:/new-{first}", "--content", "text")
    kgfs(*at, "rm", f"agent:/copy-{first}")
    assert {name for name in os.listdir(os.fsencode(root / "notes")) if b"-x" in name} == {b"new-" + ODD[0]}


@pytest.mark.slow
def test_what_goes_out_is_whole(odd: tuple[Path, Path], kgfs: Program, tmp_path: Path) -> None:
    _, store = odd
    kgfs("--store", store, "export", "--tree", tmp_path / "tree")
    top = os.fsencode(tmp_path / "tree")
    for name in [*ODD, b"d\xfe/in\xfd.md"]:
        assert os.path.isfile(top + b"/context/agent/" + name)
    odd_path(top)
    kgfs("--store", store, "export", tmp_path / "bundle")
    kgfs("--store", tmp_path / "copy", "import", tmp_path / "bundle")
    kgfs("--store", store, "backup", tmp_path / "backup")
    kgfs("--store", tmp_path / "again", "restore", tmp_path / "backup")
    there = kgfs("--store", store, "find", "context").stdout
    for copy in ("copy", "again"):
        kgfs("--store", tmp_path / copy, "fsck")
        assert kgfs("--store", tmp_path / copy, "find", "context").stdout == there
