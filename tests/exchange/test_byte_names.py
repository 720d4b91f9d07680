"""Files whose names are any bytes: added, listed under ``context/`` as names of their own, read back, found again."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest
from kgfs.store.catalog.database import Database
from kgfs.store.files.items import host_path, row_path
from tests.local_worker import LocalWorker
from tests.new_stores import new_store

ODD = st.lists(st.sampled_from([b"%", b"F", b"25", b"C3", b"\xc3", b"\xa9", b"\xff", b"a", b"\n", "é".encode()]))
NAMES = (
    st.one_of(ODD.map(b"".join), st.binary(min_size=1, max_size=200))
    .map(lambda name: name.replace(b"/", b"_").replace(b"\0", b"_")[:255])
    .filter(lambda name: name and not name.startswith(b".") and name[-1:] != b"~")
)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.sets(NAMES, min_size=1, max_size=12))
@example({b"\xff", b"%FF", b"%25FF", b"%2525FF", b"%ff", b"%", b"%25"})
@example({b"\xc3\xa9", b"%C3%A9", b"\xc3", b"\xa9", b"\xc3%A9"})
def test_each_name_is_a_file_of_its_own(names: set[bytes]) -> None:
    with tempfile.TemporaryDirectory() as home:
        folder = os.fsencode(home) + b"/folder"
        os.mkdir(folder)
        for name in names:
            Path(os.fsdecode(folder + b"/" + name)).write_bytes(b"This is " + name)
        with Database.open(Path(home) / "store", create=True) as database:
            pipeline = Pipeline(database, LocalWorker(Path(home) / "index.log"), Config())
            request = AddRequest(paths=[Path(os.fsdecode(folder))], extractor="none")
            assert pipeline.add(request).failed == []
            publish(database)
            tree = Namespace(database)
            tree.adopt(tree.load_snapshot())
            below = tree.resolve("context/disk" + os.fsdecode(folder))
            listed = tree.entries(below)
            assert len(listed) == len(names) == len({entry.name for entry in listed})
            for entry in listed:
                assert tree.lookup(below, entry.name) == entry.node
                data = tree.load(entry.node).read(0, 1000)
                assert data.startswith(b"This is ") and tree.attr(entry.node).size == len(data)
                ref = tree.xattrs(entry.node)["user.kg.ref"].decode()
                assert os.fsencode(host_path(ref.removeprefix("disk:"))) == folder + b"/" + data[8:]
            for name in names:
                found = tree.view.context.find_stored("disk", row_path(os.fsdecode(folder + b"/" + name)))
                assert isinstance(found, int)


def test_a_name_is_shown_as_it_is_meant(tmp_path: Path) -> None:
    with new_store(tmp_path / "store") as database:
        for name in (b"caf\xe9.txt", b"100%.txt"):
            (tmp_path / os.fsdecode(name)).write_text("text")
        request = AddRequest(paths=sorted(tmp_path.glob("*.txt")), extractor="none")
        Pipeline(database, LocalWorker(tmp_path / "index.log"), Config()).add(request)
        publish(database)
        tree = Namespace(database)
        tree.adopt(tree.load_snapshot())
        listed = tree.entries(tree.resolve(f"context/disk{tmp_path}"))
        assert [entry.name for entry in listed] == ["100%25.txt", "caf%E9.txt"]
