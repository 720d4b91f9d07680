"""``--write-through disk``: what is written on the mount is written to the files, and never over what is not known."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import _duckdb as duckdb
import pytest

from kgfs import mounts
from kgfs.config import CATALOG
from kgfs.store.files.items import hash_body
from tests.conftest import Mounting, Program, daemon_pid, end
from tests.rounds import rounds

pytestmark = pytest.mark.mount


class Place(NamedTuple):
    notes: Path
    """On the disk."""
    shown: Path
    """The same on the mount."""
    kg: Path
    store: Path


@pytest.fixture
def notes(kgfs: Program, light_store: Path, tmp_path: Path) -> Path:
    (tmp_path / "notes" / "sub").mkdir(parents=True)
    for number in range(5):
        text = f"# Note {number}\n\nAcme Corp acquired Widget{number} Inc in 201{number}.\n"
        (tmp_path / "notes" / f"note{number}.md").write_text(text)
    (tmp_path / "notes" / "sub" / "deep.md").write_text("# Deep\n\nWords.\n")
    kgfs("--store", light_store, "add", tmp_path / "notes", "--name", "mine", "--extractor", "none")
    kgfs("--store", light_store, "trust", "write-through")
    return tmp_path / "notes"


@pytest.fixture
def place(mount: Mounting, light_store: Path, notes: Path) -> Iterator[Place]:
    kg = mount(light_store, "--write-through", "disk")
    yield Place(notes, Path(f"{kg}/context/disk{notes}"), kg, light_store)


def files(root: Path) -> dict[str, bytes]:
    """What knowledge lies beneath: what editors set aside stays in the store."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.startswith(".") and not path.name.endswith(("~", ".tmp"))
    }


def written(kgfs: Program, place: Place) -> dict[str, bytes]:
    """What is on the disk once everything is written; the mount shows the same."""
    kgfs("--store", place.store, "wait", timeout=300)
    assert files(place.notes) == files(place.shown), errors(kgfs, place)
    assert [name for name in os.listdir(place.notes) if name.startswith(".kgfs-")] == []
    return files(place.notes)


def errors(kgfs: Program, place: Place) -> list[dict[str, Any]]:
    state = json.loads(kgfs("--store", place.store, "--json", "status").stdout)
    return [one for one in state["errors"] if str(one.get("ref", "")).startswith("disk:")]


@pytest.mark.slow
def test_what_is_written_reaches_the_files(kgfs: Program, place: Place) -> None:
    notes, shown = place.notes, place.shown
    os.chmod(notes / "note1.md", 0o640)
    with open(shown / "note0.md", "a") as file:
        file.write("One more line.\n")
    subprocess.run(["sed", "-i", "s/acquired/bought/", shown / "note1.md"], check=True)
    (shown / "new folder" / "below").mkdir(parents=True)
    (shown / "new folder" / "below" / "fresh.md").write_text("# Fresh\n")
    # As an editor saves that keeps a backup, and as a program that writes beside.
    os.rename(shown / "note2.md", shown / "note2.md~")
    (shown / "note2.md").write_text("# Saved anew\n")
    os.unlink(shown / "note2.md~")
    (shown / "other.new").write_text("# Replaced\n")
    os.replace(shown / "other.new", shown / "note3.md")
    os.rename(shown / "note4.md", shown / "sub" / "moved.md")
    found = written(kgfs, place)
    assert found["note0.md"].endswith(b"One more line.\n") and b"bought" in found["note1.md"]
    assert found["new folder/below/fresh.md"] == b"# Fresh\n" and found["note2.md"] == b"# Saved anew\n"
    assert found["note3.md"] == b"# Replaced\n" and "sub/moved.md" in found and "note4.md" not in found
    assert os.stat(notes / "note1.md").st_mode & 0o777 == 0o640
    os.rename(shown / "sub", shown / "renamed")
    os.unlink(shown / "note0.md")
    big = os.urandom(3 * 1024 * 1024 + 17)
    (shown / "large.bin").write_bytes(big)
    found = written(kgfs, place)
    assert sorted(name for name in found if "/" in name) == [
        "new folder/below/fresh.md", "renamed/deep.md", "renamed/moved.md",
    ]  # fmt: skip
    assert "note0.md" not in found and found["large.bin"] == big
    assert errors(kgfs, place) == []
    said = kgfs("--store", place.store, "refresh", "mine", "--prune").stdout
    assert f"{len(found)} unchanged" in said and "conflict" not in said and "new" not in said.splitlines()[-1]


