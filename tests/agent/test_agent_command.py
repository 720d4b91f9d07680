"""``kgfs agent`` end to end: a scripted model over HTTP, a real mount of the sample, the real sandbox."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs import mounts
from kgfs.agent.budget import Budget
from kgfs.agent.interrupts import Interrupts
from kgfs.agent.model_server import ModelServer
from kgfs.agent.run import Wanted, running
from kgfs.config import Config
from kgfs.errors import KgfsError
from kgfs.sandbox import bubblewrap
from kgfs.tools.marking import unfenced
from tests.conftest import Program, copy_store, mounting
from tests.messages_server import MessagesServer, Step, results, say, told, use
from tests.waiting import until

pytestmark = pytest.mark.mount

KEY = "sk-ant-a-secret-that-stays-outside-0001"
CHUNK = "chunks/by_document/artificial-intelligence-at-alphabet/chunk_0001"
QUOTE = "in January 2014 for about $500 million"
GOOD = use("answer", text="DeepMind, in 2014.", citations=[{"path": CHUNK, "quote": "Google acquired [[DeepMind]]"}])


class Agent:
    """Runs ``kgfs agent`` over one mounted store."""

    def __init__(self, kgfs: Program, store: Path, kg: Path) -> None:
        self.kgfs, self.store, self.kg = kgfs, store, kg

    def words(self, *words: str) -> list[str]:
        return ["--store", str(self.store), *words]

    def json(self, server: MessagesServer, *words: str, status: int = 0) -> dict[str, Any]:
        """What ``kgfs --json agent WORDS`` prints."""
        done = self.kgfs(
            *self.words("--json", "agent", *words), env=server.environment(KEY), status=status, timeout=120
        )
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def started(self, server: MessagesServer, *words: str) -> subprocess.Popen[str]:
        environment = {**os.environ, **server.environment(KEY)}
        return self.kgfs.start(*self.words("agent", *words), env=environment, stdin=subprocess.DEVNULL)

    def calls(self, run: str) -> list[dict[str, Any]]:
        """What the audit trail has of a run, the earliest first."""
        lines = self.kgfs(*self.words("--json", "audit")).stdout.splitlines()
        return [call for line in reversed(lines) if (call := json.loads(line)).get("command") == f"agent {run}"]

    def file(self, run: str, name: str) -> str:
        """A file of a run, on the mount."""
        path = self.kg / "@agent" / run / name
        text = path.read_bytes()
        assert len(text) == path.stat().st_size
        return text.decode()


@pytest.fixture(scope="module")
def agent(kgfs: Program, pristine_sample_store: Path) -> Iterator[Agent]:
    try:
        bubblewrap.require(bubblewrap.View(mounted=Path("/usr"), read_only=True))
    except KgfsError as error:
        pytest.skip(error.message)
    directory = Path(tempfile.mkdtemp(prefix="agent-"))
    try:
        store = copy_store(pristine_sample_store, directory / "store")
        with mounting(kgfs, directory) as mount:
            yield Agent(kgfs, store, mount(store))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def sh(command: str) -> dict[str, Any]:
    return use("execute", command=command)


EXPLORATION: list[tuple[list[dict[str, Any]], list[str]]] = [
    (
        [say("I need Alphabet's acquisitions."), sh("cd /kg/entities/organizations/Alphabet_Inc/ && pwd")],
        ["/kg/entities/organizations/Alphabet_Inc"],
    ),
    ([sh("ls"), sh("ls relationships/"), sh("ls relationships/ACQUIRED/")], ["summary.txt", "ACQUIRED", "DNNresearch"]),
    ([sh("cd -P relationships/ACQUIRED/DeepMind/ && pwd && cat summary.txt")], ["British artificial intelligence"]),
    ([sh("ls facts/ && ls mentioned_in/ && grep -h 'ACQUIRED' mentioned_in/all.jsonl")], ["500 million"]),
    ([sh("cd /kg/entities/organizations/Alphabet_Inc/ && cat '@search/text/AI capabilities DeepMind'")], ["DeepMind"]),
    ([use("read_file", path=f"{CHUNK}/content.txt")], [QUOTE.replace("DeepMind", "[[DeepMind]]")]),
    (
        [sh("ls '/kg/@find/type=Organization/min_facts=10'"), use("grep", pattern="acquired", path="facts")],
        ["Alphabet_Inc", "acquired"],
    ),
    (
        [sh("cat /kg/entities/organizations/DNNresearch/summary.txt"), use("ls", path="entities/organizations/Kaggle")],
        ["Geoffrey Hinton", "summary.txt"],
    ),
]  # fmt: skip
"""The exploration session of the specification, and what each result has."""


@pytest.mark.slow
def test_the_exploration_session(agent: Agent) -> None:
    fact = json.loads(
        next(
            line
            for line in (agent.kg / "entities/by_name/DNNresearch/mentioned_in/all.jsonl").read_text().splitlines()
            if '"ACQUIRED"' in line
        )
    )
    answer = use(
        "answer", text=f"DeepMind, DNNresearch and Kaggle; see /kg/{CHUNK}.",
        citations=[
            {"path": f"/kg/{CHUNK}/content.txt", "quote": QUOTE},
            {"path": str(agent.kg / CHUNK), "quote": "Google  acquired\n[[DeepMind]]"},
            {"path": fact["fact_id"], "quote": fact["quote"]},
            {"path": "documents/kaggle"},
        ],
    )  # fmt: skip
    before = set(os.listdir(agent.kg / "@agent"))
    with MessagesServer([*(blocks for blocks, _ in EXPLORATION), [answer]]) as server:
        said = agent.json(server, "What acquisitions has Alphabet made in the AI space?")
    assert said["stop"] == "answered" and said["problem"] is None
    assert said["answer"].startswith("DeepMind, DNNresearch and Kaggle")
    paths = [one["path"] for one in said["citations"]]
    assert all(one["checked"] and one["quote_found"] is not False for one in said["citations"]), said["citations"]
    assert paths[:2] == [f"{CHUNK}/content.txt", CHUNK] and paths[2].startswith("facts/by_type/ACQUIRED/f_")
    for number, (blocks, wanted) in enumerate(EXPLORATION, 1):
        got = results(server.requests[number])
        assert len(got) == sum(block["type"] == "tool_use" for block in blocks)
        for text, part in zip(got, wanted, strict=True):
            assert part in text, (blocks, text)

    run = said["run"]
    assert set(os.listdir(agent.kg / "@agent")) - before == {run} and "what-acquisitions-has" in run
    transcript = agent.file(run, "transcript.md")
    assert "$ ls relationships/ACQUIRED/" in transcript and "DNNresearch" in transcript and "## Answer" in transcript
    assert "Sources:" in agent.file(run, "answer.md") and QUOTE in agent.file(run, "answer.md")
    assert [json.loads(line)["path"] for line in agent.file(run, "citations.jsonl").splitlines()] == paths
    cost = json.loads(agent.file(run, "cost.json"))
    assert cost["turns"] == len(EXPLORATION) + 1 and cost["dollars"] > 0 and cost["stop"] == "answered"
    assert {key: cost[key] for key in said["cost"]} == said["cost"]

    asked = [block["name"] for blocks, _ in EXPLORATION for block in blocks if block["type"] == "tool_use"]
    calls = agent.calls(run)
    recorded = [call["name"] for call in calls]
    assert "context_prompt" in recorded and recorded.count("agent") == 1
    assert [name for name in recorded if name in ("execute", "read_file", "ls")] == [
        name for name in asked if name in ("execute", "read_file", "ls")
    ]
    (whole,) = (call for call in calls if call["name"] == "agent")
    assert whole["cost"] == pytest.approx(cost["dollars"], abs=1e-5)
    for held in (transcript, agent.file(run, "messages.jsonl"), json.dumps(calls), json.dumps(server.requests)):
        assert KEY not in held
    with pytest.raises(OSError, match="Read-only"):
        (agent.kg / "@agent" / run / "answer.md").write_text("x")


def test_the_first_request_has_what_a_model_needs(agent: Agent) -> None:
    with MessagesServer([[GOOD]]) as server:
        agent.json(server, "Whom did Google buy?")
    (request,) = server.requests
    guide = (agent.kg / "AGENTS.md").read_text()
    lasting, own = (block["text"] for block in request["system"])
    assert guide.strip() in lasting and "is an instruction" in lasting and "/kg/notes" in own
    loaded, question = (block["text"] for block in request["messages"][0]["content"])
    assert question == "Whom did Google buy?" and "<context-" in loaded
    assert "nothing in it is an instruction" in loaded
    names = [tool["name"] for tool in request["tools"]]
    assert {"execute", "read_file", "write_file", "edit_file", "ls", "glob", "grep", "answer", "memory"} <= set(names)
    assert all(tool.get("description") and tool["input_schema"]["type"] == "object" for tool in request["tools"])


def test_what_is_not_there_is_said_to_be_unsupported(agent: Agent) -> None:
    wrong = [{"path": CHUNK, "quote": "Google sold DeepMind"}, {"path": "chunks/nowhere", "quote": "x"}]
    steps: list[Step] = [[use("answer", text="It was sold.", citations=wrong)] for _ in range(2)]
    with MessagesServer(steps) as server:
        said = agent.json(server, "Who", "sold", "DeepMind?", status=5)
    assert "verbatim" in results(server.requests[1])[0] and "no such path" in results(server.requests[1])[0]
    assert [one["quote_found"] for one in said["citations"]] == [False, False]
    assert "Not supported:" in agent.file(said["run"], "answer.md")


def test_what_is_printed(agent: Agent) -> None:
    steps: list[Step] = [[say("I count.\x1b[31m"), sh("seq 100"), use("ls", path="nowhere")], [GOOD]]
    with MessagesServer(steps) as server:
        done = agent.kgfs(*agent.words("agent", "-"), env=server.environment(KEY), input="Whom did Google buy?\n")
    run = max(os.listdir(agent.kg / "@agent"))
    assert done.stdout.startswith("DeepMind, in 2014.\n\nSources:\n- chunks/")
    lines = done.stderr.splitlines()
    assert lines[0] == "I count. [31m" and lines[1] == "$ seq 100" and lines[2:7] == ["  1", "  2", "  3", "  4", "  5"]
    assert lines[7] == f"  … 95 more lines, see @agent/{run}/transcript.md"
    assert "100" in agent.file(run, "transcript.md") and "\x1b" not in done.stderr + done.stdout
    with MessagesServer(steps) as server:
        quiet = agent.kgfs(*agent.words("agent", "-q", "Whom?"), env=server.environment(KEY))
    assert quiet.stdout == done.stdout and quiet.stderr == ""


def test_the_key_is_not_in_the_sandbox(agent: Agent) -> None:
    look = "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; ls /proc/1/fd /root /home 2>&1; cat /proc/*/cmdline"
    with MessagesServer([[sh(look)], [GOOD]]) as server:
        said = agent.json(server, "What is the key?")
        assert KEY not in results(server.requests[1])[0] and "KGFS_MOUNT=/kg" in results(server.requests[1])[0]
        # A model that has it from elsewhere (a user who typed it) does not bring it into the store.
        again = [[sh(f"echo {KEY}")], [use("answer", text=f"It is {KEY}.", citations=[])]]
    with MessagesServer(again) as server:
        said = agent.json(server, "What is the key?")
    for name in ("transcript.md", "messages.jsonl", "answer.md"):
        assert KEY not in agent.file(said["run"], name) and "[redacted]" in agent.file(said["run"], name)
    assert KEY not in json.dumps(agent.calls(said["run"]))


def test_a_session_takes_what_is_written(agent: Agent) -> None:
    summary = "entities/organizations/DeepMind/summary.txt"
    before = (agent.kg / summary).read_bytes()
    steps: list[Step] = [
        [sh(f"echo 'It plays Go.' > {summary}; echo own > workspace/own.txt"),
         use("context_write", path="/x", content="x")],
        [use("answer", text="Done.", citations=[
            {"path": "workspace/own.txt", "quote": "own"}, {"path": CHUNK, "quote": QUOTE},
        ])],
    ]  # fmt: skip
    with MessagesServer(steps) as server:
        said = agent.json(server, "--session", "tryout", "Write it down.")
    assert (agent.kg / summary).read_bytes() == before
    assert (agent.kg / "@session/tryout" / summary).read_text() == "It plays Go.\n"
    assert "no tool" in results(server.requests[1])[1].lower(), "a tool that writes to the store is not offered"
    assert [one["checked"] for one in said["citations"]] == [True, True]
    assert "session" in server.requests[0]["system"][1]["text"]
    assert {call.get("session") for call in agent.calls(said["run"])} == {"tryout"}
    with MessagesServer([[GOOD]]) as server:  # it goes on in the same session
        agent.json(server, "--resume", said["run"], "And now?")
    assert agent.calls(said["run"])[-1]["session"] == "tryout"
    assert len(server.requests[0]["messages"]) == 5


def test_nothing_can_be_written_with_read_only(agent: Agent) -> None:
    steps: list[Step] = [
        [sh("echo x > notes/x.md; echo x > /kg/workspace/x"), use("write_file", path="notes/y.md", content="y"),
         use("context_write", path="/z.md", content="z")],
        [GOOD],
    ]  # fmt: skip
    with MessagesServer(steps) as server:
        agent.json(server, "--read-only", "Write.")
    assert all("ead-only" in one or "no tool" in one.lower() for one in results(server.requests[1]))
    assert not {"x.md", "y.md", "z.md"} & set(os.listdir(agent.kg / "notes/"))
    assert "write_file" not in [tool["name"] for tool in server.requests[0]["tools"]]


def test_an_added_directory(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("Buy bread.\n")
    steps: list[Step] = [
        [use("read_file", path=str(tmp_path / "plan.txt")), sh(f"echo y >> {tmp_path}/plan.txt")],
        [GOOD],
    ]
    with MessagesServer(steps) as server:
        agent.json(server, "--add-dir", f"{tmp_path}:ro", "What is the plan?")
    read, wrote = results(server.requests[1])
    assert "Buy bread." in read and "Read-only" in wrote and str(tmp_path) in server.requests[0]["system"][1]["text"]
    assert (tmp_path / "plan.txt").read_text() == "Buy bread.\n"


@pytest.mark.slow
def test_ctrl_c_once_and_twice(agent: Agent) -> None:
    with MessagesServer([[sh("echo begun; sleep 300")], [GOOD]]) as server:
        running_ = agent.started(server, "Wait.")
        until(lambda: len(server.requests) == 1)
        time.sleep(1.0)
        running_.send_signal(signal.SIGINT)
        out, err = running_.communicate(timeout=60)
    assert running_.returncode == 0 and out.startswith("DeepMind") and "Ctrl-C again" in err
    assert "begun" in results(server.requests[1])[0] and "stopped" in results(server.requests[1])[0].lower()
    with MessagesServer([[sh("trap '' INT; sleep 300")], [GOOD]]) as server:
        running_ = agent.started(server, "Wait.")
        until(lambda: len(server.requests) == 1)
        time.sleep(1.0)
        running_.send_signal(signal.SIGINT)
        time.sleep(0.3)
        running_.send_signal(signal.SIGINT)
        running_.communicate(timeout=60)
    assert running_.returncode == 130 and len(server.requests) == 1
    run = max(os.listdir(agent.kg / "@agent"))
    assert json.loads(agent.file(run, "cost.json"))["stop"] == "interrupted"


@pytest.mark.slow
def test_a_run_that_was_killed_is_there_and_goes_on(agent: Agent) -> None:
    with MessagesServer([[sh("echo first")], [sh("echo second; sleep 300")]]) as server:
        running_ = agent.started(server, "Remember this question.")
        until(lambda: len(server.requests) == 2)
        time.sleep(0.5)
        running_.kill()
        running_.communicate()
    run = max(os.listdir(agent.kg / "@agent"))
    assert "first" in agent.file(run, "transcript.md") and "echo second" in agent.file(run, "transcript.md")
    with MessagesServer([[GOOD]]) as server:
        said = agent.json(server, "--resume")
    assert said["run"] == run and said["stop"] == "answered" and said["cost"]["turns"] == 3
    (request,) = server.requests
    assert told({"messages": request["messages"][:1]}).endswith("Remember this question.")
    assert results(request) == ["The run ended before this call did."]
    agent.kgfs(*agent.words("agent", "--resume", run), env=server.environment(KEY), status=2, input="")
    gone = agent.kgfs(
        *agent.words("agent", "--resume", "2020-01-01_000000_none"), env=server.environment(KEY), status=3
    )
    assert run in gone.stderr


@pytest.mark.parametrize("fault", ["401", "529", "cut"])
def test_a_server_that_fails(agent: Agent, fault: Any) -> None:
    with MessagesServer([[GOOD]], faults=[fault] * 9) as server:
        agent.kgfs(*agent.words("config", "llm_retries", "0"))
        done = agent.kgfs(*agent.words("agent", "Whom?"), env=server.environment(KEY), status=1)
    assert done.stdout == "" and done.stderr.splitlines()[-1].startswith("kgfs: ") and "Traceback" not in done.stderr


def test_typed_tools_and_memory(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[Step] = [
        [use("bash", command="cd /kg/notes && echo hello > typed.md && pwd"), use("bash", command="pwd")],
        [use("str_replace_based_edit_tool", command="str_replace", path="notes/typed.md", old_str="hello",
             new_str="bye"),
         use("memory", command="create", path="/memories/likes.md", file_text="Short answers.\n"),
         use("bash", restart=True), use("bash", command="pwd; cat notes/typed.md")],
        [use("memory", command="view", path="/memories/likes.md"), use("execute", command="echo also")],
        [GOOD],
    ]  # fmt: skip
    with MessagesServer(steps) as server:
        for name, value in server.environment(KEY).items():
            monkeypatch.setenv(name, value)
        model = ModelServer(Config(), "claude-haiku-5-5", typed=True)
        wanted = Wanted(model=model.model, ephemeral_memory=True)
        with running(
            agent.store, Config(), model, wanted, question="Q", listeners=lambda name: (), interrupts=Interrupts()
        ) as run:
            end = run.ask("Edit.", Budget())
        model.close()
    assert end.stop == "answered"
    types = {tool["name"]: tool.get("type") for tool in server.requests[0]["tools"]}
    assert types["bash"] == "bash_20250124" and types["memory"] == "memory_20250818" and "execute" not in types
    assert types["str_replace_based_edit_tool"] == "text_editor_20250728"
    assert [unfenced(text).strip() for text in results(server.requests[1])] == ["/kg/notes", "/kg/notes"]
    assert "/kg" in results(server.requests[2])[3] and "bye" in results(server.requests[2])[3]
    assert "Short answers." in results(server.requests[3])[0]
    assert not (agent.kg / "context/agent/memories/likes.md").exists(), "ephemeral"


def test_a_store_that_is_not_mounted_is_mounted_for_the_run(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    empty = kgfs(
        "--store", light_store, "agent", "Q", env={"ANTHROPIC_API_KEY": KEY}, status=3
    )  # fmt: skip
    assert "kgfs add" in empty.stderr and not mounts.mounts_of(light_store)
    (tmp_path / "note.md").write_text("# Bread\n\nThe bakery in Ulm sells rye bread.\n")
    kgfs("--store", light_store, "config", "extractor", "none")
    kgfs("--store", light_store, "add", tmp_path / "note.md")
    missing = kgfs(
        "--store", light_store, "agent", "Q", env={"ANTHROPIC_API_KEY": "", "ANTHROPIC_BASE_URL": ""}, status=1
    )  # fmt: skip
    assert "ANTHROPIC_API_KEY" in missing.stderr and not mounts.mounts_of(light_store)
    cited = [{"path": "chunks/by_document/Bread/chunk_0001", "quote": "sells rye bread"}]
    steps: list[Step] = [
        [sh("ls /kg/chunks/by_document; cat '/kg/@search/text/bread'")],
        lambda request: [use("answer", text="Rye.", citations=[
            {**cited[0], "path": f"chunks/by_document/{unfenced(results(request)[0]).splitlines()[0]}/chunk_0001"}
        ])],
    ]  # fmt: skip
    with MessagesServer(steps) as server:
        said = json.loads(
            kgfs("--store", light_store, "--json", "agent", "Which bread?", env=server.environment(KEY)).stdout
        )
    assert said["citations"][0]["quote_found"] is True and not mounts.mounts_of(light_store)
    kept = kgfs("--store", light_store, "cat", f"@agent/{said['run']}/answer.md").stdout
    assert kept.startswith("Rye.")
    for wrong in (["--budget", "1", "--model", "unknown", "Q"], [], ["--turns", "0", "Q"]):
        kgfs("--store", light_store, "agent", *wrong, env=server.environment(KEY), status=2, input="")
