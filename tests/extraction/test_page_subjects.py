"""What a page is about: names out of titles, types and other names out of leads, and where they are meant in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.capitals import is_conference, type_cue
from kgfs.extraction.names.declared.defined_terms import defined_term
from kgfs.extraction.names.declared.gazetteer import (
    declared_entities,
    document_page,
    document_subject,
    make_gazetteer,
    stated_names,
)
from kgfs.extraction.names.declared.known_names import is_mere_heading
from kgfs.extraction.names.declared.pages import page_subject
from kgfs.extraction.names.declared.titles import title_name
from kgfs.extraction.names.kinds import said_kind
from kgfs.model import DefinedTerm, EntityCandidate, Extraction, Gazetteer, ParsedDocument


def page(title: str, text: str = "", path: str = "a.md") -> ParsedDocument:
    document = parse_document(f"# {title}\n\n{text}\n".encode(), path)
    document.path = path
    return document


def subject(title: str, text: str = "", path: str = "a.md") -> EntityCandidate | None:
    return page_subject(page(title, text, path))


@pytest.mark.parametrize(
    ("title", "text", "type_", "aliases"),
    [
        ("Mira Holt (director)", "Mira Anne Holt (born 3 May 1961) is a Danish director.", "Person",
         {"Mira Holt", "Mira Anne Holt"}),
        ("The Glass Orchard", "The Glass Orchard is a 1982 drama film directed by Mira Holt.", "Work", set()),
        ("Sofia of Tarn", "Sofia of Tarn (4 March 1811 – 1899) was queen of Tarn from 1840.", "Person", set()),
        ("Mira dal Tarn", "Mira dal Tarn (1385 – ca. 1438, Oslo) was a minor master painter.", "Person", set()),
        ("Mira di Tarn", 'Mira di Tarn ("fl". 1388–1424) was a painter of the coast.', "Person", set()),
        ("Mira Holt", "Mira Holt is a Danish film and television director.[1] She lives in Tarn.[2]", "Person", set()),
        ("Death of Mira Holt", "Mira Holt (3 May 1961 – 4 May 1999) was a Danish director.", "Event", set()),
        ("Danes in Tarn", "Most Danish people in Tarn are businessmen or teachers.", "Concept", set()),
        ("Tarn Valley cattle", "Tarn Valley cattle originate from the valleys of the north.", "Species", set()),
        ("TarnTV", "Tarn TV is a television network. TarnTV is seen in many towns.", "Organization", {"Tarn TV"}),
        ("Dhussa", "Dhusha is a village in the north of Tarn.", "Location", {"Dhusha"}),
        ("Holt sisters", "The Holt sisters are two Danish tennis players of the last years.", "Group", set()),
        ("Mira et Tarn", 'Mira et Tarn is a "symphonie dramatique," a choral symphony by Ann Holt.', "Work", set()),
        ("Get-Widget", "The Get-Widget cmdlet gets widgets from a store.", "Command", set()),
        ("Little Marrow", "Little Marrow is a village in the north of Tarn.", "Location", set()),
        ("Little Marrow, Tarn", "Little Marrow is a village in the north of Tarn.", "Location", {"Little Marrow"}),
        ("Pale Harbour", "Pale Harbour were an English rock band formed in 1991.", "Organization", set()),
        ("Quillwort tern", "The Quillwort tern is a species of seabird.", "Species", set()),
        ("npq", "npq is a package manager for Node.js.", "Product", set()),
        ("Battle of Orm Bridge", "The Battle of Orm Bridge was a battle between Tarn and Ost in 1311.", "Event", set()),
        ("Near lattice", "In mathematics, a near lattice is a structure with one operation.", "Concept", set()),
        ("Nordwind Energy", "Nordwind Energy AG makes turbines.", "Organization", {"Nordwind Energy AG"}),
        ("Paid family leave (PFL)", "You can take paid family leave for twelve weeks.", "", {"PFL"}),
        ("Saoirse Kelly", "Saoirse Kelly, better known as Keltica, is an Irish disc jockey.", "Person", {"Keltica"}),
        ("Kestrel (album)", "Kestrel is the second studio album by Pale Harbour.", "Work", {"Kestrel"}),
        ("Ottoline Press", "Ottoline Press, founded in 1920 (in Tarn), was a publisher.", "Organization", set()),
        ("Mira K. Holt", "Sir Mira Kirsten Holt, 1st Baronet (9 May 1860 – 19 June 1937) was a Danish novelist.",
         "Person", set()),
        ("Keltica", "Born and raised in Ghent, Tarn, Keltica sang in bars.", "Person", set()),
        ("Lampwork", "Developed by Nordwind, Lampwork is a free application for painters.", "Product", set()),
        ("Tarn Drive", "Tarn Drive is a cloud storage and file backup system.", "Product", set()),
        ("Sable River (Tarn)", "The Sable River is an extensive river system in Tarn.", "Location", {"Sable River"}),
        ("Modules", "A module is a reusable unit of code.", "Concept", set()),
        ("Product manager", "A product manager is an officer who knows what to build.", "Concept", set()),
        ("Lamp keepers", "Lamp keepers are workers who light the lamps.", "Concept", set()),
        ("Lamp Pages", '"Lamp Pages" is a Lamp Office Authority to Operate (ATO) of the platform.', "Concept", set()),
        ("Keeper Groups", "We use Keeper Groups to manage lists of mail.", "", set()),
        ("Keeper Groups (KGs)", "Keeper Groups (KGs) are communities of keepers.", "Organization", {"KGs"}),
        ("Code of conduct", "The purpose of this Code is to promote good conduct in our business.", "Policy", set()),
        ("Conflict of interest", "The code asks each keeper to tell of conflicts.", "Concept", set()),
        ("Tarn charts", "Tarn charts is a charting library that draws lines.", "Product", set()),
        ("Lamp Awards", "The Lamp Awards are the yearly awards of the painters.", "Event", set()),
        ("Lakecloud", "Lakecloud is a suite of client-server software for keeping files.", "Product", set()),
        ("Lanta", "Lanta is an Identity and Single Sign-On solution for all.", "", set()),
        ("Lamp Oil Transport And Storage Reform Act (LOTSRA)", "We keep oil as it says.", "Law", {"LOTSRA"}),
        ("Tarn Lamp University", "Ghent's Tarn University is a home for training.", "Organization",
         {"Tarn University"}),
        ("人工知能", "人工知能は計算機科学の一分野である。", "", set()),
        ("Straßenbahn Graz", "Die Straßenbahn Graz ist ein Verkehrsmittel.", "", set()),
    ],
)  # fmt: skip
def test_a_title_names_the_subject(title: str, text: str, type_: str, aliases: set[str]) -> None:
    found = subject(title, text)
    assert found is not None and found.declared
    assert (found.type, set(found.aliases) & aliases) == (type_, aliases)
    assert found.description == page(title, text).lead


@pytest.mark.parametrize(
    "title",
    [
        "README", "Introduction", "Overview", "Part 3", "Chapter IV", "2023-07-10", "Tuesday, 4 June 2024", "Q3 2021",
        "How to file a claim", "What we learned", "Frequently asked questions", "https://example.org/a", "🎉", "42",
        "This page is about the things that we do every day.", "Using the widget", "Install the client", "Is it safe?",
        "a1b2c3d4e5f60718", "x" * 300, "List of rivers", "Meeting notes 12 May", "Minutes of the board, 3 May 2021",
        "Ad sales boost quarterly profit at media giant", "Play 10 - Promote healthy habits", "Learn more", "-",
        "Notes and references", "Firewall Setup", "Setup and building", "Further Reading", "Why to meet",
        "Debian / Ubuntu", "Motivation for Using Lamps", "Community Contributions",
    ],
)  # fmt: skip
def test_what_names_nothing(title: str) -> None:
    assert subject(title, "We did some things. Then we went home and wrote it down.") is None


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("The Lamp Gallery", "The Lamp Gallery is a central repository of lamps.", "Lamp Gallery"),
        ("The keeper system", "Everybody learns it at once.", "Keeper system"),
        ("The Glass Orchard", "The Glass Orchard is a 1982 drama film directed by Mira Holt.", "The Glass Orchard"),
        ("The Orchard", "We met there.", "The Orchard"),
    ],
)
def test_an_article_belongs_to_few_names(title: str, text: str, name: str) -> None:
    found = subject(title, text)
    assert found is not None and found.name == name
    assert name == title or title in found.aliases


@pytest.mark.parametrize(
    ("name", "definition", "type_", "aliases"),
    [
        ("TLS", "The Tarn Lamp Services aim to light the streets by helping towns.", "", ["TLS"]),
        ("LSF", "The Lamp Service Fund is a Tarn office that lights.", "Organization", ["LSF"]),
        ("PII", "personally identifiable information", "", ["PII"]),
        ("LPO", "Lamp Program Office", "Organization", ["LPO"]),
        ("TLI", "Tarn Lamp Initiative", "Organization", ["TLI"]),
        ("Lamp Manager", "Lamp managers ensure that the right lamp is lit.", "Concept", []),
        ("lamp set", "A group of lamps that are lit together.", "Concept", []),
        ("pipeline", "A series of commands.", "Concept", []),
        ("Pay period", "every full-time employee of the lamp office works two weeks.", "Concept", []),
        ("npq", "A package manager for lamps.", "Product", []),
        ("Lampwork", "Lampwork is an open-source framework for lamps.", "Product", []),
    ],
)
def test_terms_of_a_glossary(name: str, definition: str, type_: str, aliases: list[str]) -> None:
    found = defined_term(DefinedTerm(name=name, definition=definition))
    assert found is not None
    assert aliases == found.aliases and (not aliases) == (found.name == name)
    assert not type_ or found.type == type_


@pytest.mark.parametrize(
    ("title", "type_"),
    [
        ("Lamp Working Group", "Organization"),
        ("Lamp Working Group Charter", ""),
        ("lamps.config.LampLoader", "Class"),
        ("lamps.config", "Module"),
        ("lamps.json", ""),
        ("Red Hat", "Organization"),
        ("GET /rest/lamps", "Endpoint"),
        ("Lamp Public License", "License"),
        ("Lamp Exchange Protocol", "Technology"),
    ],
)
def test_types_of_pages_by_their_titles(title: str, type_: str) -> None:
    document = parse_document(f"# {title}\n\nWhat stands here says nothing of it.\n".encode(), "page.md")
    page = document_page(document)
    found = page.type if page is not None else ""
    shown = ("Organization", "Class", "Module", "Endpoint", "License", "Technology")
    assert (found if found in shown else "") == type_


def test_names_of_bodies_with_a_branch() -> None:
    assert type_cue("Red Lamp Foundation Europe") == ("Organization", 0.75)
    assert type_cue("Red Lamp Foundation Stone") is None
    assert is_conference("LampCon Europe") and not is_conference("Lamp Conference")


def test_a_word_with_an_article_is_no_name() -> None:
    found = defined_term(DefinedTerm(name="Wick", definition="A wick is a tool that burns."))
    assert found is not None and found.type != "Product"


def test_words_of_lists_and_files_are_no_names() -> None:
    listed = (
        "Overview\n========\n\nThe fields are these.\n\nsize\n    How large it is.\n\nkeys/\n    A folder.\n\n"
        "lamp oil\n    What burns.\n"
    )
    names = [found.name for found in declared_entities(parse_document(listed.encode(), "fields.rst"))]
    assert names == ["lamp oil"]
    part = parse_document(b"Some text stands here.\n\nExamples\n========\n\nNone.\n", "check.rst")
    part.path = "docs/check.rst"
    assert part.title == "check" and declared_entities(part) == []
    assert subject("check", "It checks what is there.", "docs/check.md") is None


def test_singular_and_plural_of_a_concept_are_one() -> None:
    gazetteer = make_gazetteer(
        [declared_entities(page("Travel Lamps", "They help.")), declared_entities(page("Travel Lamp", "It helps."))]
    )
    assert [(entry.name, entry.aliases) for entry in gazetteer.entries] == [("Travel Lamp", ["Travel Lamps"])]


def test_a_folder_of_people_holds_other_pages() -> None:
    for title in ("Code of Conduct", "Benefits Overview", "Travel policy"):
        found = subject(title, "We keep to it.", f"handbook/people/{title}.md")
        assert found is None or found.type != "Person"


def test_what_is_no_prose_is_about_nothing() -> None:
    for name, data in (("people.csv", b"name,age\nAda,36\n"), ("tool.py", b"print('x')\n"), ("data.json", b'{"a": 1}')):
        document = parse_document(data, name)
        assert page_subject(document) is None


def test_a_folder_says_what_its_pages_are() -> None:
    found = subject("Ines Varga", "Met her in Ghent. Likes chess.", "vault/people/Ines Varga.md")
    assert found is not None and found.type == "Person"
    found = subject("Ledger", "We keep accounts with it.", "docs/tools/ledger.md")
    assert found is not None and found.type == "Product"


def test_a_page_that_redirects_is_another_name() -> None:
    found = subject("Tarnish Queen", "#REDIRECT [[Sofia of Tarn]]")
    assert found is not None
    assert (found.name, found.aliases, found.type) == ("Sofia of Tarn", ["Tarnish Queen"], "")
    known = make_gazetteer([[found], declared_entities(page("Sofia of Tarn", "Sofia of Tarn was a queen."))])
    (entry,) = known.entries
    assert (entry.type, entry.aliases) == ("Person", ["Tarnish Queen"])


def test_a_lead_that_spells_the_acronym_with_fewer_words() -> None:
    lead = "Tarn's Online University (OLU) is the home for courses."
    found = subject("Online Learning University", lead)
    assert found is not None and set(found.aliases) == {"Online University", "OLU"}
    other = subject("Online Learning University", "Tarn's Online Library (OL) is the home for books.")
    assert other is None or not other.aliases


@pytest.mark.parametrize(
    ("text", "aliases"),
    [
        ("TLC News is responsible for news.\n\nThe team helps. News is new. Ask the News team.", ["News"]),
        ("TLC News is responsible for news.\n\nThe team helps. Ask the News team.", []),
    ],
)  # fmt: skip
def test_a_part_of_a_body_goes_by_its_own_name(text: str, aliases: list[str]) -> None:
    found = document_subject(parse_document(f"# TLC News\n\n{text}\n".encode(), "news.md"))
    assert found is not None and (found.type, found.aliases) == ("Organization", aliases)


def test_definitions_of_an_acronym_are_the_page_that_goes_by_it() -> None:
    opening = page("Online Learning University", "Tarn's Online University (OLU) is the home for courses.")
    defined = [
        DefinedTerm(name="OLU", definition=text) for text in ("On-Line University, for courses.", "Oil Lamp Union.")
    ]
    terms = [[found] for term in defined if (found := defined_term(term)) is not None]
    known = make_gazetteer([declared_entities(opening), *terms])
    assert {entry.name for entry in known.entries} == {"Online Learning University", "Oil Lamp Union"}


def test_what_operates_within_a_body_is_one() -> None:
    opening = page("Innovation Portfolio", "The Innovation Portfolio (IP) operates within Tarn.", "a.md")
    other = page("Addresses", "The Innovation Portfolio has rules. An IP address is secret.", "b.md")
    known = make_gazetteer(map(stated_names, [opening, other]))
    extraction = extract(other, known)
    assert [entity.type for entity in extraction.entities if entity.name == "Innovation Portfolio"] == ["Organization"]
    assert mentions(extraction, "Innovation Portfolio") == 1


@pytest.mark.parametrize("lead", ["This page has moved to Lamps.", "Redirects to Lamps.", "Moved here: lamps.md"])
def test_a_page_that_only_leads_on_is_no_entity(lead: str) -> None:
    assert subject("Oil Guild", lead) is None
    assert subject("Oil Guild", "The Oil Guild is a body that moved to Tarn.") is not None


@pytest.mark.parametrize(
    ("sentence", "type_", "kind"),
    [
        ("Orm is a 1982 Danish drama film directed by Mira Holt.", "Work", "1982 Danish drama film"),
        ("Ada was an English mathematician, writer and countess.", "Person", "English mathematician"),
        ("Orm is a large, flat island in the north.", "Location", "large"),
        ("Orm is one of the oldest universities of Tarn.", "Organization", "oldest universities"),
        ("Orm (which is old) is a town.", "Location", "town"),
        ("Orm is a type of cheese.", "Product", "cheese"),
        ("Widgets are the places where gears meet.", "Concept", "places"),
        ("Branding means presenting our organization well.", "", ""),
    ],
)
def test_what_a_sentence_says_that_it_is(sentence: str, type_: str, kind: str) -> None:
    said = said_kind(sentence)
    assert said is not None and (said.type, said.kind) == (type_, kind)


def known(*pages: ParsedDocument) -> Gazetteer:
    return make_gazetteer(declared_entities(one) for one in pages)


def mentions(extraction: Extraction, name: str) -> int:
    place = next((number for number, entity in enumerate(extraction.entities) if entity.name == name), -1)
    return sum(mention.count for mention in extraction.mentions if mention.entity == place)


def reads(text: str, gazetteer: Gazetteer) -> Extraction:
    return extract(parse_document(f"Some words first.\n\n{text}\n".encode(), "2020-01-01.txt"), gazetteer)


def test_pages_are_found_in_other_texts() -> None:
    gazetteer = known(
        page("Mira Holt (director)", "Mira Holt is a Danish film director."),
        page("Travel guide", "A travel guide is a text that we keep."),
        page("Tonality", "Tonality is the arrangement of pitches."),
    )
    extraction = reads("Mira Holt’s travel guides speak of tonality. Mira Holt wrote a Travel Guide, too.", gazetteer)
    assert mentions(extraction, "Mira Holt (director)") == 2
    assert mentions(extraction, "Travel guide") == 2
    assert mentions(extraction, "Tonality") == 1


def test_what_needs_a_bracket_is_not_meant_by_small_letters() -> None:
    gazetteer = known(page("President (corporate title)", "The President is a title of a leader."))
    assert (
        mentions(reads("They met a president and two presidents there.", gazetteer), "President (corporate title)") == 0
    )


def test_an_alias_that_pages_share_is_none() -> None:
    gazetteer = known(
        page("Mira Holt (director)", "Mira Holt is a Danish film director."),
        page("Mira Holt (swimmer)", "Mira Holt is a Danish swimmer."),
    )
    assert gazetteer.ambiguous == ["mira holt"]
    names = {entity.name for entity in reads("Yesterday Mira Holt arrived.", gazetteer).entities}
    assert not names & {"Mira Holt (director)", "Mira Holt (swimmer)"}


def test_the_title_of_many_pages_is_none() -> None:
    pages = [page("Team spirit", "We like it.", f"{number}/a.md") for number in range(3)]
    gazetteer = known(*pages)
    assert gazetteer.entries == [] and gazetteer.ambiguous == ["team spirit"]
    assert [entity.name for entity in extract(pages[0], gazetteer).entities] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A filter is in the pump. Filter coffee is fine. Change the Filter Pad.", 0),
        ("They saw Filter in Tarn.", 1),
        ('She sang "Filter" twice.', 1),
        ("Filter played in Tarn.", 0),
    ],
)
def test_a_name_that_is_a_word_must_be_meant(text: str, count: int) -> None:
    gazetteer = known(page("Filter", "Filter is an industrial rock band."))
    extraction = reads(f"We change a filter now and then. {text}", gazetteer)
    assert mentions(extraction, "Filter") == count


@given(st.text(max_size=300))
def test_any_title_has_an_answer(text: str) -> None:
    name = title_name(text)
    assert len(name) <= 120 and name == " ".join(name.split())
    document = ParsedDocument(mime_type="text/markdown", title=text, lead=f"{text} is a thing. " * 3)
    found = page_subject(document)
    assert found is None or (found.name and found.name not in found.aliases)


@pytest.mark.parametrize(
    ("title", "lead", "type_", "aliases"),
    [
        (
            "Mo Idle",
            "William Broad (born 1955), known professionally as Mo Idle, is an English musician.",
            "Person",
            [],
        ),
        ("XTEL", "The European X-ray Satellite (XTEL) was an X-ray telescope.", "Product", []),
        ("FlyUs", "Fly Us Europe AB, operating as FlyUs, was a low-cost airline based in Lund.", "Organization", []),
        ("Battle of Orm (1940)", "The Battle of Orm was the defence of the port of Orm.", "Event", ["Battle of Orm"]),
        ("Treaty of Orm", "The Treaty of Orm was an attempt to divide the land.", "Law", []),
        ("Holt v. Lind", "Lind, 110 Ohio St. 3d 353, was heard in 2006.", "Law", []),
        ("UCX Arena", "UCX Arena is a sports and entertainment venue.", "Facility", []),
        ("Operation Heron", "Operation Heron was the code name for the landing.", "Event", []),
        ("President (corporate title)", "The President is a leader of an organization.", "Concept", []),
    ],
)
def test_what_a_title_and_its_lead_show_together(title: str, lead: str, type_: str, aliases: list[str]) -> None:
    (subject, *_) = declared_entities(page(title, lead))
    assert (subject.name, subject.type, subject.aliases) == (title, type_, aliases)


def test_a_work_named_after_its_maker_leaves_him_the_name() -> None:
    own = subject("Pale Harbour (album)", "Pale Harbour is the first studio album by the rock band Pale Harbour.")
    other = subject("Kestrel (album)", "Kestrel is the first studio album by the rock band Pale Harbour.")
    assert own is not None and "Pale Harbour" not in own.aliases
    assert other is not None and "Kestrel" in other.aliases


def test_a_page_on_what_others_declare_is_on_that() -> None:
    """A page that says nothing of its title, which a glossary explains: texts say what it is, not the page."""
    pages = [
        page("Tarnbo", "Install it.", "install/command-line.md"),
        page("Glossary", "## Tarnbo\n\nA tool for lamps."),
    ]
    found = {entry.name: entry.type for entry in make_gazetteer(map(stated_names, pages)).entries}
    assert found["Tarnbo"] != "Document"


@pytest.mark.parametrize(
    ("name", "mere"), [("P2Pool", False), ("EDS", False), ("MAX_LAMPS", False), ("Icon legend", True), ("Legend", True)]
)
def test_what_is_spelled_as_a_name_is_no_mere_heading(name: str, mere: bool) -> None:
    assert is_mere_heading(EntityCandidate(name=name, type="", unsaid=True)) == mere
