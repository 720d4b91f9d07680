"""The agent's tools against a dictionary: whatever is called with whatever arguments, they answer with a value, and
drives hold what the dictionary holds."""

from __future__ import annotations

import base64
import dataclasses
import json
import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, assume, event, example, given, settings
from hypothesis import strategies as st

from kgfs.callers import door
from kgfs.drives import draft
from kgfs.errors import BY_KIND, NoSpaceError
from kgfs.service.service import Service
from kgfs.store.files import drive_contents, items
from kgfs.store.files.items import BLOCK_BYTES, NewItem
from kgfs.tools import texts
from kgfs.tools.calling import call
from kgfs.tools.lines import count_lines, read_lines
from kgfs.tools.patches import lines_of
from kgfs.tools.reach import Reach
from kgfs.tools.registry import TOOLS
from tests.rounds import rounds
from tests.tools.test_patches import patch, reference

Value = dict[str, Any]


@pytest.fixture(scope="module")
def reach(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reach]:
    """A store whose drives ``agent`` and ``scratch`` can be written; ``disk`` holds three files and cannot."""
    with Service.open(tmp_path_factory.mktemp("tools") / "store", create=True) as service:
        service.writable = frozenset({"agent", "scratch"})
        bodies = {
            "disk:/home/ann/notes/readme.md": b"# Read me\n",
            "disk:/home/ann/notes/guide.md": b"one\ntwo\nthree",
            "disk:/home/ann/scan.png": b"\x89PNG\0\0",
            "scratch:/old": b"",
        }
        new = [NewItem(drive=drive, path=path, body=body) for (drive, path), body in _split(bodies)]
        service.database.write(lambda cursor: items.put_items(cursor, new))
        yield service.reach


def _split(bodies: dict[str, bytes]) -> list[tuple[list[str], bytes]]:
    return [(ref.split(":", 1), body) for ref, body in bodies.items()]


