"""Facts out of records: which entities and facts rows, mappings, cards and lines make, with the words that say them."""

# Tables stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import csv
import io
import time

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.model import Extraction, Gazetteer, GazetteerEntry

Fact = tuple[str, str, str]


def read(text: str, name: str, gazetteer: Gazetteer | None = None) -> tuple[Extraction, set[Fact]]:
    document = parse_document(text.encode(), name)
    found = extract(document, gazetteer, "patterns")
    names = [entity.name for entity in found.entities]
    for fact in found.facts:
        chunk = document.chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote and fact.quote
    return found, {
        (names[fact.subject], fact.type, names[fact.object] if fact.object is not None else repr(fact.object_text))
        for fact in found.facts
    }


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("id,name,manager_id,salary,start,city\n1,Ann Poe,,100,2020-01-02,Rome\n2,Bob Ray,1,,2021-02-03,Boston\n", "employees.csv",
         {("Ann Poe", "SALARY", "'100'"), ("Ann Poe", "START", "'2020-01-02'"), ("Ann Poe", "CITY", "Rome"),
          ("Bob Ray", "REPORTS_TO", "Ann Poe"), ("Bob Ray", "START", "'2021-02-03'"), ("Bob Ray", "CITY", "Boston")}),
        ('[{"name": "Web-1", "owner": "Alice Poe", "depends_on": ["Db-1", "Queue"], "password": "x"}, {"name": "Db-1", "port": 5432}]', "servers.json",
         {("Alice Poe", "OWNS", "Web-1"), ("Web-1", "REQUIRES", "Db-1"), ("Web-1", "DEPENDS_ON", "'Queue'"), ("Db-1", "PORT", "'5432'")}),
        ("- name: Core\n  lead: Bob Ray\n  members: [Ann Poe, Eve Lu]\n- name: Atlas\n  parent: Core\n", "teams.yaml",
         {("Bob Ray", "LEADS", "Core"), ("Ann Poe", "MEMBER_OF", "Core"), ("Eve Lu", "MEMBER_OF", "Core"), ("Atlas", "SUBSIDIARY_OF", "Core")}),
        ("sigs:\n- name: Lamp Design\n  leadership:\n    chairs:\n    - name: Ann Poe\n      company: Acme Inc\n    tech_leads:\n    - {name: Bob Ray, email: b@x.org}\n  steps:\n  - name: Check out\n", "sigs.yaml",
         {("Ann Poe", "LEADS", "Lamp Design"), ("Bob Ray", "LEADS", "Lamp Design"), ("Ann Poe", "WORKS_FOR", "Acme Inc"), ("Bob Ray", "EMAIL", "'b@x.org'"),
          ("Lamp Design", "STEPS", "'Check out'")}),
        ("lamper:\n  ptl: {name: Ann Poe, irc: apoe}\n  deliverables:\n    lamper: {repos: [acme/lamper]}\n    wick-ui: {repos: [acme/wick-ui]}\n  liaisons:\n    release: [{name: Bob Ray, email: b@x.org}]\noiler:\n  ptl: {name: Eve Lu, irc: elu}\nsooty:\n  ptl: {name: Eve Lu, irc: elu}\n", "projects.yaml",
         {("Ann Poe", "LEADS", "lamper"), ("Eve Lu", "LEADS", "oiler"), ("Eve Lu", "LEADS", "sooty"), ("wick-ui", "PART_OF", "lamper"), ("lamper", "HAS_CONTACT", "Bob Ray"),
          ("Ann Poe", "IRC", "'apoe'"), ("Eve Lu", "IRC", "'elu'"), ("Bob Ray", "EMAIL", "'b@x.org'")}),
        ("- repo_name: lamp-api\n  type: Utilities\n  team: \"#lamp-devs\"\n  alerts_team: \"#lamp-alerts\"\n  production_hosted_on: eks\n", "repos.yml",
         {("lamp-api", "HAS_CONTACT", "#lamp-devs"), ("lamp-api", "ALERTS_GO_TO", "#lamp-alerts"), ("lamp-api", "RUNS_ON", "eks"), ("lamp-api", "TYPE", "'Utilities'")}),
        ("- name: Lamp API\n  owner: '@apoe'\n  lead: ['@bray', '@e-lu']\n", "services.yaml",
         {("@apoe", "OWNS", "Lamp API"), ("@bray", "LEADS", "Lamp API"), ("@e-lu", "LEADS", "Lamp API")}),
        ("# Liaisons\n\n| Group | Lamp Liaison |\n|--|--|\n| SIG Wick | Ann Poe (**[@apoe](https://x.org)**) |\n| SIG Oil | Bob Ray |\n", "liaisons.md",
         {("SIG Wick", "HAS_CONTACT", "Ann Poe"), ("SIG Oil", "HAS_CONTACT", "Bob Ray")}),
        ("# Secrets\n\n| Name | Owner | Location |\n|--|--|--|\n| Lamp Token | Ann Poe | AWS Secrets Manager |\n| Oil Token | Ann Poe | Not stored |\n", "secrets.md",
         {("Ann Poe", "OWNS", "Lamp Token"), ("Ann Poe", "OWNS", "Oil Token"), ("Lamp Token", "STORED_IN", "AWS Secrets Manager"), ("Oil Token", "LOCATION", "'Not stored'")}),
        ("BEGIN:VCARD\nFN:Ann Poe\nORG:Acme Inc\nEMAIL:a@x.org\nEND:VCARD\n", "a.vcf",
         {("Ann Poe", "WORKS_FOR", "Acme Inc"), ("Ann Poe", "EMAIL", "'a@x.org'")}),
        ("BEGIN:VEVENT\nSUMMARY:Board Meeting\nDTSTART:20240604\nLOCATION:Boston\nATTENDEE;CN=Ann Poe:mailto:a@x\nEND:VEVENT\n", "a.ics",
         {("Board Meeting", "START", "'2024-06-04'"), ("Board Meeting", "HELD_IN", "Boston"), ("Ann Poe", "PARTICIPATED_IN", "Board Meeting")}),
        ("From: Ann Poe <a@x.org>\nTo: Bob Ray <b@x.org>\nSubject: Lunch\n\nHi.\n", "a.eml",
         {("Ann Poe", "WROTE_TO", "Bob Ray"), ("Ann Poe", "EMAIL", "'a@x.org'"), ("Bob Ray", "EMAIL", "'b@x.org'")}),
        ("# Staff\n\n| Name | Role | Reports to |\n|--|--|--|\n| Ann Poe | CEO | |\n| Bob Ray | CTO | Ann Poe |\n", "staff.md",
         {("Ann Poe", "ROLE", "'CEO'"), ("Bob Ray", "ROLE", "'CTO'"), ("Bob Ray", "REPORTS_TO", "Ann Poe")}),
        ("---\ntitle: Acme\ntype: company\nceo: Jane Roe\nfounded: 1998\nheadquarters: Mountain View, California\n---\n# Acme\n\nText.\n", "acme.md",
         {("Jane Roe", "CHIEF_EXECUTIVE_OF", "Acme"), ("Acme", "FOUNDED_ON", "'1998'"), ("Acme", "HEADQUARTERED_IN", "Mountain View")}),
        ("---\ndisplay_name: Lamper\nreleased: 2015-12-01\ncreated_by: Ann Poe, Zed Quux, and the Lamp Community, Acmix\n---\nLamper is a program that counts lamps.\n", "index.md",
         {("Ann Poe", "CREATED", "Lamper"), ("Zed Quux", "CREATED", "Lamper"), ("Lamp Community", "CREATED", "Lamper"),
          ("Acmix", "CREATED", "Lamper"), ("Lamper", "RELEASED_ON", "'2015-12-01'")}),
        ("# Lamp Site\n\n### Lamp Web\n\n- Framework: FastAPI\n- Database: PostgreSQL\n- Owner: Ann Poe\n", "site.md",
         {("Lamp Web", "USES", "FastAPI"), ("Lamp Web", "USES", "PostgreSQL"), ("Ann Poe", "OWNS", "Lamp Web")}),
        ("# Lamp Site\n\n### Lamp Web\n\n- Framework: our own\n- Owner: Ann Poe\n", "site.md",
         {("Lamp Web", "FRAMEWORK", "'our own'"), ("Ann Poe", "OWNS", "Lamp Web")}),
        ("# Guide\n\n| Option | Default | Owner |\n|--|--|--|\n| --all | yes | you |\n", "x.md", set()),
        ("question,answer\nWho is it?,It is Ann Poe.\n", "x.csv", set()),
    ],
)  # fmt: skip
def test_facts(text: str, name: str, expected: set[Fact]) -> None:
    assert read(text, name)[1] == expected


