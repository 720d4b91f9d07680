"""What a person sees on a terminal, by an emulator of one; and that nothing of it is there where scripts read."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pyte
import pytest

from kgfs.cli.screen import pasted
from kgfs.search.snippets import hit_line
from tests.conftest import SAMPLES, Program, copy_store, mounting
from tests.waiting import until

COMMANDS = (
    ["ls"],
    ["ls", "-l", "entities"],
    ["tree", "-L", "2", "topics"],
    ["find", "topics"],
    ["find", ".", "type=Organization", "min_facts=2"],
    ["grep", "-i", "wages|deepmind", "documents"],
    ["grep", "-l", "DeepMind", "documents"],
    ["search", "--kind", "keyword", "who bought DeepMind"],
    ["status"],
    ["sql", "select name, type from entities order by name limit 9"],
)
pytestmark = [pytest.mark.mount, pytest.mark.slow]
SGR, LINK = re.compile(rb"\x1b\[[0-9;]*m"), re.compile(rb"\x1b\]8;;([^\x1b]*)\x1b\\")
NAMES = ("日本語 の文書.md", "مرحبا بالعالم.md", "it's new.md", "plain.md", "two\nlines.md", "café.md")


class Seen:
    """The screen after a command, as an emulator has it."""

    def __init__(self, sent: bytes, columns: int = 80) -> None:
        self.sent = sent
        self._screen = pyte.Screen(columns, 3000)
        pyte.ByteStream(self._screen).feed(LINK.sub(b"", sent))
        self.lines = [line.rstrip() for line in self._screen.display]
        while self.lines and not self.lines[-1]:
            self.lines.pop()

    def styled(self, row: int, **wanted: object) -> list[str]:
        """The stretches of a line whose characters have a style."""
        found, open_ = [], False
        cells = self._screen.buffer[row]
        for at in range(self._screen.columns):
            cell = cells[at]
            has = all(getattr(cell, name) == value for name, value in wanted.items())
            if has:
                found[len(found) - 1 if open_ else len(found) :] = [(found[-1] if open_ else "") + cell.data]
            open_ = has
        return found


def links(sent: bytes) -> list[str]:
    """Where the links of what was sent lead, on this machine."""
    urls = [urlsplit(url.decode()) for url in LINK.findall(sent) if url]
    assert all(url.scheme == "file" and url.netloc == os.uname().nodename for url in urls)
    return [unquote(url.path, errors="surrogateescape") for url in urls]


class There(NamedTuple):
    """A mounted store: a few files of the sample, and files with odd names and contents."""

    store: Path
    mount: Path
    files: Path


@pytest.fixture(scope="module")
def there(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[There]:
    """One mount for all tests here, since a command that opens the store itself takes much longer."""
    place = tmp_path_factory.mktemp("terminal")
    store, files = copy_store(pristine_light_store, place / "store"), place / "my files"
    files.mkdir()
    for name in ("deepmind", "looker", "alphabet", "demis-hassabis"):
        shutil.copy(SAMPLES / "companies" / f"{name}.md", files)
    for name in NAMES:
        (files / name).write_text(f"# Title of {name.split()[0]}\n\nA sheep, 羊, خروف.\n", "utf-8")
    (files / "evil.md").write_text("# Evil \x1b[2J\x9b2J\n\nA goat \x1b]0;pwned\x07 \x1b[31mred\n", "utf-8")
    kgfs("--store", store, "add", files)
    with mounting(kgfs, place) as mount_here:
        yield There(store, mount_here(store, at=place / "my kg"), files)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command)[:20])
def test_nothing_of_it_is_there_where_scripts_read(kgfs: Program, there: There, command: list[str]) -> None:
    arguments = ["--store", str(there.store), *command]
    plain = kgfs(*arguments).stdout
    assert "\x1b" not in plain and plain
    assert kgfs(*arguments, env={"TERM": "xterm-256color", "COLUMNS": "30"}).stdout == plain
    colored = kgfs(*arguments, "--color=always").stdout
    assert SGR.sub(b"", colored.encode()).decode() == plain and not LINK.search(colored.encode())
    assert kgfs(*arguments, env={"CLICOLOR_FORCE": "1"}).stdout == colored
    assert kgfs(*arguments, env={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}).stdout == plain


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command)[:20])
def test_colours_are_as_the_user_and_the_terminal_want(kgfs: Program, there: There, command: list[str]) -> None:
    arguments = ["--store", str(there.store), *command]
    sent = kgfs.on_terminal(*arguments)
    assert SGR.search(sent)

    def text(sent: bytes) -> str:
        return re.sub(r"\d+ ms", "", "\n".join(Seen(sent).lines))

    for no_colors in ({"NO_COLOR": "1"}, {"CLICOLOR": "0"}):
        without = kgfs.on_terminal(*arguments, env=no_colors)
        assert not SGR.search(without) and text(without) == text(sent)
    for plain in (
        kgfs.on_terminal(*arguments, env={"TERM": "dumb"}),
        kgfs.on_terminal(*arguments, "--no-color"),
        kgfs.on_terminal(*arguments, "--color", "never"),
    ):
        assert b"\x1b" not in plain and text(plain) == text(sent)


def test_what_scripts_read_is_what_it_was(kgfs: Program, there: There) -> None:
    def lines(*arguments: str) -> list[str]:
        return kgfs("--store", there.store, *arguments).stdout.splitlines()

    def items(*arguments: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in lines("--json", *arguments)]

    assert lines("ls") == [item["name"] for item in items("ls")]
    assert lines("find", "topics") == [item["path"] for item in items("find", "topics")]
    expected = [f"{item['path']}:{item['text']}" for item in items("grep", "DeepMind", "documents")]
    assert lines("grep", "DeepMind", "documents") == expected
    question = ("search", "--kind", "keyword", "who bought DeepMind")
    hits = [
        hit_line(str(hit["path"]), float(str(hit["score"])), str(hit["title"]), " ".join(str(hit["snippet"]).split()))
        for hit in items(*question)
    ]
    assert lines(*question) == hits


def test_ls_is_in_columns_of_the_width(kgfs: Program, there: There) -> None:
    names = kgfs("--store", there.store, "ls", "entities/people").stdout.split()
    lengths = []
    for columns in (20, 80, 300):
        seen = Seen(kgfs.on_terminal("--store", there.store, "ls", "entities/people", columns=columns), columns)
        assert sorted(name for line in seen.lines for name in line.split()) == sorted(names)
        lengths.append(len(seen.lines))
        first = [line.split()[0] for line in seen.lines]
        assert first == names[: len(seen.lines)], "sorted downwards"
    assert lengths[2] < lengths[1] < lengths[0] <= len(names)
    seen = Seen(kgfs.on_terminal("--store", there.store, "ls", "entities"))
    assert "by_name" in " ".join(seen.styled(0, fg="blue", bold=True))
    assert "_counts.tsv" not in " ".join(seen.styled(0, fg="blue"))
    assert (
        Seen(kgfs.on_terminal("--store", there.store, "ls", "-1", "topics")).lines
        == kgfs("--store", there.store, "ls", "topics").stdout.splitlines()
    )


def test_lines_of_a_file_stand_beneath_it_with_what_matches_marked(kgfs: Program, there: There) -> None:
    plain = kgfs("--store", there.store, "grep", "-n", "-w", "[A-Z]ee[a-z]+ind|Looker", "documents").stdout.splitlines()
    seen = Seen(
        kgfs.on_terminal("--store", there.store, "grep", "-w", "[A-Z]ee[a-z]+ind|Looker", "documents", columns=5000),
        5000,
    )
    files = [row for row, line in enumerate(seen.lines) if line and not re.match(r"\d+:", line)]
    rebuilt, path = [], ""
    for row, line in enumerate(seen.lines):
        if row in files:
            path = line
            assert seen.styled(row, fg="magenta") == [line]
        elif line:
            rebuilt.append(f"{path}:{line}")
            marked = seen.styled(row, fg="red", bold=True)
            assert marked == re.findall(r"\b[A-Z]ee[a-z]+ind\b|\bLooker\b", line), line
    assert [line.split() for line in rebuilt] == [line.split() for line in plain]


def test_a_search_shows_where_and_why(kgfs: Program, there: There, tmp_path: Path) -> None:
    question = ["--store", str(there.store), "search", "--kind", "keyword", "--limit", "5", "who bought DeepMind"]
    seen = Seen(kgfs.on_terminal(*question, columns=90), 90)
    hits = [json.loads(line) for line in kgfs("--json", *question).stdout.splitlines()]
    heads = [row for row, line in enumerate(seen.lines) if re.match(r"\d \d\.\d\d ", line)]
    assert len(heads) == len(hits) == 5 and all(len(line) <= 90 for line in seen.lines)
    for row, hit in zip(heads, hits, strict=True):
        # A place that is wider than the screen goes on in the next row.
        title = [text.strip() for at in range(row, row + 3) for text in seen.styled(at, bold=True, fg="default")]
        assert hit["title"] in title
        path, line = hit["origin"].removeprefix("disk:"), hit["lines"][0]
        assert f"{pasted(path)}:{line}" in "".join(seen.lines[row : row + 2])
    marked = {word for row in range(len(seen.lines)) for word in seen.styled(row, fg="red", bold=True)}
    assert "DeepMind" in marked and {word.casefold() for word in marked} <= {"deepmind", "bought"}
    assert seen.lines[-1].startswith("5 shown, more with --limit")
    narrow = Seen(kgfs.on_terminal(*question, columns=24), 24)
    assert max(map(len, narrow.lines)) <= 24 and "DeepMind" in "\n".join(narrow.lines)


def test_a_click_leads_to_the_file_and_a_printed_path_can_be_pasted(
    kgfs: Program, there: There, tmp_path: Path
) -> None:
    for command in (
        ["ls", "entities/organizations/DeepMind"],
        ["ls", "AGENTS.md", "topics"],
        ["tree", "-L", "2", "topics"],
        ["find", "DeepMind", "-type", "f"],
        ["find", "documents/deepmind", "type=Organization"],
        ["find", str(there.mount / "topics")],
        ["grep", "-l", "DeepMind", "documents/deepmind", "/kg/AGENTS.md"],
        ["search", "--kind", "keyword", "DeepMind"],
        ["search", "--kind", "entities", "DeepMind"],
        ["brief", "who bought DeepMind"],
        ["status"],
    ):
        sent = kgfs.on_terminal("--store", there.store, *command)
        found = links(sent)
        assert found and all(os.path.lexists(path) for path in found), command
        assert not links(kgfs.on_terminal("--store", there.store, *command, env={"TERM": "dumb"}))
    brief = kgfs.on_terminal("--store", there.store, "brief", "who bought DeepMind")
    assert re.search(rb"content\.txt'?:\d+\x1b\[0m\x1b\]8;;\x1b", brief), "no fact leads to its line"
    for here in (there.mount / "entities", tmp_path):
        seen = Seen(kgfs.on_terminal("--store", there.store, "search", "--kind", "entities", "DeepMind", cwd=here), 200)
        printed = [path for row in range(len(seen.lines)) for path in seen.styled(row, fg="magenta")]
        assert printed
        for path in printed:
            subprocess.run(["bash", "-c", f"test -d {path}"], check=True, cwd=here)
    said = kgfs("--store", there.store, "--json", "status").stdout
    assert json.loads(said)["mount"]["mountpoint"] == str(there.mount)


def test_names_in_any_script_stand_in_columns_and_can_be_pasted(kgfs: Program, there: There) -> None:
    folder = f"context/disk{there.files}"
    seen = Seen(kgfs.on_terminal("--store", there.store, "ls", folder, columns=60), 60)
    assert len(seen.lines) < len(os.listdir(there.files))
    whole = kgfs.on_terminal("--store", there.store, "ls", "-1", folder).decode().split("\r\n")
    printed = [LINK.sub(b"", SGR.sub(b"", line.encode())).decode() for line in whole if line]
    read = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {' '.join(printed)}"],
        capture_output=True,
        check=True,
        env={"LC_ALL": "C.UTF-8"},
    ).stdout
    here = sorted(os.listdir(there.files))
    assert sorted(read.decode().split("\0")[:-1]) == here
    piped = kgfs("--store", there.store, "ls", folder).stdout
    assert sorted(piped.split("\n")[:-1]) == sorted("\n".join(here).split("\n"))
    # A path that find prints on a terminal is one that kgfs cat takes from a shell.
    sent = kgfs.on_terminal("--store", there.store, "--no-color", "find", folder, "-type", "f", "-name", "*s*")
    paths = sent.decode().split("\r\n")[:-1]
    assert len(paths) >= 3
    for path in paths:
        command = " ".join([*kgfs.command, "--store", f"'{there.store}'", "cat", path])
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
        assert done.stdout


def test_marks_and_breaks_of_wide_characters(kgfs: Program, there: There) -> None:
    seen = Seen(kgfs.on_terminal("--store", there.store, "grep", "羊|خروف", "documents"))
    marked = [word for row in range(len(seen.lines)) for word in seen.styled(row, fg="red", bold=True)]
    assert {"羊", "خروف"} <= set(marked)
    rows = "select '日本語' as a, 'x' as b union all select 'ab', 'y'"
    table = kgfs.on_terminal("--store", there.store, "sql", rows).decode().split("\r\n")
    assert SGR.sub(b"", table[0].encode()).decode() == "a       b"
    assert {"日本語  x", "ab      y"} <= set(table)
    off = kgfs("--store", there.store, "sql", "--table", rows).stdout.splitlines()
    assert off[0] == "a    b" and {"日本語  x", "ab   y"} <= set(off)


def test_no_control_character_of_a_text_gets_through(kgfs: Program, there: There) -> None:
    for command in (
        ["grep", "goat", "documents"],
        ["search", "--kind", "keyword", "goat"],
        ["brief", "goat"],
        ["ls", "documents"],
    ):
        sent = kgfs.on_terminal("--store", there.store, *command)
        assert b"goat" in sent or b"Evil" in sent or b"evil" in sent
        rest = LINK.sub(b"", SGR.sub(b"", sent))
        assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", rest) and "\x9b" not in rest.decode()
        assert b"\x1b[31mred" not in sent


def test_status_tells_good_from_bad_by_colour(kgfs: Program, there: There) -> None:
    def noticed() -> bytes:
        """The status, once it tells of the change: what was looked at a moment ago is not looked at again."""
        sent = kgfs.on_terminal("--store", there.store, "status", columns=300)
        return sent if b"file changed" in sent else b""

    (there.files / "plain.md").write_text("# Changed\n", "utf-8")
    try:
        seen = Seen(until(noticed), 300)
    finally:
        (there.files / "plain.md").write_text("# Title of plain.md\n\nA sheep, 羊, خروف.\n", "utf-8")
    rows = {line.split()[0]: row for row, line in enumerate(seen.lines) if not line.startswith(" ")}
    assert seen.styled(rows["Store"], fg="green") == ["healthy"] and seen.styled(rows["Errors"], fg="green") == ["none"]
    assert "1 file changed" in seen.styled(rows["Sources"], fg="brown")
    narrow = Seen(kgfs.on_terminal("--store", there.store, "status", columns=40), 40)
    assert all(line.startswith(" " * 9) or re.match(r"[A-Z][a-z]+ +\S", line) for line in narrow.lines)


def test_a_picture_of_a_place_goes_to_the_terminal(kgfs: Program, there: There) -> None:
    kitty = "\x1b_Gi=31;OK\x1b\\\x1b[?62;c"
    for place in ("DeepMind", "entities/organizations/DeepMind", "entities/by_name/DeepMind/timeline.svg", "/"):
        sent = kgfs.on_terminal("--store", there.store, "open", "--terminal", place, answer=kitty)
        assert b"\x1b_Ga=T,f=100" in sent and b"iVBORw0KGgo" in sent, sent[:300]
    for place, said in (("AGENTS.md", b"has no picture"), ("facts", b"has no picture"), ("DepMind", b"did you mean")):
        assert said in kgfs.on_terminal("--store", there.store, "open", "--terminal", place)
    plain = kgfs.on_terminal("--store", there.store, "open", "--terminal", "DeepMind", answer="\x1b[?62;c")
    assert b"This terminal shows no pictures" in plain
    done = kgfs("--store", there.store, "open", "--terminal", "DeepMind", status=2)
    assert "is no terminal" in done.stderr
