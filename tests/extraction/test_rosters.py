"""Lists and tables of persons: who is a member of what, who leads it, and whom they work for."""

# Lists stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.meeting_notes.attendees import read_entry
from kgfs.extraction.facts.structured.roster_titles import body_among_others, roster_title
from kgfs.extraction.facts.structured.terms_of_office import term_of_office

HEAD = "# Harbour Committee\n\nThe Harbour Committee looks after the harbour.\n\n"


def said(text: str) -> set[str]:
    """The facts that join persons to bodies; each quote stands in its chunk."""
    document = parse_document(text.encode(), "README.md")
    found, rules = extract_by_rule(document, None, "patterns")
    names = [entity.name for entity in found.entities]
    lines = set()
    for fact, rule in zip(found.facts, rules, strict=True):
        chunk = document.chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote and fact.quote
        if fact.object is not None and rule.startswith(("rosters.", "structure.beneath")):
            lines.add(
                f"{names[fact.subject]} {fact.type} {names[fact.object]}" + (f" as {fact.role}" if fact.role else "")
            )
    return lines


def members(*names: str, type_: str = "MEMBER_OF") -> set[str]:
    return {f"{name} {type_} Harbour Committee" for name in names}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        # with handles, employers behind commas, a name in two scripts, names whose words are ordinary ones
        ("## Members\n\n* Dana Poe (**[@dpoe](https://x.org/dpoe)**), Acme\n* Li Xu 徐丽 (**[@lixu](https://x.org/lixu)**), Umbrella, Inc\n* Joy Field (**[@joy](https://x.org/joy)**), Acme\n",
         members("Dana Poe", "Li Xu", "Joy Field") | {"Dana Poe WORKS_FOR Acme", "Li Xu WORKS_FOR Umbrella, Inc", "Joy Field WORKS_FOR Acme"}),
        # who leads, with a sentence before the list
        ("## Chairs\n\nThe chairs run the meetings.\n\n* Dana Poe (@dpoe)\n* Lee Roe (@lroe)\n", members("Dana Poe", "Lee Roe", type_="LEADS")),
        # a table with pictures and handles; the role stands in a column
        ("## Membership\n\n| Avatar | Name | Role | Time zone |\n|---|---|---|---|\n| <img src=\"a.png\"> | Dana Poe [@dpoe](https://x.org) | **Chair** | CET (Berlin) |\n| <img src=\"b.png\"> | Lee Roe [@lroe](https://x.org) | Member | PST |\n",
         {"Dana Poe MEMBER_OF Harbour Committee as Chair", "Lee Roe MEMBER_OF Harbour Committee as Member"}),
        # handles alone
        ("## Members\n\n- @dpoe\n- @lroe\n", members("@dpoe", "@lroe")),
        ("## Membership\n\n| Name | Role |\n|---|---|\n| @dpoe | Chair |\n| @lroe | Member |\n", {"@dpoe MEMBER_OF Harbour Committee as Chair", "@lroe MEMBER_OF Harbour Committee as Member"}),
        # a body that the heading names
        ("## Pilot Board Members\n\n- Dana Poe\n- Lee Roe\n", {"Dana Poe MEMBER_OF Pilot Board", "Lee Roe MEMBER_OF Pilot Board"}),
        # roles and places are no employers
        ("## Members\n\n- Dana Poe, Treasurer\n- Lee Roe, Secretary\n", {"Dana Poe MEMBER_OF Harbour Committee as Treasurer", "Lee Roe MEMBER_OF Harbour Committee as Secretary"}),
        # former ones, what is no list of persons, a list of other things beneath the same word, one name that may be anything
        ("## Emeritus Members\n\n- Dana Poe (@dpoe)\n- Lee Roe (@lroe)\n", set()),
        ("## Members\n\n- Dana Poe (@dpoe)\n- Lee Roe (@lroe), emeritus\n- Max Fox (@mfox)\n", members("Dana Poe", "Max Fox")),
        ("## Emeritus\n\n### Members\n\n- Dana Poe (@dpoe)\n- Lee Roe (@lroe)\n", set()),
        ("## Becoming a member\n\n- Dana Poe\n- Lee Roe\n", set()),
        # labels before lists, in items and in the line itself; sentences that name the body
        ("## Staffing / help wanted\n\n**Co-chairs:**\n\n- @dpoe (Acme)\n- @lroe (Umbrella)\n\n**Links:**\n\n- Max Fox\n",
         {"@dpoe LEADS Harbour Committee", "@lroe LEADS Harbour Committee", "@dpoe WORKS_FOR Acme", "@lroe WORKS_FOR Umbrella"}),
        ("## Staffing\n\n- Maintainers:\n  - @dpoe\n  - @acme/jugglers\n- Experts:\n  - @lroe\n",
         {"@dpoe MAINTAINS Harbour Committee", "@lroe MEMBER_OF Harbour Committee as expert"}),
        ("## Staffing\n\nLiaison: Dana Poe (@dpoe)\n\nSponsor: TBD\n", {"Harbour Committee HAS_CONTACT Dana Poe as liaison"}),
        ("## People\n\nThe current members of the Pilot Board are:\n\n- Dana Poe\n- Lee Roe\n", {"Dana Poe MEMBER_OF Pilot Board", "Lee Roe MEMBER_OF Pilot Board"}),
        # lines that are names and nothing else
        ("## Chairs\n\nDana Poe (@dpoe)\nLee Roe (@lroe)\n", members("Dana Poe", "Lee Roe", type_="LEADS")),
        # a heading that is the name of a body; whom they work for is said whatever they are listed for
        ("## Pilot Board\n\nIn order of their names:\n\n- [Dana Poe](https://x.org/dpoe), Acme\n- [Lee Roe](https://x.org/lroe), Umbrella\n",
         {"Dana Poe MEMBER_OF Pilot Board", "Lee Roe MEMBER_OF Pilot Board", "Dana Poe WORKS_FOR Acme", "Lee Roe WORKS_FOR Umbrella"}),
        ("## Voters\n\n- [Dana Poe](https://x.org/dpoe), Acme\n- [Lee Roe](https://x.org/lroe), Umbrella\n", {"Dana Poe WORKS_FOR Acme", "Lee Roe WORKS_FOR Umbrella"}),
        ("## Creating the Pilot Board\n\n- Dana Poe (@dpoe)\n- Lee Roe (@lroe)\n", set()),
        # theses, and when they were written
        ("## Theses\n\n- [Dana Poe (Acme), Jun. 2026](https://x.org/a)\n- [Lee Roe (Umbrella), May 2025](https://x.org/b)\n", set()),
        ("## Pilot Board\n\n- Harbour Comms\n- Harbour Admin\n", set()),
        ("## Pilot Board\n\n- It meets on Mondays\n- It has a budget\n- Dana Poe\n", set()),
        # the same label in several sections is that of their things, which have no names here
        ("## The quay\n\nChairs: Dana Poe (@dpoe)\n\n## The pier\n\nChairs: Lee Roe (@lroe)\n", set()),
        ("## Members\n\n- Read the charter first\n- Ask in the channel\n- Write to Dana Poe\n", set()),
        ("## Chairs\n\n- Red Oak\n", set()),
        ("## Members\n\n- First Last (@handle), Company\n- Your Name (@you), Company\n", set()),
    ],
)  # fmt: skip
def test_lists_of_persons(text: str, facts: set[str]) -> None:
    assert said(HEAD + text) == facts


