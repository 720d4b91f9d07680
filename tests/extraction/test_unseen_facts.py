"""Facts that strangers' folders showed to be none on 2026-11-28: their words are said of something else, or of nobody."""

# A case is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.guides.contacts import contacts_in, named_subject
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.meeting_notes.action_items import read_task, task_name
from kgfs.extraction.facts.meeting_notes.attendees import read_entry
from kgfs.extraction.facts.sentences.descriptions_of import described, languages_of
from kgfs.extraction.facts.sentences.nationality import find_nationalities
from kgfs.extraction.facts.structured.roster_titles import roster_title
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from tests.extraction.read_texts import read

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="these sentences are read where spaCy is installed")
KINDS = "Lampd is a server that lights lamps. Tarn is a server that keeps oil."


def facts(text: str, path: str = "page.md") -> set[str]:
    """The facts of a text as *subject TYPE object*."""
    document = parse_document(text.encode(), path, mtime_ns=0)
    document = replace(document, path=path)
    found = extract(document, make_gazetteer([stated_names(document)]))
    names = [entity.name for entity in found.entities]
    return {
        f"{names[one.subject]} {one.type} {one.object_text if one.object is None else names[one.object]}"
        for one in found.facts
    }


def masked(text: str) -> str:
    """A text in which ``A`` to ``F`` are names."""
    return re.sub(r"\b[A-F]\b", lambda found: f"{OPEN}{ord(found[0]) - 65}{CLOSE}", text)


@tagged
@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("[Lampd](https://github.com/acme/lampd) by Dana Poe is a server that lights lamps.", True),
        ("# News\n\n**June 2024**: The year of [Lampd](https://github.com/acme/lampd) by Dana Poe.", False),
        ("**June 5, 2024**: [Lampd](https://github.com/acme/lampd) by Dana Poe and the Wick readout", False),
        ("# Talks\n\n[Lampd](https://github.com/acme/lampd) by Dana Poe.", False),
    ],
)
def test_who_speaks_of_a_thing_made_it_not(text: str, made: bool) -> None:
    assert ("Dana Poe CREATED Lampd" in facts(f"{text}\n\n{KINDS}\n")) == made


@tagged
@pytest.mark.parametrize(
    ("text", "fact", "stated"),
    [
        ("Lampd uses Redis.", "Lampd USES Redis", True),
        ("Lampd can use Redis to keep its wicks.", "Lampd USES Redis", False),
        ("Lampd can read from Redis.", "Lampd READS_FROM Redis", True),
        ("The Lampd repo is hosted on GitHub.", "GitHub HOSTS Lampd", True),
        ("The Lampd repo is hosted on GitHub.", "Lampd RUNS_ON GitHub", False),
        ("Lampd is hosted on Kubernetes.", "Lampd RUNS_ON Kubernetes", True),
        ("Lampd is the successor of Wickd, a lamp server that uses Redis.", "Lampd USES Redis", False),
        ("See the command line Lampd passes to Tarn.", "Lampd PASSES_TO Tarn", False),
    ],
)
def test_what_is_said_of_software(text: str, fact: str, stated: bool) -> None:
    assert (fact in facts(f"{KINDS} Wickd is a server that lit lamps. {text}\n")) == stated


@tagged
@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Anna Berg (Microsoft) and Dennis Clark (Google) joined.", True),
        ("Anna Berg (ex-Microsoft) and Dennis Clark (Google) joined.", False),
        ("Anna Berg (Lamp TOC) and Dennis Clark (Google) joined.", False),
    ],
)
def test_a_bracket_that_is_no_employer(text: str, stated: bool) -> None:
    assert any(one.startswith("Anna Berg WORKS_FOR") for one in facts(f"{text}\n")) == stated


@tagged
def test_a_place_that_begins_the_next_name() -> None:
    assert "Conduct LOCATED_IN Ohio" not in facts(
        "It follows the Lamp Code of Conduct, Ohio Wickfest policy, and others."
    )
    assert "Springfield LOCATED_IN Ohio" in facts("The lamps are made in Springfield, Ohio and sold there.")


