"""Every command of ``AGENTS.md`` runs, on the sample and on an empty store, as an agent would run it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Program, copy_store, mounting

pytestmark = pytest.mark.mount

MAX_CHARACTERS = 4000
PROGRAMS = {"cat", "grep", "(cd", "head", "ls", "find", "tail", "cd", "wc"}


def commands(guide: str) -> list[str]:
    """The indented lines that begin with a program's name; the others show the shape of paths."""
    lines = [line[4:] for line in guide.splitlines() if line.startswith("    ")]
    return [line for line in lines if line.split()[0] in PROGRAMS]


@pytest.fixture(scope="module", params=["sample", "empty"])
def kg(
    request: pytest.FixtureRequest,
    kgfs: Program,
    pristine_sample_store: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[str, Path]]:
    directory = tmp_path_factory.mktemp(f"guide-{request.param}")
    store = directory / "store"
    if request.param == "sample":
        copy_store(pristine_sample_store, store)
    else:
        kgfs("--store", store, "init")
    with mounting(kgfs, directory) as mount:
        yield request.param, mount(store)


def test_it_is_short_and_whole(kg: tuple[str, Path]) -> None:
    what, root = kg
    guide = (root / "AGENTS.md").read_text()
    assert len(guide) < MAX_CHARACTERS
    assert (root / "README.md").read_text() == guide
    sections = [line for line in guide.splitlines() if line.startswith("## ")]
    wanted = ["## Ask first", "## Two hops, then the evidence", "## Where", "## More ways", "## Traps"]
    assert [section for section in wanted if section in sections] == (wanted if what == "sample" else sections)
    assert "{" not in guide.replace("{vector", "")


def test_every_command_works(kg: tuple[str, Path]) -> None:
    what, root = kg
    found = commands((root / "AGENTS.md").read_text())
    assert len(found) >= (8 if what == "sample" else 1)
    for command in found:
        done = subprocess.run(
            ["bash", "-uc", command], cwd=root, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0 and done.stderr == "", f"{command}\n{done.stdout}\n{done.stderr}"
        if what == "sample":
            assert done.stdout.strip(), f"{command} says nothing"


def test_the_traps_are_true(kg: tuple[str, Path], request: pytest.FixtureRequest) -> None:
    """What the guide warns of really is so: links form a ring; a wrong name is ENOENT, a bad query EINVAL."""
    what, root = kg
    run: Callable[..., subprocess.CompletedProcess[str]] = lambda script: subprocess.run(  # noqa: E731
        ["bash", "-c", script], cwd=root, capture_output=True, text=True, timeout=60, check=False
    )
    assert "No such file" in run("cat entities/organizations/Nobody/summary.txt").stderr
    assert "Invalid argument" in run("cat '@search/text/…'").stderr
    assert run("cat @status/last_error.txt").stdout.strip()
    assert "Read-only" in run("echo x > entities/x").stderr
    if what == "sample":
        ring = "entities/organizations/Alphabet_Inc/relationships/ACQUIRED/DeepMind/related_to/ACQUIRED_BY/Alphabet_Inc"
        assert (root / ring).resolve() == (root / "entities/organizations/Alphabet_Inc").resolve()
