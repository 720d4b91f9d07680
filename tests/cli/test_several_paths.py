"""Commands that take several PATHs, as ``ls``, ``cat`` and ``grep`` do: order, headings, and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Program, copy_store


@pytest.fixture(scope="module")
def store(pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_store(pristine_sample_store, tmp_path_factory.mktemp("several") / "store")


def test_ls_shows_files_first_then_directories_under_their_names(kgfs: Program, store: Path) -> None:
    def ls(*paths: str) -> str:
        return kgfs("--store", store, "ls", *paths).stdout

    people, topics = ls("entities/people"), ls("topics")
    assert ls("topics", "AGENTS.md", "entities/people") == (
        f"AGENTS.md\n\ntopics:\n{topics}\nentities/people:\n{people}"
    )
    items = kgfs("--store", store, "--json", "ls", "AGENTS.md", "topics", "entities/people").stdout.splitlines()
    of = [json.loads(item).get("directory") for item in items]
    assert of == [None] + ["topics"] * topics.count("\n") + ["entities/people"] * people.count("\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["cat", "AGENTS.md", "entities/_counts.tsv"],
        ["stat", "AGENTS.md", "topics"],
        ["find", "topics", "documents/deepmind"],
        ["grep", "-n", "DeepMind", "documents/deepmind", "AGENTS.md"],
    ],
    ids=lambda command: command[0],
)
def test_several_are_one_after_the_other(kgfs: Program, store: Path, command: list[str]) -> None:
    *command, first, second = command
    for shared in ([], ["--json"]):
        arguments = ["--store", str(store), *shared, *command]
        apart = kgfs(*arguments, first).stdout + kgfs(*arguments, second).stdout
        assert kgfs(*arguments, first, second).stdout == apart != ""


def test_tree_counts_all_of_them(kgfs: Program, store: Path) -> None:
    def tree(*paths: str) -> list[str]:
        return kgfs("--store", store, "tree", "-L", "1", *paths).stdout.splitlines()

    documents, topics = tree("documents/deepmind"), tree("topics")
    together = tree("documents/deepmind", "topics")
    assert together[:-2] == documents[:-2] + topics[:-2]
    count = [sum(int(line[-1].split()[at]) for line in (documents, topics)) for at in (0, 2, 4)]
    assert [int(together[-1].split()[at]) for at in (0, 2, 4)] == count
    items = kgfs("--store", store, "--json", "tree", "-L", "1", "topics", "documents/deepmind").stdout.splitlines()
    assert {json.loads(item)["directory"] for item in items} == {"topics", "documents/deepmind"}


def test_find_takes_paths_then_predicates(kgfs: Program, store: Path) -> None:
    organizations = kgfs("--store", store, "find", "entities/organizations", "min_facts=5").stdout
    people = kgfs("--store", store, "find", "entities/people", "min_facts=5").stdout
    both = kgfs("--store", store, "find", "entities/organizations", "entities/people", "min_facts=5").stdout
    assert both == organizations + people and organizations and people


@pytest.mark.slow
@pytest.mark.parametrize("command", [["ls"], ["cat"], ["stat"], ["find"], ["tree"], ["grep", "a"]])
def test_what_fails_of_one_leaves_the_others(kgfs: Program, store: Path, command: list[str]) -> None:
    arguments = ["--store", str(store), *command]
    alone = kgfs(*arguments, "AGENTS.md").stdout
    done = kgfs(*arguments, "nobody", "AGENTS.md", "topics/nothing", status=5)
    assert done.stdout == alone
    assert [line.split(":")[1] for line in done.stderr.splitlines()] == [" nobody", " topics/nothing"]
    assert kgfs(*arguments, "nobody", "topics/nothing", status=3).stdout == ""
    errors = kgfs(*arguments, "--json", "nobody", "AGENTS.md", status=5).stderr.splitlines()
    assert [json.loads(line)["error"]["kind"] for line in errors] == ["not_found"]


def test_a_bad_pattern_is_said_once(kgfs: Program, store: Path) -> None:
    done = kgfs("--store", store, "grep", "(", "AGENTS.md", "documents", status=2)
    assert done.stderr.count("\n") == 1 and "refuses the pattern" in done.stderr


def test_init_says_where_and_how_to_have_one_here(kgfs: Program, tmp_path: Path) -> None:
    """As ``git init`` is meant, ``kgfs init .``; what made it elsewhere says so."""
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    here = tmp_path / "project"
    here.mkdir()
    made = kgfs("init", cwd=here, env=home).stdout
    assert "~/data/kgfs" in made and "`kgfs init .` makes one in this directory" in made
    assert "`kgfs init .` makes one" in kgfs("init", cwd=here, env=home, status=4).stderr
    made = kgfs("init", ".", cwd=here, env=home).stdout
    assert made == "Made the store ~/project/.kgfs. Next: kgfs add PATH\n"
    assert (here / ".kgfs").is_dir()
    assert "kgfs init ." not in kgfs("init", cwd=here, env=home, status=4).stderr
