"""Rates and times of passes that report by turns."""

from __future__ import annotations

from typing import Any

import pytest

from kgfs.service import progress_rate
from kgfs.service.progress_rate import ProgressRate


def test_passes_that_report_by_turns_have_their_own_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0
    monkeypatch.setattr(progress_rate.time, "monotonic", lambda: clock)
    seen: dict[str, dict[str, Any]] = {}
    report = ProgressRate(lambda progress: seen.update({progress["stage"]: progress}))
    for step in range(11):
        clock = float(step)
        report({"stage": "extract", "done": step, "total": 20})
        report({"stage": "embed", "done": 10 * step, "total": 200})
    assert (seen["extract"]["rate"], seen["extract"]["seconds_left"]) == (1.0, 10.0)
    assert (seen["embed"]["rate"], seen["embed"]["seconds_left"]) == (10.0, 10.0)


def test_a_pass_that_begins_again_has_a_new_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0
    monkeypatch.setattr(progress_rate.time, "monotonic", lambda: clock)
    seen: list[dict[str, Any]] = []
    report = ProgressRate(seen.append)
    for done in (1, 50, 100, 0, 1, 3):
        report({"stage": "embed", "done": done, "total": 100})
        clock += 2.0
    assert "rate" not in seen[3] and "rate" not in seen[4]
    assert seen[5]["rate"] == 1.0


def test_passes_that_go_side_by_side_say_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0
    monkeypatch.setattr(progress_rate.time, "monotonic", lambda: clock)
    seen: dict[str, dict[str, Any]] = {}
    report = ProgressRate(lambda progress: seen.update({progress["stage"]: progress}))
    for step in range(1, 12):  # one is through in 10 s, the other in 60
        clock = float(step)
        report({"stage": "extract", "done": step, "total": 71})
        report({"stage": "embed", "done": 10 * step, "total": 210})
    assert seen["extract"]["seconds_left"] == seen["embed"]["seconds_left"] == 60.0
    assert (seen["extract"]["rate"], seen["embed"]["rate"]) == (1.0, 10.0)
    # The longer one is done: what is left is that of the other, without the time that passed since it said so.
    clock = 15.0
    report({"stage": "extract", "done": 71, "total": 71})
    assert seen["extract"]["seconds_left"] == 6.0
    clock = 60.0
    report({"stage": "publish", "done": 0, "total": 1})
    assert not seen["publish"].get("seconds_left")
