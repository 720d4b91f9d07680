"""``@session/<name>/`` on a real mount: everyday tools in it, what stays outside, remounts and kills."""

from __future__ import annotations

import errno
import filecmp
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.agentfs.checking import check as rules
from kgfs.agentfs.database import AgentDatabase
from tests.conftest import Program
from tests.mount.daemons import Daemon
from tests.mount.served_stores import ended, started
from tests.mount.varied_folder import described, planted
from tests.waiting import until

pytestmark = pytest.mark.mount

GIT = {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
}  # fmt: skip


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = started(tmp_path_factory.mktemp("sessions"))
    try:
        yield daemon
        ended(daemon)
    finally:
        daemon.clear()


@pytest.fixture
def session(mounted: Daemon, request: pytest.FixtureRequest) -> Path:
    """A new session, called as its test."""
    place: Path = mounted.mountpoint / "@session" / re.sub(r"\W", "_", request.node.name)
    place.mkdir()
    return place


def bash(script: str, cwd: Path) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=cwd, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, **GIT},
    )  # fmt: skip
    assert done.returncode == 0, f"{script}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def names(top: Path) -> list[str]:
    return sorted(str(path.relative_to(top)) for path in top.rglob("*"))


def test_the_whole_tree_is_there(mounted: Daemon, session: Path) -> None:
    kg = mounted.mountpoint
    outside = set(os.listdir(kg)) - {"@kv", "@session"}
    assert set(os.listdir(session)) == outside
    for directory in ("entities", "documents", "facts/by_type", "topics"):
        assert os.listdir(session / directory) == os.listdir(kg / directory)
    texts = [path for path in (kg / "entities").rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(texts) > 20
    for path in texts:
        assert (session / path.relative_to(kg)).read_bytes() == path.read_bytes()
    assert os.readlink(session / "notes") == "context/agent"


def test_everything_can_be_changed_and_nothing_is_outside(mounted: Daemon, session: Path) -> None:
    kg = mounted.mountpoint
    summary = next((kg / "entities").glob("*/*/summary.txt"))
    before = summary.read_text()
    ours = session / summary.relative_to(kg)
    ours.write_text("Other words.\n")
    shutil.rmtree(session / "topics")
    (session / "entities/mine.txt").write_text("mine")
    (session / "notes/idea.md").write_text("# An idea\n")
    (session / "workspace/file").write_text("scratch")
    os.rename(session / "AGENTS.md", session / "GUIDE.md")
    assert ours.read_text() == "Other words.\n" and not (session / "topics").exists()
    assert summary.read_text() == before and (kg / "topics/_ontology.json").exists()
    assert (kg / "AGENTS.md").exists() and not (kg / "GUIDE.md").exists()
    assert not (kg / "notes/idea.md").exists() and not (kg / "workspace/file").exists()
    assert not (kg / "entities/mine.txt").exists()


def test_everyday_tools(mounted: Daemon, session: Path) -> None:
    source = session.parent.parent / "AGENTS.md"
    bash(
        "mkdir folder && printf 'one\\n' > folder/a && ln -s a folder/link && ln folder/a folder/b",
        session / "workspace",
    )
    bash("cp -a ../../workspace/folder copied && diff -r ../../workspace/folder copied", session / "context/agent")
    bash("rsync -a ../context/agent/copied/ synced/ && rsync -an --itemize-changes ../context/agent/copied/ synced/",
         session / "workspace")  # fmt: skip
    bash("tar cf - -C ../entities . | tar xf - -C . && diff -r --no-dereference ../entities/people people",
         session / "workspace")  # fmt: skip
    with sqlite3.connect(session / "context/agent/data.sqlite") as connection:
        connection.execute("CREATE TABLE numbers (value)")
        connection.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(1000)])
    connection.close()
    assert bash("sqlite3 data.sqlite 'SELECT sum(value) FROM numbers'", session / "context/agent") == "499500\n"
    bash("cp ../../AGENTS.md guide.md && vim -Nu NONE -es -c '%s/graph/network/g' -c 'wq' guide.md",
         session / "context/agent")  # fmt: skip
    assert (session / "notes/guide.md").read_text() == source.read_text().replace("graph", "network")
    assert names(mounted.mountpoint / "context/agent") == [] and names(mounted.mountpoint / "workspace") == []


