"""What the code blocks of a page install, and with which program: ``$ npm install lamper``.

Used by ``guide_facts``; pure. Only the first words of a line of a shell: what a program prints is read for nothing. That
a block starts a program says nothing of the page: of such facts strangers found most doubtful.
"""

# A pattern, or a list of names, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.extraction.names.wordlists.well_known import COMMANDS

_SHELLS = frozenset("bash sh shell zsh console terminal shell-session shellsession sh-session none text".split())
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*\{?\.?(?P<language>[\w-]*)[^\n]*\n")
_LINE = re.compile(
    r"^[ \t]*(?P<prompt>(?:[\w@:~./-]{0,40}[$#>][ \t]+)?)(?P<command>(?:sudo[ \t]+)?(?P<word>[a-z][a-z0-9-]*)"
    r"[ \t]+(?P<rest>[a-z][a-z-]+\b[^\n]*|-[^\n]+))$",
    re.M,
)
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
    """What follows the words that install."""


def installs_in(code: str) -> Iterator[Command]:
    """The commands of a block that install something; ``code`` with its fence, if any."""
    fence = _FENCE.match(code)
    language = fence["language"].lower() if fence is not None else ""
    if language and language not in _SHELLS:
        return
    for found in _LINE.finditer(code, fence.end() if fence is not None else 0):
        name = COMMANDS.get(found["word"])
        installs = _INSTALLS.match(found["command"].removeprefix("sudo").lstrip())
        if name is None or installs is None or found["prompt"].strip() == "#":
            continue
        if code[: found.start()].rstrip("\n").endswith("\\"):
            continue  # a line that goes on
        yield Command(name, found.start("command"), found.end("command"), found["command"][installs.end() :])