def test_front_matter_names_other_pages_by_their_files() -> None:
    pages = [
        GazetteerEntry(name="Oil Lamp", type="Product", pages=["oil-lamp"]),
        GazetteerEntry(name="Candle", type="Product", pages=["candle"]),
    ]
    text = "---\ntitle: Lantern\nrelated: oil-lamp, candle, shoe-lace\n---\nA lantern is a lamp in a case.\n"
    _, facts = read(text, "lantern.md", Gazetteer(entries=pages))
    assert {fact for fact in facts if fact[1] == "SEE_ALSO"} == {
        ("Lantern", "SEE_ALSO", "Oil Lamp"),
        ("Lantern", "SEE_ALSO", "Candle"),
    }


def test_the_label_of_a_link_is_no_value_and_a_cell_may_name_two() -> None:
    text = (
        "# Lamps\n\n| Name | Repository | Owner | Staff Contact | Term |\n|--|--|--|--|--|\n"
        "| Lamp Wick | [GitHub](https://github.com/acme/wick) | | Ann Poe & Bob Ray | May 2026\\* |\n"
        "| Lamp Oil | [here](https://x.org/oil) | | Ann Poe | |\n"
    )
    lamps = Gazetteer(entries=[GazetteerEntry(name=name, type="Product") for name in ("Lamp Wick", "Lamp Oil")])
    _, facts = read(text, "lamps.md", lamps)
    assert {fact for fact in facts if fact[1] != "COVERS"} == {
        ("Lamp Wick", "REPOSITORY", "'https://github.com/acme/wick'"),
        ("Lamp Oil", "REPOSITORY", "'https://x.org/oil'"),
        ("Lamp Wick", "HAS_CONTACT", "Ann Poe"),
        ("Lamp Wick", "HAS_CONTACT", "Bob Ray"),
        ("Lamp Oil", "HAS_CONTACT", "Ann Poe"),
        ("Lamp Wick", "TERM", "'May 2026'"),
    }