@pytest.mark.slow
def test_a_file_that_changed_meanwhile_stays_and_is_named(kgfs: Program, place: Place) -> None:
    notes, shown = place.notes, place.shown
    (notes / "note0.md").write_text("# Theirs\n")
    (shown / "note0.md").write_text("# Ours\n")
    (notes / "fresh.md").write_text("# Theirs, new\n")
    (shown / "fresh.md").write_text("# Ours, new\n")
    (notes / "note1.md").write_text("# Theirs, removed here\n")
    os.unlink(shown / "note1.md")
    (notes / "note2.md").unlink()
    (shown / "note2.md").write_text("# Ours, gone there\n")
    kgfs("--store", place.store, "wait", timeout=300)
    assert (notes / "note0.md").read_text() == "# Theirs\n" and (shown / "note0.md").read_text() == "# Ours\n"
    assert (notes / "fresh.md").read_text() == "# Theirs, new\n" and (shown / "fresh.md").read_text() == "# Ours, new\n"
    assert (notes / "note1.md").read_text() == "# Theirs, removed here\n" and not (notes / "note2.md").exists()
    assert (shown / "note2.md").read_text() == "# Ours, gone there\n"
    wanted = [f"disk:{notes}/{name}" for name in ("fresh.md", "note0.md", "note1.md", "note2.md")]
    assert [one["ref"] for one in errors(kgfs, place)] == wanted
    told = [json.loads(line) for line in (place.kg / "@status" / "errors.jsonl").read_text().splitlines()]
    assert sorted(one["where"] for one in told if one["where"].startswith("disk:")) == wanted
    done = kgfs("--store", place.store, "refresh", "mine", status=5)
    assert "2 in conflict" in done.stdout
    assert f"{notes}/note0.md" in done.stderr and f"{notes}/fresh.md" in done.stderr
    assert (shown / "note0.md").read_text() == "# Ours\n" and (shown / "fresh.md").read_text() == "# Ours, new\n"
    assert (shown / "note1.md").read_text() == "# Theirs, removed here\n"
    # Once somebody has decided, it is none any more.
    (notes / "note0.md").write_text("# Ours\n")
    (shown / "fresh.md").write_text("# Theirs, new\n")
    kgfs("--store", place.store, "wait", timeout=300)
    assert [one["ref"] for one in errors(kgfs, place)] == wanted[3:]
    (shown / "note0.md").write_text("# Ours\nand more\n")
    kgfs("--store", place.store, "wait", timeout=300)
    assert (notes / "note0.md").read_text() == "# Ours\nand more\n"


def test_nothing_leads_out_of_the_source(kgfs: Program, place: Place, tmp_path: Path) -> None:
    notes, shown, outside = place.notes, place.shown, tmp_path / "outside"
    shutil.copytree(notes, outside)
    shutil.rmtree(notes / "sub")
    (notes / "sub").symlink_to(outside / "sub")
    (notes / "note0.md").unlink()
    (notes / "note0.md").symlink_to(outside / "note0.md")
    os.link(notes / "note1.md", tmp_path / "other name.md")
    before = files(outside)
    for name in ("sub/deep.md", "sub/new.md", "note0.md", "note1.md"):
        (shown / name).write_text("# Written here\n")
    os.unlink(shown / "sub" / "deep.md")
    kgfs("--store", place.store, "wait", timeout=300)
    assert files(outside) == before
    assert (tmp_path / "other name.md").read_bytes() == before["note1.md"]
    assert (notes / "sub").is_symlink() and (notes / "note0.md").is_symlink()
    names = {one["ref"].removeprefix(f"disk:{notes}/") for one in errors(kgfs, place)}
    assert names == {"sub/deep.md", "sub/new.md", "note0.md", "note1.md"}
    # A folder in the source's place that is another one is not written to.
    notes.rename(tmp_path / "away")
    shutil.copytree(outside, notes)
    before = files(notes)
    (shown / "note3.md").write_text("# Written here\n")
    (shown / "quite new.md").write_text("# Written here\n")
    kgfs("--store", place.store, "wait", timeout=300)
    assert files(notes) == before


def test_a_kill_only_delays_it(kgfs: Program, light_store: Path, notes: Path, mount: Mounting, tmp_path: Path) -> None:
    for number in range(3):
        kg = mount(light_store, "--write-through", "disk", at=tmp_path / f"mount{number}")
        shown, pid = Path(f"{kg}/context/disk{notes}"), daemon_pid(kgfs, light_store)
        (shown / "note0.md").write_text(f"# Kept {number}\n")
        (shown / f"new{number}.md").write_text("# New\n")
        os.unlink(shown / f"note{number + 1}.md")
        os.kill(pid, signal.SIGKILL)
        mounts.unmount(kg, lazy=True)
        end(pid)
    kg = mount(light_store, "--write-through", "disk", at=tmp_path / "last")
    place = Place(notes, Path(f"{kg}/context/disk{notes}"), kg, light_store)
    found = written(kgfs, place)
    assert found["note0.md"] == b"# Kept 2\n"
    assert sorted(found) == ["new0.md", "new1.md", "new2.md", "note0.md", "note4.md", "sub/deep.md"]
    assert errors(kgfs, place) == []


