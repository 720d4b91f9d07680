"""What evidence comes to: names that are entities, terms that are concepts, words that are nothing."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.names import tagging
from kgfs.extraction.names.usage import name_use
from kgfs.extraction.names.verdict import NO_ENTITY, name_verdict, total_evidence
from kgfs.model import Evidence, Extraction

needs_spacy = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


def judged(documents: int = 1, **said: object) -> str | None:
    found = name_verdict(Evidence(**said), documents)  # type: ignore[arg-type]
    return found.type if found else None


ORG = {"Organization": 9}


@pytest.mark.parametrize(
    ("documents", "said", "type_"),
    [
        (1, {"seen": 9, "types": ORG}, "Organization"),
        (1, {"seen": 1, "types": {"Organization": 1}}, None),
        (3, {"seen": 3, "types": {"Organization": 3}}, "Organization"),
        (1, {"seen": 1, "types": {"Organization": 1}, "shown": {"Organization": 0.8}}, "Organization"),
        (1, {"seen": 9, "types": {"Group": 9}}, None),
        (1, {"seen": 9, "types": {"Person": 9}, "single": True}, None),
        (1, {"seen": 9, "types": {"Person": 9}}, "Person"),
        # software, whatever the tagger says
        (1, {"seen": 20, "types": {"Organization": 16, "Product": 5}, "clues": {"Product": 5}}, "Product"),
        (1, {"seen": 20, "types": {"Organization": 20}, "clues": {"Product": 3, "Organization": 4}}, "Organization"),
        # a place stands where places do
        (3, {"seen": 30, "types": {"Location": 20}, "against": {"elsewhere": 19}}, "Concept"),
        (3, {"seen": 30, "types": {"Location": 20}, "against": {"elsewhere": 12}}, "Location"),
        (3, {"seen": 30, "types": {"Location": 24}, "clues": {"Location": 8}, "against": {"elsewhere": 16}}, "Location"),
        # capitals inside
        (3, {"seen": 9, "types": {"Facility": 9}, "clues": {"Facility": 9}, "camel": True, "single": True}, "Concept"),
        # words with a capital
        (1, {"seen": 9, "types": ORG, "word": True}, None),
        (9, {"seen": 60, "types": {"Organization": 60}, "word": True, "against": {"the": 25}}, None),
        (9, {"seen": 60, "types": {"Organization": 20, "Product": 40}, "clues": {"Product": 25}, "word": True}, "Product"),
        (9, {"seen": 30, "types": ORG, "against": {"common": 4}}, None),
        (9, {"seen": 30, "types": ORG, "against": {"heading": 4}}, None),
        # code
        (9, {"seen": 30, "types": ORG, "against": {"code": 4}}, None),
        (9, {"seen": 30, "types": ORG, "against": {"identifier": 15}}, None),
        (9, {"seen": 30, "types": ORG, "against": {"pressed": 15}}, None),
        (4, {"seen": 20, "types": {"Organization": 20}, "acronym": True, "against": {"beside": 3}}, None),
        (4, {"seen": 20, "types": {"Organization": 20}, "acronym": True, "against": {"beside": 3, "told": 1}}, "Concept"),
        (4, {"seen": 20, "types": {"Law": 20}, "against": {"beside": 3}}, None),
        # a term that is counted: "an API", "two CORs"
        (4, {"seen": 20, "types": ORG, "acronym": True, "against": {"noun": 8}}, None),
        (4, {"seen": 20, "types": ORG, "acronym": True, "against": {"noun": 8, "told": 1}}, "Concept"),
        (1, {"seen": 3, "types": {"Organization": 3}, "against": {"noun": 2}}, None),
        (1, {"seen": 0}, None),
    ],
)  # fmt: skip
def test_verdicts(documents: int, said: dict[str, object], type_: str | None) -> None:
    assert judged(documents, **said) == type_


kinds = st.sampled_from(["Organization", "Person", "Location", "Product", "Group", "Law", "Work"])
evidence = st.builds(
    Evidence,
    seen=st.integers(0, 50),
    types=st.dictionaries(kinds, st.integers(1, 50), max_size=3),
    clues=st.dictionaries(kinds, st.integers(1, 20), max_size=2),
    shown=st.dictionaries(kinds, st.floats(0, 1), max_size=2),
    against=st.dictionaries(
        st.sampled_from(["noun", "the", "identifier", "pressed", "common", "code", "heading", "label", "beside"]),
        st.integers(1, 20),
        max_size=3,
    ),
    word=st.booleans(), single=st.booleans(), plain=st.booleans(), acronym=st.booleans(), camel=st.booleans(),
)  # fmt: skip


@given(evidence, st.integers(1, 30))
def test_a_verdict_is_a_type_with_a_confidence(said: Evidence, documents: int) -> None:
    found = name_verdict(said, documents)
    assert found is None or (found.type not in NO_ENTITY and 0 < found.confidence <= 0.95)


@given(st.lists(evidence, min_size=1, max_size=5), st.randoms())
def test_the_sum_does_not_depend_on_the_order(parts: list[Evidence], random: object) -> None:
    mixed = list(parts)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert total_evidence(parts) == total_evidence(mixed)
    assert total_evidence(parts).seen == sum(part.seen for part in parts)
    assert total_evidence([parts[0]]) == parts[0]


@pytest.mark.parametrize(
    ("text", "name", "kinds"),
    [
        ("Post it in the Slack channel.", "Slack", {"software"}),
        ("Please log in to Concur and wait.", "Concur", {"software"}),
        ("We use Qualtrics for this.", "Qualtrics", {"software"}),
        ("It needs Linux 5.4 or later.", "Linux", {"software"}),
        ("It needs Linux 5.4.1 or later.", "Linux", {"software", "numbered"}),
        ("Ask your Supervisor, please.", "Supervisor", {"noun"}),
        ("An API is a door.", "API", {"noun", "told"}),
        ("The Handbook is long.", "Handbook", {"the"}),
        ("Set the ComputerName parameter.", "ComputerName", {"identifier"}),
        ("Press Enter to go on.", "Enter", {"pressed"}),
        ('Then click on "Light Lamps" once.', "Light Lamps", {"pressed"}),
        ("Microsoft makes software.", "Microsoft", set()),
    ],
)
def test_uses(text: str, name: str, kinds: set[str]) -> None:
    start = text.index(name)
    found = name_use(text, start, start + len(name))
    assert {kind for kind in found._fields if getattr(found, kind)} == kinds


def read(text: str) -> Extraction:
    return extract(parse_document(text.encode(), "a.md"))


@needs_spacy
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ask your Supervisor. The Supervisor signs. Then the Supervisor files it with the Supervisor's office.", "Supervisor"),
        ("See [How to Register Cmdlets, Providers, and Host Applications](a.md) for more on that.", "Host Applications"),
        ("Run `PSObject` first. A PSObject is an object. Then the PSObject object is read. PSObject is done.", "PSObject"),
        ("We met Server01 and Server01 again, and Server01 was there. Server01 was slow on that day.", "Server01"),
        ("Retail, Travel and Leisure grew. Retail, Travel and Leisure fell. In Retail, Travel was strong.", "Retail, Travel"),
    ],
)  # fmt: skip
def test_what_is_no_entity(text: str, name: str) -> None:
    assert name not in {entity.name for entity in read(text).entities}


@needs_spacy
def test_names_that_are_only_seen_are_told() -> None:
    found = read("We spoke to Zenithal about it. The rest of the text is about something else.")
    assert found.entities == [] or all(entity.name != "Zenithal" for entity in found.entities)
    (seen,) = [one for one in found.unconfirmed if one.name == "Zenithal"]
    assert seen.chunks == {1: 1} and seen.evidence.seen == 1 and seen.evidence.single


@needs_spacy
def test_the_best_sentences_are_chosen() -> None:
    text = (
        "Zenith Electronics Corp. is an American maker of television sets with offices in Chicago. "
        "Somebody spoke of Zenith Electronics Corp. in a long meeting about many other things that day. "
        "Zenith Electronics Corp. sold 40,000 sets in 1990 and opened a new plant.\n"
    )
    (entity,) = [one for one in read(text).entities if one.name == "Zenith Electronics Corp."]
    assert [passage.text[:40] for passage in entity.passages[:2]] == [
        text[:40],
        "Zenith Electronics Corp. sold 40,000 set",
    ]
    assert entity.passages[0].defines and not entity.passages[1].defines
    assert all(passage.text in text for passage in entity.passages)


@needs_spacy
@pytest.mark.parametrize(
    "text",
    [
        "A pull request (PR) is how you propose a set of changes to a repository.",
        "Pull requests (PRs) are proposals of changes that others look through.",
        "A pull request (PR), a proposal of changes to a repository, is looked through by others.",
        "A pull request (PR) refers to a proposal of changes to somebody's repository.",
    ],
)
def test_concepts_are_defined(text: str) -> None:
    (entity,) = [one for one in read(f"{text} Somebody made a PR yesterday.\n").entities if "pull request" in one.name]
    assert entity.passages[0].defines and entity.passages[0].text == text


def test_a_word_of_no_dictionary_with_articles_before_it_is_a_concept_of_many_documents() -> None:
    """*A Zettelkasten*, *your Zettelkasten*: the tagger takes it for somebody, for software and for a firm."""
    evidence = Evidence(
        seen=355,
        types={"Person": 142, "Product": 136, "Organization": 55, "Location": 51},
        clues={"Product": 26, "Organization": 12},
        shown={},
        against={"noun": 142, "the": 49},
        single=True,
    )
    found = name_verdict(evidence, documents=50)
    assert found is not None and found.type == "Concept"
    assert name_verdict(msgspec.structs.replace(evidence, word=True), documents=50) is None
    assert name_verdict(evidence, documents=2) is None


@pytest.mark.parametrize(
    ("against", "acts", "type_"),
    [
        ({}, 0, "Product"),
        ({"said Technology": 1}, 0, "Technology"),
        ({"said Technology": 3, "said Product": 1}, 0, "Technology"),
        ({"said Technology": 1, "said Product": 1}, 0, "Product"),
    ],
)
def test_sentences_that_define_a_thing_say_of_which_type_it_is(against: dict[str, int], acts: int, type_: str) -> None:
    evidence = Evidence(seen=20, types={"Product": 20}, clues={"Product": 18}, against=against, acts=acts, single=True)
    found = name_verdict(evidence, 4)
    assert found is not None and found.type == type_