def test_types_say_what_records_are() -> None:
    found, _ = read("name,type\nAcme,company\nAtlas Tool,software\nBlue Heron,boat\n", "things.csv")
    assert {one.name: (one.type, one.declared) for one in found.entities} == {
        "Acme": ("Organization", True),
        "Atlas Tool": ("Product", True),
        "Blue Heron": ("Product", True),
    }


def test_a_column_of_known_names_joins_them() -> None:
    known = Gazetteer(
        entries=[GazetteerEntry(name="Orion", type="Project"), GazetteerEntry(name="Vega", type="Project")]
    )
    text = "name,works on,shoe\nAnn Poe,Orion,42\nBob Ray,Vega,43\nEve Lu,Nothing Known,44\n"
    _, facts = read(text, "people.csv", known)
    assert ("Ann Poe", "WORKS_ON", "Orion") in facts and ("Eve Lu", "WORKS_ON", "'Nothing Known'") in facts
    # One known name among many is an accident.
    text = (
        "name,favourite word\n" + "".join(f"Ann P{letter}oe,Word{letter}\n" for letter in "abcdef") + "Bob Ray,Orion\n"
    )
    assert ("Bob Ray", "FAVOURITE_WORD", "'Orion'") in read(text, "people.csv", known)[1]


def test_columns_of_those_who_lead_and_provide() -> None:
    groups = (
        "# Practice areas\n\n| Name | Leads | Meets |\n|--|--|--|\n| Harbour Design | Ann Poe, Bob Ray | weekly |\n"
    )
    facts = {fact for fact in read(groups, "groups.md")[1] if fact[1] == "LEADS"}
    assert facts == {("Ann Poe", "LEADS", "Harbour Design"), ("Bob Ray", "LEADS", "Harbour Design")}
    tools = "# Tools\n\n| Tool | Owner | Provider |\n|--|--|--|\n| Lamp-1 | Harbour Team | Acme Ltd |\n"
    expected = {("Harbour Team", "OWNS", "Lamp-1"), ("Acme Ltd", "PROVIDES", "Lamp-1")}
    assert read(tools, "tools.md")[1] == expected


