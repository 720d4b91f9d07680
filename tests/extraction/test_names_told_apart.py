"""Names that judges found wrong: posts, headings, software taken for firms, values and labels taken for somebody."""

from __future__ import annotations

from collections import Counter

import pytest

from kgfs.documents.labelled_links import labelled_links
from kgfs.documents.markup import plain_sentence, strip_lead
from kgfs.documents.suggestions.site_names import OFFICIAL_SITE, SITE, site_names
from kgfs.documents.suggestions.speakers import speakers
from kgfs.extraction.extractor import extract
from kgfs.extraction.names import capitals, tagging
from kgfs.extraction.names.boundaries import cleaned_spans
from kgfs.extraction.names.declared.defined_terms import defined_term
from kgfs.extraction.names.declared.gazetteer import (
    document_page,
    document_subject,
    entity_type,
    is_own_type,
    make_gazetteer,
    stated_names,
)
from kgfs.extraction.names.declared.page_names import PAGE, named_page
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.extraction.names.evidence import may_be_person
from kgfs.extraction.names.fragments import is_in_path, is_method
from kgfs.extraction.names.kinds import said_kind
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.namesakes import means_other, meant_place, state_names
from kgfs.extraction.names.people.posts import without_post
from kgfs.extraction.names.software import is_software
from kgfs.extraction.names.verdict import is_unexplained, name_verdict
from kgfs.graph.name_forms import name_forms
from kgfs.model import DefinedTerm, Evidence, Extraction
from tests.extraction.read_texts import parsed, read

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


def names(found: Extraction) -> set[tuple[str, str]]:
    return {(entity.name, entity.type) for entity in found.entities}


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("Orm University Summer Research Fellow", "Orm University"), ("Bank of Orm Vice President", "Bank of Orm"),
        ("Google Software Engineer", "Google"), ("Google Cloud Architect", ""), ("Orm University", ""),
        ("American Society of Newspaper Editors", ""), ("Orm Lamp Fellow", ""),
    ],
)  # fmt: skip
def test_a_post_is_no_part_of_the_name_before_it(name: str, body: str) -> None:
    assert without_post(name) == body


@pytest.mark.parametrize(
    ("name", "two"),
    [
        ("Lamp Committee and Oil Board", True), ("Department of Lamps and Department of Oil", True),
        ("Board of Directors and Core Team", True),
        ("Department of Lamps and Oil", False), ("Lamp and Oil Board", False), ("Lamp or Oil Board", None),
    ],
)  # fmt: skip
def test_two_bodies_or_one(name: str, two: bool | None) -> None:
    found = [name[span.start : span.end] for span in cleaned_spans(name, 0, len(name), "Organization")]
    assert found == ([] if two is None else name.split(" and ") if two else [name])


@needs_tagger
def test_items_name_persons_before_their_posts() -> None:
    text = "# Lampd\n\n- **Cyra Hodel**: Venture Partner\n- **[Nils Mial](https://x.org)** (he) – co-founder of Lampd\n"
    text += "- **Audio Recording**: the file\n- **Lamp Works**: Partner\n- **Oil Can**: a can of oil\n"
    assert {name for name, type_ in names(read(text)) if type_ == "Person"} == {"Cyra Hodel", "Nils Mial"}


@pytest.mark.parametrize(
    ("raw", "name", "part"),
    [
        ("Set TZ=Lamps/Berlin here.", "Berlin", True), ("Set TZ=Berlin here.", "Berlin", True),
        ("Write to +Berlin today.", "Berlin", True), ("In Oslo + Berlin", "Berlin", False),
        ("Oslo/Berlin", "Berlin", False), ("x = Berlin", "Berlin", False),
    ],
)  # fmt: skip
def test_values_and_handles_are_no_names(raw: str, name: str, part: bool) -> None:
    content = plain_sentence(raw)
    start = content.text.index(name)
    assert is_in_path(content, start, start + len(name)) == part


