"""What shows that a name is an organization's: it acts, somebody works there."""

from __future__ import annotations

from collections import Counter

import pytest

from kgfs.extraction.facts.sentences.belonging import owner_of_part
from kgfs.extraction.names.bodies import acts_as_body, is_address, is_common_head, is_role
from kgfs.extraction.names.boundaries import cleaned_spans
from kgfs.extraction.names.capitals import find_capitals
from kgfs.extraction.names.context_clues import type_clues
from kgfs.extraction.names.evidence import name_evidence, settle_votes
from kgfs.extraction.names.kinds import is_called_body, written_type
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.people.roles import is_role_of_body
from kgfs.extraction.names.verdict import name_verdict
from kgfs.extraction.names.wording import Wording
from kgfs.extraction.units import document_units
from kgfs.model import Evidence
from tests.extraction.read_texts import parsed, read


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
    ("name", "owners"),
    [
        ("ABC Security Office", ["ABC Security", "ABC"]),
        ("ABC's Office of Ethics", ["ABC"]),
        ("Tarn University Press", ["Tarn University", "Tarn"]),
        ("Tarn University School of Law", ["Tarn University", "Tarn"]),
        ("ABC Foundation", []),
        ("Security Committee of our Board", []),
        ("ABC and Tarn Office", []),
        ("Office", []),
    ],
)
def test_whose_part_a_name_says_that_it_is(name: str, owners: list[str]) -> None:
    assert list(owner_of_part(name)) == owners


def test_a_part_is_one_of_an_organization_that_is_known() -> None:
    found = read(
        "# ABC\n\nABC is an agency that keeps lamps.\n\n## Who\n\n"
        "The ABC Security Office answers. The Tarn Security Office does not.\n"
    )
    names = [entity.name for entity in found.entities]
    parts = [(names[fact.subject], names[fact.object or 0]) for fact in found.facts if fact.type == "PART_OF"]
    assert parts == [("ABC Security Office", "ABC")]


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


@pytest.mark.parametrize(
    ("name", "tags", "post"),
    [
        ("Lamplighter-in-Residence", "Organization", True),
        ("Deputy Lamplighter-in-Residence", "Organization", True),
        ("Lamplighters in Residence", "Organization", True),
        ("Head of Lamps", "Organization", True),
        ("LSC-Delegate", "Organization", True),
        ("LSC-Delegates", "Organization", True),
        ("LSC Chair", "Organization", True),
        ("Lamp Residence", "Organization", False),
        ("Lamp Council", "Organization", False),
        ("Ann Lind", "Person", False),
    ],
)
def test_posts_are_no_bodies(name: str, tags: str, post: bool) -> None:
    assert is_role_of_body(NameFindings(name, tags=Counter({tags: 2})), frozenset()) == post


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("Lamp Foundation Board of Directors", True),
        ("Board of Trustees", True),
        ("Steering Council", True),
        ("Directors", False),
        ("Lamp Directors", False),
    ],
)
def test_what_bodies_are_called(name: str, body: bool) -> None:
    assert is_called_body(name) == body


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("Code of Conduct", "Policy"),
        ("Lamp Code of Conduct", "Policy"),
        ("Code of Conduct Working Group", ""),
        ("Lamp Code of Conduct Workgroup", ""),
        ("Lamp Specification", "Technology"),
        ("Lamp and Oil Project Proposals", "Document"),
    ],
)
def test_what_is_written(name: str, type_: str) -> None:
    assert written_type(name) == type_


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ask the Code of Conduct Working Group about it.", "Code of Conduct Working Group"),
        ("Ask the Code of Lamps Working Group about it.", "Lamps Working Group"),
    ],
)
def test_capitals_that_of_joins(text: str, found: str) -> None:
    assert found in {candidate.text for candidate in find_capitals(text)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("General Longstreet rode on.", ["Longstreet"]),
        ("General Motors rode on.", ["General Motors"]),
        ("Appointed Lamp Council members.", ["Lamp Council"]),
        ("Completed first Lamp Council meeting.", ["Lamp Council"]),
        ("Associated Lamp Makers met.", ["Associated Lamp Makers"]),
        ("Supreme Court of the State", []),
        ("The Oaks is Lamp Church", []),
    ],
)
def test_where_the_name_of_a_body_begins(text: str, names: list[str]) -> None:
    end = next((text.index(word) for word in (" rode", " members", " meeting", " met.") if word in text), len(text))
    assert [text[one.start : one.end] for one in cleaned_spans(text, 0, end, "Organization")] == names


