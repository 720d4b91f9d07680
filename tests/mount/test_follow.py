"""``tail -f`` of a search on a real mount: the hits, then each new one, and nothing that was there before."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.conftest import Mounting, Program

pytestmark = [pytest.mark.mount, pytest.mark.slow]
SECONDS = 60.0


def test_tail_follows_a_search(kgfs: Program, sample_store: Path, mount: Mounting, tmp_path: Path) -> None:
    root = mount(sample_store)
    notes = tmp_path / "notes"
    notes.mkdir()
    file = root / "chunks/@search/keyword/quokka OR wages/follow.jsonl"
    first = file.read_bytes()
    count = first.count(b"\n")
    assert count > 5
    tail = subprocess.Popen(["tail", "-n", "+1", "-f", file], stdout=subprocess.PIPE)
    lines: queue.Queue[bytes] = queue.Queue()
    assert tail.stdout is not None
    stream = tail.stdout
    reader = threading.Thread(target=lambda: [lines.put(line) for line in stream], daemon=True)
    reader.start()
    try:
        assert b"".join(lines.get(timeout=SECONDS) for _ in range(count)) == first
        for number, name in enumerate(("first", "second"), 1):
            text = f"# {name.title()}\n\nThe quokka, a quokka among quokkas, wages no war.\n"
            (notes / f"{name}.md").write_text(text)
            kgfs("--store", sample_store, "add", notes)
            hit = json.loads(lines.get(timeout=SECONDS))
            assert hit["rel"] == f"chunks/by_document/{name}/chunk_0001/content.txt"
            time.sleep(1.5)
            assert lines.empty(), "a hit that only moved is not new"
            assert file.read_bytes().count(b"\n") == count + number == len(set(file.read_bytes().splitlines()))
            assert file.stat().st_size == len(file.read_bytes())
    finally:
        tail.kill()
        tail.wait()
        reader.join(SECONDS)
        stream.close()
