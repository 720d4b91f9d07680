"""What the keys of front matter, of inline fields and of records in files of their own say, and of whom."""

# Notes and tables stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.model import Extraction
from tests.extraction.read_texts import parsed

Fact = tuple[str, str, str]


def read(files: dict[str, str]) -> tuple[Extraction, set[Fact]]:
    """What the last of some files says, given the names of all: its facts, values in quotes, without what things are."""
    documents = [parsed(text, path) for path, text in files.items()]
    found = extract(documents[-1], make_gazetteer([stated_names(document) for document in documents]), "patterns")
    names = [entity.name for entity in found.entities]
    return found, {
        (names[fact.subject], fact.type, names[fact.object] if fact.object is not None else repr(fact.object_text))
        for fact in found.facts
        if fact.type != "IS_A"
    }


def test_an_owner_of_whom_nothing_is_known_is_told_beside_who_approved() -> None:
    text = "---\ntitle: Tarn Audit\nowner: Mara Lind\napproved_by: Tom Hale\n---\n# Tarn Audit\n\nIt was asked for by the board.\n"
    assert read({"a.md": text})[1] == {("Tarn Audit", "OWNER", "'Mara Lind'"), ("Tom Hale", "APPROVED", "Tarn Audit")}
    same = text.replace("Tom Hale", "[Tom Hale, Mara Lind]")
    assert ("Mara Lind", "OWNS", "Tarn Audit") in read({"a.md": same})[1]  # only persons approve


def test_when_somebody_looked_at_a_page_makes_no_entity_of_it() -> None:
    for key in ("last_reviewed: 2024-03-05", "owner: Mara Lind\nlast_reviewed_on: 2024-03-05"):
        found, _ = read({"a.md": f"---\ntitle: Asking for leave\n{key}\n---\nAsk your lead first.\n"})
        assert not found.facts and not found.entities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Quiet Harbour\n\n**Directed by**:: [[Ruth Berg]]\n\nShips go by (sound:: [[Nina Sand]]).\n",
         {("Ruth Berg", "DIRECTED", "Quiet Harbour"), ("Quiet Harbour", "SOUND", "Nina Sand")}),
        ("# Night Ferry\n\nstudio:: [[Corran Films]]\n\nIt was shown twice.\n", {("Night Ferry", "STUDIO", "Corran Films")}),
        ("# Quay Log\n\nlift:: a -> b\nsize:: {int}\n", set()),  # of a program
    ],
)  # fmt: skip
def test_links_of_inline_fields_lead_to_entities(text: str, expected: set[Fact]) -> None:
    beside = {"Nina Sand.md": "# Nina Sand\n\nNina Sand is a composer.\n"}
    documents = [parsed(one, path) for path, one in {**beside, "note.md": text}.items()]
    found = extract(documents[-1], make_gazetteer([stated_names(document) for document in documents]))
    names = [entity.name for entity in found.entities]
    facts = {(names[one.subject], one.type, names[one.object]) for one in found.facts if one.object is not None}
    assert facts == expected


@pytest.mark.parametrize("key", ["Eigenaar", "Właściciel", "Właścicielka", "Dueña", "Propietarios"])
def test_owners_in_more_languages(key: str) -> None:
    text = f"# Quay Gateway\n\n{key}: Anna Kowalska\nStatus: x1\n\nQuay Gateway routes calls.\n"
    assert ("Anna Kowalska", "OWNS", "Quay Gateway") in read({"a.md": text})[1]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("lampd.yaml", "name: lampd\nowner: Ruth Berg\ndepends_on:\n  - wickdb\n"),
        ("lampd.json", '{"name": "lampd", "owner": "Ruth Berg", "depends_on": ["wickdb"]}'),
        ("x.toml", 'title = "All"\n\n[[services]]\nname = "lampd"\nowner = "Ruth Berg"\ndepends_on = ["wickdb"]\n'),
        ("x.yml", "service: lampd\nowner: Ruth Berg\ndepends_on: wickdb\n"),
        ("services.csv", "Service,Owner,Depends on\nlampd,Ruth Berg,wickdb\noild,,\n"),
    ],
)
def test_what_somebody_owns_is_an_entity_by_a_word_in_small_letters(path: str, text: str) -> None:
    _, facts = read({"wickdb.yaml": "name: wickdb\nowner: Storage Team\n", path: text})
    assert facts == {("Ruth Berg", "OWNS", "lampd"), ("lampd", "REQUIRES", "wickdb")}