@tagged
def test_somebody_born_in_a_country() -> None:
    found = facts("Dana Poe is a Swedish-born engineer at Acme.")
    assert "Dana Poe CITIZEN_OF Sweden" not in found
    assert "Dana Poe CITIZEN_OF Sweden" in facts("Dana Poe is a Swedish engineer at Acme.")


@tagged
def test_an_order_is_advice() -> None:
    assert "Migrations USES SQL" not in facts(
        "# Migrations\n\nMigrations are changes of a store.\n\nUse SQL for them.\n"
    )


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("Lamp Guide - Wicks: Dana Poe (@dpoe)", ""),
        ("Dana Poe (@dpoe) - Acme", "Dana Poe"),
        ("DP: Dana Poe (@dpoe)", "Dana Poe"),
    ],
)
def test_an_entry_behind_a_label(name: str, whole: str) -> None:
    found = read_entry(name)
    assert (found.name if found is not None else "") == whole


def test_panelists_are_no_members() -> None:
    assert roster_title("Panelists") is None
    assert roster_title("Reviewers") is not None


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Dana Poe will write the report", "write the report"),
        ("Dana Poe will not be at next week's meeting", None),
        ("Dana Poe will be away for two weeks", None),
    ],
)
def test_what_is_no_task(text: str, task: str | None) -> None:
    found = read_task(text, labelled=True)
    assert (found.text if found is not None else None) == task


def test_a_task_whose_end_is_an_address() -> None:
    assert task_name("ask the harbour regarding <https://acme.com/1>") == ""
    assert task_name("read https://acme.com/1 and report") == "read and report"


@tagged
@pytest.mark.parametrize(
    ("path", "text", "meeting"),
    [
        ("lamps/2012/2012-02-22.md", "## Attendees\n\n- Anna Berg\n- Dennis Clark\n\n## agenda for the April 6 Summit\n", "lamps meeting 2012-02-22"),
        ("lamps/2012/2012-02-22.md", "1\\) News from the harbour call\n\n## Attendees\n\n- Anna Berg\n- Dennis Clark\n", "lamps meeting 2012-02-22"),
        ("lamps/2012/2012-02-22.md", "### Harbour Lamp call\n\n## Attendees\n\n- Anna Berg\n- Dennis Clark\n", "Harbour Lamp call 2012-02-22"),
    ],
)  # fmt: skip
def test_a_meeting_is_not_called_after_its_agenda(path: str, text: str, meeting: str) -> None:
    assert f"Anna Berg PARTICIPATED_IN {meeting}" in facts(text, path)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("If you find an issue with Lampd that is a risk, contact security@lampd.org.", "Lampd"),
        ("If you have an issue with this page, contact us.", ""),
    ],
)
def test_what_faults_are_reported_of(text: str, name: str) -> None:
    assert named_subject(text) == name


def test_an_address_that_is_spoiled_is_none() -> None:
    assert not list(contacts_in("Email lamps@wickantispamnim.nospam.com for help.", ""))


@tagged
def test_a_page_has_no_contact_of_a_part_of_what_it_is_about() -> None:
    text = "# Lamp tasks for oil.example and LAMPD\n\nIf you find an issue with LAMPD that is a risk, contact safe@lampd.org.\n"
    assert not [one for one in facts(text) if one.startswith("Lamp tasks") and "HAS_CONTACT" in one]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Wrapper for Acme's lamp, written in A.", ["0 WRITTEN_IN"]),
        ("Wrapper for Acme's lamp, which is written in A.", []),
        ("A implementation for ships.", ["0 IMPLEMENTS"]),
        ("A implementation of wicks.", ["0 USES"]),
        ("Kit that implements A.", ["0 IMPLEMENTS"]),
        ("Kit to draw a lamp that implements A.", []),
        ("Kit implementing a A - B lamp.", []),
        ("Fast A-based lamp.", ["0 BASED_ON"]),
        ("Runs tasks of users on A-based systems.", []),
        ("A server.", ["0 MADE_FOR"]),
        ("Kit that draws a lamp with oil by the A interface.", []),
    ],
)
def test_what_a_description_says_of_its_own_thing(text: str, said: list[str]) -> None:
    assert [f"{one.mark} {one.type}" for one in described(masked(text))] == said


