"""``kgfs mcp`` as the official client sees it, over stdio and over HTTP, with a mount and without one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from kgfs.mcp.prompts import PROMPTS
from kgfs.mcp.resources import path_of, uri_of
from kgfs.tools.registry import TOOLS
from tests.conftest import Mounting, Program, copy_store, mounting
from tests.mcp.mcp_clients import MODES, Served, command, http_server, over_http, over_stdio

Open = Callable[..., AbstractAsyncContextManager[Client]]
ENTITY = "Alphabet_Inc"


@pytest.fixture(scope="module")
def store(pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_store(pristine_sample_store, tmp_path_factory.mktemp("mcp") / "store")


@pytest.fixture(scope="module")
def mounted(kgfs: Program, store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The same store, mounted; the tests of this file come in an order in which it is not yet at first."""
    with mounting(kgfs, tmp_path_factory.mktemp("mounted")) as mount_here:
        yield mount_here(store)


@pytest.fixture(scope="module")
def served(mounted: Path, store: Path) -> Iterator[Served]:
    with http_server(store) as server:
        yield server


async def value_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    called = await client.call_tool(tool, arguments)
    assert isinstance(called, types.CallToolResult) and called.structured_content is not None
    assert called.is_error == called.structured_content["is_error"]
    return called.structured_content


