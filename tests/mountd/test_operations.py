"""The handlers called directly, over a namespace in memory."""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from typing import Any

import pyfuse3
import pytest
import trio

from kgfs.errors import KgfsError, QueryError
from mountd.kernel import ABSENT_SECONDS
from mountd.operations import CACHE_SECONDS, Operations
from mountd.writing import Writing
from tests.mountd.conftest import TREE, Run
from tests.mountd.planted import ROOT, Bytes, PlantedNamespace


def errno_of(run: Run, function: Any, *arguments: Any) -> int:
    with pytest.raises(pyfuse3.FUSEError) as caught:
        run(function, *arguments)
    return int(caught.value.errno)


def listing(monkeypatch: pytest.MonkeyPatch, room: int) -> list[list[tuple[bytes, int, int, int]]]:
    """Replace ``readdir_reply`` by one that takes ``room`` entries a call; answers the replies as they come."""
    replies: list[list[tuple[bytes, int, int, int]]] = []

    def reply(token: object, name: bytes, attr: pyfuse3.EntryAttributes, offset: int) -> bool:
        if len(replies[-1]) >= room:
            return False
        replies[-1].append((name, attr.st_ino, offset, attr.st_mode))
        return True

    monkeypatch.setattr(pyfuse3, "readdir_reply", reply)
    return replies


# Names and attributes


def test_lookup_answers_the_entry_and_counts_it(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    entry = run(operations.lookup, ROOT, b"AGENTS.md", context)
    assert entry.st_ino == namespace.at("AGENTS.md")
    assert (entry.st_size, entry.st_blocks) == (6, 1)
    assert stat.S_ISREG(entry.st_mode) and stat.S_IMODE(entry.st_mode) == 0o644
    assert (entry.st_uid, entry.st_gid) == (os.getuid(), os.getgid())
    assert entry.attr_timeout == entry.entry_timeout == CACHE_SECONDS
    run(operations.lookup, ROOT, b"AGENTS.md", context)
    assert operations.kernel.counts == {entry.st_ino: 2}


def test_an_absent_name_is_remembered_by_the_kernel(operations: Operations, run: Run, context: Any) -> None:
    entry = run(operations.lookup, ROOT, b".gitignore", context)
    assert (entry.st_ino, entry.entry_timeout) == (0, ABSENT_SECONDS)
    assert operations.kernel.counts == {}


def test_lookup_beneath_a_file_is_enotdir(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    assert errno_of(run, operations.lookup, namespace.at("AGENTS.md"), b"x", context) == errno.ENOTDIR


@pytest.mark.parametrize("name", [b"\xff\xfe", "ä".encode(), b"x" * 3000, b"\x01", b"a\nb"])
def test_any_bytes_may_be_looked_up(operations: Operations, run: Run, context: Any, name: bytes) -> None:
    assert run(operations.lookup, ROOT, name, context).st_ino == 0


def test_forget_drops_what_reached_zero(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    node = namespace.at("AGENTS.md")
    for _ in range(3):
        run(operations.lookup, ROOT, b"AGENTS.md", context)
    run(operations.forget, [(node, 2)])
    assert namespace.forgotten == []
    run(operations.forget, [(node, 1), (424242, 7)])
    assert namespace.forgotten == [node]
    assert operations.kernel.counts == {}


def test_forget_never_raises(operations: Operations, namespace: PlantedNamespace, run: Run, context: Any) -> None:
    run(operations.lookup, ROOT, b"empty", context)
    namespace.raising["forget"] = RuntimeError("broken")
    run(operations.forget, [(namespace.at("empty"), 1)])
    assert b"broken" in operations.errors.path.read_bytes()


def test_getattr_of_the_root(operations: Operations, run: Run, context: Any) -> None:
    entry = run(operations.getattr, ROOT, context)
    assert entry.st_ino == pyfuse3.ROOT_INODE
    assert stat.S_ISDIR(entry.st_mode) and stat.S_IMODE(entry.st_mode) == 0o755
    assert (entry.st_nlink, entry.st_blocks) == (1, 0)


def test_readlink(operations: Operations, namespace: PlantedNamespace, run: Run, context: Any) -> None:
    assert run(operations.readlink, namespace.at("README.md"), context) == b"AGENTS.md"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"user.nothing", errno.ENODATA),
        (b"security.capability", errno.EOPNOTSUPP),
        (b"security.selinux", errno.EOPNOTSUPP),
        (b"system.posix_acl_access", errno.EOPNOTSUPP),
        (b"trusted.overlay.opaque", errno.EOPNOTSUPP),
        (b"user.\xff", errno.ENODATA),
    ],
)
def test_absent_attributes(operations: Operations, run: Run, context: Any, name: bytes, expected: int) -> None:
    assert errno_of(run, operations.getxattr, ROOT, name, context) == expected


