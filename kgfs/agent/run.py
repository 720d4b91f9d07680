"""One run of the agent, put together: what it is told, offers, keeps and prints.

Used by ``kgfs agent`` on the main thread; a benchmark makes its runs by this, too. The store is mounted when a run
begins. What a run needs from the process that has the store open it asks by requests.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kgfs.agent.budget import Budget, Spent
from kgfs.agent.citations import check
from kgfs.agent.cited_places import CitedPlaces
from kgfs.agent.interrupts import Interrupts
from kgfs.agent.loop import End, Listener, Loop, restored
from kgfs.agent.model_server import Message, ModelServer
from kgfs.agent.offer import Offer, offered
from kgfs.agent.prompt import loaded_before, system_prompt
from kgfs.agent.transcript import Transcript
from kgfs.config import Config
from kgfs.control.client import Gathered, Receiver, open_session
from kgfs.control.path_arguments import PathArgument
from kgfs.errors import KgfsError, NotFoundError
from kgfs.llm.prices import price_of
from kgfs.tools.outcome import Value

RUNS = "@agent"
CONTEXT_TOKENS = 4000
"""What is loaded before a question is no longer."""
GUIDE = "AGENTS.md"


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a user wants of a run."""

    model: str
    session: str | None = None
    read_only: bool = False
    added: Sequence[str] = ()
    """Directories, as ``--add-dir`` takes them."""
    ephemeral_memory: bool = False


class Store:
    """The process that has the store open, asked by requests; each has a connection of its own."""

    def __init__(self, store: Path) -> None:
        self.path = store

    def ask(self, command: str, arguments: dict[str, Any], receiver: Receiver | None = None) -> dict[str, Any]:
        """Send one request. Any ``KgfsError`` that happened there."""
        with open_session(self.path) as opened:
            return opened.call(command, arguments, receiver)

    def file(self, path: str) -> bytes:
        """The bytes of a file of the tree. ``NotFoundError``."""
        gathered = Gathered()
        self.ask("cat", {"place": PathArgument(text=path, exact=path).fields()}, gathered)
        return bytes(gathered.bytes)

    def names(self, directory: str) -> list[str]:
        """What is in a directory of the tree. ``NotFoundError``."""
        gathered = Gathered()
        self.ask("ls", {"place": PathArgument(text=directory, exact=directory).fields()}, gathered)
        return [item["name"] for item in gathered.items]


class RunRecord:
    """A run as the store keeps it; without a name where it keeps none."""

    def __init__(self, store: Store, session: str | None, name: str | None) -> None:
        self._store, self.session, self.name = store, session, name

    def write(self, file: str, data: bytes, replace: bool) -> None:
        """Write to a file of the run. ``KgfsError``."""
        if self.name is not None:
            part = {"file": file, "data": data, "replace": replace}
            self._store.ask("agent-write", {"run": self.name, "parts": [part]})

    def tool(self, name: str, arguments: dict[str, Any]) -> Value:
        """Have a store tool called. ``KgfsError``."""
        asked: dict[str, Any] = {"name": name, "arguments": arguments}
        if self.name is not None:
            asked |= {"run": self.name, "session": self.session}
        return self._store.ask("tool", asked)

    def record(self, name: str, arguments: dict[str, Any], began: int, ended: int, value: Value) -> None:
        """Tell the audit trail of a call that was answered by the run's own process."""
        error = str(value.get("message")) if value.get("is_error") else None
        result = {key: value[key] for key in ("status", "directory", "seconds") if key in value}
        call = {"name": name, "parameters": arguments, "began": began, "ended": ended, "result": result, "error": error}
        with contextlib.suppress(KgfsError):  # a store that is mounted read-only, or a daemon that ended
            self._store.ask("agent-record", {"run": self.name or "-", "session": self.session, "call": call})

    def end(self, began: int, told: dict[str, Any], stop: str, dollars: float | None) -> None:
        """The run has ended. ``KgfsError``."""
        if self.name is not None:
            self._store.ask(
                "agent-end",
                {"run": self.name, "session": self.session, "began": began, "told": told, "stop": stop,
                 "dollars": dollars},
            )  # fmt: skip


