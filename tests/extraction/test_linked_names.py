"""Names that links to profiles and sites suggest, and how somebody or a file's name is written."""

from __future__ import annotations

import pytest

from kgfs.documents.identifiers import code_shape
from kgfs.documents.labelled_links import labelled_links
from kgfs.documents.suggestions.profile_names import profile_names
from kgfs.documents.suggestions.repository_names import repository_names
from kgfs.extraction.extractor import extract, read_sentences
from kgfs.extraction.names import bodies, capitals, tagging
from kgfs.extraction.names.declared.defined_terms import defined_term
from kgfs.extraction.names.declared.gazetteer import document_page, make_gazetteer, stated_names
from kgfs.extraction.names.declared.known_names import is_mere_heading
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.extraction.names.declared.titles import title_name
from kgfs.extraction.names.evidence import explained_type, may_be_person
from kgfs.extraction.names.kinds import called_type, definition_type, said_kind
from kgfs.extraction.names.named import matches_any_case
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.model import DefinedTerm, ParsedDocument
from tests.extraction.read_texts import parsed

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


def known(*documents: ParsedDocument) -> dict[str, str]:
    """What the gazetteer of some documents holds: names and types."""
    gazetteer = make_gazetteer([stated_names(document) for document in documents])
    return {entry.name: entry.type for entry in gazetteer.entries}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("* [Quira Molkin](https://github.com/qmolkin), Acme", ["Quira Molkin"]),
        ("[Quira Molkin](https://www.linkedin.com/in/q-molkin-1/)", ["Quira Molkin"]),
        ("[Quira Molkin](https://orcid.org/0000-0002-1825-0097)", ["Quira Molkin"]),
        ("[Quira Molkin](https://lamps.social/@quira)", ["Quira Molkin"]),
        ("`Quira Molkin <https://github.com/qmolkin>`_ wrote it.", ["Quira Molkin"]),
        ("[Lamp Face](https://github.com/lampface)", []),
        ("[Lamp Face](https://github.com/lampface/lamps)", []),
        ("[Let's Light](https://github.com/letslight)", []),
        ("[Lamp Sponsors](https://github.com/sponsors)", []),
        ("[Quira Molkin](https://example.org/people)", []),
        ("[quira](https://github.com/qmolkin) ![Quira Molkin](https://github.com/qmolkin)", []),
        ("By Quira Molkin (@qmolkin).", ["By Quira Molkin"]),  # the extractor knows words
        ("* Quira Molkin (@qmolkin)\n* Ann Lee (**[@al](https://github.com/al)**)", ["Quira Molkin", "Ann Lee"]),
        ("Lamp Face (@lampface), the Lamp Team (@acme/lamps)", []),
        ("[Quira and Ann](https://github.com/x) [Read the guide](https://github.com/y)", ["Quira and Ann"]),
    ],
)
def test_labels_of_links_to_profiles(text: str, names: list[str]) -> None:
    assert [term.name for term in profile_names(text, labelled_links(text))] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[lamp-finder](https://github.com/acme/lamp-finder)", ["lamp-finder"]),
        ("[`lamp_finder`](https://pypi.org/project/lamp-finder/)", ["lamp_finder"]),
        ("[LampDB](https://gitlab.com/acme/lampdb.git) [h5lamp](https://h5lamp.readthedocs.io/en/latest)",
         ["LampDB", "h5lamp"]),
        ("`lamp-finder <https://crates.io/crates/lamp-finder>`_", ["lamp-finder"]),
        ("[lamps](https://github.com/acme/lamps) [Governance](https://github.com/acme/governance)", []),
        ("[lamp-finder](https://github.com/acme/lamps) [lamp-docs](https://github.com/acme/lamp-docs)", []),
        ("[CONTRIBUTING.md](https://github.com/acme/contributing.md) [TOC](https://github.com/acme/toc)", []),
    ],
)  # fmt: skip
def test_labels_of_links_to_repositories(text: str, names: list[str]) -> None:
    assert [term.name for term in repository_names(labelled_links(text))] == names
    assert {name: "Product" for name in names}.items() <= known(parsed(f"# Lamps\n\n{text}\n")).items()


