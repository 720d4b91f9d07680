"""What strangers took for foolish in folders that no rule had seen: labels, paths, headlines, plurals, credits."""

from __future__ import annotations

import pytest

from kgfs.documents.markup import plain_sentence
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.context_clues import type_clues
from kgfs.extraction.names.declared.gazetteer import document_page, make_gazetteer, stated_names
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.extraction.names.declared.suggested import type_in_code
from kgfs.extraction.names.evidence import explained_type
from kgfs.extraction.names.fragments import is_in_path
from kgfs.extraction.names.tagging import has_tagger
from kgfs.extraction.names.verdict import may_be_body, name_verdict
from kgfs.model import DefinedTerm, Evidence, Extraction
from tests.extraction.read_texts import parsed


def read(*texts: str) -> Extraction:
    """What the last of some texts says, given the names of all."""
    documents = [parsed(text, f"{place}.md") for place, text in enumerate(texts)]
    return extract(documents[-1], make_gazetteer([stated_names(document) for document in documents]), "patterns")


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("Release process", "We cut a branch first.", "Document"),
        ("Lamp governance", "We vote.", "Document"),
        ("Maturity levels", "We sort lamps.", "Document"),
        ("Folder Types", "We sort folders.", "Document"),
        ("Versions & Releases", "Since the first release, Lampd has used a version, which is long.", "Document"),
        ("Translating", "We need help.", "Document"),
        ("Quick reference", "The lamp is a tool.", "Document"),
        ("Setup and building", "First comes oil.", "Document"),
        ("Status of the lamps", "They shine.", "Document"),
        ("Tracing lamps using Tarn", "We trace.", "Document"),
        ("Using the lamp tracker", "The lamp tracker is a site for lamps.", "Document"),
        ("Release process", "The release process is a set of steps.", "Concept"),
        ("Maturity levels", "Maturity levels are ranks of projects.", "Concept"),
        ("Profiling", "Profiling is the process of measuring lamps.", "Concept"),
        ("Keeper Groups", "We use them.", ""),
        ("tarn_lamps (Lampfile directive)", "It lights them.", "Command"),
        ("handle_lamps (Lampfile directive)", "It lights them.", "Command"),
        ("Lamp Team", "The lamp team is a group dedicated towards improving the workflow.", "Organization"),
        ("Lamp team", "The lamp team is a group of people who light.", "Organization"),
        ("oilLevel", "`oilLevel` is a lamp setting that fills it.", "Setting"),
    ],
)
def test_what_a_page_is_by_its_title(title: str, lead: str, type_: str) -> None:
    found = document_page(parsed(f"# {title}\n\n{lead}\n", "docs/page.md"))
    assert found is not None and found.type == type_


@pytest.mark.parametrize(
    ("front", "name", "type_"),
    [
        ("title: Lamps of the north\nauthor: Ann Lee\ndate: 2020-01-02", "Lamps of the north", "Document"),
        ("title: Lampd\nauthor: Ann Lee\ndate: 2020-01-02", "Lampd", ""),
        ("title: Lamp Days Oslo\ndate: 2020-01-02\nvenue: Hall 3", "Lamp Days Oslo", "Event"),
        ("title: Lampd\nlocation: Oslo", "Lampd", ""),
    ],
)
def test_what_front_matter_says_of_a_page(front: str, name: str, type_: str) -> None:
    found = document_page(parsed(f"---\n{front}\n---\n\nIt rained.\n"))
    assert found is not None and (found.name, found.type) == (name, type_)


def test_somebody_wrote_a_page_of_which_nothing_says_what_it_is() -> None:
    found = read("---\ntitle: Lamps of the north\nauthor: Ann Lee\ndate: 2020-01-02\n---\n\nIt rained.\n")
    names = [(entity.name, entity.type) for entity in found.entities]
    ((fact, subject, object_),) = [(one.type, names[one.subject], names[one.object or 0]) for one in found.facts]
    assert (fact, subject, object_) == ("WROTE", ("Ann Lee", "Person"), ("Lamps of the north", "Document"))


def test_what_many_pages_define_each_in_its_own_way_is_a_label() -> None:
    texts = [f"# Set {place}\n\n**Lamp provider**\n: A firm of {place}\n" for place in range(3)]
    names = {entry.name for entry in make_gazetteer([stated_names(parsed(text)) for text in texts]).entries}
    assert "Lamp provider" not in names
    names = {entry.name for entry in make_gazetteer([stated_names(parsed(text)) for text in texts[:2]]).entries}
    assert "Lamp provider" in names


def test_a_page_called_like_code_but_for_a_bracket_is_what_code_means() -> None:
    texts = ["# tarn_lamp (Lampfile directive)\n\nIt lights.\n", *["Use `tarn_lamp` and `oil_lamp`.\n"] * 3]
    found = make_gazetteer([stated_names(parsed(text, f"{place}.md")) for place, text in enumerate(texts)]).entries
    assert {(entry.name, entry.type) for entry in found} == {
        ("tarn_lamp (Lampfile directive)", "Command"), ("oil_lamp", "Identifier"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "name", "part"),
    [
        ("See Lamps/oil.c for it.", "Lamps", True), ("See `Lamps/Setup` for it.", "Lamps", True),
        ("See ./src/Lamps/ here.", "Lamps", True), ("See GNU/Lamps here.", "Lamps", False),
        ("See Lamps/Oil, too.", "Lamps", False), ("See Lamps for it.", "Lamps", False),
        ("See (Lamps/oil_can) here.", "Lamps", True), ("https://x.org/Lamps", "Lamps", True),
    ],
)  # fmt: skip
def test_parts_of_paths_are_no_names(raw: str, name: str, part: bool) -> None:
    content = plain_sentence(raw)
    start = content.text.index(name)
    assert is_in_path(content, start, start + len(name)) == part


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("rgw: fix leak (pr#123, Quill Dachary)", True),
        ("rgw: fix leak (issue#1, pr#123, Ann Lee, Quill Dachary)", True),
        ("rgw: fix leak (#123, Quill Dachary, Ann Lee)", True),
        ("The fix, Quill Dachary, is good", False),
        ("See #123, Quill Dachary", False),
    ],
)
def test_who_made_a_change(text: str, person: bool) -> None:
    start = text.index("Quill Dachary")
    found = dict(type_clues(text, start, start + len("Quill Dachary"), "Organization"))
    assert ("Person" in found) == person