def test_attributes(operations: Operations, run: Run, context: Any) -> None:
    assert run(operations.getxattr, ROOT, b"user.kg.type", context) == b"planted"
    assert run(operations.listxattr, ROOT, context) == [b"user.kg.type"]


def test_statfs(operations: Operations, run: Run, context: Any) -> None:
    answer = run(operations.statfs, context)
    assert answer.f_namemax == 255
    assert answer.f_blocks >= answer.f_bfree >= answer.f_bavail > 0


# What changes by itself


def volatile(namespace: PlantedNamespace, monkeypatch: Any, path: str) -> None:
    """Make one file change without a new generation."""
    node, attr = namespace.at(path), namespace.attr
    monkeypatch.setattr(namespace, "attr", lambda each: attr(each)._replace(volatile=each == node))


def test_the_kernel_keeps_nothing_of_a_volatile_file(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, monkeypatch: Any
) -> None:
    volatile(namespace, monkeypatch, "AGENTS.md")
    entry = run(operations.lookup, ROOT, b"AGENTS.md", context)
    assert (entry.attr_timeout, entry.entry_timeout) == (0, 0)
    info = run(operations.open, entry.st_ino, os.O_RDONLY, context)
    assert (info.keep_cache, info.direct_io) == (False, False)
    assert run(operations.read, info.fh, 0, 100) == b"guide\n"
    namespace.view.what[entry.st_ino] = b"another\n"
    assert run(operations.getattr, entry.st_ino, context).st_size == 8
    assert run(operations.read, info.fh, 0, 100) == b"another\n"