@pytest.mark.parametrize(
    ("name", "url", "type_"),
    [
        ("lamp-finder", "https://github.com/acme/lamp-finder", "Product"),
        ("Lamp Finder", "https://lamp-finder.readthedocs.io", "Product"),
        ("lamp-finder", "https://github.com/acme/lamps", "Concept"),
    ],
)
def test_a_record_with_its_repository_is_software(name: str, url: str, type_: str) -> None:
    assert known(parsed(f"name: {name}\ndescription: Finds lamps.\nurl: {url}\n", "a.yml"))[name] == type_


@pytest.mark.parametrize(
    ("label", "type_"),
    [("Quira Molkin", "Person"), ("Lamp Foundation", None), ("Issue Tracker", None), ("Quira and Ann", None)],
)
def test_who_has_a_profile(label: str, type_: str | None) -> None:
    assert known(parsed(f"# Lamps\n\nAsk [{label}](https://github.com/some-handle).\n")).get(label) == type_


def test_who_is_called_by_a_handle() -> None:
    text = "# Lamps\n\n* Owner: @qmolkin\n\nAsk [Quira Molkin](https://github.com/qmolkin), Acme Inc.\n"
    documents = [parsed(text), parsed("# Oil\n\nOil is looked after by @qmolkin since May.\n", "b.md")]
    gazetteer = make_gazetteer([stated_names(document) for document in documents])
    (entry,) = (entry for entry in gazetteer.entries if entry.name == "Quira Molkin")
    assert entry.aliases == ["@qmolkin"]
    names = [entity.name for entity in extract(documents[0], gazetteer).entities]
    assert "@qmolkin" not in names


def test_a_known_host_is_software_also_beside_employers() -> None:
    text = "# Adopters\n\n## Companies\n\n* [GitHub](https://github.com)\n* [Splunk](https://splunk.com)\n"
    found = known(parsed(text))
    assert (found["GitHub"], found["Splunk"]) == ("Product", "Organization")


@pytest.mark.parametrize(
    ("lead", "path", "name"),
    [
        ("LampOne is a clinical information system run by Acme (Orm).", "lampone.md", "LampOne"),
        ("The Lamp Registry (LPR) holds all lamps.", "lpr.md", None),
    ],
)
def test_a_file_is_called_as_its_lead_writes_it(lead: str, path: str, name: str | None) -> None:
    found = known(parsed(f"{lead}\n", path))
    assert name is None or name in found, found
    assert "LPR" not in found


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("lamps.io", "lamps.io hosts lamps for everybody.", "Product"),
        ("Borf", 'The team runs a merge queue bot called "Borf", to be used here.', "Product"),
        ("Lamp Groups", "This page contains all groups of Acme.", "Document"),
        ("Acme Lamp Guild", "This page lists the members of Acme's guild.", "Organization"),
    ],
)
def test_pages_by_what_their_leads_say(title: str, lead: str, type_: str) -> None:
    page = document_page(parsed(f"# {title}\n\n{lead}\n"))
    assert page is not None and page.type == type_


@pytest.mark.parametrize(
    ("sentence", "type_"),
    [
        ("We use a chat bot called Quorx.", "Product"), ("Our town, named Quorx, is old.", "Location"),
        ("They met the group called Quorx.", "Organization"), ("A bot is not Quorx.", ""),
    ],
)  # fmt: skip
def test_what_a_sentence_calls_so(sentence: str, type_: str) -> None:
    assert called_type(sentence, "Quorx") == type_


def test_nouns_that_only_begin_as_others_do() -> None:
    assert noun_type("parties") == noun_type("party") == "Organization"
    assert noun_type("part") == ""
    assert definition_type("The part of the standard library that is implemented in C.") != "Organization"


