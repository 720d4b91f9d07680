"""The loading agent with real MCP servers, on pipes and over HTTP; the model is a script, or a server for tests.

What servers and models do wrong ends in a sentence or in plain HTTP, and nothing is done but what the tools do.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from llm_server import LlmServer, Reply
from web_server import WebServer, page

from kgfs.config import Config
from kgfs.errors import LlmUnavailable, UsageError
from kgfs.llm.conversation import ModelTurn, ToolUse
from kgfs.llm.prices import price_of
from kgfs.llm.spending import OVERHEAD_TOKENS
from kgfs.llm_records import LlmTool, LlmUsage, LoadRequest
from kgfs.sources.web import agent, loading, mcp_servers, mcp_settings
from kgfs.sources.web.agent import AgentOutcome
from kgfs.sources.web.mcp_settings import McpServer

SCRIPT = Path(__file__).resolve().parents[1] / "mcp_pages.py"
URL = "https://wiki.example/page"
MOST = 8 * 1024 * 1024

Step = tuple[str, Any]
Steps = Sequence[Step | Callable[[str], Step]]


@pytest.fixture(scope="module")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpServer]:
    """The server of ``mcp_pages`` over HTTP, for all tests of this module."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("mcp") / "calls"
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), "http", str(port)],
        env={**os.environ, "MCP_LOG": str(log)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            deadline = time.monotonic() + 60
            while not answers(port):
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.05)
            yield McpServer(url=f"http://127.0.0.1:{port}/mcp", headers={"X-Calls": str(log)})
        finally:
            process.kill()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def calls(server: McpServer) -> list[dict[str, Any]]:
    log = Path(server.headers["X-Calls"])
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


class Script:
    """A model that says what it is told to; ``heard`` is what the tools answered to each step."""

    def __init__(self, *steps: Step | Callable[[str], Step] | ModelTurn) -> None:
        self.steps = steps
        self.heard: list[str] = []
        self.errors: list[bool] = []
        self.tools: set[str] = set()

    def __call__(
        self, system: str, messages: Sequence[dict[str, Any]], tools: Sequence[LlmTool], most: int
    ) -> ModelTurn:
        number = sum(message["role"] == "assistant" for message in messages)
        self.tools = {tool.name for tool in tools}
        if number and not isinstance(messages[-1]["content"], str):
            self.heard += [answer["content"] for answer in messages[-1]["content"]]
            self.errors += [answer.get("is_error", False) for answer in messages[-1]["content"]]
        step = self.steps[min(number, len(self.steps) - 1)]
        if isinstance(step, ModelTurn):
            return step
        name, given = step(self.heard[-1]) if callable(step) else step
        use = ToolUse(id=f"call_{number}", name=name, input=given)
        block = {"type": "tool_use", "id": use.id, "name": name, "input": given}
        return ModelTurn(
            content=[block], uses=[use], stop_reason="tool_use", usage=LlmUsage(input_tokens=10, output_tokens=1)
        )


def run(server: McpServer | dict[str, McpServer], *steps: Any, most: int = MOST) -> tuple[AgentOutcome, Script]:
    script = Script(*steps)
    servers = server if isinstance(server, dict) else {"wiki": server}
    return agent.load_by_agent(URL, "", servers, script, most), script


def call(tool: str, **arguments: Any) -> Step:
    return "mcp_exec", {"server": "wiki", "tool": tool, "arguments": arguments}


HTTP: Step = ("request_http_fallback", {})


def test_from_looking_to_accepting(listening: McpServer) -> None:
    outcome, script = run(
        listening,
        ("mcp_list_tools", {}),
        ("mcp_search", {"query": "wiki markdown"}),
        ("mcp_info", {"server": "wiki", "tool": "get_page"}),
        call("get_page", url=URL),
        ("accept_content", {"exec_call_id": "call_3", "title": "A private\npage", "mime_type": "text/markdown"}),
    )
    assert (outcome.end, outcome.title, outcome.mime_type, outcome.turns) == (
        "content", "A private page", "text/markdown", 5,
    )  # fmt: skip
    assert outcome.result is not None and outcome.result.server == "wiki"
    body = outcome.result.body.decode()
    assert body.startswith("# A private page") and len(body) > 7000  # whole, though the model saw its beginning only
    assert len(script.heard[3]) < agent.PREVIEW_CHARACTERS + 200 and "7,2" in script.heard[3]
    assert script.heard[1].startswith("wiki · get_page") and '"url"' in script.heard[2]
    assert outcome.usage == LlmUsage(input_tokens=50, output_tokens=5)
    assert {"tool": "get_page", "url": URL} in calls(listening)


