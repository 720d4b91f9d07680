"""``@grep/-r`` on a real mount beside the real grep: over everything, through links, and with names that are no UTF-8;
and ``@grep`` in an entity's directory beside the real grep over its passages."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Program, copy_store, mounting

pytestmark = [pytest.mark.mount, pytest.mark.slow]

ENTITY = "entities/organizations/Alphabet_Inc"


@pytest.fixture(scope="module")
def root(kgfs: Program, pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.mktemp("grep")
    store = copy_store(pristine_sample_store, base / "store")
    with mounting(kgfs, base) as mount:
        yield mount(store)


def gnu(directory: Path, *arguments: str) -> list[bytes]:
    command = ["grep", "-rn", "--binary-files=without-match", "--exclude-dir=@*", *arguments]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, check=False)
    assert done.returncode < 2, done.stderr
    return done.stdout.split(b"\n")


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [("acquired", ""), ("wages?|prices", ""), (r"\b([a-z]+) \1\b", ""), ("^# ", ""), ("GOOGLE", "il"), ("no such", "")],
)
def test_everything(root: Path, pattern: str, flags: str) -> None:
    path = root / "@grep" / f"-r{flags}/{pattern}"
    data = path.read_bytes()
    assert path.stat().st_size == len(data)
    options = [f"-{flags}"] if flags else []
    assert sorted(data.split(b"\n")) == sorted(gnu(root, "-E", *options, "-e", pattern))


def test_what_links_lead_to(root: Path) -> None:
    """The flag 1: the same as naming every link beneath the directory."""
    directory = root / ENTITY
    links = [
        os.path.relpath(os.path.join(above, name), directory)
        for above, directories, files in os.walk(directory)
        for name in (*directories, *files)
        if os.path.islink(os.path.join(above, name))
    ]
    assert links
    wanted = gnu(directory, "-E", "-e", "DeepMind") + gnu(directory, "-H", "-E", "-e", "DeepMind", "--", *links)
    found = (directory / "@grep/-1/DeepMind").read_bytes().split(b"\n")
    assert sorted(line for line in found if line) == sorted(line for line in wanted if line)


def test_passages_of_an_entity(root: Path) -> None:
    """Each line once, under the passage's own path, wherever the question is asked."""
    passages = sorted(
        os.path.relpath(os.path.realpath(each), root) + "/content.txt" for each in (root / ENTITY / "chunks").iterdir()
    )
    wanted = gnu(root, "-H", "-E", "-e", "DeepMind", "--", *passages)
    found = (root / ENTITY / "@grep/DeepMind").read_bytes().split(b"\n")
    assert len(found) > 2 and sorted(found) == sorted(wanted)
    assert set(found) <= set((root / "@grep/DeepMind").read_bytes().split(b"\n"))


def test_bytes_and_names(root: Path) -> None:
    base = os.fsencode(root)
    for component in (
        b"@grep/caf\xe9",
        b"@grep/-F/-rf",
        b"@grep/[-]rf",
        b"@grep/-F/a%2Fb",
        b"@grep/%2E%2E",
        b"@grep/a\nb",
    ):
        with open(os.path.join(base, component), "rb") as file:
            data = file.read()
        assert os.stat(os.path.join(base, component)).st_size == len(data)
    with pytest.raises(FileNotFoundError):
        os.stat(os.path.join(base, b"@grep/.ignore"))
    with pytest.raises(OSError) as refused:
        (root / "@grep/a{2,1}").read_bytes()
    assert refused.value.errno == errno.EINVAL
    assert "Invalid content of" in (root / "@status/last_error.txt").read_text()
