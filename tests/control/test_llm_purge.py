"""What a language model says is in the tree, what it answered goes with ``rm --purge``, ``refresh`` has a budget.

By the requests of the commands, all in one process, as each start of a worker takes seconds.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import llm_reader
import pytest
from llm_server import LlmServer

from kgfs.control import answers
from kgfs.control.client import LocalSession
from kgfs.control.path_arguments import PathArgument
from kgfs.errors import NotFoundError
from kgfs.service.service import Service

pytestmark = [pytest.mark.slow]


def test_what_a_model_said_is_shown_bounded_and_erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number, name in enumerate(("Ann Lee", "Bob Roe")):
        text = f"# Note {number}\n\n{name} founded Acme{number} Works in 1999. Its robotics drove prices of tourism.\n"
        (notes / f"note{number}.md").write_text(text)
    with LlmServer(llm_reader.reply) as server, Service.open(tmp_path / "store", create=True) as service:
        session = LocalSession(service.store, partial(answers.answer, service), service.close)
        for variable, value in server.environment().items():
            monkeypatch.setenv(variable, value)
        catalog = service.database.fetch

        def call(command: str, path: Path, **arguments: Any) -> dict[str, Any]:
            place = PathArgument(text=os.fspath(path), host=os.fsencode(path)).fields()
            return session.call(command, {"places": [place], **arguments})

        def words(said: str) -> bool:
            return bool(catalog("SELECT key FROM llm_answers WHERE contains(input, ?)", [said]))

        said = session.call("add", {"paths": [os.fsencode(notes)], "extractor": "llm"})
        assert said["cost"]["stages"]["topics"]["requests"] == 1
        shown = catalog("SELECT t.definition, a.name FROM topics t JOIN topics a ON a.id = t.parent_id")
        assert ("Robotics are what people here speak of.", "economy") in shown

        (notes / "note1.md").write_text((notes / "note1.md").read_text() + "\nZed Poe founded Globex in 2001.\n")
        asked = len(server.requests)
        (warning,) = call("refresh", notes, budget=1e-6)["warnings"]
        assert "larger --budget" in warning

        assert call("rm", notes / "note0.md")["removed"] == 1
        assert words("Ann Lee") and words("Bob Roe")
        assert call("rm", notes / "note0.md", purge=True)["answers"] > 0, "removed before, by its path on disk"
        assert not words("Ann Lee") and words("Bob Roe")
        assert len(server.requests) == asked, "and nobody read on what the budget left"
        with pytest.raises(NotFoundError):
            call("rm", notes / "note0.md", purge=True)
        assert call("refresh", notes, budget=1.0)["cost"]["requests"] == len(server.requests) - asked > 0
        assert words("Globex")
