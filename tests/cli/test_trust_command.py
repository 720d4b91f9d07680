"""A store, a folder or a user of the machine that means harm: whose word counts, by the commands of a user.

The attacker hands over a backup, a folder to add, or a `.kgfs/` that lies upward of where the user works. The servers
that must not be reached are real ones on this machine; commands that must not run leave a file.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import _duckdb as duckdb
import pytest
from llm_server import LlmServer
from web_server import WebServer, page

from kgfs import mounts
from kgfs.cli.declaration import Invocation
from kgfs.config import CATALOG, CONFIG
from tests.cli.test_commands import error_of
from tests.conftest import Mounting, Program, copy_store
from tests.waiting import until

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
    """Write settings into a store as a person who hands it over would, not by a command of the user."""
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
    store = tmp_path / "store"
    said = kgfs("--store", store, "restore", gift)
    with LlmServer(lambda request: {}, key="another") as refusing:  # in the place of the real server
        monkeypatch.setenv("ANTHROPIC_BASE_URL", refusing.url)
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


@pytest.mark.slow
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


# --- kgfs trust ------------------------------------------------------------------------------------------------------


def listed(kgfs: Program, store: Path, *arguments: str, status: int = 0) -> dict[str, tuple[Any, bool]]:
    said = kgfs("--json", "--store", store, "trust", *arguments, status=status).stdout
    return {one["name"]: (one["value"], one["trusted"]) for one in map(json.loads, said.splitlines())}


@pytest.fixture
def plain(kgfs: Program, own: Path, tmp_path: Path) -> Path:
    """An empty store of the user's."""
    kgfs("--store", tmp_path / "plain", "init")
    return tmp_path / "plain"


def test_wishes_are_shown_and_trusted_by_name(kgfs: Program, plain: Path, tmp_path: Path, own: Path) -> None:
    assert listed(kgfs, plain) == {}
    wish(plain, llm_base_url="http://127.0.0.1:9/", mcp_settings="/theirs.json", parse_memory_bytes=1 << 40)
    wishes: dict[str, Any] = {
        "llm_base_url": "http://127.0.0.1:9/", "mcp_settings": "/theirs.json", "parse_memory_bytes": 1 << 40,
    }  # fmt: skip
    assert listed(kgfs, plain) == {name: (value, False) for name, value in wishes.items()}
    said = kgfs("--store", plain, "status").stdout
    assert "Ignored  llm_base_url, mcp_settings, parse_memory_bytes, protected settings" in said
    assert json.loads(kgfs("--json", "--store", plain, "status").stdout)["ignored"] == wishes
    shown = kgfs("--store", plain, "config")
    assert "http://127.0.0.1:9/" not in shown.stdout and shown.stderr.count("\n") == 1
    assert listed(kgfs, plain, "llm_base_url")["llm_base_url"] == ("http://127.0.0.1:9/", True)
    assert kgfs("--store", plain, "config", "llm_base_url").stdout == "http://127.0.0.1:9/\n"
    assert "mcp_settings" in error_of(kgfs("--store", plain, "trust", "search_limit", status=3))
    wish(plain, llm_base_url="http://127.0.0.1:10/")  # another value asks anew
    assert listed(kgfs, plain)["llm_base_url"] == ("http://127.0.0.1:10/", False)
    doctor = kgfs("--json", "--store", plain, "doctor", status=None).stdout
    (settings,) = (one for one in map(json.loads, doctor.splitlines()) if one["check"] == "settings")
    assert settings["state"] == "note" and "llm_base_url" in settings["message"]
    assert all(is_trusted for _, is_trusted in listed(kgfs, plain, "--all").values())
    copy = tmp_path / "copy"  # and so does another store
    subprocess.run(["cp", "-a", plain, copy], check=True)
    assert not any(is_trusted for _, is_trusted in listed(kgfs, copy).values())
    kgfs("--store", plain, "trust", "--revoke", "--all")
    assert not any(is_trusted for _, is_trusted in listed(kgfs, plain).values())
    kgfs("--store", plain, "trust", "--revoke", "llm_base_url", status=3)
    kgfs("--store", plain, "trust", "--revoke", status=2)
    kgfs("--store", plain, "trust", "--all", "llm_base_url", status=2)


def test_what_the_user_sets_needs_no_further_word(kgfs: Program, plain: Path, tmp_path: Path) -> None:
    said = kgfs("--store", plain, "config", "llm_base_url", "http://127.0.0.1:9/")
    assert "ignored" not in said.stderr
    assert listed(kgfs, plain) == {"llm_base_url": ("http://127.0.0.1:9/", True)}
    kgfs("--store", plain, "config", "mcp_settings", "mcp.json", cwd=tmp_path)
    assert kgfs("--store", plain, "config", "mcp_settings").stdout == f"{tmp_path}/mcp.json\n", "wherever it is read"
    kgfs("config", "--user", "llm_model", "mine")
    assert kgfs("--store", plain, "config", "llm_model").stdout == "mine\n"
    assert json.loads(kgfs("--json", "config", "--user").stdout) == {"llm_model": "mine"}
    kgfs("config", "--user", "search_limit", "3", status=2)
    kgfs("--store", plain, "backup", tmp_path / "mine.kgfs")
    kgfs("--store", plain, "trust", "--all")
    subprocess.run(["rm", "-r", plain], check=True)
    said = kgfs("--store", plain, "restore", tmp_path / "mine.kgfs")  # to the very place where it was trusted
    assert "This store asks for llm_base_url and mcp_settings" in said.stderr
    assert not any(is_trusted for _, is_trusted in listed(kgfs, plain).values())


