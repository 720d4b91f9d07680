"""The walk over sources: order, what is left out and why, hostile names, loops, files that cannot be read."""

from __future__ import annotations

import os
import socket
import stat
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.documents.original import OpenFile
from kgfs.errors import NotFoundError
from kgfs.sources.walking import SkippedPath, WalkedFile, walk_files


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def found(root: Path, **options: object) -> list[str]:
    return [str(entry.path.relative_to(root)) for entry in walk_files(root, **options) if isinstance(entry, WalkedFile)]  # type: ignore[arg-type]


def reasons(root: Path, **options: object) -> Counter[str]:
    return Counter(entry.reason for entry in walk_files(root, **options) if isinstance(entry, SkippedPath))  # type: ignore[arg-type]


def test_files_come_in_byte_order_of_their_paths(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a/z.md", "a.md", "a-b.md", "Z.md", "a/b/c.md", "é.md")
    listed = found(tmp_path)
    assert listed == sorted(listed, key=os.fsencode)
    assert len(listed) == 7


@given(st.lists(st.lists(st.sampled_from(["a", "b", "a.b", "a-b", "é", "A"]), min_size=1, max_size=3), max_size=12))
@settings(max_examples=40, deadline=None)
def test_the_walk_finds_every_file_in_order(tmp_path_factory: pytest.TempPathFactory, paths: list[list[str]]) -> None:
    root = tmp_path_factory.mktemp("walk")
    made = set()
    for parts in paths:
        path = root.joinpath(*(f"{part}_" for part in parts[:-1]), parts[-1])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
        made.add(str(path.relative_to(root)))
    assert found(root) == sorted(made, key=os.fsencode)


def test_a_file_that_is_named_itself_is_found_even_when_hidden(tmp_path: Path) -> None:
    make(tmp_path, ".secret.md")
    assert [type(entry) for entry in walk_files(tmp_path / ".secret.md")] == [WalkedFile]


def test_size_mtime_and_mode_are_the_files(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    os.chmod(tmp_path / "a.md", 0o640)
    os.utime(tmp_path / "a.md", ns=(1, 1_500_000_000_000_000_007))
    (entry,) = walk_files(tmp_path)
    assert isinstance(entry, WalkedFile)
    assert (entry.size, entry.mtime_ns, entry.mode) == (4, 1_500_000_000_000_000_007, 0o640)


def test_hidden_files_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    make(tmp_path, "a.md", ".b.md", ".c/d.md", ".git/config")
    assert found(tmp_path) == ["a.md"]
    assert reasons(tmp_path) == {"hidden": 3}
    assert found(tmp_path, hidden=True) == [".b.md", ".c/d.md", "a.md"]


def test_what_editors_leave_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "a.md~", "a.md.swp", "#a.md#", "b.part", "4913", "c.tmp", "d~/e.md")
    for hidden in (False, True):
        assert reasons(tmp_path, hidden=hidden) == {"temporary": 6}
        assert found(tmp_path, hidden=hidden) == ["a.md", "d~/e.md"]
    assert [type(entry) for entry in walk_files(tmp_path / "a.md~")] == [WalkedFile]


def test_a_store_is_never_entered_not_even_with_hidden(tmp_path: Path) -> None:
    make(tmp_path, ".kgfs/catalog.duckdb", "deep/.kgfs/catalog.duckdb", "a.md")
    assert found(tmp_path, hidden=True) == ["a.md"]
    assert reasons(tmp_path, hidden=True) == {"store": 2}


def test_gitignore_holds_at_every_level_and_the_innermost_decides(tmp_path: Path) -> None:
    make(tmp_path, "a.log", "a.md", "build/x.md", "sub/a.log", "sub/keep.log", "sub/b/keep.log", "sub/deep/build/x.md")
    (tmp_path / ".gitignore").write_text("*.log\n/build/\n# comment\n")
    (tmp_path / "sub" / ".gitignore").write_text("!keep.log\n")
    (tmp_path / "sub" / "b" / ".gitignore").write_text("keep.log\n")
    assert found(tmp_path) == ["a.md", "sub/deep/build/x.md", "sub/keep.log"]
    assert reasons(tmp_path)["ignored"] == 4


@pytest.mark.parametrize(
    "content", [b"\xff\xfe[z-a\n*.log\n", b"\xef\xbb\xbf*.log\r\n", b"!\n*.log\n", b"***\n*.log\n"]
)
def test_an_odd_gitignore_breaks_nothing(tmp_path: Path, content: bytes) -> None:
    make(tmp_path, "a.log", "b.md")
    (tmp_path / ".gitignore").write_bytes(content)
    assert "a.log" not in found(tmp_path)


def test_a_gitignore_that_is_no_file_is_passed_over(tmp_path: Path) -> None:
    make(tmp_path, "a.md", ".gitignore/x")
    assert found(tmp_path) == ["a.md"]


def test_exclude_takes_globs_from_the_root(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "a.bak", "drafts/b.md", "sub/drafts/c.md")
    assert found(tmp_path, exclude=["*.bak", "/drafts"]) == ["a.md", "sub/drafts/c.md"]
    assert reasons(tmp_path, exclude=["*.bak", "/drafts"]) == {"excluded": 2}


def test_special_files_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        assert found(tmp_path) == ["a.md"]
        assert reasons(tmp_path) == {"special": 2}


def test_links_to_folders_are_not_followed_and_loops_end(tmp_path: Path) -> None:
    make(tmp_path, "a/b.md")
    (tmp_path / "a" / "loop").symlink_to("..")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "file.md").symlink_to("a/b.md")
    assert found(tmp_path) == ["a/b.md", "file.md"]
    assert reasons(tmp_path) == {"linked folder": 1, "broken link": 2}


