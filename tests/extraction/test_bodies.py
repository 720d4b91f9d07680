"""What shows that a name is an organization's: it acts, somebody works there."""

from __future__ import annotations

import pytest

from kgfs.extraction.names.bodies import acts_as_body, is_address, is_common_head, is_role
from kgfs.extraction.names.verdict import name_verdict
from kgfs.model import Evidence


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("ABC said that it would pay.", True),
        ("ABC's chairman left.", True),
        ("ABC is headquartered in Bern.", True),
        ("She worked at ABC for years.", True),
        ("It was acquired by ABC in May.", True),
        ("The staff of ABC met.", True),
        ("ABC is measured monthly.", False),
        ("Add the ABC to the form.", False),
        ("ABC was sold by the dozen.", False),
        ("An ABC is a term.", False),
    ],
)
def test_acts(text: str, acts: bool) -> None:
    start = text.index("ABC")
    assert acts_as_body(text, start, start + 3) == acts


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Account Executives", True),
        ("Product Managers", True),
        ("Department of Justice", False),
        ("United Auto Workers", False),
        ("Mary Miller", False),
        ("Executives", False),
    ],
)
def test_roles(name: str, role: bool) -> None:
    assert is_role(name) == role


def test_names_that_may_be_anything() -> None:
    assert is_common_head("Disability Insurance") and is_common_head("Package Management Systems")
    assert is_common_head("Encryption") and not is_common_head("Lampery") and not is_common_head("Google Services")
    assert is_common_head("Product Vision") and is_common_head("Acquisition of Lamps")
    assert not is_common_head("Code of Conduct Committee") and not is_common_head("Office of Management")
    assert not is_common_head("Grace Hope") and not is_common_head("Lantern Museum")
    assert is_address("example.com") and not is_address("Example Inc.")


@pytest.mark.parametrize(
    ("said", "type_"),
    [
        ({}, "Organization"),
        # letters that may stand for anything: a figure, a role, a format
        ({"acronym": True}, None),
        ({"acronym": True, "against": {"told": 1}}, "Concept"),
        ({"acronym": True, "acts": 1}, "Organization"),
        ({"acronym": True, "shown": {"Organization": 0.8}}, "Organization"),
        ({"common_head": True, "plain": True}, "Concept"),
        ({"common_head": True, "plain": True, "acts": 2}, "Organization"),
        ({"common_head": True}, "Organization"),
        ({"common_head": True, "plain": True, "types": {"Location": 9}}, "Concept"),
        ({"common_head": True, "plain": True, "types": {"Location": 9}, "shown": {"Location": 0.8}}, "Location"),
        ({"address": True}, "Product"),
        ({"address": True, "acts": 1}, "Organization"),
    ],
)
def test_what_is_taken_for_an_organization(said: dict[str, object], type_: str | None) -> None:
    found = name_verdict(Evidence(seen=9, **{"types": {"Organization": 9}, **said}), 3)  # type: ignore[arg-type]
    assert (None if found is None else found.type) == type_
