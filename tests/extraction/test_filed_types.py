"""What a page is by the folder that it lies in and by its tags; the people whom notes on bodies list."""

from __future__ import annotations

import pytest

from kgfs.extraction.extractor import extract
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.filed_types import folder_type, tag_type
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.extraction.names.declared.pages import page_subject
from kgfs.extraction.names.declared.titles import Title
from tests.extraction.read_texts import parsed, read

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


@pytest.mark.parametrize(
    ("title", "path", "type_"),
    [
        ("Tarn Works", "Contractors/Tarn Works.md", "Organization"),
        ("Tarn Works", "03 - Cloud Vendors/tarn-works.md", "Organization"),
        ("Tarn Works", "notes/contractors/tarn-works/index.md", "Organization"),
        ("Ann Lee", "People/Ann Lee.md", "Person"),
        ("Lamplight", "🛠 Tools/Lamplight.md", "Product"),
        ("Standard", "glossary/en/terms/dataset/index.md", "Concept"),
        ("Standard", "glossary/en/dataset.md", "Concept"),
        # Texts say what a name in a glossary is; a folder in the singular holds what is on its topic.
        ("Lampkan", "glossary/lampkan.md", ""),
        ("Separation of powers", "Government/separation.md", ""),
        ("Tarn Works", "Business/Tarn Works.md", ""),
        ("Lifecycle of a Lamp", "launching-software/lifecycle.md", ""),
        ("Financial sponsorship of lamps", "companies/sponsorship.md", ""),
        ("Coding standards", "standards/coding.md", ""),
        ("Sales Team", "People/Sales Team.md", ""),
        ("Tarn Works", "Tarn Works.md", ""),
    ],
)
def test_folders(title: str, path: str, type_: str) -> None:
    assert folder_type(Title(title), path) == type_


@pytest.mark.parametrize(
    ("tags", "type_"),
    [
        (["contractor"], "Organization"),
        (["crm/companies", "todo"], "Organization"),
        (["person", "company"], ""),
        (["software", "war", "music"], ""),
        ([], ""),
    ],
)
def test_tags(tags: list[str], type_: str) -> None:
    assert tag_type(Title("Tarn Works"), tags) == type_


def test_a_term_of_a_glossary_is_one_and_says_who_made_it() -> None:
    texts = {
        "glossary/dataset.md": "---\ntitle: Dataset\n---\n\nAny organised collection of data.\n",
        "glossary/lampkan.md": "# Lampkan\n\nA free platform for lamps, built and maintained by Google.\n",
    }
    documents = [parsed(text, path) for path, text in texts.items()]
    gazetteer = make_gazetteer([stated_names(document) for document in documents])
    dataset, lampkan = (extract(document, gazetteer) for document in documents)
    assert [(one.name, one.type) for one in dataset.entities] == [("Dataset", "Concept")]
    if tagging.has_tagger():
        said = {
            (lampkan.entities[one.subject].name, one.type, one.object_text or lampkan.entities[one.object or 0].name)
            for one in lampkan.facts
        }
        assert said == {
            ("Lampkan", "IS_A", "free platform"), ("Google", "BUILT", "Lampkan"), ("Google", "MAINTAINS", "Lampkan"),
        }  # fmt: skip


def test_people_whom_a_note_on_a_body_lists() -> None:
    text = """#contractor

President:
- [[People/Ann Lee\\|Ann Lee]]

Primary contact: [[People/Bob Ray|Bob Ray]]
Former director: [[People/Cy Dow|Cy Dow]]

Key people:
- [[People/Di Fox|Di Fox]] : Director of Sales. Cell 555 0100

Projects:
- [[People/Eve Gad|Eve Gad]]
"""
    document = parsed(text, "Contractors/Tarn Environmental.md")
    found = extract(document, make_gazetteer([stated_names(document)]))
    said = {
        (found.entities[one.subject].name, one.type, found.entities[one.object].name)
        for one in found.facts
        if one.object is not None and one.type not in ("SEE_ALSO", "COVERS")
    }
    assert said == {
        ("Ann Lee", "WORKS_FOR", "Tarn Environmental"),
        ("Tarn Environmental", "HAS_CONTACT", "Bob Ray"),
        ("Di Fox", "WORKS_FOR", "Tarn Environmental"),
    }


@needs_tagger
def test_who_works_for_the_maker_of_software_of_its_name() -> None:
    found = read(
        "We met Ann Lee, Infrastructure Engineer at Slack, in Oslo. Then Bob Ray, Google CEO, spoke.\n\n"
        "We use Slack to talk.\n"
    )
    said = {
        (found.entities[one.subject].name, one.type, found.entities[one.object].name)
        for one in found.facts
        if one.object is not None
    }
    assert {("Ann Lee", "WORKS_FOR", "Slack"), ("Bob Ray", "WORKS_FOR", "Google")} <= said


def test_a_note_on_a_work_has_its_name() -> None:
    subject = page_subject(parsed("[[Habit]]s are kept.\n", "Book - The Lamp Keepers.md"))
    assert subject is not None
    assert (subject.name, subject.type, subject.aliases) == ("The Lamp Keepers", "Work", ["Book - The Lamp Keepers"])