@pytest.mark.parametrize(
    ("lead", "type_"),
    [
        ("Lampd is a git client for lamps.", "Product"), ("Lampd is a Node.js framework.", "Product"),
        ("Lampd is a toolchain installer.", "Product"), ("Lampd is a task runner.", "Product"),
        ("The Wick is a 7 member body, overseeing lamps.", "Organization"),
        ("The Wick is a seven-member panel.", "Organization"),
        ("Lampia is a member state of the Oil League.", "Location"),
        ("Cyra Hodel is a founding member of Acme.", "Person"),
    ],
)  # fmt: skip
def test_kinds_of_leads(lead: str, type_: str) -> None:
    said = said_kind(lead)
    assert said is not None and said.type == type_


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("Data backups in Lampd", "We copy it.", "Document"),
        ("Restore lamps from backup", "The lamps are made of glass.", "Document"),
        ("Contact Lamp Platform team", "They look after it.", "Document"),
        ("Responsibilities for on-call", "Wait.", "Document"),
        ("The Mission", "We light lamps.", "Document"),
        ("Sig-lamp Meeting Agenda", "First comes oil.", "Document"),
        ("A brief history of Lampd", "A brief history of Lampd is hard to write.", "Document"),
        ("WG lamp oil", "They meet.", "Organization"),
        ("2019 Lamp Summit CN", "We met.", "Event"),
        ("Nils Mial Bio", "I am a lamplighter.", "Person"),
        ("Nils Mial Candidate Profile", "I am a lamplighter.", "Person"),
        ("Regular Events", "We meet.", ""),
        ("Lamp Delivery Network", "We use one.", "Technology"),
        ("Lampion", "The Lampers offer Lampion as another light platform.", "Product"),
        ("Zora Qvist", "I have been a lamplighter for years.", "Person"),
        ("Zendesk", "Zendesk is a system for tickets.", "Product"),
    ],
)
def test_what_a_title_names(title: str, lead: str, type_: str) -> None:
    found = document_page(parsed(f"# {title}\n\n{lead}\n", "docs/page.md"))
    assert found is not None and found.type == type_


def test_a_page_called_by_its_acronym() -> None:
    found = document_subject(parsed("# OLL\n\nThe goals of the Open Lamp License (OLL) are to light.\n"))
    assert found is not None and (found.name, found.aliases, found.type) == ("Open Lamp License", ["OLL"], "License")


@pytest.mark.parametrize("path", ["data.html.md", "apps.csv.md"])
def test_the_name_of_a_file_is_no_name(path: str) -> None:
    assert document_subject(parsed("Some lamps shine.\n", path)) is None


@needs_tagger
@pytest.mark.parametrize(
    ("title", "lead", "thing"),
    [
        ("Icon Legend", "The colours say it.", False), ("Lampd cluster health", "The alert says it.", False),
        ("Icon Legend", "An icon legend is a list of icons.", True), ("Lampd Quorx", "The alert says it.", True),
    ],
)  # fmt: skip
def test_headings_are_pages_where_no_page_says_what_they_are(title: str, lead: str, thing: bool) -> None:
    first, second = f"# {title}\n\n{lead}\n", f"We saw the {title} today, and it was good.\n"
    for texts in ([first], [first, second]):
        assert (title in {name for name, _ in names(read(*texts))}) == thing


@needs_tagger
def test_a_heading_to_which_a_link_leads_is_a_thing() -> None:
    found = read("# Icon Legend\n\nThe colours say it.\n", "We saw the [[Icon Legend]] today.\n")
    assert ("Icon Legend", "Concept") in names(found)


@pytest.mark.parametrize(
    ("name", "kind", "type_"),
    [
        ("Event Lead", "person", None), ("Modern standards", "developers", None), ("Oil, and Light", "person", None),
        ("Independent", "company", None),
        ("Zora Qvist", "person", "Person"), ("oil_report", "apps", "Identifier"), ("sig-lamp", "channels", "Concept"),
        ("Main navigation", "record", None), ("Run lampd with oil", "record", None), ("About Me", "record", None),
        ("2026 Lamp Election", "record", "Event"),
    ],
)  # fmt: skip
def test_records_that_name_something(name: str, kind: str, type_: str | None) -> None:
    found = record_entity(DefinedTerm(name=name, kind=kind))
    assert (None if found is None else found.type) == type_


