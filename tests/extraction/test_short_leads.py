"""Leads of few words: what has no verb, what is only apposed, posts and reigns, two things in one title."""

# A case is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from read_texts import read


def stated(text: str) -> set[str]:
    """The facts of a page, with years where a fact has them."""
    found = read(text)
    names = [entity.name for entity in found.entities]
    return {
        " ".join(
            part
            for part in (
                names[fact.subject],
                fact.type,
                fact.object_text if fact.object is None else names[fact.object],
                fact.valid_from,
                fact.valid_to,
            )
            if part
        )
        for fact in found.facts
    }


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("# Isk\n\nA river in the north.\n", ("Isk", "Location")),
        ("# Ann Lee\n\nA botanist from Oslo, known for ferns.\n", ("Ann Lee", "Person")),
        ("# Petrel\n\nPetrel is a sloop built in 1911.\n", ("Petrel", "Product")),
        ("# Leadctl\n\nLeadctl was a script that Ann wrote to close batches.\n", ("Leadctl", "Product")),
        ("# Tarnish\n\nTarnish is a script that was used in Tarn.\n", ("Tarnish", "Concept")),
        ("# Quillstore\n\nQuillstore, the metadata service of the archive, keeps a row for each scan.\n", ("Quillstore", "Product")),
        ("# Pagemill\n\nPagemill is a text editor developed by Acme Corporation.\n", ("Pagemill", "Product")),
        ("# Otto I\n\nOtto I was King of Norway. He died in 1840.\n", ("Otto I", "Person")),
    ],
)  # fmt: skip
def test_types(text: str, entity: tuple[str, str]) -> None:
    assert entity in {(one.name, one.type) for one in read(text).entities}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("# Isk\n\nA river in the north.\n", {"Isk IS_A river"}),
        (
            "# Otto Hahnemann\n\nOtto Hahnemann (1871–1940) was a geologist and the third director of the Orm Institute. He has been Mayor of Oslo since 1931.\n",
            {"Otto Hahnemann LEADS Orm Institute", "Otto Hahnemann OFFICIAL_OF Oslo 1931"},
        ),
        (
            "# Ann Lee\n\nAnn Lee was a politician who served as Lord Provost of Glasgow from 1921 to 1925.\n",
            {"Ann Lee OFFICIAL_OF Glasgow 1921 1925"},
        ),
        (
            "# Ann Lee\n\nAnn Lee was Mayor of Oslo from 1920 to 1925 and served as Governor of Nevada from 1930 to 1934.\n",
            {"Ann Lee OFFICIAL_OF Oslo 1920 1925", "Ann Lee OFFICIAL_OF Nevada 1930 1934"},
        ),
        (
            "# Myles Brand\n\nMyles Brand was the 14th president of the University of Oregon and 16th president of Indiana University.\n",
            {"Myles Brand LEADS University of Oregon"},
        ),
        ("# Wilda II\n\nWilda II was Queen of Norway. She reigned from 1801 to 1822.\n", {"Wilda II OFFICIAL_OF Norway 1801 1822"}),
        ("# Otto I\n\nOtto I was King of Norway. He died in 1840.\n", {"Otto I OFFICIAL_OF Norway", "Otto I DIED 1840"}),
        ("# Carnmoor\n\nA town on the Hudson River.\n", {"Carnmoor LIES_ON Hudson River"}),
        ("# Yandina\n\nYandina is a town on Mbanika Island.\n", {"Yandina LOCATED_IN Mbanika Island"}),
        (
            "# Ben Aker\n\nBen Aker was the Minister of Transport of Norway from 2007 to 2011, and Mayor of Oslo from 1998 to 2006.\n",
            {"Ben Aker OFFICIAL_OF Norway 2007 2011", "Ben Aker OFFICIAL_OF Oslo 1998 2006"},
        ),
        ("# Otto IV\n\nOtto IV reigned as King of Norway from 1561 until 1580.\n", {"Otto IV OFFICIAL_OF Norway 1561 1580"}),
        ("# Joan I of Norway\n\nJoan I was Queen of Norway from 1529 to 1561.\n", {"Joan I of Norway OFFICIAL_OF Norway 1529 1561"}),
        ("# Vera Lunt\n\nVera Lunt is a British singer born in Oslo.\n", {"Vera Lunt BORN_IN Oslo"}),
        ("# Notes\n\nInes Brandt reports to Tomasz Wieleba.\n", {"Ines Brandt REPORTS_TO Tomasz Wieleba"}),
    ],
)  # fmt: skip
def test_facts(text: str, facts: set[str]) -> None:
    assert facts <= stated(text)


