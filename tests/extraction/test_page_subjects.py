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
from tests.extraction.read_texts import parsed


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


@pytest.mark.parametrize(
    "text",
    [
        "---\nredirect: Sofia of Tarn\n---\n",
        "---\nredirect_to: /queens/Sofia_of_Tarn.md\n---\n# Tarnish Queen\n",
        "Redirect to [Sofia of Tarn](Sofia.md)\n",
        "# Tarnish Queen\n\nThis page redirects to [[Sofia of Tarn|Sofia]].\n",
        "# REDIRECT [[Sofia of Tarn]]\n",
    ],
)
def test_a_page_that_only_leads_to_another_is_a_name_of_it(text: str) -> None:
    pages = [parsed(text, "Tarnish Queen.md"), parsed("# Sofia of Tarn\n\nSofia of Tarn was a queen.\n", "Sofia.md")]
    known = make_gazetteer(map(stated_names, pages))
    assert [(one.name, one.aliases, one.type) for one in known.entries] == [
        ("Sofia of Tarn", ["Tarnish Queen"], "Person")
    ]
    found = extract(pages[0], known)
    assert not found.facts and {entity.name for entity in found.entities} <= {"Sofia of Tarn"} and not found.topics


@pytest.mark.parametrize(
    "text",
    [
        "---\nredirect_to: https://orm.org/queens\n---\n",
        "Redirects to [/a/b/](/a/b/).\n",
        "---\nredirect: /queens/sofia\n---\n",
    ],
)
def test_a_page_that_leads_to_what_has_no_name_is_none(text: str) -> None:
    assert page_subject(parsed(text, "Tarnish Queen.md")) is None


def test_a_page_with_a_text_of_its_own_does_not_lead_on() -> None:
    text = "# Tarnish Queen\n\nTarnish Queen is a ship.\n\nRedirect to [Sofia](Sofia.md) if you meant her.\n"
    found = page_subject(parsed(text, "Tarnish Queen.md"))
    assert found is not None and found.name == "Tarnish Queen"


@pytest.mark.parametrize("path", ["m/Untitled 3.md", "m/3f2a9c1b8d7e4f60.md"])
def test_first_words_name_no_page(path: str) -> None:
    assert document_subject(parsed("Ann Lee spoke at LampHack in Berlin.\n", path)) is None
    assert document_subject(parsed("- [ ] Paint the Orm Gannet\n- [ ] Sand it\n", path)) is None
    for text in ("## Tide Clock\n\nA tool that shows the tide.\n", "Tide Clock is a tool that shows the tide.\n"):
        found = document_subject(parsed(text, path))
        assert found is not None and found.name == "Tide Clock"


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


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("River Norn", "A river in the west of Tarn, a tributary of the Orm.", "Location"),
        ("Red Hill", "A hill in the west of Tarn.", "Location"),
        ("Harbour", "A port in the west of Tarn.", ""),
        ("Team Lead", "A person in the west of Tarn who leads.", ""),
    ],
)
def test_a_definition_of_a_place_in_ordinary_words(title: str, lead: str, type_: str) -> None:
    found = subject(title, lead)
    assert found is not None and found.type == type_


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("May", "May is a village in Tarn.", "Location"),
        ("Friday", "Friday is a 1995 comedy film.", "Work"),
        ("March", "March was an English rock band of the north.", "Organization"),
        ("May", "May is the fifth month of the year.", ""),
        ("Friday", "It was a quiet day in the harbour.", ""),
    ],
)
def test_the_name_of_a_month_or_a_day_is_one_where_the_lead_says_of_what(title: str, lead: str, type_: str) -> None:
    found = subject(title, lead)
    assert (found.type if found else "") == type_


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("In May the council met. May was wet, and May 2019 was dry.", 0),
        ("The village of May has a church.", 1),
        ("The mayor of [[May]] came in May.", 1),
    ],
)
def test_a_village_that_is_called_as_a_month_is_seldom_meant(text: str, count: int) -> None:
    known_pages = known(page("May", "May is a village in Tarn. The church of May was built in May 1802.", "may.md"))
    assert mentions(reads(text, known_pages), "May") == count


def test_a_month_is_no_mention_on_the_page_of_its_village() -> None:
    own = page("May", "May is a village in Tarn. The church of May was built in May 1802, on 3 May.", "may.md")
    assert mentions(extract(own, known(own)), "May") == 3


