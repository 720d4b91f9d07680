"""Descriptions say what a thing is: no remark on it, no order to the reader, nothing of something else."""

from __future__ import annotations

import pytest

from kgfs.extraction.descriptions import fitting_description
from kgfs.extraction.remarks import is_remark
from kgfs.model import EntityCandidate


@pytest.mark.parametrize(
    ("text", "type_", "remark"),
    [
        ("Lampd is a winner here.", "Product", True),
        ("Lampd is the second component involved in the pipeline.", "Product", True),
        ("Lampd is one of the main reasons for light.", "Product", True),
        ("Lampd is a tool described in this section.", "Product", True),
        ("Lampd is a Swiss painter.", "Product", True),
        ("Lampd is a Swiss painter.", "Person", False),
        ("Lampd is a popular tool for lamps.", "Product", False),
        ("Lampd (LD) is the first tool for lamps.", "Product", False),
        ("Lampd, a tool for lamps, is old.", "Product", False),
    ],
)
def test_remarks_are_no_definitions(text: str, type_: str, remark: bool) -> None:
    assert is_remark(text, len("Lampd"), type_) == remark


@pytest.mark.parametrize(
    ("name", "type_", "sure", "given", "kept"),
    [
        ("outage", "Concept", 0.9, "Outage events.", ""),
        ("Oil Integration", "Concept", 1.0, "Navigate to Settings > Oil Integration.", ""),
        ("Lamp Foundation", "Organization", 1.0, "The Lamp Foundation", ""),
        ("Lamp Foundation", "Organization", 1.0, "The Lamp Foundation lights.", "The Lamp Foundation lights."),
        ("lamp list", "Command", 1.0, "See all lamps of lamp list.", "See all lamps of lamp list."),
        ("Oil Cans", "Concept", 1.0, "A lamp is a device that gives light.", ""),
        ("Oil Cans", "Concept", 1.0, "An oil can is a can for oil.", "An oil can is a can for oil."),
        ("Ann Lee", "Person", 1.0, "Nomination Statement: Ann has lit lamps.", "Ann has lit lamps."),
    ],
)
def test_fitting_descriptions(name: str, type_: str, sure: float, given: str, kept: str) -> None:
    entity = EntityCandidate(name=name, type=type_, description=given, confidence=sure, declared=True)
    assert fitting_description(entity) == kept