@pytest.mark.parametrize(
    ("sentence", "type_"),
    [
        ("Lampad is a records system run by Acme.", "Product"), ("Lampad is an information system.", "Product"),
        ("Lampad is a system that was built by Acme.", "Product"), ("Lampad is a system of rivers.", "Concept"),
        ("Lampad is a library for lamps.", "Product"), ("Lampad is a small library that lights lamps.", "Product"),
        ("Lampad is a public library for all.", "Organization"), ("Lampad is a library in Orm.", "Facility"),
    ],
)  # fmt: skip
def test_systems_that_somebody_runs(sentence: str, type_: str) -> None:
    said = said_kind(sentence)
    assert said is not None and said.type == type_


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("Ann Lee (She/Her)", "Ann Lee"), ("Ann Lee [they/them/theirs]", "Ann Lee"), ("Ann Lee (he / him)", "Ann Lee"),
        ("3 November 2010: Lamp Day 2010", "Lamp Day 2010"), ("Hep (virus)", "Hep (virus)"),
        ("Sheila (Shell)", "Sheila (Shell)"),
    ],
)  # fmt: skip
def test_pronouns_are_no_part_of_a_name(name: str, bare: str) -> None:
    assert title_name(name) == bare


@pytest.mark.parametrize("text", ['{{ doc("lamps") }}', "TODO", "tbd.", "{% docs lamps %}"])
def test_a_description_that_is_elsewhere_is_none(text: str) -> None:
    found = record_entity(DefinedTerm(name="fct_lamps", definition=text, kind="models"))
    assert found is not None and (found.type, found.description) == ("Identifier", "")


def test_code_with_short_parts_is_code() -> None:
    assert [code_shape(name) for name in ("n_feeds", "todo__from_lamps_", "x_", "_")] == ["snake", "snake", "", ""]


@pytest.mark.parametrize(
    ("title", "lead", "mere"),
    [
        ("Slack", "This guide explains why we use Slack.", False),
        ("Lamp", "People can find Lamp in their accounts.", False),
        ("Channels", "See a list of all of them.", True),
        ("Zoom", "Acme pays for it.", False),
    ],
)
def test_pages_of_tools_that_are_called_as_words(title: str, lead: str, mere: bool) -> None:
    page = document_page(parsed(f"# {title}\n\n{lead}\n", f"tools/{title.lower()}.md"))
    assert page is not None and (page.type, is_mere_heading(page)) == ("Product", mere)


@pytest.mark.parametrize(
    ("name", "short", "type_"),
    [
        ("Office of Lamps and Oils", "OLO", "Organization"), ("Python Package Index", "PyPI", "Product"),
        ("lamp oil index", "LOI", "Concept"), ("Historic England", "HE", "Organization"),
        ("New England", "NE", "Concept"), ("Institute for Lamps", "IFL", "Organization"),
    ],
)  # fmt: skip
def test_what_is_explained(name: str, short: str, type_: str) -> None:
    assert explained_type(name, short) == type_


def test_software_with_a_hyphen_in_any_case() -> None:
    assert matches_any_case("scikit-lamp", "Product")
    assert not matches_any_case("scikit", "Product") and not matches_any_case("scikit-lamp", "Person")


@needs_tagger
@pytest.mark.parametrize(
    ("sentences", "name", "type_"),
    [
        (["It was held by Ann Lee, Ralfo Gommerts, Matteo Picussi and Bob Ray."], "Ralfo Gommerts", "Person"),
        (["Ralfo Gommerts joined Quansight.", "Ann Lee", "Ralfo Gommerts", "Bob Ray"], "Ralfo Gommerts", "Person"),
        (["The sponsors are Acme Inc, Lamp Partners, Tarn Bank and Ann Lee."], "Lamp Partners", "Organization"),
        (["Thanks go to Ann Lee, Bob Ray, Tarn Bank and Eve Lu."], "Tarn Bank", "Organization"),
    ],
)
def test_who_stands_among_persons(sentences: list[str], name: str, type_: str) -> None:
    found = [
        one.type
        for sentence, reading in zip(sentences, read_sentences(sentences), strict=True)
        for one in reading.names
        if sentence[one.start : one.end] == name
    ]
    assert found and set(found) == {type_}


