"""Pages as ends of facts: what names a page that is about no thing, how links lead to it, what sends a reader on."""

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.documents.markup import plain_sentence
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.guides.page_links import points_to
from kgfs.extraction.links import path_keys
from kgfs.extraction.names import tagging
from kgfs.extraction.names.capitals import type_cue
from kgfs.extraction.names.context_clues import type_clues
from kgfs.extraction.names.declared.gazetteer import document_page, make_gazetteer, stated_names
from kgfs.extraction.names.declared.page_names import PAGE, page_keys
from kgfs.extraction.names.declared.pages import page_subject
from kgfs.extraction.names.declared.titles import title_name
from kgfs.extraction.names.evidence import may_be_person
from kgfs.extraction.names.kinds import said_kind
from kgfs.model import ParsedDocument


def page(path: str, title: str, text: str = "It rained.", front: str = "") -> ParsedDocument:
    document = parse_document(f"---\ntitle: {title}\n{front}---\n\n{text}\n".encode(), path.rpartition("/")[2])
    document.path = path
    return document


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("Reserve a ferry and get it approved", True),
        ("Working while travelling", True),
        ("Play 7 - Learn to delegate", False),
        ("Introduction", False),
        ("Minutes of 2021-03-04", False),
        ("Notes for March", False),
        ("What does it mean?", False),
        ("x" * 120 + " y", False),
        ("Editing", True),
    ],
)
def test_what_names_a_page(title: str, named: bool) -> None:
    found = document_page(page("docs/some-page.md", title))
    assert (found is not None and found.type == PAGE and found.name == title) is named


def test_a_text_without_a_title_is_no_page() -> None:
    document = parse_document(b"Reserve a ferry and get it approved\n\nIt rained.\n", "how to reserve a ferry.txt")
    document.path = "how to reserve a ferry.txt"
    assert document_page(document) is None or document_page(document).type != PAGE  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("docs/getting-around-by-boat.md", "Getting around by boat"),
        ("docs/Slow boats.md", "Slow boats"),
        ("docs/slow-boats.md", "slow boats"),
        ("docs/boat-def.md", ""),
        ("docs/sail-reusable.md", ""),
        ("docs/ferries.md", ""),
        ("docs/2021-03-04-minutes.md", ""),
        ("docs/index.md", ""),
    ],
)
def test_a_page_without_a_title_is_called_as_its_file_is(path: str, name: str) -> None:
    document = parse_document(b"It rained.\nThe slow boats carried a reusable sail.\n", path.rpartition("/")[2])
    document.path = path
    found = document_page(document)
    assert (found.name if found is not None else "") == name


def test_the_ends_of_paths_to_a_page() -> None:
    both = page(
        "guides/ferry-booking.md", "Reserve a ferry and get it approved", front="redirect_from:\n  - /old-ferries/\n"
    )
    assert page_keys(both) == ["ferry booking", "guides/ferry booking", "old ferries"]
    assert page_keys(page("guides/ferries/index.md", "Reserve a ferry and get it approved")) == [
        "ferries",
        "guides/ferries",
    ]


def test_an_end_that_two_pages_have_leads_to_neither() -> None:
    pages = [page("a/setup.md", "Set up the harbor crane"), page("b/setup.md", "Set up the river lock")]
    known = make_gazetteer([stated_names(one) for one in pages])
    assert [(entry.name, entry.pages) for entry in known.entries] == [
        ("Set up the harbor crane", ["a/setup"]),
        ("Set up the river lock", ["b/setup"]),
    ]