def test_headings_of_minutes_are_no_things() -> None:
    minutes = "# Harbour Call\n\n## 1. Meeting Information:\n\n- **Date:** 2025-03-19\n- **Location:** Oslo\n\n## Next Meeting\n\n- Location: Oslo\n- Date: 2025-04-01\n"
    found = read(minutes, "call.md")[1]
    assert not any("Meeting" in subject for subject, *_ in found)


def test_a_post_is_nobody() -> None:
    staff = "# Staff\n\n| Name | Reports to |\n|--|--|\n| Ann Poe | Delivery Manager |\n| Bob Ray | Ann Poe |\n"
    assert {fact for fact in read(staff, "staff.md")[1] if fact[1] == "REPORTS_TO"} == {
        ("Bob Ray", "REPORTS_TO", "Ann Poe")
    }


@pytest.mark.parametrize("extractor", ["patterns", "auto"])
def test_cells_are_no_prose(extractor: str) -> None:
    text = "name,remark\nAnn Poe,Google acquired YouTube in 2006.\n"
    document = parse_document(text.encode(), "people.csv")
    found = extract(document, None, extractor)
    assert [entity.name for entity in found.entities] == ["Ann Poe"]
    assert not [fact for fact in found.facts if fact.type == "ACQUIRED"]
    document = parse_document(
        b"title: Google acquired YouTube in 2006.\nsteps:\n  - Ask Larry Page in Boston.\n", "x.yaml"
    )
    assert not extract(document, None, extractor).facts