@pytest.mark.parametrize(
    ("name", "short", "type_"),
    [
        ("technical committee", "TC", "Organization"), ("Lamp Security Team", "LST", "Organization"),
        ("Public Health England", "PHE", "Organization"), ("Lamp Log Format", "LLF", "Technology"),
        ("Lamp Transfer Protocol", "LTP", "Technology"), ("lamp package manager", "LPM", "Product"),
        ("Lamp Management Unit", "LMU", "Organization"), ("content security policy", "CSP", "Technology"),
        ("Lamp and Oil Regulations", "LOR", "Law"), ("central lamp unit", "CLU", "Concept"),
        ("certificate authority", "CA", "Concept"),
        ("Lamp License Agreement", "LLA", "Concept"), ("Kubernetes Lamp Proposal", "KLP", "Concept"),
    ],
)  # fmt: skip
def test_what_a_text_explains_letters_with(name: str, short: str, type_: str) -> None:
    assert explained_type(name, short) == type_


def test_a_firm_with_capitals_inside_must_act_as_one() -> None:
    seen = Evidence(seen=9, types={"Organization": 9}, single=True, camel=True)
    assert not may_be_body(seen)
    assert (name_verdict(seen) or ("",))[0] == "Product"
    acting = Evidence(seen=9, types={"Organization": 9}, single=True, camel=True, acts=2)
    assert (name_verdict(acting) or ("",))[0] == "Organization"


@pytest.mark.parametrize(
    ("name", "kind", "type_"),
    [
        ("Lampstall / Oilstall", "entity", None),
        ("Tarn Linux", "entity", "Product"),
        ("Lampstall 3", "entity", "Concept"),
    ],
)
def test_what_a_heading_with_fields_names(name: str, kind: str, type_: str | None) -> None:
    found = record_entity(DefinedTerm(name=name, kind=kind, definition=""))
    assert (found.type if found is not None else None) == type_


@pytest.mark.parametrize(
    ("name", "said", "type_"), [("oilLevel", "Concept", "Identifier"), ("oilLevel", "Setting", "Setting")]
)
def test_a_setting_is_no_concept(name: str, said: str, type_: str) -> None:
    assert type_in_code(name, said) == type_


def test_other_names_and_plurals_of_what_everybody_knows() -> None:
    found = read("We edit in VS Code and in VSCode. Each LLM is large, and LLMs (large language models) are slow.\n")
    names = {entity.name: set(entity.aliases) for entity in found.entities}
    assert not {"VS Code", "VSCode"} & names.keys()
    assert "LLMs" not in names


def test_a_file_spelled_small_is_called_as_its_lead_writes_it() -> None:
    found = document_page(
        parsed("Every harbour of the north follows the [Plan Tarn](https://x.org) now.\n", "docs/plan-tarn.md")
    )
    assert found is not None and found.name == "Plan Tarn"


def test_scripts_in_a_page_are_not_read() -> None:
    found = read(
        "# Lampd\n\nLampd is a lamp daemon.\n", "<script>\nlet Lampd = 3;\nLampd();\n</script>\n\nIt rained.\n"
    )
    assert not found.facts and all(one.count == 1 for one in found.mentions)


def test_two_employers_and_a_former_name() -> None:
    people = (
        "# Keepers\n\n### Ann Lee\n\n- Company: Tarn / Lumen Labs\n- Chat: alee\n\n"
        "### Bob Ray\n\n- Company: Oilstall (formerly Tarn)\n- Chat: bray\n"
    )
    found = read(people)
    names = [entity.name for entity in found.entities]
    assert {(names[one.subject], names[one.object or 0]) for one in found.facts if one.type == "WORKS_FOR"} == {
        ("Ann Lee", "Tarn"), ("Ann Lee", "Lumen Labs"), ("Bob Ray", "Oilstall"),
    }  # fmt: skip


def test_what_an_author_uses_the_page_does_not() -> None:
    text = "As you can see, we use Docker to forge lamps.\n"
    if not has_tagger():
        pytest.skip("needs a model of spaCy")
    signed = parsed(f"---\ntitle: Lamps of the north\nauthor: Ann Lee\ndate: 2020-01-02\n---\n\n{text}")
    assert {one.type for one in extract(signed).facts} == {"WROTE"}


def test_the_plural_of_a_body_that_another_page_defines_is_the_body() -> None:
    glossary = "# Glossary\n\n**LPO**\n: Lamp Program Office\n"
    names = {
        entity.name for entity in read(glossary, "Many Lamp Program Offices (LPOs) light. LPOs are few.\n").entities
    }
    assert "Lamp Program Office" in names and "Lamp Program Offices" not in names