@pytest.mark.parametrize(
    ("name", "definition", "type_"),
    [
        ("Lamp layout", "The local and remote backends are made of files.", ""),
        ("Back end lamplighter", "The people who light the back of a lamp.", "Concept"),
        ("Lamps and Oil", "Lamps and Oil is a division of Acme.", "Organization"),
    ],
)
def test_what_a_definition_says(name: str, definition: str, type_: str) -> None:
    found = defined_term(DefinedTerm(name=name, definition=definition))
    assert found is not None and found.type == type_


def test_templates_define_nothing() -> None:
    assert defined_term(DefinedTerm(name="Brightness", definition="Level 01. Light it: find the switch.")) is None
    assert defined_term(DefinedTerm(name="Used by", definition="<% lamps.each do |lamp| %>")) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We use [Lampion](https://lampion.io).", SITE),
        ("[Lampion](https://lampion.io) is a global community of lamplighters.", OFFICIAL_SITE),
        ("[Lampion](https://lampion.io) is a lamp for an organization.", SITE),
        ("## Adopters\n\n* [Lampion](https://lampion.io)\n", OFFICIAL_SITE),
        ("Our adopters are:\n\n* [Oil](https://x.org)\n* [Lampion](https://lampion.io)\n", OFFICIAL_SITE),
        ("| Who | Company |\n|---|---|\n| A | [Lampion](https://lampion.io) |\n", OFFICIAL_SITE),
        ("| Tool | Company |\n|---|---|\n| [Lampion](https://lampion.io) | A |\n", SITE),
    ],
)
def test_sites_of_firms(text: str, kind: str) -> None:
    assert [term.kind for term in site_names(text, labelled_links(text)) if term.name == "Lampion"] == [kind]


@pytest.mark.parametrize(
    ("name", "software"),
    [
        ("N-API", True), ("Lamp Frontend", True), ("LampDB", True), ("Object Storage Service", True),
        ("Crown Lamp Service", False), ("Lamp Finder", False),
    ],
)  # fmt: skip
def test_words_that_name_software(name: str, software: bool) -> None:
    assert is_software(name) == software


@needs_tagger
def test_what_is_also_called_as_programs_are() -> None:
    code = "Run `lampCtl`, `lampGet`, `lampSet`, `lampPut` and `lamp-finder`."
    text = (
        f"# Quorx\n\n{code} Search is shown by Lamp Finder. Lamp Finder queries it. The request goes to Lamp Finder.\n"
    )
    assert ("Lamp Finder", "Organization") not in names(read(text))


@pytest.mark.parametrize(
    ("name", "cue"),
    [
        ("SIG Lamps", "Organization"), ("SIG Lamps Input", None), ("SIG Leads", None),
        ("Lamp Forum India", "Event"), ("Lamp Summit 2023", "Event"),
    ],
)  # fmt: skip
def test_groups_and_what_they_have(name: str, cue: str | None) -> None:
    found = capitals.type_cue(name)
    assert (None if found is None else found[0]) == cue


@pytest.mark.parametrize(("name", "person"), [("Regular WG Meeting", False), ("TJ Lind", True), ("Open JS", False)])
def test_letters_in_names_of_persons(name: str, person: bool) -> None:
    assert may_be_person(name) == person


@pytest.mark.parametrize(
    ("evidence", "type_"),
    [
        (Evidence(seen=9, types={"Organization": 9}, single=True, acts=2), "Organization"),
        (Evidence(seen=9, types={"Organization": 9}, single=True, acts=2, against={"speaks": 1}), None),
        (Evidence(seen=9, types={"Organization": 6, "Person": 3}, single=True, acts=2), None),
        (Evidence(seen=9, types={"Organization": 9}, single=True, against={"beside": 1}), "Product"),
        (Evidence(seen=9, types={"Organization": 9}, single=True, acronym=True, against={"beside": 1}), None),
    ],
)
def test_one_word_that_the_tagger_takes_for_a_body(evidence: Evidence, type_: str | None) -> None:
    found = name_verdict(evidence)
    assert (None if found is None else found.type) == type_


@needs_tagger
def test_a_given_name_is_the_person_of_the_document() -> None:
    found = read("# Lampd\n\nQuorxi Papirov joined Acme Inc. in 2019. Then Quorxi said that it works.\n")
    assert "Quorxi" not in {name for name, _ in names(found)}