@pytest.mark.parametrize(
    ("text", "label", "points"),
    [
        ("For more information, see booking a ferry.", "booking a ferry", True),
        ("See: Ferries", "Ferries", True),
        ("Ferries", "Ferries", True),
        ("You might want to take a look at what to expect!", "what to expect", True),
        ("Learn more about the ferries.", "Learn more about the ferries", True),
        ("The rates are listed in the ferry table.", "ferry table", True),
        ("We took a ferry to the island.", "ferry", False),
        ("This prepares the board review and weekly kickoff on Monday.", "weekly kickoff", False),
        ("Do not see the ferry page.", "ferry page", False),
        ("To see a list of free ferries, run this.", "ferries", False),
        ("Let's see how one makes a good ferry.", "ferry", False),
        ("To book one, see the ferry page.", "ferry page", True),
        ("For a page of this kind, see one such as the ferry page.", "ferry page", False),
    ],
)
def test_what_sends_a_reader_on(text: str, label: str, points: bool) -> None:
    assert points_to(text, label) is points


def test_the_label_of_a_template_link_has_no_line_breaks() -> None:
    found = plain_sentence('see the [ferry\n    rules]({% page "/ferry-rules/" %}) first')
    assert found.text == "see the ferry rules first"


@pytest.mark.skipif(not tagging.has_tagger(), reason="pages are read where spaCy is installed")
def test_pages_are_ends_of_facts_and_no_names() -> None:
    target = page("docs/ferry-approvals.md", "Get a ferry approved")
    other = page("docs/tollbox.md", "Tollbox", "Tollbox is a tool that counts boats.")
    text = (
        "For more information, see [how approvals\nwork](ferry-approvals.md). To get a ferry approved takes a week.\n\n"
        "**[Tollbox](tollbox.md)** is where the boats are counted.\n\n"
        "## See also\n\n- [Approvals](ferry-approvals.md)\n- [The counter](tollbox.md)\n"
    )
    source = page("docs/travel.md", "Working while travelling by ferry", text)
    silent = page("docs/silent.md", "Sitting while travelling by ferry", "Get a ferry approved. Nothing more is known.")
    known = make_gazetteer([stated_names(one) for one in (target, other, source, silent)])
    found = extract(source, known)
    names = [(entity.name, entity.type) for entity in found.entities]
    assert ("Get a ferry approved", PAGE) in names
    facts = {
        (names[fact.subject][0], fact.type, names[fact.object][0]) for fact in found.facts if fact.object is not None
    }
    assert facts >= {
        ("Working while travelling by ferry", "SEE_ALSO", "Get a ferry approved"),
        ("Working while travelling by ferry", "SEE_ALSO", "Tollbox"),
    }
    assert [entity.name for entity in extract(silent, known).entities if entity.type == PAGE] == []


@pytest.mark.skipif(not tagging.has_tagger(), reason="pages are read where spaCy is installed")
@pytest.mark.parametrize(("file", "type_"), [("index.md", "COVERS"), ("travel.md", "SEE_ALSO")])
def test_a_front_page_covers_what_its_list_leads_down_to(file: str, type_: str) -> None:
    below = page("docs/boats/booking.md", "Get a ferry approved")
    beside = page("other/quay.md", "Sleep at the quay when it rains")
    front = page(
        f"docs/{file}",
        "How one travels by ferry",
        "- [Get a ferry approved](boats/booking.md)\n- [Sleep at the quay](../other/quay.md)\n\n"
        "A ferry that is late goes [as they say](../other/quay.md) in a storm.",
    )
    found = extract(front, make_gazetteer([stated_names(one) for one in (below, beside, front)]))
    facts = {(one.type, found.entities[one.object].name) for one in found.facts if one.object is not None}
    assert facts == {(type_, "Get a ferry approved"), ("SEE_ALSO", "Sleep at the quay when it rains")}


@pytest.mark.skipif(not tagging.has_tagger(), reason="pages are read where spaCy is installed")
def test_a_link_in_passing_is_no_fact() -> None:
    target = page("docs/quay.md", "Sleep at the quay when it rains")
    source = page("docs/a.md", "How one travels by ferry", "Those who wait [sleep at the quay](quay.md) in a storm.")
    assert extract(source, make_gazetteer([stated_names(one) for one in (target, source)])).facts == []


