"""Markup that nobody would write, and rules that fail: a document keeps what the others find, and says what is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction import extractor
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts import fact_reader
from kgfs.extraction.facts.guides import leads, page_links, tools_used
from kgfs.extraction.facts.meeting_notes import meetings
from kgfs.extraction.facts.sentences import (
    belonging,
    districts,
    proximity,
    relations,
    report_facts,
    report_sentences,
    syntax,
)
from kgfs.extraction.facts.structured import records, structure, tables
from kgfs.extraction.faults import MOST_TOLD, Faults
from kgfs.extraction.names import acceptance, tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.model import DefinedTerm, Extraction, ParsedDocument, Speaker

KNOWN = make_gazetteer(
    [
        stated_names(parse_document(text, name))
        for name, text in (
            ("acme.md", b"# Acme\n\nAcme is a company.\n"),
            ("ferry-guide.md", b"# Ferry Guide\n\nFerry Guide is a guide.\n"),
        )
    ]
)
KNOWN.speakers.append(Speaker(name="Acme", folder=""))
KEPT = "# Beta\n\nBeta is a tool.\n\nBeta was acquired by Acme in 2019.\n\n"

LABELS = st.sampled_from(
    ["", " ", "\\", "**", "...", "![](x)", "[a]", "[[b]]", "Acme", "`", "x" * 10_000, "😀", "\U00020000", "<b>", "a\nb",
     "|", "]", "[", "&nbsp;", "_", "Ferry Guide", "<!--", "{{", "\t"]
)  # fmt: skip
TARGETS = st.sampled_from(
    ["", "#", "#a", " ", "acme.md", "ferry-guide.md", "../", "/", "<>", "<a b>", '{{< ref "acme.md" >}}', "{% page %}",
     "javascript:", "x" * 10_000, "\U00020000", "(", "a(b", "http://[", "//", "?", "a%zz", 'a"b"', 'acme.md "x',
     "[x](y)", "/acme/"]
)  # fmt: skip
SHAPES = st.sampled_from(
    ["[{l}]({t})", "[{l}][{t}]", "[[{t}|{l}]]", "[[{l}]]", "![{l}]({t})", '<a href="{t}">{l}</a>', "<a>{l}</a>",
     "[{l}](", "[{l}", "[[{t}", "[![{l}]({t})]({t})", "`{l} <{t}>`_", ":doc:`{l}`", "<<{t},{l}>>", "xref:{t}[{l}]",
     "<https://{t}>", "[{l}]: {t}", "[[{t}][{l}]]", ".. _{l}: {t}", "[[[{l}]({t})"]
)  # fmt: skip
BEFORE = st.sampled_from(
    ["", "- ", "1. ", "| ", "> ", "## ", "## See also\n\n- ", "See ", "For more information, see ", "Contact ",
     "Acme requires "]
)  # fmt: skip
BEHIND = st.sampled_from(["", ".", " | b |", " is a tool that Acme uses.", ": runs on Beta.", "?"])


def _line(before: str, shape: str, label: str, target: str, behind: str) -> str:
    return before + shape.replace("{l}", label).replace("{t}", target) + behind


LINES = st.builds(_line, BEFORE, SHAPES, LABELS, TARGETS, BEHIND)


def facts(found: Extraction) -> set[tuple[str, str, str]]:
    names = [entity.name for entity in found.entities]
    return {(fact.type, names[fact.subject], names[fact.object]) for fact in found.facts if fact.object is not None}


@settings(max_examples=250, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=5), st.sampled_from(["md", "html", "rst", "org", "adoc", "txt"]))
def test_links_of_any_shape_cost_nothing(lines: list[str], suffix: str) -> None:
    text = KEPT + "\n\n".join(lines) + "\n"
    found = extract(parse_document(text.encode(), f"beta.{suffix}"), KNOWN, "patterns")
    assert found.faults == []
    if suffix == "md":
        assert ("ACQUIRED", "Acme", "Beta") in facts(found)


@pytest.mark.parametrize("link", ["[](acme.md)", "[ ](acme.md)", "[**](acme.md)", "![](acme.md)", "[\n](acme.md)"])
def test_a_link_without_words_leads_nowhere(link: str) -> None:
    """It stopped the extraction of its document, and would have opened any paragraph."""
    text = f"{KEPT}For more information, see {link}.\n\n{link} Ferries are slow, and Acme builds them.\n"
    found = extract(parse_document(text.encode(), "beta.md"), KNOWN)
    assert found.faults == []
    assert facts(found) == {("ACQUIRED", "Acme", "Beta")}


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=30) | st.sampled_from(["", " ", "()", "PEP", "PEP 3", "A (b", "'", "[](x)", "x" * 1000]),
    st.lists(
        st.builds(
            DefinedTerm,
            name=st.sampled_from(["", " ", "()", "a()", "PEP 3", "A b", "'"]) | st.text(max_size=8),
            kind=st.sampled_from(["", " ", "Person", "x"]),
            weight=st.integers(0, 9),
        ),
        max_size=3,
    ),
)
def test_any_title_and_term_can_be_declared(title: str, terms: list[DefinedTerm]) -> None:
    document = ParsedDocument(mime_type="text/markdown", path="a/index.md", title=title, lead=title, terms=terms)
    make_gazetteer([stated_names(document)] * 2)


TEXT = """---
owner: Carla Reyes
---
# Beta