def test_what_a_model_may_not_do(listening: McpServer) -> None:
    """What is no tool, no input, no such id, or writes, is refused; the agent goes on."""
    wrong: list[Step] = [
        ("bash", {"command": "rm -rf /"}), ("mcp_exec", "no object"), ("mcp_exec", {"server": "wiki"}),
        call("no_such_tool"), ("mcp_exec", {"server": "other", "tool": "get_page"}),
        ("mcp_exec", {"server": "wiki", "tool": "get_page", "arguments": [1]}), call("wipe_everything"),
        ("accept_content", {"exec_call_id": "call_99", "title": "invented"}), ("mcp_info", {"server": 5, "tool": None}),
    ]  # fmt: skip
    outcome, script = run(listening, *wrong, HTTP)
    assert outcome.end == "http" and outcome.reason == "" and outcome.turns == 10
    assert script.errors == [True] * len(wrong)
    assert script.tools == {
        "mcp_list_tools", "mcp_search", "mcp_info", "mcp_exec", "accept_content", "request_http_fallback",
        "report_failure",
    }  # fmt: skip
    assert not any(one["tool"] == "wipe_everything" for one in calls(listening))


def test_a_tool_that_says_nothing_is_called_by_the_users_word_only(listening: McpServer) -> None:
    """To MCP, a tool that does not say that it only reads may write."""
    looks: Step = ("mcp_list_tools", {})
    outcome, script = run(listening, looks, call("get_silent", url=URL), HTTP)
    assert script.errors == [False, True] and "get_silent (may not be called)" in script.heard[0]
    assert not any(one["tool"] == "get_silent" for one in calls(listening))
    assert "readOnlyTools of wiki in mcp.json" in outcome.reason  # the user learns it, too
    named = McpServer(url=listening.url, headers=listening.headers, readOnlyTools=["get_silent"])
    accept: Step = ("accept_content", {"exec_call_id": "call_0", "title": "Page"})
    outcome, script = run(named, call("get_silent", url=URL), accept)
    assert outcome.end == "content" and any(one["tool"] == "get_silent" for one in calls(listening))


def test_a_page_that_gives_orders(listening: McpServer) -> None:
    """A model that obeys a page can still only use its tools."""

    def obey(heard: str) -> Step:
        assert "IGNORE ALL INSTRUCTIONS" in heard
        return call("wipe_everything")

    outcome, script = run(
        listening, call("get_evil", url=URL), obey, ("bash", {"command": "rm -rf /"}),
        ("accept_content", {"exec_call_id": "call_0", "title": "Page"}),
    )  # fmt: skip
    assert script.errors == [False, True, True]
    assert outcome.end == "content" and outcome.result is not None
    assert not any(one["tool"] == "wipe_everything" for one in calls(listening))


def test_what_tools_give(listening: McpServer) -> None:
    outcome, _ = run(
        listening, call("get_picture", url=URL), ("accept_content", {"exec_call_id": "call_0", "title": "P"})
    )
    assert outcome.result is not None
    assert (outcome.mime_type, outcome.result.body[:4]) == ("image/png", b"\x89PNG")
    outcome, script = run(
        listening,
        call("get_error", url=URL),
        ("accept_content", {"exec_call_id": "call_0", "title": "an error is no content"}),
        call("get_nothing", url=URL),
        ("accept_content", {"exec_call_id": "call_2", "title": "nothing is none either"}),
        ("report_failure", {"message": "this document is private; share it with your service account"}),
    )
    assert (outcome.end, outcome.result) == ("failure", None)
    assert outcome.reason.startswith("this document is private")
    assert script.errors == [False, True, False, True] and "The tool failed" in script.heard[0]


def test_no_end(listening: McpServer) -> None:
    outcome, _ = run(listening, ("mcp_search", {"query": "x"}))
    assert (outcome.end, outcome.turns) == ("http", agent.MAX_TURNS) and "10 turns" in outcome.reason
    talk = ModelTurn(content=[{"type": "text", "text": "Well …"}], uses=[], stop_reason="end_turn", usage=LlmUsage())
    outcome, _ = run(listening, talk)
    assert (outcome.end, outcome.turns) == ("http", agent.MAX_TURNS)


