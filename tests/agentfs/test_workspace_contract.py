"""The workspace keeps the contract on its interface, also while what was changed is being committed."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from typing import Any

import pytest

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.filesystem import ROOT
from tests.posix_contract import InterfaceDoor, PosixContract


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with AgentDatabase(tmp_path_factory.mktemp("workspace") / "agent.db") as database:
        made = Workspace(database)
        yield made
        made.close()


class TestWorkspace(PosixContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, workspace: Any) -> InterfaceDoor:
        return InterfaceDoor(workspace)


def test_listings_are_whole_while_changes_are_committed(workspace: Workspace) -> None:
    for round_ in range(5):
        here = workspace.make(ROOT, b"many%d" % round_, stat.S_IFDIR | 0o755, 0, 0, 0).ino
        names = [b"%d" % number for number in range(600)]
        for name in names:
            workspace.make(here, name, stat.S_IFREG | 0o644, 0, 0, 0)
        for gone, name in enumerate(names[:400], 1):
            workspace.unlink(here, name)
            if gone % 20 == 0:
                assert {entry.name for entry in workspace.list(here)} == set(names[gone:])