def test_the_end_of_a_mount_writes_what_is_left(kgfs: Program, light_store: Path, notes: Path, mount: Mounting) -> None:
    kg = mount(light_store, "--write-through", "disk")
    pid = daemon_pid(kgfs, light_store)
    Path(f"{kg}/context/disk{notes}/note0.md").write_text("# Last words\n")
    os.unlink(f"{kg}/context/disk{notes}/note1.md")
    kgfs("--store", light_store, "umount", kg)
    end(pid, 60)
    assert (notes / "note0.md").read_text() == "# Last words\n" and not (notes / "note1.md").exists()


def test_without_it_edits_stay_in_the_store_and_that_is_said(
    kgfs: Program, light_store: Path, notes: Path, tmp_path: Path, mount: Mounting
) -> None:
    kg, before = mount(light_store), files(notes)
    kgfs("--store", light_store, "umount", kg)
    said = kgfs("--store", light_store, "mount", kg, "--writable", "disk")
    try:
        assert "stay in the store; --write-through disk writes them to the files" in said.stderr
        Path(f"{kg}/context/disk{notes}/note0.md").write_text("# Only here\n")
        os.unlink(f"{kg}/context/disk{notes}/note1.md")
        kgfs("--store", light_store, "wait", timeout=300)
        assert files(notes) == before
    finally:
        pid = daemon_pid(kgfs, light_store)
        kgfs("--store", light_store, "umount", kg)
        end(pid)
    refused = kgfs("--store", light_store, "mount", kg, "--write-through", "disk", "--read-only", status=2)
    assert "exclude each other" in refused.stderr


# --- a store of somebody else's --------------------------------------------------------------------------------------


def rows(store: Path, *statements: str) -> None:
    """Change a store's rows as a person who hands it over would."""
    with duckdb.connect(str(store / CATALOG)) as connection:
        for statement in statements:
            connection.execute(statement)


def their_edits(notes: Path) -> list[str]:
    """Rows of files that the attacker knows: one is to be written over, one outside too, and one to go."""
    held = hash_body((notes / "note1.md").read_bytes())
    gone = json.dumps({"hash": held, "noted": 1.0})
    columns = "content = 'evil', content_blob = NULL, size = 4, hash = '" + hash_body(b"evil") + "'"
    return [
        f"UPDATE context_items SET {columns} WHERE path = '{notes}/note0.md'",
        f"UPDATE context_items SET {columns}, source_hash = '{hash_body(b'theirs')}', path = '{notes}/../out.md',"
        f" ref = 'disk:{notes}/../out.md' WHERE path = '{notes}/note2.md'",
        f"DELETE FROM context_items WHERE path = '{notes}/note3.md'",
        f"INSERT INTO meta VALUES ('write_back_gone:{notes}/note1.md', '{gone}')",
        f"UPDATE context_items SET path = '{notes}/kept.md', ref = 'disk:{notes}/kept.md'"
        f" WHERE path = '{notes}/note1.md'",
    ]


def refused(kgfs: Program, store: Path, place: Path) -> str:
    """What is said where the store may not be mounted so."""
    said = kgfs("--store", store, "mount", place, "--write-through", "disk", status=None)
    if said.returncode == 0:
        pid = daemon_pid(kgfs, store)
        kgfs("--store", store, "umount", place)
        end(pid, 60)
    assert said.returncode == 1 and not place.exists(), said.stderr
    return said.stderr.splitlines()[-1]


@pytest.mark.slow
def test_a_store_of_somebody_else_writes_nothing_unasked(
    kgfs: Program, light_store: Path, notes: Path, tmp_path: Path, mount: Mounting
) -> None:
    (tmp_path / "out.md").write_text("theirs")
    rows(light_store, *their_edits(notes))
    kgfs("--store", light_store, "backup", tmp_path / "gift.kgfs")
    before, store = files(notes), tmp_path / "restored"
    kgfs("--store", store, "restore", tmp_path / "gift.kgfs", status=5)  # it says that rows cannot be as they are
    (tmp_path / "parent").mkdir()
    copied = Path(shutil.copytree(light_store, tmp_path / "parent" / ".kgfs"))
    for one in (store, copied):
        said = refused(kgfs, one, tmp_path / "kg")
        assert f"write to {notes} (3 edits waiting)" in said and f"`kgfs trust write-through --store {one}`" in said
        # All that it wishes is not this: it is trusted by its name.
        kgfs("--store", one, "trust", "--all")
        refused(kgfs, one, tmp_path / "kg")
        assert files(notes) == before
    shown = kgfs("--store", store, "trust").stdout
    assert f"write-through    ignored  {notes}\n" in shown and f"would be removed: {notes}/note1.md" in shown
    assert f"would be written: {notes}/note0.md" in shown
    kg = mount(store, "--writable", "disk")  # to be looked at
    assert Path(f"{kg}/context/disk{notes}/note0.md").read_text() == "evil"
    pid = daemon_pid(kgfs, store)
    kgfs("--store", store, "umount", kg)
    end(pid)
    assert files(notes) == before
    # Who trusts it means the edits that were named, and nothing outside of the folders.
    kgfs("--store", store, "trust", "write-through")
    kg = mount(store, "--write-through", "disk")
    kgfs("--store", store, "wait", timeout=300)
    assert (notes / "note0.md").read_text() == "evil" and not (notes / "note1.md").exists()
    assert (tmp_path / "out.md").read_text() == "theirs"
    assert (notes / "note2.md").read_bytes() == before["note2.md"]