def test_machines_are_no_persons() -> None:
    found, facts = read({"hosts.yml": "- name: web-01\n  owner: Ruth Berg\n- name: web-02\n  owner: Tom Hale\n"})
    assert facts == {("Ruth Berg", "OWNS", "web-01"), ("Tom Hale", "OWNS", "web-02")}
    assert {one.name: one.type for one in found.entities}["web-01"] == "Product"


@pytest.mark.parametrize(
    "text",
    [
        "name: build\non: push\n",
        "name: lampd\nport: 80\n",
        "title: lampd\ntheme: dark\n",
        "name: billing\nowner: root\n",
    ],
)
def test_a_configuration_is_no_entity(text: str) -> None:
    assert not read({"x.yaml": text})[0].entities


def test_lines_of_json_are_records_whatever_the_file_is_called() -> None:
    text = '{"title": "Tarnwick", "owner": "Ruth Berg"}\n{"title": "Quay Gate", "owner": "Tom Hale"}\n'
    for path in ("items.jsonl", "items.ndjson", "items.json"):
        assert read({path: text})[1] == {("Ruth Berg", "OWNS", "Tarnwick"), ("Tom Hale", "OWNS", "Quay Gate")}


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.yaml", "name: lampd\nowner: Ruth Berg\n"), ("a.toml", 'name = "lampd"\nowner = "Ruth Berg"\n')],
)
def test_the_time_of_a_file_dates_no_fact(path: str, text: str) -> None:
    document = parse_document(text.encode(), path, mtime_ns=1_700_000_000 * 10**9)
    document.path = path
    assert document.date is not None
    (fact,) = extract(document, None, "patterns").facts
    assert fact.date is None


def test_identifiers_in_small_letters_recur() -> None:
    files = {
        "a.md": "The edge keeps RFC 7231, and CVE-2023-9999 hit it.\n",
        "b.md": "It uses rfc-7231. So cve-2023-9999 hit it, too.\n",
    }
    assert {entity.name for entity in read(files)[0].entities} == {"RFC 7231", "CVE-2023-9999"}


def test_the_sections_of_a_manual_page_are_no_entities() -> None:
    text = "% quayctl(8)\n\n# NAME\n\nquayctl - runs the quay\n\n# SYNOPSIS\n\n**quayctl** [*options*]\n"
    assert {one.name for one in read({"quayctl.8.md": text})[0].entities} <= {"quayctl"}


@pytest.mark.parametrize(("header", "type_"), [("Architect", "DESIGNED"), ("Composer", "COMPOSED")])
def test_columns_of_makers(header: str, type_: str) -> None:
    kind = "building" if header == "Architect" else "song"
    files = {
        "hall.md": f"# Paxton Hall\n\nPaxton Hall is a {kind} of 1844.\n",
        "ann.md": "# Ann Lee\n\nAnn Lee was a writer.\n",
        "list.md": f"# A list\n\n| {kind.title()} | {header} |\n|---|---|\n| Paxton Hall | Ann Lee |\n",
    }
    assert ("Ann Lee", type_, "Paxton Hall") in read(files)[1]


@pytest.mark.parametrize(
    ("head", "rows", "expected"),
    [
        ("<th>Name<th colspan=2>Owner", "<td rowspan=2>Orm Hall<td>Mara Lind<td>1990<tr><td>Tom Hale<td>2001",
         {("Mara Lind", "OWNS", "Orm Hall"), ("Tom Hale", "OWNS", "Orm Hall")}),
        ("<th>Name<th colspan=3>Owner", "<td>Orm Hall<td>Tom Hale<td>1990<td>2001", {("Tom Hale", "OWNS", "Orm Hall")}),
        ("<th>Name<th colspan=2>Owner", "<td>Orm Hall<td>Mara Lind<td>Tom Hale",
         {("Mara Lind", "OWNS", "Orm Hall"), ("Tom Hale", "OWNS", "Orm Hall")}),
    ],
)  # fmt: skip
def test_a_header_above_several_columns_names_the_first(head: str, rows: str, expected: set[Fact]) -> None:
    assert read({"halls.html": f"<h1>Halls</h1><table><tr>{head}<tr>{rows}</table>"})[1] == expected