def test_a_charter_lists_the_members_of_its_group() -> None:
    text = "# Pier Working Group Charter\n\n## Founding Members\n\n- Dana Poe\n- Lee Roe\n"
    assert said(text) == {f"{name} MEMBER_OF Pier Working Group as founding member" for name in ("Dana Poe", "Lee Roe")}


def test_firms_behind_names_of_minutes() -> None:
    text = "# Harbour call 2024-03-05\n\n## Attendees\n\n* Dana Poe [Acme]\n* Lee Roe [Umbrella Labs]\n* Max Fox [Acme]\n* Ann Lu\n"
    document = parse_document(text.encode(), "notes.md")
    found, _ = extract_by_rule(document, None, "patterns")
    names = [entity.name for entity in found.entities]
    employed = {
        (names[fact.subject], names[fact.object])
        for fact in found.facts
        if fact.type == "WORKS_FOR" and fact.object is not None
    }
    assert employed == {("Dana Poe", "Acme"), ("Lee Roe", "Umbrella Labs"), ("Max Fox", "Acme")}


@pytest.mark.parametrize(
    ("opening", "told"), [("", True), ("# Colleagues\n\n", True), ("# Former colleagues\n\n", False)]
)
def test_a_list_of_profiles_tells_employers_beneath_no_heading_too(opening: str, told: bool) -> None:
    people = [("Dana Poe", "Acme Works"), ("Lee Roe", "Umbrella University"), ("Max Fox", "Delta Initiative")]
    text = "".join(f"- [{name}](https://github.com/{name[:3]}), {employer}\n" for name, employer in people)
    found, _ = extract_by_rule(parse_document((opening + text).encode(), "a.md"))
    names = [entity.name for entity in found.entities]
    employed = {(names[one.subject], names[one.object]) for one in found.facts if one.object is not None}
    assert employed == (set(people) if told else set())


