"""The table of relation types: one name for one relation, and ends that fit."""

from __future__ import annotations

import re

import pytest

from kgfs.relation_types import ANY, RELATION_TYPES, VERBS, canonical_type, inverse, may_join


def test_every_row_says_one_thing() -> None:
    inverses = [row.inverse for row in RELATION_TYPES.values() if row.inverse != row.name]
    assert len(inverses) == len(set(inverses)) and not set(inverses) & set(RELATION_TYPES)
    stated = [verb for row in RELATION_TYPES.values() for verb in row.verbs]
    assert len(stated) == len(VERBS), "no verb states two types"
    for row in RELATION_TYPES.values():
        assert re.fullmatch("[A-Z_]+", row.name) and re.fullmatch("[A-Z_]+", row.inverse)
        assert set(row.subject) <= set(ANY) and set(row.object) <= set(ANY) and row.subject and row.object


@pytest.mark.parametrize(
    ("name", "type_", "turned"),
    [
        ("REQUIRES", "REQUIRES", False),
        ("DEPENDS_ON", "REQUIRES", False),
        ("IS_PART_OF", "PART_OF", False),
        ("REQUIRED_BY", "REQUIRES", True),
        ("WAS_DIRECTED_BY", "DIRECTED", True),
        ("SEQUEL_TO", "FOLLOWED_BY", True),
        ("STEPPED_DOWN_FROM", "STEPPED_DOWN_FROM", False),
    ],
)
def test_a_name_is_one_of_the_table(name: str, type_: str, turned: bool) -> None:
    assert canonical_type(name) == (type_, turned)
    assert inverse(type_) != type_ or type_ not in RELATION_TYPES


def test_ends_fit_by_type() -> None:
    assert may_join("DIRECTED", "Person", "Work") and not may_join("DIRECTED", "Work", "Person")
    assert may_join("REQUIRES", "Cmdlet", "Technology"), "a type that a vault made for itself is a thing"
    assert not may_join("REQUIRES", "Product", "Person")
    assert not may_join("CAPITAL_OF", "Person", "Country")
    assert may_join("STEPPED_DOWN_FROM", "Person", "Person")