async def check_everything(client: Client) -> None:
    """What any client can do, in one conversation."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {name for name, tool in TOOLS.items() if "mcp" in tool.offered}
    for name, tool in tools.items():
        assert tool.annotations is not None and tool.annotations.read_only_hint is not TOOLS[name].writes
        assert tool.output_schema is not None

    called = await client.call_tool("grep", {"pattern": "wage inflation", "max_results": 3})
    assert isinstance(called, types.CallToolResult) and called.structured_content is not None
    matches = called.structured_content["matches"]
    assert matches and all("wage inflation" in each["text"].lower() for each in matches)
    (content,) = called.content
    assert isinstance(content, types.TextContent) and content.text.startswith("<data-")
    read = await value_of(client, "read", path=matches[0]["path"], offset=matches[0]["line"], limit=1)
    assert "wage inflation" in read["content"].lower()

    listed = await value_of(client, "list", path=f"entities/by_name/{ENTITY}")
    assert "summary.txt" in [each["name"] for each in listed["entries"]]
    for path in (f"/kg/entities/by_name/{ENTITY}", f"entities/by_name/{ENTITY}", ENTITY):
        assert (await value_of(client, "stat", path=path))["kind"] in ("directory", "link")
    rows = (await value_of(client, "sql", query="SELECT count(*) AS n FROM entities"))["rows"]
    assert rows[0]["n"] > 10
    found = await value_of(client, "find", predicates=["type=Organization", "min_facts=10"])
    assert any(ENTITY in path for path in found["paths"])
    assert (await value_of(client, "path", start="DeepMind", end=ENTITY))["text"]

    missing = await value_of(client, "read", path="entities/by_name/Nobody")
    assert missing["error_type"] == "not_found" and missing["next_action_hint"]
    assert (await value_of(client, "read", path=3, offset="x"))["error_type"] == "bad_arguments"
    assert (await value_of(client, "sql", query="DROP TABLE entities"))["is_error"]
    with pytest.raises(MCPError, match="no tool"):
        await client.call_tool("execute", {"command": "id"})

    for resource in (await client.list_resources()).resources:
        assert (await client.read_resource(str(resource.uri))).contents
    assert "kgfs:///{+path}" in [
        each.uri_template for each in (await client.list_resource_templates()).resource_templates
    ]
    (page,) = (await client.read_resource(uri_of(f"entities/by_name/{ENTITY}/summary.txt"))).contents
    assert isinstance(page, types.TextResourceContents) and page.text.startswith("Alphabet")
    reference = types.ResourceTemplateReference(uri="kgfs:///entities/by_name/{entity}/summary.txt")
    completed = await client.complete(reference, {"name": "entity", "value": "alphab"})
    assert ENTITY in completed.completion.values

    assert {each.name for each in (await client.list_prompts()).prompts} == set(PROMPTS)
    prompt = await client.get_prompt("answer", {"question": "Who bought DeepMind?"})
    (message,) = prompt.messages
    assert isinstance(message.content, types.TextContent) and "Who bought DeepMind?" in message.content.text
    with pytest.raises(MCPError):
        await client.get_prompt("answer", {})


OUTSIDE = (
    "kgfs:///../../etc/passwd", "kgfs:///%2e%2e/%2e%2e/etc/passwd", "kgfs:///entities/..%2f..%2f../etc/passwd",
    "kgfs:////etc/passwd", "file:///etc/passwd", "kgfs://host/etc/passwd", "http://127.0.0.1/", "",
    "kgfs:///nothing/here", "kgfs:///\0", "kgfs://[",
)  # fmt: skip


async def check_outside(client: Client) -> None:
    """Nothing but the tree is read."""
    for uri in OUTSIDE:
        with pytest.raises(MCPError):
            await client.read_resource(uri)
        assert (await value_of(client, "read", path=uri or "\0"))["is_error"], uri
    for path in ("/etc/passwd", "../../etc/passwd", "/kg/../../etc/passwd", "disk:/../../etc/passwd"):
        assert (await value_of(client, "read", path=path))["is_error"], path


# --- without a mount -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_client_without_a_mount(store: Path, mode: str) -> None:
    async def talk() -> None:
        async with over_stdio(store, mode=mode) as client:
            await check_everything(client)
            await check_outside(client)

    anyio.run(talk)


def test_what_is_written_without_a_mount_lasts(store: Path, kgfs: Program) -> None:
    async def talk() -> None:
        async with over_stdio(store) as client:
            assert not (await value_of(client, "remember", name="plan", content="First."))["is_error"]
            assert not (await value_of(client, "remember", name="plan", content="Second."))["is_error"]
            await value_of(client, "kv_set", key="state", value={"step": 1})
            assert (await value_of(client, "kv_get", key="state"))["value"] == {"step": 1}
            assert (await value_of(client, "kv_list", prefix="sta"))["keys"] == ["state"]
            await value_of(client, "kv_delete", key="state")
            assert (await value_of(client, "kv_get", key="state"))["error_type"] == "not_found"
            for name in ("../x", "/etc/x", "..", "a/b"):
                kept = await value_of(client, "remember", name=name, content="x")
                assert kept["is_error"] or kept["path"].startswith("/kg/context/agent/memories/"), name
                assert ".." not in kept.get("path", ""), name
            for path in ("/kg/context/agent/memories/plan.md", "agent:/memories/plan.md", "/memories/plan.md"):
                assert (await value_of(client, "context_read", path=path))["content"] == "First.\nSecond.\n", path

    anyio.run(talk)
    assert kgfs("--store", store, "cat", "context/agent/memories/plan.md").stdout == "First.\nSecond.\n"
    calls = kgfs("--store", store, "audit", "--since", "1h").stdout
    assert "remember" in calls and "kv_set" in calls


def test_read_only_offers_nothing_that_writes(store: Path) -> None:
    async def talk() -> None:
        async with over_stdio(store, "--read-only") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == {name for name, tool in TOOLS.items() if "mcp" in tool.offered and not tool.writes}
            for name in ("context_write", "remember", "kv_set"):
                with pytest.raises(MCPError, match="no tool"):
                    await client.call_tool(name, {})

    anyio.run(talk)


@pytest.mark.parametrize("ending", ["hang up", signal.SIGINT, signal.SIGTERM])
def test_it_ends_quietly(store: Path, ending: str | signal.Signals) -> None:
    with subprocess.Popen(
        command(store), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert b'"id":1' in process.stdout.readline()
        if isinstance(ending, signal.Signals):
            process.send_signal(ending)
        else:
            process.stdin.close()
        process.wait(20)
        assert process.stdout.read() == b""
        assert b"Traceback" not in process.stderr.read()
        assert process.returncode == (128 + ending if isinstance(ending, signal.Signals) else 0)


# --- beside a mount --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_clients_and_a_mount_at_once(store: Path, mounted: Path, served: Served) -> None:
    async def talk() -> None:
        async with over_stdio(store) as one, over_http(served) as other:
            async with anyio.create_task_group() as tasks:
                for client in (one, other):
                    tasks.start_soon(check_everything, client)
            await value_of(one, "context_write", path="/from-mcp.md", content="By a client.\n")
            assert (await value_of(other, "context_read", path="/from-mcp.md"))["content"] == "By a client.\n"
            (mounted / "notes/from-mount.md").write_text("By the mount.\n")
            for client in (one, other):
                assert (await value_of(client, "read", path="notes/from-mount.md"))["content"] == "By the mount.\n"
                path = str(mounted / "notes/from-mount.md")
                assert (await value_of(client, "read", path=path))["content"] == "By the mount.\n"

    anyio.run(talk)
    assert (mounted / "notes/from-mcp.md").read_text() == "By a client.\n"


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("mode", MODES)
def test_a_subscription_fires(store: Path, mounted: Path, served: Served, mode: str, transport: str) -> None:
    note = mounted / f"notes/watched-{mode}-{transport}.md"
    note.write_text("Before.\n")
    uri = uri_of(f"notes/{note.name}")
    told: list[str] = []

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            told.append(str(message.params.uri))

    async def talk() -> None:
        opened = over_stdio if transport == "stdio" else over_http
        about: Any = store if transport == "stdio" else served
        async with opened(about, mode=mode, message_handler=hear) as client:
            with anyio.fail_after(30):
                if mode == "auto":
                    async with client.listen(resource_subscriptions=[uri]) as events:
                        note.write_text("After, and longer.\n")
                        event = await anext(events)
                        assert str(getattr(event, "uri", "")) == uri
                    return
                with pytest.warns(MCPDeprecationWarning):
                    await client.subscribe_resource(uri)
                note.write_text("After, and longer.\n")
                while uri not in told:
                    await anyio.sleep(0.1)
                with pytest.warns(MCPDeprecationWarning):
                    await client.unsubscribe_resource(uri)
                told.clear()
                note.write_text("No longer watched.\n")
                await anyio.sleep(3)
                assert not told

    anyio.run(talk)


def test_a_client_that_cancels(served: Served) -> None:
    slow = "SELECT count(*) FROM facts a, facts b, facts c, facts d, facts e WHERE a.type || b.type <> c.type || d.type"

    async def talk() -> None:
        async with over_http(served) as client:
            with anyio.move_on_after(1.0) as given_up:
                await client.call_tool("sql", {"query": slow})
            assert given_up.cancelled_caught
            began = time.monotonic()
            assert (await value_of(client, "sql", query="SELECT 1 AS one"))["rows"] == [{"one": 1}]
            assert time.monotonic() - began < 8

    anyio.run(talk)


# --- HTTP ------------------------------------------------------------------------------------------------------------

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_who_is_let_in(served: Served) -> None:
    good = {
        "Authorization": f"Bearer {served.token}", "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }  # fmt: skip
    refused = {
        "no token": ({"Authorization": ""}, 401),
        "a wrong token": ({"Authorization": "Bearer " + "x" * len(served.token)}, 401),
        "a token in part": ({"Authorization": f"Bearer {served.token[:-1]}"}, 401),
        "another scheme": ({"Authorization": f"Basic {served.token}"}, 401),
        "a foreign origin": ({"Origin": "https://evil.example"}, 403),
        "an origin that begins as ours": ({"Origin": "http://127.0.0.1.evil.example"}, 403),
        "no origin to speak of": ({"Origin": "null"}, 403),
        "a name that was bound anew": ({"Host": "evil.example"}, 421),
        "a name that begins as ours": ({"Host": "127.0.0.1.evil.example:80"}, 421),
    }
    with httpx2.Client(timeout=30) as http:
        for name, (headers, status) in refused.items():
            assert http.post(served.url, json=PING, headers=good | headers).status_code == status, name
        ours = {"Origin": "http://localhost:3000"}
        assert http.post(served.url, json=PING, headers=good | ours).status_code not in (401, 403, 421)
        assert http.get(served.url.removesuffix("/mcp") + "/", headers=good).status_code == 404


def test_a_body_of_100_megabytes_is_refused(served: Served) -> None:
    headers = {
        "Authorization": f"Bearer {served.token}", "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }  # fmt: skip

    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * (1 << 20)

    with httpx2.Client(timeout=60) as http:
        for body in (b" " * (100 << 20), pieces()):
            # It may hang up before it was told all.
            with contextlib.suppress(httpx2.WriteError, httpx2.RemoteProtocolError, httpx2.ReadError):
                assert http.post(served.url, content=body, headers=headers).status_code == 413
        assert http.post(served.url, json=PING, headers=headers).status_code < 500


@pytest.mark.slow
@pytest.mark.parametrize("address", ["0.0.0.0:0", "192.168.1.1:80", "example.org:80", "x", "-1", "99999", ""])
def test_only_this_machine(kgfs: Program, store: Path, address: str) -> None:
    done = kgfs("--store", store, "mcp", "--http", address, status=2)
    assert "Traceback" not in done.stderr and done.stderr


def test_the_token_is_kept_private(store: Path, mounted: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("old")
    file.chmod(0o644)
    with http_server(store, "--token-file", str(file)) as server:
        assert file.read_text().strip() == server.token and len(server.token) >= 32
        assert file.stat().st_mode & 0o777 == 0o600
    link = tmp_path / "link"
    os.symlink(tmp_path / "elsewhere", link)
    done = subprocess.run(
        command(store, "--http", "0", "--token-file", str(link)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert not (tmp_path / "elsewhere").exists()


# --- the daemon comes and goes ---------------------------------------------------------------------------------------


def test_a_daemon_comes_and_goes(kgfs: Program, mount: Mounting, light_store: Path) -> None:
    async def talk() -> None:
        async with over_stdio(light_store) as client:
            root = await anyio.to_thread.run_sync(lambda: mount(light_store))
            (root / "notes/a.md").write_text("Here.\n")
            assert (await value_of(client, "read", path="notes/a.md"))["content"] == "Here.\n"
            await anyio.to_thread.run_sync(lambda: kgfs("umount", root))
            assert (await value_of(client, "read", path="notes/a.md"))["content"] == "Here.\n"

    anyio.run(talk)


@pytest.mark.parametrize("path", ["", "a", "@search/text/a b?#%/é", "entities/by_name/A&B", "notes/\udcff"])
def test_a_uri_names_its_path(path: str) -> None:
    assert path_of(uri_of(path)) == path
