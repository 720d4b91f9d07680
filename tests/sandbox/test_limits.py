"""Programs that never end, fork, fill memory and disks, print without end: each is ended, and nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs import mounts
from kgfs.sandbox import control_group
from kgfs.sandbox.control_group import new_group
from tests.conftest import Program, alive
from tests.sandbox.sandboxed import Sandboxed, sandboxed

pytestmark = pytest.mark.mount

SECONDS = 60.0


@pytest.fixture(scope="module")
def inside(kgfs: Program) -> Iterator[Sandboxed]:
    with sandboxed(kgfs) as one:
        yield one


def running(word: str) -> list[int]:
    """The processes of this machine that have a word among their arguments, without ``kgfs run`` itself."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if word.encode() in words and b"run" not in words:
                found.append(int(name))
    return found


def gone(word: str) -> bool:
    """Whether all of them end; the kernel takes a moment for the last of a namespace."""
    until = time.monotonic() + SECONDS
    while running(word):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_processes(inside: Sandboxed) -> None:
    """A program that forks on and on, to 400 at most should nothing bound it."""
    code = """
import json, os, time
made = 0
for _ in range(400):
    try:
        if os.fork() == 0:
            time.sleep(10000.125)
            os._exit(0)
    except BlockingIOError:
        break
    made += 1
print(json.dumps(made))
"""
    assert 40 <= inside.python(code, options=("--processes", "64")) < 64
    assert inside.python("import json, threading; print(json.dumps(1))", options=("--processes", "4")) == 1


def test_threads_are_counted_too(inside: Sandboxed) -> None:
    code = """
import json, threading
threading.stack_size(65536)
end, made = threading.Event(), []
try:
    for _ in range(400):
        made.append(threading.Thread(target=end.wait, daemon=True))
        made[-1].start()
except RuntimeError:
    made.pop()
print(json.dumps(len(made)), flush=True)
import os
os._exit(0)
"""
    assert 20 <= inside.python(code, options=("--processes", "64")) < 64


def test_memory(inside: Sandboxed) -> None:
    code = """
import json, mmap
def tried(make):
    try:
        make()
        return "done"
    except (MemoryError, OSError) as error:
        return type(error).__name__
print(json.dumps([
    tried(lambda: bytearray(100 << 20)),
    tried(lambda: bytearray(1 << 30)),
    tried(lambda: mmap.mmap(-1, 1 << 30)),
]))
"""
    assert inside.python(code, options=("--memory", "500M")) == ["done", "MemoryError", "OSError"]


def test_private_disks(inside: Sandboxed) -> None:
    fill = "head -c 100M /dev/zero > {}/full; wc -c < {}/full"
    for place, most in (("/tmp", 32 << 20), ("/dev/shm", 16 << 20)):
        done = inside("--memory", "64M", "--", "sh", "-c", fill.format(place, place))
        assert "No space left" in done.stderr and 0 < int(done.stdout) <= most
    free = inside("--", "sh", "-c", "head -c 1000 /dev/zero > /tmp/x && wc -c < /tmp/x").stdout
    assert free == "1000\n"


def test_a_file_that_grows_without_end(inside: Sandboxed) -> None:
    done = inside("--", "truncate", "-s", "2G", "/kg/workspace/endless", status=None)
    assert done.returncode == 128 + signal.SIGXFSZ
    assert (inside.workspace / "endless").stat().st_size <= 1 << 30
    (inside.workspace / "endless").unlink()


@pytest.mark.parametrize("command", ["head -c 1G /dev/zero", "head -c 1G /dev/zero >&2", "yes | cat & yes >&2"])
def test_output(inside: Sandboxed, command: str) -> None:
    done = inside("--output", "1M", "--", "sh", "-c", command, status=137)
    said, _, complaint = done.stderr.rpartition("kgfs: ")
    assert len(done.stdout) + len(said) == 1 << 20
    assert complaint == "The command was ended since it printed more than 1,048,576 bytes; --output allows more.\n"


def test_all_output_up_to_the_limit(inside: Sandboxed) -> None:
    done = inside("--output", "1M", "--", "head", "-c", "1M", "/dev/zero")
    assert len(done.stdout) == 1 << 20 and done.stderr == ""