def test_trust_is_of_folders_and_ends_at_once(kgfs: Program, place: Place, tmp_path: Path) -> None:
    def wait() -> None:
        kgfs("--store", place.store, "wait", timeout=300)

    other, linked = tmp_path / "other", tmp_path / "linked"
    other.mkdir()
    (other / "a.md").write_text("# A\n")
    linked.symlink_to(other)
    kgfs("--store", place.store, "add", linked, "--extractor", "none")
    shown = Path(f"{place.kg}/context/disk{linked}/a.md")
    shown.write_text("# Edited\n")
    wait()
    assert (other / "a.md").read_text() == "# A\n"  # it came later
    assert "kgfs trust write-through" in errors(kgfs, place)[0]["error"]
    said = kgfs("--store", place.store, "--json", "trust").stdout.splitlines()
    assert json.loads(said[-1]) == {
        "name": "write-through", "trusted": False, "value": [str(place.notes), str(other)],
        "written": [f"{linked}/a.md"], "removed": [],
    }  # fmt: skip
    kgfs("--store", place.store, "trust", "write-through")
    wait()
    assert (other / "a.md").read_text() == "# Edited\n" and errors(kgfs, place) == []
    kgfs("--store", place.store, "trust", "--revoke", "write-through")
    (place.shown / "note0.md").write_text("# Edited\n")
    wait()
    assert (place.notes / "note0.md").read_text() != "# Edited\n"


def test_a_bundle_ends_the_trust(kgfs: Program, light_store: Path, notes: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    shutil.copytree(light_store, theirs)
    rows(theirs, *their_edits(notes))
    kgfs("--store", theirs, "export", tmp_path / "theirs.jsonl.gz")
    before = files(notes)
    said = kgfs(
        "--store", light_store, "import", tmp_path / "theirs.jsonl.gz", "--on-conflict", "overwrite", status=None
    )
    assert "kgfs trust write-through" in said.stderr
    refused(kgfs, light_store, tmp_path / "kg")
    assert files(notes) == before


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 1 + rounds(1, 10)))
def test_whatever_is_done_the_disk_follows(kgfs: Program, place: Place, seed: int) -> None:
    """By chance: writes of all kinds, moves and removals, now and then with everything written in between."""
    chance, shown = random.Random(seed), place.shown
    folders = [shown, shown / "sub", shown / "made"]
    folders[2].mkdir()
    names = [folder / f"note{number}.md" for folder in folders for number in range(4)]
    for step in range(150):
        path, other = chance.choice(names), chance.choice(names)
        match chance.choice(["write", "write", "append", "save", "aside", "move", "remove", "wait"]):
            case "write":
                path.write_text(f"# Step {step}\n" * chance.randrange(3))
            case "append":
                with open(path, "a") as file:
                    file.write(f"Step {step}.\n")
            case "save":
                beside = path.with_suffix(chance.choice([".tmp", ".new.md"]))
                beside.write_text(f"# Saved {step}\n")
                os.replace(beside, path)
            case "aside" if path.exists():
                os.rename(path, f"{path}~")
                path.write_text(f"# Anew {step}\n")
            case "move" if path.exists() and path != other:
                os.replace(path, other)
            case "remove" if path.exists():
                os.unlink(path)
            case "wait" if chance.random() < 0.3:
                written(kgfs, place)
    written(kgfs, place)
    assert errors(kgfs, place) == []
    done = kgfs("--store", place.store, "--json", "-q", "refresh", "mine", "--prune")
    (source,) = json.loads(done.stdout)["sources"]
    numbers = ("added", "updated", "moved", "removed", "vanished", "conflicts", "failed")
    assert {name: source[name] for name in numbers} == dict.fromkeys(numbers, 0)
