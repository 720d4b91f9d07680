"""The file tools on files and arguments of every kind: each call has a value, and nothing is lost or hangs."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.agent.editor import Editor
from kgfs.agent.file_tools import FileTools
from kgfs.agent.roots import Roots
from kgfs.agent.shell import Shell
from kgfs.errors import KgfsError
from kgfs.sandbox import bubblewrap
from kgfs.sandbox.bubblewrap import Added

pytestmark = pytest.mark.mount


class Tools:
    """File tools over a directory that stands for a mount, and one that was added."""

    def __init__(self, top: Path, shell: Shell, roots: Roots) -> None:
        self.place = top / "shown"
        self.folder = self.place / "workspace"
        self.added = top / "added"
        self.outside = top / "outside"
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.tools = FileTools(roots, shell, self._ask)
        self.editor = Editor(self.tools)

    def _ask(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((name, given))
        return {"is_error": False, "matches": []}

    def __call__(self, name: str, **given: Any) -> dict[str, Any]:
        value = self.tools.call(name, given)
        assert "unexpectedly" not in value.get("message", ""), value
        assert not value["is_error"] or (value["message"] and value["next_action_hint"]), value
        return value

    def edit(self, command: str, **given: Any) -> dict[str, Any]:
        value = self.editor.edit({"command": command, **given})
        assert "unexpectedly" not in value.get("message", ""), value
        return value


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    top = tmp_path_factory.mktemp("tools")
    for folder in ("shown/workspace", "shown/entities", "added", "outside"):
        (top / folder).mkdir(parents=True)
    try:
        bubblewrap.require(bubblewrap.View(mounted=top / "shown"))
    except KgfsError as error:
        pytest.skip(error.message)
    roots = Roots(top / "shown", added=[Added(top / "added", True)])
    with Shell(roots) as shell:
        yield Tools(top, shell, roots)


def test_reading_on(tools: Tools) -> None:
    """Every line of a long file is had by following what answers say, each once."""
    lines = [f"line {number} {'é' * (number % 50)}\n" for number in range(1, 5000)]
    (tools.folder / "long.md").write_text("".join(lines))
    read, offset = "", 1
    while True:
        value = tools("read_file", path="workspace/long.md", offset=offset)
        assert len(value["content"]) <= 41_000 and value["lines"] <= 2000
        read += value["content"]
        if not value["more"]:
            break
        offset = value["next_offset"]
        assert f"offset:{offset}" in value["note"]
    assert read == "".join(lines) and value["total_lines"] == 4999
    part = tools("read_file", path="workspace/long.md", offset=4000, limit=2)
    assert part["content"] == "".join(lines[3999:4001]) and part["more"] and "note" not in part
    beyond = tools("read_file", path="workspace/long.md", offset=6000)
    assert beyond["error_type"] == "bad_range" and "4999 lines" in beyond["message"]
    for wrong in ({"offset": 0}, {"offset": -3}, {"limit": 0}):
        assert tools("read_file", path="workspace/long.md", **wrong)["error_type"] == "bad_arguments"


def test_bodies_of_every_kind(tools: Tools) -> None:
    bodies: dict[str, tuple[bytes, str]] = {
        "empty": (b"", ""), "no end": (b"a\nb", "a\nb"), "crlf": (b"a\r\nb\r\n", "a\r\nb\r\n"),
        "latin": (b"caf\xe9\n", "caf\ufffd\n"), "bom": (b"\xef\xbb\xbfa\n", "\ufeffa\n"), "\\odd name*?[": (b"a", "a"),
    }  # fmt: skip
    for name, (body, text) in bodies.items():
        (tools.folder / name).write_bytes(body)
        assert tools("read_file", path=f"workspace/{name}")["content"] == text
    (tools.folder / "one line").write_bytes("é".encode() * 2_000_001 + b"\nnext\n")
    value = tools("read_file", path="workspace/one line")
    assert value["content"] == "é" * 2000 + "\nnext\n" and "sed -n 1p" in value["note"] and value["total_lines"] == 2
    (tools.folder / "binary").write_bytes(b"\x7fELF\0\0")
    assert tools("read_file", path="workspace/binary")["error_type"] == "no_text_content"
    assert (
        tools("edit_file", path="workspace/binary", old_string="E", new_string="F")["error_type"] == "no_text_content"
    )
    with (tools.folder / "huge").open("wb") as file:
        file.write(b"begin\n")
        file.truncate(1 << 30)
    for name, more in (("read_file", {"offset": 2}), ("edit_file", {"old_string": "begin", "new_string": "x"})):
        assert tools(name, path="workspace/huge", **more)["is_error"]
    (tools.folder / "huge").unlink()


def test_what_is_no_file(tools: Tools) -> None:
    os.mkfifo(tools.folder / "pipe")
    (tools.folder / "folder").mkdir()
    (tools.folder / "loop").symlink_to("loop")
    (tools.folder / "nowhere").symlink_to("missing/target")
    for path in (
        "workspace/pipe",
        "/dev/zero",
        "/dev/tty",
        "workspace/folder",
        "workspace/loop",
        "/proc/1/mem",
        ".",
        "/",
    ):
        assert tools("read_file", path=path)["is_error"], path
        assert tools("edit_file", path=path, old_string="a", new_string="b")["is_error"], path
        assert tools("write_file", path=path, content="x", overwrite=True)["is_error"], path
        assert tools.edit("create", path=path, file_text="x")["is_error"], path
    for path in (
        "",
        "a\0b",
        "x" * 300,
        "x/" * 3000,
        "\udcff",
        "workspace/crlf/x",
        "workspace/new/",
        "workspace/new/..",
    ):
        for name in ("read_file", "write_file"):
            more = {"content": "x"} if name == "write_file" else {}
            assert tools(name, path=path, **more)["is_error"], (name, path)
    assert tools("write_file", path="workspace/nowhere", content="x")["is_error"]
    assert not (tools.folder / "missing").exists()


def test_directories(tools: Tools) -> None:
    folder = tools.folder / "many"
    folder.mkdir()
    for number in range(700):
        (folder / f"f{number:03}.md").touch()
    os.close(os.open(os.fsencode(folder) + b"/a\xff", os.O_CREAT | os.O_WRONLY))
    (folder / "b link").symlink_to("../folder")
    value = tools("ls", path="workspace/many")
    assert value["total"] == 702 and value["more"] and len(value["entries"]) == 300 and "glob" in value["note"]
    assert value["entries"][0]["name"] == "a\\xff"
    assert value["entries"][1] == {"name": "b link", "kind": "link", "target": "../folder"}
    assert len(tools("glob", pattern="*.md", path="workspace/many")["matches"]) == 200
    assert tools("glob", pattern="f00?.md", path="workspace/many")["matches"] == [
        f"workspace/many/f00{number}.md" for number in range(10)
    ]


def test_globs(tools: Tools) -> None:
    """As pathlib has it, for directories without links."""
    top = tools.folder / "globbed"
    for path in ("a/b/c/d.md", "a/d.md", "a/b/e.txt", "d.md", "x[1].md", "é.md"):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).touch()
    (top / "out").symlink_to(tools.folder)
    for pattern in ("*.md", "**/*.md", "a/**/d.md", "**/b/*", "a/*", "*/*/*", "[!d].md", "**/c/**/d.md", "é*"):
        found = tools("glob", pattern=pattern, path="workspace/globbed")["matches"]
        wanted = {path for path in top.glob(pattern) if not path.is_relative_to(top / "out") or path == top / "out"}
        assert set(found) == {str(path.relative_to(tools.place)) for path in wanted}, pattern
        assert len(found) == len(set(found))
    for pattern in ("", "/", "/etc/*", "../*", "a/../../*", "\0"):
        assert tools("glob", pattern=pattern, path="workspace/globbed")["error_type"] == "bad_arguments"


def test_greps(tools: Tools) -> None:
    folder = tools.folder / "grepped"
    (folder / "deep").mkdir(parents=True)
    (folder / "one.md").write_text("Alpha beta\nalphabet\n'quo\"ted $(x)'\n-e -r\n")
    (folder / "deep" / "two.txt").write_text("ALPHA\n" + "long " * 1000 + "alpha\n")
    (folder / "@search").mkdir()
    (folder / "@search" / "query").write_text("alpha\n")
    (folder / "binary").write_bytes(b"alpha\0\n")
    (folder / "out").symlink_to(tools.outside)
    os.mkfifo(folder / "pipe")

    def lines(pattern: str, **more: Any) -> list[tuple[str, int]]:
        value = tools("grep", pattern=pattern, path="workspace/grepped", **more)
        return sorted((match["path"].rpartition("/")[2], match["line"]) for match in value["matches"])

    assert lines("alpha") == [("one.md", 2), ("two.txt", 2)]
    assert lines("alpha", ignore_case=True, whole_words=True) == [("one.md", 1), ("two.txt", 1), ("two.txt", 2)]
    assert lines("alpha", ignore_case=True, glob="*.md") == [("one.md", 1), ("one.md", 2)]
    assert lines("'quo\"ted $(x)'", fixed=True) == [("one.md", 3)]
    assert lines("-e -r") == [("one.md", 4)] and lines("nowhere") == []
    area = tools("grep", pattern="alpha", path="workspace/grepped/@search")
    assert [match["path"] for match in area["matches"]] == ["workspace/grepped/@search/query"]
    some = tools("grep", pattern=".", path="workspace/grepped", max_results=2)
    assert len(some["matches"]) == 2 and some["more"] and "note" in some
    assert max(len(match["text"]) for match in tools("grep", pattern="long", path="workspace")["matches"]) < 500
    assert tools("grep", pattern="(", path="workspace")["error_type"] == "bad_query"
    for wrong in ({"pattern": ""}, {"pattern": "a\nb"}, {"pattern": "a", "max_results": 0}):
        assert tools("grep", **wrong)["error_type"] == "bad_arguments"
    assert tools("grep", pattern="a", path="workspace/pipe")["is_error"]
    tools.asked.clear()
    tools("grep", pattern="wages", path="/kg/entities", ignore_case=True)
    tools("grep", pattern="wages")
    assert [(name, given["path"]) for name, given in tools.asked] == [("grep", "entities"), ("grep", ".")]


def test_edits(tools: Tools) -> None:
    file = tools.folder / "edited"
    body = b"one\r\ntwo caf\xe9\r\ntwo\r\n"
    file.write_bytes(body)
    file.chmod(0o750)
    call = {"path": "workspace/edited", "old_string": "two", "new_string": "2"}
    many = tools("edit_file", **call)
    assert many["is_error"] and "2 times" in many["message"] and "lines 2, 3" in many["message"]
    missing = tools("edit_file", **{**call, "old_string": "one\ntwo"})
    assert missing["error_type"] == "not_found" and "\\r\\n" in missing["next_action_hint"]
    for wrong in (
        {"old_string": ""},
        {"new_string": "two"},
        {"new_string": "\ud800"},
        {"new_string": "x" * (17 << 20)},
    ):
        assert tools("edit_file", **{**call, **wrong})["is_error"]
    assert file.read_bytes() == body
    value = tools("edit_file", **call, replace_all=True)
    assert (value["replaced"], value["first_line"]) == (2, 2)
    assert file.read_bytes() == body.replace(b"two", b"2") and file.stat().st_mode & 0o777 == 0o750
    assert "before" not in value and sorted(file.parent.glob(".*")) == []


def test_writes(tools: Tools) -> None:
    value = tools("write_file", path="workspace/new/deep/file.md", content="é\n")
    assert value == {"is_error": False, "path": "workspace/new/deep/file.md", "bytes": 3, "created": True}
    again = tools("write_file", path="workspace/new/deep/file.md", content="x")
    assert again["error_type"] == "path_conflict" and "overwrite" in again["next_action_hint"]
    linked = tools.added / "linked"
    linked.write_text("before")
    os.link(linked, tools.added / "same")
    assert not tools("write_file", path=str(linked), content="after", overwrite=True)["is_error"]
    assert (tools.added / "same").read_text() == "after"  # no name of a file is left behind
    (tools.added / "to be made").symlink_to("made.md")
    assert tools("write_file", path=f"{tools.added}/to be made", content="x")["path"] == f"{tools.added}/made.md"
    assert (tools.added / "made.md").read_text() == "x"


@settings(max_examples=60, deadline=None)
@given(st.text("ab\n", max_size=30), st.integers(0, 12), st.text("xy\n", max_size=6))
def test_the_editor_inserts_lines(tools: Tools, body: str, after: int, text: str) -> None:
    file = tools.folder / "inserted"
    file.write_text(body)
    value = tools.edit("insert", path="workspace/inserted", insert_line=after, insert_text=text)
    lines = body.split("\n")[: None if body and not body.endswith("\n") else -1]
    if after > len(lines):
        assert value["error_type"] == "bad_range" and file.read_text() == body
        return
    wanted = [*lines[:after], *(text[:-1] if text.endswith("\n") else text).split("\n"), *lines[after:]]
    assert file.read_text().rstrip("\n") == "\n".join(wanted).rstrip("\n")
    assert file.read_text().count("\n") >= len(wanted) - 1


def test_the_editor(tools: Tools) -> None:
    path = "workspace/edited.py"
    assert not tools.edit("create", path=path, file_text="a\nb\nc\nd\n")["is_error"]
    assert tools.edit("view", path=path, view_range=[2, 3])["content"] == "     2\tb\n     3\tc\n"
    assert tools.edit("view", path=path, view_range=[4, -1])["content"] == "     4\td\n"
    assert "     2\tB\n" in tools.edit("str_replace", path=path, old_str="b", new_str="B")["content"]
    assert not tools.edit("str_replace", path=path, old_str="c\n")["is_error"]
    assert tools("read_file", path=path)["content"] == "a\nB\nd\n"
    assert "edited.py\n" in tools.edit("view", path="workspace")["content"]
    wrong: list[dict[str, Any]] = [
        {}, {"command": "undo_edit", "path": path}, {"command": "view"}, {"command": "view", "path": 3},
        {"command": "view", "path": path, "view_range": [0, 1]},
        {"command": "view", "path": path, "view_range": [3, 2]},
        {"command": "view", "path": path, "view_range": [1]},
        {"command": "view", "path": "workspace", "view_range": [1, 2]},
        {"command": "insert", "path": path, "insert_line": -1, "insert_text": "x"}, {"command": ["view"], "path": path},
    ]  # fmt: skip
    for arguments in wrong:
        assert tools.editor.edit(arguments)["is_error"], arguments
    assert tools.editor.bash({"command": "echo on"})["output"] == "on\n"
    assert tools.editor.bash({"restart": True})["restarted"]
    assert tools.editor.bash({})["error_type"] == tools.editor.bash({"command": 3})["error_type"] == "bad_arguments"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), lambda one: st.lists(one, max_size=3)
)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["read_file", "write_file", "edit_file", "ls", "glob", "grep", "no_tool"]),
    st.dictionaries(st.sampled_from(["path", "offset", "limit", "pattern", "content", "old_string", "x"]), JSON),
)
def test_arguments_of_any_kind(tools: Tools, name: str, given: dict[str, Any]) -> None:
    path = given.get("path")
    if name == "write_file" and isinstance(path, str):
        given["path"] = f"workspace/any/{path}"
    tools(name, **given)


def test_a_program_that_swaps_directories(tools: Tools) -> None:
    """A folder becomes a link out of it and back, all the time: nothing is read or written there."""
    secret = tools.outside / "file.md"
    secret.write_text("secret")
    real, flip, spare = tools.added / "real", tools.added / "flip", tools.added / "spare"
    real.mkdir()
    (real / "file.md").write_text("inside")
    flip.symlink_to("real")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for target in (tools.outside, "real"):
                spare.symlink_to(target)
                spare.rename(flip)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        read = set()
        for number in range(300):
            path = f"{flip}/file.md"
            read.add(tools("read_file", path=path).get("content"))
            tools("write_file", path=path, content=f"changed {number}", overwrite=True)
            tools("edit_file", path=path, old_string="changed", new_string="edited")
            tools("write_file", path=f"{flip}/new{number}.md", content="new")
    finally:
        over.set()
        thread.join()
    assert "secret" not in read and any(text and "edited" in text for text in read)
    assert secret.read_text() == "secret" and [one.name for one in tools.outside.iterdir()] == ["file.md"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to others")
def test_files_of_others(tools: Tools) -> None:
    """Root's own right to any file is not that of its agent: the shell has it not either."""
    other = tools.added / "others"
    other.write_text("theirs")
    other.chmod(0o600)
    os.chown(other, 12345, 12345)
    assert tools("execute", command=f"cat {other}")["status"] == 1
    assert tools("read_file", path=str(other))["error_type"] == "refused"
    assert tools("write_file", path=str(other), content="x", overwrite=True)["is_error"]
    assert other.read_text() == "theirs"
