"""``kgfs agent-setup``: files of other agents get what is ours, and lose nothing."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.cli.agents.agent_programs import PROGRAMS, NotMerged, adding_command, instructions, with_block, with_server
from tests.conftest import Program

COMMAND = ["/usr/bin/kgfs", "--store", '/home/ann/it\'s "here"', "mcp"]
IN_JSON = [program for program in PROGRAMS.values() if program.form == "json"]
CODEX = PROGRAMS["codex"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(), some, max_size=3),
    max_leaves=8,
)


@given(st.text(), st.text(min_size=1))
def test_a_block_is_put_once_and_taken_for_ours_again(text: str, other: str) -> None:
    try:
        once = with_block(text, "one\n")
    except NotMerged:
        assert "kgfs: begin" in text or "kgfs: end" in text
        return
    assert once.startswith(text) and with_block(once, "one\n") == once
    assert with_block(once, "two\n") == once.replace("one\n", "two\n") or "one\n" in text
    more = once + other
    assert with_block(more, "one\n").startswith(once) and with_block(more, "one\n").endswith(other)


def test_marks_that_are_no_pair_are_not_guessed_at() -> None:
    whole = with_block("mine\n", "ours\n")
    begin, end = whole.splitlines()[-3], whole.splitlines()[-1]
    for text in (begin, end, f"{end}\n{begin}\n", whole + whole):
        with pytest.raises(NotMerged):
            with_block(text, "ours\n")


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_json_keeps_what_is_there(settings: dict[str, Any]) -> None:
    for program in IN_JSON:
        text = json.dumps(settings)
        try:
            merged = with_server(program, text, COMMAND)
        except NotMerged:
            assert not isinstance(settings[program.keys[0]], dict) or "kgfs" in settings[program.keys[0]]
            continue
        after = json.loads(merged)
        assert after[program.keys[0]].pop("kgfs") == program.entry(COMMAND)
        before = {**settings, program.keys[0]: settings.get(program.keys[0], {})}
        assert after == before and with_server(program, merged, COMMAND) == merged


@pytest.mark.parametrize(
    "before",
    [
        "",
        '# mine\nmodel = "x" # why\n',
        '[mcp_servers.other]\ncommand = "x" # keep\n',
        '[mcp_servers.kgfs]\ncommand = "/old/kgfs"\nargs = ["mcp"]\n\n[other]\na = 1\n',
        'mcp_servers = { other = { command = "x" } }\n',
        'mcp_servers.other.command = "x"\n[profile]\na = 1\n',
    ],
)
def test_toml_keeps_what_is_there(before: str) -> None:
    merged = with_server(CODEX, before, COMMAND)
    after, old = tomllib.loads(merged), tomllib.loads(before)
    assert after["mcp_servers"].pop("kgfs") == CODEX.entry(COMMAND)
    old.setdefault("mcp_servers", {}).pop("kgfs", None)
    assert after == old and with_server(CODEX, merged, COMMAND) == merged
    for comment in ("# mine", "# why", "# keep"):
        assert (comment in merged) == (comment in before)


@pytest.mark.parametrize(
    ("program", "text", "said"),
    [
        ("cursor", '{"mcpServers": {} // a comment\n}', "not plain JSON"),
        ("cursor", '{"mcpServers": []}', "something else"),
        ("cursor", "[]", "something else"),
        ("cursor", '{"mcpServers": {"kgfs": {"command": "npx", "args": ["kgfs", "serve"]}}}', "not one of ours"),
        ("cursor", '{"mcpServers": {"kgfs": {"url": "https://example.com/mcp"}}}', "not one of ours"),
        ("codex", "a = = 1", "not valid TOML"),
        ("codex", "mcp_servers = 1", "something else"),
        ("codex", "[mcp_servers.kgfs]\nurl = 'https://example.com'", "not one of ours"),
    ],
)
def test_what_cannot_be_merged_is_said(program: str, text: str, said: str) -> None:
    with pytest.raises(NotMerged, match=said):
        with_server(PROGRAMS[program], text, COMMAND)


def test_the_words_for_a_shell_stay_quoted() -> None:
    text = instructions(Path("/tmp/it's\n## System"))
    assert "cat '/tmp/it'\"'\"'s" in text and "\n## System" not in text
    assert len(instructions(Path("/kg"))) < 700
    for name in ("claude-code", "vscode"):
        added = adding_command(PROGRAMS[name], COMMAND)
        assert added and "it'\"'\"'s" in added


def test_it_is_put_in_place_once(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    project, mount = tmp_path / "project", tmp_path / "kg"
    (project / ".codex").mkdir(parents=True)
    (project / "CLAUDE.md").write_text("Mine.")
    (project / "real.toml").write_text("model = 'x' # mine\n")
    (project / "real.toml").chmod(0o600)
    (project / ".codex" / "config.toml").symlink_to("../real.toml")
    (project / ".cursor").mkdir()
    (project / ".cursor" / "mcp.json").write_text('{ // mine\n"mcpServers": {}}')

    def setup(*arguments: str, status: int = 0) -> list[dict[str, str]]:
        done = kgfs(
            "--store", light_store, "agent-setup", *arguments, "--at", mount, "--json", cwd=project, status=status
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    assert [part["state"] for part in setup("claude-code")] == ["changed", "new"]
    assert sorted(os.listdir(project)) == [".codex", ".cursor", "CLAUDE.md", "real.toml"]
    assert [part["state"] for part in setup("claude-code", "--write")] == ["written", "written"]
    assert [part["state"] for part in setup("claude-code", "--write")] == ["there", "there"]
    text = (project / "CLAUDE.md").read_text()
    assert text.startswith("Mine.\n\n<!-- kgfs") and f"{mount}/@brief/" in text
    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["kgfs"]
    assert server["args"][-3:] == ["--store", str(light_store.resolve()), "mcp"]

    assert [part["state"] for part in setup("codex", "--write", "--only", "mcp")] == ["written"]
    assert (project / ".codex" / "config.toml").is_symlink()
    assert (project / "real.toml").read_text().startswith("model = 'x' # mine\n")
    assert (project / "real.toml").stat().st_mode & 0o777 == 0o600

    refused = setup("cursor", "--write", "--only", "mcp", status=1)[0]
    assert refused["state"] == "refused" and "kgfs" in refused["content"]
    assert (project / ".cursor" / "mcp.json").read_text().startswith("{ // mine")
    assert not list(project.rglob(".*.json.*")) and not list(project.rglob("*.new"))


def test_each_program_prints_something(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    listed = kgfs("agent-setup").stdout
    assert all(name in listed for name in PROGRAMS)
    for name in PROGRAMS:
        for option in ([], ["--user"]):
            done = kgfs("--store", light_store, "agent-setup", name, *option, "--at", "/kg", cwd=folder)
            assert "@brief" in done.stdout or "mcp" in done.stdout
    bare = kgfs("--store", light_store, "agent-setup", "codex", cwd=folder)
    assert "not mounted" in bare.stderr and "@brief" not in bare.stdout
    assert os.listdir(folder) == []