SHIPS = "name,type,owner,captain,conductor\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("ships.csv", f"{SHIPS}Orm Fern,trawler,Corvin Brask,Jorun Voss,Copper Wire\nTarn Fern,ketch,Orm Films,Bob Lind,\n",
         {("Orm Fern", "IS_A", "'trawler'"), ("Corvin Brask", "OWNS", "Orm Fern"), ("Jorun Voss", "LEADS", "Orm Fern"), ("Orm Fern", "CONDUCTOR", "'Copper Wire'"),
          ("Tarn Fern", "IS_A", "'ketch'"), ("Tarn Fern", "OWNER", "'Orm Films'"), ("Bob Lind", "LEADS", "Tarn Fern")}),
        ("lines.csv", f"{SHIPS}Orm Line,internal,Deutsche Telekom,,\nTarn Line,external,Blue Sky Data,,\n",
         {("Orm Line", "OWNER", "'Deutsche Telekom'"), ("Tarn Line", "OWNER", "'Blue Sky Data'")}),
        ("hall.yaml", "name: Orm Hall\nowner: Graf Theo\nmanager: Jorun Voss\nmayor: Corvin Brask\n",
         {("Graf Theo", "OWNS", "Orm Hall"), ("Jorun Voss", "MANAGES", "Orm Hall"), ("Corvin Brask", "LEADS", "Orm Hall")}),
        ("Vik.md", "---\nmayor: Corvin Brask\n---\n# Vik\n\nVik is a town in Norway.\n", {("Corvin Brask", "OFFICIAL_OF", "Vik")}),
    ],
)  # fmt: skip
def test_keys_that_call_for_persons_name_them(name: str, text: str, expected: set[Fact]) -> None:
    found = extract(document := parse_document(text.encode(), name), make_gazetteer([stated_names(document)]))
    names = [entity.name for entity in found.entities]
    said = {
        (names[one.subject], one.type, names[one.object] if one.object is not None else repr(one.object_text))
        for one in found.facts
        if (one.type, one.object_text) != ("IS_A", "town") and one.type != "LOCATED_IN"
    }
    assert said == expected
    types = {entity.name: entity.type for entity in found.entities}
    assert {types[who] for who, type_, _ in said if type_ in ("OWNS", "LEADS", "MANAGES")} <= {"Person"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Orm\n\n| Gebäude | Baujahr | Architekt |\n|---|---|---|\n| Rathaus | 1880 | Hugo Brandt |\n| Villa Rose | 1902 | Anna Lind |\n",
         {("Rathaus", "BUILT_ON", "'1880'"), ("Hugo Brandt", "DESIGNED", "Rathaus"), ("Villa Rose", "BUILT_ON", "'1902'"), ("Anna Lind", "DESIGNED", "Villa Rose")}),
        ("# Bâtiments\n\n| Bâtiment | Année | Architecte |\n|---|---|---|\n| Hôtel Mercier | 1880 | Jean Duval |\n",
         {("Hôtel Mercier", "YEAR", "'1880'"), ("Jean Duval", "DESIGNED", "Hôtel Mercier")}),
        ("# 建筑\n\n| 名称 | 年份 |\n|---|---|\n| 东风塔 | 1980 |\n| 白云楼 | 1992 |\n", {("东风塔", "YEAR", "'1980'"), ("白云楼", "YEAR", "'1992'")}),
        ("# Plan\n\n| Aufgabe | Besitzer |\n|---|---|\n| Lampe | Anna Lind |\n| Docht | Hugo Brandt |\n", set()),
        ("# Orm\n\n| Schritt | Baujahr |\n|---|---|\n| Lampe | 1990 |\n| Docht | 1991 |\n", set()),
        ("---\nbesitzer: Graf Theo\n---\n# Orm\n\nOrm ist ein Schloss.\n", {("Graf Theo", "OWNS", "Orm")}),
        ("---\nbesitzer: Alte Mühle\n---\n# Orm\n\nOrm ist ein Schloss.\n", {("Orm", "OWNER", "'Alte Mühle'")}),
    ],
)  # fmt: skip
def test_headers_of_other_languages(text: str, expected: set[Fact]) -> None:
    document = parsed(text)
    found = extract(document, make_gazetteer([stated_names(document)]))
    names = [entity.name for entity in found.entities]
    assert expected == {
        (names[fact.subject], fact.type, names[fact.object] if fact.object is not None else repr(fact.object_text))
        for fact in found.facts
    }


def test_the_box_of_a_page_states_facts_of_its_entity() -> None:
    text = "# Orm Hall\n\n| Architect | Hugo Brandt |\n|---|---|\n| Capacity | 4,100 |\n| Launched | 1990 |\n\nOrm Hall is a hall.\n"
    assert read({"Orm_Hall.md": text})[1] == {
        ("Hugo Brandt", "DESIGNED", "Orm Hall"),
        ("Orm Hall", "CAPACITY", "'4,100'"),
        ("Orm Hall", "LAUNCHED_ON", "'1990'"),
    }
    assert not read({"how.md": text.replace("Orm Hall is a hall", "Fill it").replace("Orm Hall", "How to light it")})[1]


