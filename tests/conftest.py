"""Fixtures for every layer: the program as a subprocess, the sample's store (made once), a mount that always goes.

Every test has a home and a data directory of its own session, so that nothing of the user's is touched.
"""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pexpect
import pytest
from hypothesis import settings

from kgfs import interpreter, mounts, trust
from kgfs.config import stated_settings, whose
from kgfs.control import sockets
from tests import new_stores, rounds, warm_python

# A run finds what the run before found: the same cases each time. KGFS_HYPOTHESIS=random looks for new ones.
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.register_profile("random", deadline=None)
settings.load_profile(os.environ.get("KGFS_HYPOTHESIS", "same"))

# Of what collecting makes, nothing is garbage: looking for it takes a fifth of the time that collecting does.
gc.disable()

# Several tests run at once. Threads that wait for each other by spinning made extraction four times as slow.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "kgfs" / "samples"
SECONDS = 120
COLD_PROGRAM = interpreter.program

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background of a shell: what we start would inherit that, and no Ctrl-C would ever reach it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def warm_program(module: str, *arguments: str | os.PathLike[str]) -> list[str]:
    """In the place of ``kgfs.interpreter.program``: the servers start when a test first needs one."""
    return [warm_python.python(), "-P", "-m", module, *map(os.fspath, arguments)]


@pytest.fixture(scope="session", autouse=True)
def own_directories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home and a data directory for this session, in the environment of tests and of what they start."""
    home = tmp_path_factory.mktemp("home")
    wanted = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config")}
    before = {name: os.environ.get(name) for name in (*wanted, "KGFS_STORE")}
    os.environ.update(wanted)
    os.environ.pop("KGFS_STORE", None)
    # Nothing is ever asked with the key of the person who runs the tests.
    keys = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("ANTHROPIC_")}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(interpreter, "program", warm_program)
        new_stores.keep_catalogs(home / "catalog")
        yield home
    warm_python.close()
    os.environ.update(keys)
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.fixture
def new_pythons(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this test starts from this process is started as users have it: for tests about processes."""
    monkeypatch.setattr(interpreter, "program", COLD_PROGRAM)