def test_the_language_of_what_is_wrapped() -> None:
    assert [one.type for one in languages_of("Wrapper for Acme's lamp, which is written in Rust.")] == []
    assert [one.type for one in languages_of("Wrapper for Acme's lamp, written in Rust.")] == ["WRITTEN_IN"]


@tagged
def test_a_list_of_repositories_of_whoever_has_the_name_of_a_product() -> None:
    rows = "".join(f"- [Lampd {one}](https://github.com/lampd/lampd-{one})\n" for one in ("wick", "oil", "glass"))
    text = f"# Kits\n\n[Lampd](https://github.com/lampd/lampd) is a server that lights lamps.\n\n{rows}"
    assert not [one for one in facts(text) if "PART_OF" in one]


@tagged
def test_fields_of_a_table_are_described_in_no_body() -> None:
    text = (
        "# Harbour Institute (HI)\n\n## Profile\n\n| Field | Description |\n|---|---|\n| `lampNumber` | Its number |\n"
    )
    assert not [one for one in facts(text) if "DESCRIBED_IN" in one]


HANDLES = """# Lamp Working Group Meeting 2019-07-03

## Action Items

* Lamp planning / ([@ttree][])
  * [@leelamp][]: Write up the plan of the code page
  * Unclaimed: Create questions on the lamps

## Notes

* Lee: The plan is late.

[@ttree]: https://github.com/ttree
[@leelamp]: https://github.com/leelamp
"""


def test_tasks_of_handles_need_no_list_of_attendance() -> None:
    assert facts(HANDLES, "notes/2019-07-03.md") == {
        "@ttree RESPONSIBLE_FOR Lamp planning",
        "Write up the plan of the code page ASSIGNED_TO @leelamp",
    }
    assert facts(HANDLES.replace("@leelamp", "@ttree"), "notes/2019-07-03.md") == set()  # one may be anything


def test_the_name_of_a_sport_is_no_nationality() -> None:
    text = "The Ohio Bobcats were an American football team that represented Tarn College."
    end = text.index(" were")
    assert list(find_nationalities(text, [(4, end)], ["O"])) == []
    found = find_nationalities("Acme is an American record label.", [(0, 4)], ["O"])
    assert [one.country for one in found] == ["United States"]


@tagged
@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("She served in the 3rd Lamp Infantry Division during the war.", {("SERVED_IN", "3rd Lamp Infantry Division")}),
        (
            "She commanded the 254th Fighter Aviation Regiment in 1941.",
            {("COMMANDS", "254th Fighter Aviation Regiment")},
        ),
        (
            "She travelled to the Old Town School in Chicago.",
            {("TRAVELS_TO", "Old Town School"), ("LOCATED_IN", "Chicago")},
        ),
        ("She was an American football wide receiver.", set()),
        ("The hotel was sold to Reno Chinese leader Ann Lindqvist, who kept it.", set()),
    ],
)
def test_what_a_stranger_found_in_an_encyclopedia(text: str, stated: set[tuple[str, str]]) -> None:
    found = read(f"# Ann Lindqvist\n\nAnn Lindqvist was born in 1901. {text}\n")
    assert {(fact.type, found.entities[fact.object].name) for fact in found.facts if fact.object is not None} == stated


@tagged
def test_a_place_of_which_the_tagger_has_the_first_word_alone_is_none() -> None:
    found = read("# Mangowal\n\nMangowal is a village in Shaheed Bhagat Singh Nagar district of Punjab State, India.\n")
    assert not any(found.entities[fact.object].name == "Shaheed" for fact in found.facts if fact.object is not None)


@tagged
def test_a_page_is_on_whom_it_calls_by_the_surname_alone() -> None:
    found = read(
        "# Chioma Onyek\n\nChioma Onyek is an athlete. Born to Chima and Scholar Onyek in Reno. "
        "Onyek attended Tarn High School in 2002. Onyek won. Onyek is tall.\n"
    )
    (fact,) = (fact for fact in found.facts if fact.type == "EDUCATED_AT")
    assert found.entities[fact.subject].name == "Chioma Onyek"