class Run:
    """A conversation with a model over one store, open until its end."""

    def __init__(
        self, store: Store, run_record: RunRecord, wanted: Wanted, loop: Loop, spent: Spent, offer: Offer,
        ends: list[End], waits: bool,
    ) -> None:  # fmt: skip
        self._store, self._run_record, self._wanted, self._loop, self._offer = store, run_record, wanted, loop, offer
        self._ends = ends
        self.spent = spent
        self.waits = waits
        """Whether a question was asked and not answered, in a run that is resumed."""
        self.problems = offer.problems
        """What was left out of it, a sentence each, for the user."""

    @property
    def name(self) -> str | None:
        """The run's name, where it is kept."""
        return self._run_record.name

    def ask(self, question: str, budget: Budget) -> End:
        """Have a question answered."""
        value: Value = {}
        with contextlib.suppress(KgfsError):
            value = self._run_record.tool("context_prompt", {"task": question, "budget_tokens": CONTEXT_TOKENS})
        return self._done(self._loop.answer(question, budget, before=loaded_before(value)))

    def go_on(self, budget: Budget) -> End:
        """Go on with the question that waits."""
        return self._done(self._loop.go_on(budget))

    def _done(self, end: End) -> End:
        self._ends.append(end)
        return end


@contextlib.contextmanager
def running(
    store: Path, config: Config, model: ModelServer, wanted: Wanted, *, question: str, resumed: str | None = None,
    listeners: Callable[[str | None], Sequence[Listener]], interrupts: Interrupts, secrets: Sequence[str] = (),
    warn: Callable[[str], None] = lambda sentence: None, conversing: bool = False,
) -> Iterator[Run]:  # fmt: skip
    """A run, kept in the store until it ends. ``question`` names it; ``resumed`` is the run to go on with.

    ``listeners`` are made for its name. ``KgfsError`` where the mount, the sandbox or the session cannot be had.
    """
    asked = Store(store)
    price = price_of(wanted.model, config.llm_prices)
    spent = Spent(price)
    messages: list[Message] = []
    waits = False
    if resumed is None:
        run_record = RunRecord(asked, wanted.session, _begun(asked, question, wanted.session, warn))
    else:
        run_record = RunRecord(asked, wanted.session, resumed)
        messages = restored(asked.file(f"{RUNS}/{resumed}/messages.jsonl"))
        told = told_of(asked, resumed)
        spent.resume(told)
        waits = bool(messages) and told.get("stop") != "answered"
    with offered(store, asked, run_record, wanted, interrupts) as offer:
        about = {"model": wanted.model, "session": wanted.session, "read_only": wanted.read_only}
        transcript = Transcript(run_record.write, about, spent, secrets, warn)
        system = system_prompt(
            _guide(asked), offer.skills, read_only=wanted.read_only, session=wanted.session is not None,
            added=tuple(wanted.added),
        )  # fmt: skip
        places = CitedPlaces(asked.ask, offer.own)
        loop = Loop(
            model, offer.toolbox, system, lambda text, cited: check(text, cited, places.read),
            [transcript, *listeners(run_record.name)], spent, messages=messages, conversing=conversing,
        )  # fmt: skip
        began = time.time_ns()
        ends: list[End] = []
        run = Run(asked, run_record, wanted, loop, spent, offer, ends, waits)
        try:
            yield run
        finally:
            stop = ends[-1].stop if ends else "interrupted"
            try:
                run_record.end(began, {"question": question, **about, **spent.told()}, stop, spent.dollars)
            except KgfsError as error:
                warn(f"The audit trail does not have this run: {error.message}")


def _begun(store: Store, question: str, session: str | None, warn: Callable[[str], None]) -> str | None:
    try:
        return str(store.ask("agent-begin", {"question": question, "session": session})["run"])
    except KgfsError as error:
        warn(f"This run is not kept: {error.message}")
        return None


def _guide(store: Store) -> str:
    try:
        return store.file(GUIDE).decode("utf-8", "replace")
    except KgfsError:
        return ""


def told_of(store: Store, run: str) -> dict[str, Any]:
    """What ``cost.json`` of a run says; nothing where it says nothing."""
    try:
        told = msgspec.json.decode(store.file(f"{RUNS}/{run}/cost.json"))
    except (KgfsError, msgspec.DecodeError):
        return {}
    return told if isinstance(told, dict) else {}


def run_to_resume(store: Store, name: str | None) -> str:
    """The run of a name, or the latest. ``NotFoundError``."""
    names = sorted(store.names(RUNS))
    if name is None and names:
        return names[-1]
    if name in names:
        return str(name)
    if not names:
        raise NotFoundError("No agent ran over this store yet; ask something: kgfs agent QUESTION.")
    raise NotFoundError(f"There is no run {name!r}; the latest is {names[-1]}, `kgfs ls @agent` shows all.")
