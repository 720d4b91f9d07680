"""*Did you mean*: every command says which name near the one that nobody knows there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.nearest import did_you_mean, nearest
from tests.conftest import Program, copy_store

KNOWN = ["Alphabet_Inc", "DeepMind", "Demis_Hassabis", "labor_markets", "entities", "documents"]


@pytest.fixture(scope="module")
def store(pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_store(pristine_sample_store, tmp_path_factory.mktemp("meant") / "store")


@given(st.sampled_from(KNOWN), st.integers(0, 30), st.characters())
def test_a_name_with_one_wrong_letter_is_found(name: str, at: int, wrong: str) -> None:
    at %= len(name)
    assert name in nearest(name[:at] + wrong + name[at + 1 :], KNOWN)
    assert name in nearest(name[:at] + name[at + 1 :], KNOWN)
    assert nearest(name.upper().replace("_", " "), KNOWN)[0] == name


@given(st.text(max_size=300), st.lists(st.text(max_size=40), max_size=20))
def test_any_names_will_do(word: str, known: list[str]) -> None:
    found = nearest(word, known)
    assert len(found) <= 3 and set(found) <= set(known)


def test_the_sentence() -> None:
    assert did_you_mean("alpha", KNOWN) == "did you mean Alphabet_Inc?"
    assert did_you_mean("x1", ["x2", "x3", "x4", "x5"]) == "" == did_you_mean("qqq", KNOWN)
    assert did_you_mean("name1", ["name2", "name3", "name4"]) == "did you mean name4, name3 or name2?"
    assert did_you_mean("zzz", KNOWN, "look.") == "look."


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (["srch", "x"], "did you mean search?"),
        (["entity", "shw", "x"], "did you mean show?"),
        (["mount", "--read-onl", "x"], "did you mean --read-only?"),
        (["ls", "entites"], "did you mean entities?"),
        (["ls", "/kg/entites/people"], "did you mean /kg/entities/people?"),
        (["cat", "entities/people/Demis_Hasabis/summary.txt"], "mean entities/people/Demis_Hassabis/summary.txt?"),
        (["stat", "DeepMnd"], "did you mean entities/by_name/DeepMind?"),
        (["cat", "@serch/text/wages"], "did you mean @search/text/wages?"),
        (["grep", "x", "docments"], "did you mean documents?"),
        (["tree", "zzzzzz"], "`kgfs search` finds things"),
        (["find", "typ=Organization"], "did you mean type?"),
        (["find", "mentions=DeepMnd"], "did you mean DeepMind?"),
        (["entity", "show", "DepMind"], "did you mean DeepMind?"),
        (["config", "embeding_model"], "did you mean embedding_model?"),
        (["sql", "select * from entitys"], "did you mean entities"),
        (["session", "diff", "nothing"], "`kgfs session list`"),
    ],
    ids=lambda value: " ".join(value)[:20] if isinstance(value, list) else "",
)  # fmt: skip
def test_commands_say_what_may_have_been_meant(kgfs: Program, store: Path, command: list[str], meant: str) -> None:
    done = kgfs("--store", store, *command, status=None)
    assert done.returncode in (2, 3) and meant in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 and done.stdout == ""