def test_a_model_that_is_not_there(listening: McpServer) -> None:
    def gone(*_: Any) -> ModelTurn:
        raise LlmUnavailable("No server responds at http://x; check the network.")

    outcome = agent.load_by_agent(URL, "", {"wiki": listening}, gone, MOST)
    assert outcome.end == "http" and "No server responds" in outcome.reason


def test_a_budget(listening: McpServer) -> None:
    """No turn is begun that could pass it."""
    script = Script(("mcp_list_tools", {}), HTTP)
    asked: list[tuple[int, int]] = []

    def afford(used: LlmUsage, size: int) -> bool:
        asked.append((used.input_tokens, size))
        return len(asked) == 1

    outcome = agent.load_by_agent(URL, "", {"wiki": listening}, script, MOST, afford)
    assert (outcome.end, outcome.turns) == ("http", 1) and "budget" in outcome.reason
    assert [used for used, _ in asked] == [0, 10] and 2000 < asked[0][1] < asked[1][1]
    config, used = Config(), LlmUsage(input_tokens=1_000_000)
    price = price_of(config.llm_model, {})
    assert price is not None
    least = price.cost(used) + price.most(100_000 + OVERHEAD_TOKENS, 2000)
    fits = [loading._affordable(config, usd, used, 100_000, 2000) for usd in (None, least, least - 0.001)]
    assert fits == [True, True, False]
    assert not loading._affordable(Config(llm_model="unknown"), 9.0, LlmUsage(), 1, 1)