def test_links_that_lead_out_are_not_followed(tmp_path: Path) -> None:
    root, out = tmp_path / "root", tmp_path / "root-2"  # beside, not beneath
    make(root, "a/b.md", "a/deep/c.md")
    make(out, "id_rsa", "sub/d.md")
    (root / "out").symlink_to(out)
    (out / "back").symlink_to(root)
    links = {
        "1.md": out / "id_rsa", "2.md": "../root-2/id_rsa", "3.md": "1.md", "4.md": "a/5.md", "a/5.md": "../2.md",
        "6.md": "out/sub/d.md", "7.md": "a/deep/../../../root-2/id_rsa",
    }  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(target)
    for name, target in {"in.md": "a/b.md", "chain.md": "in.md", "a/up.md": f"{root}/in.md"}.items():
        (root / name).symlink_to(target)
    (root / "round.md").symlink_to("out/back/a/b.md")  # out and in again: what is read is in it
    (tmp_path / "named").symlink_to(root)
    inside = ["a/b.md", "a/deep/c.md", "a/up.md", "chain.md", "in.md", "round.md"]
    for top in (root, tmp_path / "named"):
        assert found(top) == inside
        assert reasons(top) == {"link that leads out": 7, "linked folder": 1}
        assert found(top, only=[top / "1.md", top / "in.md"]) == ["in.md"]
    # One that is named itself is the user's word.
    assert [type(entry) for entry in walk_files(root / "1.md")] == [WalkedFile]


@pytest.mark.parametrize("swapped", ["link", "file", "folder"])
def test_the_file_that_is_read_is_the_one_that_was_looked_at(tmp_path: Path, swapped: str) -> None:
    """A link comes in between the walk and the reading."""
    root, secret = tmp_path / "root", tmp_path / "secret"
    make(root, "target.md", "sub/notes.md")
    make(secret, "notes.md")
    if swapped == "link":
        (root / "sub" / "notes.md").unlink()
        (root / "sub" / "notes.md").symlink_to("../target.md")
    (entry,) = (one for one in walk_files(root) if isinstance(one, WalkedFile) and one.path.name == "notes.md")
    with OpenFile(entry.path, entry.within) as original:
        assert original.whole(100) in (b"target.md", b"sub/notes.md")
    if swapped == "folder":
        (root / "sub").rename(root / "away")
        (root / "sub").symlink_to(secret)
    else:
        entry.path.unlink()
        entry.path.symlink_to(secret / "notes.md")
    with pytest.raises(OSError, match="It is no file in"):
        OpenFile(entry.path, entry.within)
    # What was saved anew meanwhile, as editors do, is read.
    (root / "new").write_text("new")
    (root / "new").rename(root / "target.md")
    with OpenFile(root / "target.md", entry.within) as original:
        assert original.whole(100) == b"new"


@pytest.mark.parametrize(
    "name", [b"line\nbreak.md", b"quote'\"`$.md", "😀.md".encode(), b"-rf", b"\xff\xfe.md", b"a" * 255, b" ", b"tab\t"]
)
def test_names_are_any_bytes(tmp_path: Path, name: bytes) -> None:
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(b"x")
    (entry,) = walk_files(tmp_path)
    assert os.fsencode(entry.path).endswith(b"/" + name)
    assert isinstance(entry, WalkedFile)


