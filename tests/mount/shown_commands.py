"""Documents that show commands with what they print, to be run: which commands, and whether output is what is shown.

In a document a line `...` stands for lines left out, `~` for what differs from run to run, `…` at a line's end for
the rest of the line, and `/kg` for the mountpoint. Nothing else may differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

Example = tuple[str, list[str]]


def examples(document: str) -> list[Example]:
    """Each command of the ``console`` blocks with the lines that stand below it."""
    found: list[Example] = []
    for block in re.findall(r"^```console\n(.*?)^```$", document, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def on(mountpoint: Path, command: str) -> str:
    """The command with the mountpoint in the place of ``/kg``."""
    return re.sub(r"(?<![\w.])/kg(?=[/\s]|$)", str(mountpoint), command)


def agrees(wanted: list[str], lines: list[str]) -> bool:
    """Whether output is what the document says."""
    expression = ""
    for line in wanted:
        if line == "...":
            expression += r"(?:.*\n)*?"
            continue
        cut = line.endswith("…")
        text = re.escape(line.removesuffix("…") if cut else line).replace(re.escape("~"), r".+?")
        expression += text + (r".*" if cut else "") + r"\n"
    return re.fullmatch(expression, "".join(line + "\n" for line in lines)) is not None


def wrong(said: Sequence[Example], outputs: Mapping[int, list[str]]) -> str:
    """Each command that printed something else, with all its output, so that the document can be put right."""
    return "\n\n".join(
        "\n".join([f"$ {command}", *outputs[number][:40], "-- and not", *wanted])
        for number, (command, wanted) in enumerate(said)
        if not agrees(wanted, outputs[number])
    )
