"""The loop: a model says what it wants to know, tools answer, until it has answered the question or may not go on.

Used by ``kgfs agent``, on the main thread, where Ctrl-C is raised. It knows neither the SDK nor the mount: it is given
a model, a toolbox, what checks an answer, and listeners that are told of everything (``Listener``). Everything that a
model may do wrong has an answer here: a call that cannot be, the same call over and over, an answer that is none.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from kgfs.agent.budget import Budget, Meter, Spent
from kgfs.agent.citations import Checked
from kgfs.agent.model_server import Asked, Message, Said, ToolForms
from kgfs.errors import KgfsError
from kgfs.tools.marking import unfenced

ANSWER = "answer"
"""The tool that ends a run."""
SAME_TOLD, SAME_ENDS = 3, 6
"""After so many same calls with the same result the model is told, or stopped."""
WRONG_ENDS = 8
"""After so many calls in a row that no tool could take it is stopped."""
EMPTY_ENDS = 2
CUT_ENDS = 3
TWICE_SECONDS = 3.0
"""A second Ctrl-C within so many seconds ends the run."""
STOPPED = "The user stopped this."

Stop = Literal[
    "answered", "turns", "seconds", "dollars", "loops", "nothing", "cut", "refused", "interrupted", "stopped", "error"
]
"""Why an answer ended. ``stopped``: the turn, by Ctrl-C; ``interrupted``: the run."""
ENDED_EARLY: frozenset[str] = frozenset({"turns", "seconds", "dollars", "loops"})
"""Those after which the model is asked once more, without tools."""


class ToolCall(NamedTuple):
    """A call of a tool."""

    id: str
    name: str
    input: dict[str, Any]


class Outcome(NamedTuple):
    """How a call ended."""

    text: str
    """What the model reads."""
    failed: bool = False
    wrong: bool = False
    """Whether no tool could take the call: there is no such tool, or these are not its arguments."""
    stops: int = 0
    """How often the user pressed Ctrl-C meanwhile."""


class Model(Protocol):
    """A language model."""

    model: str

    def ask(self, asked: Asked, told: Callable[[str], None], again: Callable[[str], None]) -> Said: ...


class Toolbox(Protocol):
    """What a run offers to its model."""

    @property
    def forms(self) -> ToolForms: ...

    def call(self, call: ToolCall) -> Outcome:
        """Do it. A failure is an outcome; ``KeyboardInterrupt`` where the user stopped it."""


class Listener(Protocol):
    """Is told what happens, as it happens."""

    def asked(self, question: str) -> None: ...
    def text(self, piece: str) -> None: ...
    def message(self, message: Message) -> None:
        """A message was added to the conversation."""

    def calling(self, call: ToolCall) -> None: ...
    def called(self, call: ToolCall, outcome: Outcome) -> None: ...
    def note(self, sentence: str) -> None: ...
    def turn(self, spent: Spent) -> None:
        """A message of the model is over."""

    def ended(self, end: End) -> None: ...


class End(NamedTuple):
    """How an answer ended."""

    stop: Stop
    answer: Checked
    problem: str = ""
    """What failed, in a sentence."""


class Loop:
    """A conversation with one model."""

    def __init__(
        self,
        model: Model,
        toolbox: Toolbox,
        system: Sequence[str],
        check: Callable[[str, Any], Checked],
        listeners: Sequence[Listener],
        spent: Spent,
        *,
        messages: Sequence[Message] = (),
        conversing: bool = False,
    ) -> None:
        """``check`` looks for the citations of an answer; ``messages`` are those of a run that is resumed.
        ``conversing``: Ctrl-C gives the word back to the user instead of to the model."""
        self._model, self._toolbox, self._system, self._check = model, toolbox, list(system), check
        self._listeners, self._conversing = listeners, conversing
        self.spent = spent
        self.messages: list[Message] = list(messages)
        self._stopped_at = float("-inf")
        self._same: Counter[bytes] = Counter()
        self._wrong = 0
        self._looping = False
        self._returned = False
        """Whether an answer was given back to the model once."""
        self._mend()

    # --- a question ---------------------------------------------------------------------------------------------------

    def answer(self, question: str, budget: Budget, *, before: str = "") -> End:
        """Have a question answered; ``before`` is what the model reads in front of it."""
        self._tell_all("asked", question)
        if before:
            self._say(before)
        self._say(question)
        return self.go_on(budget)

    def go_on(self, budget: Budget) -> End:
        """Go on with what was asked last."""
        if self.messages and self.messages[-1]["role"] == "assistant":
            self._say("Go on.")
        meter = Meter(budget, self.spent)
        self._same.clear()
        self._wrong, self._looping, self._returned = 0, False, False
        try:
            end = self._until_answered(meter)
        except KeyboardInterrupt:
            end = self._end("interrupted", "")
        except KgfsError as error:
            end = self._end("error", "", error.message)
        self._tell_all("ended", end)
        return end

    def _until_answered(self, meter: Meter) -> End:
        empty = cut = 0
        while True:
            stop: Stop | None = "loops" if self._looping else meter.ended()  # type: ignore[assignment]
            if stop is not None:
                return self._last_words(stop)
            try:
                said = self._ask()
            except KeyboardInterrupt:
                self._stop_turn()
                self._say(STOPPED)
                if self._conversing:
                    return self._end("stopped", "")
                continue
            if said.stop_reason == "refusal":
                return self._end("refused", _text_of(said), "The model declined to answer this; ask it otherwise.")
            calls = [
                ToolCall(str(block["id"]), str(block["name"]), block["input"])
                for block in said.content
                if block["type"] == "tool_use"
            ]
            if calls:
                end = self._use(calls, said)
                if end is not None:
                    return end
            elif said.stop_reason == "max_tokens":
                cut += 1
                if cut == CUT_ENDS:
                    return self._end("cut", _text_of(said), "The answer was longer than a message may be.")
                self._say("Your message was cut off, since it was too long. Go on where it ends, and be brief.")
            elif not _text_of(said).strip():
                empty += 1
                if empty == EMPTY_ENDS:
                    return self._end("nothing", "", "The model answered with nothing; ask again, or another model.")
                self._say(f"You answered with nothing. Call the tool {ANSWER}, or say what you need.")
            else:
                checked = self._check(_text_of(said), None)
                if not checked.problems or self._returned:
                    return End("answered", checked)
                self._returned = True
                self._say(checked.told)

    def _last_words(self, stop: Stop) -> End:
        """The budget has ended, or the model went in circles: it may answer with what it has."""
        why = "You made the same calls over and over." if stop == "loops" else f"The budget of {stop} has ended."
        self._note(f"{why} The model is asked for what it has.")
        self._say(f"{why} No tool can be called any more: answer now in text, with the paths that you rely on.")
        said = self._ask(may_call=False)
        if calls := [block for block in said.content if block["type"] == "tool_use"]:
            self._results([(str(block["id"]), Outcome("No tool can be called any more.", True)) for block in calls])
            for block in calls:
                if block["name"] == ANSWER and isinstance(block["input"].get("text"), str):
                    return self._end(stop, block["input"]["text"], cited=block["input"].get("citations"))
        return self._end(stop, _text_of(said))

    # --- the model ----------------------------------------------------------------------------------------------------

    def _ask(self, *, may_call: bool = True) -> Said:
        asked = Asked(self._system, self.messages, self._toolbox.forms, may_call)
        said = self._model.ask(asked, lambda piece: self._tell_all("text", piece), self._note)
        self.spent.add(said.usage)
        if said.content:
            self._add({"role": "assistant", "content": said.content})
        self._tell_all("turn", self.spent)
        return said

    # --- tools --------------------------------------------------------------------------------------------------------

    def _use(self, calls: Sequence[ToolCall], said: Said) -> End | None:
        """Do what the model asks for, in its order; an answer comes last. Returns the end, if this was it."""
        outcomes: dict[str, Outcome] = {}
        end: End | None = None
        stops = 0
        for call in sorted(calls, key=lambda call: call.name == ANSWER):
            if stops:
                outcomes[call.id] = Outcome(STOPPED, True)
                continue
            self._tell_all("calling", call)
            if call.id in said.broken:
                outcome = Outcome("The call was cut off or is no JSON object; call again with less at once.", True)
            elif call.name == ANSWER:
                outcome, end = self._take_answer(call)
            else:
                try:
                    outcome = self._do(call)
                except KeyboardInterrupt:
                    outcome = Outcome(STOPPED, True, stops=1)
                stops = outcome.stops
            self.spent.calls += 1
            outcomes[call.id] = outcome
            self._tell_all("called", call, outcome)
        self._results([(call.id, outcomes[call.id]) for call in calls])
        if stops:
            if stops > 1:
                raise KeyboardInterrupt
            self._stop_turn()
            return self._end("stopped", "") if self._conversing else None
        return end

    def _do(self, call: ToolCall) -> Outcome:
        outcome = self._toolbox.call(call)
        self._wrong = self._wrong + 1 if outcome.wrong else 0
        made = repr((call.name, call.input, unfenced(outcome.text)))
        same = hashlib.blake2b(made.encode("utf-8", "replace")).digest()
        self._same[same] += 1
        count = self._same[same]
        self._looping = self._looping or count >= SAME_ENDS or self._wrong >= WRONG_ENDS
        if count >= SAME_TOLD:
            told = f"You have made this call {count} times with this result; do something else, or call {ANSWER}."
            outcome = outcome._replace(text=f"{outcome.text}\n\n{told}")
        return outcome

    def _take_answer(self, call: ToolCall) -> tuple[Outcome, End | None]:
        text, cited = call.input.get("text"), call.input.get("citations", [])
        if not isinstance(text, str) or not text.strip():
            self._wrong += 1
            self._looping = self._looping or self._wrong >= WRONG_ENDS
            return Outcome(
                f"{ANSWER} takes text, the answer, and citations, a list of path and quote.", True, True
            ), None
        checked = self._check(text, cited)
        if checked.problems and not self._returned:
            self._returned = True
            return Outcome(checked.told, True), None
        return Outcome("The answer was shown to the user."), End("answered", checked)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _results(self, outcomes: Sequence[tuple[str, Outcome]]) -> None:
        content = [
            {
                "type": "tool_result", "tool_use_id": number,
                "content": [{"type": "text", "text": outcome.text or "(nothing)"}],
                **({"is_error": True} if outcome.failed else {}),
            }
            for number, outcome in outcomes
        ]  # fmt: skip
        self._add({"role": "user", "content": content})

    def _say(self, text: str) -> None:
        self._add({"role": "user", "content": [{"type": "text", "text": text}]})

    def _add(self, message: Message) -> None:
        """Add a message; two of the user's in a row become one, as the API wants it."""
        if self.messages and self.messages[-1]["role"] == message["role"] == "user":
            self.messages[-1] = {"role": "user", "content": [*self.messages[-1]["content"], *message["content"]]}
        else:
            self.messages.append(message)
        self._tell_all("message", message)

    def _mend(self) -> None:
        """A run that was killed may have ended with calls that nobody answered."""
        if self.messages and self.messages[-1]["role"] == "assistant":
            open_ = [block["id"] for block in self.messages[-1]["content"] if block.get("type") == "tool_use"]
            if open_:
                self._results([(number, Outcome("The run ended before this call did.", True)) for number in open_])

    # --- ends ---------------------------------------------------------------------------------------------------------

    def _stop_turn(self) -> None:
        """Ctrl-C once stops what is under way, twice the run."""
        now = time.monotonic()
        if now - self._stopped_at < TWICE_SECONDS:
            raise KeyboardInterrupt
        self._stopped_at = now
        self._note(f"{STOPPED} Ctrl-C again ends the run.")

    def _end(self, stop: Stop, text: str, problem: str = "", cited: Any = None) -> End:
        return End(stop, self._check(text, cited) if text.strip() else Checked(""), problem)

    def _note(self, sentence: str) -> None:
        self._tell_all("note", sentence)

    def _tell_all(self, what: str, *told: Any) -> None:
        for listener in self._listeners:
            getattr(listener, what)(*told)


def _text_of(said: Said) -> str:
    return "".join(block["text"] for block in said.content if block["type"] == "text")


def restored(lines: bytes) -> list[Message]:
    """The messages of a run from its ``messages.jsonl``; a line that is cut or none is left out, with all behind it."""
    found: list[Message] = []
    for line in lines.split(b"\n"):
        if not line:
            continue
        try:
            message = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            break
        if not _is_message(message):
            break
        if found and found[-1]["role"] == message["role"] == "user":
            found[-1] = {"role": "user", "content": [*found[-1]["content"], *message["content"]]}
        else:
            found.append(message)
    return found


def _is_message(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and message.get("role") in ("user", "assistant")
        and isinstance(message.get("content"), list)
        and all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in message["content"])
    )