@pytest.mark.parametrize("place", ["context/agent/copies", "copies"])
def test_copies_are_whole(session: Path, tmp_path: Path, place: str) -> None:
    """``rsync -aHAX`` and ``tar`` with hard links and attributes, there, within and back."""
    wanted = described(planted(tmp_path / "source"))
    here = session / place
    here.mkdir()
    bash(f"rsync -aHAX --sparse {tmp_path}/source/ rsync/ && rsync -aHAX --sparse rsync/ again/", here)
    for copy in ("rsync", "again"):
        assert described(here / copy) == wanted
        assert bash(f"rsync -aHAXni --checksum --delete {tmp_path}/source/ {copy}/", here) == ""
    bash(f"tar --xattrs -C {tmp_path}/source -cSf all.tar . && mkdir tar && tar --xattrs -C tar -xpf all.tar", here)
    assert described(here / "tar") == wanted
    bash(f"tar --xattrs -C tar -cSf - . | (mkdir {tmp_path}/back && tar --xattrs -C {tmp_path}/back -xpf -)", here)
    assert described(tmp_path / "back") == wanted
    bash("mv tar moved && rm -r rsync again", here)
    assert described(here / "moved") == wanted


def test_copies_of_what_is_outside_are_changed_within(mounted: Daemon, session: Path, tmp_path: Path) -> None:
    """``rsync`` and ``tar`` onto files that are only in the base: they become what was copied, the base stays."""
    wanted = described(planted(tmp_path / "source"))
    outside = mounted.mountpoint / "workspace/outside"
    outside.mkdir()
    bash("cp -a source onto && echo more >> onto/a && rm onto/soft && ln -s elsewhere onto/soft", tmp_path)
    bash(f"cp -a {tmp_path}/onto {outside}/rsync && cp -a {tmp_path}/onto {outside}/tar", tmp_path)
    before = described(outside)
    assert before != wanted
    for name, tool in (
        ("rsync", f"rsync -aHAX --checksum --delete {tmp_path}/source/ rsync/"),
        ("tar", f"tar --xattrs -C {tmp_path}/source -cf - . | tar --xattrs -C tar -xpf -"),
    ):
        bash(tool, session / "workspace/outside")
        assert described(session / "workspace/outside" / name) == wanted
    assert described(outside) == before
    shutil.rmtree(outside)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["workspace", "context/agent"])
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_with_two_writers(session: Path, place: str, mode: str) -> None:
    path = session / place / "a.db"
    with sqlite3.connect(path) as connection:
        assert connection.execute(f"PRAGMA journal_mode = {mode}").fetchone() == (mode,)
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT)")
    child = (
        "import sqlite3, sys\n"
        "for n in range(20):\n"
        "    with sqlite3.connect(sys.argv[1], timeout=60) as c:\n"
        "        c.execute('INSERT INTO t (word) VALUES (?)', [sys.argv[2]])\n"
        "    c.close()\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", child, str(path), name]) for name in ("x", "y")]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    said = bash("sqlite3 a.db 'SELECT word, count(*) FROM t GROUP BY 1; PRAGMA integrity_check'", path.parent)
    assert said == "x|20\ny|20\nok\n"
    connection.close()