Beta is a tool.

Beta was acquired by Acme in 2019. Acme, based in Boston, reported revenue of $3 million in 2019.
Home sales in Boston rose 4 percent. Beta requires the Ferry Guide. We use Beta. Dr. Carla Reyes said so.

- [Ferry Guide](ferry-guide.md) explains how ferries are booked by those who sail.

## See also

- [Ferry Guide](ferry-guide.md)

| Year | Revenue (USD million) |
| --- | --- |
| 2019 | 3 |
"""
RULES: list[tuple[Any, str, str]] = [
    (relations, "pattern_facts", "statements"),
    (proximity, "proximity_facts", "statements"),
    (syntax, "syntax_facts", "statements"),
    (report_facts, "find_figures", "figures"),
    (report_facts, "find_changes", "changes"),
    (fact_reader, "open_relations", "open"),
    (fact_reader, "find_nationalities", "nationality"),
    (belonging, "belongings", "belonging"),
    (report_sentences, "report_subjects", "reports"),
    (tools_used, "tool_used", "tools"),
    (leads, "lead_facts", "leads"),
    (page_links, "pointed_to", "page.pointed_to"),
    (page_links, "points_to", "page"),
    (structure, "heading_only", "structure"),
    (districts, "district_facts", "districts"),
    (tables, "table_facts", "tables"),
    (meetings, "meeting_facts", "meetings"),
    (records, "record_facts", "records"),
    (tagging, "parse_sentences", "syntax"),
    (Lexicon, "spans", "names"),
    (extractor, "read_brackets", "names.brackets"),
    (extractor, "read_terms", "names.terms"),
    (extractor, "place_before_state", "names.state"),
    (extractor, "join_short_names", "names.short_forms"),
    (extractor, "describe_entities", "descriptions"),
    (extractor, "choose_passages", "passages"),
    (extractor, "claimed_topics", "topics"),
    (extractor, "count_mentions", "mentions"),
    (extractor, "document_links", "links"),
    (acceptance, "unconfirmed_names", "seen names"),
]


def failing(message: str) -> Callable[..., NoReturn]:
    def fail(*_: object, **__: object) -> NoReturn:
        raise ValueError(message)

    return fail


@pytest.mark.parametrize(("where", "name", "rule"), RULES, ids=[f"{rule}-{name}" for _, name, rule in RULES])
def test_a_rule_that_fails_costs_what_it_finds(
    where: Any, name: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = parse_document(TEXT.encode(), "beta.md")
    whole = extract(document, KNOWN)
    assert whole.faults == []
    monkeypatch.setattr(where, name, failing("of this rule"))
    found = extract(document, KNOWN)
    assert [fault.partition(" (")[0] for fault in found.faults] == [rule]
    assert "ValueError: of this rule" in found.faults[0]
    if rule not in ("names", "statements", "syntax"):
        assert ("ACQUIRED", "Acme", "Beta") in facts(found)
        assert {entity.name for entity in found.entities} >= {"Beta", "Acme"}


def test_a_rule_that_fails_on_one_sentence_reads_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    real = relations.pattern_facts

    def sometimes(masked: str) -> list[relations.PatternFact]:
        if "ferries" in masked:
            raise ValueError("ferries")
        return real(masked)

    monkeypatch.setattr(relations, "pattern_facts", sometimes)
    text = f"{KEPT}Acme has ferries. Acme builds ferries.\n"
    found = extract(parse_document(text.encode(), "beta.md"), KNOWN, "patterns")
    assert found.faults == ["statements (ValueError: ferries, 2 times)"]
    assert ("ACQUIRED", "Acme", "Beta") in facts(found)


def test_what_a_rule_added_before_it_failed_goes() -> None:
    faults, found = Faults(), [1]
    with faults.within("one", found):
        found.append(2)
        raise KeyError("x")
    assert found == [1]
    with pytest.raises(MemoryError), faults.within("one", found):
        raise MemoryError
    for number in range(MOST_TOLD + 2):
        faults.note("one", ValueError(str(number)))
    assert len(faults.told()) == MOST_TOLD + 1
    assert faults.told()[-1] == "3 more"
