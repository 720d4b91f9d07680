"""``kgfs run`` as a user runs it: what it passes on, what it refuses, and what the audit trail has of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.errors import KgfsError, NotFoundError, UsageError
from kgfs.sandbox import bubblewrap, places, system_calls
from tests.conftest import Program
from tests.sandbox.sandboxed import Sandboxed, sandboxed

pytestmark = pytest.mark.mount


@pytest.fixture(scope="module")
def inside(kgfs: Program) -> Iterator[Sandboxed]:
    with sandboxed(kgfs) as one:
        yield one


def records(inside: Sandboxed) -> list[dict[str, object]]:
    """The runs that the audit trail has, latest first."""
    said = inside.kgfs("--store", inside.store, "--json", "audit", "--name", "run").stdout
    return [json.loads(line) for line in said.splitlines()]


@pytest.mark.parametrize(
    ("script", "status"), [("true", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -SEGV $$", 139), ("nowhere", 127)]
)
def test_the_exit_status_is_that_of_the_command(inside: Sandboxed, script: str, status: int) -> None:
    inside("--", "sh", "-c", script, status=status)


def test_a_program_that_is_not_there(inside: Sandboxed) -> None:
    assert "nowhere" in inside("--", "nowhere", status=127).stderr
    inside("--", "/usr", status=126)


def test_options_after_the_command_are_its_own(inside: Sandboxed) -> None:
    assert inside("echo", "--net", "-q").stdout == inside("--", "echo", "--net", "-q").stdout == "--net -q\n"
    assert inside("--", "printf", "%s|", "a b", "", "é\\n").stdout == "a b||é\\n|"


def test_a_command_that_closes_its_output_goes_on(inside: Sandboxed) -> None:
    inside("--", "sh", "-c", "exec <&- >&- 2>&-; sleep 0.3; exit 5", status=5)


def test_both_outputs_are_passed_on(inside: Sandboxed) -> None:
    done = inside("--", "sh", "-c", "echo out; echo err >&2")
    assert (done.stdout, done.stderr) == ("out\n", "err\n")


def test_work_on_the_mount(inside: Sandboxed) -> None:
    inside("--", "sh", "-c", "echo by it > notes/ran.md && ls entities > workspace/seen && ln -s seen workspace/link")
    assert (inside.mountpoint / "notes/ran.md").read_text() == "by it\n"
    assert (inside.workspace / "link").read_text().split() == sorted(os.listdir(inside.mountpoint / "entities"))


def test_read_only(inside: Sandboxed) -> None:
    done = inside("--read-only", "--", "sh", "-c", "cat AGENTS.md > /tmp/copy; echo > notes/new.md", status=None)
    assert done.returncode != 0 and "Read-only file system" in done.stderr
    assert not (inside.mountpoint / "notes/new.md").exists()


def test_what_the_audit_trail_has(inside: Sandboxed) -> None:
    before = len(records(inside))
    inside("--read-only", "--", "sh", "-c", "printf 12345; sleep 0.2")
    inside("--", "sh", "-c", "exit 3", status=3)
    inside("--timeout", "0.5", "--", "sleep", "1000", status=124)
    ended, failed, good = found = records(inside)[:3]
    assert len(records(inside)) == before + len(found)
    assert good["parameters"] == {
        "command": ["sh", "-c", "printf 12345; sleep 0.2"], "net": False, "read_only": True, "unsafe": False,
        "added": [],
    }  # fmt: skip
    assert good["status"] == "success" and good["result"] == {"exit_status": 0, "ended": "exit", "output_bytes": 5}
    assert good["command"] == "run" and isinstance(good["elapsed_us"], int) and good["elapsed_us"] >= 200_000
    assert (failed["status"], failed["error"]) == ("error", "exit status 3 (exit)")
    assert (ended["status"], ended["error"]) == ("error", "exit status 124 (time)")


def test_secrets_are_not_recorded(inside: Sandboxed) -> None:
    key = "sk-ant-" + "a1B2c3D4" * 5
    inside("--", "true", f"ANTHROPIC_API_KEY={key}")
    assert key not in json.dumps(records(inside)[0])


def test_the_directory_of_a_session(inside: Sandboxed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "There is no session 'none'" in inside("--session", "none", "--", "true", status=3).stderr
    inside("--session", "../workspace", "--", "true", status=2)
    # A directory of the workspace stands for one: what is shown is a directory of the mount and nothing above it.
    monkeypatch.setattr(places, "SESSIONS", "workspace")
    (inside.workspace / "draft").mkdir()
    (inside.workspace / "draft" / "only").write_text("this")
    (inside.workspace / "link").unlink(missing_ok=True)
    (inside.workspace / "link").symlink_to("draft")
    place = places.mounted_place(inside.store, "draft", "")
    assert place == inside.workspace / "draft"
    for name in ("link", "missing"):
        with pytest.raises(NotFoundError):
            places.mounted_place(inside.store, name, "")
    for name in ("", ".", "..", "a/b", "/"):
        with pytest.raises(UsageError):
            places.mounted_place(inside.store, name, "")
    bubblewrap.require(bubblewrap.View(mounted=place))
    with bubblewrap.prepared(bubblewrap.View(mounted=place)) as sandbox:
        said = subprocess.run(
            [*sandbox.prefix, "sh", "-c", "ls /kg; ls /kg/..; cat /kg/../AGENTS.md"],
            pass_fds=sandbox.descriptors, env={}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert said.stdout.split()[0] == "only" and "AGENTS.md" not in said.stdout and said.returncode != 0


def test_a_store_that_is_not_mounted(kgfs: Program, tmp_path: Path) -> None:
    kgfs("--store", tmp_path / "store", "init")
    said = kgfs("--store", tmp_path / "store", "run", "--", "true", status=3).stderr
    assert "is not mounted; run `kgfs mount ~/kg`" in said and said.count("\n") == 1


def test_without_bubblewrap(inside: Sandboxed, tmp_path: Path) -> None:
    before = len(records(inside))
    said = inside("--", "true", status=1, env={"PATH": str(tmp_path)}).stderr
    assert said == (
        "kgfs: There is no bwrap in PATH; install the package bubblewrap, or `--unsafe` runs without a sandbox.\n"
    )
    assert len(records(inside)) == before


def test_without_namespaces(inside: Sandboxed, tmp_path: Path) -> None:
    """bubblewrap is there, and the kernel refuses it namespaces."""
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    said = inside("--", "touch", "/kg/workspace/touched", status=1, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert "No sandbox can be made here (No permissions to create new namespace)" in said.stderr
    assert said.stderr.count("\n") == 1 and not (inside.workspace / "touched").exists()


def test_without_the_library_of_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_calls, "LIBRARY", "libnowhere.so.2")
    with pytest.raises(KgfsError, match="install the package libseccomp2"):
        bubblewrap.require(bubblewrap.View(mounted=Path("/usr")))


def test_unsafe_is_said_and_has_limits(inside: Sandboxed, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("seen")
    without = tmp_path / "bin"
    without.mkdir()
    for name in ("prlimit", "sh", "cat", "head", "sleep"):
        program = next(Path(folder, name) for folder in bubblewrap.PATH.split(":") if Path(folder, name).exists())
        (without / name).symlink_to(program)
    plain = {"env": {"PATH": str(without)}}
    done = inside("--unsafe", "--", "sh", "-c", f"cat {tmp_path}/outside; cat AGENTS.md; exit 4", status=4, **plain)
    assert done.stdout.startswith("seen") and "#" in done.stdout
    assert done.stderr == "There is no sandbox: the command may read and change whatever you may.\n"
    parameters = records(inside)[0]["parameters"]
    assert isinstance(parameters, dict) and parameters["unsafe"] is True
    inside("--unsafe", "--timeout", "0.5", "--", "sh", "-c", "sleep 1000 & sleep 1000", status=124, **plain)
    cut = inside("--unsafe", "--output", "1K", "--", "head", "-c", "1M", "/dev/zero", status=137, **plain)
    assert len(cut.stdout) == 1024
    inside("--unsafe", "--read-only", "--", "true", status=2)
    inside("--unsafe", "--add-dir", tmp_path, "--", "true", status=2)


def test_added_directories(inside: Sandboxed, tmp_path: Path) -> None:
    """They have their real path inside; location decides what may be changed, and nothing else becomes visible."""
    outer, kept, secret = tmp_path / "outer", tmp_path / "outer" / "kept", tmp_path / "secret"
    kept.mkdir(parents=True)
    secret.write_text("secret")
    (outer / "link").symlink_to(secret)
    (tmp_path / "alias").symlink_to(outer)
    script = (
        f"cd {outer} && echo made > made; echo made > kept/made; cat link; ls -A {tmp_path};"
        f" echo > {tmp_path}/beside && echo scratch"
    )
    done = inside("--add-dir", f"{kept}:ro", "--add-dir", tmp_path / "alias", "--", "sh", "-c", script)
    assert done.stdout == "outer\nscratch\n"
    assert (outer / "made").read_text() == "made\n" and not (kept / "made").exists()
    assert not (tmp_path / "beside").exists() and done.stderr.count("Read-only file system") == 1
    inside("--read-only", "--add-dir", outer, "--", "sh", "-c", f"echo > {outer}/made", status=2)
    assert (outer / "made").read_text() == "made\n"


def test_directories_that_cannot_be_added(inside: Sandboxed, tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(inside.store)
    (home / ".ssh").mkdir(exist_ok=True)
    refused = [
        "/", "/etc", "/usr/lib", "/bin", "/proc/self", "/dev", "/tmp", inside.store, inside.store.parent,
        inside.store / "index", tmp_path / "link", inside.mountpoint, inside.mountpoint / "workspace", home,
        home.parent, home / ".ssh", tmp_path / "file", tmp_path / "nothing", "", ":ro",
    ]  # fmt: skip
    for directory in refused:
        with pytest.raises(KgfsError):
            places.added_directory(str(directory), inside.store)
    said = inside("--add-dir", inside.store, "--", "true", status=2).stderr
    assert said.count("\n") == 1 and "which only the mount may change" in said
    odd = tmp_path / "odd\nname:ro"
    odd.mkdir()
    assert places.added_directory(str(odd), inside.store) == bubblewrap.Added(odd, True)
    assert places.added_directory(f"{odd}:ro", inside.store) == bubblewrap.Added(odd, False)


@pytest.mark.parametrize("size", ["0", "-1", "2X", "G", "1.5G", "99999999999999G"])
def test_sizes_that_are_none(kgfs: Program, size: str) -> None:
    assert "is no size" in kgfs("run", "--memory", size, "--", "true", status=2).stderr
