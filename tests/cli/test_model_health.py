"""A model that cannot be used: it is not taken, and where it fails later, status and doctor say so and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgfs.config import change_settings, load_config
from tests.cli.test_commands import error_of, rows
from tests.conftest import Mounting, Program, copy_store
from tests.onnx_models import write_small_model


@pytest.fixture(scope="module")
def made(kgfs: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a document, embedded by the model in ``good``; ``other`` is another one, and ``broken`` none."""
    place = tmp_path_factory.mktemp("health")
    for name, seed in (("good", 1), ("other", 2), ("broken", 3)):
        write_small_model(place / name, seed=seed)
    (place / "broken" / "model.onnx").write_bytes(b"nothing")
    (place / "one.md").write_text("# One\n\nAcme Corp acquired Widget Inc.\n")
    kgfs("--store", place / "store", "init")
    kgfs("--store", place / "store", "reembed", "--model", place / "good")
    kgfs("--store", place / "store", "add", place / "one.md")
    return place


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return copy_store(made / "store", tmp_path / "store")


def test_config_takes_no_model_that_cannot_be_loaded(kgfs: Program, made: Path, store: Path) -> None:
    before = load_config(store)
    for wrong, why in (
        (str(made / "broken"), "cannot be loaded"),
        (str(made / "nowhere"), "no model directory"),
        ("nobody/has-this-model", "cannot be loaded"),
        ("packaged:none", "no packaged model"),
    ):
        sentence = error_of(kgfs("--store", store, "config", "embedding_model", wrong, status=1))
        assert why in sentence and "kgfs config embedding_model" in sentence
        assert load_config(store) == before
    kgfs("--store", store, "config", "embedding_model", str(made / "other"))
    assert load_config(store).embedding_model == str(made / "other")


def gone(place: Path, store: Path) -> str:
    return set_to(store, place / "nowhere")


def broken(place: Path, store: Path) -> str:
    return set_to(store, place / "broken")


def unknown(place: Path, store: Path) -> str:
    return set_to(store, "nobody/has-this-model")


def of_another(place: Path, store: Path) -> str:
    set_to(store, place / "other")
    return "kgfs reembed"


def set_to(store: Path, model: Path | str) -> str:
    """Change the setting as somebody who edits the file does; returns what the sentence has to name."""
    change_settings(store, {"embedding_model": str(model)})
    return "kgfs config embedding_model"


@pytest.mark.slow
@pytest.mark.parametrize("happen", [gone, broken, unknown, of_another])
def test_status_and_doctor_say_that_vectors_are_out_of_order(
    kgfs: Program, made: Path, store: Path, happen: Callable[[Path, Path], str]
) -> None:
    say = lambda *arguments, status=0: kgfs("--store", store, *arguments, status=status).stdout  # noqa: E731
    assert json.loads(say("--json", "status", "--check"))["vectors_problem"] == ""
    wanted = happen(made, store)
    for _ in range(2):
        found: dict[str, Any] = json.loads(say("--json", "status"))
        assert not found["healthy"] and wanted in found["vectors_problem"]
        shown = say("status")
        assert "by keyword" in shown.splitlines()[0] and wanted in shown
        assert (
            "keyword" in json.loads(kgfs("--store", store, "--json", "search", "Acme").stdout.splitlines()[-1])["mode"]
        )
    say("status", "--check", status=1)
    checks = {row["check"]: row for row in rows(kgfs("--store", store, "doctor", "--json", status=1).stdout)}
    assert checks["model"]["state"] == "bad" and wanted in checks["model"]["message"]
    set_to(store, made / "good")
    assert json.loads(say("--json", "status", "--check"))["healthy"]


@pytest.mark.mount
def test_the_same_beside_a_mount(kgfs: Program, made: Path, store: Path, mount: Mounting) -> None:
    wanted = broken(made, store)
    mount(store)
    found = json.loads(kgfs("--store", store, "--json", "status", "--check", status=1).stdout)
    assert not found["healthy"] and wanted in found["vectors_problem"]
    checks = {row["check"]: row for row in rows(kgfs("--store", store, "doctor", "--json", status=1).stdout)}
    assert checks["model"]["state"] == "bad" and wanted in checks["model"]["message"]


def test_a_model_that_breaks_later_is_noticed(kgfs: Program, made: Path, store: Path, tmp_path: Path) -> None:
    write_small_model(tmp_path / "mine", seed=1)
    set_to(store, tmp_path / "mine")
    say = lambda *arguments, status=0: kgfs("--store", store, *arguments, status=status).stdout  # noqa: E731
    say("status", "--check")
    size = (tmp_path / "mine" / "model.onnx").stat().st_size
    (tmp_path / "mine" / "model.onnx").write_bytes(b"x" * size)
    say("status", "--check", status=1)
    assert "by keyword" in say("status")
    write_small_model(tmp_path / "again", seed=1)
    (tmp_path / "again" / "model.onnx").replace(tmp_path / "mine" / "model.onnx")
    say("status", "--check")
    assert "by keyword" not in say("status")


def test_a_store_without_anything_loads_no_model_to_say_how_it_is(kgfs: Program, tmp_path: Path) -> None:
    kgfs("--store", tmp_path / "store", "init")
    kgfs("--store", tmp_path / "store", "status")
    assert not (tmp_path / "store" / "worker.log").exists()