def test_time(inside: Sandboxed) -> None:
    """It ignores what can be ignored, closes its output, and leaves others behind."""
    script = "trap '' TERM INT HUP; setsid sleep 10000.375 & (sleep 10000.375 &) ; exec sleep 10000.375 >&- 2>&-"
    done = inside("--timeout", "2", "--", "sh", "-c", script, status=124)
    assert done.stderr == "kgfs: The command was ended after 2 s; --timeout allows more.\n"
    assert gone("10000.375")


def test_what_it_leaves_behind_ends_with_it(inside: Sandboxed) -> None:
    done = inside("--", "sh", "-c", "setsid sleep 10000.625 & (sleep 10000.625 &); echo started")
    assert done.stdout == "started\n"
    assert gone("10000.625")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)]
)
def test_signals_end_the_whole_tree(inside: Sandboxed, number: signal.Signals, status: int) -> None:
    word = f"1000{int(number)}.75"
    script = f"trap '' INT TERM HUP; setsid sleep {word} & (sleep {word} &); echo ready; sleep {word}"
    process = inside.kgfs.start(*inside.words("--", "sh", "-c", script), stdin=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        assert running(word)
    finally:
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
    assert process.returncode == status
    assert gone(word)


def test_a_reader_that_has_enough(inside: Sandboxed) -> None:
    process = inside.kgfs.start(*inside.words("--", "sh", "-c", "sleep 10000.875 & yes"), stdin=subprocess.DEVNULL)
    assert process.stdout is not None and process.stdout.readline() == "y\n"
    process.stdout.close()
    process.stdout = None
    process.communicate(timeout=SECONDS)
    assert process.returncode == 141
    assert gone("10000.875")


def test_it_may_have_a_terminal_of_its_own(inside: Sandboxed) -> None:
    code = """
import json, os, pty
pid, master = pty.fork()
if pid == 0:
    os.write(os.open("/dev/tty", os.O_RDWR), b"here")
    os._exit(0)
print(json.dumps(os.read(master, 100).decode()))
os.waitpid(pid, 0)
"""
    assert inside.python(code) == "here"


def test_input_is_passed_on(inside: Sandboxed) -> None:
    much = "line of text\n" * 100_000
    assert inside("--", "cat", input=much).stdout == much
    assert inside("--", "head", "-n", "1", input=much).stdout == "line of text\n"
    assert inside("--", "true", input=much).stdout == ""
    process = inside.kgfs.start(
        *inside.words("--", "sh", "-c", "read one; echo $one; read two; echo $two"), stdin=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    for word in ("first", "second"):  # each answer comes before the next line is written
        process.stdin.write(f"{word}\n")
        process.stdin.flush()
        assert process.stdout.readline() == f"{word}\n"
    assert process.communicate(timeout=SECONDS) == ("", "") and process.returncode == 0


def test_many_at_once(inside: Sandboxed) -> None:
    said: list[str] = []

    def one(number: int) -> None:
        said.append(inside("--", "sh", "-c", f"echo {number}").stdout)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == [f"{number}\n" for number in range(6)]


def test_a_control_group_of_the_new_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As files: where a group is looked for, and what is written into it."""
    top = tmp_path / "cgroup"
    own = top / "user" / "own"
    own.mkdir(parents=True)
    for folder, given in ((own, ""), (own.parent, "cpu memory pids"), (top, "memory pids")):
        (folder / "cgroup.subtree_control").write_text(given)
    (tmp_path / "own").write_text("0::/user/own\n")
    (tmp_path / "mountinfo").write_text(f"1 1 0:1 / {top} rw - cgroup2 cgroup2 rw\n")
    monkeypatch.setattr(control_group, "OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(mounts, "MOUNTINFO", tmp_path / "mountinfo")
    assert list(control_group._places()) == [own.parent, top]
    assert new_group(5, 1000) is None  # nothing of a kernel is there, so no such group counts anything
    assert not list(own.parent.glob("kgfs-run-*")) and not list(top.glob("kgfs-run-*"))


def test_no_control_group_is_left() -> None:
    """Not by those that were killed either, once a group is made again."""
    group = new_group(10, 1 << 30)
    if group is None:
        pytest.skip("no control group can be made here")
    made = [name for place in control_group._places() for name in place.glob("kgfs-run-*")]
    makers = {int(path.name.rpartition("-")[2]) for path in made}
    assert os.getpid() in makers and all(alive(pid) for pid in makers)
    group.remove()
    assert not [place for place in control_group._places() if list(place.glob(f"kgfs-run-*-{os.getpid()}"))]