@pytest.mark.parametrize(
    ("title", "lead", "type_", "described"),
    [
        ("Ferry Memo", "**Ferry Memo**\n\nThe Ferry Board is a committee of Tarn.", "Document", False),
        ("Ferry Memo", "The Ferry is a boat that sails on the lake of Tarn.", "Document", False),
        ("Orm Castle", "Orm Bridge is a bridge over the river Orm.", "Facility", False),
        ("Orm Free Concert", "The Orm Free Festival was a rock concert of 1971.", "Event", True),
        ("Tarn Company", "Tarn Corporation is a company that makes lamps.", "Organization", True),
        ("Tarn F.C.", "Tarn Football Club is a football club of the north.", "Organization", True),
    ],
)
def test_a_lead_on_another_thing_says_nothing_of_the_page(title: str, lead: str, type_: str, described: bool) -> None:
    found = subject(title, lead)
    assert found is not None and (found.type, found.description != "") == (type_, described)


@pytest.mark.parametrize(
    "title",
    """Weather diary|Weather Diary|Week plan|Week Plan
    |News of Tarn|Fleet of Orm|Deploying to Tarn|Trip to Tarn
    |Packing list|Packing List|List of ships|Photos from Tarn|Ideas for the garden|Team agenda|Budget 2024|Budget Tarn
    |Family budget
    |Meal plan|Travel diary|Captain's log|Ship Log|Dream journal|Memo to Orm Group|Questions for Orm Group
    |Thoughts on Orm Group|Visit to Orm Group|Map of Tarn|Crew of Orm|Ships of Orm|People of Orm|Members of Orm Group
    |Ferry Timetable|Address book|Status report|Tarn report|Bugs of Lampd|Restaurants of Tarn|Churches of Orm
    |Battles of Tarn|Companies of Tarn|Price of fish|Kitchen rota|Harbour News""".replace("\n    ", "").split("|"),
)
def test_titles_of_texts_name_no_thing(title: str) -> None:
    assert document_subject(page(title, "Velport had rain on Monday. The harbour was quiet.")) is None


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("Anne Holt Diary", "The Anne Holt Diary is a book by Anne Holt.", "Work"),
        ("Marshall Plan", "After the war the land was poor and hungry.", "Plan"),
        ("Schlieffen Plan", "The Schlieffen Plan was a plan of war of 1905.", "Plan"),
        ("News of the World", "The News of the World was a weekly newspaper.", "Work"),
        ("Federalist Papers", "The Federalist Papers are 85 essays by several authors.", "Work"),
        ("Friends of the Lake", "It is a charity that looks after the lake.", ""),
        ("Kings of Tarn", "A rock band from the north of the land.", ""),
        ("Sailing to Tarn", "Sailing to Tarn is a poem by Ann Holt.", "Work"),
        ("Five Year Plan", "The Five Year Plan was a plan of the state.", "Plan"),
        ("Continuity plan", "The continuity plan says what we do without power.", "Plan"),
        ("Home Fleet", "The Home Fleet was a fleet of the navy.", "Organization"),
        ("Bank of Tarn", "It was founded in 1902 by two brothers.", "Organization"),
        ("Treaty of Tarn", "It ended the war of 1672 between two lands.", "Law"),
    ],
)
def test_real_names_made_of_words_for_texts(title: str, lead: str, type_: str) -> None:
    found = document_subject(page(title, lead))
    assert found is not None and found.type == type_


def test_what_a_lead_has_behind_a_rank_is_a_place() -> None:
    pages = [
        page("Anna Lind", "Anna Lind was Queen of Brennmark from 1660 to 1680.", "anna.md"),
        page("Otto", "Otto was King of Pop, Duke of Sanmark Karl said, and Prince of Wales.", "otto.md"),
    ]
    gazetteer = make_gazetteer(map(stated_names, pages))
    assert {entry.name: entry.type for entry in gazetteer.entries if not entry.declared} == {"Brennmark": "Location"}
    found = reads("Brennmark signed the Treaty of Ald in 1672. Brennmark paid Lind.", gazetteer)
    assert [entity.type for entity in found.entities if entity.name == "Brennmark"] == ["Location"]


@pytest.mark.parametrize(
    ("title", "lead", "path", "name", "aliases"),
    [
        ("Bay of ald", "The Bay of Ald is a bay in the north of Tarn.", "places/bay-of-ald/index.md", "Bay of Ald", []),
        ("Red harbour", "The Red Harbour is a port in the north.", "red-harbour/index.md", "Red Harbour", []),
        ("gray-lady", "The Gray Lady is a ghost of the castle.", "a.md", "Gray Lady", ["gray-lady"]),
        ("lamp-store", "Lamp Store is a library for lamps.", "a.md", "Lamp Store", ["lamp-store"]),
        ("find-widget", "find-widget is a command line tool.", "a.md", "find-widget", []),
        ("Aspley bus station", "The Aspley Bus Station is a bus station.", "a.md", "Aspley bus station", []),
    ],
)
def test_a_title_in_small_letters_is_written_as_its_lead_writes_it(
    title: str, lead: str, path: str, name: str, aliases: list[str]
) -> None:
    found = subject(title, lead, path)
    assert found is not None and (found.name, found.aliases) == (name, aliases)


