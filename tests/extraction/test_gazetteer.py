"""What many documents declare together, whatever that is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.defined_terms import TERM
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.model import EntityCandidate
from tests.extraction.read_texts import parsed

NAMES = ("journalist", "Journalists", "Journalist", "Tarn Lamp", "Tarn Lamps", "lamps", "species", "class", "classes")

candidates = st.builds(
    EntityCandidate,
    name=st.sampled_from(NAMES),
    type=st.sampled_from(("", "Concept", "Product", "Page", "Work", "Person")),
    aliases=st.lists(st.sampled_from(NAMES), max_size=2),
    description=st.sampled_from(("", "Who writes.", "Who reads.", "Who sells.", "Who lends.")),
    confidence=st.sampled_from((1.0, TERM)),
    declared=st.booleans(),
    weight=st.sampled_from((0, 0, 0, 2)),
    unsaid=st.booleans(),
    pages=st.lists(st.sampled_from(("index", "lamps")), max_size=1),
)


@given(st.lists(st.lists(candidates, max_size=4), max_size=8))
def test_any_documents_make_one_entry_a_name(documents: list[list[EntityCandidate]]) -> None:
    gazetteer = make_gazetteer(documents)
    names = [entry.name.casefold() for entry in gazetteer.entries]
    assert len(set(names)) == len(names)
    told_apart = {name.casefold() for name in gazetteer.told_apart.values()}
    assert set(names) <= {name.casefold() for name in NAMES} | told_apart
    assert not {name.partition(" (")[0] for name in told_apart} & set(names)
    assert (
        not set(names) & set(gazetteer.ambiguous) & {alias.casefold() for e in gazetteer.entries for alias in e.aliases}
    )


def term(name: str, description: str) -> list[EntityCandidate]:
    return [EntityCandidate(name=name, type="Concept", description=description, confidence=TERM)]


def test_what_each_page_defines_in_its_own_way_is_a_label_in_both_numbers() -> None:
    said = [term("Journalists", f"Who {verb}.") for verb in ("write", "read", "ask")]
    assert make_gazetteer(said).entries == []
    assert make_gazetteer([*said, term("Journalist", "Who works here.")]).entries == []
    assert [entry.name for entry in make_gazetteer([*said[:1], term("Journalist", "Who writes.")]).entries] == [
        "Journalist"
    ]


def test_the_type_of_a_name_is_that_of_the_surest_document_whatever_their_order() -> None:
    """A row without a kind is a guess, a row of persons says so, and the page on somebody is about that person."""
    row = EntityCandidate(name="Ann Lindqvist", type="Concept", description="", confidence=0.5)
    person = EntityCandidate(name="Ann Lindqvist", type="Person", description="", confidence=0.95, declared=True)
    page = EntityCandidate(name="Ann Lindqvist", type="Concept", description="", confidence=1.0, declared=True)
    for order in ([row, person, page], [page, row, person], [person, page, row]):
        assert [entry.type for entry in make_gazetteer([[one] for one in order]).entries] == ["Person"]
    for order in ([row, page], [page, row]):
        assert [entry.type for entry in make_gazetteer([[one] for one in order]).entries] == ["Concept"]


def page(name: str, type_: str, description: str, path: str) -> list[EntityCandidate]:
    return [
        EntityCandidate(
            name=name, type=type_, description=description, confidence=1.0, declared=True, pages=[name.lower(), path]
        )
    ]


def test_pages_of_one_name_on_several_things_are_told_apart() -> None:
    firm = page("Orchard", "Organization", "Orchard is a company in Orm that makes cider.", "a/orchard")
    novel = page("Orchard", "Work", "Orchard is a novel by Ann Lee.", "b/orchard")
    found = make_gazetteer([firm, novel])
    assert {entry.name: entry.type for entry in found.entries} == {
        "Orchard (company)": "Organization", "Orchard (novel)": "Work",
    }  # fmt: skip
    assert found.told_apart == {"a/orchard": "Orchard (company)", "b/orchard": "Orchard (novel)"}
    assert found.ambiguous == ["orchard"]
    product = page("Orchard", "Product", "Orchard is a tool for lamps.", "c/orchard")
    assert [entry.name for entry in make_gazetteer([firm, product]).entries] == ["Orchard"]


def test_a_text_on_one_of_several_things_of_a_name_means_that() -> None:
    texts = {
        "a/Orchard.md": "# Orchard\n\nOrchard is a company in Orm that makes cider. Orchard was founded in 1970.",
        "b/Orchard.md": "# Orchard\n\nOrchard is a novel by Mabel Stone. Orchard won a prize.",
        "trip.md": "# Trip\n\nWe drank what Orchard makes and read Orchard on the way.",
    }
    documents = [parsed(text, path) for path, text in texts.items()]
    gazetteer = make_gazetteer([stated_names(document) for document in documents])
    firm, novel, trip = ({one.name for one in extract(document, gazetteer).entities} for document in documents)
    assert "Orchard (company)" in firm and "Orchard (novel)" in novel
    assert not any("Orchard" in name for name in trip)
