"""When files were written: git's dates, no dates of a clone, and nothing of a repository's configuration that runs."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import time
from pathlib import Path

import pytest

from kgfs.sources import file_dates
from kgfs.sources.file_dates import HOUR_NS, FileDates, times_burst

NOW_NS = time.time_ns()


def git(folder: Path, *arguments: str, when: str = "2020-01-01") -> None:
    moment = f"{when}T12:00:00Z"
    subprocess.run(
        ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-C", folder, *arguments],
        check=True, capture_output=True,
        env={**os.environ, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, "GIT_CONFIG_GLOBAL": os.devnull},
    )  # fmt: skip


def repository(folder: Path) -> Path:
    """Three commits; each changes some files, the last merges a branch."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for name in ("a.md", "b.md", "with space.md", "sub/ü.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"# {name}\n")
    git(folder, "add", "-A", when="2011-05-06")
    git(folder, "commit", "-qm", "first\nname-only?", when="2011-05-06")
    (folder / "b.md").write_text("# Other\n")
    git(folder, "commit", "-qam", "second", when="2013-07-08")
    git(folder, "checkout", "-qb", "side", "HEAD~1")
    (folder / "sub" / "ü.md").write_text("# Side\n")
    git(folder, "commit", "-qam", "side", when="2015-09-10")
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "side", "-m", "merge", when="2017-01-02")
    return folder


def dates(folder: Path, *, whole: bool = True) -> dict[str, str | None]:
    """Name to the day of each file of a folder, as a source."""
    files = [path for path in sorted(folder.rglob("*.md")) if ".git" not in path.parts]
    found = FileDates([[(path, path.stat().st_mtime_ns) for path in files]], files)
    answer: dict[str, str | None] = {}
    for path in files:
        written = found.of(path, path.stat().st_mtime_ns, path.read_bytes() if whole else None)
        day = None if written is None else dt.datetime.fromtimestamp(written / 1e9, dt.UTC).date().isoformat()
        answer[str(path.relative_to(folder))] = day
    return answer


GIVEN = {"a.md": "2011-05-06", "b.md": "2013-07-08", "sub/ü.md": "2015-09-10", "with space.md": "2011-05-06"}


def written(path: Path) -> str:
    """The day on which a file was written, which may not be the one on which the tests began."""
    return dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC).date().isoformat()


@pytest.mark.parametrize("whole", [True, False])
def test_files_of_a_clone_have_the_dates_of_their_commits(tmp_path: Path, whole: bool) -> None:
    origin = repository(tmp_path / "origin")
    git(tmp_path, "clone", "-q", str(origin), str(tmp_path / "clone"))
    assert dates(tmp_path / "clone", whole=whole) == GIVEN
    assert dates(tmp_path / "clone" / "sub", whole=whole) == {"ü.md": GIVEN["sub/ü.md"]}, "a part of a repository"
    git(origin, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert dates(tmp_path / "tree", whole=whole) == GIVEN
    assert dates(tmp_path, whole=whole) == {
        f"{folder}/{name}": day for folder in ("clone", "origin", "tree") for name, day in GIVEN.items()
    }


def test_what_is_not_committed_has_its_own_time(tmp_path: Path) -> None:
    folder = repository(tmp_path / "origin")
    (folder / "a.md").write_text("# Changed since\n")
    (folder / "new.md").write_text("# New\n")
    os.utime(folder / "new.md", (0, 10**9))
    assert dates(folder) == {**GIVEN, "a.md": written(folder / "a.md"), "new.md": "2001-09-09"}


def test_a_history_that_is_cut_off_dates_only_what_it_shows(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin")
    for number in range(12):
        (origin / f"more{number}.md").write_text("# More\n")
    git(origin, "add", "-A")
    git(origin, "commit", "-qm", "more", when="2018-01-01")
    (origin / "a.md").write_text("# Last\n")
    git(origin, "commit", "-qam", "last", when="2019-03-04")
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{origin}", str(tmp_path / "clone"))
    found = dates(tmp_path / "clone")
    assert found.pop("a.md") == "2019-03-04"
    assert set(found.values()) == {None} and len(found) == 15


def test_no_configuration_of_a_repository_runs_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, ran = repository(tmp_path / "origin"), tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {ran}\n")
    program.chmod(0o755)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)  # a reader waits for ever
    for name in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "diff.external",
        "diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge", "filter.x.process", "gpg.program",
        "pager.log", "alias.log", "credential.helper", "uploadpack.packObjectsHook", "core.alternateRefsCommand",
    ):  # fmt: skip
        git(folder, "config", name, f"!{program}" if name.startswith("alias") else str(program))
    for name, value in {
        "log.showSignature": "true", "mailmap.file": str(fifo), "log.mailmap": "true", "diff.orderFile": str(fifo),
        "core.attributesFile": str(tmp_path / "none"), "diff.relative": "true", "log.follow": "true",
        "core.quotePath": "true", "format.pretty": "fuller", "log.diffMerges": "separate", "color.ui": "always",
        "diff.renames": "copies", "log.decorate": "full", "core.hooksPath": str(tmp_path),
        "extensions.partialClone": "origin", "remote.origin.url": f"ext::{program}", "remote.origin.promisor": "true",
    }.items():  # fmt: skip
        git(folder, "config", name, value)
    (folder / ".gitattributes").write_text("* filter=x diff=x\n")
    hook = folder / ".git" / "hooks" / "post-index-change"
    hook.write_text(program.read_text())
    hook.chmod(0o755)
    if os.geteuid() == 0:
        for path in (folder, folder / ".git"):
            os.chown(path, 12345, 12345)  # somebody else's
    for name, value in {"GIT_DIR": "/nowhere", "GIT_EXTERNAL_DIFF": str(program), "GIT_PAGER": str(program)}.items():
        monkeypatch.setenv(name, value)
    assert dates(folder) == GIVEN
    assert not ran.exists()


def test_without_git_or_in_a_broken_repository_times_are_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a.md").write_text("# A\n")
    (tmp_path / "broken" / ".git").write_text("gitdir: /nowhere\n")
    assert dates(tmp_path / "broken") == {"a.md": written(tmp_path / "broken" / "a.md")}
    folder = repository(tmp_path / "origin")
    monkeypatch.setattr(file_dates, "LOG_SECONDS", 0.0)
    assert dates(folder) == {name: written(folder / name) for name in GIVEN}
    monkeypatch.undo()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert dates(folder) == {name: written(folder / name) for name in GIVEN}


def test_times_of_one_hour_are_none() -> None:
    start = 1_500_000_000 * 10**9
    close = [start + number * 10**9 for number in range(20)]
    assert times_burst(close) == (close[0], close[-1])
    assert times_burst([*close, start - 50 * HOUR_NS]) == (close[0], close[-1]), "one that was written since"
    assert times_burst(close[:8]) is None, "a handful"
    assert times_burst([start + number * HOUR_NS for number in range(20)]) is None
    assert times_burst([*close, *(time + 30 * HOUR_NS for time in close)]) is None
    paths = [Path(f"/{number}.md") for number in range(20)]
    found = FileDates([list(zip(paths, close, strict=True))], paths)
    assert found.of(paths[0], close[0], b"") is None
    assert found.of(paths[0], start + 20 * HOUR_NS, b"") == start + 20 * HOUR_NS, "written since it was looked at"
    assert found.of(Path("/other.md"), close[0], b"") == close[0], "of another source"
