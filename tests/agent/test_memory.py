"""The SDK's memory tool over files: each command, what is refused, and the directory that is discarded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs.agent.file_tools import FileTools
from kgfs.agent.memory import HERE, STORED, Memory, ephemeral
from kgfs.agent.roots import Roots
from kgfs.agent.shell import Shell
from kgfs.errors import KgfsError
from kgfs.sandbox import bubblewrap

pytestmark = pytest.mark.mount


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that stands for a mount."""
    folder = tmp_path_factory.mktemp("shown")
    (folder / "context" / "agent").mkdir(parents=True)
    (folder / "notes").symlink_to("context/agent")
    (folder / "context" / "agent" / "plan.md").write_text("The user's.\n")
    return folder


@pytest.fixture(scope="module")
def places(shown: Path) -> Iterator[tuple[FileTools, Path]]:
    """File tools, and a directory that is added."""
    try:
        bubblewrap.require(bubblewrap.View(mounted=shown))
    except KgfsError as error:
        pytest.skip(error.message)
    with ephemeral() as added:
        roots = Roots(shown, added=[added])
        with Shell(roots) as shell:
            yield FileTools(roots, shell, lambda name, arguments: {}), added.directory
    assert not added.directory.exists()


@pytest.fixture(params=["stored", "ephemeral"])
def memory(request: pytest.FixtureRequest, shown: Path, places: tuple[FileTools, Path]) -> Memory:
    tools, added = places
    return Memory(tools, None if request.param == "stored" else str(added))


def said(memory: Memory, command: str, **arguments: Any) -> str:
    value = memory.call({"command": command, **arguments})
    assert value["is_error"] is False, value
    assert STORED not in value["content"]
    return str(value["content"])


def refused(memory: Memory, command: Any, **arguments: Any) -> str:
    value = memory.call({"command": command, **arguments})
    assert value["is_error"] is True, value
    assert STORED not in value["message"] + value["next_action_hint"]
    return str(value["message"])


def test_each_command(memory: Memory) -> None:
    assert "nothing is remembered" in said(memory, "view", path=HERE)
    assert said(memory, "create", path="/memories/ann/likes.md", file_text="coffee\ntea\n").startswith("Created")
    assert said(memory, "create", path="/memories/ann/likes.md", file_text="coffee\ntea\nmate\n").startswith("Replaced")
    assert said(memory, "view", path="/memories").splitlines() == ["/memories/ann/", "/memories/ann/likes.md\t16 B"]
    assert said(memory, "view", path="/memories/ann/").splitlines()[0].startswith("/memories/ann/likes.md")
    assert said(memory, "view", path="/memories/ann/likes.md", view_range=[2, 3]) == "     2\ttea\n     3\tmate\n"
    said(memory, "str_replace", path="/memories/ann/likes.md", old_str="tea", new_str="green tea")
    said(memory, "insert", path="/memories/ann/likes.md", insert_line=0, insert_text="water")
    said(memory, "rename", old_path="/memories/ann/likes.md", new_path="/memories/likes.md")
    assert said(memory, "view", path="/memories/likes.md", view_range=[1, 3]).split("\t")[1:] == [
        "water\n     2", "coffee\n     3", "green tea\n"
    ]  # fmt: skip
    assert "exists" in refused(memory, "rename", old_path="/memories/likes.md", new_path="/memories/ann")
    said(memory, "delete", path="/memories/ann")
    said(memory, "delete", path="/memories/likes.md")
    assert "empty" in said(memory, "view", path="/memories/")


@pytest.mark.parametrize(
    "path",
    ["", "memories/x", "/memory/x", "/memoriesx", "/memories/../plan.md", "/memories/a/../../plan.md", "/etc/passwd",
     "/kg/notes/plan.md", "/memories/\0", "/", "../plan.md", "/memories"],
)  # fmt: skip
def test_nothing_else_is_reached(memory: Memory, shown: Path, path: str) -> None:
    calls: list[dict[str, Any]] = [
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "str_replace", "path": path, "old_str": "The", "new_str": "x"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/y"},
        {"command": "rename", "old_path": "/memories/y", "new_path": path},
    ]
    if path != HERE:
        calls.append({"command": "view", "path": path})
    for call in calls:
        value = memory.call(call)
        assert value["is_error"] and value["error_type"] in ("bad_arguments", "not_found"), (call, value)
    assert (shown / "context" / "agent" / "plan.md").read_text() == "The user's.\n"


def test_no_link_leads_out(memory: Memory, shown: Path, places: tuple[FileTools, Path]) -> None:
    behind = shown / "context" / "agent" / "memories"
    if not memory._place.endswith(STORED):
        pytest.skip("links are made in the stored one")
    behind.mkdir(exist_ok=True)
    (behind / "out").symlink_to(shown.parent)
    (behind / "plan").symlink_to("/etc/hostname-of-nobody")
    secret = shown.parent / "secret.txt"
    secret.write_text("secret")
    assert "no /memories/out" in refused(memory, "view", path="/memories/out/secret.txt")
    refused(memory, "delete", path="/memories/out/secret.txt")
    assert "/memories/out" in said(memory, "view", path=HERE)
    said(memory, "delete", path="/memories/out")
    said(memory, "delete", path="/memories/plan")
    assert secret.read_text() == "secret"


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"command": None}, {"command": "shred", "path": "/memories/x"}, {"command": "view", "path": 7},
        {"command": "create", "path": "/memories/x"}, {"command": "create", "path": "/memories/x", "file_text": None},
        {"command": "view", "path": "/memories/x", "view_range": [1]}, {"command": "rename", "old_path": "/memories/x"},
        {"command": "insert", "path": "/memories/x", "insert_line": "zero", "insert_text": ""},
        {"command": "delete", "path": "/memories/nothing"}, {"command": "view", "path": HERE, "view_range": [1, 2]},
    ],
)  # fmt: skip
def test_arguments_that_are_none(memory: Memory, arguments: dict[str, Any]) -> None:
    value = memory.call(arguments)
    assert value["is_error"] and value["message"] and value["next_action_hint"]


def test_commands_are_those_of_the_sdk(places: tuple[FileTools, Path]) -> None:
    from anthropic.types.beta import beta_memory_tool_20250818_command as sdk  # here: it takes a second

    known = {
        str(kind.model_fields["command"].annotation) for kind in sdk.BetaMemoryTool20250818Command.__args__[0].__args__
    }
    assert {name.split("'")[1] for name in known} == set(Memory(places[0])._commands)
