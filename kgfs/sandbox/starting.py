"""How a command is started in a sandbox, or without one where that is asked for: its words, its limits, its group.

Used by ``kgfs run`` and by the shell of an agent, which differ in how they read what it prints.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from kgfs.errors import KgfsError
from kgfs.sandbox import bubblewrap
from kgfs.sandbox.control_group import ControlGroup, new_group
from kgfs.sandbox.limits import Limits, limiting, processes_of_user

_OWN_PROCESSES = 2
"""Those of bubblewrap, which are counted too."""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What is started."""

    words: Sequence[str]
    environment: Mapping[str, str]
    directory: Path
    descriptors: Sequence[int] = ()
    group: ControlGroup | None = None
    """The group that counts its processes. The caller that made the start removes it."""


@contextlib.contextmanager
def sandboxed(view: bubblewrap.View, limits: Limits, words: Sequence[str]) -> Iterator[Start]:
    """The start of a command in a sandbox; at the end everything that it started is ended.

    ``KgfsError`` says in a sentence why there can be no sandbox here.
    """
    bubblewrap.require(view)
    limited = limiting(limits)
    with bubblewrap.prepared(view) as sandbox, _grouped(limits, _OWN_PROCESSES) as group:
        if group is None and os.geteuid() == 0:
            raise KgfsError(
                "Processes of root can be counted only in a control group, and none can be made here; start it as"
                " another user."
            )
        yield Start(
            words=[*_joining(group), *sandbox.prefix, *limited, *words], environment={"PATH": bubblewrap.PATH},
            directory=Path("/"), descriptors=sandbox.descriptors, group=group,
        )  # fmt: skip


@contextlib.contextmanager
def unsandboxed(
    directory: Path, limits: Limits, words: Sequence[str], environment: Mapping[str, str]
) -> Iterator[Start]:
    """The start of a command that sees all of the machine: only the limits hold."""
    limited = limiting(limits, processes_of_user())
    with _grouped(limits, 0) as group:
        yield Start(
            words=[*_joining(group), *limited, *words], environment=environment, directory=directory, group=group
        )


@contextlib.contextmanager
def _grouped(limits: Limits, others: int) -> Iterator[ControlGroup | None]:
    group = new_group(limits.processes + others, limits.memory_bytes)
    try:
        yield group
    finally:
        if group is not None:
            group.remove()


def _joining(group: ControlGroup | None) -> Sequence[str]:
    return [] if group is None else group.joining()
