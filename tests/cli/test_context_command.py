"""``kgfs context`` and ``kgfs tools``: with a daemon and without, what is printed, JSON, exit statuses, every PATH."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs.cli.agents.context import SUBCOMMANDS
from kgfs.cli.agents.context_output import hint
from kgfs.tools.registry import TOOLS
from tests.cli.test_reference import HEAVY, imported
from tests.conftest import Program, mounting

WRITERS = ("write", "edit", "delete", "copy", "move")


def quick(arguments: tuple[str | Path, ...]) -> tuple[str | Path, ...]:
    """The same without indexing, which has a test of its own."""
    return (*arguments, "--no-index") if arguments[0] in WRITERS and "--help" not in arguments else arguments


class Store:
    """A small store, mounted or not."""

    def __init__(self, kgfs: Program, store: Path, mount: Path | None) -> None:
        self._kgfs, self.store, self.mount = kgfs, store, mount

    def __call__(self, *arguments: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
        return self._kgfs("--store", self.store, "context", *quick(arguments), **more)

    def value(self, *arguments: str | Path, status: int = 0, input: str | None = None) -> dict[str, Any]:
        """The one object that ``--json`` prints."""
        done = self._kgfs("--store", self.store, "--json", "context", *quick(arguments), status=status, input=input)
        (line,) = done.stdout.splitlines()
        value: dict[str, Any] = json.loads(line)
        assert value["is_error"] is (status != 0 and arguments[0] != "exists") and not done.stderr, done
        return value


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("added") / "Vault"
    place.mkdir()
    (place / "readme.md").write_text("# Read me\n\nWages in Boston rise.\n")
    (place / "guide.md").write_text("one\ntwo\nthree")
    (place / "blob.bin").write_bytes(b"\0\1\2")
    return place


@pytest.fixture(scope="module", params=["alone", pytest.param("daemon", marks=pytest.mark.mount)])
def context(
    request: pytest.FixtureRequest, kgfs: Program, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    directory = tmp_path_factory.mktemp(request.param)
    kgfs("--store", directory / "store", "add", "--extractor", "none", folder, timeout=600)
    with mounting(kgfs, directory) as mount_here:
        mount = mount_here(directory / "store") if request.param == "daemon" else None
        yield Store(kgfs, directory / "store", mount)


def test_drives_and_trees(context: Store, folder: Path) -> None:
    drives = {each["drive"]: each for each in context.value("list")["drives"]}
    assert drives["disk"]["count"] == 3 and not drives["disk"]["writable"] and drives["agent"]["writable"]
    lines = context("list").stdout.splitlines()
    assert any(line.startswith("disk:/") and "3 files" in line for line in lines)
    assert any(line.startswith("agent:/") and line.endswith("can be written") for line in lines)
    shown = context("tree", f"disk:{folder}").stdout
    assert shown == (
        f"disk:{folder}/\n├── blob.bin  3 B\n├── guide.md  13 B\n└── readme.md  33 B\n\n0 directories, 3 files, 49 B\n"
    )
    assert context("tree").stdout == context("list").stdout
    assert context("tree", "sources/Vault").stdout == shown
    assert context("size", f"disk:{folder}").stdout == f"49 B  3 files  disk:{folder}\n"


def test_reading_by_every_name(context: Store, folder: Path) -> None:
    number = context.value("info", f"disk:{folder}/guide.md")["file"]["id"]
    names = [f"disk:{folder}/guide.md", f"context/disk{folder}/guide.md", f"/kg/context/disk{folder}/guide.md"]
    names += ["sources/Vault/guide.md", "documents/guide", "guide", number, str(folder / "guide.md")]
    if context.mount is not None:
        names.append(str(context.mount / "sources" / "Vault" / "guide.md"))
    for name in names:
        assert context("read", name).stdout == "one\ntwo\nthree", name
    assert context("read", names[0], "--offset", "2", "--limit", "1").stdout == "two\n"
    assert context("count-lines", names[0]).stdout == "3\n"
    shown = context("info", names[0]).stdout
    assert f"ref         disk:{folder}/guide.md\n" in shown and "lines       3\n" in shown
    assert context.value("read", names[0], "--limit", "1")["content"] == "one\n"


def test_writing_and_editing(context: Store) -> None:
    said = context("write", "notes/new/a.md", input="one\ntwo\n").stdout
    assert said.startswith("Wrote agent:/new/a.md, 8 B; ")
    assert ("within seconds" in said) is (context.mount is not None)
    conflict = context("write", "agent:/new/a.md", "--content", "x", status=4)
    assert conflict.stderr == (
        "kgfs: There is an item at agent:/new/a.md already; nothing was written. Pass --overwrite to replace it"
        " (its versions are kept), or run `kgfs context read agent:/new/a.md` first.\n"
    )
    if context.mount is not None:
        assert (context.mount / "notes" / "new" / "a.md").read_text() == "one\ntwo\n"
    patches = json.dumps([{"start_line": 2, "end_line": 0, "content": "between"}])
    assert context("edit", "notes/new/a.md", input=patches).stdout == (
        "Applied 1 patch to agent:/new/a.md, which has 3 lines now.\n"
    )
    assert context("read", "notes/new/a.md").stdout == "one\nbetween\ntwo\n"
    bad = context.value("edit", "notes/new/a.md", "--patches", patches.replace("2", "9"), status=2)
    assert bad["error_type"] == "bad_patch"
    assert "not JSON" in context("edit", "notes/new/a.md", "--patches", "{", status=2).stderr
    context("write", "notes/new/a.md", "--content", "new\n", "--overwrite")
    assert context("read", "notes/new/a.md").stdout == "new\n"
    if context.mount is not None:
        assert (context.mount / "notes" / "new" / "a.md").read_text() == "new\n"


def test_bytes_that_are_no_text(context: Store, tmp_path: Path) -> None:
    file = tmp_path / "some.bin"
    file.write_bytes(bytes(range(256)) * 8000)
    assert "searchable" not in context("write", "notes/some.bin", "--file", file, "--overwrite").stdout
    assert context.value("info", "notes/some.bin")["file"]["size"] == 2_048_000
    assert "holds no text" in context("read", "notes/some.bin", status=1).stderr
    if context.mount is not None:
        assert (context.mount / "notes" / "some.bin").read_bytes() == file.read_bytes()
    long = tmp_path / "long.txt"
    long.write_text("".join(f"line {number}\n" for number in range(250_000)))
    context("write", "notes/long.txt", "--file", long, "--overwrite")
    assert context("read", "notes/long.txt").stdout == long.read_text()
    assert context("read", "notes/long.txt", "--offset", "200000", "--limit", "2").stdout == (
        "line 199999\nline 200000\n"
    )
    value = context.value("read", "notes/long.txt")
    assert value["truncated"] and value["next_offset"] == value["end_line"] + 1
    big = tmp_path / "big"
    big.write_bytes(b"x" * (12 << 20))
    assert "MiB" in context("write", "notes/big", "--file", big, status=1).stderr
    context("delete", "notes/some.bin")
    context("delete", "notes/long.txt")


def test_moving_and_deleting(context: Store, folder: Path) -> None:
    context("mkdir", "notes/box/inner")
    assert context("mkdir", "notes/box/inner").stdout == "agent:/box/inner was there already.\n"
    context("copy", f"disk:{folder}/blob.bin", "notes/box/")
    assert context("move", "notes/box/blob.bin", "notes/box/inner/b.bin").stdout == (
        "Moved agent:/box/blob.bin to agent:/box/inner/b.bin.\n"
    )
    assert context("exists", "notes/box/blob.bin", status=3).stdout == "Nothing is at agent:/box/blob.bin.\n"
    assert context.value("exists", "notes/box/inner/b.bin")["kind"] == "file"
    refused = context("delete", "notes/box", status=2).stderr
    assert "Run `kgfs context delete agent:/box -r` to delete it with all beneath it." in refused
    context("delete", "-r", "notes/box")
    assert context("delete", "notes/box", status=3).stderr.startswith("kgfs: No context item at agent:/box. ")
    assert context.value("move", f"disk:{folder}/blob.bin", "notes/b", status=1)["error_type"] == "read_only"


def test_failures_say_what_to_do(context: Store, folder: Path) -> None:
    missing = context("read", f"disk:{folder}/gide.md", status=3).stderr
    assert missing == (
        f"kgfs: No context item at disk:{folder}/gide.md. Nearby items under disk:{folder}: disk:{folder}/guide.md,"
        f" disk:{folder}/readme.md, disk:{folder}/blob.bin. Run `kgfs context tree disk:{folder}` to see more.\n"
    )
    value = context.value("read", f"disk:{folder}/gide.md", status=3)
    assert set(value) == {"is_error", "error_type", "message", "next_action_hint"}
    assert value["next_action_hint"].endswith(f'Call context_tree({{drive:"disk",path:"{folder}"}}) to see more.')
    assert "write notes/entities/x or agent:/entities/x" in context("write", "entities/x", status=2, input="").stderr
    assert context("read", "nothing-of-this-name", status=3).stderr.startswith("kgfs: nothing-of-this-name: no such")
    assert context("read", "entities", status=2).stderr
    assert context("write", f"disk:{folder}/new.md", "--content", "x", status=1).stderr.startswith("kgfs: ")
    assert context("grep", "(", status=2).stderr.startswith("kgfs: grep refuses the pattern")
    assert context("refresh", "notes", status=2).stderr
    both = context("write", "notes/x", "--content", "x", "--file", "y", status=2)
    assert both.stderr == "kgfs: Give --content or --file, not both.\n"


@pytest.mark.parametrize(
    ("arguments", "status", "kind"),
    [
        (("edit", "agent:/x.md", "--patches", "[{"), 2, "bad_arguments"),
        (("edit", "agent:/x.md", "--patches", ""), 2, "bad_arguments"),
        (("edit", "agent:/x.md", "--patches", "\udcff"), 2, "bad_arguments"),
        (("edit", "agent:/x.md", "--patches", '[{"start_line": 1}]'), 2, "bad_arguments"),
        (("edit", "agent:/x.md", "--patches", '"x"'), 2, "bad_arguments"),
        (("edit", "agent:/x.md", "--patches", "null"), 2, "bad_arguments"),
        (("write", "agent:/x.md", "--content", "x", "--file", "y"), 2, "bad_arguments"),
        (("write", "agent:/x.md", "--file", "/nowhere/at/all"), 1, "failed"),
        (("read", "agent:/x.md", "--offset", "none"), 2, "bad_arguments"),
        (("read",), 2, "bad_arguments"),
        (("read", "agent:/x.md", "--what"), 2, "bad_arguments"),
        (("search", " "), 2, "bad_query"),
        (("prompt", " "), 2, "bad_arguments"),
        (("nothing",), 2, "bad_arguments"),
    ],
)
def test_failures_are_values(context: Store, arguments: tuple[str, ...], status: int, kind: str) -> None:
    """One JSON object on standard output, wherever the failure was noticed; the same exit status as without --json."""
    value = context.value(*arguments, status=status)
    assert value["is_error"] and value["error_type"] == kind and value["message"].endswith(".")
    assert value["next_action_hint"]
    assert context(*arguments, status=status).stderr.startswith("kgfs: ")


def test_a_path_on_a_drive_begins_with_a_slash(context: Store) -> None:
    for path in ("disk:notes/a.md", "agent:a.md", "disk:../a.md", "disk: x/y"):
        value = context.value("read", path, status=2)
        drive, _, rest = path.partition(":")
        assert f"write {drive}:/{rest.strip()}" in value["message"], value
        assert "notes/disk:" not in value["message"] and "agent:/disk:" not in value["message"]


def test_advice_makes_sense(context: Store) -> None:
    """What is advised has no `..`, and the drive that is written to is there before anything was written."""
    value = context.value("read", "../../etc/passwd", status=2)
    assert "notes/../" not in value["message"] and "agent:/.." not in value["message"]
    value = context.value("info", "agent:/nothing/of/this/name", status=3)
    assert "There is no drive agent" not in value["next_action_hint"]


def test_searching(context: Store, folder: Path) -> None:
    assert context("grep", "wages", "-i").stdout == f"disk:{folder}/readme.md:3:Wages in Boston rise.\n"
    assert context("grep", "no such line").stdout == ""
    assert context.value("grep", "one", f"disk:{folder}", "--glob", "*.md")["total"] == 1
    found = context.value("search", "wages", "in", "Boston", "--kind", "keyword")
    assert found["results"][0]["ref"] == f"disk:{folder}/readme.md" and found["mode"] == "keyword"
    assert context("search", "wages", "--kind", "keyword", "--in", "sources/Vault").stdout.startswith(
        f"disk:{folder}/readme.md:"
    )
    assert context.value("search", "wages", "--kind", "keyword", "--in", "notes")["results"] == []


def test_refreshing(context: Store, folder: Path) -> None:
    (folder / "late.md").write_text("# Late\n\nCame later.\n")
    try:
        assert context.value("refresh", f"disk:{folder}")["sources"][0]["name"] == "Vault"
        assert context("read", f"disk:{folder}/late.md").stdout == "# Late\n\nCame later.\n"
    finally:
        (folder / "late.md").unlink()
    context.value("exists", f"disk:{folder}/late.md")


@pytest.mark.mount
def test_what_is_written_is_found(context: Store) -> None:
    if context.mount is None:
        pytest.skip("without a daemon nothing is indexed in the background")
    context("write", "notes/zeppelin.md", "--content", "# Airships\n\nThe zeppelin lands.\n", "--overwrite")
    deadline = time.monotonic() + 60
    while not context.value("search", "zeppelin", "--kind", "keyword")["results"]:
        assert time.monotonic() < deadline
        time.sleep(0.5)


def test_a_start_is_light(context: Store, tmp_path: Path) -> None:
    if context.mount is not None:
        heavy = imported(["--store", str(context.store), "context", "list"], tmp_path) & set(HEAVY)
        assert not heavy
    assert not imported(["context", "read", "--help"], tmp_path) & set(HEAVY)
    assert not imported(["tools", "--json"], tmp_path) & set(HEAVY)
    alone = {"lancedb", "torch", "sentence_transformers", "pyfuse3"}
    assert not imported(["--store", str(context.store), "context", "list"], tmp_path) & alone


def test_tools_are_listed(kgfs: Program) -> None:
    listed = [json.loads(line) for line in kgfs("--json", "tools").stdout.splitlines()]
    assert [each["name"] for each in listed] == list(TOOLS)
    assert all(set(each) == {"name", "description", "input_schema", "offered", "kind", "writes"} for each in listed)
    assert {tuple(each["offered"]) for each in listed} >= {("agent",), ("mcp",), ("agent", "mcp")}
    assert kgfs("tools").stdout.splitlines()[::2] == list(TOOLS)


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_of_every_subcommand(kgfs: Program, name: str) -> None:
    said = kgfs("context", name, "--help").stdout
    assert said.startswith(f"Usage: kgfs context {name} ") and "--json" in said


@pytest.mark.parametrize(
    ("told", "typed"),
    [
        ('Call context_tree({drive:"disk",path:"/a b"}) to see', "Run `kgfs context tree 'disk:/a b'` to see"),
        ("Call context_list_drives({}) to see", "Run `kgfs context list` to see"),
        (
            'Call context_read({drive:"agent",path:"/a,b",offset:7}) to go on',
            "Run `kgfs context read 'agent:/a,b' --offset 7` to go on",
        ),
        (
            'or call context_delete({drive:"agent",path:"/x",recursive:true})',
            "or run `kgfs context delete agent:/x -r`",
        ),
        ('Pass on_conflict:"overwrite" to', "Pass --overwrite to"),
        ('Call context_tree({drive:"agent",path:"/x})y"}) to', "Run `kgfs context tree 'agent:/x})y'` to"),
        ("made there with context_copy can be", "made there with `kgfs context copy` can be"),
        ("under agent:/: agent:/context_copy. Call", "under agent:/: agent:/context_copy. Call"),
    ],
)
def test_hints_in_words_of_the_command_line(told: str, typed: str) -> None:
    assert hint(told) == typed