class Program:
    """``kgfs`` as a user runs it: a process of its own."""

    command = (sys.executable, "-m", "kgfs.cli.main")

    def __init__(self) -> None:
        self.forked = (*warm_python.client(), "-P", "-m", "kgfs.cli.main")
        """The same without the time that Python and the imports take."""

    def __call__(
        self,
        *arguments: str | Path,
        status: int | None = 0,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        input: str | None = None,
        timeout: float = SECONDS,
    ) -> subprocess.CompletedProcess[str]:
        """Run to the end; assert the exit status unless ``status`` is ``None``."""
        words, client = [*self._words(env), *map(str, arguments)], warm_python.client()
        given = input.encode("utf-8", "surrogateescape") if input is not None else None
        ours = {**os.environ, **(env or {})}
        if words[: len(client)] == client:
            ran = warm_python.run(words[len(client) :], cwd=cwd, env=ours, input=given, timeout=timeout)
        else:
            ran = subprocess.run(
                words, cwd=cwd, env=ours, input=given, timeout=timeout, check=False, capture_output=True
            )  # fmt: skip
        done = subprocess.CompletedProcess(words, ran.returncode, _text(ran.stdout), _text(ran.stderr))
        if status is not None:
            said = f"kgfs {' '.join(map(str, arguments))}: {done.returncode}\n{done.stdout}\n{done.stderr}"
            assert done.returncode == status, said
        return done

    def on_terminal(
        self,
        *arguments: str | Path,
        columns: int = 80,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        answer: str = "",
    ) -> bytes:
        """What it sends to a terminal of its own, to the end. ``answer`` is said when it asks for attributes."""
        there = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        program, *words = [*self.forked, *map(str, arguments)]
        child = pexpect.spawn(
            program, words, dimensions=(100, columns), timeout=SECONDS, cwd=cwd,
            env={**there, "TERM": "xterm-256color", **(env or {})},
        )  # fmt: skip
        if answer:
            child.expect_exact("\x1b[c")
            child.send(answer)
        sent = bytes(child.read())
        child.close()
        return sent

    def _words(self, env: Mapping[str, str] | None) -> tuple[str, ...]:
        """A variable that Python reads when it starts needs one that starts."""
        told = {name for name, value in (env or {}).items() if os.environ.get(name) != value}
        return self.command if any(name.startswith(("LC_", "LANG", "PYTHON")) for name in told) else self.forked

    def start(self, *arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
        """Start and do not wait. Signals to the process are passed on; its id is that of another (``pid_of``)."""
        return subprocess.Popen(
            [*self._words(options.get("env")), *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="surrogateescape", **options,
        )  # fmt: skip


def _text(said: bytes) -> str:
    """As a program's output in text mode is read."""
    return said.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")


@pytest.fixture(scope="session")
def kgfs(own_directories: Path) -> Program:
    return Program()


STARTING = {"agent", "cli", "cluster", "faults", "mount", "pipeline", "published", "shell", "web"}
"""Packages whose tests start programs, or take long for other reasons."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, so that no process works alone in the end; that of the cluster takes minutes."""
    items.sort(key=lambda item: (item.path.parent.name != "cluster", item.path.parent.name not in STARTING))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if rounds.no_time_left():
        pytest.skip(f"the {rounds.SECONDS} s for tests of many rounds are over")


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def pristine_sample_store(kgfs: Program, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """The sample's store, made by ``kgfs add``; nobody may open it: take ``sample_store``.

    All processes of a run have one: it is made by the first that wants it. It takes 40 s of the processor, so the next
    run on the same code has it from pytest's cache.
    """
    place = of_all_processes(tmp_path_factory) / "sample"
    store = place / "store"
    with making(place):
        if not store.exists():
            new = store.with_name("new")
            cache = getattr(pytestconfig, "cache", None)  # pytest may run without
            kept = Path(cache.mkdir("sample")) if cache is not None else tmp_path_factory.mktemp("kept")
            made = kept / state_of_code()
            if made.exists():
                shutil.copytree(made, new)
            else:
                kgfs("--store", new, "add", SAMPLES, timeout=600)
                for former in kept.iterdir():
                    shutil.rmtree(former, ignore_errors=True)
                ours = kept / f"new-{os.getpid()}"
                shutil.copytree(new, ours)
                with suppress(OSError):  # another run was as quick
                    ours.rename(made)
            new.rename(store)
    return store


def of_all_processes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that all processes of a run have."""
    place = tmp_path_factory.getbasetemp()
    return place.parent if "PYTEST_XDIST_WORKER" in os.environ else place


@contextmanager
def making(place: Path) -> Iterator[None]:
    """One process at a time makes what belongs in ``place``."""
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def state_of_code() -> str:
    """A digest of all that a store is made by: the code, the sample, the versions of packages."""
    digest = hashlib.blake2b(f"{ROOT} {sys.version}".encode(), digest_size=12)
    files = [*(ROOT / "kgfs").rglob("*"), *ROOT.glob("constraints*"), ROOT / "pyproject.toml"]
    for file in sorted(file for file in files if file.is_file() and file.suffix != ".pyc"):
        digest.update(f"{file.relative_to(ROOT)}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return digest.hexdigest()


@pytest.fixture(scope="session")
def pristine_light_store(kgfs: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store whose model of vectors loads in no time; nobody may open it: take ``light_store``."""
    from tests.onnx_models import write_small_model

    place = of_all_processes(tmp_path_factory) / "light"
    with making(place):
        if not (place / "store").exists():
            kgfs("--store", place / "new", "init")
            kgfs("--store", place / "new", "reembed", "--model", write_small_model(place / "model"))
            (place / "new").rename(place / "store")
    return place / "store"


@pytest.fixture
def light_store(pristine_light_store: Path, tmp_path: Path) -> Path:
    """A copy of that store for one test: for what is not about what vectors say."""
    return copy_store(pristine_light_store, tmp_path / "light")


@pytest.fixture
def sample_store(pristine_sample_store: Path, tmp_path: Path) -> Path:
    """A copy of the sample's store for one test."""
    return copy_store(pristine_sample_store, tmp_path / "store")


def copy_store(store: Path, to: Path) -> Path:
    """A copy that is trusted as the store is."""
    shutil.copytree(store, to)
    trust_all(to)
    return to


def trust_all(store: Path) -> None:
    """Give a store what it wishes, as its user who moved it here would."""
    trust.trust(store, {name: value for name, value in stated_settings(store).items() if whose()[name] != "store"})


Mounting = Callable[..., Path]


@pytest.fixture
def mount(kgfs: Program, tmp_path: Path) -> Iterator[Mounting]:
    """``mount(store, *options)`` mounts at a directory of this test; the mount is gone after the test."""
    with mounting(kgfs, tmp_path) as mount_here:
        yield mount_here


class mounting:
    """Mounts by ``kgfs mount`` and sees to it that every mount and every daemon ends."""

    def __init__(self, kgfs: Program, directory: Path) -> None:
        self._kgfs = kgfs
        self._directory = directory
        self._mounted: list[tuple[Path, int]] = []

    def __enter__(self) -> Mounting:
        return self._mount

    def _mount(self, store: Path, *options: str, at: Path | None = None) -> Path:
        place = at or self._directory / f"kg{len(self._mounted) or ''}"
        self._kgfs("--store", store, "mount", place, *options)
        self._mounted.append((place, serving_pid(store) or daemon_pid(self._kgfs, store)))
        return place

    def __exit__(self, *_: object) -> None:
        for place, pid in reversed(self._mounted):
            if mounts.mount_at(place) is not None:
                mounts.unmount(place, lazy=True)
            end(pid)


def searchable(root: Path, seconds: float = 120.0) -> Path:
    """The mount, once its worker answers: on a busy machine that takes longer to start than a search may take."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            (root / "@search/text/is anybody there").read_bytes()
            return root
        except TimeoutError:
            assert time.monotonic() < deadline


def serving_pid(store: Path) -> int | None:
    """The process that serves a store, as the kernel knows it: no command has to start for that."""
    connection = sockets.connect(store)
    if connection is None:
        return None
    with connection:
        return sockets.peer_pid(connection)


def daemon_pid(kgfs: Program, store: Path) -> int:
    import json

    return int(json.loads(kgfs("--store", store, "--json", "status").stdout)["mount"]["pid"])


def end(pid: int, seconds: float = 90.0) -> None:
    """Wait until a process has ended; kill it when it does not."""
    deadline = time.monotonic() + seconds
    while alive(pid):
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError(f"process {pid} did not end by itself")
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