def test_a_clone(session: Path) -> None:
    """A clone with hard links between the repositories, packed and worked in."""
    here = session / "workspace"
    bash(
        "mkdir one && cd one && git init -q -b main . && mkdir d && for n in $(seq 20); do echo $n > d/$n; done"
        " && ln -s d/1 link && git add . && git commit -qm One && cd .. && git clone -q one two",
        here,
    )
    assert (here / "two/link").read_text() == "1\n"
    bash(
        "git mv d moved && git commit -qm Two && git checkout -qb side HEAD~1 && echo x > x && git add ."
        " && git commit -qm Three && git rebase -q main && git gc -q --prune=now",
        here / "two",
    )
    assert bash("git status --porcelain; git fsck --no-progress; git log --oneline | wc -l", here / "two") == "3\n"
    assert len(os.listdir(here / "two/moved")) == 20


@pytest.mark.parametrize("place", ["workspace/project", "context/agent/project"])
def test_a_repository(session: Path, place: str) -> None:
    project = session / place
    project.mkdir()
    bash("git init -q . && printf 'a\\n' > a && git add . && git commit -qm One && printf 'b\\n' >> a"
         " && git commit -qam Two && git checkout -q HEAD~1 && cat a", project)  # fmt: skip
    assert bash("git log --oneline --all | wc -l; git status --porcelain; git fsck", project).strip() == "2"
    assert (project / "a").read_text() == "a\n"


def test_a_repository_over_the_base(mounted: Daemon, session: Path) -> None:
    """``git`` over files that are only in the base, some of which are changed then."""
    note = mounted.mountpoint / "context/agent/over/note.md"
    note.parent.mkdir()
    note.write_text("outside\n")
    here = session / "context/agent/over"
    bash("git init -q . && git add . && git commit -qm One && printf 'inside\\n' > note.md", here)
    assert bash("git diff --stat | tail -n 1", here).startswith(" 1 file changed")
    assert note.read_text() == "outside\n" and os.listdir(note.parent) == ["note.md"]
    shutil.rmtree(note.parent)


def test_sessions_know_nothing_of_each_other(mounted: Daemon) -> None:
    kg = mounted.mountpoint
    one, two = kg / "@session/one", kg / "@session/two"
    for each in (one, two):
        each.mkdir()
        (each / "notes/same.md").write_text(each.name)
    (one / "README.md").unlink()
    assert (one / "notes/same.md").read_text() == "one" and (two / "notes/same.md").read_text() == "two"
    assert not (one / "README.md").exists() and (two / "README.md").exists()
    # What comes to the base is in both, unless they have their own.
    (kg / "notes/new.md").write_text("first")
    assert [(each / "notes/new.md").read_text() for each in (one, two)] == ["first", "first"]
    (one / "notes/new.md").write_text("mine")
    (kg / "notes/new.md").write_text("second")
    assert [(each / "notes/new.md").read_text() for each in (one, two)] == ["mine", "second"]
    (kg / "notes/new.md").unlink()
    assert (one / "notes/new.md").exists() and not (two / "notes/new.md").exists()


def test_questions_are_about_what_is_outside(mounted: Daemon, session: Path) -> None:
    kg = mounted.mountpoint
    assert (session / "@grep/-F/wages").read_bytes() == (kg / "@grep/-F/wages").read_bytes() != b""
    found = session / "@find/type=Person"
    assert os.listdir(found) and all((found / name).is_dir() for name in os.listdir(found))
    assert (session / "@stat").read_text()
    assert os.path.realpath(found / os.listdir(found)[0]).startswith(str(session))


def test_a_session_is_a_directory_and_nothing_else_is(mounted: Daemon, session: Path) -> None:
    sessions = session.parent
    with pytest.raises(FileNotFoundError):
        os.stat(sessions / "unknown")
    for refused, number in (
        (lambda: (sessions / "file").touch(), errno.EPERM),
        (lambda: (sessions / ".hidden").mkdir(), errno.EINVAL),
        (lambda: session.mkdir(), errno.EEXIST),
        (lambda: session.rmdir(), errno.EPERM),
        (lambda: session.rename(sessions / "other"), errno.EBUSY),
    ):
        with pytest.raises(OSError) as error:
            refused()
        assert error.value.errno == number
    assert "kgfs session discard" in _said_after(lambda: session.rmdir(), mounted.mountpoint)


