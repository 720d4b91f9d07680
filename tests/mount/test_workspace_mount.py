"""``workspace/`` on a real mount of a real store: the suite, everyday tools, remounts, and kills."""

from __future__ import annotations

import errno
import filecmp
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Program
from tests.graph_builder import build
from tests.mount.daemons import Daemon
from tests.mount.served_stores import ended, started
from tests.mount.varied_folder import described, planted
from tests.posix_contract import MountDoor, PosixContract

pytestmark = pytest.mark.mount


class TestWorkspace(PosixContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, tmp_path_factory: Any) -> Iterator[MountDoor]:
        daemon = started(tmp_path_factory.mktemp("workspace"))
        try:
            yield MountDoor(daemon.mountpoint / "workspace")
            ended(daemon)
        finally:
            daemon.clear()


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = started(tmp_path_factory.mktemp("tools"))
    try:
        yield daemon
        ended(daemon)
    finally:
        daemon.clear()


@pytest.fixture
def here(mounted: Daemon, request: pytest.FixtureRequest) -> Iterator[Path]:
    place = mounted.mountpoint / "workspace" / request.node.name
    place.mkdir()
    yield place
    shutil.rmtree(place)
    assert not place.exists()


def run(*command: str | Path, cwd: Path | None = None, **options: Any) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=300, check=False, **options
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def bash(script: str, cwd: Path) -> str:
    return run("bash", "-euo", "pipefail", "-c", script, cwd=cwd)


def test_copies_are_whole(here: Path, tmp_path: Path) -> None:
    source = planted(tmp_path / "source")
    wanted = described(source)
    run("cp", "-a", source, here / "cp")
    assert described(here / "cp") == wanted
    run("rsync", "-aHAX", "--sparse", f"{source}/", f"{here}/rsync/")
    assert described(here / "rsync") == wanted
    assert run("rsync", "-aHAXni", "--delete", f"{source}/", f"{here}/rsync/") == ""
    run("tar", "--xattrs", "-C", source, "-cf", here / "all.tar", ".")
    (here / "tar").mkdir()
    run("tar", "--xattrs", "-C", here / "tar", "-xpf", here / "all.tar")
    assert described(here / "tar") == wanted
    run("tar", "--xattrs", "-C", here / "tar", "-cf", tmp_path / "back.tar", ".")
    (tmp_path / "back").mkdir()
    run("tar", "--xattrs", "-C", tmp_path / "back", "-xpf", tmp_path / "back.tar")
    assert described(tmp_path / "back") == wanted
    run("cp", "-a", here / "cp", here / "within")
    assert described(here / "within") == wanted
    assert (here / "cp/sparse").stat().st_blocks < 1000
    run("mv", here / "within", tmp_path / "moved")
    assert described(tmp_path / "moved") == wanted
    run("mv", tmp_path / "moved", here / "moved")
    assert described(here / "moved") == wanted
    run("rm", "-r", here / "cp", here / "moved")
    assert sorted(os.listdir(here)) == ["all.tar", "rsync", "tar"]
    assert run(here / "tar/run") == "ran\n"


def test_git(here: Path) -> None:
    name = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    run("git", "init", "-q", "-b", "main", "one", cwd=here)
    one = here / "one"
    for number in range(300):
        (one / f"d{number % 7}").mkdir(exist_ok=True)
        (one / f"d{number % 7}" / f"f{number}.txt").write_text(f"file {number}\n" * 20)
    (one / "link").symlink_to("d1")
    run("git", "add", ".", cwd=one)
    run("git", *name, "commit", "-q", "-m", "First", cwd=one)
    assert run("git", "status", "--porcelain", cwd=one) == ""
    (one / "d0/f0.txt").write_text("changed\n")
    assert run("git", "status", "--porcelain", cwd=one) == " M d0/f0.txt\n"
    run("git", "checkout", "-q", "-b", "other", cwd=one)
    run("git", *name, "commit", "-q", "-am", "Second", cwd=one)
    run("git", "checkout", "-q", "main", cwd=one)
    assert (one / "d0/f0.txt").read_text().startswith("file 0")
    run("git", *name, "merge", "-q", "other", cwd=one)
    run("git", "gc", "-q", cwd=one)
    run("git", "clone", "-q", one, here / "two", cwd=here)  # with hard links between the repositories
    assert run("git", "fsck", "--no-progress", cwd=here / "two") == ""
    assert run("git", "status", "--porcelain", cwd=here / "two") == ""
    assert os.readlink(here / "two/link") == "d1"
    assert not filecmp.dircmp(one, here / "two", ignore=[".git"]).diff_files
    run("git", "worktree", "add", "-q", here / "three", "other", cwd=one)
    assert run("git", "log", "--oneline", cwd=here / "three").count("\n") == 2


