"""What many documents declare together, whatever that is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgfs.extraction.names.declared.defined_terms import TERM
from kgfs.extraction.names.declared.gazetteer import make_gazetteer
from kgfs.model import EntityCandidate

NAMES = ("journalist", "Journalists", "Journalist", "Tarn Lamp", "Tarn Lamps", "lamps", "species", "class", "classes")

candidates = st.builds(
    EntityCandidate,
    name=st.sampled_from(NAMES),
    type=st.sampled_from(("", "Concept", "Product", "Page")),
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
    assert set(names) <= {name.casefold() for name in NAMES}
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