def test_letters_with_signs_are_one_name() -> None:
    one, two = (set(name_forms(name, name.casefold(), "Person", False)) for name in ("Zoë Lind", "Zoe Lind"))
    assert any(form.rule == "spelling" for form in one & two)


def test_an_alias_that_is_an_address_is_no_name() -> None:
    page = "---\naliases:\n- /about/lamps/\n- about/oil/\n- Lampions\n---\n# Lampion\n\nLampion is a software tool.\n"
    found = document_subject(parsed(page))
    assert found is not None and found.aliases == ["Lampions"]


def test_several_of_what_everybody_knows_are_no_other_thing() -> None:
    found = document_subject(parsed("# Etherpads\n\nWe take notes in them.\n"))
    assert found is not None and (found.name, found.type) == ("Etherpad", "Product")


@pytest.mark.parametrize(
    ("name", "type_", "bare"), [("SC", "Concept", True), ("EU", "Organization", False), ("AI", "Concept", False)]
)
def test_letters_that_nothing_explains(name: str, type_: str, bare: bool) -> None:
    assert is_unexplained(name, type_) == bare


@pytest.mark.parametrize(
    ("text", "start", "other"),
    [
        ('He wrote for "New York" magazine.', 14, True), ('She left "New York" and "Reno".', 10, True),
        ("The Mississippi and Tarn rivers rose.", 4, True), ("The Mississippi River rose.", 4, True),
        ('It is from the 1927 play "New York".', 26, True), ("It is the New York-New York Hotel.", 10, True),
        ("Farms in Mississippi and Reno rose.", 9, False),
    ],
)  # fmt: skip
def test_a_place_is_no_river_and_no_magazine(text: str, start: int, other: bool) -> None:
    name = "New York" if "York" in text else "Mississippi"
    assert means_other(name, "Location", text, start, start + len(name)) is other


@pytest.mark.parametrize(
    ("name", "type_", "text", "other"),
    [
        ("Minneapolis", "Location", "flights through Minneapolis-St. Paul rose", True),
        ("Minneapolis", "Location", "the Minneapolis-based firm", False),
        ("Chicago", "Location", 'She had roles in "Chicago" (1977) and others.', True),
        ("America", "Location", "He works at Code for America now.", True),
        ("America", "Location", "He went to America.", False),
        ("Orm", "Location", "They met at Orm Hall.", True),
        ("Orm", "Location", "The Orm Slingers won.", True),
        ("Orm", "Location", "Near Orm Peter Lee lives.", False),
        ("Lampon", "Product", "Lampon-2 is newer.", True),
        ("Lampon", "Product", "A Lampon-based tool.", False),
        ("Sofia", "Location", "Ask Sofia (@sofiaorm) for lamps.", True),
        ("USA", "Location", "Call 1-844-USA-LAMP today.", True),
        ("Orm (1962 film)", "Work", 'It is based on the novel "Orm" by Ann Lee.', True),
        ("Orm (1962 film)", "Work", 'He plays in the film "Orm" and others.', False),
        ("Orm (Bleak Lamps album)", "Work", 'They sang the song "Orm" there.', True),
    ],
)
def test_what_stands_beside_a_name_shows_another_thing(name: str, type_: str, text: str, other: bool) -> None:
    said = name.partition(" (")[0]
    start = text.index(said)
    assert means_other(name, type_, text, start, start + len(said)) is other


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Wheat in eastern Washington and Idaho is dry.", {"Washington": "Washington State"}),
        ("Firms in Washington, D.C., and in Idaho are busy.", {}),
        ("A grower in Washington has apples.", {}),
    ],
)
def test_which_washington_a_text_speaks_of(text: str, names: dict[str, str]) -> None:
    assert state_names(text) == names


@pytest.mark.parametrize(
    ("text", "name", "method"),
    [
        ("Override the GetLamp and SetLamp methods.", "GetLamp", True), ("The GetLamp method lights.", "GetLamp", True),
        ("GetLamp has methods.", "GetLamp", False), ("The Lamp method is old.", "Lamp", False),
    ],
)  # fmt: skip
def test_methods_of_code_are_no_names(text: str, name: str, method: bool) -> None:
    assert is_method(text, text.index(name), text.index(name) + len(name)) is method


