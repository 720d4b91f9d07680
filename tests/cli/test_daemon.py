"""The commands beside a real mount: through the socket they say what they say without it, and nothing heavy starts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs import mounts
from kgfs.cli.mounts import umount
from kgfs.config import SOCKET
from kgfs.errors import KgfsError
from kgfs.store.catalog.database import Database
from tests import warm_python
from tests.cli.test_commands import error_of, rows
from tests.cli.test_reference import HEAVY, imported
from tests.conftest import SAMPLES, Mounting, Program, copy_store, daemon_pid, mounting
from tests.onnx_models import write_small_model
from tests.rounds import LONG
from tests.warm_python import pid_of

pytestmark = pytest.mark.mount


@pytest.fixture(scope="module")
def pristine_notes(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two notes; nobody opens it."""
    directory = tmp_path_factory.mktemp("notes")
    store = copy_store(pristine_light_store, directory / "store")
    for name in ("one", "two"):
        (directory / f"{name}.md").write_text(f"# {name.title()}\n\nAcme Corp acquired Widget {name.title()} Inc.\n")
    kgfs("--store", store, "add", directory / "one.md", directory / "two.md")
    return store


@pytest.fixture
def notes_store(pristine_notes: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return copy_store(pristine_notes, tmp_path / "store")


class Mounted:
    def __init__(self, store: Path, place: Path) -> None:
        self.store = store
        self.place = place


@pytest.fixture(scope="module")
def mounted(kgfs: Program, pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mounted]:
    directory = tmp_path_factory.mktemp("mounted")
    store = copy_store(pristine_sample_store, directory / "store")
    with mounting(kgfs, directory) as mount_here:
        yield Mounted(store, mount_here(store))


@pytest.fixture(scope="module")
def unmounted(pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_store(pristine_sample_store, tmp_path_factory.mktemp("unmounted") / "store")


SAME = (
    ["ls"],
    ["ls", "-l", "entities/organizations"],
    ["--json", "ls", "documents/deepmind"],
    ["cat", "AGENTS.md", "entities/by_name/Alphabet_Inc/summary.txt"],
    ["tree", "documents/deepmind"],
    ["find", "facts", "-type", "f"],
    ["grep", "-n", "AlphaFold"],
    ["grep", "-l", "-i", "federal", "chunks"],
    ["grep", "no such words"],
    ["stat", "DeepMind", "README.md"],
    ["search", "--kind", "keyword", "wages in Boston"],
    ["ls", "entities/nobody"],
    ["cat", "entities"],
    ["grep", "("],
)


@pytest.mark.parametrize("arguments", SAME, ids=" ".join)
def test_the_same_with_and_without_a_daemon(
    kgfs: Program, mounted: Mounted, unmounted: Path, arguments: list[str]
) -> None:
    with_daemon = kgfs("--store", mounted.store, *arguments, status=None)
    without = kgfs("--store", unmounted, *arguments, status=None)

    def plain(text: str) -> str:
        return text.replace(f"{mounted.place}/", "")  # without a mount paths in results begin at the root of the tree

    assert plain(with_daemon.stdout) == without.stdout
    assert (with_daemon.stderr, with_daemon.returncode) == (without.stderr, without.returncode)


def test_the_commands_say_what_the_mount_says(kgfs: Program, mounted: Mounted) -> None:
    assert sorted(kgfs("--store", mounted.store, "ls", "entities").stdout.split()) == sorted(
        os.listdir(mounted.place / "entities")
    )
    for name in ("AGENTS.md", "entities/_index.tsv", "facts/_counts.tsv"):
        if (mounted.place / name).exists():
            assert kgfs("--store", mounted.store, "cat", name).stdout == (mounted.place / name).read_text("utf-8")


@pytest.mark.parametrize(
    "arguments",
    [["status"], ["ls"], ["cat", "AGENTS.md"], ["grep", "-l", "wages"], ["search", "--kind", "keyword", "wages"]],
)
def test_with_a_daemon_a_command_imports_nothing_heavy(mounted: Mounted, arguments: list[str], tmp_path: Path) -> None:
    assert not imported(["--store", str(mounted.store), *arguments], tmp_path) & set(HEAVY)


def test_paths_on_the_mount_name_places_and_the_store(kgfs: Program, mounted: Mounted) -> None:
    place = mounted.place
    wanted = kgfs("--store", mounted.store, "cat", "entities/by_name/Alphabet_Inc/summary.txt").stdout
    assert kgfs("cat", place / "entities" / "by_name" / "Alphabet_Inc" / "summary.txt").stdout == wanted
    inside = place / "entities" / "organizations"
    assert kgfs("cat", "Alphabet_Inc/summary.txt", cwd=inside).stdout == wanted
    assert kgfs("cat", "../by_name/Alphabet_Inc/summary.txt", cwd=inside).stdout == wanted
    at = ("--store", mounted.store)  # without it the path is that of another store, where one is mounted at /kg
    assert kgfs(*at, "cat", "/kg/entities/by_name/Alphabet_Inc/summary.txt", cwd=inside).stdout == wanted
    assert kgfs("ls", cwd=inside).stdout == kgfs("--store", mounted.store, "ls", "entities/organizations").stdout
    assert json.loads(kgfs("--json", "status", cwd=inside).stdout)["store"] == str(mounted.store)
    found = kgfs("find", "Alphabet_Inc", "-name", "summary.txt", "-type", "f", cwd=inside).stdout
    assert found == "Alphabet_Inc/summary.txt\n"
    assert kgfs("cat", f"../../../{place.name}/entities/by_name/Alphabet_Inc/summary.txt", cwd=inside).stdout == wanted
    people = kgfs("ls", "entities/people", cwd=place).stdout
    assert kgfs("ls", f"../{place.name}/entities/people", cwd=place).stdout == people
    for outside in ("..", "../..", "../entities"):
        assert "no such path" in error_of(kgfs("ls", outside, cwd=place, status=3))
    link = place.parent / "link"
    link.symlink_to(place)
    assert kgfs("cat", link / "entities" / "by_name" / "Alphabet_Inc" / "summary.txt").stdout == wanted


def test_status_names_the_mount(kgfs: Program, mounted: Mounted) -> None:
    line = kgfs("--store", mounted.store, "status").stdout.splitlines()[1]
    assert line.startswith("Mounted") and "pid " in line and "since " in line


def test_a_second_mount_is_refused_and_the_first_named(kgfs: Program, mounted: Mounted, tmp_path: Path) -> None:
    sentence = error_of(kgfs("--store", mounted.store, "mount", tmp_path / "second", status=4))
    assert str(mounted.place) in sentence
    assert not (tmp_path / "second").exists()
    assert error_of(kgfs("--store", mounted.store, "mount", mounted.place, status=4))
    assert (mounted.place / "AGENTS.md").exists()


def test_nothing_on_a_mount_is_added(kgfs: Program, mounted: Mounted, sample_store: Path) -> None:
    for path in (mounted.place, mounted.place / "documents"):
        assert "lies on the mount" in error_of(kgfs("--store", sample_store, "add", path, status=2))
    assert "inside the mount" in error_of(
        kgfs("--store", sample_store, "mount", mounted.place / "notes" / "x", status=2)
    )


def test_add_beside_a_mount_shows_up_in_it(kgfs: Program, mount: Mounting, notes_store: Path, tmp_path: Path) -> None:
    place = mount(notes_store)
    before = set(os.listdir(place / "documents"))
    (tmp_path / "fresh.md").write_text("# Fresh\n\nZanzibar Corp acquired Quux Ltd in 2021.\n")
    running = kgfs.start("--store", notes_store, "add", tmp_path / "fresh.md")
    deadline = time.monotonic() + 60
    while not (place / "documents" / "fresh").is_dir():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 0, err
    assert "Added 1" in out and "Next:" not in out
    assert set(os.listdir(place / "documents")) == before | {"fresh"}
    assert "Zanzibar" in (place / "documents" / "fresh" / "text.txt").read_text()
    kgfs("--store", notes_store, "rm", tmp_path / "fresh.md")
    assert set(os.listdir(place / "documents")) == before
    assert not (place / "documents" / "fresh").exists()


def test_add_in_the_background(kgfs: Program, mount: Mounting, notes_store: Path, tmp_path: Path) -> None:
    place = mount(notes_store)
    (tmp_path / "fresh.md").write_text("# Fresh\n\nZanzibar Corp acquired Quux Ltd in 2021.\n")
    job = json.loads(kgfs("--json", "--store", notes_store, "add", "--background", tmp_path / "fresh.md").stdout)["job"]
    kgfs("--store", notes_store, "wait")
    assert (place / "documents" / "fresh").is_dir()
    jobs = {one["id"]: one for one in json.loads(kgfs("--json", "--store", notes_store, "status").stdout)["jobs"]}
    assert jobs[job]["state"] == "done"


def test_ctrl_c_of_an_add_cancels_it_in_the_daemon(
    kgfs: Program, mount: Mounting, notes_store: Path, tmp_path: Path
) -> None:
    from tests.cli.test_adding import many

    place = mount(notes_store)
    running = kgfs.start("--store", notes_store, "--json", "add", many(tmp_path / "many", 120))
    assert running.stdout is not None
    running.stdout.readline()
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130 and "nothing is lost" in err
    deadline = time.monotonic() + 60
    while any(
        job["state"] == "running" for job in json.loads(kgfs("--json", "--store", notes_store, "status").stdout)["jobs"]
    ):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert (place / "AGENTS.md").exists()


def test_a_mount_while_a_command_is_at_work_says_so(
    kgfs: Program, mount: Mounting, light_store: Path, tmp_path: Path
) -> None:
    from tests.cli.test_adding import many

    store = light_store
    running = kgfs.start("--store", store, "--json", "add", many(tmp_path / "many", 200), "--extractor", "offline")
    assert running.stdout is not None
    running.stdout.readline()
    sentence = error_of(kgfs("-q", "--store", store, "mount", tmp_path / "kg", status=4))
    assert f"process {pid_of(running.pid)}" in sentence and "at work" in sentence and "the mount goes on" in sentence
    assert not (tmp_path / "kg").exists()
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 130
    running.stdout.close()
    assert running.stderr is not None
    running.stderr.close()
    place = mount(store)
    kgfs("--store", store, "wait", timeout=300)
    assert (place / "AGENTS.md").exists()


def test_umount_names_who_holds_it_and_ends_when_the_store_is_free(
    kgfs: Program, mount: Mounting, notes_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = mount(notes_store)
    pid = daemon_pid(kgfs, notes_store)
    with open(place / "AGENTS.md") as held:
        sentence = error_of(kgfs("umount", place, status=4))
        assert f"pid {os.getpid()}" in sentence and "--lazy" in sentence
        assert held.read()
    assert umount.holder(notes_store) == pid
    monkeypatch.setattr(umount, "ENDING_SECONDS", 0.1)
    with pytest.raises(KgfsError, match=f"process {pid}.*has not closed the store"):
        umount.wait_for_the_end(notes_store, pid)
    assert kgfs("umount", place).stdout.startswith("Unmounted ")
    assert umount.holder(notes_store) is None
    Database.open(notes_store).close()
    assert error_of(kgfs("umount", place, status=3))
    assert kgfs("--store", notes_store, "ls").stdout


def test_a_killed_daemon_leaves_a_mount_that_is_mended(kgfs: Program, mount: Mounting, notes_store: Path) -> None:
    place = mount(notes_store)
    os.kill(daemon_pid(kgfs, notes_store), signal.SIGKILL)
    deadline = time.monotonic() + 10
    while not mounts.is_stale(place):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert (notes_store / SOCKET).exists()
    done = kgfs("--store", notes_store, "status", "--check", status=1)
    assert "its daemon ended" in done.stdout
    assert "AGENTS.md" in kgfs("--store", notes_store, "ls").stdout
    done = kgfs("--store", notes_store, "doctor", "--json", status=1)
    assert {row["check"]: row["state"] for row in rows(done.stdout)}["mounts"] == "bad"
    mount(notes_store, at=place)
    assert (place / "AGENTS.md").exists()


def test_where_one_may_not_mount(kgfs: Program, sample_store: Path, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").touch()
    file = tmp_path / "file"
    file.touch()
    say = lambda place, status: error_of(kgfs("-q", "--store", sample_store, "mount", place, status=status))  # noqa: E731
    assert "not empty" in say(full, 2)
    assert "not a directory" in say(file, 3)
    assert "inside the store" in say(sample_store / "kg", 2)
    source = Path(json.loads(kgfs("--store", sample_store, "--json", "status").stdout)["sources"][0]["path"])
    assert "inside source" in say(source / "kg", 2)
    assert not (source / "kg").exists()
    both = ("--read-only", "--writable", "disk")
    assert "exclude each other" in error_of(kgfs("--store", sample_store, "mount", tmp_path / "kg", *both, status=2))


def test_an_empty_store_is_mounted(kgfs: Program, mount: Mounting, tmp_path: Path) -> None:
    place = mount(tmp_path / "new")
    assert "AGENTS.md" in os.listdir(place)
    assert subprocess.run(["find", place], capture_output=True, check=True).stdout
    (tmp_path / "one.md").write_text("# One\n\nAcme acquired Widget Inc.\n")
    kgfs("--store", tmp_path / "new", "add", tmp_path / "one.md", "--extractor", "none")
    assert os.listdir(place / "documents").count("one") == 1


def test_mount_in_the_foreground(kgfs: Program, sample_store: Path, tmp_path: Path) -> None:
    place = tmp_path / "kg"
    running = kgfs.start("--store", sample_store, "mount", "-f", place)
    try:
        deadline = time.monotonic() + 60
        while mounts.mount_at(place) is None or not (place / "AGENTS.md").exists():
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=30)
        assert running.returncode == 0
        assert mounts.mount_at(place) is None
    finally:
        if mounts.mount_at(place) is not None:
            mounts.unmount(place, lazy=True)
        if running.poll() is None:
            running.kill()
            running.communicate()


class SmallDemo(Program):
    """``kgfs demo`` over a part of the sample, by programs that are forked from warm ones."""

    def __init__(self, part: Path) -> None:
        for name in WALKED:
            (part / "samples" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SAMPLES / name, part / "samples" / name)
        (part / "bin").mkdir()
        command = part / "bin" / "kgfs"
        command.write_text(f'#!/bin/sh\nexec {warm_python.python()} -P -m kgfs.cli.main "$@"\n')
        command.chmod(0o755)
        self.forked = (*warm_python.client(), "-P", "-m", "tests.cli.small_demo", str(part))


WALKED = (
    "companies/alphabet.md", "companies/artificial-intelligence-at-alphabet.md", "companies/deepmind.md",
    "companies/dnnresearch.md", "companies/geoffrey-hinton.md", "regions/2019-10-chicago-manufacturing.md",
)  # fmt: skip
"""Documents of the sample that the demo says something of."""


@pytest.mark.long
def test_the_demo_runs_and_leaves_nothing(kgfs: Program, tmp_path: Path) -> None:
    """With a small model as the user's: other tests are about the sample with the packaged one. A short run adds a part
    of the sample."""
    own = {"TMPDIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    kgfs("config", "--user", "embedding_model", write_small_model(tmp_path / "model", dimension=384), env=own)
    demo = kgfs if LONG else SmallDemo(tmp_path / "part")
    done = demo("demo", env=own, timeout=280)
    for title in ("Documents in", "A file system out", "Ask in plain words", "Done"):
        assert f"\n# {title}\n$ " in done.stdout
    assert "Added " in done.stdout and "Unmounted " in done.stdout
    assert not [mount for mount in mounts.our_mounts() if mount.mountpoint.is_relative_to(tmp_path)]
    assert not list(tmp_path.glob("kgfs-demo-*"))
