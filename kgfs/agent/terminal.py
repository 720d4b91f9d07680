"""What a run prints: what the model says as it comes, each call with its output folded, the answer with its citations.

A listener of the loop, on the main thread. What leads to the answer goes to standard error, the answer to standard
output, so that a pipe gets the answer alone. No control character of a model or a document reaches the terminal.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from typing import Any, TextIO

from kgfs.agent.budget import Spent
from kgfs.agent.loop import ANSWER, End, Outcome, ToolCall
from kgfs.agent.model_server import Message
from kgfs.agent.transcript import SHELLS, answer_page, arguments_line
from kgfs.names import one_line
from kgfs.tools.marking import unfenced

FOLDED_LINES = 5
LINE_LENGTH = 160


class Terminal:
    """Prints a run."""

    def __init__(
        self, run: str | None, style: Callable[..., str] = lambda text, **_: text, *, quiet: bool = False,
        to: TextIO | None = None, beside: TextIO | None = None,
    ) -> None:  # fmt: skip
        """``run`` is the run's name, if it is kept; ``quiet`` prints the answer alone."""
        self._run, self._style, self._quiet = run, style, quiet
        self._to, self._beside = to or sys.stdout, beside or sys.stderr
        self._streamed = ""
        self._open_line = False

    def asked(self, question: str) -> None:
        pass

    def message(self, message: Message) -> None:
        pass

    def text(self, piece: str) -> None:
        self._streamed += piece
        if not self._quiet:
            self._beside.write(visible(piece))
            self._beside.flush()
            self._open_line = not piece.endswith("\n")

    def turn(self, spent: Spent) -> None:
        self._end_line()

    def calling(self, call: ToolCall) -> None:
        self._streamed = ""
        if call.name == ANSWER:
            return
        command = call.input.get("command")
        if call.name in SHELLS and isinstance(command, str):
            shown = f"$ {command}"
        else:
            shown = f"{call.name} {arguments_line(call.input, 80)}"
        self._line(visible(shown.rstrip()), bold=True)

    def called(self, call: ToolCall, outcome: Outcome) -> None:
        if call.name == ANSWER and not outcome.failed:
            return
        lines = unfenced(outcome.text).rstrip("\n").split("\n")
        for line in lines[:FOLDED_LINES]:
            cut = line if len(line) <= LINE_LENGTH else line[: LINE_LENGTH - 1] + "…"
            self._line("  " + one_line(cut), dim=True)
        if len(lines) > FOLDED_LINES:
            where = f", see @agent/{self._run}/transcript.md" if self._run else ""
            self._line(f"  … {len(lines) - FOLDED_LINES:,} more lines{where}", dim=True)

    def note(self, sentence: str) -> None:
        self._end_line()
        self._line(one_line(sentence), dim=True)

    def ended(self, end: End) -> None:
        self._end_line()
        if end.answer.text:
            page = answer_page(end.answer)
            if self._streamed.strip() == end.answer.text.strip() and not self._quiet and self._to.isatty():
                page = page[len(end.answer.text.strip()) :].lstrip("\n")  # the user has read the text already
            self._to.write(visible(page))
            self._to.flush()
        self._streamed = ""

    def _end_line(self) -> None:
        if self._open_line:
            self._beside.write("\n")
            self._open_line = False

    def _line(self, text: str, **style: Any) -> None:
        if not self._quiet:
            self._beside.write(self._style(text, **style) + "\n")
            self._beside.flush()


def visible(text: str) -> str:
    """A text with its lines and tabs, and every other control character as a space."""
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Zl", "Zp") else " " for char in text
    )