@needs_tagger
def test_a_county_of_another_state_is_another_one() -> None:
    page = "# Tarn County, Maine\n\nTarn County is a county in the state of Maine, in the United States.\n"
    found = names(
        read(
            page,
            "# Orm, Illinois\n\nOrm is in Tarn County, Illinois, United States. It is the seat of Tarn County.\n",
        )
    )
    assert ("Tarn County, Maine", "Location") not in found
    assert ("Tarn County, Illinois", "Location") in found
    found = names(read(page, "# Reno, Maine\n\nReno is a city in Tarn County, Maine, United States.\n"))
    assert ("Tarn County, Maine", "Location") in found


@needs_tagger
def test_what_a_page_says_of_a_film_describes_no_town() -> None:
    found = read("# Chicago (2002 film)\n\nChicago is a 2002 film about two singers in Chicago in the 1920s.\n")
    assert {entity.name: entity.description for entity in found.entities}["Chicago"] == ""


@needs_tagger
def test_a_magazine_that_is_called_as_a_country_has_its_bracket_only() -> None:
    page = "# America (magazine)\n\nAmerica is a weekly magazine published by the Jesuits.\n"
    assert ("America (magazine)", "Work") not in names(read(page, "# Ann Lind\n\nAnn Lind came to America in 1891.\n"))


@needs_tagger
def test_brands_of_a_people_are_made_by_nobody() -> None:
    found = read("# Ann Lind\n\nAnn Lind worked for German media and brands including Hanro, Laurel and Talbot.\n")
    assert "German" not in {name for name, _ in names(found)}


def test_pages_of_ordinary_words_are_what_their_siblings_are() -> None:
    pages = ["TarnList Element", "TarnRow Element", "OrmControl Element", "View Element"]
    found = make_gazetteer([stated_names(parsed(f"# {title}\n\nDefines what is shown.\n", f"{place}.md"))
                            for place, title in enumerate(pages)])  # fmt: skip
    assert {entry.name: entry.unsaid for entry in found.entries}["View Element"] is False


@needs_tagger
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Open the Self Service application.", True), ("Open Self Service and wait a minute.", True),
        ("Ask in the GSA IT Self Service Portal today.", False), ("Click on GCIMS Self Service on the left.", False),
    ],
)  # fmt: skip
def test_a_thing_of_ordinary_words_is_no_part_of_a_longer_name(text: str, named: bool) -> None:
    page = "# Self Service\n\nSelf Service is an application that installs software.\n"
    assert (("Self Service", "Product") in names(read(page, f"# Lamps\n\nGSA is an agency.\n\n{text}\n"))) is named


def test_what_is_online_is_a_site() -> None:
    (entity,) = read("# Online Lamp University\n\nThe university is the home of our courses.\n").entities
    assert (entity.name, entity.type) == ("Online Lamp University", "Product")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("He lives in Orm, New York.", "New York State"), ("Farms in upstate New York are dry.", "New York State"),
        ("It is in Tarn County, New York, United States.", "New York State"), ("She left New York.", "New York"),
        ("They are in Boston, New York, and Chicago.", "New York"),
        ("It is in Tarn County, New York, and open.", "New York State"),
        ("In Ohio, New York and Iowa.", "New York State"),
        ("Lee, Ann, New York: Lamp Press.", "New York"),
        ("From London, New York and Paris.", "New York"),
    ],
)  # fmt: skip
def test_which_new_york_is_meant(text: str, meant: str) -> None:
    start = text.index("New York")
    assert meant_place("New York", text, start, start + len("New York")) == meant


def counted(text: str) -> dict[str, int]:
    """How often each entity of a text stands in it."""
    found = read(text)
    counts: Counter[str] = Counter()
    for mention in found.mentions:
        counts[found.entities[mention.entity].name] += mention.count
    return dict(counts)


@needs_tagger
def test_a_place_counts_nowhere_inside_a_longer_name() -> None:
    text = "Orm Airport serves Maine. Boats leave Maine for Reno. The Maine Lamp Foundation gave oil; see 31 U.S.C. 13."
    found = counted(text)
    assert found["Maine"] == 2
    assert "United States" not in found