@pytest.mark.parametrize(
    ("lead", "expected"),
    [
        ("A short film about rain.", ("Vera Lunt", "DIRECTED", "Rainpipe")),
        ("A film on rain.", ("Vera Lunt", "DIRECTED", "Rainpipe")),
        ("A British film about rain.", ("Vera Lunt", "DIRECTED", "Rainpipe")),
        ("A museum of pipes.", ("Vera Lunt", "MANAGES", "Rainpipe")),
    ],
)
def test_a_lead_without_a_verb_shows_a_work(lead: str, expected: Fact) -> None:
    found, facts = read({"Rainpipe.md": f"---\ndirector: Vera Lunt\n---\n# Rainpipe\n\n{lead}\n"})
    assert expected in facts
    assert ("Work" in {one.type for one in found.entities}) == ("film" in lead)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("register.csv", "No.,Ship,Master,Owner\n101,Gannet,Jonas Wedel,Wedel & Sons\n102,Puffin,Piet Marlo,Olaf Voss\n",
         {("Jonas Wedel", "LEADS", "Gannet"), ("Wedel & Sons", "OWNS", "Gannet"), ("Piet Marlo", "LEADS", "Puffin"), ("Olaf Voss", "OWNS", "Puffin")}),
        ("register.md", "# Register\n\n| Vessel | Captain |\n|---|---|\n| Gannet | Jonas Wedel |\n| Puffin | Piet Marlo |\n",
         {("Jonas Wedel", "LEADS", "Gannet"), ("Piet Marlo", "LEADS", "Puffin")}),
        ("hardware.csv", "asset_id,hostname,owner\nA-1,web-01,Olaf Voss\nA-2,web-02,Olaf Voss\n",
         {("Olaf Voss", "OWNS", "web-01"), ("Olaf Voss", "OWNS", "web-02"), ("web-01", "ASSET_ID", "'A-1'"), ("web-02", "ASSET_ID", "'A-2'")}),
        ("vessel.yaml", "vessel: Orm Gannet\nmaster: Jonas Wedel\nowner: Wedel and Sons\n",
         {("Jonas Wedel", "LEADS", "Orm Gannet"), ("Wedel and Sons", "OWNS", "Orm Gannet")}),
        ("plan.md", "# Release 4\n\n| Owner | Status |\n|---|---|\n| Olaf Voss | Done |\n| Piet Marlo | Open |\n", set()),
        ("Orm.html", "<h1>Orm Press</h1><table><tr><th>Founded<td>1921; 103 years ago<tr><th>Founder<td>Olaf Voss</table><p>Orm Press is a company.",
         {("Orm Press", "FOUNDED_ON", "'1921'"), ("Olaf Voss", "FOUNDED", "Orm Press")}),
        ("Olaf.html", "<h1>Olaf Voss</h1><table><tr><th>Born<td>3 May 1890<br>Vik, Norway<tr><th>Nationality<td>Norwegian</table><p>Olaf Voss was a painter.",
         {("Olaf Voss", "BORN_ON", "'3 May 1890'"), ("Olaf Voss", "BORN_IN", "Vik"), ("Olaf Voss", "NATIONALITY", "'Norwegian'")}),
    ],
)  # fmt: skip
def test_registers_inventories_and_boxes(name: str, text: str, expected: set[Fact]) -> None:
    document = parse_document(text.encode(), name)
    found = extract(document, make_gazetteer([stated_names(document)]))
    names = [entity.name for entity in found.entities]
    assert expected == {
        (names[one.subject], one.type, names[one.object] if one.object is not None else repr(one.object_text))
        for one in found.facts
        if one.type != "IS_A"
    }


def test_what_only_sorts_a_record_is_not_what_it_is() -> None:
    text = '{"name": "lampd", "type": "%s", "license": "MIT", "author": "Olaf Voss"}'
    for type_, expected in (("module", []), ("Utilities", []), ("internal", []), ("Library", ["library"])):
        document = parse_document((text % type_).encode(), "package.json")
        facts = extract(document, make_gazetteer([stated_names(document)])).facts
        assert [fact.object_text for fact in facts if fact.type == "IS_A"] == expected
