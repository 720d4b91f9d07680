"""Loader processes: a page comes through one, and what breaks it costs that page only."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from web_server import Answer, WebServer, page

from kgfs.config import Config
from kgfs.llm_records import LoadRequest
from kgfs.worker import Calls


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        server.pages["/post"] = page("A post", "Text.")
        yield server


def test_a_page_through_a_process(web: WebServer) -> None:
    calls = Calls(Path("/nowhere"), Config(max_download_bytes=100_000))
    loaders = calls.loaders

    def load(path: str, **options: Any) -> Any:
        return calls.load(LoadRequest(url=web.url(path), private=True, **options))

    found = load("/post")
    assert (found.state, found.mime_type, found.server) == ("read", "text/html", "")
    assert found.body == web.pages["/post"].body
    assert load("/none").state == "gone"
    assert "--allow-private" in calls.load(LoadRequest(url=web.url("/post"))).reason
    web.pages["/large"] = Answer(b"a" * 200_000)
    assert "max_download_bytes" in load("/large").reason
    (pid,) = loaders.idle()  # one process did all of it

    def kill(handler: Any, stop: Event) -> None:
        os.kill(pid, signal.SIGKILL)

    web.pages["/deadly"] = Answer(act=kill)
    broken = load("/deadly")
    assert broken.state == "failed" and broken.reason.startswith(f"{web.url('/deadly')} could not be loaded (")
    assert load("/post").state == "read" and loaders.idle() != [pid]
    loaders.close()
    assert loaders.idle() == []
