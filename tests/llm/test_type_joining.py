"""Types that a model proposed are joined with those that mean the same, and nothing else comes of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_reader import talk

from kgfs.llm.type_joining import AT_ONCE, join_types
from kgfs.llm_records import LlmAnswer, LlmRequest
from kgfs.store.llm.type_verdicts import ProposedType, TypeVerdict

ASKED = [
    ProposedType("SELLS_TO", "Organization", "Organization", 3),
    ProposedType("BOUGHT_FROM", "Organization", "Organization", 1),
    ProposedType("SOLD_TO", "Organization", "Organization", 1),
    ProposedType("OPENED", "Organization", "", 2),
]


def judged(records: Any, asked: list[ProposedType] | None = None) -> list[TypeVerdict]:
    return talk(join_types(asked or ASKED, ["LEASES"], "m"), lambda request: {"types": records})


def test_a_type_is_what_it_is_said_to_be_and_chains_end() -> None:
    found = judged(
        [
            {"type": 1, "same_as": "PROVIDES"},
            {"type": 2, "same_as": "SOLD_TO", "turned": True},
            {"type": 3, "same_as": "SELLS_TO"},
            {"type": 4, "same_as": "LAUNCHED", "turned": True},
        ]
    )
    assert found == [
        TypeVerdict("SELLS_TO", "PROVIDES", False),
        TypeVerdict("BOUGHT_FROM", "PROVIDES", True),
        TypeVerdict("SOLD_TO", "PROVIDES", False),
        TypeVerdict("OPENED", "OPENED", False),  # a value is nobody's subject
    ]


@pytest.mark.parametrize(
    "records",
    [None, "x", [], [7], [{"type": 1}], [{"type": 9, "same_as": "OWNS"}], [{"type": 1, "same_as": "NOBODYS_TYPE"}],
     [{"type": True, "same_as": "OWNS"}], [{"type": 1, "same_as": ["OWNS"]}],
     [{"type": 1, "same_as": "SOLD_TO"}, {"type": 3, "same_as": "SELLS_TO"}]],
)  # fmt: skip
def test_what_cannot_be_used_joins_nothing(records: Any) -> None:
    assert judged(records) == [TypeVerdict(one.name, one.name, False) for one in ASKED]


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from([one.name for one in ASKED] + ["OWNS"]), st.booleans())))
def test_any_answer_comes_to_types_that_stay(records: list[tuple[int, str, bool]]) -> None:
    found = judged([{"type": number, "same_as": name, "turned": turned} for number, name, turned in records])
    targets = {one.name: one.target for one in found}
    assert list(targets) == [one.name for one in ASKED]
    assert all(targets.get(target, target) == target for target in targets.values())


def test_a_model_that_fails_leaves_them_for_the_next_time() -> None:
    many = [ProposedType(f"TYPE_{number:03d}", "Person", "", 1) for number in range(AT_ONCE + 5)]
    asked: list[LlmRequest] = []

    def model(request: LlmRequest) -> LlmAnswer | dict[str, Any]:
        asked.append(request)
        return LlmAnswer(error="overloaded") if len(asked) == 1 else {"types": [{"type": 1, "same_as": "TYPE_061"}]}

    found = talk(join_types(many, [], "m"), model)
    assert len(asked) == 2 and [one.name for one in found] == [one.name for one in many[AT_ONCE:]]
    assert found[0].target == "TYPE_061"
    assert '"LEASES"' not in asked[0].content and '"ACQUIRED"' in asked[0].content
