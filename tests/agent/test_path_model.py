"""One path model: the same string names the same file in every door, and what one door refuses all refuse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgfs.agent.memory import Memory
from kgfs.errors import KgfsError
from kgfs.sandbox import bubblewrap
from tests.agent import path_model
from tests.agent.path_model import BEGIN, END, PAGE, READERS, REFUSED, WRITERS, Measured, World
from tests.conftest import ROOT

pytestmark = pytest.mark.mount


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    try:
        bubblewrap.require(bubblewrap.View(mounted=ROOT, read_only=True))
    except KgfsError as error:
        pytest.skip(error.message)
    with path_model.world() as one:
        yield one


@pytest.fixture(scope="module")
def places(world: World) -> dict[str, Measured]:
    return path_model.measured_places(world)


@pytest.fixture(scope="module")
def spellings(world: World) -> dict[str, dict[str, Measured]]:
    return path_model.measured_spellings(world)


@pytest.mark.slow
def test_each_kind_of_place(world: World, places: dict[str, Measured]) -> None:
    expected = {
        place.name: {
            **dict.fromkeys(READERS, None if place.reads else REFUSED),
            **dict.fromkeys(WRITERS, None if place.writes else REFUSED),
        }
        for place in world.places()
    }
    assert places == expected


@pytest.mark.slow
def test_each_spelling(world: World, spellings: dict[str, dict[str, Measured]]) -> None:
    writable = {place.name for place in world.places() if place.writes}
    for spelling in world.spellings():
        for name, measured in spellings[spelling.name].items():
            expected = {
                **dict.fromkeys(READERS, None if spelling.same else REFUSED),
                **dict.fromkeys(WRITERS, None if spelling.same and name in writable else REFUSED),
            }
            assert measured == expected, (spelling.name, name)


def test_nothing_new_lies_outside(world: World) -> None:
    """Names that are not there yet, through each way that might lead out."""
    kept = {path: path.read_text() for path in (world.top / "outside").iterdir()}
    ways = [
        "workspace/links/out", "workspace/links/far", f"../../..{world.top}/outside", f"{world.top}/added/out",
        f"{world.top}/added/../outside", f"/proc/1/root{world.top}/outside", f"{world.top}/kept", str(world.top),
    ]  # fmt: skip
    before = sorted(path for path in world.top.rglob("*") if world.mountpoint not in path.parents)
    for way in ways:
        given = {"path": f"{way}/new/made.md", "content": "made"}
        assert world.tools.call("write_file", given)["is_error"], way
        assert world.editor.edit({"command": "create", "path": f"{way}/made.md", "file_text": "made"})["is_error"], way
        assert world.tools.call("execute", {"command": f"echo made > '{way}/made.md'"})["status"], way
    assert {path: path.read_text() for path in (world.top / "outside").iterdir()} == kept
    after = sorted(path for path in world.top.rglob("*") if world.mountpoint not in path.parents)
    ours = {path for path in after if world.top / "store" not in path.parents}
    assert ours == {path for path in before if world.top / "store" not in path.parents}


def test_the_memory_tool_is_a_door_to_the_same_files(world: World) -> None:
    """Its paths are its own; what is behind them is a note, and no path of it names anything else."""
    memory = Memory(world.tools)
    assert not memory.call({"command": "create", "path": "/memories/model.md", "file_text": "first\n"})["is_error"]
    for path in ("notes/memories/model.md", "/kg/context/agent/memories/model.md"):
        assert world.tools.call("read_file", {"path": path})["content"] == "first\n"
        assert world.tools.call("execute", {"command": f"cat {path}"})["output"] == "first\n"
    world.tools.call("execute", {"command": "echo second >> notes/memories/model.md"})
    viewed = memory.call({"command": "view", "path": "/memories/model.md"})
    assert viewed["content"] == "     1\tfirst\n     2\tsecond\n"
    (world.mountpoint / "notes/memories/out").symlink_to(world.top / "outside")
    refused = [
        "notes/model.md", "/kg/notes/model.md", "model.md", "/memories/../model.md", "/memories/out/model.md",
        f"{world.top}/outside/model.md", f"/memories/{'../' * 9}{world.top}/outside/model.md",
        "/proc/1/root/memories/x",
    ]  # fmt: skip
    for path in refused:
        assert memory.call({"command": "view", "path": path})["is_error"], path
        assert memory.call({"command": "create", "path": path, "file_text": "x"})["is_error"], path
        assert memory.call({"command": "delete", "path": path})["is_error"], path


def test_a_refusal_says_where_one_may_write(world: World) -> None:
    for path in ("AGENTS.md", "entities/new.md", f"{world.top}/kept/model.md", "/etc/hosts"):
        value = world.tools.call("write_file", {"path": path, "content": "x", "overwrite": True})
        assert value["error_type"] == "read_only", value
        for place in ("notes/", "workspace/", "@kv/", f"{world.top}/added/", "/tmp/"):
            assert place in value["next_action_hint"]
        assert f"{world.top}/kept" not in value["next_action_hint"]


def test_the_page_has_the_tables(
    world: World, places: dict[str, Measured], spellings: dict[str, dict[str, Measured]]
) -> None:
    """``python -m tests.agent.path_model`` writes them."""
    shown = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    assert shown.strip() == path_model.tables(places, spellings).strip()