@pytest.fixture(autouse=True)
def nothing_unexpected(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def run(reach: Reach, tool: str, **arguments: Any) -> Value:
    """A call that is to succeed."""
    value = call(reach, tool, arguments)
    assert value["is_error"] is False, value
    return value


def fail(reach: Reach, error_type: str, tool: str, **arguments: Any) -> Value:
    """A call that is to fail so."""
    value = call(reach, tool, arguments)
    assert set(value) == {"is_error", "error_type", "message", "next_action_hint"}, value
    assert value["is_error"] is True and value["error_type"] == error_type, value
    assert value["message"] and value["next_action_hint"]
    return value


def empty(reach: Reach) -> None:
    """Nothing on the drives that can be written."""
    for drive in sorted(reach.writable):
        files, directories = drawn(run(reach, "context_tree", drive=drive, max_depth=1)["tree"])
        for path in sorted(files | directories):
            run(reach, "context_delete", drive=drive, path=path, recursive=True)


def drawn(tree: str) -> tuple[set[str], set[str]]:
    """The paths of files and of directories in a drawn tree."""
    files: set[str] = set()
    directories: set[str] = set()
    trail: list[str] = []
    for line in tree.split("\n")[1:]:
        match = re.fullmatch(r"((?:│   |    )*)(?:├── |└── )(.*)", line)
        assert match, line
        del trail[len(match[1]) // 4 :]
        name = match[2]
        folder = re.fullmatch(r"(.*)/(?:  \d+ files?)?", name)
        if folder:
            trail.append(folder[1])
            directories.add("/" + "/".join(trail))
        else:
            file, size = name.split("  ")
            assert re.fullmatch(r"\d+ B|\d+\.\d [KMGT]B", size)
            files.add("/" + "/".join([*trail, file]))
    return files, directories


# --- one by one ------------------------------------------------------------------------------------------------------


def test_a_missing_item_names_what_is_near(reach: Reach) -> None:
    value = fail(reach, "not_found", "context_read", drive="disk", path="/home/ann/notes/architecture.md")
    assert value["message"] == "No context item at disk:/home/ann/notes/architecture.md"
    assert value["next_action_hint"] == (
        "Nearby items under disk:/home/ann/notes: disk:/home/ann/notes/readme.md, disk:/home/ann/notes/guide.md."
        ' Call context_tree({drive:"disk",path:"/home/ann/notes"}) to see more.'
    )
    deeper = fail(reach, "not_found", "context_info", drive="disk", path="/home/ann/notes/old/er/gide.md")
    assert "Nearby items under disk:/home/ann/notes: disk:/home/ann/notes/guide.md" in deeper["next_action_hint"]
    assert (
        "There is no drive dsk, only "
        in fail(reach, "not_found", "context_read", drive="dsk", path="/a")["next_action_hint"]
    )
    other = fail(reach, "not_found", "context_read", drive="agent", path="/home/ann/scan.png")
    assert other["next_action_hint"].startswith("disk:/home/ann/scan.png has this path. ")


def test_ids_and_refs_are_paths(reach: Reach) -> None:
    file = run(reach, "context_info", drive="disk", path="/home/ann/notes/guide.md")["file"]
    assert file["lines"] == 3 and file["size"] == 13 and not file["writable"]
    for drive, path in (("url", "disk:/home/ann/notes/guide.md"), ("url", file["id"]), ("disk", file["path"])):
        assert run(reach, "context_info", drive=drive, path=path)["file"] == file
        assert run(reach, "context_read", drive=drive, path=path)["content"] == "one\ntwo\nthree"
        assert run(reach, "context_exists", drive=drive, path=path)["ref"] == file["ref"]
        assert run(reach, "context_count_lines", drive=drive, path=path)["newlines"] == 2
    assert run(reach, "context_exists", path="999999999999999999")["exists"] is False


def test_what_is_no_text_is_not_read(reach: Reach) -> None:
    value = fail(reach, "no_text_content", "context_read", drive="disk", path="/home/ann/scan.png")
    assert "image/png" not in value["message"] or "6 bytes" in value["message"]
    fail(reach, "no_text_content", "context_count_lines", drive="disk", path="/home/ann/scan.png")
    fail(reach, "is_a_directory", "context_read", drive="disk", path="/home/ann")
    fail(reach, "not_a_directory", "context_tree", drive="disk", path="/home/ann/scan.png")


def test_read_by_line(reach: Reach) -> None:
    def read(**more: int) -> Value:
        return run(reach, "context_read", drive="disk", path="/home/ann/notes/guide.md", **more)

    whole = read()
    assert (whole["start_line"], whole["end_line"], whole["total_lines"], whole["truncated"]) == (1, 3, 3, False)
    assert read(offset=2)["content"] == "two\nthree"
    assert read(offset=2, limit=1)["content"] == "two\n"
    assert read(limit=99)["content"] == whole["content"]
    fail(reach, "bad_range", "context_read", drive="disk", path="/home/ann/notes/guide.md", offset=4)
    for offset, limit in ((0, 1), (1, 0), (-1, 5)):
        fail(
            reach, "bad_arguments", "context_read",
            drive="disk", path="/home/ann/notes/guide.md", offset=offset, limit=limit,
        )  # fmt: skip


def test_write_edit_and_the_tree(reach: Reach) -> None:
    empty(reach)
    written = run(reach, "context_write", path="notes/a.md", content="one\ntwo\n")
    assert written["ref"] == "agent:/notes/a.md"
    assert written["tree"] == "agent:/\n└── notes/\n    └── a.md  8 B"
    conflict = fail(reach, "path_conflict", "context_write", path="/notes/a.md", content="other")
    assert 'on_conflict:"overwrite"' in conflict["next_action_hint"]
    edited = run(reach, "context_edit", path="/notes/a.md", patches=[{"start_line": 2, "end_line": 2, "content": "2"}])
    assert (edited["applied"], edited["lines"], edited["id"]) == (1, 2, written["id"])
    assert run(reach, "context_read", path="/notes/a.md")["content"] == "one\n2\n"
    bad = [{"start_line": 1, "end_line": 1, "content": "x"}, {"start_line": 9, "end_line": 9, "content": "y"}]
    assert fail(reach, "bad_patch", "context_edit", path="/notes/a.md", patches=bad)["message"].startswith("Patch 2 ")
    assert run(reach, "context_read", path="/notes/a.md")["content"] == "one\n2\n"
    fail(reach, "bad_arguments", "context_edit", path="/notes/a.md", patches=[])
    fail(reach, "read_only", "context_edit", drive="disk", path="/home/ann/notes/readme.md", patches=bad)
    fail(reach, "read_only", "context_write", drive="disk", path="/home/ann/new.md", content="x")
    fail(reach, "bad_arguments", "context_write", path="/notes/b.md")
    fail(reach, "bad_arguments", "context_write", path="/notes/b.md", content_base64="no!")
    run(reach, "context_write", path="/b.bin", content_base64=base64.b64encode(b"\0\xff").decode())
    assert run(reach, "context_info", path="/b.bin")["file"]["is_textual"] is False


def test_paths_that_are_none(reach: Reach) -> None:
    for path in ("/a/../b", "/a//b", "/./a", "/a\0b", "/", "", "/a/"):
        value = call(reach, "context_write", {"path": path, "content": "x"})
        assert value["is_error"] and value["error_type"] in ("usage", "bad_name", "is_a_directory"), (path, value)
    for path in ("/" + "é" * 128, f"/{'a' * 256}/b"):
        fail(reach, "bad_name", "context_write", path=path, content="x")
        fail(reach, "bad_name", "context_create_dir", path=path)
        assert run(reach, "context_exists", path=path)["exists"] is False
    run(reach, "context_write", path="/%41/_self", content="as written", on_conflict="overwrite")
    assert run(reach, "context_read", path="/%41/_self")["content"] == "as written"
    fail(reach, "usage", "context_write", drive="No Drive", path="/a", content="x")
    fail(reach, "usage", "context_delete", path="/", recursive=True)


def test_a_drive_that_is_not_there_yet(tmp_path: Path) -> None:
    with Service.open(tmp_path / "store", create=True) as service:
        service.writable = frozenset({"agent", "scratch"})
        fail(service.reach, "not_found", "context_write", drive="scratch", path="/a", content="x")
        (drive,) = run(service.reach, "context_list_drives")["drives"]
        assert drive["drive"] == "agent" and drive["writable"]


def test_lists_of_drives(reach: Reach) -> None:
    empty(reach)
    run(reach, "context_write", drive="scratch", path="/x", content="12345")
    drives = {each["drive"]: each for each in run(reach, "context_list_drives")["drives"]}
    assert drives["disk"] == {"drive": "disk", "count": 3, "directories": 0, "size": 29, "writable": False}
    assert drives["scratch"] == {"drive": "scratch", "count": 1, "directories": 0, "size": 5, "writable": True}
    assert drives["agent"]["count"] == 0 and drives["agent"]["writable"]
    tree = run(reach, "context_tree")
    assert "disk:/  3" in tree["tree"].split("\n")
    whole = run(reach, "context_tree", drive="disk")
    assert drawn(whole["tree"]) == (
        {"/home/ann/notes/readme.md", "/home/ann/notes/guide.md", "/home/ann/scan.png"},
        {"/home", "/home/ann", "/home/ann/notes"},
    )
    assert (whole["files"], whole["directories"], whole["size"], whole["truncated"]) == (3, 3, 29, False)
    below = run(reach, "context_tree", drive="disk", path="/home/ann/notes/")
    assert below["tree"] == "disk:/home/ann/notes/\n├── guide.md  13 B\n└── readme.md  10 B"


def test_a_large_tree_is_cut_from_below(reach: Reach) -> None:
    empty(reach)
    for folder in "ab":
        for number in range(12):
            run(reach, "context_write", path=f"/{folder}/{number:02}/x.md", content="x")
    small = run(reach, "context_tree", drive="agent", max_entries=10)
    assert small["truncated"] and small["shown"] <= 10 and small["files"] == 24
    assert "a/" in small["tree"] and "b/" in small["tree"]  # both, though one would fill it
    assert "… 8 more" in small["tree"]
    flat = run(reach, "context_tree", drive="agent", max_depth=1)
    assert flat["tree"] == "agent:/\n├── a/  12 files\n└── b/  12 files" and flat["truncated"]
    whole = run(reach, "context_tree", drive="agent")
    assert not whole["truncated"] and len(drawn(whole["tree"])[0]) == 24


def test_delete_copy_and_move_directories(reach: Reach) -> None:
    empty(reach)
    for name in ("a.md", "deep/b.md"):
        run(reach, "context_write", path=f"/notes/{name}", content=name)
    refused = fail(reach, "is_a_directory", "context_delete", path="/notes")
    assert 'context_delete({drive:"agent",path:"/notes",recursive:true})' in refused["next_action_hint"]
    run(reach, "context_copy", src_path="/notes", dst_drive="scratch", dst_path="/copy/of")
    assert run(reach, "context_read", drive="scratch", path="/copy/of/deep/b.md")["content"] == "deep/b.md"
    number = run(reach, "context_info", path="/notes/a.md")["file"]["id"]
    run(reach, "context_move", src_path="/notes", dst_drive="scratch", dst_path="/moved")
    assert run(reach, "context_info", path=number)["file"]["ref"] == "scratch:/moved/a.md"
    assert run(reach, "context_exists", path="/notes")["exists"] is False
    fail(reach, "not_found", "context_move", src_path="/notes", dst_path="/elsewhere")
    fail(reach, "path_conflict", "context_copy", src_path="scratch:/moved/a.md", dst_path="scratch:/copy/of/a.md")
    assert fail(reach, "read_only", "context_move", src_path="disk:/home/ann/scan.png", dst_path="/scan.png")
    run(reach, "context_copy", src_path="disk:/home/ann/scan.png", dst_path="/pictures/")
    assert run(reach, "context_exists", path="/pictures/scan.png")["exists"]
    run(reach, "context_delete", drive="scratch", path="/moved", recursive=True)
    assert run(reach, "context_exists", drive="scratch", path="/moved")["exists"] is False


def test_what_is_refused_changes_nothing(reach: Reach, monkeypatch: pytest.MonkeyPatch) -> None:
    empty(reach)
    for path in ("/from/a", "/from/b/c", "/to/b/c", "/to/z"):
        run(reach, "context_write", path=path, content=path)
    before = run(reach, "context_tree", drive="agent")["tree"]
    clash = fail(reach, "path_conflict", "context_copy", src_path="/from", dst_path="/to")
    assert "agent:/to/b/c" in clash["message"]
    fail(reach, "path_conflict", "context_copy", src_path="/from", dst_path="/to/z")
    held = fail(reach, "not_empty", "context_move", src_path="/from", dst_path="/to", overwrite=True)
    assert "overwrite" not in held["next_action_hint"]
    fail(reach, "usage", "context_move", src_path="/from", dst_path="/from/new/place")
    monkeypatch.setattr(draft, "MAX_FILE_BYTES", 10)
    fail(reach, "too_large", "context_write", path="/to/z", content="more than ten", on_conflict="overwrite")
    fail(reach, "too_large", "context_write", path="/to/new", content="more than ten")
    assert run(reach, "context_read", path="/to/z")["content"] == "/to/z"
    assert run(reach, "context_tree", drive="agent")["tree"] == before


def test_edits_at_once_are_all_kept(reach: Reach) -> None:
    empty(reach)
    run(reach, "context_write", path="/log.md", content="")

    def append(number: int) -> None:
        line = {"start_line": 1, "end_line": 0, "content": f"{number}\n"}
        run(reach, "context_edit", path="/log.md", patches=[line])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(append, range(20)))
    assert sorted(map(int, run(reach, "context_read", path="/log.md")["content"].split())) == list(range(20))


def test_directories_are_made_once(reach: Reach) -> None:
    empty(reach)
    assert run(reach, "context_create_dir", path="/x/y")["created"] is True
    assert run(reach, "context_create_dir", path="/x/y/")["created"] is False
    assert run(reach, "context_info", path="/x")["file"]["directories"] == 1
    assert run(reach, "context_exists", path="/x/y")["kind"] == "directory"
    run(reach, "context_write", path="/f", content="")
    value = call(reach, "context_create_dir", {"path": "/f"})
    assert value["is_error"] and value["error_type"] in ("path_conflict", "not_a_directory")
    assert "overwrite" not in value["next_action_hint"]  # which it does not take


def test_what_cannot_be_refreshed(reach: Reach) -> None:
    fail(reach, "usage", "context_refresh", drive="agent", path="/notes")
    fail(reach, "not_found", "context_refresh", drive="disk", path="/nowhere")


def test_grep(reach: Reach) -> None:
    empty(reach)
    run(reach, "context_write", path="/notes/a.md", content="Wages rise\nprices fall\nwages (again)\n")
    run(reach, "context_write", path="/notes/b.txt", content="no wages here\n")
    everywhere = run(reach, "search_grep", pattern="wages")
    assert [(each["ref"], each["line"]) for each in everywhere["matches"]] == [
        ("agent:/notes/a.md", 3),
        ("agent:/notes/b.txt", 1),
    ]
    found = run(reach, "search_grep", pattern="wages", drive="agent", glob="*.md", ignore_case=True)
    assert [(each["line"], each["text"]) for each in found["matches"]] == [(1, "Wages rise"), (3, "wages (again)")]
    one = run(reach, "search_grep", pattern="wages (", fixed=True, path="agent:/notes/a.md")
    assert [each["ref"] for each in one["matches"]] == ["agent:/notes/a.md"]
    cut = run(reach, "search_grep", pattern="e", drive="agent", max_results=1)
    assert cut["total"] == 4 and cut["truncated"] and len(cut["matches"]) == 1
    assert run(reach, "search_grep", pattern="two", drive="disk", path="/home")["matches"][0]["line"] == 2
    assert run(reach, "search_grep", pattern="wages", drive="scratch")["matches"] == []
    fail(reach, "bad_query", "search_grep", pattern="(")
    fail(reach, "not_found", "search_grep", pattern="x", path="/nowhere")


def test_a_full_disk_is_a_value(reach: Reach, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise NoSpaceError("The disk is full.")

    monkeypatch.setattr(reach.files_by_path(), "put", full)
    fail(reach, "no_space", "context_write", path="/full.md", content="x")


def test_the_gate_hears_of_the_door(reach: Reach) -> None:
    doors = []
    gate = reach.files_by_path()._context.gate
    gate.listeners.append(heard := lambda passed: doors.append(passed.mutation.door))
    try:
        run(reach, "context_write", path="/door.md", content="1", on_conflict="overwrite")
        call(reach, "context_write", {"path": "/door.md", "content": "2", "on_conflict": "overwrite"}, door="command")
    finally:
        gate.listeners.remove(heard)
    assert doors == ["tool", "command"]
    assert door.get() == "library"


# --- large bodies ----------------------------------------------------------------------------------------------------


def test_large_bodies_are_read_by_line(reach: Reach) -> None:
    text = "".join(f"{number} {'x' * (number % 300)}\n" for number in range(30_000))
    body = text.encode()
    assert len(body) > 4 * BLOCK_BYTES
    reach.database.write(lambda cursor: items.put_item(cursor, NewItem(drive="disk", path="/large.txt", body=body)))
    lines = lines_of(text)
    parts, offset = [], 1
    while True:
        value = run(reach, "context_read", drive="disk", path="/large.txt", offset=offset)
        assert len(value["content"]) <= BLOCK_BYTES and value["total_lines"] == 30_000
        parts.append(value["content"])
        if not value["truncated"]:
            break
        offset = value["next_offset"]
    assert "".join(parts) == text
    for first in (1, 3_000, 29_999, 30_000):
        value = run(reach, "context_read", drive="disk", path="/large.txt", offset=first, limit=3)
        assert value["content"] == "".join(lines[first - 1 : first + 2])
    assert run(reach, "context_count_lines", drive="disk", path="/large.txt")["lines"] == 30_000
    reach.database.write(lambda cursor: items.delete_items(cursor, [items.find_item(cursor, "disk:/large.txt").id]))  # type: ignore[union-attr]


def test_a_line_longer_than_an_answer_is_cut_on_a_character(reach: Reach) -> None:
    body = ("é" * BLOCK_BYTES + "\nend\n").encode()
    reach.database.write(lambda cursor: items.put_item(cursor, NewItem(drive="disk", path="/wide.txt", body=body)))
    value = run(reach, "context_read", drive="disk", path="/wide.txt")
    assert value["truncated"] and set(value["content"]) == {"é"} and value["next_offset"] == 2
    assert "was cut" in value["next_action_hint"]
    assert run(reach, "context_read", drive="disk", path="/wide.txt", offset=2)["content"] == "end\n"
    reach.database.write(lambda cursor: items.delete_items(cursor, [items.find_item(cursor, "disk:/wide.txt").id]))  # type: ignore[union-attr]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text("ab\né", max_size=60),
    st.integers(1, 8),
    st.none() | st.integers(1, 8),
    st.integers(1, 5),
    st.integers(4, 40),
)
def test_lines_across_pieces(
    monkeypatch: pytest.MonkeyPatch, text: str, offset: int, limit: int | None, piece: int, most: int
) -> None:
    """The reader agrees with a list of lines wherever the body is cut into pieces."""
    body = text.encode()
    with monkeypatch.context() as patched:
        patched.setattr(texts, "PIECE_BYTES", piece)
        patched.setattr(texts.items, "read_item", lambda cursor, number, start, length: body[start : start + length])
        item = items.Item(
            id=1, drive="d", path="/p", ref="d:/p", title="", mime_type="", is_textual=True, size=len(body), hash="",
            mode=0, source_mtime_ns=None, want_gen=1, have_gen=1, extracted_gen=1, error=None,
        )  # fmt: skip
        text_of_item = texts.Text(None, item)  # type: ignore[arg-type]
        found = read_lines(text_of_item, offset, limit, most)
        counted = count_lines(text_of_item)
    lines = lines_of(text)
    wanted = lines[offset - 1 : None if limit is None else offset - 1 + limit]
    whole = "".join(wanted)
    assert (found.total, counted.lines, counted.newlines) == (len(lines), len(lines), text.count("\n"))
    assert found.more == (len(whole.encode()) > most)
    if not found.more:
        assert found.content == whole and found.number == len(wanted) and not found.cut
    elif found.cut:
        assert wanted[0].startswith(found.content) and len(found.content.encode()) <= most and found.number == 1
    else:
        assert found.content == "".join(wanted[: found.number]) and found.number < len(wanted)
        assert len("".join(wanted[: found.number + 1]).encode()) > most


# --- hints by brute force --------------------------------------------------------------------------------------------


def distance(a: str, b: str) -> int:
    """Levenshtein's."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        row, above = [i], row
        for j, right in enumerate(b, 1):
            row.append(min(row[-1] + 1, above[j] + 1, above[j - 1] + (left != right)))
    return row[-1]


def near(paths: set[str], path: str) -> tuple[str, list[str]]:
    name = path.rpartition("/")[2].lower()
    above = path.rpartition("/")[0]
    while True:
        beneath = [each for each in paths if each.startswith(above + "/")]
        if beneath or not above:
            break
        above = above.rpartition("/")[0]

    def key(each: str) -> tuple[bool, int, str]:
        rest = each[len(above) + 1 :]
        return "/" in rest, distance(rest.rpartition("/")[2].lower(), name), each

    return above or "/", sorted(beneath, key=key)[:5]


NAMES = st.sampled_from(["a", "ab", "abc", "readme", "guide", "x"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(PATHS.map(lambda path: path + ".md"), max_size=12), PATHS)
def test_near_items_by_brute_force(reach: Reach, paths: set[str], missing: str) -> None:
    old = reach.database.fetch("SELECT id FROM context_items WHERE drive = 'near'")
    reach.database.write(lambda cursor: items.delete_items(cursor, [row[0] for row in old]))
    if paths:
        new = [NewItem(drive="near", path=path, body=b"x") for path in sorted(paths)]
        reach.database.write(lambda cursor: items.put_items(cursor, new))
    with reach.database.read() as cursor:
        assert drive_contents.near_paths(cursor, "near", missing, 5) == near(paths, missing)


# --- a dictionary ----------------------------------------------------------------------------------------------------


class Model:
    """Files by drive and path, and directories."""

    def __init__(self) -> None:
        self.files: dict[tuple[str, str], str] = {}
        self.directories: set[tuple[str, str]] = set()

    def kind(self, drive: str, path: str) -> str | None:
        if (drive, path) in self.files:
            return "file"
        return "directory" if (drive, path) in self.directories or path == "/" else None

    def above(self, path: str) -> list[str]:
        parts = path.split("/")[1:-1]
        return ["/" + "/".join(parts[: number + 1]) for number in range(len(parts))]

    def blocked(self, drive: str, path: str) -> bool:
        return any(self.kind(drive, each) == "file" for each in self.above(path))

    def make(self, drive: str, path: str) -> None:
        self.directories.update((drive, each) for each in self.above(path))

    def beneath(self, drive: str, path: str) -> list[tuple[str, str]]:
        prefix = path + "/"
        both = [*self.files, *self.directories]
        return [key for key in both if key[0] == drive and (key[1] == path or key[1].startswith(prefix))]

    def drop(self, drive: str, path: str) -> None:
        for key in self.beneath(drive, path):
            self.files.pop(key, None)
            self.directories.discard(key)

    def transfer(self, source: tuple[str, str], to: tuple[str, str], move: bool) -> None:
        moved = {key: self.files.get(key) for key in self.beneath(*source)}
        if move:
            self.drop(*source)
        self.drop(*to)
        self.make(*to)
        for (_, path), text in moved.items():
            key = (to[0], to[1] + path[len(source[1]) :])
            if text is None:
                self.directories.add(key)
            else:
                self.files[key] = text


DRIVES = st.sampled_from(["agent", "scratch"])
PLACES = st.lists(st.sampled_from(["a", "b", "c.md"]), min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))
TEXTS = st.text("ab\né", max_size=8)
PATCHES = st.lists(
    st.builds(patch, st.integers(1, 4), st.integers(0, 4), st.text("xy\n", max_size=3)), min_size=1, max_size=3
)
PICK = st.none() | st.integers(0, 9)
"""In place of a drive and path that was drawn: one of the files that are there."""
WRITE = st.tuples(st.just("write"), PICK, DRIVES, PLACES, TEXTS, st.sampled_from(["error", "overwrite"]))
NEW = st.tuples(st.just("write"), st.none(), DRIVES, PLACES, TEXTS, st.just("error"))
EDIT = st.tuples(st.just("edit"), PICK, DRIVES, PLACES, PATCHES)
DELETE = st.tuples(st.just("delete"), PICK, DRIVES, PLACES, st.booleans())
CREATE = st.tuples(st.just("create_dir"), st.none(), DRIVES, PLACES)
COPY = st.tuples(st.just("copy"), PICK, DRIVES, PLACES, DRIVES, PLACES, st.booleans())
MOVE = st.tuples(st.just("move"), PICK, DRIVES, PLACES, DRIVES, PLACES, st.booleans())
STEPS = st.tuples(
    st.lists(NEW, min_size=2, max_size=4),
    st.lists(st.one_of(MOVE, WRITE, EDIT, DELETE, CREATE, COPY), min_size=2, max_size=10),
).map(lambda parts: [*parts[0], *parts[1]])


@pytest.mark.long
@settings(
    max_examples=rounds(15, 80),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(STEPS)
@example([("write", None, "agent", "/a", "x", "error"), ("write", None, "agent", "/a/b", "y", "error")])
@example([("write", None, "agent", "/a/b", "x", "error"), ("move", None, "agent", "/a", "scratch", "/c.md", False)])
def test_agrees_with_a_dictionary(reach: Reach, steps: list[tuple[Any, ...]]) -> None:
    empty(reach)
    model = Model()
    for step in steps:
        one(reach, model, step)
        compare_trees(reach, model)
    compare(reach, model)


def one(reach: Reach, model: Model, step: tuple[Any, ...]) -> None:
    """The step, on the drives and in the dictionary."""
    before = dict(model.files), set(model.directories)
    _one(reach, model, step)
    event(f"{step[0]} {'changed' if before != (model.files, model.directories) else 'left'} things")


def _one(reach: Reach, model: Model, step: tuple[Any, ...]) -> None:
    name, pick, drive, path, *rest = step
    if pick is not None and model.files:
        drive, path = sorted(model.files)[pick % len(model.files)]
    kind = model.kind(drive, path)
    if name == "write":
        text, on_conflict = rest
        arguments = {"drive": drive, "path": path, "content": text, "on_conflict": on_conflict}
        if model.blocked(drive, path):
            fail(reach, "not_a_directory", "context_write", **arguments)
        elif kind == "directory":
            assert call(reach, "context_write", arguments)["error_type"] in ("is_a_directory", "path_conflict")
        elif kind == "file" and on_conflict == "error":
            fail(reach, "path_conflict", "context_write", **arguments)
        else:
            run(reach, "context_write", **arguments)
            model.files[drive, path] = text
            model.make(drive, path)
    elif name == "edit":
        arguments = {"drive": drive, "path": path, "patches": msgspec.to_builtins(rest[0])}
        if kind != "file":
            fail(reach, "is_a_directory" if kind else "not_found", "context_edit", **arguments)
        elif (after := reference(model.files[drive, path], rest[0])) is None:
            fail(reach, "bad_patch", "context_edit", **arguments)
        else:
            value = run(reach, "context_edit", **arguments)
            assert value["lines"] == len(lines_of(after)) and value["size"] == len(after.encode())
            model.files[drive, path] = after
    elif name == "delete":
        arguments = {"drive": drive, "path": path, "recursive": rest[0]}
        if kind is None:
            fail(reach, "not_found", "context_delete", **arguments)
        elif kind == "directory" and not rest[0]:
            value = call(reach, "context_delete", arguments)
            if len(model.beneath(drive, path)) > 1:
                assert value["error_type"] == "is_a_directory"
            elif not value["is_error"]:  # an empty one may go
                model.drop(drive, path)
        else:
            count = sum(key in model.files for key in model.beneath(drive, path))
            assert run(reach, "context_delete", **arguments)["deleted"] == count
            model.drop(drive, path)
    elif name == "create_dir":
        if model.blocked(drive, path) or kind == "file":
            value = call(reach, "context_create_dir", {"drive": drive, "path": path})
            assert value["error_type"] in ("not_a_directory", "path_conflict")
        else:
            assert run(reach, "context_create_dir", drive=drive, path=path)["created"] is (kind is None)
            model.make(drive, path)
            model.directories.add((drive, path))
    else:
        to_drive, to_path, overwrite = rest
        arguments = {
            "src_drive": drive, "src_path": path, "dst_drive": to_drive, "dst_path": to_path, "overwrite": overwrite
        }  # fmt: skip
        there = model.kind(to_drive, to_path)
        tool = f"context_{name}"
        if kind is None:
            fail(reach, "not_found", tool, **arguments)
        elif (drive, path) == (to_drive, to_path):
            call(reach, tool, arguments)  # nothing changes, whether that is an error or not
        elif drive == to_drive and (to_path.startswith(path + "/") or path.startswith(to_path + "/")):
            assert call(reach, tool, arguments)["is_error"]
        elif model.blocked(to_drive, to_path):
            fail(reach, "not_a_directory", tool, **arguments)
        elif there and not overwrite:
            assert call(reach, tool, arguments)["error_type"] in ("path_conflict", "is_a_directory")
        elif there and "directory" in (kind, there):
            assume(False)  # what becomes of directories that are in the way is the drives' own
        else:
            run(reach, tool, **arguments)
            model.transfer((drive, path), (to_drive, to_path), name == "move")


def compare_trees(reach: Reach, model: Model) -> None:
    """What is where."""
    for drive in ("agent", "scratch"):
        files = {path for where, path in model.files if where == drive}
        directories = {path for where, path in model.directories if where == drive}
        assert drawn(run(reach, "context_tree", drive=drive)["tree"]) == (files, directories)


def compare(reach: Reach, model: Model) -> None:
    """What every tool says of it."""
    for drive in ("agent", "scratch"):
        texts = {path: text for (where, path), text in model.files.items() if where == drive}
        directories = {path for where, path in model.directories if where == drive}
        size = run(reach, "context_dir_size", drive=drive)
        assert (size["bytes"], size["files"], size["directories"]) == (
            sum(len(text.encode()) for text in texts.values()),
            len(texts),
            len(directories),
        )
        for path, text in texts.items():
            value = run(reach, "context_read", drive=drive, path=path)
            assert value["content"] == text and value["total_lines"] == len(lines_of(text))
            assert run(reach, "context_count_lines", drive=drive, path=path)["newlines"] == text.count("\n")
        for path in ("/a", "/a/b", "/c.md"):
            kind = model.kind(drive, path)
            value = run(reach, "context_exists", drive=drive, path=path)
            assert (value["exists"], value.get("kind")) == (kind is not None, kind)
            if kind == "directory":
                inside = [len(t.encode()) for p, t in texts.items() if p.startswith(path + "/")]
                assert run(reach, "context_dir_size", drive=drive, path=path)["bytes"] == sum(inside)
                shallow = run(reach, "context_dir_size", drive=drive, path=path, recursive=False)
                assert shallow["files"] == sum(p.rpartition("/")[0] == path for p in texts)


# --- anything at all -------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["/", "1", "a:/b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
OFFLINE = [name for name in TOOLS if name not in ("search_semantic", "context_refresh", "context_prompt")]


@st.composite
def arguments_of(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Arguments with the right names, and values of the right type or of any."""
    arguments: dict[str, Any] = {}
    for key, schema in TOOLS[name].input_schema()["properties"].items():
        kind = schema.get("type")
        right: st.SearchStrategy[Any] = JSON
        if "enum" in schema:
            right = st.sampled_from(schema["enum"])
        elif kind == "string" or "anyOf" in schema:
            right = st.sampled_from(["agent", "disk", "/", "/a", "/a/b", "disk:/home", "1", "", "("]) | st.text()
        elif kind == "integer":
            right = st.integers(-2, 10) | st.integers()
        elif kind == "boolean":
            right = st.booleans()
        elif kind == "array":
            numbers = st.integers(-1, 5)
            patches = st.fixed_dictionaries({"start_line": numbers, "end_line": numbers, "content": st.text()})
            right = st.lists(patches | JSON, max_size=3)
        if draw(st.integers(0, 5)):
            arguments[key] = draw(right if draw(st.integers(0, 9)) else JSON)
    return arguments


@pytest.mark.long
@settings(
    max_examples=rounds(50, 300), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.data())
def test_nothing_throws(reach: Reach, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(OFFLINE) | st.sampled_from(list(TOOLS)))
    arguments = data.draw(arguments_of(name) | JSON)
    if name not in OFFLINE and isinstance(arguments, dict):
        arguments = {**arguments, "unknown": 1}  # no model is loaded and no source is read for this
    value = call(reach, name, arguments)
    assert isinstance(value["is_error"], bool)
    json.dumps(value)
    msgspec.json.encode(value)
    if value["is_error"]:
        assert value["error_type"] != "failed", (name, arguments, value)
        assert value["message"] and value["next_action_hint"]


def test_what_is_no_tool(reach: Reach) -> None:
    for name in ("context_raed", "", None, 7):
        value = call(reach, name, {})  # type: ignore[arg-type]
        assert value["error_type"] == "unknown_tool"
    assert "context_read" in call(reach, "context_raed", {})["next_action_hint"]
    fail(reach, "bad_arguments", "context_read")
    assert "It takes drive?, path, offset?, limit?" in call(reach, "context_read", {"pth": 1})["next_action_hint"]
    assert call(reach, "context_list_drives", None)["is_error"] is False


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_described(name: str) -> None:
    tool = TOOLS[name]
    assert (tool.kind != "store" or tool.function() is not None) and tool.description.endswith(".")
    schema = tool.input_schema()
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    for key, property_ in schema["properties"].items():
        assert property_["description"].endswith((".", ").")), f"{name} {key}"
    json.dumps(tool.described())


def test_the_directory_of_paths_is_not_escaped(reach: Reach, tmp_path: Path) -> None:
    """A path of the host that was not added leads nowhere."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    for drive in ("disk", "agent"):
        fail(reach, "not_found", "context_read", drive=drive, path=str(secret))
    assert call(reach, "context_read", {"drive": "disk", "path": f"/home/../{secret}"})["is_error"]


def test_search_passes_on_what_it_is_asked(reach: Reach) -> None:
    asked: list[tuple[object, ...]] = []

    def search(*arguments: object) -> Value:
        asked.append(arguments)
        hit = {"rel": "x", "type": "chunk", "title": "t", "snippet": "s", "origin": "disk:/a.md", "lines": [3, 4]}
        return {"results": [{**hit, "score": 0.9}, {**hit, "score": 0.2}], "more": False, "mode": "hybrid"}

    faked = dataclasses.replace(reach, search=search)
    found = run(faked, "search_semantic", query="q", threshold=0.5, drive="disk", path="/home/")
    assert [(each["ref"], each["lines"], each["score"]) for each in found["results"]] == [("disk:/a.md", [3, 4], 0.9)]
    run(faked, "search_semantic", query="q", drive="url", kind="facts", top_k=3)
    run(faked, "search_semantic", query="q", path="disk:/home/ann")
    run(faked, "search_semantic", query="q")
    assert asked == [
        ("q", "semantic", "disk:/home", 10),
        ("q", "facts", "url", 3),
        ("q", "semantic", "disk:/home/ann", 10),
        ("q", "semantic", None, 10),
    ]


@pytest.mark.parametrize("error", [*BY_KIND.values(), ZeroDivisionError])
def test_every_error_is_a_value(reach: Reach, error: type[Exception], caplog: pytest.LogCaptureFixture) -> None:
    def search(*_: object) -> Value:
        raise error("Broken.")

    value = call(dataclasses.replace(reach, search=search), "search_semantic", {"query": "q"})
    assert value["is_error"] and value["message"] and value["next_action_hint"]
    if error is ZeroDivisionError:
        assert value["error_type"] == "failed" and "the tool search_semantic failed" in caplog.text
        caplog.clear()
    else:
        assert value["message"] == "Broken."