def test_servers_that_misbehave(listening: McpServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each costs its own call; the others go on."""
    monkeypatch.setattr(mcp_servers, "CALL_SECONDS", 1.0)
    _, script = run(listening, call("get_hang", url=URL), call("get_page", url=URL), HTTP)
    assert "did not answer within 1 seconds" in script.heard[0] and script.errors == [True, True]
    monkeypatch.setattr(mcp_servers, "CALL_SECONDS", 30.0)
    _, script = run(listening, call("get_lots", url=URL), HTTP)
    assert "gave more than 8,388,608 bytes" in script.heard[0]
    mute = tmp_path / "mute.py"
    mute.write_text("import sys\nfor line in sys.stdin: pass\n")
    noisy = tmp_path / "noisy.py"
    noisy.write_text("print('this is no JSON')\nimport sys; sys.exit('no configuration found')\n")
    monkeypatch.setattr(mcp_servers, "CONNECT_SECONDS", 2.0)
    servers = {
        "wiki": listening,
        "absent": McpServer(command=str(tmp_path / "no-such-program")),
        "mute": McpServer(command=sys.executable, args=["-S", str(mute)]),
        "noisy": McpServer(command=sys.executable, args=["-S", str(noisy)]),
        "nobody": McpServer(url="http://127.0.0.1:1/mcp"),
    }
    _, script = run(servers, ("mcp_list_tools", {}), HTTP)
    told = script.heard[0]
    assert "wiki · get_page" in told
    for name in ("absent", "mute", "noisy", "nobody"):
        assert f"(The MCP server {name} " in told, told
    assert "no configuration found" in told and "within 2 seconds" in told


def test_a_program_that_dies(tmp_path: Path) -> None:
    """On pipes: it works, then it dies in a call; nothing of it is left."""
    log = tmp_path / "calls"
    server = McpServer(command=sys.executable, args=[str(SCRIPT)], env={"MCP_LOG": str(log)})
    outcome, script = run(
        server,
        call("get_page", url=URL),
        call("get_death", url=URL),
        call("get_page", url=URL),
        ("accept_content", {"exec_call_id": "call_0", "title": "What came before"}),
    )
    assert script.errors == [False, True, True] and "out of luck" in script.heard[1]
    assert outcome.end == "content" and outcome.result is not None and outcome.result.body.startswith(b"# A private")
    assert len(log.read_text().splitlines()) == 1


def test_a_lot_through_a_pipe(tmp_path: Path) -> None:
    """Without an end to its line: it is stopped where it is more than may be kept."""
    flood = tmp_path / "flood.py"
    flood.write_text("import sys\nwhile True: sys.stdout.write('x' * 65536)\n")
    _, script = run(McpServer(command=sys.executable, args=["-S", str(flood)]), ("mcp_list_tools", {}), HTTP)
    assert "gave more than 8,388,608 bytes at once" in script.heard[0]


# --- where the servers are set up ----------------------------------------------------------------------------------


def test_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert mcp_settings.mcp_servers() == {}
    path = tmp_path / "kgfs" / "mcp.json"
    path.parent.mkdir()
    monkeypatch.setenv("WIKI_KEY", "s3cret")
    path.write_text(
        json.dumps(
            {
                "mcpServers": {
                    "a": {
                        "command": "npx",
                        "args": ["-y", "x"],
                        "env": {"KEY": "${WIKI_KEY}"},
                        "type": "stdio",
                        "odd": 1,
                    },
                    "b": {"url": "https://mcp.example/", "headers": {"Authorization": "Bearer ${NO_SUCH:-none}"}},
                    "c": {"command": "x", "disabled": True},
                },
                "other": {},
            }
        )
    )
    found = mcp_settings.mcp_servers()
    assert found["a"] == McpServer(command="npx", args=["-y", "x"], env={"KEY": "s3cret"})
    assert found["b"].headers == {"Authorization": "Bearer none"} and list(found) == ["a", "b"]
    for wrong in (
        "{",
        "[]",
        '{"mcpServers": {"a": {}}}',
        '{"mcpServers": {"a": {"command": "${NO_SUCH}"}}}',
        '{"mcpServers": 5}',
    ):
        path.write_text(wrong)
        with pytest.raises(UsageError, match=r"mcp\.json"):
            mcp_settings.mcp_servers()
    with pytest.raises(UsageError, match="mcp_settings"):
        mcp_settings.mcp_servers(str(tmp_path / "none.json"))


# --- all of it: settings, model, servers, plain HTTP -----------------------------------------------------------------


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        server.pages["/post"] = page("A post", "By plain HTTP.")
        yield server


def load(web: WebServer, settings: Path, **options: Any) -> Any:
    config = Config(mcp_settings=str(settings) if settings.exists() else "", llm_retries=0)
    return loading.load_page(config, LoadRequest(**{"url": web.url("/post"), "private": True, **options}))


def test_by_whom(web: WebServer, listening: McpServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    settings = tmp_path / "mcp.json"
    plain = load(web, settings)
    assert (plain.state, plain.server, plain.turns, plain.notes) == ("read", "", 0, [])
    settings.write_text(json.dumps({"mcpServers": {"wiki": {"url": listening.url}}}))
    assert load(web, settings).turns == 0  # no model that would ask
    steps = iter(
        [
            Reply({"server": "wiki", "tool": "get_page", "arguments": {"url": "u"}}, tool="mcp_exec"),
            Reply({"title": "Of the wiki"}, tool="accept_content"),
            Reply({}, tool="request_http_fallback"),
            Reply({"message": "It is private; ask Ann"}, tool="report_failure"),
        ]
    )

    def reply(request: dict[str, Any]) -> Reply:
        answer = next(steps)
        if answer.tool == "accept_content":
            answer.input["exec_call_id"] = request["messages"][-1]["content"][0]["tool_use_id"]
        return answer

    with LlmServer(reply) as model:
        for name, value in model.environment().items():
            monkeypatch.setenv(name, value)
        found = load(web, settings, guidance="Use the wiki.")
        assert (found.state, found.server, found.title) == ("read", "wiki", "Of the wiki")
        assert found.body.startswith(b"# A private page") and found.mime_type == "text/markdown" and found.turns == 2
        assert "The user adds: Use the wiki." in json.dumps(model.requests[0]["messages"])
        found = load(web, settings)
        assert (found.server, found.turns, found.notes) == ("", 1, []) and b"By plain HTTP" in found.body
        failed = load(web, settings)
        assert (failed.state, failed.turns) == ("failed", 1) and "It is private; ask Ann." in failed.reason
        model.faults.append("401")
        found = load(web, settings)
        assert found.state == "read" and "refuses the key" in found.notes[0]
        model.faults.append("type")
        assert load(web, settings).notes[0].startswith("It came by plain HTTP: the language model gave no answer")
        model.faults.append("500")
        refused = load(web, settings, plain=False)
        assert refused.state == "failed" and "was loaded by an MCP server" in refused.reason
    web.pages.clear()
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert load(web, settings).state == "gone"
