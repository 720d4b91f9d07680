"""Publication: what the handlers answer and what the kernel is told, with a kernel that only takes notes."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trio

from mountd.kernel import Invalidator, Kernel, Orders
from mountd.operations import Operations
from mountd.publisher import Publisher
from tests.mountd.conftest import TREE
from tests.mountd.planted import ROOT, PlantedNamespace


class Notes:
    """A kernel that takes notes; ``before`` runs first, in the invalidator's thread."""

    def __init__(self) -> None:
        self.inodes: list[tuple[int, bool]] = []
        self.names: list[tuple[int, bytes]] = []
        self.threads: set[str] = set()
        self.before: Callable[[], None] = lambda: None

    def inode(self, inode: int, attributes_only: bool) -> None:
        self.before()
        self.threads.add(threading.current_thread().name)
        self.inodes.append((inode, attributes_only))

    def entry(self, parent: int, name: bytes) -> None:
        self.before()
        self.threads.add(threading.current_thread().name)
        self.names.append((parent, name))


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def invalidator(notes: Notes) -> Iterator[Invalidator]:
    invalidator = Invalidator(notes.inode, notes.entry)
    invalidator.start()
    yield invalidator
    assert invalidator.stop()


def during(operations: Operations, invalidator: Invalidator, act: Callable[[Publisher], Any]) -> Any:
    """Run ``act(publisher)`` in a thread while a loop turns."""
    publisher = Publisher(operations, invalidator)

    async def main() -> Any:
        publisher.attach()
        return await trio.to_thread.run_sync(act, publisher)

    return trio.run(main)


def test_publish_swaps_and_tells_the_kernel(
    operations: Operations, namespace: PlantedNamespace, invalidator: Invalidator, notes: Notes, context: Any
) -> None:
    for name in (b"AGENTS.md", b"new", b"empty"):
        trio.run(operations.lookup, ROOT, name, context)
    new = namespace.plant({**TREE, "AGENTS.md": b"longer than before\n", "new": b"n"})
    del new.children[ROOT]["empty"]
    assert during(operations, invalidator, lambda publisher: publisher.publish(new))
    assert namespace.view is new
    assert (namespace.at("AGENTS.md"), False) in notes.inodes
    assert {(ROOT, b"new"), (ROOT, b"empty")} <= set(notes.names)
    assert notes.threads == {"invalidator"}


def test_when_finding_the_changes_fails_the_kernel_drops_all(
    operations: Operations, namespace: PlantedNamespace, invalidator: Invalidator, notes: Notes, context: Any
) -> None:
    for name in (b"AGENTS.md", b"empty", b"missing"):
        trio.run(operations.lookup, ROOT, name, context)
    namespace.raising["changed"] = RuntimeError("a bug")
    new = namespace.plant({"missing": b""})
    assert during(operations, invalidator, lambda publisher: publisher.publish(new))
    assert {inode for inode, _ in notes.inodes} == {namespace.at("AGENTS.md"), namespace.at("empty")}
    assert set(notes.names) == {(ROOT, b"AGENTS.md"), (ROOT, b"empty"), (ROOT, b"missing")}
    assert b"a bug" in operations.errors.path.read_bytes()


def test_publish_returns_when_the_kernel_is_done(
    operations: Operations, namespace: PlantedNamespace, invalidator: Invalidator, notes: Notes, context: Any
) -> None:
    notes.before = lambda: time.sleep(0.2)
    trio.run(operations.lookup, ROOT, b"new", context)
    started = time.monotonic()
    new = namespace.plant({**TREE, "new": b"n"})
    during(operations, invalidator, lambda publisher: publisher.publish(new))
    assert time.monotonic() - started >= 0.2
    assert (ROOT, b"new") in notes.names