@pytest.mark.parametrize(
    ("title", "text", "path", "named"),
    [
        ("i1", "Steam boats of the lake.", "m/i1/index.md", False),
        ("a1b2", "The boats sail on the lake in the summer.", "m/a1b2/index.md", False),
        ("i3", "i3 is a window manager.", "m/i3/index.md", True),
        ("k8s", "Our clusters run on three machines in the cellar.", "k8s.md", True),
    ],
)
def test_a_folder_of_a_letter_and_a_number_is_no_name(title: str, text: str, path: str, named: bool) -> None:
    document = page(title, text, path)
    assert (document_page(document) is not None) == named


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("Tarn v. Pale Lamps, Inc.", "Pale Lamps, Inc., 334 US 131 (1948) was heard by the court.", "Law"),
        ("The 7 Lamps", "The 7 Lamps is a business and self-help book by Ann Holt.", "Work"),
        ("Ann I. Holt", "Ann Holt has served as Chief Lamp Officer of Tarn since June 2010.", "Person"),
        ("Cording (dog grooming)", "In grooming, cording is a technique in which coats are parted.", "Concept"),
        ("South Tarnish", "South Tarnish is a group of dialects of the north.", "Language"),
        ("Trinul", "Trinul is a group of three mountain peaks of the north.", "Location"),
        ("Lampulin", "Lampulins are a group of naturally occurring polysaccharides of plants.", "Concept"),
        ("Pale Harbour", "Pale Harbour is a group of artists from Tarn.", "Organization"),
        ("Pale Harbour", "Pale Harbour is a group of companies based in Tarn.", "Organization"),
        ("Ann Holt", "Ann Holt is a racing driver from Tarn.", "Person"),
    ],
)
def test_kinds_of_groups_and_books_and_cases(title: str, lead: str, type_: str) -> None:
    found = subject(title, lead)
    assert found is not None and found.type == type_


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("String Quartet No. 14 (Holt)", "The String Quartet No. 14 was the last string quartet of Holt.", "Work"),
        ("Blue Lamp (software house)", "Blue Lamp reissued these in 1991.", "Organization"),
        ("Tarn Extra", "Tarn Extra is a Swedish language weekly youth magazine.", "Work"),
        ("Tarnish dichotomy", "The Tarnish dichotomy is the division of the major diseases into two.", "Concept"),
        ("Sophie, Duchess of Orm", "Sophie, Duchess of Orm (1868 – 1914) was the wife of a duke.", "Person"),
        ("Otto of Orm and Tarn", "Otto of Orm and Tarn (1692 – 1699) was the son of a duke.", "Person"),
        ("Jon C. Holt, Jr.", "Jon C. Holt, Jr. is an American lawyer and author.", "Person"),
        ("Hlaudi Mots", "Hlaudi Mots served as the acting chief operating officer of the bank.", "Person"),
        ("Tarn Castle", "Tarn Castle served as a prison in the war.", "Facility"),
        ("Upper Orm Management Area", "Upper Orm Management Area is located near Tarn.", "Location"),
        ("Alis River", "The Alis River in the north of Tarn rises in the hills.", "Location"),
        ("The Happy Lamp", "The Happy Lamp was the first of the Holt novels published by Ann Holt.", "Work"),
        ("Nanul", "Nanul is the lower of the two peaks.", "Location"),
        ("Sunul", "Sunul is the second highest of the mountains of Tarn.", "Location"),
        ("Pale Shop", "Pale Shop are an English progressive rock (initially folk) band of the north.", "Organization"),
        ("Olde Dogge", "The Olde Dogge is a recently created American dog breed.", "Species"),
        ("Amar después de amar", "Amar, después de amar is a 2017 Argentine telenovela.", "Work"),
    ],
)
def test_types_by_leads_of_other_forms(title: str, lead: str, type_: str) -> None:
    found = document_subject(page(title, lead))
    assert found is not None and (found.type, "Amar" in found.aliases) == (type_, False)


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("Weather diary", False),
        ("Packing List", False),
        ("Photos from Tarn", False),
        ("Fox News", True),
        ("Sons of Tarn", True),
        ("Marshall Plan", True),
    ],
)
def test_titles_of_texts_over_a_mere_list(title: str, named: bool) -> None:
    assert (document_subject(page(title, "- rain\n- sun")) is not None) == named