@pytest.mark.parametrize(
    ("name", "definition", "expected"),
    [
        ("Script thread (alt. script task)", "A thread that runs scripts.", ("Script thread", ["script task"])),
        ("Lamp Meeting in Orm", "agenda, minutes", None),
        ("Lamp (tool)", "A tool that lights.", ("Lamp (tool)", [])),
    ],
)
def test_what_a_definition_list_calls(name: str, definition: str, expected: tuple[str, list[str]] | None) -> None:
    found = defined_term(DefinedTerm(name=name, definition=definition))
    assert (None if found is None else (found.name, found.aliases)) == expected


def test_no_address_is_somebody() -> None:
    assert not may_be_person("crates.io") and may_be_person("J. R. Lind")


def test_verbs_in_capitals_are_no_part_of_a_name() -> None:
    assert [one.text for one in capitals.find_capitals("If the Lamp Board SHALL vote, Acme Inc MUST NOT.")] == [
        "Lamp Board", "Acme Inc",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "path", "page", "facts"),
    [
        (
            ":DEP: 0201\n:Author: Ann Lee, Bob Ray\n:Status: Final\n:Implementation Team: Eve Lu",
            "0201-lamps.rst",
            "DEP 201",
            {
                ("Ann Lee", "WROTE", "DEP 201"),
                ("Bob Ray", "WROTE", "DEP 201"),
                ("DEP 201", "STATUS", "Final"),
                ("DEP 201", "IMPLEMENTATION_TEAM", "Eve Lu"),
            },
        ),
        (":DEP: 0201\n:Author: Ann Lee\n:Status: Final", "lamps.rst", "Lamps", set()),
    ],
)
def test_fields_of_a_numbered_proposal(text: str, path: str, page: str, facts: set[tuple[str, str, str]]) -> None:
    title = "DEP 0201: Lamps" if page != "Lamps" else "Chapter 0201: Lamps"
    document = parsed(f"{'=' * 30}\n{title}\n{'=' * 30}\n\n{text}\n\nWhat\n====\n\nEve Lu wrote a text.\n", path)
    found = extract(document, make_gazetteer([stated_names(document)]))
    names = [entity.name for entity in found.entities]
    said = {
        (names[one.subject], one.type, names[one.object] if one.object is not None else str(one.object_text))
        for one in found.facts
    }
    assert facts <= said and (page in names) == bool(facts)


def test_tables_of_addresses_have_no_things() -> None:
    rows = "| Name | Address |\n|---|---|\n| GitHub Repository | https://x.org/a |\n| Lamp Check | https://x.org/b |\n"
    found = extract(parsed(f"# Lamps\n\n{rows}"), make_gazetteer([]))
    assert "GitHub Repository" not in {entity.name for entity in found.entities}


@pytest.mark.parametrize("name", ["Staff Contact", "Invited Experts", "Group Chair", "Lead Maintainer"])
def test_what_somebody_is_names_no_body(name: str) -> None:
    assert bodies.is_role(name) and not bodies.is_role("Lamp Expert Group")


@pytest.mark.parametrize(
    ("definition", "type_"),
    [
        ("A group that contains instances for use in a cluster.", "Concept"),
        ("A set of hosts that can be addressed.", "Concept"),
        ("A group of volunteers that meets.", "Organization"),
        ("A tool that is used for lamps.", "Product"),
        # sentences on something else
        ("A playbook is a list of plays.", ""),
        ("Each play maps a series of tasks.", ""),
        ("Policies dictate how groups behave.", ""),
    ],
)
def test_what_a_definition_says(definition: str, type_: str) -> None:
    assert definition_type(definition) == type_