def test_handlers_answer_while_the_kernel_takes_its_time(
    operations: Operations, namespace: PlantedNamespace, invalidator: Invalidator, notes: Notes, context: Any
) -> None:
    """The kernel waits for a request that only the loop can answer; neither may wait for the other."""
    answered = threading.Event()
    notes.before = lambda: None if answered.wait(5) else pytest.fail("the loop did not answer")
    publisher = Publisher(operations, invalidator)
    new = namespace.plant({**TREE, "new": b"n"})

    async def main() -> None:
        publisher.attach()
        await operations.lookup(ROOT, b"new", context)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, publisher.publish, new)
            while namespace.view is not new:
                await trio.sleep(0.001)
            assert (await operations.lookup(ROOT, b"new", context)).st_ino
            answered.set()

    trio.run(main)
    assert invalidator.faults == 0


def test_an_older_snapshot_is_ignored(
    operations: Operations, namespace: PlantedNamespace, invalidator: Invalidator, notes: Notes
) -> None:
    older, newer = namespace.plant({"a": b""}), namespace.plant({"b": b""})

    def both(publisher: Publisher) -> None:
        assert publisher.publish(newer) and publisher.publish(older) and publisher.publish(newer)

    during(operations, invalidator, both)
    assert namespace.view is newer


def test_without_a_loop_a_snapshot_is_only_adopted(
    operations: Operations, namespace: PlantedNamespace, invalidator: Invalidator, notes: Notes
) -> None:
    publisher = Publisher(operations, invalidator)
    first = namespace.plant({"a": b""})
    assert publisher.publish(first) and namespace.view is first

    async def main() -> None:
        publisher.attach()

    trio.run(main)  # and the loop has ended without saying so
    second = namespace.plant({"b": b""})
    assert publisher.publish(second) and namespace.view is second
    assert notes.inodes == notes.names == []


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ENOTDIR])
def test_what_the_kernel_does_not_know_is_no_fault(number: int) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, "unknown")

    invalidator = Invalidator(refuse, refuse)
    invalidator.start()
    assert invalidator.submit(lambda: Orders([7], [8], [(1, b"x")])).wait(5)
    assert invalidator.stop() and invalidator.faults == 0


def test_a_failing_order_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    told: list[object] = []

    def tell(*arguments: object) -> None:
        told.append(arguments)
        if len(told) == 1:
            raise OSError(errno.EIO, "no")

    def broken() -> Orders:
        raise RuntimeError("a bug")

    invalidator = Invalidator(tell, tell)
    invalidator.start()
    assert invalidator.submit(broken).wait(5)
    assert invalidator.submit(lambda: Orders([7, 8], [], [(1, b"x")])).wait(5)
    assert invalidator.stop()
    assert told == [(7, False), (8, False), (1, b"x")]
    assert invalidator.faults == 2


def test_a_stopped_invalidator_lets_nobody_wait() -> None:
    entered, release = threading.Event(), threading.Event()

    def hang(*_: object) -> None:
        entered.set()
        release.wait(10)

    invalidator = Invalidator(hang, hang)
    invalidator.start()
    first = invalidator.submit(lambda: Orders([1]))
    second = invalidator.submit(lambda: Orders([2]))
    assert entered.wait(5)
    assert not invalidator.stop(0.05)
    assert invalidator.submit(lambda: Orders([3])).is_set()
    release.set()
    assert first.wait(5) and second.wait(5)


def test_what_was_stored_in_the_page_cache_is_forgotten_when_it_is_dropped() -> None:
    kernel = Kernel()
    for node in (5, 6, 7):
        kernel.count(node)
        kernel.stored(node)
    kernel.dropped([5])
    kernel.forget([(6, 1)])
    assert [kernel.is_stored(node) for node in (5, 6, 7)] == [False, False, True]


def test_only_so_many_missing_names_are_remembered_and_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mountd.kernel.MAX_ABSENT", 3)
    now = [0.0]
    kernel = Kernel(lambda: now[0])
    assert [kernel.absent(1, name) for name in ("a", "b", "c", "d")] == [True, True, True, False]
    now[0] = 30.0
    assert kernel.absent_names() == [(1, "a"), (1, "b"), (1, "c")]
    now[0] = 70.0
    assert kernel.absent(1, "d")
    assert kernel.absent_names() == [(1, "d")]