@pytest.mark.parametrize(
    ("text", "name", "type_", "shown"),
    [
        ("We met Ann Day there.", "Ann Day", "Person", True),
        ("We met on Lamp Day there.", "Lamp Day", "Event", True),
        ("Her keynote at EuroLamp was long.", "EuroLamp", "Event", True),
        ("How EuroLamp sprints went.", "EuroLamp", "Event", True),
        ("Report on EuroLamp 2024.", "EuroLamp", "Event", True),
        ("We looked at EuroLamp again.", "EuroLamp", "Event", False),
        ('He was the editor of the "Courier" then.', "Courier", "Work", True),
        ('The "Courier" staff was small.', "Courier", "Work", True),
        ('He wrote for the Boston "Courier" then.', "Courier", "Work", True),
        ("The Lampad protocol is old.", "Lampad", "Technology", True),
        ("The Lampad is old.", "Lampad", "Technology", False),
    ],
)
def test_what_stands_beside_a_name(text: str, name: str, type_: str, shown: bool) -> None:
    start = text.index(name)
    assert (type_ in {found for found, _ in type_clues(text, start, start + len(name), "Organization")}) == shown


@pytest.mark.parametrize(
    ("documents", "said", "type_"),
    [
        (1, {"single": True}, None),  # of one word only the tagger says that it is a body's name
        (1, {"single": True, "acts": 1}, "Organization"),
        (1, {"single": True, "clues": {"Organization": 2}}, "Organization"),
        (1, {"single": True, "acronym": True, "acts": 1}, "Organization"),
        (3, {"single": True}, "Organization"),
        (1, {}, "Organization"),
        # what is held, and what may be anything
        (3, {"single": True, "against": {"beside": 1}, "clues": {"Event": 4}}, "Event"),
        (3, {"single": True, "against": {"beside": 1}}, "Product"),
    ],
)
def test_one_word_as_the_name_of_a_body(documents: int, said: dict[str, object], type_: str | None) -> None:
    found = name_verdict(Evidence(seen=9, types={"Organization": 9}, **said), documents)  # type: ignore[arg-type]
    assert (found.type if found else None) == type_


def test_a_book_with_a_dash_or_two_has_no_code() -> None:
    verse = "The lamps were lit.\n\n" * 3 + "    to-day--The lamp\n    it--Man and oil\n"
    assert "today--The" not in Wording(document_units(parsed(verse))).code
    book = "The lamps were lit by her.\n\n" * 600 + "    to-day\n"
    assert not Wording(document_units(parsed(book))).code


@pytest.mark.parametrize("name", ["Confederate", "Royalists"])
def test_those_of_a_side_are_no_body(name: str) -> None:
    named = NameFindings(name, tags=Counter(Organization=9), count=9, acts=2)
    settle_votes(named, Wording())
    assert name_verdict(name_evidence(named, Wording())) is None


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
        # "a Trusted Reseller", "each Trusted Reseller": several are called so
        ({"plain": True, "shown": {"Organization": 0.8}, "against": {"noun": 3}}, "Concept"),
        ({"plain": True, "shown": {"Organization": 0.8}, "against": {"noun": 1}}, "Organization"),
        ({"plain": True, "shown": {"Organization": 0.8}, "against": {"noun": 3}, "acts": 4}, "Organization"),
        # "Lamp Tagger": all take it for software, though no words around it say so
        ({"plain": True, "types": {"Product": 8}}, "Product"),
        ({"plain": True, "types": {"Product": 8}, "common_head": True}, "Concept"),
        ({"plain": True, "types": {"Product": 8, "Work": 2}}, "Concept"),
        ({"plain": True, "types": {"Product": 4}}, "Concept"),
    ],
)
def test_what_is_taken_for_an_organization(said: dict[str, object], type_: str | None) -> None:
    found = name_verdict(Evidence(seen=9, **{"types": {"Organization": 9}, **said}), 3)  # type: ignore[arg-type]
    assert (None if found is None else found.type) == type_


def test_special_interest_groups_are_bodies() -> None:
    text = "SIG Testing removed the list. SIG Testing meets weekly. WG Security needs help, and WG Security decides.\n"
    types = {entity.name: entity.type for entity in read(text * 2).entities}
    assert {types.get("SIG Testing"), types.get("WG Security")} == {"Organization"}