def test_a_long_table_is_bounded_in_time() -> None:
    """10,000 rows: 2,000 records, a few seconds."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["id", "name", "department", "manager_id", "salary", "start", "city"])
    for number in range(10_000):
        word = "".join(chr(97 + number // 26**place % 26) for place in range(3))
        writer.writerow([number, f"Ann {word.title()}", "Sales", number // 7, number * 10, "2020-01-02", "Boston"])
    began = time.process_time()
    found, facts = read(file.getvalue(), "employees.csv")
    assert time.process_time() - began < 30
    assert 1900 < len(found.entities) < 2100 and len(facts) > 5000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Lamp Safety: Working Group Charter\n\n```yaml\nname: Lamp Safety\ntechnical_leads:\n- name: Ann Poe\n  github: annp\nareas:\n"
         "- name: Lamp Shades\n  approvers:\n  - name: Anna Ray\n    github: bobray\n  reviewers:\n  - name: Tom May\n    github: tm\n```\n",
         {("Ann Poe", "LEADS", "Lamp Safety Working Group"), ("Anna Ray", "APPROVES", "Lamp Shades"), ("Tom May", "REVIEWS", "Lamp Shades"),
          ("Lamp Shades", "PART_OF", "Lamp Safety Working Group")}),
        ("# Board\n\n| Company | Member | Term end |\n|---|---|---|\n| Acme | Ann Poe (Board Chair) | 2028 |\n| Acme | Tom Ray | 2027 |\n",
         {("Ann Poe", "WORKS_FOR", "Acme"), ("Ann Poe", "ROLE", "'Board Chair'"), ("Tom Ray", "TERM_END", "'2027'")}),
        ("------\nname: Zora Quell\ninfo:\n  - employer: Acme Lamps\n  - slack: zq\n------\n\nZora has been active.\n",
         {("Zora Quell", "WORKS_FOR", "Acme Lamps"), ("Zora Quell", "SLACK", "'zq'")}),
    ],
)  # fmt: skip
def test_persons_of_blocks_and_tables(text: str, expected: set[Fact]) -> None:
    _, facts = read(text, "x.md")
    assert expected <= facts
    assert not any(subject.startswith("Acme") for subject, _, _ in facts)


def test_who_has_an_affiliation_is_somebody() -> None:
    table = "| Name | Profile | Affiliation |\n| --- | --- | --- |\n"
    rows = [("Kat Lampwick", "Minimus"), ("Paco Xu 徐俊杰", "DaoCloud"), ("Rita Wick", "Lampsoft")]
    text = table + "".join(f"| {name} | @{name[:3]} | {firm} |\n" for name, firm in rows)
    found = extract(parse_document(f"# Council\n\n## Members\n\n{text}".encode(), "README.md"))
    types = {entity.name: entity.type for entity in found.entities}
    assert {types.get(name) for name, _ in rows} == {"Person"}
    told = {(found.entities[fact.subject].name, fact.type) for fact in found.facts if fact.object is not None}
    assert told >= {(name, "WORKS_FOR") for name, _ in rows}


def test_who_has_no_employer() -> None:
    _, facts = read("------\nname: Zora Quell\ninfo:\n  - employer: NA - Independent\n------\n\nText.\n", "x.md")
    assert not any(type_ == "WORKS_FOR" for _, type_, _ in facts)


@pytest.mark.parametrize(("key", "date"), [("population", None), ("founded", "2000"), ("start year", "2000")])
def test_a_number_is_a_year_where_its_key_says_so(key: str, date: str | None) -> None:
    found, _ = read(f"name,{key},mayor\nReno,2000,Ann Lovell\nTarn,2000,Bob Ray\n", "towns.csv")
    assert {fact.date for fact in found.facts if fact.object_text == "2000"} == {date}


def test_what_a_record_says_of_its_end_and_of_posts() -> None:
    text = "".join(
        f"{name}:\n  ptl: {{name: {who}, irc: x}}\n  retired-on: 2017-07-29\n  repos: [acme/{name}]\n"
        for name, who in (("lamper", "Ann Poe"), ("oiler", "Bob Ray"), ("sooty", "Eve Lu"))
    )
    found, _ = read(text, "projects.yaml")
    led = [fact for fact in found.facts if fact.type == "LEADS"]
    assert [(fact.role, fact.valid_to) for fact in led] == [("ptl", "2017-07-29")] * 3


def test_what_a_file_calls_its_records_joins_them() -> None:
    text = (
        "ann_lee:\n  name: Ann Lee\n  role: CEO\n  email: ann@lamps.example\n  manager_role_slug: ceo\n"
        "bo_ray:\n  name: Bo Ray\n  role: Engineer\n  email: bo@lamps.example\n  reports_to: ceo\n"
        "cy_dow:\n  name: Cy Dow\n  role: Engineer\n  email: cy@lamps.example\n  reports_to: none\n"
    )
    _, facts = read(text, "team.yml")
    assert {fact for fact in facts if fact[2] in ("Ann Lee", "Bo Ray", "Cy Dow")} == {
        ("Bo Ray", "REPORTS_TO", "Ann Lee")
    }
    assert not any(fact[1] == "HAS_CONTACT" for fact in facts)  # nobody is asked at the addresses of the staff