def test_a_death_is_told_once() -> None:
    assert not any(
        fact.startswith("Otto I DIED_") for fact in stated("# Otto I\n\nOtto I was a king. He died in 1840.\n")
    )


def test_other_names() -> None:
    (carrow,) = (one for one in read("# Carrow\n\nCarrow, officially the Republic of Carrow, is a country.\n").entities)
    assert "Republic of Carrow" in carrow.aliases


def test_two_things_in_a_title() -> None:
    found = read("# Brassd and Tinbucket\n\nBrassd talks to Tinbucket. Tinbucket stores files.\n")
    assert "Brassd and Tinbucket" not in {entity.name for entity in found.entities}


PEOPLE = "Hugo Brandt founded Orbis Group. Nina Castell founded Tarn Mills. "


@pytest.mark.parametrize(
    "text",
    [
        "Reporters claimed that Hugo Brandt founded Tarn Mills.",
        "Hugo Brandt was accused of founding Tarn Mills.",
        "Neither Hugo Brandt nor Nina Castell joined Orbis Group.",
        "Nina Castell dreamed that Hugo Brandt sued Orbis Group.",
        "In the novel, Hugo Brandt killed Nina Castell.",
        "Orbis Group considered acquiring Tarn Mills.",
        "Orbis Group almost bought Tarn Mills.",
        "Hugo Brandt was nearly hired by Orbis Group.",
        "The lawyer of Hugo Brandt sued Tarn Mills.",
        "The son of Nina Castell founded Orbis Group.",
        "Unless Orbis Group acquired Tarn Mills, Hugo Brandt left Tarn Mills.",
        "The People Team reports to the Finance Director.",
    ],
)
def test_what_is_not_said(text: str) -> None:
    assert stated(f"# Notes\n\n{PEOPLE}{text}\n") <= stated(f"# Notes\n\n{PEOPLE}\n")


def test_whom_a_relative_clause_is_about() -> None:
    text = f"# Notes\n\n{PEOPLE}He met a friend of Nina Castell, who founded Velm Works.\n"
    assert "Nina Castell FOUNDED Velm Works" in stated(text)


def test_links_with_angles() -> None:
    text = "# Grey Gate\n\nGrey Gate is a film directed by [Ann Foley](<people/Ann Foley (painter).md>) in 1990.\n"
    assert "Ann Foley DIRECTED Grey Gate" in stated(text)
    assert "painter" not in " ".join(entity.description or "" for entity in read(text).entities)


def test_two_pages_that_a_word_joins_are_no_third_thing() -> None:
    pages = (
        "# Brassd\n\nBrassd is a daemon that rings bells.\n",
        "# Tinbucket\n\nTinbucket is an object store.\n",
    )
    text = "# Release run\n\nBrassd and Tinbucket were released in May. See [[Brassd and Tinbucket]].\n"
    talk = "# Brassd and Tinbucket\n\nAnn: how do they talk?\n\nBob: by HTTP.\n"
    two = {"Brassd", "Tinbucket"}
    assert {entity.name for entity in read(*pages, text).entities} == two
    said = read(*pages, talk, "# Run\n\nBrassd and Tinbucket were released in May.\n")
    assert {entity.name for entity in said.entities} == two
    own = read("# Brassd and Tinbucket\n\n**Ann**: how does Brassd send photos to Tinbucket?\n")
    assert "Brassd and Tinbucket" not in {entity.name for entity in own.entities}