@needs_tagger
def test_a_team_that_goes_by_its_place_is_no_place() -> None:
    found = counted("# 2005 Oregon Ducks football team\n\nThe 2005 Oregon Ducks football team won. Oregon was 8-1.")
    assert "Oregon" not in found


@needs_tagger
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('William Henry "Bill" Orm founded Acme Lamps in 1975.', "Bill Orm"),
        ('Eric "Winkle" Orm founded Acme Lamps in 1975.', "Eric Orm"),
        (
            '# Tom Orm\n\nThomas Leo "Tom" Orm Jr. (April 12, 1947 – May 1, 2013) was a novelist.',
            "Tom Orm",
        ),
    ],
)
def test_what_somebody_is_called_inside_the_name(text: str, name: str) -> None:
    people = [entity for entity in read(text).entities if entity.type == "Person"]
    assert [entity.name for entity in people] == [name]
    assert not {"Bill", "Tom", "Thomas Leo"}.intersection(people[0].aliases)


@pytest.mark.parametrize(("members", "open_"), [(1, False), (2, True)])
def test_a_page_that_has_a_team_is_typed_by_its_texts(members: int, open_: bool) -> None:
    named = NameFindings("Engineering", votes={PAGE: 1.0})
    named.uses["members"] = members
    assert Lexicon(parsed("# Engineering\n"), make_gazetteer([])).is_untyped(named) is open_


@needs_tagger
def test_a_trade_that_is_a_surname_is_nobody_else() -> None:
    text = "# Android\n\nAndroid was founded by Andy Rubin, Rich Miner and Nick Sears in 2003."
    assert ("Rich Miner", "Person") in names(read(text))


@pytest.mark.parametrize(
    ("title", "path", "name"),
    [
        ("Frequently Asked Questions", "travel/lamp-guide-faq.md", "Lamp guide FAQ"), ("FAQ", "travel/faq.md", ""),
        ("Frequently Asked Questions", "faq.md", ""), ("Booking a lamp", "faq.md", "Booking a lamp"),
    ],
)  # fmt: skip
def test_a_page_whose_title_says_where_it_stands(title: str, path: str, name: str) -> None:
    document = parsed(f"---\ntitle: {title}\n---\n\nRead on.\n", path)
    page = named_page(document)
    assert (page.name if page is not None else "") == name


@pytest.mark.parametrize(
    ("value", "type_", "own"),
    [
        ("company", "Organization", True), ("Uni Note", None, True), ("MeetingNote", None, True), ("note", None, False),
        ("Programming MOC", None, True), ("UniMOC", None, True),
        ("Star System", "StarSystem", True), ("MOC", None, False), (3, None, False), ("", None, False),
    ],
)  # fmt: skip
def test_types_of_front_matter_that_are_kinds_of_texts(value: object, type_: str | None, own: bool) -> None:
    assert entity_type(value) == type_
    assert is_own_type(value) is own


def test_a_page_is_not_what_its_title_says_in_a_sentence() -> None:
    rules = parsed("# Lamp safety rules\n\nRead them.\n", "rules.md")
    said = "See [them](rules.md). All lamp safety rules are read; lamp safety rules are few."
    text = parsed(f"# Oil\n\n{said}\n", "oil.md")
    found = extract(text, make_gazetteer(map(stated_names, (rules, text))))
    places = [place for place, entity in enumerate(found.entities) if entity.name == "Lamp safety rules"]
    assert [(found.entities[place].type, entry.count) for entry in found.mentions for place in places
            if entry.entity == place] == [(PAGE, 1)]  # fmt: skip


def test_queries_have_no_speaker() -> None:
    text = "We use these:\n\n> ```sql\n> SELECT *\n> FROM employees\n> ```\n\nThen `SELECT 1 FROM staff`.\n"
    assert speakers("Queries", text) == []
    assert [one.name for one in speakers("Queries", "We like Lumen employees.")] == ["Lumen"]


def test_the_sort_of_a_callout_is_no_part_of_its_text() -> None:
    assert strip_lead("> [!example]- Lamps by colour") == len("> [!example]- ")
    assert strip_lead("[!Lamp]") == 0
