"""The loop over a scripted server of the Messages API: what a model does, also wrongly, and how a run ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from kgfs.agent.budget import Budget, Spent
from kgfs.agent.citations import Checked, Place, check
from kgfs.agent.loop import SAME_ENDS, WRONG_ENDS, End, Loop, Outcome, ToolCall, restored
from kgfs.agent.model_server import Message, ModelServer, ToolForms
from kgfs.config import Config
from kgfs.llm.prices import PRICES
from kgfs.names import json_bytes
from tests.llm_server import Fault
from tests.messages_server import MessagesServer, Step, Turn, broken, results, say, told, use

MODEL = "claude-haiku-5-5"
PLAIN = [
    {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}},
    {"name": "answer", "description": "Answers.", "input_schema": {"type": "object"}},
]
TYPED = [{"type": "bash_20250124", "name": "bash"}, PLAIN[1]]
PLACES = {
    "facts/f_1.json": '{"quote":"Google \\"bought\\" DeepMind"}',
    "chunks/a": "Google acquired\n  DeepMind in 2014.",
}


def read(path: str) -> Place | None:
    path = path.removeprefix("/kg/")
    return Place(path, (PLACES[path],)) if path in PLACES else None


class Box:
    """Tools that answer at once, unless a test has them do something else."""

    forms = ToolForms(TYPED, PLAIN)

    def __init__(self, do: Callable[[ToolCall], Outcome] | None = None) -> None:
        self.calls: list[ToolCall] = []
        self._do = do or (lambda call: Outcome(f"result {len(self.calls)}"))

    def call(self, call: ToolCall) -> Outcome:
        self.calls.append(call)
        return self._do(call)


class Heard:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.kept: list[Message] = []
        self.texts: list[str] = []

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def message(self, message: Message) -> None:
        self.kept.append(message)

    def text(self, piece: str) -> None:
        self.texts.append(piece)

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name in ("asked", "turn", "calling", "called", "ended"):
            return lambda *_: None
        raise AttributeError(name)


class Ran:
    """What became of one question."""

    def __init__(self, end: End, server: MessagesServer, box: Box, heard: Heard, loop: Loop) -> None:
        self.end, self.server, self.box, self.heard, self.loop = end, server, box, heard, loop


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    def asking(
        steps: Iterable[Step], *, box: Box | None = None, budget: Budget | None = None, faults: Iterable[Fault] = (),
        typed: bool | None = None, untyped: bool = False, config: Config | None = None, key: str | None = None,
        question: str = "Whom did Google buy?", conversing: bool = False, delay: float = 0.0,
    ) -> Ran:  # fmt: skip
        with MessagesServer(steps, faults=faults, untyped=untyped, key=key, delay=delay) as server:
            for name, value in server.environment().items():
                monkeypatch.setenv(name, value)
            model = ModelServer(config or Config(llm_retries=1, llm_timeout_seconds=5.0), MODEL, typed=typed)
            heard, tools = Heard(), box or Box()
            loop = Loop(
                model, tools, ["Rules.", "Of this run."], lambda text, cited: check(text, cited, read), [heard],  # type: ignore[list-item]
                Spent(PRICES[MODEL]), conversing=conversing,
            )  # fmt: skip
            end = loop.answer(question, budget or Budget(turns=30, seconds=60))
            model.close()
        return Ran(end, server, tools, heard, loop)

    return asking


GOOD = use("answer", text="DeepMind.", citations=[{"path": "chunks/a", "quote": "Google acquired DeepMind"}])


def test_calls_are_answered_in_one_turn_and_the_answer_ends_the_run(ask: Callable[..., Ran]) -> None:
    ran = ask([[say("I look."), use("look", at="a"), use("look", at="b")], [GOOD]])
    assert ran.end.stop == "answered" and ran.end.answer.text == "DeepMind." and not ran.end.answer.problems
    assert [call.input for call in ran.box.calls] == [{"at": "a"}, {"at": "b"}]
    assert results(ran.server.requests[1]) == ["result 1", "result 2"]
    assert ran.heard.texts == ["I look."] and ran.loop.spent.calls == 3 and ran.loop.spent.turns == 2
    assert ran.loop.spent.dollars == pytest.approx(2 * (100 * 0.1 + 20 * 0.5) / 1e6)


def test_what_is_kept_is_the_conversation(ask: Callable[..., Ran]) -> None:
    ran = ask([[use("look")], [], [GOOD]])
    lines = b"".join(json_bytes(message) + b"\n" for message in ran.heard.kept)
    assert restored(lines) == ran.loop.messages
    assert restored(lines + b'{"role": "assistant", "cont') == ran.loop.messages
    assert restored(b"[]\n" + lines) == [] and restored(b'{"role":"user","content":"x"}\n') == []


def test_requests_are_marked_for_the_cache(ask: Callable[..., Ran]) -> None:
    ran = ask([[use("look")], [GOOD]])
    for request in ran.server.requests:
        assert "cache_control" in request["system"][0] and "cache_control" not in request["system"][1]
        assert "cache_control" in request["tools"][-1]
        assert "cache_control" in request["messages"][-1]["content"][-1]
        marks = str(request).count("cache_control")
        assert marks == 3 and request["stream"] is True
    assert "cache_control" not in str(ran.loop.messages)
    first, second = ran.server.requests
    assert second["system"] == first["system"] and second["tools"] == first["tools"]


def test_the_form_of_tools_is_the_servers(ask: Callable[..., Ran]) -> None:
    assert [tool["name"] for tool in ask([[GOOD]]).server.requests[0]["tools"]] == ["look", "answer"]
    assert ask([[GOOD]], typed=True).server.requests[0]["tools"][0]["type"] == "bash_20250124"
    ran = ask([[use("look")], [GOOD]], typed=True, untyped=True)
    assert ran.end.stop == "answered" and all(len(one["tools"]) == 2 for one in ran.server.requests)
    assert len(ran.server.seen) == 3, "what was refused once is not tried again"
    # A server that knows neither marks nor blocks of instructions.
    plain = ask([[GOOD]], faults=["400"])
    assert plain.end.stop == "answered" and plain.server.requests[0]["system"] == "Rules.\n\nOf this run."


@pytest.mark.parametrize(
    ("citation", "wrong"),
    [
        ({"path": "chunks/a", "quote": "Google acquired DeepMind in 2014."}, ""),
        ({"path": "/kg/chunks/a", "quote": "acquired\tDeepMind"}, ""),
        ({"path": "facts/f_1.json", "quote": 'Google "bought" DeepMind'}, ""),
        ({"path": "chunks/a"}, ""),
        ({"path": "chunks/none", "quote": "x"}, "there is no such path"),
        ({"path": "chunks/a", "quote": "Google bought DeepMind"}, "verbatim"),
        ({"path": "chunks/a", "quote": "google acquired"}, "verbatim"),
        ({"path": "chunks/a", "quote": "G" * 5000}, "longer"),
        ({"quote": "x"}, "no object with path"),
        ({"path": 7}, "no object with path"),
        (["chunks/a"], "no object with path"),
    ],
)
def test_citations_are_checked(ask: Callable[..., Ran], citation: Any, wrong: str) -> None:
    step = use("answer", text="DeepMind.", citations=[citation])
    ran = ask([[step], [{**step, "id": "again"}]])
    assert ran.end.stop == "answered" and len(ran.end.answer.citations) == 1
    if not wrong:
        assert not ran.end.answer.problems and len(ran.server.requests) == 1
        assert ran.end.answer.citations[0].path in PLACES
        return
    assert wrong in results(ran.server.requests[1])[0], "it is given back once"
    assert len(ran.server.requests) == 2 and wrong in ran.end.answer.problems[0].problem


def test_an_answer_that_was_given_back_is_mended(ask: Callable[..., Ran]) -> None:
    ran = ask([[use("answer", text="See chunks/none.", citations=[])], [GOOD]])
    assert "chunks/none: there is no such path" in results(ran.server.requests[1])[0]
    assert ran.end.answer.problems == [] and ran.end.answer.citations[0].quote_found is True


def test_a_text_without_the_tool_is_an_answer(ask: Callable[..., Ran]) -> None:
    ran = ask([[say("DeepMind, see `/kg/chunks/a`.")]])
    assert ran.end.stop == "answered" and [one.path for one in ran.end.answer.citations] == ["chunks/a"]
    wrong = ask([[say("See facts/f_9.json")], [say("See facts/f_9.json, truly.")]])
    assert "facts/f_9.json" in told(wrong.server.requests[1])
    assert [one.path for one in wrong.end.answer.problems] == ["facts/f_9.json"]
    assert check("Nothing of note.", None, read) == Checked("Nothing of note.")
    assert len(check("x", "chunks/a", read).problems) == 1


def test_a_budget_of_turns_ends_with_what_there_is(ask: Callable[..., Ran]) -> None:
    steps: list[Step] = [[use("look", at=number)] for number in range(3)]
    ran = ask([*steps, [say("DeepMind, says chunks/a.")]], budget=Budget(turns=3, seconds=60))
    assert ran.end.stop == "turns" and ran.end.answer.text.startswith("DeepMind")
    last = ran.server.requests[-1]
    assert last["tool_choice"] == {"type": "none"} and "turns" in told(last) and len(ran.box.calls) == 3
    # A server that does not know what that means: the call is not made, an answer in it is taken.
    again = ask([*steps, [use("look"), GOOD]], budget=Budget(turns=3, seconds=60))
    assert again.end.stop == "turns" and again.end.answer.text == "DeepMind." and len(again.box.calls) == 3
    assert ask([*steps, [use("look")]], budget=Budget(turns=3, seconds=60)).end.answer.text == ""


def test_budgets_of_money_and_time(ask: Callable[..., Ran]) -> None:
    dear = {"output_tokens": 1_000_000}  # half a dollar
    steps = [Turn([use("look", at=number)], usage=dear) for number in range(9)]
    ran = ask([*steps[:2], [say("It costs.")]], budget=Budget(dollars=1.2))
    assert ran.end.stop == "dollars" and len(ran.server.requests) == 3
    assert (ran.loop.spent.dollars or 0) < 1.2

    def slow(call: ToolCall) -> Outcome:
        time.sleep(0.3)
        return Outcome("slow")

    late = ask([[use("look")], [say("Late.")]], box=Box(slow), budget=Budget(seconds=0.2))
    assert late.end.stop == "seconds" and late.end.answer.text == "Late."


def test_a_model_that_loops_is_told_and_then_stopped(ask: Callable[..., Ran]) -> None:
    steps: list[Step] = [[use("look", at="same")] for _ in range(20)]
    ran = ask([*steps[:SAME_ENDS], [say("I give up.")]], box=Box(lambda call: Outcome("the same")))
    assert ran.end.stop == "loops" and len(ran.box.calls) == SAME_ENDS and ran.end.answer.text == "I give up."
    assert "3 times" in results(ran.server.requests[3])[0] and "times" not in results(ran.server.requests[2])[0]


def test_a_model_that_calls_wrongly_again_and_again_is_stopped(ask: Callable[..., Ran]) -> None:
    steps: list[Step] = [[use("nothing", at=number)] for number in range(WRONG_ENDS)]
    box = Box(lambda call: Outcome(f"There is no tool {call.input}.", True, True))
    ran = ask([*steps, [say("I give up.")]], box=box)
    assert ran.end.stop == "loops" and len(ran.box.calls) == WRONG_ENDS
    assert ran.server.requests[1]["messages"][-1]["content"][0]["is_error"] is True


def test_wrong_answers(ask: Callable[..., Ran]) -> None:
    ran = ask([[use("answer")], [use("answer", text="")], [use("answer", text=["x"])], [GOOD]])
    assert ran.end.stop == "answered" and "takes text" in results(ran.server.requests[2])[0]
    ran = ask([[broken("look", '{"at": "a')], [broken("look", "[1]")], [GOOD]])
    assert ran.end.stop == "answered" and ran.box.calls == []
    assert "cut off" in results(ran.server.requests[1])[0] and "cut off" in results(ran.server.requests[2])[0]
    assert ran.loop.messages[1]["content"][0]["input"] == {}, "what is sent back is what the API takes"


def test_an_answer_of_nothing(ask: Callable[..., Ran]) -> None:
    assert ask([[], [GOOD]]).end.stop == "answered"
    ran = ask([[], [say(" \n")]])
    assert ran.end.stop == "nothing" and ran.end.answer.text == "" and "nothing" in ran.end.problem


def test_stops_in_the_middle(ask: Callable[..., Ran]) -> None:
    half = Turn([say("DeepM")], "max_tokens")
    ran = ask([half, [say("ind.")]])
    assert ran.end.stop == "answered" and "cut off" in told(ran.server.requests[1])
    assert ask([half, half, half]).end.stop == "cut"
    refused = ask([Turn([say("No.")], "refusal")])
    assert refused.end.stop == "refused" and "declined" in refused.end.problem


FAULTS: list[tuple[list[Fault], str]] = [
    (["401"], "refuses the key"),
    (["404"], "does not know"),
    (["429"] * 3, "rate limit"),
    (["529"] * 3, "overloaded"),
    (["500"] * 3, "out of order"),
    (["close"] * 4, "broke off"),
    (["type"] * 4, ""),
    (["cut"] * 3, "cut off"),
    (["overloaded"] * 3, "overloaded"),
    (["hang"] * 3, "no answer in 0.5 seconds"),
    (["400"] * 3, "refused a request"),
]


@pytest.mark.parametrize(("faults", "says"), FAULTS, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_a_server_that_fails_is_said_in_a_sentence(ask: Callable[..., Ran], faults: list[Fault], says: str) -> None:
    config = Config(llm_retries=1, llm_timeout_seconds=0.5 if faults[0] == "hang" else 5.0)
    ran = ask([[GOOD]], faults=faults, config=config)
    assert ran.end.stop == "error" and says in ran.end.problem and ran.end.problem.endswith("."), ran.end
    assert "test-key" not in ran.end.problem


@pytest.mark.parametrize("fault", ["429", "529", "500", "close", "cut", "overloaded"])
def test_what_goes_better_the_next_time_is_asked_again(ask: Callable[..., Ran], fault: Fault) -> None:
    ran = ask([[use("look")], [GOOD]], faults=[fault])
    assert ran.end.stop == "answered"
    assert len(ran.heard.notes) == (fault in ("cut", "overloaded")), "what was printed of it is explained"


def test_a_wrong_and_a_missing_key(ask: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ANTHROPIC_API_KEY" in ask([], key="another").end.problem
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    from kgfs.errors import LlmUnavailable

    with pytest.raises(LlmUnavailable, match="no key"):
        ModelServer(Config(), MODEL).open()


def interrupting(times: int) -> Callable[[ToolCall], Outcome]:
    """A tool during which the user presses Ctrl-C, so many calls long."""
    left = [times]

    def do(call: ToolCall) -> Outcome:
        if left[0] > 0:
            left[0] -= 1
            raise KeyboardInterrupt
        return Outcome("fine")

    return do


def test_ctrl_c_stops_the_turn_and_twice_the_run(ask: Callable[..., Ran]) -> None:
    ran = ask([[use("look", at=1), use("look", at=2)], [GOOD]], box=Box(interrupting(1)))
    assert ran.end.stop == "answered" and len(ran.box.calls) == 1
    assert results(ran.server.requests[1]) == ["The user stopped this."] * 2
    twice = ask([[use("look", at=1)], [use("look", at=2)], [GOOD]], box=Box(interrupting(2)))
    assert twice.end.stop == "interrupted" and len(twice.server.requests) == 2
    assert twice.loop.messages[-1]["role"] == "user", "it can be resumed"
    talk = ask([[use("look", at=1)], [GOOD]], box=Box(interrupting(1)), conversing=True)
    assert talk.end.stop == "stopped" and len(talk.server.requests) == 1


def test_a_run_that_was_killed_goes_on(ask: Callable[..., Ran]) -> None:
    ran = ask([[use("look")], [GOOD]])
    cut = ran.loop.messages[:2]
    assert cut[-1]["role"] == "assistant"
    heard = Heard()
    loop = Loop(
        ModelServer(Config(), MODEL), Box(), [""], lambda text, cited: Checked(text), [heard],  # type: ignore[list-item]
        Spent(None), messages=cut,
    )  # fmt: skip
    assert loop.messages[-1]["content"][0]["tool_use_id"] == cut[-1]["content"][0]["id"]
    assert heard.kept == loop.messages[-1:]
