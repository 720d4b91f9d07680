"""Facts that front matter, inline fields, files of one record and headers state, as somebody writes them by hand."""

# Notes and tables stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.model import Extraction

Fact = tuple[str, str, str]


def facts(extraction: Extraction) -> set[Fact]:
    names = [entity.name for entity in extraction.entities]
    return {
        (names[one.subject], one.type, names[one.object] if one.object is not None else repr(one.object_text))
        for one in extraction.facts
    }


def read(name: str, text: str, **others: str) -> set[Fact]:
    """The facts of a text; ``others`` are the texts beside it, by their names without the suffix."""
    document = parse_document(text.encode(), name)
    beside = [parse_document(other.encode(), f"{stem}.md") for stem, other in others.items()]
    gazetteer = make_gazetteer([stated_names(one) for one in (document, *beside)])
    return facts(extract(document, gazetteer, "patterns"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: Lumen\ntype: service\nowner: Ann Lee\napproved_by: Bob Lind\nclient: Orm Lamps\nreporter: Carla Voss\nseverity: high\nlast_reviewed: 2024-03-05\n---\n\nIt keeps lamps lit.\n",
         {("Ann Lee", "OWNS", "Lumen"), ("Bob Lind", "APPROVED", "Lumen"), ("Orm Lamps", "CLIENT_OF", "Lumen"), ("Carla Voss", "REPORTED", "Lumen"),
          ("Lumen", "SEVERITY", "'high'"), ("Lumen", "LAST_REVIEWED", "'2024-03-05'")}),
        ("---\ntitle: Harbour outage\nseverity: SEV-2\nreporter: Bob Lind\nlast_reviewed: 2024-05-06\nclient: Carla Voss\n---\n\nIt was dark for two hours.\n",
         {("Harbour outage", "SEVERITY", "'SEV-2'"), ("Bob Lind", "REPORTED", "Harbour outage"), ("Harbour outage", "LAST_REVIEWED", "'2024-05-06'"),
          ("Carla Voss", "CLIENT_OF", "Harbour outage")}),
    ],
)  # fmt: skip
def test_front_matter_names_clients_and_reporters(text: str, expected: set[Fact]) -> None:
    assert expected <= read("note.md", text)


def test_front_matter_of_persons_has_their_roles() -> None:
    note = "---\ntitle: Ann Lee\nrole: Staff Engineer\n---\n\nAnn Lee is an engineer from Oslo.\n"
    assert ("Ann Lee", "ROLE", "'Staff Engineer'") in read("ann.md", note)


@pytest.mark.parametrize("client", ["Web App", "curl", "Firefox"])
def test_a_client_may_be_a_program(client: str) -> None:
    note = f"---\ntitle: Lumen\ntype: service\nclient: {client}\n---\n\nIt keeps lamps lit.\n"
    assert not {type_ for _, type_, _ in read("note.md", note)} & {"CLIENT_OF"}


ANN, BOB = "# Ann Lee\n\nAnn Lee is a director.\n", "# Bob Lind\n\nBob Lind is a producer.\n"


def test_inline_fields_are_said_of_their_note() -> None:
    note = "# Night Train\n\ndirector:: [[Ann Lee]]\nyear:: 1999\nIt was shown (producer:: [[Bob Lind]]) in Oslo, and [publisher:: Orm Films] sold it.\n"
    found = read("Night Train.md", note, ann=ANN, bob=BOB)
    assert {("Night Train", "DIRECTOR", "Ann Lee"), ("Night Train", "PRODUCER", "Bob Lind"), ("Night Train", "YEAR", "'1999'"),
            ("Orm Films", "PUBLISHED", "Night Train")} <= found  # fmt: skip
    note = "---\ntype: project\n---\n\n- **owner**:: [[Ann Lee]]\n- status:: active\n\nWe move it. [lead:: [[Bob Lind|Bob]]]\n"
    found = read("Harbour Move.md", note, ann=ANN, bob=BOB)
    assert {
        ("Ann Lee", "OWNS", "Harbour Move"),
        ("Harbour Move", "STATUS", "'active'"),
        ("Bob Lind", "LEADS", "Harbour Move"),
    } <= found


