"""Records: which rows, mappings, cards and lines of a document have a name, what they are, and what says each field."""

# Tables stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.documents.records.reading import document_records
from kgfs.documents.records.record import MAX_RECORDS, Record, key_word
from kgfs.model import ParsedDocument


def parsed(text: str | bytes, name: str) -> ParsedDocument:
    return parse_document(text.encode() if isinstance(text, str) else text, name)


def records(text: str | bytes, name: str) -> list[Record]:
    document = parsed(text, name)
    return document_records(document, document_blocks(document))


def named(text: str, name: str) -> list[tuple[str, str]]:
    return [(one.name, one.kind) for one in records(text, name)]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("id,name,manager_id\n1,Ann Poe,\n2,Bob Ray,1\n", "employees.csv", [("Ann Poe", "employees"), ("Bob Ray", "employees")]),
        ("\ufeffname;city\nAnn Poe;Rome\n", "contacts.csv", [("Ann Poe", "contacts")]),
        ("first_name\tlast_name\temail\nAnn\tPoe\ta@x.org\n", "x.tsv", [("Ann Poe", "person")]),
        ("name,type\nAcme,company\nRome,city\n", "things.csv", [("Acme", "company"), ("Rome", "city")]),
        ('name,note\n"Ann\nPoe","a ""b"""\n', "people.csv", [("Ann Poe", "people")]),
        ("Server,IP,Memory\nweb-01,10.0.0.1,16\n", "hosts.csv", [("web-01", "server")]),
        # no header, no names, no columns, torn rows
        ("Ann,Poe,Rome\nBob,Ray,Oslo\n", "people.csv", []),
        ("2020-01-01,12.5\n2020-01-02,13.5\n", "prices.csv", []),
        ("date,amount,text\n2020-01-01,12.5,Lunch with Bob.\n", "ledger.csv", []),
        ("just a line\nand another\n", "x.csv", []),
        ("name,city\nAnn Poe,Rome,too,many,cells\n,Oslo\nBob Ray\nEve Lu,Rome\n", "people.csv", [("Eve Lu", "people")]),
        ('name,city\n"Ann Poe,Rome\nBob', "people.csv", []),
        ('[{"name": "Web", "owner": "Ann"}, {"id": 3}, 4]', "services.json", [("Web", "services")]),
        ('{"people": [{"name": "Ann Poe", "age": 3}], "count": 1}', "x.json", [("Ann Poe", "people")]),
        ('{"name": "Web\\u00e9", "type": "service", "x": {"a": 1, "b": [1]}}', "x.json", [("Webé", "service")]),
        ('{"name": "Ann Poe", "age": 3}\n{"broken\n\n{"name": "Bob Ray", "age": 4}\n', "people.jsonl", [("Ann Poe", "people"), ("Bob Ray", "people")]),
        ('[{"name": "Web", "owner": "Ann"}, {"name": "Db", "own', "services.json", [("Web", "services")]),
        ("- name: Core\n  lead: Bob\n- name: Data\n  lead: Ann\n- plain\n", "teams.yaml", [("Core", "teams"), ("Data", "teams")]),
        ("services:\n  - name: Web\n    tags: [a, b]\nversion: 2\n", "x.yml", [("Web", "services")]),
        ("name: Acme Corp\nkind: company\nceo: Ann Poe\n", "acme.yaml", [("Acme Corp", "company")]),
        ("name: !!python/object/apply:os.system [ls]\n---\n- name: Web\n  run: !custom x\n", "x.yaml", [("Web", "")]),
        # keys that are names, where something says so; a configuration, definitions of an API
        ("lamper:\n  ptl: {name: Ann Poe, irc: apoe}\n  deliverables:\n    lamper: {repos: [acme/lamper]}\n    wick-ui: {repos: [acme/wick-ui]}\n  liaisons:\n    release: [{name: Bob Ray, email: b@x.org}]\noiler:\n  ptl: {name: Eve Lu, irc: elu}\nsooty:\n  ptl: {name: Eve Lu, irc: elu}\n", "projects.yaml",
         [("lamper", "software project"), ("Ann Poe", "person"), ("Bob Ray", "person"), ("oiler", "software project"), ("Eve Lu", "person"),
          ("sooty", "software project"), ("Eve Lu", "person")]),
        ('{"Acme": {"city": "Rome"}, "Bolt": {"city": "Oslo", "ceo": "Ann Poe"}, "Cog": {"name": "Cog AG", "city": "Bern"}}', "companies.json",
         [("Acme", "companies"), ("Bolt", "companies"), ("Cog AG", "companies")]),
        ('{"v": 1, "teams": {"Red Team": {"lead": "Ann Poe"}, "Blue Team": {"lead": "Bob Ray"}, "Old Team": {"lead": "Eve Lu"}}}', "x.json",
         [("Red Team", "teams"), ("Blue Team", "teams"), ("Old Team", "teams")]),
        ("API:\n  chairs: [{name: Ann Poe, email: a@x.org}]\nOil SIG:\n  chairs: [{name: Bob Ray, email: b@x.org}]\nWick:\n  chairs: [{name: Eve Lu, email: e@x.org}]\n", "sigs.yaml",
         [("API SIG", "organization"), ("Ann Poe", "person"), ("Oil SIG", "organization"), ("Bob Ray", "person"), ("Wick SIG", "organization"), ("Eve Lu", "person")]),
        ("services:\n  web: {image: nginx}\n  db: {image: postgres}\n  mq: {image: rabbit}\n", "compose.yml", []),
        ('{"definitions": {"User": {"type": "object", "properties": {"email": {}}}, "Team": {"type": "object"}, "Org": {"type": "object"}}}', "api.json", []),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "bomb.yaml", []),
        ("a: [\n", "broken.yaml", []),
        ("BEGIN:VCARD\r\nFN:Ann\r\n  Poe\r\nORG:Acme;R&D\r\nEND:VCARD\r\nBEGIN:VCARD\r\nFN:Acme\r\nORG:Acme\r\nEND:VCARD\r\nBEGIN:VCARD\r\nN:Ray;Bob;;;", "x.vcf", [("Ann Poe", "person"), ("Acme", "organization"), ("Bob Ray", "person")]),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Board meeting\nDTSTART:20240604\nBEGIN:VALARM\nSUMMARY:Wake up\nEND:VALARM\nEND:VEVENT\nBEGIN:VTODO\nSUMMARY:Budget", "x.ics", [("Board meeting", "event"), ("Budget", "task")]),
        ("# X\n\n## Team\n\n| Name | Role |\n|---|---|\n| Ann Poe | Lead |\n| | none |\n", "x.md", [("Ann Poe", "person")]),
        ("# X\n\n| Name | Reports to |\n|--|--|\n| Ann Poe | [Bob Ray](bob.md) |\n", "x.md", [("Ann Poe", "person")]),
        # what is no thing: options, errors, steps
        ("# X\n\n| Name | Default |\n|--|--|\n| Timeout | 3 |\n| Width Element | 4 |\n", "x.md", []),
        ("# X\n\n| Option | Description |\n|--|--|\n| `--all` | Takes everything. |\n", "x.md", []),
        ("# X\n\n## Billing Gateway\n\n- **Owner**: Ann Poe\n- **Status**: live\n\n## Next steps\n\n- First: do\n- Second: rest\n", "x.md", [("Billing Gateway", "")]),
        ("# X\n\n## Contact\n\nOwner: Ann Poe\nTeam: Core\n", "x.md", [("X", "")]),
        ("# X\n\nNote: this is it.\nThe owner said: go away.\n", "x.md", []),
        ("---\nowner: Ann Poe\ntags: [a, b]\n---\n# X\n", "x.md", [("", "")]),
        ("From: \"Poe, Ann\" <a@x.org>\nTo: Bob Ray <b@x.org>, list@x.org\nSubject: Hi\n\nText.\n", "x.eml", [("Bob Ray", "person"), ("Ann Poe", "person")]),
        ("From: No Reply <no-reply@x.org>\nTo: a@x.org\nSubject: Hi\n\nText.\n", "x.eml", []),
        ("<h2>Companies</h2><table><tr><th>Name<th>City<tr><td>Acme Corp<td>Rome<tr><td colspan=2>Sum</table>", "x.html", [("Acme Corp", "Companies")]),
    ],
)  # fmt: skip
def test_records(text: str, name: str, expected: list[tuple[str, str]]) -> None:
    assert named(text, name) == expected


