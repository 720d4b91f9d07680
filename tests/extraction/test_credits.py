"""Who made what, by lines and sections of notes; comments; pages that are the commands of one program."""

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.sentences.credits import credits_in
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.model import ParsedDocument


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Developed by: [[annlee]]", [("DEVELOPED", "annlee", True)]),
        ("- **Author**:: [[people/Ann Lee|Ann]], [[Bo]]", [("WROTE", "people/Ann Lee", True), ("WROTE", "Bo", True)]),
        ("Maintained by: [[Ann Lee]] and [[Bo]]", [("MAINTAINS", "Ann Lee", True), ("MAINTAINS", "Bo", True)]),
        ("Developed by: Ann Lee", []),
        ("Mobile compatible: [[Yes]]", []),
        ("It is developed by: [[annlee]] who lives here.", []),
        ("## Author of\n\n### Plugins\n- [[lamp|Lamp]]\n\n## Others\n- [[oil|Oil]]", [("DEVELOPED", "lamp", False)]),
        ("- [[lamp|Lamp]]", []),
        ("Tarn Vice President: [[people/Ann Lee\\|Ann]]", [("WORKS_FOR", "people/Ann Lee", True)]),
        (
            "Founders:\n[[Ann Lee]]\n- [[Bo]] - keeps lamps\n\n[[Cy]]",
            [("FOUNDED", "Ann Lee", True), ("FOUNDED", "Bo", True), ("FOUNDED", "Cy", True)],
        ),
        ("Founders:\n[[Ann Lee]]\nThey left.\n[[Bo]]", [("FOUNDED", "Ann Lee", True)]),
        ("Former directors: [[Ann Lee]]", []),
    ],
)
def test_lines_and_sections(text: str, found: list[tuple[str, str, bool]]) -> None:
    assert [(one.type, one.target, one.by) for one in credits_in(text)] == found


def read(**texts: str) -> set[tuple[str, str, str, str, str]]:
    documents = []
    for path, text in texts.items():
        document: ParsedDocument = parse_document(text.encode(), f"{path}.md")
        document.path = f"vault/{path}.md"
        documents.append(document)
    gazetteer = make_gazetteer([stated_names(document) for document in documents])
    facts = set()
    for document in documents:
        found, _ = extract_by_rule(document, gazetteer)
        for fact in found.facts:
            if fact.object is not None:
                one, other = found.entities[fact.subject], found.entities[fact.object]
                facts.add((one.name, one.type, fact.type, other.name, other.type))
    return facts


def test_a_vault_says_who_made_what() -> None:
    assert ("annlee", "Person", "DEVELOPED", "Lampkeeper", "Product") in read(
        Lampkeeper="# Lampkeeper\n\nLampkeeper is a tool that keeps lamps.\n\nDeveloped by: [[annlee]]\n"
    )


def test_a_person_has_what_no_note_is_of() -> None:
    told = read(
        annlee="# Ann Lee\n\nAnn Lee is a programmer.\n\n## Author of\n\n### Plugins\n\n- [[lamp-keeper|Lamp Keeper]]\n"
    )
    assert told == {("Ann Lee", "Person", "DEVELOPED", "Lamp Keeper", "Product")}


def test_commands_of_one_program_are_a_family() -> None:
    pages = {f"p{verb}": f"# lamper lamp {verb}\n\nChanges a lamp.\n" for verb in ("add", "get", "set")}
    pages["guide"] = "# Keeping lamps\n\nUse `lamper keep` to see one.\n"
    documents = [parse_document(text.encode(), f"{path}.md") for path, text in pages.items()]
    entries = make_gazetteer([stated_names(document) for document in documents]).entries
    assert {entry.name: entry.type for entry in entries if entry.name.startswith("lamper")} == {
        "lamper lamp add": "Command", "lamper lamp get": "Command", "lamper lamp set": "Command",
    }  # fmt: skip


@pytest.mark.parametrize("comment", ["<!--\n## Lamp Works\n\n- [[Lamp Works]]\n-->", "%% see [[Lamp Works]] %%"])
def test_comments_are_not_read(comment: str) -> None:
    document = parse_document(f"# Tarn\n\nTarn is a town.\n\n{comment}\n\nIt rains.\n".encode(), "a.md")
    document.path = "a.md"
    found, _ = extract_by_rule(document, make_gazetteer([stated_names(document)]))
    assert not {entity.name for entity in found.entities} & {"Lamp Works"}