@pytest.mark.parametrize("mode", ["delete", "wal", "truncate"])
def test_sqlite(here: Path, mode: str) -> None:
    path = here / "a.db"
    with sqlite3.connect(path) as connection:
        assert connection.execute(f"PRAGMA journal_mode = {mode}").fetchone() == (mode,)
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT)")
    child = (
        "import sqlite3, sys\n"
        "for n in range(100):\n"
        "    with sqlite3.connect(sys.argv[1], timeout=60) as c:\n"
        "        c.execute('INSERT INTO t (word) VALUES (?)', [sys.argv[2]])\n"
        "    c.close()\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", child, str(path), name]) for name in ("x", "y")]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    assert (
        run("sqlite3", path, "SELECT word, count(*) FROM t GROUP BY 1; PRAGMA integrity_check") == "x|100\ny|100\nok\n"
    )
    connection.close()


def test_editors_and_shells(here: Path) -> None:
    bash(
        """
        echo one > f; echo two >> f; printf 'three\\n' | tee -a f >/dev/null
        test "$(wc -l < f)" = 3
        sed -i s/two/zwei/ f; grep -q zwei f
        cp f new; mv new f; ln f g; ln -sfn f l; ln -sfn g l; test "$(readlink l)" = g
        exec 3>>f; rm f; echo four >&3; exec 3>&-; tail -1 g | grep -q four
        mkdir -p a/b/c; : > a/b/c/d; chmod 600 a/b/c/d; test "$(stat -c %a a/b/c/d)" = 600
        touch -d '2001-02-03 04:05:06.789012345 UTC' t; test "$(stat -c %y t | cut -c1-29)" != ""
        truncate -s 10M t; test "$(stat -c %s t)" = 10485760; test "$(du -k t | cut -f1)" = 0
        dd if=/dev/urandom of=r bs=64k count=20 status=none; cp r s; cmp r s
        dd if=r of=s bs=4k seek=3 conv=notrunc count=1 status=none; test "$(stat -c %s s)" = 1310720
        mkfifo p; (echo through > p &); test "$(cat p)" = through
        flock g true
        find . -type f -newer t | sort | head -3 > found; test -s found
        install -m 755 g a/installed; test -x a/installed
        """,
        here,
    )
    # As vim and others save: beside it, synced, renamed over it.
    path = here / "note"
    path.write_text("old\n")
    for number in range(20):
        beside = here / ".note.swp"
        with beside.open("w") as file:
            file.write(f"version {number}\n")
            file.flush()
            os.fsync(file.fileno())
        beside.rename(path)
        assert path.read_text() == f"version {number}\n"
    if shutil.which("vim"):
        run("vim", "-u", "NONE", "-es", "-c", "%s/19/edited/", "-c", "wq", path)
        assert path.read_text() == "version edited\n"


def test_many_clients_at_once(here: Path) -> None:
    child = (
        "import os, sys, random\n"
        "r = random.Random(int(sys.argv[2])); os.chdir(sys.argv[1])\n"
        "for n in range(150):\n"
        "    a, b = (f'f{r.randrange(20)}' for _ in 'ab')\n"
        "    try:\n"
        "        k = r.randrange(6)\n"
        "        if k == 0: os.rename(a, b)\n"
        "        elif k == 1: os.link(a, b)\n"
        "        elif k == 2: os.unlink(a)\n"
        "        elif k == 3: os.listdir('.')\n"
        "        elif k == 4: open(a, 'rb').read()\n"
        "        else: open(a, 'wb').write(b'x' * r.choice([1, 5000, 200000]))\n"
        "    except (FileNotFoundError, FileExistsError): pass\n"
    )
    clients = [subprocess.Popen([sys.executable, "-c", child, str(here), str(seed)]) for seed in range(6)]
    assert [client.wait(120) for client in clients] == [0] * 6
    names = os.listdir(here)
    assert len(names) == len(set(names))
    counts: dict[int, int] = {}
    for name in names:
        found = (here / name).lstat()
        counts[found.st_ino] = counts.get(found.st_ino, 0) + 1
    for name in names:
        found = (here / name).lstat()
        assert found.st_nlink == counts[found.st_ino], name
        assert len((here / name).read_bytes()) == found.st_size