def test_what_a_wish_says_cannot_paint_the_terminal(kgfs: Program, plain: Path) -> None:
    wish(plain, llm_base_url="http://a\x1b[2J\nllm_model  trusted  x")
    shown = subprocess.run(
        ["script", "-qec", f"{sys.executable} -m kgfs.cli.main --store {plain} trust", "/dev/null"],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    assert b"\x1b" not in shown and shown.count(b"\n") == 1


# --- a store that lies upward ----------------------------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_a_store_upward_that_another_user_owns_is_refused(
    kgfs: Program, pristine_light_store: Path, own: Path, tmp_path: Path
) -> None:
    store = copy_store(pristine_light_store, tmp_path / "shared" / ".kgfs")
    here = tmp_path / "shared" / "deep"
    here.mkdir()
    assert kgfs("status", cwd=here).stdout.startswith(f"Store    {store}")
    os.chown(store, 12345, 12345)
    for command in (["status"], ["ls", "/"], ["add", "."], ["mount", str(tmp_path / "kg")], ["config"], ["trust"]):
        refused = kgfs(*command, cwd=here, status=1)
        assert f"{store} belongs to the user 12345, so it is not used unasked" in error_of(refused)
    assert kgfs("--store", store, "ls", "/", cwd=here).stdout
    assert listed(kgfs, store, "directory")["directory"] == ("belongs to the user 12345", True)
    assert kgfs("ls", "/", cwd=here).stdout
    os.chown(store, 12346, 12346)
    kgfs("ls", "/", cwd=here, status=1)
    daemon = subprocess.run(
        [sys.executable, "-m", "mountd", str(tmp_path / "kg")], cwd=here, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert daemon.returncode == 1 and daemon.stderr.startswith("mountd: ") and daemon.stderr.count("\n") == 1


@pytest.mark.mount
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_the_store_of_a_mount_that_one_stands_in_is_looked_at_too(
    kgfs: Program, light_store: Path, own: Path, mount: Mounting
) -> None:
    place = mount(light_store)
    assert kgfs("ls", "/", cwd=place).stdout
    os.chown(light_store, 12345, 12345)
    assert "belongs to the user 12345" in error_of(kgfs("ls", "/", cwd=place, status=1))
    os.chown(light_store, 0, 0)


# --- the rows of a store ---------------------------------------------------------------------------------------------


@pytest.mark.mount
def test_no_row_of_a_store_makes_a_link_that_leaves_the_mount(
    kgfs: Program, light_store: Path, tmp_path: Path, mount: Mounting
) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nAnn Lee founded Acme Corp in 1999.\n")
    kgfs("--store", light_store, "add", tmp_path / "note.md", "--extractor", "offline")
    (tmp_path / "secret").write_text("what only the user may read")
    out = "../" * 20 + str(tmp_path / "secret")[1:]
    with contextlib.closing(duckdb.connect(str(light_store / CATALOG))) as connection:
        ((acme,),) = connection.execute("SELECT id FROM entities WHERE slug = 'Acme_Corp'").fetchall()
        connection.execute("UPDATE entities SET slug = ? WHERE id = ?", [out, acme])
        connection.execute("INSERT INTO entity_aliases VALUES (1, ?, 'Acme', 'Acme', 'acme')", [acme])
        connection.execute("UPDATE sources SET path = ?", [f"/{out}"])
        connection.execute("UPDATE facts SET type = ?", [out])
    place = mount(light_store)
    link = place / "entities/by_name/Acme"
    assert link.is_symlink(), "the alias is there"
    for look in (os.readlink, lambda path: Path(path).read_text()):
        with pytest.raises(OSError) as failed:
            look(link)
        assert failed.value.errno == errno.EIO
    refused = kgfs("--store", light_store, "cat", "entities/by_name/Acme", status=1)
    assert "kgfs fsck" in error_of(refused)
    links = 0
    for directory, folders, files in os.walk(place, onerror=None):
        for name in (*folders, *files):
            with contextlib.suppress(OSError):
                target = os.path.normpath(os.path.join(directory, os.readlink(os.path.join(directory, name))))
                assert target.startswith(str(place)), f"{directory}/{name}"
                links += 1
    assert links > 10


@pytest.mark.parametrize("tell", [Invocation.note, Invocation.warn])
def test_no_message_paints_the_terminal(
    tell: Callable[[Invocation, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Messages quote names of files, what servers say, and warnings of stores."""
    tell(Invocation(), "  http://a/ said: \x1b]0;owned\x07\r\nkgfs: all is well\x9b2J")
    said = "".join(capsys.readouterr())
    assert said.startswith("  http://a/ said: ") and said.count("\n") == 1
    assert said[:-1].isprintable()