@pytest.mark.parametrize(
    ("text", "name", "key", "value", "says"),
    [
        ("name,city\nAnn é,Rome\n", "people.csv", "city", "Rome", "Ann é,Rome"),
        ('[\n {"é": 1, "name": "Web",\n  "owner": {"name": "Ann"}}]', "x.json", "owner", "Ann", '"owner": {"name": "Ann"}'),
        ("# é\n- name: Web\n  at:\n    city: Rome\n\n- name: Db\n  x: 1\n", "x.yaml", "at city", "Rome", "at:\n    city: Rome"),
        ("- &a\n  name: Web\n  next: *a\n  size: 3\n", "x.yaml", "size", "3", "size: 3"),
        ("BEGIN:VCARD\nFN:Ann Poe\nEMAIL;TYPE=home:a@x.\n org\nEND:VCARD\n", "x.vcf", "email", "a@x.org", "EMAIL;TYPE=home:a@x.\n org"),
        ("BEGIN:VEVENT\nSUMMARY:Board meeting\nORGANIZER;CN=\"Poe; Ann\":mailto:a@x\nEND:VEVENT\n", "x.ics", "organizer", "Poe; Ann", "ORGANIZER;CN=\"Poe; Ann\":mailto:a@x"),
        ("---\ntags:\n  - a b\n  - c\nx: 1\n---\n", "x.md", "tags", "c", "tags:\n  - a b\n  - c"),
        ("# X\n\n## Team\n\n| Name | Boss |\n|--|--|\n| Ann é | **Bob** |\n", "x.md", "Boss", "Bob", "| Ann é | **Bob** |"),
        ("From: Ann Poe <a@x.org>\nTo: Bob Ray <b@x.org>\nDate: Tue, 4 Jun 2024 10:00:00 +0000\nSubject: Hi\n\nText.\n", "x.eml", "wrote to", "Bob Ray", "From: Ann Poe <a@x.org>\nTo: Bob Ray <b@x.org>"),
    ],
)  # fmt: skip
def test_fields_know_what_says_them(text: str, name: str, key: str, value: str, says: str) -> None:
    whole = parsed(text, name).text or ""
    found = [
        (one.value, whole[one.start : one.end])
        for record in records(text, name)
        for one in record.fields
        if one.key == key
    ]
    assert (value, says) in found