@pytest.mark.parametrize(
    ("title", "lead", "name", "type_"),
    [
        ("Tollbox for newcomers", "Tollbox is a tool that counts boats.", "Tollbox for newcomers", PAGE),
        ("Introduction to Tollbox", "Tollbox is a tool that counts boats.", "Introduction to Tollbox", PAGE),
        (
            "Tollbox for newcomers",
            "Tollbox for newcomers is a 1982 novel by Mira Holt.",
            "Tollbox for newcomers",
            "Work",
        ),
    ],
)
def test_a_text_on_a_thing_is_a_page(title: str, lead: str, name: str, type_: str) -> None:
    found = document_page(page("docs/a.md", title, lead))
    assert found is not None and (found.name, found.type) == (name, type_)


@pytest.mark.parametrize(
    ("target", "place", "keys"),
    [
        ("setup.md", "a/b.md", ["a/setup", "setup"]),
        ("../c/setup.md", "a/b.md", ["c/setup", "setup"]),
        ("../c/index.md", "a/b.md", ["c"]),
        ("/x/y/", "a/b.md", ["x/y", "y"]),
        ("./", "a/b.md", ["a"]),
        ("https://example.org/x/config/?a=b", "a/b.md", ["x/config"]),
        ("https://example.org/x/book-a-ferry/", "a/b.md", ["x/book a ferry", "book a ferry"]),
        ("https://example.org/", "a/b.md", []),
        ("/news/2020/12/16/", "a/b.md", ["news/2020/12/16"]),
        ("https://example.org/en/news/2020/12/16/#lamps", "a/b.md", ["news/2020/12/16"]),
        ("../news/0042.md", "a/b.md", ["news/0042"]),
        ("/2020/", "a/b.md", ["2020"]),
        ("//", "", []),
    ],
)
def test_names_of_the_page_at_the_end_of_a_path(target: str, place: str, keys: list[str]) -> None:
    assert path_keys(target, place) == keys


@pytest.mark.skipif(not tagging.has_tagger(), reason="pages are read where spaCy is installed")
def test_lines_of_spaces_in_a_table_of_contents() -> None:
    text = (
        "Manual of the harbor\n====================\n\n.. toctree::\n   setup\n"
        + 60 * " \n"
        + "It rained.\n\n- a row\n"
    )
    document = parse_document(text.encode(), "index.rst")
    assert extract(document, make_gazetteer([stated_names(document)])).facts == []  # and ends


@pytest.mark.skipif(not tagging.has_tagger(), reason="pages are read where spaCy is installed")
def test_pages_in_restructured_text() -> None:
    def rst(path: str, text: str) -> ParsedDocument:
        document = parse_document(text.encode(), path.rpartition("/")[2])
        document.path = path
        return document

    setup = rst(
        "docs/setup.rst",
        ".. highlight:: sh\n.. _pumps:\n\nSet up the harbor pumps\n=======================\n\nIt rained.\n",
    )
    locks = rst("docs/more/locks.rst", "Open the river locks\n====================\n\nIt rained.\n")
    index = rst(
        "docs/index.rst",
        "Manual of the harbor\n====================\n\nIt rained.\n\n.. toctree::\n   :maxdepth: 2\n\n   setup\n"
        "   The locks <more/locks>\n   missing\n",
    )
    guide = rst(
        "docs/guide.rst",
        "How to run the harbor\n=====================\n\n"
        "First see :ref:`pumps`. Then see `the locks <more/locks.html>`_.\n",
    )
    assert setup.title == "Set up the harbor pumps"
    documents = (setup, locks, index, guide)
    known = make_gazetteer([stated_names(one) for one in documents])
    facts = set()
    for document in documents:
        found = extract(document, known)
        for fact in found.facts:
            assert fact.object is not None
            assert fact.quote in document.chunks[fact.chunk - 1].text
            facts.add((found.entities[fact.subject].name, fact.type, found.entities[fact.object].name))
    assert facts == {
        ("Manual of the harbor", "COVERS", "Set up the harbor pumps"),
        ("Manual of the harbor", "COVERS", "Open the river locks"),
        ("How to run the harbor", "SEE_ALSO", "Set up the harbor pumps"),
        ("How to run the harbor", "SEE_ALSO", "Open the river locks"),
    }


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("Slow Ferries.md", "# Motivation\n\nx\n\n# Costs\n\nx\n", "Slow Ferries"),
        ("Slow Ferries.md", "They are slow.\n\n# References\n\nx\n", "Slow Ferries"),
        ("Slow Ferries.md", "# Why a slow ferry\n\nx\n\n# Costs\n\nx\n", "Why a slow ferry"),
        ("Slow Ferries.md", "# Motivation\n\nx\n", "Motivation"),
        ("slow-ferries.md", "# Motivation\n\nx\n\n# Costs\n\nx\n", "Motivation"),
        ("README.md", "![](x)\n\n# Ferry\n\nx\n\n# Costs\n\nx\n", "Ferry"),
    ],
)
def test_parts_of_a_note_are_not_its_title(name: str, text: str, title: str) -> None:
    assert parse_document(text.encode(), name).title == title


