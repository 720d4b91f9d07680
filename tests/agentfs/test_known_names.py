"""Names in memory beside a plain dictionary of all names: what is said of a name is true, whatever was forgotten."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgfs.agentfs.filesystem.known_names import KnownNames

DIRECTORIES = st.integers(1, 3)
NAMES = st.sampled_from([b"a", b"b", b"\xff"])
STEPS = st.one_of(
    st.tuples(st.just("put"), DIRECTORIES, NAMES, st.integers(0, 9)),
    st.tuples(st.just("ask"), DIRECTORIES, NAMES),
    st.tuples(st.just("list"), DIRECTORIES),
    st.tuples(st.just("forget"), DIRECTORIES),
    st.tuples(st.just("clear")),
)


@given(st.lists(STEPS, max_size=40))
def test_what_is_known_is_true(steps: list[tuple[object, ...]]) -> None:
    known = KnownNames()
    true: dict[int, dict[bytes, int]] = {directory: {} for directory in (1, 2, 3)}
    for step in steps:
        match step:
            case ("put", int(directory), bytes(name), int(ino)):
                known.put(directory, name, ino)
                true[directory][name] = ino
            case ("ask", int(directory), bytes(name)):
                if known.find_inode(directory, name) is None:
                    known.put(directory, name, true[directory].get(name, 0))
                assert known.find_inode(directory, name) == true[directory].get(name, 0)
            case ("list", int(directory)):
                here = {name: ino for name, ino in true[directory].items() if ino}
                assert known.all_of(directory) in (None, here)
                known.put_all(directory, here.items())
                assert known.all_of(directory) == here
            case ("forget", int(directory)):
                known.forget(directory)
                assert known.all_of(directory) is None and known.find_inode(directory, b"a") is None
            case ("clear",):
                known.clear()
        for directory, names in true.items():
            for name in (b"a", b"b", b"\xff"):
                assert known.find_inode(directory, name) in (None, names.get(name, 0))
        assert len(known) == sum(len(names) for names in known._names.values())
        assert len(known) <= 9