@pytest.mark.parametrize(
    ("entry", "employer"),
    [
        ("Dana Poe (@dpoe), Acme Corp", "Acme Corp"),
        ("Dana Poe - Bank of Harbours", "Bank of Harbours"),
        ("Dana Poe (Acme, Inc)", "Acme, Inc"),
        ("Dana Poe, New York University, dana-poe", "New York University"),
        ('"dpoe", "Dana Poe", "Acme Corp"', "Acme Corp"),
        ("Dana Poe (Contributor)", ""),
        ("Dana Poe, DanaPoe", ""),
        ("Dana Poe, New member", ""),
        ("Dana Poe (Chair)", ""),
        ("Dana Poe (she/her)", ""),
        ("Dana Poe (UTC+1)", ""),
        ("Dana Poe, joined at 10:05", ""),
        ("Dana Poe, Independent", ""),
        ("Dana Poe (GitHub: dpoe)", ""),
    ],
)
def test_employers(entry: str, employer: str) -> None:
    who = read_entry(entry)
    assert who is not None and (who.name, who.employer) == ("Dana Poe", employer)


@pytest.mark.parametrize(
    ("heading", "group"),
    [
        ("Members", ("MEMBER_OF", "")),
        ("Current core team members", ("MEMBER_OF", "")),
        ("2. Technical Leads", ("LEADS", "")),
        ("Our team", ("MEMBER_OF", "")),
        ("Acme Maintainers", ("MAINTAINS", "Acme")),
        ("Project Lead(s)", ("LEADS", "")),
        ("GC/TC sponsors", ("SPONSORS", "")),
        ("Domain experts", ("MEMBER_OF", "")),
        ("List of project maintainers", ("MAINTAINS", "")),
        ("List SIG Lead(s)", ("LEADS", "")),
        ("List the Acme Maintainers", ("MAINTAINS", "Acme")),
        ("Project leads and sponsors", None),
        ("Becoming a member", None),
        ("Members of the public may attend", None),
        ("Lead time", None),
    ],
)
def test_headings_of_rosters(heading: str, group: tuple[str, str] | None) -> None:
    found = roster_title(heading)
    assert (None if found is None else (found.type, found.body)) == group


@pytest.mark.parametrize(
    ("line", "term"),
    [
        ("Dana Poe, Acme, until October 2027", (None, "2027-10")),
        ("Dana Poe (term ends 2026)", (None, "2026")),
        ("Dana Poe (2023-2026)", ("2023", "2026")),
        ("Dana Poe, 2023 – present", ("2023", None)),
        ("Dana Poe, since 2020", ("2020", None)),
        ("Dana Poe, +1 202-2030", (None, None)),
    ],
)
def test_terms(line: str, term: tuple[str | None, str | None]) -> None:
    assert term_of_office(line) == term