def test_links_that_lead_to_links(here: Path, tmp_path: Path) -> None:
    """A chain of 64, circles, and a path through one: as on a disk, by each link and by the whole path."""
    shown = []
    for top in (tmp_path, here):
        (top / "0").write_bytes(b"end")
        for number in range(64):
            os.symlink(str(number), top / str(number + 1))
        os.symlink("round", top / "about")
        os.symlink("about", top / "round")
        os.symlink("self/self", top / "self")
        os.symlink("./././39", top / "dots")
        found: list[object] = []
        for name in (*map(str, range(65)), "about", "self", "dots"):
            try:
                found.append((name, (top / name).read_bytes(), (top / name).lstat().st_size))
            except OSError as error:
                found.append((name, error.errno))
        shown.append(found)
    assert shown[0] == shown[1]
    assert ("40", b"end", 2) in shown[0] and ("41", errno.ELOOP) in shown[0]


def test_the_graph_knows_nothing_of_it(mounted: Daemon, here: Path) -> None:
    (here / "Acme.md").write_text("# Zebrafinch Holdings\n\nZebrafinch Holdings acquired Acme.\n")
    for name in ("@search", "@grep", "@find", "@stat", "@brief", "@history"):
        assert not (mounted.mountpoint / "workspace" / name).exists()
        assert not (here / name).exists()
    time.sleep(1.5)
    assert (mounted.mountpoint / "@grep" / "Zebrafinch").read_text() == ""
    (here / "@search").mkdir()
    assert os.listdir(here / "@search") == []


def test_what_was_made_is_there_after_a_remount(tmp_path: Path) -> None:
    source = planted(tmp_path / "source")
    (tmp_path / "a").mkdir()
    daemon = started(tmp_path / "a")
    try:
        run("cp", "-a", source, daemon.mountpoint / "workspace/copy")
        before = described(daemon.mountpoint / "workspace/copy")
        ended(daemon)
        daemon.clear()
        daemon = started(tmp_path / "a", new=False)
        assert described(daemon.mountpoint / "workspace/copy") == before == described(source)
        ended(daemon)
        daemon.clear()
        daemon = started(tmp_path / "a", "--read-only", new=False)
        here = daemon.mountpoint / "workspace"
        assert described(here / "copy") == before
        for work in (here.joinpath("d").mkdir, here.joinpath("copy/a").unlink, here.joinpath("copy/a").touch):
            with pytest.raises(OSError, match="Read-only"):
                work()
        ended(daemon)
    finally:
        daemon.clear()


def test_a_store_that_nobody_worked_in_is_mounted_read_only(tmp_path: Path) -> None:
    daemon = started(tmp_path, "--read-only")
    try:
        assert os.listdir(daemon.mountpoint / "workspace") == []
        assert not (daemon.store / "agent.db").exists()
        ended(daemon)
    finally:
        daemon.clear()


def test_without_a_usable_file_the_graph_is_shown(tmp_path: Path) -> None:
    build(tmp_path / "store", entities=5, documents=1).close()
    (tmp_path / "store/agent.db").write_bytes(b"no database\n" * 1000)
    daemon = started(tmp_path, new=False)
    try:
        assert "AGENTS.md" in os.listdir(daemon.mountpoint)
        assert os.listdir(daemon.mountpoint / "workspace") == []
        with pytest.raises(OSError, match="Read-only"):
            (daemon.mountpoint / "workspace/d").mkdir()
        assert "agent.db" in (daemon.mountpoint / "@status/errors.jsonl").read_text()
        assert (daemon.store / "agent.db").read_bytes() == b"no database\n" * 1000
        daemon.end()
    finally:
        daemon.clear()


def test_what_a_command_imports_is_seen_at_once(mounted: Daemon, here: Path, kgfs: Program, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner/a").write_text("first")
    place = f"{here.name}/copy"
    assert not (here / "copy/inner/a").exists()
    assert os.listdir(here) == []
    kgfs("--store", mounted.store, "workspace", "import", folder, place)
    assert (here / "copy/inner/a").read_text() == "first"
    assert os.listdir(here) == ["copy"]
    (folder / "inner/a").write_text("then something longer")
    (folder / "inner/b").write_text("new")
    kgfs("--store", mounted.store, "workspace", "import", "--replace", folder, place)
    assert (here / "copy/inner/a").read_text() == "then something longer"
    assert (here / "copy/inner/a").stat().st_size == 21
    assert sorted(os.listdir(here / "copy/inner")) == ["a", "b"]
