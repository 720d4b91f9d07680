"""Symbolic links among stored files: kept as they are, shown as links, and no document."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import time
from pathlib import Path

import pytest

from kgfs.config import change_settings
from kgfs.filesystem import RENAME_NOREPLACE
from tests.conftest import Program, mounting
from tests.posix_contract import fails, rename2

pytestmark = pytest.mark.mount

TARGETS = ["a.md", "folder", "/etc/hostname", "../../..", "nowhere/at all", "é", "\udcff", "t" * 4000]


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def ordinary(top: Path) -> Path:
    """A folder as people have it, with links."""
    (top / "folder").mkdir(parents=True)
    (top / "a.md").write_text("# Wages\n\nZebrafinch Holdings acquired Acme Corporation in 2019.\n")
    (top / "folder/b.txt").write_text("Quokkaville is a town.\n")
    for number, target in enumerate(TARGETS):
        (top / f"link{number}.md").symlink_to(target)
    (top / "folder/up").symlink_to("../a.md")
    return top


def links(top: Path) -> dict[str, str]:
    return {
        os.path.relpath(os.path.join(directory, name), top): os.readlink(os.path.join(directory, name))
        for directory, folders, files in os.walk(top)
        for name in (*folders, *files)
        if os.path.islink(os.path.join(directory, name))
    }


@pytest.mark.slow
def test_links_are_kept_and_are_no_documents(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    source = ordinary(tmp_path / "source")
    wanted = links(source)
    store = light_store
    change_settings(store, {"extractor": "none"})
    with mounting(kgfs, tmp_path) as mount:
        kg = mount(store)
        notes = kg / "notes"
        run("cp", "-a", source, notes / "cp")
        run("rsync", "-a", f"{source}/", notes / "rsync")
        run("tar", "-C", source, "-cf", tmp_path / "all.tar", ".")
        (notes / "tar").mkdir()
        run("tar", "-C", notes / "tar", "-xf", tmp_path / "all.tar")
        for copy in ("cp", "rsync", "tar"):
            assert links(notes / copy) == wanted, copy
            assert (notes / copy / "link0.md").read_text() == (source / "a.md").read_text()
        run("cp", "-a", notes / "tar", tmp_path / "back")
        assert links(tmp_path / "back") == wanted
        found = os.lstat(notes / "cp/link2.md")
        assert stat.S_ISLNK(found.st_mode)
        assert (found.st_size, found.st_nlink, stat.S_IMODE(found.st_mode)) == (len("/etc/hostname"), 1, 0o777)
        kgfs("--store", store, "wait", timeout=300)

        # The texts are documents, the links are none; what searches files passes links over.
        documents = [
            json.loads((path / "metadata.json").read_text()) for path in (kg / "documents").iterdir() if path.is_dir()
        ]
        assert len(documents) == 6
        assert not [each for each in documents if "link" in json.dumps(each["origin"])]
        assert sum("link" in line for line in (kg / "@grep/-r/Zebrafinch").read_text().splitlines()) == 0
        assert (kg / "@grep/-r/hostname").read_text() == ""
        status = json.loads((kg / "@status/status.json").read_text())
        assert status["complete"] is True, status

        # Names and links.
        here = notes / "cp"
        os.rename(here / "link0.md", here / "moved.md")
        assert os.readlink(here / "moved.md") == "a.md"
        os.rename(here / "moved.md", here / ".hidden")
        os.rename(here / ".hidden", here / "link1.md")
        assert os.readlink(here / "link1.md") == "a.md"
        fails(errno.EEXIST, rename2, os.fsencode(here / "link1.md"), os.fsencode(here / "a.md"), RENAME_NOREPLACE)
        (here / "other.md").write_text("# Other\n")
        os.rename(here / "link1.md", here / "other.md")  # over a file
        assert os.readlink(here / "other.md") == "a.md"
        (here / "file.md").write_text("# A file\n")
        os.rename(here / "file.md", here / "other.md")  # over a link
        assert (here / "other.md").read_text() == "# A file\n"
        assert not (here / "other.md").is_symlink()
        fails(errno.EEXIST, os.symlink, "x", here / "other.md")
        os.utime(here / "link2.md", ns=(5_000, 7_000), follow_symlinks=False)
        assert os.lstat(here / "link2.md").st_mtime_ns == 7_000
        os.unlink(here / "link3.md")
        assert not os.path.lexists(here / "link3.md")
        with pytest.raises(FileNotFoundError):
            (here / "link4.md").read_bytes()
        run("ln", "-sfn", "folder", here / "link5.md")
        assert os.listdir(here / "link5.md/") == os.listdir(here / "folder")
        os.rename(here, notes / "moved")
        assert os.readlink(notes / "moved/link5.md") == "folder"
        (notes / "moved/link6.md").unlink()
        (notes / "moved/link6.md").write_text("# Now a file\n\nWombatania exports wool.\n")
        for work in (lambda: os.link(notes / "moved/a.md", notes / "h"), lambda: os.mkfifo(notes / "p")):
            fails(errno.EPERM, work)
        with pytest.raises(OSError) as caught:
            os.symlink("x", kg / "entities/x")
        assert caught.value.errno == errno.EROFS

        # Commands.
        listed = kgfs("--store", store, "ls", "-l", "notes/moved").stdout
        assert "link5.md -> folder" in listed
        assert kgfs("--store", store, "cat", "notes/tar/link0.md").stdout == (source / "a.md").read_text()
        outside = kgfs("--store", store, "cat", "notes/tar/link2.md", status=None)
        assert outside.returncode != 0
        assert "no such path" in outside.stderr
        kgfs("--store", store, "context", "move", "agent:/tar/link0.md", "agent:/tar/again.md")
        assert os.readlink(notes / "tar/again.md") == "a.md"
        kgfs("--store", store, "context", "copy", "agent:/tar", "agent:/copied")
        assert os.readlink(notes / "copied/again.md") == "a.md"
        assert os.readlink(notes / "copied/link2.md") == "/etc/hostname"
        kgfs("--store", store, "context", "write", "agent:/tar/again.md", "--content", "x", status=None)
        assert os.readlink(notes / "tar/again.md") == "a.md"
        kgfs("--store", store, "wait", timeout=300)
        time.sleep(0.5)
        before = links(notes)
        assert len(before) > 30
        run("rm", "-r", notes / "rsync")
        after = links(notes)
        assert after == {path: target for path, target in before.items() if not path.startswith("rsync/")}
        kgfs("--store", store, "wait", timeout=300)

    # A remount, the check, a bundle, a backup.
    kgfs("--store", store, "fsck", timeout=300)
    kgfs("--store", store, "export", tmp_path / "bundle", timeout=300)
    kgfs("--store", tmp_path / "imported", "import", tmp_path / "bundle", timeout=300)
    kgfs("--store", store, "backup", tmp_path / "saved.tar", timeout=300)
    kgfs("--store", tmp_path / "restored", "restore", tmp_path / "saved.tar", timeout=300)
    for each in (store, tmp_path / "imported", tmp_path / "restored"):
        (tmp_path / f"at-{each.name}").mkdir()
        with mounting(kgfs, tmp_path / f"at-{each.name}") as mount:
            assert links(mount(each) / "notes") == after, each.name