@pytest.mark.parametrize(
    "note",
    [
        "# Films\n\n## Night Ferry\n\ndirector:: [[Ann Lee]]\n\n## Blue Door\n\ndirector:: [[Bob Lind]]\n",  # of each section
        "# Code\n\nIt has `owner:: Ann Lee` and std::move.\n\n```\nowner:: Ann Lee\n```\n",
        "# List\n\n- [ ] Call Ann (owner:: Ann Lee)\n",  # of the task
    ],
)
def test_what_is_no_inline_field_of_a_note(note: str) -> None:
    assert not read("note.md", note, ann=ANN, bob=BOB)


@pytest.mark.parametrize("key", ["Besitzer", "Besitzerin", "Titolare", "Détenteur", "Собственник", "持ち主"])
def test_owners_in_other_languages(key: str) -> None:
    assert ("Anna Müller", "OWNS", "Hafenlampe") in read("a.md", f"# Hafenlampe\n\n{key}: Anna Müller\nStatus: offen\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lumen.yaml", "name: lumen\nowner: Ann Lee\ndepends_on:\n- tarn-db\n"),
        ("service.yml", "# what it is\nname: lumen\ndescription: Lights.\nowner: Ann Lee\ndepends_on: [tarn-db]\n"),
        ("lumen.toml", '# what it is\nname = "lumen"\nowner = "Ann Lee"\ndepends_on = [\n  "tarn-db",\n]\n\n[build]\ncommand = "make"\n'),
        ("lumen.json", '{"name": "lumen", "owner": "Ann Lee", "depends_on": ["tarn-db"]}'),
    ],
)  # fmt: skip
def test_a_file_may_be_one_record(name: str, text: str) -> None:
    found = read(name, text, tarn="---\ntitle: tarn-db\ntype: service\n---\n\nIt stores.\n")
    assert found == {("Ann Lee", "OWNS", "lumen"), ("lumen", "REQUIRES", "tarn-db")}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mkdocs.yml", "name: docs\ntheme: material\n"),
        ("environment.yml", "name: lamps\nchannels: [main]\ndependencies: [python]\n"),
        ("pyproject.toml", '[project]\nname = "lamper"\n'),
    ],
)
def test_a_configuration_is_no_record(name: str, text: str) -> None:
    assert not read(name, text)


def test_toml_has_lists_of_records() -> None:
    text = 'title = "ports"\n\n[[harbours]]\nname = "Old Quay"\nowner = "Ann Lee"\n\n[[harbours]]\nname = "New Quay"\nowner = "Bob Lind"\nopened = 2001-05-06\n'
    assert read("ports.toml", text) == {
        ("Ann Lee", "OWNS", "Old Quay"),
        ("Bob Lind", "OWNS", "New Quay"),
        ("New Quay", "OPENED", "'2001-05-06'"),
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("films.jsonl", '{"title": "Night Train", "director": "Ann Lee"}\n{"title": "Blue Lamp", "director": "Bob Lind"}\n'),
        ("films.ndjson", '{"id": 1, "title": "Night Train", "director": "Ann Lee"}\n{"id": 2, "title": "Blue Lamp", "director": "Bob Lind"}\n'),
    ],
)  # fmt: skip
def test_lines_of_json_may_have_titles(name: str, text: str) -> None:
    assert read(name, text) == {("Ann Lee", "DIRECTED", "Night Train"), ("Bob Lind", "DIRECTED", "Blue Lamp")}


