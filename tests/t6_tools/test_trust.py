"""A store, a folder or a user of the machine that means harm: whose word counts, by the commands of a user.

The attacker hands over a backup, a folder to add, or a `.kgfs/` that lies upward of where the user works. The servers
that must not be reached are real ones on this machine; commands that must not run leave a file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llm_server import LlmServer, until
from test_commands import error_of
from web_server import WebServer, page

from kgfs import mounts
from kgfs.config import CONFIG
from tests.conftest import Mounting, Program, copy_store

KEY = {"ANTHROPIC_API_KEY": "sk-of-the-user"}
MODULES = ("msgspec", "torch", "numpy", "kgfs", "mountd", "spacy", "lancedb", "mcp")


@pytest.fixture
def their_server() -> Iterator[LlmServer]:
    """A server that speaks the Messages API and belongs to somebody else."""
    with LlmServer(lambda request: {}) as server:
        yield server


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's configuration directory, empty."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "kgfs"


def wish(store: Path, **settings: Any) -> None:
    """Write settings into a store as whoever hands it over would: not by a command of the user."""
    file = store / CONFIG
    known = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(known | settings))


def mcp_file(place: Path, marker: Path) -> Path:
    """Settings of MCP servers with a command that leaves ``marker``."""
    place.write_text(json.dumps({"mcpServers": {"wiki": {"command": "/usr/bin/touch", "args": [str(marker)]}}}))
    return place


@pytest.fixture
def gift(kgfs: Program, pristine_light_store: Path, tmp_path: Path, own: Path, their_server: LlmServer) -> Path:
    """A backup of a store that wishes a server for its language model and a command for its pages."""
    theirs = copy_store(pristine_light_store, tmp_path / "theirs")
    wish(theirs, llm_base_url=their_server.url, mcp_settings=str(mcp_file(tmp_path / "mcp.json", tmp_path / "ran")))
    kgfs("--store", theirs, "backup", tmp_path / "gift.kgfs")
    return tmp_path / "gift.kgfs"


@pytest.mark.mount
def test_a_restored_store_gets_neither_key_nor_note(
    kgfs: Program, gift: Path, tmp_path: Path, their_server: LlmServer, mount: Mounting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in KEY.items():
        monkeypatch.setenv(name, value)  # of the daemon, too
    # Should anything be asked, then not the real server.
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    store = tmp_path / "store"
    said = kgfs("--store", store, "restore", gift)
    place = mount(store)
    (place / "notes" / "secret.md").write_text("# Secret\n\nAnn Lee founded Acme Corp in 1999.\n")
    kgfs("--store", store, "wait", status=None)
    kgfs("--store", store, "umount", place)
    kgfs("--store", store, "add", tmp_path / "mcp.json", "--extractor", "llm", status=None)
    assert their_server.headers == []
    assert not (tmp_path / "ran").exists()
    assert "llm_base_url" in said.stderr and "kgfs trust" in said.stderr


def test_adding_a_page_runs_no_command_of_the_store(
    kgfs: Program, gift: Path, tmp_path: Path, their_server: LlmServer
) -> None:
    store = tmp_path / "store"
    kgfs("--store", store, "restore", gift)
    with WebServer() as web:
        web.pages["/post"] = page("A post", "By plain HTTP.")
        own_model = {**KEY, "ANTHROPIC_BASE_URL": their_server.url}  # here the server is the user's own choice
        said = kgfs(
            "--store", store, "add", "--allow-private", "--extractor", "none", web.url("/post"), env=own_model,
            status=5,  # the folder of its embedding model is a wish too, so there are no vectors
        )  # fmt: skip
    assert not (tmp_path / "ran").exists()
    assert their_server.headers == [], "without MCP servers no model is asked for a page"
    assert "mcp_settings" in said.stderr and "kgfs trust" in said.stderr


# --- a folder to work in ---------------------------------------------------------------------------------------------


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder that was unpacked: Python modules by the names of those that kgfs imports, each leaving a file."""
    folder = tmp_path / "trap"
    folder.mkdir()
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r} + chr(10))\n")
    described = folder / "evil-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text("[kgfs.drives]\nevil = trio:place\n")
    (folder / "note.md").write_text("# Note\n\nAnn Lee founded Acme Corp in 1999.\n")
    return folder


def in_folder(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """``kgfs`` as the installed program starts it, in a folder."""
    command = [sys.executable, "-P", "-m", "kgfs.cli.main", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_no_code_of_the_folder_that_one_stands_in_runs(light_store: Path, trap: Path, tmp_path: Path) -> None:
    said = in_folder(trap, "--store", light_store, "add", ".")
    ran = tmp_path / "ran"
    assert not ran.exists(), ran.read_text()
    assert said.returncode == 0, said.stderr
    said = in_folder(trap, "--store", light_store, "search", "Acme")
    assert said.returncode == 0 and "Acme" in said.stdout
    assert not ran.exists(), ran.read_text()


@pytest.mark.mount
@pytest.mark.parametrize("options", [[], ["-f"]], ids=["apart", "in the foreground"])
def test_no_code_of_the_folder_that_one_mounts_from_runs(
    light_store: Path, trap: Path, tmp_path: Path, options: list[str]
) -> None:
    command = [sys.executable, "-P", "-m", "kgfs.cli.main", "--store", light_store, "mount", tmp_path / "kg", *options]
    process = subprocess.Popen(command, cwd=trap, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: mounts.mount_at(tmp_path / "kg") is not None or process.poll() not in (None, 0), 60)
        in_folder(trap, "--store", light_store, "search", "Acme")
    finally:
        if mounts.mount_at(tmp_path / "kg") is not None:
            mounts.unmount(tmp_path / "kg", lazy=True)
        process.wait(60)
    assert process.returncode == 0 and not (tmp_path / "ran").exists()