def test_names_are_declared() -> None:
    document = parsed("name,description\nAcme,Makes things.\nAcme,Again.\nBeta,\n", "companies.csv")
    assert [(one.name, one.kind, one.definition) for one in document.terms] == [
        ("Acme", "companies", "Makes things."),
        ("Beta", "companies", ""),
    ]


def test_long_tables_are_bounded() -> None:
    rows = "".join(f"{number},Person {number} Poe\n" for number in range(10_000))
    assert len(records("id,name\n" + rows, "people.csv")) == MAX_RECORDS
    assert (
        len(records("".join(json.dumps({"name": f"Ann {n} Poe", "a": 1}) + "\n" for n in range(5000)), "x.jsonl"))
        == MAX_RECORDS
    )
    table = "# X\n\n## People\n\n| Name | Age |\n|--|--|\n" + "".join(f"| Ann Poe {n} | 3 |\n" for n in range(5000))
    assert len(records(table, "x.md")) == MAX_RECORDS


@given(
    st.text(alphabet="ab:,;|-\"'{}[]&*!\n\t #AnPoe1.é\\", max_size=200),
    st.sampled_from(
        ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.yaml", "a.vcf", "a.ics", "a.eml", "a.md", "a.html", "a.toml"]
    ),
)
@settings(max_examples=400, deadline=None)
def test_no_text_is_too_odd(text: str, name: str) -> None:
    head = {
        "a.vcf": "BEGIN:VCARD\nFN:",
        "a.ics": "BEGIN:VEVENT\nSUMMARY:",
        "a.csv": "name,city\n",
        "a.eml": "From: ",
    }.get(name, "")
    document = parsed(head + text, name)
    for record in document_records(document, document_blocks(document)):
        assert 0 <= record.start <= record.end <= len(document.text or "")
        for one in record.fields:
            assert record.start <= one.start <= one.end <= len(document.text or "") or record.shape == "message"


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Reports To", "reports_to"), ("reportsTo", "reports_to"), ("reports-to", "reports_to"), ("GitHub", "github"),
        ("GitHub ID", "github_id"), ("YouTube channel", "youtube_channel"), ("LinkedIn", "linkedin"),
    ],
)  # fmt: skip
def test_a_key_has_one_spelling(written: str, key: str) -> None:
    assert key_word(written) == key


