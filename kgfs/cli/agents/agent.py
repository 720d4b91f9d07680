"""``kgfs agent``: a language model answers from the store, in the sandbox, with citations that are checked."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.outcome import PARTLY_DONE
from kgfs.cli.stores import chosen_store, short, warn_of_wishes
from kgfs.config import load_config, require_store
from kgfs.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from kgfs.agent.budget import Budget
    from kgfs.agent.loop import End, Listener
    from kgfs.agent.run import Run, Wanted
    from kgfs.config import Config

LATEST = ""
_RUN = re.compile(r"\d{4}-\d\d-\d\d_\d{6}_.*", re.ASCII)
INTERRUPTED = 130
HELP = """\
Ask a question, or go on from the last answer.
/cost   what this conversation has cost
/help   this
/exit   end it (Ctrl-D does, too); Ctrl-C stops what is under way"""


@declare("agent", "Answer a question from the store, with citations that are checked.")
@click.option("--model", metavar="NAME", help="The language model (default: the setting llm_model).")
@click.option(
    "--budget", type=click.FloatRange(min=0, min_open=True), metavar="DOLLARS",
    help="What a question may cost [default: 1, where the model's price is known].",
)  # fmt: skip
@click.option("--turns", type=click.IntRange(min=1), default=40, show_default=True, help="Messages of the model.")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=900, show_default=True, metavar="S",
    help="What a question may take.",
)  # fmt: skip
@click.option("--session", "session_name", metavar="NAME", help="Write to this session, which is made if missing.")
@click.option("--read-only", is_flag=True, help="Let the model write nothing.")
@click.option(
    "--resume", is_flag=False, flag_value=LATEST, default=None, metavar="[RUN]",
    help="Go on with this run, or the latest one.",
)  # fmt: skip
@click.option(
    "--add-dir", "added", metavar="DIR[:ro]", multiple=True,
    help="Show the model this directory too; with :ro it may change nothing in it.",
)  # fmt: skip
@click.option("--ephemeral-memory", is_flag=True, help="Begin with an empty memory, and discard it in the end.")
@click.argument("words", metavar="[QUESTION]…", nargs=-1)
def command(
    invocation: Invocation,
    model: str | None,
    budget: float | None,
    turns: int,
    seconds: float,
    session_name: str | None,
    read_only: bool,
    resume: str | None,
    added: tuple[str, ...],
    ephemeral_memory: bool,
    words: tuple[str, ...],
) -> int:
    """Answer QUESTION from the store; without one, a conversation on a terminal. `-` reads the question from
    standard input.

    The model works in a sandbox that sees the mount, as `kgfs run`. If the store is not mounted, it is mounted for as
    long as this takes. The run is kept in @agent/. Exit status 5: some citation is not there, or the budget ended.
    """
    if resume and not _RUN.fullmatch(resume):  # --resume QUESTION
        words, resume = (resume, *words), LATEST
    question = " ".join(words).strip()
    if question == "-":
        question = sys.stdin.read().strip()
    conversing = not question and resume is None
    if conversing and (invocation.json or not sys.stdin.isatty()):
        raise UsageError("There is no question; write it behind the command, or `-` to read it from standard input.")
    store = chosen_store(invocation)
    require_store(store)
    warn_of_wishes(invocation, store)
    config = load_config(store)

    from kgfs.agent.budget import DOLLARS, Budget
    from kgfs.agent.run import Wanted
    from kgfs.cli.mounts.private_mount import mounted
    from kgfs.llm.prices import price_of

    wanted = Wanted(
        model=model or config.llm_model, session=session_name, read_only=read_only, added=added,
        ephemeral_memory=ephemeral_memory,
    )  # fmt: skip
    price = price_of(wanted.model, config.llm_prices)
    if budget is not None and price is None:
        raise UsageError(
            f"The price of {wanted.model} is unknown; leave out --budget, or set the price with llm_prices."
        )
    limit = Budget(turns, seconds, budget if budget is not None else None if price is None else DOLLARS)
    with mounted(invocation, store):
        return _ran(invocation, store, config, wanted, limit, question, resume)


def _ran(
    invocation: Invocation, store: Path, config: Config, wanted: Wanted, budget: Budget, question: str,
    resume: str | None,
) -> int:  # fmt: skip
    from kgfs.agent.interrupts import Interrupts
    from kgfs.agent.model_server import ModelServer
    from kgfs.agent.run import Store, run_to_resume, running, told_of
    from kgfs.agent.terminal import Terminal
    from kgfs.llm.client import KEY_VARIABLES

    asked = Store(store)
    counts = asked.ask("status", {"brief": True})["counts"]
    if not counts["documents"]:
        raise NotFoundError(f"The store {short(store)} has no documents to answer from; `kgfs add PATH` adds some.")
    resumed = None if resume is None else run_to_resume(asked, resume or None)
    if resumed is not None:
        wanted = _as_before(wanted, told_of(asked, resumed))

    def listeners(name: str | None) -> Sequence[Listener]:
        if invocation.json:
            return ()
        return (Terminal(name, invocation.style, quiet=invocation.quiet),)

    model = ModelServer(config, wanted.model)
    model.open()
    interrupts = Interrupts()
    try:
        with interrupts.handled(), running(
            store, config, model, wanted, question=question, resumed=resumed, listeners=listeners,
            interrupts=interrupts, secrets=[os.environ.get(name, "") for name in KEY_VARIABLES],
            warn=invocation.warn, conversing=not question and resumed is None,
        ) as run:  # fmt: skip
            for problem in run.problems:
                invocation.warn(problem)
            if question:
                return _told(invocation, run, run.ask(question, budget))
            if resumed is not None and run.waits:
                return _told(invocation, run, run.go_on(budget))
            if not sys.stdin.isatty() or invocation.json:
                raise UsageError(f"The run {resumed} has ended with an answer; give a question to go on with.")
            return _converse(invocation, run, lambda text: run.ask(text, budget))
    finally:
        model.close()


def _as_before(wanted: Wanted, told: dict[str, Any]) -> Wanted:
    """What a resumed run is to be like, where the user says nothing else."""
    session = told.get("session")
    if wanted.session is None and isinstance(session, str):
        wanted = msgspec.structs.replace(wanted, session=session)
    if told.get("read_only") is True:
        wanted = msgspec.structs.replace(wanted, read_only=True)
    return wanted


def _converse(invocation: Invocation, run: Run, ask: Callable[[str], End]) -> int:
    """Questions until the user has no more."""
    import readline  # noqa: F401  # input() has a history and can be edited with it

    invocation.say("Ask a question; /help says more.")
    while True:
        try:
            text = input("> ").strip()
        except EOFError:
            invocation.say()
            return 0
        except KeyboardInterrupt:
            invocation.say()
            continue
        if text in ("/exit", "/quit"):
            return 0
        if text == "/help":
            invocation.say(HELP)
        elif text == "/cost":
            invocation.say(_cost_line(run))
        elif text.startswith("/"):
            invocation.say(f"There is no {text.split()[0]}; /help lists what there is.")
        elif text:
            end = ask(text)
            if end.problem:
                invocation.warn(end.problem)
            if end.stop == "interrupted":
                return INTERRUPTED


def _told(invocation: Invocation, run: Run, end: End) -> int:
    """Say how it ended; returns the exit status."""
    status = _status(end)
    if invocation.json:
        invocation.emit(
            {
                "run": run.name, "answer": end.answer.text, "stop": end.stop, "problem": end.problem or None,
                "citations": msgspec.to_builtins(end.answer.citations), "cost": run.spent.told(),
            }
        )  # fmt: skip
    else:
        invocation.note(_cost_line(run))
    if end.stop == "interrupted":
        return status
    if status == 1:
        return invocation.fail("no_answer", end.problem or _WHY.get(end.stop, "There is no answer."), 1)
    return status


_WHY = {
    "turns": "The turns ended before there was an answer; --turns allows more, --resume goes on.",
    "seconds": "The time ended before there was an answer; --seconds allows more, --resume goes on.",
    "dollars": "The budget ended before there was an answer; --budget allows more, --resume goes on.",
    "loops": "The model made the same calls over and over; ask otherwise, or another model.",
}


def _status(end: End) -> int:
    if end.stop == "interrupted":
        return INTERRUPTED
    if not end.answer.text.strip() or end.stop in ("error", "refused", "nothing"):
        return 1
    return 0 if end.stop == "answered" and not end.answer.problems else PARTLY_DONE


def _cost_line(run: Run) -> str:
    told = run.spent.told()
    dollars = "" if told["dollars"] is None else f", ${told['dollars']:.4f}"
    read = told["input_tokens"] + told["cache_read_tokens"] + told["cache_write_tokens"]
    where = f"; kept in @agent/{run.name}/" if run.name else ""
    return (
        f"{told['turns']} turns, {told['calls']} calls, {read:,} tokens read, {told['output_tokens']:,} written"
        f"{dollars}, {told['seconds']:.0f} s{where}"
    )