@pytest.mark.parametrize(
    ("lead", "type_"),
    [
        ("Solifugae is an order of animals in the class Arachnida.", "Species"),
        ("Scarabs are a family of large beetles.", "Species"),
        ("The Rothschilds are a family of bankers.", "Group"),
        ("X is an order of chivalry.", "Organization"),
        ("The Leavitt Bulldog is a late 20th-century re-creation of the extinct bulldog.", ""),
    ],
)
def test_ranks_of_living_things_and_centuries(lead: str, type_: str) -> None:
    found = said_kind(lead)
    assert found is not None and found.type == type_


def test_the_noun_before_a_name_outweighs_its_last_word() -> None:
    text = "He sang for the rock band Linkin Park then."
    start = text.index("Linkin")
    counts: dict[str, int] = {}
    for type_, count in type_clues(text, start, start + len("Linkin Park")):
        counts[type_] = counts.get(type_, 0) + count
    assert counts["Organization"] > counts["Location"]


@pytest.mark.parametrize("name", ["Stanley Cup", "Bobby Morris Playfield", "James Beard Award"])
def test_what_is_called_after_somebody_is_nobody(name: str) -> None:
    assert not may_be_person(name)
    assert (type_cue(name) or ("",))[0] != "Person"


def test_the_name_of_code_keeps_its_low_lines() -> None:
    assert title_name("WP_CLI::halt()", "halt.md") == "WP_CLI::halt()"
    assert title_name("leave_policy", "leave_policy.md") == "leave policy"


def test_a_bracket_gives_the_common_name_of_a_species() -> None:
    document = page(
        "Hibiscus insularis.md", "Hibiscus insularis",
        "The Philip Island Hibiscus (Hibiscus insularis) is a species of hibiscus that is endemic to an island.",
    )  # fmt: skip
    subject = page_subject(document)
    assert subject is not None and "Philip Island Hibiscus" in subject.aliases


@pytest.mark.skipif(not tagging.has_tagger(), reason="pages are read where spaCy is installed")
@pytest.mark.parametrize(
    ("target", "leads"),
    [
        ("/wicks/harbors/rope-changes", True),
        ("/site/wicks/harbors/rope-changes", True),
        ("/wicks/rope-changes", True),  # a page beneath the folder
        ("/lamps/rope-changes", False),
        ("/lamps/harbors/rope-changes", False),
        ("/other/rope-changes", True),  # of folders that nothing lies in nothing is known
    ],
)
def test_a_path_leads_to_no_page_of_another_folder(target: str, leads: bool) -> None:
    changes = page("docs/wicks/harbors/rope-changes.md", "How ropes have been changed so far")
    source = page("docs/lamps/use.md", "How one uses a lamp", f"- See [the changes]({target}).")
    found = extract(source, make_gazetteer([stated_names(one) for one in (changes, source)]))
    assert ("SEE_ALSO" in {fact.type for fact in found.facts}) == leads
