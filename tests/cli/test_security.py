"""docs/security.md and docs/faults.md: every claim has a test, and the claims that have no better place."""

from __future__ import annotations

import ast
import os
import re
import stat
import subprocess
from functools import cache
from pathlib import Path

import pytest

from kgfs.config import CONFIG
from tests.conftest import ROOT, Mounting, Program

PAGE = ROOT / "docs" / "security.md"
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")


@cache
def known_tests() -> dict[str, set[str]]:
    """The tests by the file's name."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "tests").rglob("*.py"):
        functions = {one.name for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, ast.FunctionDef)}
        found.setdefault(path.name, set()).update(functions)
    return found


def test_every_claim_has_a_test_that_exists() -> None:
    there = known_tests()
    claims = 0
    table = ""
    for line in PAGE.read_text().splitlines():
        if not line.startswith("|"):
            table = ""
            continue
        if not table:
            table = line
        if table == "| claim | test |" and line not in (table, "|---|---|"):
            named = TEST.findall(line)
            assert named, f"no test: {line}"
            for file, test in named:
                assert test in there.get(file, set()), f"{file}::{test} is no test"
            claims += 1
    assert claims > 30
    assert len(TEST.findall(PAGE.read_text())) > 60


def test_every_fault_has_a_test_that_exists() -> None:
    there = known_tests()
    named = TEST.findall((ROOT / "docs" / "faults.md").read_text())
    assert len(named) > 25
    for file, test in named:
        assert test in there.get(file, set()), f"{file}::{test} is no test"


def test_every_setting_that_is_the_users_is_named() -> None:
    from kgfs.config import whose

    row = next(line for line in PAGE.read_text().splitlines() if line.startswith("| the user |"))
    assert set(re.findall(r"`(\w+)`", row)) == {name for name, who in whose().items() if who == "user"}


def test_what_is_made_is_closed_to_others(kgfs: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    before = os.umask(0)
    try:
        kgfs("--store", tmp_path / "store", "init")
        kgfs("--store", tmp_path / "store", "config", "llm_base_url", "http://127.0.0.1:9")
        kgfs("config", "--user", "llm_model", "mine")
    finally:
        os.umask(before)
    own = tmp_path / "config" / "kgfs"
    places = [tmp_path / "store", tmp_path / "store" / CONFIG, own, own / CONFIG, *own.rglob("*")]
    assert len(places) >= 6
    for place in places:
        assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0, place


@pytest.mark.mount
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can look as another user")
def test_a_mount_is_for_its_user_alone(light_store: Path, mount: Mounting) -> None:
    place = mount(light_store)
    looked = subprocess.run(
        ["/bin/ls", "."], cwd=place, user=12345, group=12345, extra_groups=[], capture_output=True, text=True
    )  # fmt: skip
    assert looked.returncode != 0 and "Permission denied" in looked.stderr


@pytest.mark.mount
def test_the_files_of_the_store_are_not_in_the_tree(
    kgfs: Program, light_store: Path, tmp_path: Path, mount: Mounting
) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nAnn Lee founded Acme Corp in 1999.\n")
    kgfs("--store", light_store, "add", tmp_path / "note.md")
    place = mount(light_store)
    inside = {name for _, folders, files in os.walk(place) for name in (*folders, *files)}
    assert "note.md" in inside
    assert not inside & {path.name for path in light_store.iterdir() if path.name != "errors.jsonl"}
    for way in (light_store / CONFIG, "/etc/hostname", "../" * 30 + "etc/hostname"):
        for command in ("cat", "ls", "stat"):
            assert kgfs("--store", light_store, command, f"disk:{way}", status=None).returncode != 0
            told = kgfs("--store", light_store, command, str(way), status=None)
            assert told.returncode != 0, told.stdout
