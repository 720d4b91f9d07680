"""The mapping of stored paths to names: injective, reversible, and always names that can stand in a directory."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgfs.namespace.context_names import SELF, decode_path, encode_component, encode_path
from kgfs.namespace.context_tree import ContextTree, Directory
from kgfs.namespace.domains import Domain, usable
from kgfs.namespace.loading.context import file_rows, place_items
from kgfs.namespace.loading.edits import Edit, Edited
from kgfs.namespace.loading.load_state import Folders
from kgfs.store.files.items import host_path, row_path

ODD = st.sampled_from(["", ".", "..", SELF, "%", "%empty", "%2E", "%5Fself", "a%", "%%", "é", "a" * 255, "é" * 130])
ESCAPED = st.sampled_from(["%FF", "%ff", "%25", "%25FF", "%=", "%=%FF", "%E2%80%99"])
COMPONENTS = st.one_of(
    ODD,
    ESCAPED,
    st.text(st.characters(blacklist_characters="/", blacklist_categories=["Cs"]), max_size=20),
    st.text(st.sampled_from("a%_.é🦆2E5F=f\0"), max_size=600),
    st.binary(max_size=40).map(lambda name: row_path(os.fsdecode(name.replace(b"/", b"")))),
)
PATHS = st.lists(COMPONENTS, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))


@given(COMPONENTS)
@example("a" * 5000)
@example("%" * 700)
@example("_self" * 51)
@example("." * 256)
@example("x" * 240 + "..")
@example("x" * 240 * 2 + SELF)
def test_names_can_stand(component: str) -> None:
    for name in encode_component(component):
        assert usable(name)
        assert name not in (".", "..", SELF)
        assert len(name.encode()) <= 255


@given(PATHS)
@example("/")
@example("/a/")
@example("//")
@example("/" + "🦆" * 300)
def test_reversible(path: str) -> None:
    assert decode_path(encode_path(path)) == path


@given(PATHS, PATHS)
def test_injective(one: str, other: str) -> None:
    assert (encode_path(one) == encode_path(other)) == (one == other)


def test_usual_paths_stay_as_they_are() -> None:
    assert encode_path("/home/ann/Notes on AI (2).md") == ("home", "ann", "Notes on AI (2).md")
    assert encode_path("/https/example.com/post") == ("https", "example.com", "post")
    assert encode_path("/a/100%") == ("a", "100%25")
    assert encode_path("/a/../_self") == ("a", "%2E%2E", "%5Fself")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"caf\xe9.md", "caf%E9.md"), (b"%E9", "%25E9"), (b"%25E9", "%2525E9"), (b"100%", "100%25"),
        (b"a%20b", "a%2520b"), ("café 🦆".encode(), "café 🦆"),
        (b"%\xff", "%25%FF"), (b"\xc3", "%C3"), (b"\xff\xfe", "%FF%FE"),
    ],
)  # fmt: skip
def test_names_of_files_are_escaped_once(name: bytes, shown: str) -> None:
    assert encode_path(row_path("/" + os.fsdecode(name))) == (shown,)


NAMES = st.binary(max_size=300).map(lambda name: name.replace(b"/", b"%")).filter(lambda name: name)


@given(NAMES, NAMES)
@example(b"\xff", b"%FF")
@example(b"%FF", b"%25FF")
@example(b"\xc3\xa9", b"%C3%A9")
def test_names_of_two_files_are_two_names(one: bytes, other: bytes) -> None:
    first, second = (row_path("/" + os.fsdecode(name)) for name in (one, other))
    assert (encode_path(first) == encode_path(second)) == (one == other)
    assert os.fsencode(host_path(decode_path(encode_path(first)))) == b"/" + one


def listing(directory: Directory) -> set[tuple[str, ...]]:
    found = {(*directory.names()[1:], name) for name in directory.files}
    for below in directory.directories.values():
        found |= listing(below)
    return found


@given(st.sets(PATHS, max_size=12))
@example({"/a", "/a/b", "/a/b/c", "/a/_self"})
def test_every_item_has_one_place(paths: set[str]) -> None:
    tree = ContextTree(["agent"])
    items = list(enumerate(sorted(paths, key=hash), 1))
    folders = Folders()
    split = [folders.split("disk", path) for _, path in items]
    ids = np.array([number for number, _ in items], np.int64)
    columns = {
        "folder": np.array([folder for folder, _ in split], np.int32),
        "name": np.array([name for _, name in split], object),
        "mtime": ids,
    }
    rows = file_rows(Domain("file", ids, ids), Edited(Edit(0), ids, columns), tree.numbers)
    place_items(tree, rows, columns, folders)
    drive = tree.drives.get("disk")
    places = listing(drive) if drive else set()
    assert len(places) == len(paths)
    assert {decode_path(place) for place in places} == paths
    for number, path in items:
        assert tree.path(number).startswith("context/disk/")
        found = tree.find_stored("disk", path)
        if path.strip("/"):  # "/" is the drive itself
            assert found == number or (isinstance(found, Directory) and found.files[SELF] == number)
        directory, name = tree.place[number]
        assert directory.files[name] == number and name not in directory.directories
        assert directory.mtime >= number
    assert len({directory.key for directory in tree.by_key.values()}) == len(tree.by_key)
    assert tree.find_stored("disk", "/nothing/like/this") is None and tree.find_stored("nowhere", "/a") is None


_PIECES = st.sampled_from(["/", "a", ".", SELF, "%", "\0", "\udc80", "é", "x" * 62, "日" * 30, "\n", " "])


@given(st.lists(_PIECES, max_size=9).map("".join))
def test_a_plain_path_is_its_components(path: str) -> None:
    components = path.removeprefix("/").split("/")
    assert encode_path(path) == tuple(name for component in components for name in encode_component(component))