def test_columns_of_owners_and_bosses_join() -> None:
    rows = "name,owner,boss\nHarbour Ledger,Ann Lee,Bob Lind\nQuay Mailer,Halvard Oberlin,Carla Voss\n"
    assert read("data.csv", rows) == {
        ("Ann Lee", "OWNS", "Harbour Ledger"), ("Harbour Ledger", "REPORTS_TO", "Bob Lind"),
        ("Halvard Oberlin", "OWNS", "Quay Mailer"), ("Quay Mailer", "REPORTS_TO", "Carla Voss"),
    }  # fmt: skip
    people = "name,city,boss\nAnn Lee,Rome,Bob Lind\nXara Quist,Oslo,Ann Lee\n"
    assert {("Ann Lee", "REPORTS_TO", "Bob Lind"), ("Xara Quist", "REPORTS_TO", "Ann Lee")} <= read("x.csv", people)


def test_a_column_of_owners_may_hold_bodies() -> None:
    rows = "name,owner\nHarbour Ledger,Ann Lee\nQuay Mailer,Hapag Lloyd\nNight Portal,Orm Lamps\n"
    assert read("data.csv", rows) == {
        ("Ann Lee", "OWNS", "Harbour Ledger"), ("Quay Mailer", "OWNER", "'Hapag Lloyd'"),
        ("Night Portal", "OWNER", "'Orm Lamps'"),
    }  # fmt: skip


CORRAN = "# Corran Lines\n\nFerries to the north since 1901. Head office by the harbour.\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ship.yaml", "name: Orm Star\nowner: Corran Lines\n"),
        ("ships.csv", "name,owner\nOrm Star,Corran Lines\nOrm Queen,Corran Lines\n"),
        ("star.md", "---\ntitle: Orm Star\nowner: Corran Lines\n---\n\nThe old ferry.\n"),
        ("pier.md", "# Orm Star\n\nOwner: Corran Lines\nStatus: open\n"),
    ],
)
def test_an_owner_that_has_a_page_is_that_page(name: str, text: str) -> None:
    assert ("Corran Lines", "OWNS", "Orm Star") in read(name, text, corran=CORRAN)


def test_headers_name_others_of_their_series_by_number() -> None:
    header = "PEP: {}\nTitle: {}\nAuthor: Tom Poe <c@b.org>\nStatus: Final\nType: Standards Track\n{}\n\nAbstract\n========\n\nIt says how.\n"
    texts = [
        header.format(703, "Locks Optional", ""),
        header.format(779, "Free Threads", "Requires: 703\nSuperseded-By: 703, 684\n"),
    ]
    documents = [
        parse_document(text.encode(), f"pep-0{number}.rst")
        for text, number in zip([*texts, header.format(684, "A Lock Each", "")], (703, 779, 684), strict=True)
    ]
    found = facts(extract(documents[1], make_gazetteer(map(stated_names, documents)), "patterns"))
    assert {
        ("PEP 779", "REQUIRES", "PEP 703"),
        ("PEP 703", "REPLACES", "PEP 779"),
        ("PEP 684", "REPLACES", "PEP 779"),
    } <= found
    note = "# ADR 7: Use queues\n\n- Status: accepted\n- Supersedes: 3\n"
    assert ("ADR 7", "REPLACES", "ADR 3") in read("adr-0007.md", note, adr3="# ADR 3: Use tables\n\n- Status: old\n")
    assert ("ADR 7", "SUPERSEDES", "'3'") in read("adr-0007.md", note)  # nothing is known of ADR 3


@pytest.mark.parametrize("name", ["RFC 9110", "CVE-2024-1234", "JIRA-123"])
def test_an_identifier_on_two_pages_is_an_entity(name: str) -> None:
    documents = [
        parse_document(f"# {title}\n\nIt follows {name} closely.\n".encode(), f"{title}.md") for title in ("One", "Two")
    ]
    gazetteer = make_gazetteer(map(stated_names, documents))
    assert all(
        name in [one.name for one in extract(document, gazetteer, "patterns").entities] for document in documents
    )


def test_brackets_of_toml_are_no_links() -> None:
    document = parse_document(b'[[harbour]]\nname = "Old Quay"\nowner = "Ann Lee"\n', "ports.toml")
    names = {one.name for one in extract(document, make_gazetteer([stated_names(document)]), "patterns").entities}
    assert names == {"Old Quay", "Ann Lee"}