def _said_after(refused: object, kg: Path) -> str:
    with pytest.raises(OSError):
        refused()  # type: ignore[operator]
    return (kg / "@status/last_error.txt").read_text()


def test_what_commands_do_shows_at_once(kgfs: Program, mounted: Daemon) -> None:
    store, sessions = mounted.store, mounted.mountpoint / "@session"
    kgfs("--store", store, "session", "new", "made")
    assert "made" in os.listdir(sessions)
    (sessions / "made/notes/text.md").write_text("text")
    kgfs("--store", store, "session", "fork", "made", "forked")
    assert (sessions / "forked/notes/text.md").read_text() == "text"
    held = (sessions / "made/notes/text.md").open()
    kgfs("--store", store, "session", "discard", "made")
    assert "made" not in os.listdir(sessions) and not (sessions / "made").exists()
    with pytest.raises(OSError):
        os.pread(held.fileno(), 10, 0)
    held.close()
    assert (sessions / "forked/notes/text.md").read_text() == "text"


def test_a_commit_is_seen_by_who_is_in_the_session(kgfs: Program, mounted: Daemon, session: Path) -> None:
    """The directory that a shell is in, and a file that is open, stay good."""
    kg, here = mounted.mountpoint, session / "notes/folder"
    here.mkdir()
    (here / "a.md").write_text("a")
    (session / "workspace/w").write_text("w")
    with (here / "a.md").open() as opened, subprocess.Popen(
        ["bash"], cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as shell:  # fmt: skip
        assert not (kg / "workspace/w").exists()  # the kernel remembers that
        kgfs("--store", mounted.store, "session", "commit", session.name)
        assert (kg / "notes/folder/a.md").read_text() == "a" and (kg / "workspace/w").read_text() == "w"
        assert opened.read() == "a"
        said, _ = shell.communicate("ls\ncat a.md\necho -n b >> a.md\ncat a.md\n")
        assert said == "a.md\naab"
    assert (kg / "notes/folder/a.md").read_text() == "a"
    shutil.rmtree(kg / "notes/folder")
    (kg / "workspace/w").unlink()


def test_what_the_kernel_keeps_of_a_session_is_true(kgfs: Program, mounted: Daemon, session: Path) -> None:
    """Outside things come and go under names that it was told of before."""
    kg, store = mounted.mountpoint, mounted.store
    outside, here = kg / "workspace/shared", session / "workspace/shared"
    outside.mkdir()
    (outside / "first").write_text("first")
    (here / "mine").write_text("mine")
    assert not (here / "later").exists() and (here / "first").read_text() == "first"
    shutil.rmtree(outside)
    assert os.listdir(here) == ["mine"] and not (here / "first").exists()
    outside.mkdir()
    (outside / "later").write_text("later")
    assert sorted(os.listdir(here)) == ["later", "mine"] and (here / "later").read_text() == "later"

    made = session / "workspace/made"
    for name in ("a", "b"):
        (made / name).mkdir(parents=True)
        (made / name / "file").write_text(name)
        assert not (made / name / "other").exists()
    kgfs("--store", store, "session", "commit", session.name)
    (kg / "workspace/made/a/file").write_text("changed")
    (kg / "workspace/made/a/other").write_text("other")
    shutil.rmtree(kg / "workspace/made/b")
    assert (made / "a/file").read_text() == "changed" and (made / "a/other").read_text() == "other"
    assert not (made / "b").exists()
    (made / "b").mkdir()
    assert os.listdir(made / "b") == [] and os.listdir(kg / "workspace/made") == ["a"]

    opened = (made / "a/other").open("a")
    opened.write(" words")
    opened.flush()
    kgfs("--store", store, "session", "discard", session.name)
    assert not made.exists() and not session.exists()
    with pytest.raises(OSError):
        os.fsync(opened.fileno())
    with pytest.raises(OSError):
        opened.close()
    kgfs("--store", store, "session", "new", session.name)
    assert (made / "a/other").read_text() == "other" and not (made / "b").exists()
    shutil.rmtree(kg / "workspace/made")
    shutil.rmtree(outside)


def test_a_session_survives_remounts_and_kills(tmp_path: Path) -> None:
    daemon = started(tmp_path)
    try:
        session = daemon.mountpoint / "@session/kept"
        session.mkdir()
        (session / "notes/before.md").write_text("before")
        shutil.rmtree(session / "facts/by_date")
        ended(daemon)
        daemon.clear()
        daemon = started(tmp_path, new=False)
        assert (session / "notes/before.md").read_text() == "before" and not (session / "facts/by_date").exists()
        with (session / "notes/durable.md").open("w") as file:
            file.write("durable")
            file.flush()
            os.fsync(file.fileno())
        daemon.kill()
        daemon.clear()
        daemon = started(tmp_path, new=False)
        assert (session / "notes/durable.md").read_text() == "durable"
        assert (session / "notes/before.md").read_text() == "before" and (session / "facts/by_type").exists()
        assert not (daemon.mountpoint / "notes/durable.md").exists()
        ended(daemon)
        with AgentDatabase(tmp_path / "store/sessions/kept.db") as database:
            assert rules.check(database) == []
    finally:
        daemon.clear()


def test_a_session_as_the_mount_itself(kgfs: Program, tmp_path: Path) -> None:
    daemon = started(tmp_path)
    try:
        (daemon.mountpoint / "@session/alone").mkdir()
        guide = (daemon.mountpoint / "AGENTS.md").read_bytes()
        ended(daemon)
        daemon.clear()
        daemon = started(tmp_path, "--session", "alone", new=False)
        kg = daemon.mountpoint
        assert (kg / "AGENTS.md").read_bytes() == guide
        (kg / "AGENTS.md").write_text("mine")
        (kg / "notes/a.md").write_text("a")
        (kg / "workspace/w").write_text("w")
        assert filecmp.cmp(kg / "notes/a.md", kg / "context/agent/a.md", shallow=False)
        until(
            lambda: "@session/alone/workspace/w" in kgfs("--store", daemon.store, "audit", "--session", "alone").stdout
        )
        said = kgfs("--store", daemon.store, "session", "diff", "alone").stdout.split("\n")
        assert said == ["M  file       AGENTS.md", "A  file       context/agent/a.md", "A  file       workspace/w", ""]
        ended(daemon)
        daemon.clear()
        daemon = started(tmp_path, new=False)
        assert (daemon.mountpoint / "AGENTS.md").read_bytes() == guide
        assert (daemon.mountpoint / "@session/alone/AGENTS.md").read_text() == "mine"
        ended(daemon)
    finally:
        daemon.clear()


def test_a_store_that_is_mounted_read_only_shows_none(tmp_path: Path) -> None:
    daemon = started(tmp_path)
    try:
        (daemon.mountpoint / "@session/s").mkdir()
        ended(daemon)
        daemon.clear()
        daemon = started(tmp_path, "--read-only", new=False)
        assert os.listdir(daemon.mountpoint / "@session") == []
        with pytest.raises(OSError) as refused:
            (daemon.mountpoint / "@session/t").mkdir()
        assert refused.value.errno == errno.EROFS
        ended(daemon)
    finally:
        daemon.clear()


def test_a_document_that_is_indexed_appears(kgfs: Program, mounted: Daemon, session: Path, tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("# Report\n\nWages rose.\n")
    kgfs("--store", mounted.store, "add", "--extractor", "none", tmp_path / "report.md")
    assert until(lambda: (session / "documents/report/text.txt").exists())
    assert (session / "documents/report/text.txt").read_text() == "# Report\n\nWages rose.\n"
