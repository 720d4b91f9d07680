"""What the first sentences of a page say of its subject: leads that the extractor must read, and must not."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.guides.lead_kinds import kind_of
from kgfs.extraction.facts.guides.lead_subjects import opens_with
from kgfs.extraction.names import tagging
from kgfs.model import Gazetteer, GazetteerEntry

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="leads are read where spaCy is installed")


def stated(title: str, type_: str, text: str) -> set[str]:
    """The facts of a page as ``subject TYPE object``, with dates; each has its quote from its chunk."""
    document = parse_document(f"---\ntype: {type_}\ntitle: {title}\n---\n\n{text}\n".encode(), "page.md")
    extraction, rules = extract_by_rule(document)
    found = set()
    for fact, rule in zip(extraction.facts, rules, strict=True):
        chunk = document.chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote
        if rule.partition(".")[0] in ("leads", "syntax", "proximity", "ties"):
            subject = extraction.entities[fact.subject].name
            target = extraction.entities[fact.object].name if fact.object is not None else fact.object_text
            when = f" @{fact.date}" if fact.date else ""
            span = f" {fact.valid_from}..{fact.valid_to}" if fact.valid_from else ""
            found.add(f"{subject} {fact.type} {target}{when}{span}")
    return found


@pytest.mark.parametrize(
    ("title", "type_", "text", "facts"),
    [
        ("Broken Harbour", "Work", "Broken Harbour is a 1982 Irish drama film written and directed by Nora Kavanagh and starring Peter Doyle, Anna Whelan and Sean Murray.",
         {"Broken Harbour IS_A 1982 Irish drama film", "Nora Kavanagh DIRECTED Broken Harbour", "Nora Kavanagh WROTE Broken Harbour",
          "Peter Doyle STARRED_IN Broken Harbour", "Anna Whelan STARRED_IN Broken Harbour", "Sean Murray STARRED_IN Broken Harbour"}),
        ("Broken Harbour", "Work", "Broken Harbour is a drama film. It was produced by Peter Doyle. The film was directed by Nora Kavanagh.",
         {"Broken Harbour IS_A drama film", "Peter Doyle PRODUCED Broken Harbour", "Nora Kavanagh DIRECTED Broken Harbour"}),
        ("Cold Rivers (novel)", "Work", "Cold Rivers is a novel by American writer Maria Jensen, published in 1961.",
         {"Cold Rivers (novel) IS_A novel", "Maria Jensen WROTE Cold Rivers (novel)"}),
        ("Elena Marchetti", "Person", "Elena Rosa Marchetti (3 May 1911 – 9 June 1987) was an Italian painter and sculptor.",
         {"Elena Marchetti IS_A Italian painter and sculptor", "Elena Marchetti BORN 3 May 1911 @1911-05-03", "Elena Marchetti DIED 9 June 1987 @1987-06-09"}),
        ("Elena Marchetti", "Person", "Elena Marchetti (born 3 May 1961 in Oslo) is a chemist.",
         {"Elena Marchetti IS_A chemist", "Elena Marchetti BORN_IN Oslo @1961-05-03"}),
        ("Anna of Velden", "Person", "Anna of Velden was the wife of Robert Huber and the daughter of Karl Steiner.",
         {"Anna of Velden SPOUSE_OF Robert Huber", "Anna of Velden CHILD_OF Karl Steiner"}),
        ("Ostby", "Work", "Ostby follows a family, as in the novel Cold Rivers, written by Maria Jensen.", {"Maria Jensen WROTE Cold Rivers"}),
        ("Ostby", "Location", "Ostby is a village in Norway.", {"Ostby IS_A village", "Ostby LOCATED_IN Norway"}),
    ],
)  # fmt: skip
def test_leads(title: str, type_: str, text: str, facts: set[str]) -> None:
    assert stated(title, type_, text) == facts


@pytest.mark.parametrize(
    ("title", "type_", "text"),
    [
        # About something else.
        ("Broken Harbour", "Work", "Nora Kavanagh is an Irish director. She was born on 3 May 1961."),
        ("Grafana support for Acme", "Concept", "Grafana is a dashboard and analytics platform that is made by Torkel Lindgren."),
        # No kind, no place.
        ("Ostby", "Work", "Ostby was broadcast in Norway."),
        # A pair of years of something that is nobody.
        ("Ostby", "Organization", "Ostby (1911 – 1987) made pens."),
    ],
)  # fmt: skip
def test_what_no_lead_says(title: str, type_: str, text: str) -> None:
    assert stated(title, type_, text) == set()


@pytest.mark.parametrize(
    ("text", "name", "opens"),
    [
        ("Jeffrey Thomas Porter (April 1, 1954) was a drummer.", "Jeff Porter", True),
        ("Jeffrey Thomas Porter was a drummer.", "David Porter", False),
        ("A native histogram is a kind of histogram.", "Native Histograms", True),
        ("Grafana is a platform.", "Grafana support for Acme", False),
        ("Ancón is a town.", "Ancón, Panama", True),
        ("The city is old.", "Ancón, Panama", False),
        ("", "Ancón", False),
        ("Is it?", "It", False),
    ],
)
def test_a_sentence_opens_with_a_form_of_the_name(text: str, name: str, opens: bool) -> None:
    assert bool(opens_with(text, name)) is opens


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("a 1982 film directed by Ann", "1982 film"),
        ("an American drummer, songwriter, and record producer.", "American drummer, songwriter, and record producer"),
        ("a style of vocal music in which", "style of vocal music"),
        ("the capital of Peru.", ""),
        ("one of the first.", ""),
        ("an early nuclear and space project of", "early nuclear and space project"),
        ("a large, slow-growing shrub", "large, slow-growing shrub"),
        ("a breed of chicken originating in Appenzell.", "breed of chicken"),
        ("a cousin of the king.", ""),
        ("a little different than elsewhere.", ""),
        ("a practice where all merge daily.", ""),
        ("built in 1911.", ""),
        ("the official LMP (Lamp Protocol) server for lamps", "official LMP server"),
        ("an LMP (Lamp Protocol) for lamps", "LMP"),
        ("a ", ""),
    ],
)
def test_kinds(what: str, kind: str) -> None:
    assert kind_of(what) == kind


def test_where_a_page_sends_its_reader() -> None:
    text = "Ostby is a tool.\n\nFor more information, see [Cold Rivers](cold.md). Jensen may see Cold Rivers.\n\n## See also\n\n- [Broken Harbour](b.md)\n- [The Broken Harbour Guide](c.md)\n"
    names = ("Cold Rivers", "Broken Harbour")
    gazetteer = Gazetteer(entries=[GazetteerEntry(name=name, type="Work", declared=True) for name in names])
    document = parse_document(f"---\ntype: Product\ntitle: Ostby\n---\n\n{text}".encode(), "page.md")
    extraction, rules = extract_by_rule(document, gazetteer)
    found = {
        (rule, extraction.entities[fact.object].name, fact.quote.splitlines()[0])
        for fact, rule in zip(extraction.facts, rules, strict=True)
        if fact.type == "SEE_ALSO" and fact.object is not None
    }
    assert found == {
        ("leads.see_also", "Cold Rivers", "For more information, see [Cold Rivers](cold.md)."),
        ("leads.listed_also", "Broken Harbour", "## See also"),
    }
