"""``kgfs add --on``: two nodes make the graph that one machine makes, also when one dies; and what is refused."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.ray_nodes import Cluster, free_port
from tests.conftest import SAMPLES, Program

pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

TIMES = {"added_at", "refreshed_at", "updated_at", "created_at", "changed_at", "indexed_at", "source_read_ns"}
"""When a row was made, by the clock: what two runs on one machine differ in, too."""
DIGEST = ("end", "digest")
DOCUMENTS = 30
"""Of the sample."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster() as started:
        yield started


@pytest.fixture(scope="module")
def alone(kgfs: Program, pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The rows that one machine makes."""
    return rows(kgfs, Path(shutil.copytree(pristine_sample_store, tmp_path_factory.mktemp("alone") / "store")))


def rows(kgfs: Program, store: Path) -> list[Any]:
    """The lines of a store's export, without their times and the digest over them."""
    bundle = store.with_suffix(".bundle")
    kgfs("--store", store, "export", bundle)
    found = []
    for line in bundle.read_bytes().splitlines():
        ((table, row),) = json.loads(line).items()
        kept = row.items() if isinstance(row, dict) else ()
        found.append((table, {name: value for name, value in kept if name not in TIMES and (table, name) != DIGEST}))
    return found


def left_behind(program: str) -> list[str]:
    """The processes of a program that run."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\0")
        except OSError:
            continue
        if words and os.path.basename(words[0]) == program.encode():
            found.append(str(place))
    return found


def test_two_nodes_make_the_graph_that_one_machine_makes(
    kgfs: Program, cluster: Cluster, alone: list[Any], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    done = kgfs(
        "--store", store, "--json", "add", SAMPLES, "--on", cluster.address, env=cluster.environment, timeout=600
    )
    used = json.loads(done.stdout.splitlines()[-1])["cluster"]
    assert used["nodes"] == 2 and used["processors"] == 2
    assert len(used["done"]) == 2 and min(used["done"].values()) > 0
    assert sum(used["done"].values()) > DOCUMENTS  # each is parsed; small ones are extracted together
    assert len(alone) > 1000
    assert rows(kgfs, store) == alone


def test_a_node_that_dies_loses_nothing(kgfs: Program, cluster: Cluster, alone: list[Any], tmp_path: Path) -> None:
    store = tmp_path / "store"
    running = kgfs.start(
        "--store", store, "--json", "add", SAMPLES, "--on", cluster.client_address,
        env={**os.environ, **cluster.environment},
    )  # fmt: skip
    killed, last = False, ""
    with running:
        assert running.stdout is not None and running.stderr is not None
        for line in running.stdout:
            last = line
            if not killed and json.loads(line).get("progress", {}).get("stage") == "extract":
                cluster.kill_last_node()
                killed = True
        said = running.stderr.read()
    assert running.returncode == 0, said
    cluster.add_node()
    result = json.loads(last)
    assert killed and result["failed"] == [] and result["warnings"] == []
    assert len(result["cluster"]["done"]) == 2  # both had done something
    assert rows(kgfs, store) == alone


def test_refresh_and_an_error_of_a_document(kgfs: Program, cluster: Cluster, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "good.md").write_text("# Ann Miller\n\nAnn Miller works for Acme Corporation.\n")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 is no archive")
    here, there = tmp_path / "here", tmp_path / "there"
    results = []
    for store, on in ((here, ()), (there, ("--on", cluster.address))):
        done = kgfs("--store", store, "--json", "add", folder, *on, status=None, env=cluster.environment, timeout=300)
        results.append(json.loads(done.stdout.splitlines()[-1]))
    assert results[0]["failed"] and results[1]["failed"] == results[0]["failed"]
    (folder / "good.md").write_text("# Ann Miller\n\nAnn Miller works for Umbrella Corporation.\n")
    done = kgfs("--store", there, "--json", "refresh", "--all", "--on", cluster.address, status=None,
                env=cluster.environment, timeout=300)  # fmt: skip
    refreshed = json.loads(done.stdout.splitlines()[-1])
    assert sum(refreshed["cluster"]["done"].values()) >= 1
    assert "Umbrella" in kgfs("--store", there, "cat", "documents/good/text.txt").stdout


def test_a_cluster_that_is_started_for_the_command_ends_with_it(kgfs: Program, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# A note\n\nMary Jones founded Acme Corporation in 1999.\n")
    before = left_behind("raylet")
    done = kgfs("--store", tmp_path / "store", "add", tmp_path / "note.md", "--on", "ray", timeout=300)
    assert "on Ray, 1 node with" in done.stderr
    assert sorted(left_behind("raylet")) == sorted(before)


def test_nobody_without_the_token_is_let_in(cluster: Cluster, kgfs: Program, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("words")
    done = kgfs(
        "--store", tmp_path / "store", "add", tmp_path / "note.md", "--on", cluster.address,
        status=1, env={"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}, timeout=300,
    )  # fmt: skip
    assert f"The Ray cluster {cluster.address} cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_that_is_not_there(kgfs: Program, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("words")
    port = free_port()
    for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}"):
        done = kgfs("--store", tmp_path / "store", "add", tmp_path / "note.md", "--on", address, status=1)
        assert f"The Ray cluster {address} cannot be reached (Connection refused); is it running" in done.stderr
