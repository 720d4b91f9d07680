"""What documents are dated by: git where there is a repository, never the day of a clone, else the time of the file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kgfs.config import Config
from kgfs.pipeline.refresh import Refresher
from kgfs.pipeline.refresh_records import RefreshRequest, RefreshTarget
from kgfs.pipeline.request import AddRequest
from kgfs.store.catalog.database import Database
from tests.local_worker import LocalWorker

NOW = 1_600_000_000


@pytest.fixture
def refresher(database: Database, worker: LocalWorker) -> Refresher:
    return Refresher(database, worker, Config())


def git(folder: Path, *arguments: str, when: str = "2020-01-01") -> None:
    moment = f"{when}T12:00:00Z"
    subprocess.run(
        ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-C", folder, *arguments],
        check=True, capture_output=True,
        env={**os.environ, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment},
    )  # fmt: skip


def write(folder: Path, count: int = 12) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"note{number}.md").write_text(f"# Note {number}\n\nAlpha acquired Beta.\n")
        os.utime(folder / f"note{number}.md", (NOW, NOW + number))
    return folder


def dates(database: Database) -> dict[str, str | None]:
    rows = database.fetch("SELECT i.path, d.date FROM documents d JOIN context_items i USING (id) ORDER BY i.path")
    return {os.path.basename(path): date for path, date in rows}


def refresh(refresher: Refresher, database: Database) -> None:
    rows = database.fetch("SELECT id FROM sources")
    refresher.refresh(RefreshRequest(targets=[RefreshTarget(source=row[0]) for row in rows]))


def test_a_clone(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    origin = write(tmp_path / "origin")
    (origin / "stated.md").write_text("---\ndate: 1999-01-02\n---\n# Stated\n")
    (origin / "2003-04-05 named.md").write_text("# Named\n")
    git(origin, "init", "-q", "-b", "main")
    git(origin, "add", "-A")
    git(origin, "commit", "-qm", "first", when="2011-05-06")
    (origin / "note0.md").write_text("# Note 0\n\nOther words.\n")
    git(origin, "commit", "-qam", "second", when="2013-07-08")
    git(tmp_path, "clone", "-q", str(origin), str(tmp_path / "clone"))
    (tmp_path / "clone" / "untracked.md").write_text("# Untracked\n")
    refresher.add(AddRequest(paths=[tmp_path / "clone"]))
    wanted: dict[str, str | None] = dict.fromkeys((f"note{number}.md" for number in range(12)), "2011-05-06")
    wanted |= {"note0.md": "2013-07-08", "stated.md": "1999-01-02", "2003-04-05 named.md": "2003-04-05"}
    wanted |= {"untracked.md": None}
    assert dates(database) == wanted
    # What is pulled later has the dates of its commits, and a file that moves keeps its own.
    (origin / "note1.md").write_text("# Note 1\n\nOther words.\n")
    (origin / "new.md").write_text("# New\n")
    git(origin, "add", "-A")
    git(origin, "commit", "-qm", "third", when="2015-09-10")
    git(tmp_path / "clone", "pull", "-q")
    (tmp_path / "clone" / "note2.md").rename(tmp_path / "clone" / "renamed.md")
    refresh(refresher, database)
    wanted |= {"note1.md": "2015-09-10", "new.md": "2015-09-10", "renamed.md": wanted.pop("note2.md")}
    assert dates(database) == wanted


def test_files_that_all_came_within_an_hour_have_no_dates(
    refresher: Refresher, database: Database, tmp_path: Path
) -> None:
    folder = write(tmp_path / "copied")
    refresher.add(AddRequest(paths=[folder]))
    assert set(dates(database).values()) == {None}
    assert database.fetch("SELECT DISTINCT date FROM chunks") == [(None,)]
    # One that is written later has its time; one that is read again for another reason has none still.
    (folder / "later.md").write_text("# Later\n")
    os.utime(folder / "later.md", (NOW + 10**8, NOW + 10**8))
    refresh(refresher, database)
    assert {name: date for name, date in dates(database).items() if date} == {"later.md": "2023-11-14"}
    database.write(lambda cursor: cursor.execute("UPDATE context_items SET want_gen = want_gen + 1"))
    refresher.resume()
    assert {name: date for name, date in dates(database).items() if date} == {"later.md": "2023-11-14"}


def test_a_handful_of_files_and_files_of_many_days_have_their_times(
    refresher: Refresher, database: Database, tmp_path: Path
) -> None:
    refresher.add(AddRequest(paths=[write(tmp_path / "few", 5)]))
    assert set(dates(database).values()) == {"2020-09-13"}
    folder = write(tmp_path / "many")
    for number in range(12):
        os.utime(folder / f"note{number}.md", (NOW + number * 86_400, NOW + number * 86_400))
    refresher.add(AddRequest(paths=[folder]))
    assert len(set(dates(database).values())) == 12
