"""``@kv`` on a real mount: what shells and editors do with keys, beside the store itself."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.keys.key_values import KeyValues
from tests.mount.daemons import Daemon, in_threads
from tests.mount.served_stores import ended, started

pytestmark = pytest.mark.mount


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = started(tmp_path)
    try:
        yield made
        ended(made)
    finally:
        made.clear()


@pytest.fixture
def values(daemon: Daemon) -> Iterator[KeyValues]:
    """As another process sees them."""
    with AgentDatabase(daemon.store / "agent.db") as database:
        yield KeyValues(database)


def bash(script: str, cwd: Path, status: int = 0) -> str:
    done = subprocess.run(["bash", "-c", script], cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status, (script, done.stdout, done.stderr)
    return done.stdout


def test_a_shell_writes_and_reads_values(daemon: Daemon, values: KeyValues) -> None:
    here = daemon.mountpoint / "@kv"
    # What was refused goes when the kernel lets go of the file, a moment after its close.
    gone = "while [ -e list ]; do sleep 0.01; done"
    bash(f"""echo '{{"a": 1}}' > plan; printf '[1,\\n' > list; {gone}; echo '2]' >> list; cat plan list; ls""", here)
    assert values.get("plan").value == '{"a": 1}\n'
    assert [one.key for one in values.list()] == ["plan"]  # half a list was refused, and what came behind it is none
    bash("""{ printf '['; printf '1,'; echo '2]'; } > list""", here)
    assert values.get("list").value == "[1,2]\n"
    assert json.loads((here / "list").read_text()) == [1, 2]
    assert bash("ls; stat -c %s list; wc -c < list", here) == "list\nplan\n6\n6\n"
    bash("echo 3 > new && mv new list && ! test -e new && cat list | grep -q 3", here)
    bash("sed -i s/3/4/ list && grep -q 4 list && cp list copy && cp -p copy 'user%2F42' && rm copy list", here)
    assert {one.key: one.value for one in values.list()} == {"plan": '{"a": 1}\n', "user/42": "4\n"}
    bash("ln -s plan l || ln plan l || mkdir d || mkfifo p", here, status=1)


def test_what_is_no_json_fails_at_close(daemon: Daemon, values: KeyValues) -> None:
    here = daemon.mountpoint / "@kv"
    (here / "key").write_text("[1]")
    for text in ("{", "text", "[1]]"):
        fd = os.open(here / "key", os.O_WRONLY | os.O_TRUNC)
        os.write(fd, text.encode())
        with pytest.raises(OSError) as caught:
            os.close(fd)
        assert caught.value.errno == errno.EINVAL
        fd = os.open(here / "new", os.O_WRONLY | os.O_CREAT)
        os.write(fd, text.encode())
        with pytest.raises(OSError) as caught:
            os.fsync(fd)
        assert caught.value.errno == errno.EINVAL
        with pytest.raises(OSError):
            os.close(fd)
    assert values.get("key").value == "[1]"
    for _ in range(200):  # what was open is let go a moment after the close
        if os.listdir(here) == ["key"] and (here / "key").read_text() == "[1]":
            break
    assert os.listdir(here) == ["key"]
    assert (here / "key").read_text() == "[1]"
    assert (here / "key").stat().st_size == 3


def test_values_of_another_process_are_seen_at_once(daemon: Daemon, values: KeyValues) -> None:
    here = daemon.mountpoint / "@kv"
    assert not (here / "key").exists()
    with pytest.raises(FileNotFoundError):
        (here / "key").read_text()
    for text in ('"one"', '"another one"', '"x"', "1234567"):
        values.set("key", text)
        assert (here / "key").read_text() == text
        assert (here / "key").stat().st_size == len(text)
    values.delete("key")
    assert os.listdir(here) == []
    assert not (here / "key").exists()


def test_many_writers_replace_whole_values(daemon: Daemon, values: KeyValues) -> None:
    here = daemon.mountpoint / "@kv"

    def work(number: int) -> None:
        for turn in range(20):
            value = json.dumps([number] * (1 + 500 * (turn % 3)))
            beside = here / f"key.{number}"
            beside.write_text(value)
            beside.rename(here / "key")
            assert len(set(json.loads((here / "key").read_text()))) == 1

    in_threads(4, work)
    assert [one.key for one in values.list()] == ["key"]


def test_keys_survive_a_kill(daemon: Daemon) -> None:
    here = daemon.mountpoint / "@kv"
    for number in range(30):
        (here / f"key{number}").write_text(str(number))
    daemon.kill()
    with AgentDatabase(daemon.store / "agent.db") as database:
        assert {one.key: one.value for one in KeyValues(database).list()} == {f"key{n}": str(n) for n in range(30)}
    daemon.clear()
    again = started(daemon.store.parent, new=False)
    try:
        assert sorted(os.listdir(here)) == sorted(f"key{number}" for number in range(30))
        ended(again)
    finally:
        again.clear()
    daemon.process = again.process
