"""``kgfs find`` with predicates: what ``@find`` lists, with a mount and without one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conftest import Mounting, Program

CASES = (
    ("entities", "type=Organization", "min_facts=5"),
    ("chunks", "mentions=Boston", "date=2019-10"),
    (".", "relationship=ACQUIRED", "type=fact"),
    ("entities/organizations/Alphabet_Inc", "topic=acquisitions"),
    ("topics", "has_subtopics=true"),
    (".", "name=no such/thing"),
)


@pytest.mark.mount
@pytest.mark.slow
def test_the_same_with_and_without_a_mount(kgfs: Program, sample_store: Path, mount: Mounting) -> None:
    without = [kgfs("--store", sample_store, "find", *case).stdout for case in CASES]
    assert [bool(each) for each in without] == [True, True, True, True, True, False]
    root = mount(sample_store)
    for case, expected in zip(CASES, without, strict=True):
        place, *predicates = case
        assert kgfs("--store", sample_store, "find", *case).stdout == expected
        # The first predicate may stand for PATH. What is printed leads there from where one stands.
        named = kgfs("find", *predicates, cwd=root / place).stdout.splitlines()
        there = [os.path.relpath(os.path.join(root, place, each), root) for each in named]
        assert there == expected.splitlines()
        question = "/".join(each.replace("/", "%2F") for each in predicates)
        shown = (root / place / "@find" / question / "_paths.txt").read_text()
        assert sorted(shown.splitlines()) == sorted(expected.splitlines())


def test_filters_and_faults(kgfs: Program, sample_store: Path) -> None:
    store = ("--store", sample_store)
    lines = kgfs(*store, "--json", "find", "entities", "type=Organization", "-name", "D*", "-type", "d").stdout
    found = [json.loads(line) for line in lines.splitlines()]
    assert {each["path"] for each in found} >= {"entities/organizations/DeepMind"}
    assert all(each["kind"] == "directory" and each["path"].split("/")[-1].startswith("D") for each in found)
    assert "no predicate" in kgfs(*store, "find", "entities", "colour=red", status=2).stderr
    assert "no entity" in kgfs(*store, "find", "entities", "mentions=Nobody at All", status=2).stderr