def test_what_cannot_be_read_is_reported_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md", "closed/b.md", "z.md")
    real = os.scandir

    def scandir(path: bytes) -> object:
        if path.endswith(b"closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    entries = list(walk_files(tmp_path))
    assert [entry.path.name for entry in entries if isinstance(entry, WalkedFile)] == ["a.md", "z.md"]
    (skipped,) = [entry for entry in entries if isinstance(entry, SkippedPath)]
    assert (skipped.reason, skipped.error) == ("unreadable", "Permission denied")


def test_an_unreadable_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md")
    os.chmod(tmp_path / "a.md", 0)
    if os.geteuid() == 0:  # root reads everything
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert reasons(tmp_path) == {"unreadable": 1}


def test_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="There is no file or folder"):
        list(walk_files(tmp_path / "none"))


def test_what_is_ours_is_not_entered(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "store/catalog.duckdb")
    assert found(tmp_path, is_ours=lambda path: path.name == "store") == ["a.md"]
    assert reasons(tmp_path, is_ours=lambda path: path.name == "store") == {"store": 1}


def test_another_file_system_is_left_out_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md", "other/b.md")
    real = os.lstat

    def lstat(path: bytes) -> os.stat_result:
        status = real(path)
        if path.endswith(b"other"):
            return os.stat_result((status.st_mode, status.st_ino, status.st_dev + 1, *tuple(status)[3:10]))
        return status

    monkeypatch.setattr(os, "lstat", lstat)
    assert found(tmp_path) == ["a.md"]
    assert reasons(tmp_path) == {"other file system": 1}
    assert found(tmp_path, cross_device=True) == ["a.md", "other/b.md"]


def test_a_deep_tree_does_not_overflow(tmp_path: Path) -> None:
    here = tmp_path
    for _ in range(300):
        here = here / "d"
    os.makedirs(here)
    (here / "a.md").write_text("x")
    assert len(found(tmp_path)) == 1
    assert stat.S_ISREG((here / "a.md").stat().st_mode)


FOLDERS = ("", "a", "a/b", "a/b/c", "ab", ".h", "d")
FILES = tuple(f"{folder}/{name}".lstrip("/") for folder in FOLDERS for name in ("x.md", "y.log", ".z.md"))


@given(
    names=st.sets(st.sampled_from(FILES)),
    only=st.lists(st.sampled_from((*FOLDERS, *FILES, "none", "a/none.md")), max_size=4),
    ignored=st.sampled_from(("", "y.log", "b/", "!y.log")),
    hidden=st.booleans(),
    exclude=st.sampled_from(((), ("*.log",), ("a/b",))),
)
@settings(max_examples=60, deadline=None)
def test_a_walk_of_parts_is_that_part_of_the_walk(
    tmp_path_factory: pytest.TempPathFactory,
    names: set[str],
    only: list[str],
    ignored: str,
    hidden: bool,
    exclude: tuple[str, ...],
) -> None:
    root = tmp_path_factory.mktemp("parts")
    make(root, *names)
    if ignored and (root / "a").is_dir():
        (root / "a" / ".gitignore").write_text(ignored)
    places = [root / name for name in only]

    def inside(entry: WalkedFile | SkippedPath) -> bool:
        return any(entry.path.is_relative_to(place) for place in places)

    options: dict[str, object] = {"hidden": hidden, "exclude": exclude}
    whole = [*walk_files(root, **options)]  # type: ignore[arg-type]
    part = [*walk_files(root, only=places, **options)]  # type: ignore[arg-type]
    # What is left out as a whole has nothing beneath that could be walked; a folder on the way may be told too.
    assert [entry for entry in part if inside(entry)] == [entry for entry in whole if inside(entry)]
    assert all(isinstance(entry, SkippedPath) for entry in part if not inside(entry))


def test_folders_that_are_entered_are_told(tmp_path: Path) -> None:
    make(tmp_path, "a/x.md", "b/c/x.md", ".hidden/x.md", "skip/x.md", ".kgfs/catalog.duckdb")
    (tmp_path / "loop").symlink_to("..")
    (tmp_path / ".gitignore").write_text("skip/\n")
    entered: list[Path] = []
    list(walk_files(tmp_path, entered=entered.append))
    assert [str(path.relative_to(tmp_path)) for path in entered] == [".", "a", "b", "b/c"]
    entered.clear()
    list(walk_files(tmp_path, entered=entered.append, only=[tmp_path / "b"]))
    assert [str(path.relative_to(tmp_path)) for path in entered] == [".", "b", "b/c"]
