"""``docs/session.md`` is what happens: its commands run in one ``kgfs shell`` on a mount of the sample.

In the document a line `...` stands for lines left out, `~` for what differs from run to run, `…` at a line's end for
the rest of the line, and `/kg` for the mountpoint. Nothing else may differ. What fails shows the command with all its
output, so the document can be put right from there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.conftest import ROOT, Program, copy_store, mounting
from tests.mount.shown_commands import agrees, examples, on, wrong

pytestmark = pytest.mark.mount

END = "\x1e"


@pytest.fixture(scope="module")
def kg(kgfs: Program, pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sample, mounted, with the model in memory."""
    directory = tmp_path_factory.mktemp("session")
    with mounting(kgfs, directory) as mount:
        place = mount(copy_store(pristine_sample_store, directory / "store"))
        deadline = time.monotonic() + 120
        for number in range(1000):
            query = place / "@search/semantic" / quote(f"is the model there {number}", safe=" ") / "results.jsonl"
            try:
                mode = json.loads(query.read_text().splitlines()[0])["mode"]
            except TimeoutError:  # the worker is still starting
                mode = "none"
            if mode == "hybrid":
                break
            assert time.monotonic() < deadline, mode
            time.sleep(0.2)
        yield place


@pytest.fixture(scope="module")
def outputs(kgfs: Program, kg: Path) -> dict[int, list[str]]:
    """What each command of the document printed, in one shell, from top to bottom."""
    commands = [command for command, _ in examples((ROOT / "docs/session.md").read_text("utf-8"))]
    script = "".join(f"{on(kg, command)}\nprintf '\\036'\n" for command in commands)
    done = subprocess.run(
        [*kgfs.forked, "shell", str(kg), "-c", script],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=240,
        env={**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}, check=False,
    )  # fmt: skip
    parts = done.stdout.replace(str(kg), "/kg").split(END)
    assert len(parts) == len(commands) + 1 and parts[-1] == "", done.stdout[-2000:]
    return {number: part.splitlines() for number, part in enumerate(parts)}


@pytest.mark.slow
def test_the_session_is_what_happens(outputs: dict[int, list[str]]) -> None:
    said = examples((ROOT / "docs/session.md").read_text("utf-8"))
    assert len(said) > 80
    faults = wrong(said, outputs)
    assert not faults, faults


@pytest.mark.parametrize(
    ("wanted", "lines", "same"),
    [
        (["a", "...", "c"], ["a", "b", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["a", "...", "c"], ["a", "b"], False),
        (["a…"], ["abc"], True),
        (["a…"], ["ab", "c"], False),
        (["[~] x"], ["[0.94] x"], True),
        (["[~] x"], ["[] x"], False),
        ([], ["a"], False),
        ([], [], True),
        (["a.c"], ["abc"], False),
    ],
)
def test_how_lines_are_compared(wanted: list[str], lines: list[str], same: bool) -> None:
    assert agrees(wanted, lines) is same


def test_every_tool_is_shown() -> None:
    """Each function of the shell stands in the document."""
    from kgfs.shell import functions

    tools = set(re.findall(r"^function ([a-z]+) \{", functions(), re.MULTILINE))
    shown = {word for command, _ in examples((ROOT / "docs/session.md").read_text("utf-8")) for word in command.split()}
    assert tools and tools <= shown
