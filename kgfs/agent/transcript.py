"""What is kept of a run, in its directory of ``@agent``: the transcript, the messages, the answer, what it cost.

A listener of the loop, on its thread. Everything is sent as it happens, so that a run that was killed is there as far
as it came. What cannot be kept (a store that is mounted read-only, a full disk) is said once; the run goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from kgfs.agent.budget import Spent
from kgfs.agent.citations import Checked
from kgfs.agent.loop import ANSWER, End, Outcome, ToolCall
from kgfs.agent.model_server import Message
from kgfs.errors import KgfsError
from kgfs.names import json_bytes, one_line
from kgfs.tools.marking import unfenced

OUTPUT_LENGTH = 100_000
"""Of a longer output the transcript has the beginning."""
_TICKS = re.compile(r"`{3,}")
SHELLS = ("bash", "execute")
"""The tools whose calls are shown as a command."""

Write = Callable[[str, bytes, bool], None]
"""Writes to a file of the run: its name, the bytes, whether they replace what it has."""


class Transcript:
    """Writes the files of a run."""

    def __init__(
        self, write: Write, about: dict[str, Any], spent: Spent, secrets: Sequence[str], failed: Callable[[str], None]
    ) -> None:
        """``about`` is what ``cost.json`` says beside the numbers of ``spent``; ``secrets`` are never written;
        ``failed`` is told once why nothing is kept."""
        self._write, self._about, self._failed = write, about, failed
        self._secrets = [secret.encode() for secret in secrets if secret]
        self._said: list[str] = []
        self._broken = False
        self._spent = spent

    def asked(self, question: str) -> None:
        when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        self._add(f"# {one_line(question)}\n\n{when}, {self._about.get('model')}\n\n")
        self._tell_cost(None)

    def text(self, piece: str) -> None:
        self._said.append(piece)

    def message(self, message: Message) -> None:
        self._put("messages.jsonl", json_bytes(message) + b"\n")

    def turn(self, spent: Spent) -> None:
        self._flush()
        self._tell_cost(None)

    def calling(self, call: ToolCall) -> None:
        self._add(f"{shown_call(call)}\n\n")

    def called(self, call: ToolCall, outcome: Outcome) -> None:
        if call.name == ANSWER and not outcome.failed:
            return
        text = unfenced(outcome.text)
        if len(text) > OUTPUT_LENGTH:
            text = f"{text[:OUTPUT_LENGTH]}\n… {len(text) - OUTPUT_LENGTH:,} more characters"
        self._add(f"{'Failed:' + chr(10) if outcome.failed else ''}{fenced_block(text)}\n\n")

    def note(self, sentence: str) -> None:
        self._add(f"*{one_line(sentence)}*\n\n")

    def ended(self, end: End) -> None:
        self._flush()
        if end.problem:
            self._add(f"*{one_line(end.problem)}*\n\n")
        if end.answer.text:
            self._add(f"## Answer\n\n{answer_page(end.answer)}\n")
            self._put("answer.md", answer_page(end.answer).encode(), replace=True)
            lines = b"".join(json_bytes(msgspec.to_builtins(one)) + b"\n" for one in end.answer.citations)
            self._put("citations.jsonl", lines, replace=True)
        self._tell_cost(end.stop)

    def _tell_cost(self, stop: str | None) -> None:
        """``stop`` is why the run ended; none while it lasts."""
        self._put("cost.json", _page({**self._about, **self._spent.told(), "stop": stop}), replace=True)

    def _flush(self) -> None:
        text = "".join(self._said).strip()
        self._said.clear()
        if text:
            self._add(f"{text}\n\n")

    def _add(self, text: str) -> None:
        self._put("transcript.md", text.encode("utf-8", "replace"))

    def _put(self, file: str, data: bytes, *, replace: bool = False) -> None:
        if self._broken:
            return
        for secret in self._secrets:
            data = data.replace(secret, b"[redacted]")
        try:
            self._write(file, data, replace)
        except KgfsError as error:
            self._broken = True
            self._failed(f"Nothing more of this run is kept: {error.message}")


def _page(value: dict[str, Any]) -> bytes:
    return msgspec.json.format(json_bytes(value), indent=2) + b"\n"


def shown_call(call: ToolCall) -> str:
    """A call in one paragraph of Markdown: a command as one types it, else the tool with its arguments."""
    command = call.input.get("command")
    if call.name in SHELLS and isinstance(command, str):
        return fenced_block("$ " + command, "sh")
    return f"**{call.name}** {arguments_line(call.input)}".rstrip()


def arguments_line(given: dict[str, Any], longest: int = 200) -> str:
    """The arguments of a call in one line, long ones cut."""
    parts = []
    for name, value in given.items():
        text = one_line(value if isinstance(value, str) else json_bytes(value).decode())
        parts.append(f"{name}={text if len(text) <= longest else text[: longest - 1] + '…'}")
    return ", ".join(parts)


def fenced_block(text: str, language: str = "") -> str:
    """A text as a block of code that it cannot end."""
    longest = max((len(found[0]) for found in _TICKS.finditer(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def answer_page(answer: Checked) -> str:
    """An answer with its citations, those that are not supported last and named as such."""
    lines = [answer.text.strip(), ""]
    good = [one for one in answer.citations if one.supported]
    if good:
        lines.append("Sources:")
        lines += [f"- {one.path}" + (f": “{one_line(one.quote)}”" if one.quote else "") for one in good]
    if answer.problems:
        lines += ["" if good else None, "Not supported:"]  # type: ignore[list-item]
        lines += [f"- {one.path}: {one_line(one.problem)}" for one in answer.problems]
    if not answer.citations:
        lines.append("It cites nothing: no source supports it.")
    return "\n".join(line for line in lines if line is not None) + "\n"