LEADS = """\
# Working Groups

## Quay

| Artifact | Link |
|---|---|
| Forum | [quay-dev](https://x.org/quay) |
| Charter | [Charter](charter.md) |

| &nbsp; | Leads | Company |
|---|---|---|
| <img src="a.png"> | Dana Poe | Acme |

| &nbsp; | Emeritus Leads | Company |
|---|---|---|
| <img src="b.png"> | Lee Roe | Acme |
| <img src="c.png"> | Max Fox | Umbrella |

## Crane Working Group

| Photo | Chairs |
|---|---|
| <img src="d.png"> | Ann Hay |
| <img src="e.png"> | Bo Lind |
"""


def test_a_column_says_who_leads_what_the_heading_names() -> None:
    assert said(LEADS) == {
        "Dana Poe LEADS Quay Working Group",
        "Ann Hay LEADS Crane Working Group",
        "Bo Lind LEADS Crane Working Group",
    }


def test_whose_company_it_is_stands_before_it() -> None:
    """The rows of ``Leads, Company`` are persons, of ``Company, Leads`` companies."""
    document = parse_document(LEADS.encode(), "README.md")
    found, rules = extract_by_rule(document, None, "patterns")
    names = [entity.name for entity in found.entities]
    employed = {
        f"{names[fact.subject]} {fact.type} {names[fact.object]}"
        for fact, rule in zip(found.facts, rules, strict=True)
        if rule == "records" and fact.object is not None
    }
    assert "Dana Poe WORKS_FOR Acme" in employed and not any("LEADS" in fact for fact in employed)


def test_members_of_the_body_above_and_their_companies() -> None:
    text = (
        "# Pilot Governance\n\n## Pilot Committee\n\n### Current members\n\n| Full Name | Company | Until |\n|---|:--:|---|\n"
        "| Dana Poe | Acme | Feb 2028 |\n| Lee Roe | Umbrella | Feb 2027 |\n\n#### Former members\n\n"
        "| Full Name | Company |\n|---|---|\n| Max Fox | Acme |\n| Bo Lind | Acme |\n"
    )
    assert said(text) == {"Dana Poe MEMBER_OF Pilot Committee", "Lee Roe MEMBER_OF Pilot Committee"}
    found, rules = extract_by_rule(parse_document(text.encode(), "README.md"), None, "patterns")
    names = [entity.name for entity in found.entities]
    facts = zip(found.facts, rules, strict=True)
    employed = {(names[fact.subject], names[fact.object or 0]) for fact, _ in facts if fact.type == "WORKS_FOR"}
    assert employed >= {("Dana Poe", "Acme"), ("Lee Roe", "Umbrella")}


def test_an_owner_before_a_name_owns_what_is_named() -> None:
    text = "# Systems\n\n| Owner | Name | Status |\n|---|---|---|\n| Dana Poe | Quay Tracker | Live |\n| Lee Roe | Crane Board | Live |\n"
    found, _ = extract_by_rule(parse_document(text.encode(), "systems.md"), None, "patterns")
    names = [entity.name for entity in found.entities]
    owned = {(names[fact.subject], names[fact.object or 0]) for fact in found.facts if fact.type == "OWNS"}
    assert owned == {("Dana Poe", "Quay Tracker"), ("Lee Roe", "Crane Board")}


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Ann Lee (term date: 1/29/2026 - 1/29/2028)", ("2026-01-29", "2028-01-29")),
        ("Ann Lee, 29/1/2026 – 29/1/2028", ("2026-01-29", "2028-01-29")),
        # Nothing tells which number is the month.
        ("Ann Lee, 1/2/2026 - 1/2/2028", ("2026", "2028")),
        ("Ann Lee, 1/29/2026", (None, None)),
        ("Ann Lee, 1/29/2026 and 1/29/2028", (None, None)),
    ],
)
def test_terms_with_slashes(text: str, term: tuple[str | None, str | None]) -> None:
    assert term_of_office(text) == term


@pytest.mark.parametrize(
    ("headings", "name"),
    [
        (("Working Groups", "Docs"), "Docs Working Group"),
        (("Current popup teams", "Image encryption"), "Image encryption popup team"),
        (("Current popup teams", "Lamp Security Team"), "Lamp Security Team"),
        (("Meetings", "Docs"), ""),
        (("Docs",), ""),
    ],
)
def test_bodies_beneath_a_heading_for_all_of_their_sort(headings: tuple[str, ...], name: str) -> None:
    assert body_among_others(headings) == name
