"""The programs that the code blocks of a page start: ``$ kubectl apply -f app.yaml`` shows that one uses kubectl there.

Used by ``guide_facts``; pure. Only the first word of a line of a shell, and only what is known as a program
(``well_known.COMMANDS``): what a program prints is read for nothing.
"""

# A pattern, or a list of names, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.extraction.names.well_known import COMMANDS

_SHELLS = frozenset("bash sh shell zsh console terminal shell-session shellsession sh-session none text".split())
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*\{?\.?(?P<language>[\w-]*)[^\n]*\n")
_LINE = re.compile(
    r"^[ \t]*(?P<prompt>(?:[\w@:~./-]{0,40}[$#>][ \t]+)?)(?P<command>(?:sudo[ \t]+)?(?P<word>[a-z][a-z0-9-]*)"
    r"[ \t]+(?P<rest>[a-z][a-z-]+\b[^\n]*|-[^\n]+))$",
    re.M,
)
_WORDS = frozenset("go make kind node flux az snap gem uv hugo rake quilt rails".split())
"""Commands that begin a sentence as well, so that a prompt or the language of the block must show a shell."""
_INSTALLS = re.compile(
    r"(?:helm (?:install|upgrade --install|upgrade -i)|npm (?:install|i)|pip3? install|brew install(?: --cask)?|docker (?:run|pull)|"
    r"apt(?:-get)? install|dnf install|yum install|cargo install|gem install|snap install|dotnet add package|"
    r"composer require|conda install|yarn add|pnpm add|pipenv install|poetry add|uv add)\b"
)


class Command(NamedTuple):
    """A command in a block of code."""

    name: str
    """What it starts, as it is called."""
    start: int
    end: int
    """Where it stands in the block."""
    installs: str
    """What follows where it installs something; else empty."""


def commands_in(code: str) -> Iterator[Command]:
    """The commands of a block, each program once or where it installs something; ``code`` with its fence, if any."""
    fence = _FENCE.match(code)
    language = fence["language"].lower() if fence is not None else ""
    if language and language not in _SHELLS:
        return
    shell = language in _SHELLS - {"none", "text"}
    told: set[str] = set()
    for found in _LINE.finditer(code, fence.end() if fence is not None else 0):
        name = COMMANDS.get(found["word"])
        if name is None or not (shell or found["prompt"] or found["word"] not in _WORDS):
            continue
        if found["prompt"].strip() == "#" and found["word"] in _WORDS:
            continue  # "# make changes and run tests": a comment
        if code[: found.start()].rstrip("\n").endswith("\\"):
            continue  # "apt-get install \\", "git tini": a line that goes on
        installs = _INSTALLS.match(found["command"].removeprefix("sudo").lstrip())
        rest = found["command"][installs.end() :] if installs is not None else ""
        if name in told and not rest:
            continue
        told.add(name)
        yield Command(name, found.start("command"), found.end("command"), rest)