WG = """# Lamp Safety: Working Group Charter

```yaml
name: Lamp Safety
technical_leads:
- name: Ann Poe
  github: annp
bots:
- name: lamp-bot
  github: lamp-bot
areas:
- name: Lamp Shades
  approvers:
  - name: Bob Ray
    github: bobray
  - name: Ann Poe
    github: annp
```
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WG, [("Ann Poe", "person"), ("Bob Ray", "person"), ("Lamp Shades", "work area"), ("Lamp Safety Working Group", "group")]),
        (WG.replace("Bob Ray", "Jane Doe"), []),
        (WG.replace("annp", "<your-handle>"), []),
        ("# Lamps\n\n```yaml\nname: lamp\nmembers:\n- name: web\n  port: 80\n```\n", []),
        ("# Lamps\n\n```yaml\nname: [lamp\n```\n", []),
        # what belongs to the page is no thing
        ("# Lamps\n\n| Artifact | Link |\n|---|---|\n| Meeting Notes | [notes](https://x.org) |\n| Forum | TBD |\n", []),
        # what a text imagines, also where it comes again; what its reader puts into a form
        ("# Lamps\n\nImagine lamps of people:\n\n| Name | City |\n|---|---|\n| Ann Poe | Paris |\n\n## Turned\n\nIt turns:\n\n| Name | Role |\n|---|---|\n"
         "| Ann Poe | Chair |\n| Bob Ray | Lead |\n", [("Bob Ray", "")]),
        ("# Lamps\n\n## Example\n\n| Name | City |\n|---|---|\n| Ann Poe | Paris |\n| Bob Ray | Rome |\n", []),
        ("# Lamps\n\nThe data looks like this:\n\n| Name | City |\n|---|---|\n| Ann Poe | Paris |\n| Bob Ray | Rome |\n", []),
        ("# Lamps\n\nUse these values:\n\n| Setting | Value |\n|---|---|\n| Web Site | lamps.example |\n| Terms Of Use | none yet |\n", []),
        # who has a company is the person
        ("# Board\n\n| Company | Member | Profile |\n|---|---|---|\n| Acme | Ann Poe (Board Chair) | [@annp](https://github.com/annp) |\n"
         "| Acme | Bob Ray | [@bob](https://github.com/bob) |\n", [("Ann Poe", "member"), ("Bob Ray", "member")]),
    ],
)  # fmt: skip
def test_persons_of_blocks_and_tables(text: str, expected: list[tuple[str, str]]) -> None:
    assert named(text, "x.md") == expected


def test_places_of_a_block_are_those_of_the_text() -> None:
    for one in records(WG, "x.md"):
        assert one.fields
        assert WG[one.start :].startswith("name: ")
        assert all(WG[said.start :].startswith(f"{said.key}:") for said in one.fields)


def test_handles_of_persons() -> None:
    assert [(one.name, one.definition) for one in parsed(WG, "x.md").terms if one.kind == "profile"] == [
        ("Ann Poe", "@annp"), ("Bob Ray", "@bobray"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (
            "project,manager,start_date,budget\nHalcyon,Dana Reeve,2024-01-02,12\nTarn,Ann Lee,2024-02-02,5\n",
            "x.csv",
            [("Halcyon", "project"), ("Tarn", "project")],
        ),
        (
            "| Project | Manager | Budget |\n|---|---|---|\n| Halcyon | Dana Reeve | 12 |\n| Tarn | Ann Lee | 5 |\n",
            "x.md",
            [("Halcyon", "project"), ("Tarn", "project")],
        ),
        ("vessel,weight\nOrm,5\nTarn,6\n", "data.csv", [("Orm", "vessel"), ("Tarn", "vessel")]),
        ("vessel,weight\nOrm,5\nTarn,6\n", "ships.csv", [("Orm", "ships"), ("Tarn", "ships")]),
        ("| Part | Maker | Weight |\n|---|---|---|\n| Lamp-01 | Orm Works | 5 kg |\n", "x.md", [("Lamp-01", "part")]),
        ("status,weight\nOpen,5\nClosed,6\n", "data.csv", [("Open", ""), ("Closed", "")]),
        ("feature,weight\nGlass,5\nBrass,6\n", "data.csv", [("Glass", ""), ("Brass", "")]),
        ("| Option | Default |\n|---|---|\n| Glow | 1 |\n| Dim | 2 |\n", "x.md", []),
    ],
)
def test_a_first_column_says_what_its_rows_are(text: str, name: str, expected: list[tuple[str, str]]) -> None:
    assert named(text, name) == expected


_ROWS = [(f"Lamp-{number:05}", "Orm Works", f"{number} kg") for number in range(1, MAX_RECORDS + 2)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "Part,Maker,Weight\n" + "".join(",".join(row) + "\n" for row in _ROWS)),
        ("x.md", "| Part | Maker | Weight |\n|---|---|---|\n" + "".join(f"| {' | '.join(row)} |\n" for row in _ROWS)),
        ("x.jsonl", "".join(json.dumps({"name": row[0], "maker": row[1]}) + "\n" for row in _ROWS)),
    ],
)
def test_a_document_says_that_its_rows_were_cut(name: str, text: str) -> None:
    document = parsed(text, name)
    assert document.notes == ["It has many rows: the first 2,000 are records, the others are found by search."]
    assert (len(document.terms), document.terms[-1].name) == (MAX_RECORDS, "Lamp-02000")
    whole = parsed("".join(text.splitlines(keepends=True)[:-1]), name)
    assert (len(whole.terms), whole.notes) == (MAX_RECORDS, [])


_SHIPS = (
    "<table><tr><th rowspan=2>Ship</th><th colspan=2>Crew</th></tr><tr><th>Captain</th><th>Mate</th></tr>"
    "<tr><td>Orm</td><td>Ann Lee</td><td>Bob Ray</td></tr></table>"
)


@pytest.mark.parametrize("name", ["x.md", "x.html"])
def test_cells_of_merged_headers_are_fields(name: str) -> None:
    (record,) = records(f"{_SHIPS.replace('<td>Orm', '<td rowspan=1>Orm').replace('>Ship<', '>Company<')}\n", name)
    assert (record.name, [(one.key, one.value) for one in record.fields]) == (
        "Orm",
        [("Crew: Captain", "Ann Lee"), ("Crew: Mate", "Bob Ray")],
    )


@pytest.mark.parametrize(
    ("written", "value"),
    [("19700203", "1970-02-03"), ("1970-02-03", "1970-02-03"), ("--0203", "--0203")],
)
def test_a_birthday_of_a_card_is_a_date(written: str, value: str) -> None:
    (card,) = records(f"BEGIN:VCARD\nFN:Ann Lee\nBDAY:{written}\nEND:VCARD\n", "a.vcf")
    assert [(one.key, one.value) for one in card.fields] == [("birthday", value)]


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ('"[[Quarry Map]]"', ["Quarry Map"]),
        ("[[Quarry Map]]", ["Quarry Map"]),
        ('"[[people/Ann Lee|Ann]]"', ["Ann Lee"]),
        ('"[[quarry-map#Roads|The Map]]"', ["The Map"]),
        ('["[[Orm]]", "[[Tarn]]"]', ["Orm", "Tarn"]),
        ("\n  - [[Orm]]\n  - Tarn", ["Orm", "Tarn"]),
        ('"see [[Quarry Map]] and [[Orm]]"', ["see Quarry Map and Orm"]),
    ],
)
def test_links_of_front_matter_are_what_they_lead_to(written: str, values: list[str]) -> None:
    (record,) = records(f"---\nrelated: {written}\n---\n# Lamp\n\nIt burns.\n", "lamp.md")
    assert [(one.key, one.value) for one in record.fields] == [("related", value) for value in values]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Lamp\n====\n\n:Maintainer: Ann Lee\n\nIt burns.\n", [("Maintainer", "Ann Lee")]),
        (":Maintainer: Ann Lee\n:orphan:\n\nLamp\n====\n\nIt burns.\n", [("Maintainer", "Ann Lee")]),
        ("Lamp\n====\n\nIt burns.\n\n:Maintainer: Ann Lee\n\nAll night.\n", []),
        ("Lamp\n====\n\n:tocdepth: 2\n\nIt burns.\n", []),
    ],
)
def test_fields_at_the_top_of_restructuredtext_are_of_the_page(text: str, fields: list[tuple[str, str]]) -> None:
    found = records(text, "lamp.rst")
    assert [(said.key, said.value) for one in found for said in one.fields if one.of_page] == fields