def test_what_a_file_was_while_it_was_volatile_is_not_kept_afterwards(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        volatile(namespace, patched, "AGENTS.md")
        node = run(operations.lookup, ROOT, b"AGENTS.md", context).st_ino
        info = run(operations.open, node, os.O_RDONLY, context)
        run(operations.release, info.fh)
    entry = run(operations.lookup, ROOT, b"AGENTS.md", context)
    assert entry.attr_timeout > 0 and entry.entry_timeout > 0
    for _ in range(2):  # the one that opens it may be the first to read it since
        info = run(operations.open, node, os.O_RDONLY, context)
        assert not info.keep_cache and run(operations.read, info.fh, 0, 100) == b"guide\n"
        run(operations.release, info.fh)
    run(operations.forget, [(node, 2)])
    assert run(operations.open, node, os.O_RDONLY, context).keep_cache


def test_what_is_open_is_held(operations: Operations, namespace: PlantedNamespace, run: Run, context: Any) -> None:
    node = namespace.at("AGENTS.md")
    handles = [run(operations.open, node, os.O_RDONLY, context).fh for _ in range(2)]
    directory = run(operations.opendir, ROOT, context)
    assert sorted(namespace.held) == sorted([node, node, ROOT])
    run(operations.release, handles[0])
    run(operations.releasedir, directory)
    assert namespace.held == [node]
    run(operations.release, handles[1])
    assert namespace.held == []
    namespace.raising["batches"] = KeyError("planted")
    assert errno_of(run, operations.opendir, ROOT, context) == errno.EIO and namespace.held == []


def test_a_name_missing_in_an_area_is_not_remembered(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    namespace.adopt(namespace.plant({"@status/jobs/1.json": b"{}"}))
    assert errno_of(run, operations.lookup, namespace.at("@status/jobs"), b"2.json", context) == errno.ENOENT
    assert operations.kernel.absent_names() == []


# Directories


@pytest.mark.parametrize("room", [1, 2, 3, 1000])
def test_a_listing_in_blocks_is_whole(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, monkeypatch: Any, room: int
) -> None:
    replies = listing(monkeypatch, room)
    handle = run(operations.opendir, ROOT, context)
    after = 0
    while True:
        replies.append([])
        run(operations.readdir, handle, after, None)
        if not replies[-1]:
            break
        after = replies[-1][-1][2]
    seen = [entry for reply in replies for entry in reply]
    assert [entry[0] for entry in seen] == [b".", b"..", b"README.md", b"AGENTS.md", b"empty", b"entities"]
    assert len({entry[2] for entry in seen}) == len(seen)
    assert [entry[1] for entry in seen[:2]] == [ROOT, ROOT]
    counted = {namespace.at(name) for name in ("AGENTS.md", "README.md", "empty", "entities")}
    assert operations.kernel.counts == dict.fromkeys(counted, 1)
    run(operations.releasedir, handle)
    assert len(operations.handles) == 0


def test_the_kernel_may_ask_again_from_the_middle(
    operations: Operations, run: Run, context: Any, monkeypatch: Any
) -> None:
    replies = listing(monkeypatch, 100)
    handle = run(operations.opendir, ROOT, context)
    replies.append([])
    run(operations.readdir, handle, 0, None)
    whole = replies[-1]
    for index, entry in enumerate(whole):
        replies.append([])
        run(operations.readdir, handle, entry[2], None)
        assert replies[-1] == whole[index + 1 :]


@pytest.mark.parametrize("removed", range(0, 40))
def test_a_listing_goes_on_when_the_directory_changed(
    run: Run, operations: Operations, namespace: PlantedNamespace, context: Any, monkeypatch: Any, removed: int
) -> None:
    """Whatever is removed or added between two blocks: nothing twice, nothing gone that stayed, nothing that went."""
    names = [f"{number:02d}" for number in range(40)]
    namespace.adopt(namespace.plant(dict.fromkeys(names, b"")))
    replies = listing(monkeypatch, 13)
    handle = run(operations.opendir, ROOT, context)
    replies.append([])
    run(operations.readdir, handle, 0, None)
    kept = [name for name in names if int(name) != removed and int(name) != removed // 2]
    namespace.adopt(namespace.plant(dict.fromkeys([*kept, "00a", "20a", "39a"], b"")))
    first = {entry[0].decode() for entry in replies[0]}
    while replies[-1]:
        after = replies[-1][-1][2]
        replies.append([])
        run(operations.readdir, handle, after, None)
    seen = [entry[0].decode() for reply in replies for entry in reply]
    assert len(seen) == len(set(seen))
    assert set(kept) <= set(seen)
    assert not (set(seen) - first) & (set(names) - set(kept))


def test_opendir_of_a_file_is_enotdir(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    assert errno_of(run, operations.opendir, namespace.at("empty"), context) == errno.ENOTDIR


# Files


@pytest.mark.parametrize("cold", [False, True])
def test_reading(operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, cold: bool) -> None:
    node = namespace.at("AGENTS.md")
    if cold:
        namespace.cold.add(node)
    handle = run(operations.open, node, os.O_RDONLY, context).fh
    assert run(operations.read, handle, 0, 100) == TREE["AGENTS.md"]
    assert run(operations.read, handle, 2, 2) == b"id"
    assert run(operations.read, handle, 6, 100) == b""
    assert namespace.calls.count("load") == int(cold)
    run(operations.fsync, handle, False)
    run(operations.release, handle)
    assert len(operations.handles) == 0 and not operations.handles.is_open(node)


def test_open_asks_for_direct_io_only_where_a_file_is_made_anew_at_each_look(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = run(operations.open, namespace.at("empty"), os.O_RDONLY, context)
    assert (info.direct_io, info.keep_cache) == (False, True)
    monkeypatch.setattr(namespace, "is_momentary", lambda node: node == namespace.at("empty"))
    assert run(operations.open, namespace.at("empty"), os.O_RDONLY, context).direct_io


@pytest.mark.parametrize("flags", [os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND])
def test_open_for_writing_is_erofs(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, flags: int
) -> None:
    assert errno_of(run, operations.open, namespace.at("AGENTS.md"), flags, context) == errno.EROFS


def test_an_old_handle_serves_the_bytes_of_now(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    handle = run(operations.open, namespace.at("AGENTS.md"), os.O_RDONLY, context).fh
    assert run(operations.read, handle, 0, 100) == b"guide\n"
    namespace.adopt(namespace.plant({**TREE, "AGENTS.md": b"other\n"}))
    assert run(operations.read, handle, 0, 100) == b"other\n"


def test_a_file_that_went_while_open_can_be_read_to_its_end(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    first = run(operations.open, namespace.at("AGENTS.md"), os.O_RDONLY, context).fh
    second = run(operations.open, namespace.at("AGENTS.md"), os.O_RDONLY, context).fh
    assert run(operations.read, first, 0, 3) == b"gui"
    namespace.adopt(namespace.plant({name: what for name, what in TREE.items() if name != "AGENTS.md"}))
    assert run(operations.read, first, 3, 3) == b"de\n"
    assert errno_of(run, operations.read, second, 0, 3) == errno.ESTALE


def test_a_listing_goes_on_in_another_snapshot_of_the_same_generation(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one is adopted when somebody wrote: what it lists may have yet to be rendered there."""
    replies = listing(monkeypatch, 100)
    handle = run(operations.opendir, ROOT, context)
    guide = namespace.at("AGENTS.md")
    namespace.unprepared |= {ROOT, guide}
    namespace.on_prepare = lambda node: namespace.unprepared.discard(guide)
    replies.append([])
    run(operations.readdir, handle, 0, None)
    assert b"AGENTS.md" in [name for name, *_ in replies[0]]


def test_an_unknown_handle_is_ebadf(operations: Operations, run: Run) -> None:
    assert errno_of(run, operations.read, 4711, 0, 1) == errno.EBADF
    assert errno_of(run, operations.readdir, 4711, 0, None) == errno.EBADF
    run(operations.release, 4711)


def test_readers_of_one_cold_file_load_it_once(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    node = namespace.at("AGENTS.md")
    namespace.cold.add(node)

    def load(node: int) -> None:
        time.sleep(0.05)
        namespace.cold.discard(node)

    namespace.on_load = load

    async def read_all() -> list[bytes]:
        got: list[bytes] = []

        async def read_one() -> None:
            handle = (await operations.open(node, os.O_RDONLY, context)).fh
            got.append(await operations.read(handle, 0, 100))

        async with trio.open_nursery() as nursery:
            for _ in range(64):
                nursery.start_soon(read_one)
        return got

    assert run(read_all) == [b"guide\n"] * 64
    assert namespace.calls.count("load") == 1


def test_a_body_that_blocks_is_read_in_a_thread(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, monkeypatch: Any
) -> None:
    threads: list[str] = []
    body = Bytes(b"x" * 100, before=lambda: threads.append(threading.current_thread().name))
    monkeypatch.setattr(namespace, "peek", lambda node: body)
    handle = run(operations.open, namespace.at("AGENTS.md"), os.O_RDONLY, context).fh
    assert run(operations.read, handle, 10, 20) == b"x" * 20
    assert threads and threads[0] != threading.main_thread().name


# StaleSnapshotError reads


def test_an_overtaken_read_waits_for_the_publication(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    node = namespace.at("AGENTS.md")
    namespace.cold.add(node)
    namespace.overtaken = 1

    async def read() -> bytes:
        handle = (await operations.open(node, os.O_RDONLY, context)).fh
        async with trio.open_nursery() as nursery:

            async def publish() -> None:
                await trio.sleep(0.05)
                namespace.adopt(namespace.plant({**TREE, "AGENTS.md": b"newer\n"}))
                operations.adopted()

            nursery.start_soon(publish)
            return await operations.read(handle, 0, 100)
        raise AssertionError

    assert run(read) == b"newer\n"


def test_an_overtaken_read_fetches_the_snapshot_that_nobody_publishes(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("mountd.operations.RELOAD_SECONDS", 0.01)
    node = namespace.at("AGENTS.md")
    namespace.cold.add(node)
    namespace.overtaken = 1

    async def reload() -> None:
        namespace.adopt(namespace.plant({**TREE, "AGENTS.md": b"fetched\n"}))
        operations.adopted()

    operations.reload = reload
    handle = run(operations.open, node, os.O_RDONLY, context).fh
    assert run(operations.read, handle, 0, 100) == b"fetched\n"


def test_reads_that_are_overtaken_for_ever_end(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("mountd.operations.RELOAD_SECONDS", 0.01)
    node = namespace.at("AGENTS.md")
    namespace.cold.add(node)
    namespace.overtaken = 1_000_000
    handle = run(operations.open, node, os.O_RDONLY, context).fh
    started = time.monotonic()
    assert errno_of(run, operations.read, handle, 0, 100) == errno.ETIMEDOUT
    assert time.monotonic() - started < 5


# Faults


HANDLERS: list[tuple[str, str, tuple[Any, ...]]] = [
    ("lookup", "lookup", (ROOT, b"x")),
    ("lookup", "pending", (ROOT, b"x")),
    ("getattr", "attr", (ROOT,)),
    ("readlink", "target", (3,)),
    ("getxattr", "xattrs", (ROOT, b"user.x")),
    ("listxattr", "xattrs", (ROOT,)),
    ("opendir", "batches", (ROOT,)),
    ("open", "attr", (3, os.O_RDONLY)),
]


@pytest.mark.parametrize(("handler", "method", "arguments"), HANDLERS)
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (RuntimeError("a bug"), errno.EIO),
        (RecursionError(), errno.EIO),
        (MemoryError(), errno.EIO),
        (KeyError("k"), errno.EIO),
        (OSError(errno.ENOSPC, "full"), errno.ENOSPC),
        (OSError("without a number"), errno.EIO),
        (QueryError("A bracket is missing; close it."), errno.EINVAL),
        (KgfsError("It failed; try again."), errno.EIO),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_no_fault_leaves_a_handler(
    operations: Operations,
    namespace: PlantedNamespace,
    run: Run,
    context: Any,
    handler: str,
    method: str,
    arguments: tuple[Any, ...],
    fault: BaseException,
    expected: int,
    caplog: pytest.LogCaptureFixture,
    refusals: list[KgfsError],
) -> None:
    namespace.raising[method] = fault
    assert errno_of(run, getattr(operations, handler), *arguments, context) == expected
    unexpected = not isinstance(fault, KgfsError) and getattr(fault, "errno", None) is None
    assert operations.errors.path.exists() == unexpected
    assert bool(caplog.records) == unexpected
    assert refusals == ([fault] if isinstance(fault, KgfsError) else [])
    namespace.raising.clear()
    run(operations.getattr, ROOT, context)  # and it goes on


def test_a_fault_while_noting_a_refusal_changes_nothing(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, monkeypatch: Any
) -> None:
    def broken(error: KgfsError) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(operations, "refused", broken)
    namespace.raising["lookup"] = QueryError("no")
    assert errno_of(run, operations.lookup, ROOT, b"x", context) == errno.EINVAL


def test_what_is_not_ours_to_catch_passes(operations: Operations, namespace: PlantedNamespace, context: Any) -> None:
    """A cancellation must reach trio: it is how the session ends requests that do not."""
    node = namespace.at("AGENTS.md")
    namespace.unprepared.add(node)
    namespace.on_prepare = lambda node: time.sleep(0.3)

    async def cancelled() -> bool:
        with trio.move_on_after(0.02) as scope:
            await operations.getattr(node, context)
        return scope.cancelled_caught

    assert trio.run(cancelled)


# Deadlines


def test_a_query_that_hangs_ends_with_etimedout_and_does_not_starve_reads(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, refusals: list[KgfsError]
) -> None:
    operations.deadline = 0.3
    release = threading.Event()
    slow = namespace.at("entities/people")
    namespace.unprepared.add(slow)
    namespace.on_prepare = lambda node: release.wait(5) and None  # type: ignore[func-returns-value]
    cold = namespace.at("AGENTS.md")
    namespace.cold.add(cold)

    async def both() -> tuple[list[int], float]:
        errnos: list[int] = []

        async def look() -> None:
            try:
                await operations.lookup(slow, b"x", context)
            except pyfuse3.FUSEError as error:
                errnos.append(error.errno)

        async with trio.open_nursery() as nursery:
            for _ in range(50):
                nursery.start_soon(look)
            await trio.sleep(0.05)
            handle = (await operations.open(cold, os.O_RDONLY, context)).fh
            started = time.monotonic()
            assert await operations.read(handle, 0, 10) == b"guide\n"
            took = time.monotonic() - started
        return errnos, took

    try:
        errnos, took = run(both)
    finally:
        release.set()
    assert errnos == [errno.ETIMEDOUT] * 50
    assert took < 0.2
    assert "0.3 seconds" in refusals[0].message


# Writes


def writes(namespace: PlantedNamespace) -> list[tuple[str, tuple[Any, ...], bool]]:
    file = namespace.at("AGENTS.md")
    return [
        ("setattr", (file, None, None, None), True),
        ("create", (ROOT, b"new", 0o644, os.O_RDWR), True),
        ("mknod", (ROOT, b"new", stat.S_IFIFO | 0o644, 0), True),
        ("mkdir", (ROOT, b"new", 0o755), True),
        ("unlink", (ROOT, b"AGENTS.md"), True),
        ("rmdir", (ROOT, b"entities"), True),
        ("symlink", (ROOT, b"new", b"AGENTS.md"), True),
        ("rename", (ROOT, b"AGENTS.md", ROOT, b"new", 0), True),
        ("link", (file, ROOT, b"new"), True),
        ("write", (1, 0, b"x"), False),
        ("setxattr", (file, b"user.x", b"1"), True),
        ("removexattr", (file, b"user.x"), True),
    ]


@pytest.mark.parametrize("number", range(12))
def test_writes_are_erofs(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any, number: int
) -> None:
    name, arguments, with_context = writes(namespace)[number]
    assert errno_of(run, getattr(operations, name), *arguments, *([context] if with_context else [])) == errno.EROFS


def test_every_handler_of_pyfuse3_is_ours() -> None:
    """What is missing answers ENOSYS, which the kernel never asks again."""
    handlers = [
        name for name, value in vars(pyfuse3.Operations).items() if callable(value) and not name.startswith("_")
    ]
    missing = [name for name in handlers if name not in vars(Operations) | vars(Writing)]
    # ``poll`` missing means that files are always ready; ``stacktrace`` is not for us.
    assert sorted(missing) == ["poll", "stacktrace"]


def test_removed_directory_is_enoent(
    operations: Operations, namespace: PlantedNamespace, run: Run, context: Any
) -> None:
    node = namespace.at("entities/people")
    namespace.adopt(namespace.plant({"AGENTS.md": b""}))
    assert errno_of(run, operations.getattr, node, context) == errno.ENOENT
    assert errno_of(run, operations.opendir, node, context) == errno.ENOENT
    assert errno_of(run, operations.lookup, node, b"x", context) == errno.ENOENT
