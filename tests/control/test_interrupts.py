"""Ctrl-C while a store is worked on in this process: it counts even where the work is as good as done."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kgfs.cli.sources import watch
from kgfs.control import frames
from kgfs.control.client import LocalSession
from kgfs.sources.watching import EventBurst


def interrupted_at_the_end(request: frames.Request, reply: frames.Reply) -> dict[str, Any]:
    """Work behind whose last safe point Ctrl-C comes."""
    os.kill(os.getpid(), signal.SIGINT)
    return {"sources": [{"name": "notes"}], "asked": request.command}


def plain(request: frames.Request, reply: frames.Reply) -> dict[str, Any]:
    return {"sources": [{"name": "notes"}], "asked": request.command}


def test_a_call_that_ended_all_the_same_says_that_it_was_interrupted(light_store: Path) -> None:
    session = LocalSession(light_store, interrupted_at_the_end, lambda: None)
    assert session.call("refresh", {})["asked"] == "refresh"
    assert session.interrupted
    quiet = LocalSession(light_store, plain, lambda: None)
    assert quiet.call("refresh", {})["asked"] == "refresh"
    assert not quiet.interrupted
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_watch_ends_when_it_was_interrupted_in_the_last_moment(
    light_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    handlers = [plain, interrupted_at_the_end]

    @contextmanager
    def opened(store: Path) -> Iterator[LocalSession]:
        yield LocalSession(store, handlers.pop(0), lambda: None)

    monkeypatch.setattr(watch, "open_session", opened)
    monkeypatch.setattr(watch._Follower, "_say", lambda self, result, everything: told.append(result))
    invocation: Any = SimpleNamespace(note=told.append)
    follower = watch._Follower(invocation, light_store, tmp_path, None)
    assert follower._refresh(EventBurst(everything=True))
    with pytest.raises(KeyboardInterrupt):
        follower._refresh(EventBurst(everything=True))
    assert len(told) == 2, "what was taken in is said all the same"
