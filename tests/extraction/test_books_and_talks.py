"""What books, a workshop and the meetings of a user group showed: works in quotes and who wrote them, talks, lists with
a slash, years behind a comma, surnames that are shared."""

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.meeting_notes.attendees import read_entry
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.defined_terms import defined_term
from kgfs.graph.name_forms import name_forms
from kgfs.model import DefinedTerm, Extraction

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="needs a model of spaCy")


def read(text: str, path: str = "a.md") -> Extraction:
    document = parse_document(text.encode(), path)
    document.path = path
    return extract(document)


def stated(text: str, types: str) -> set[str]:
    found = read(text)
    names = [entity.name for entity in found.entities]
    return {
        f"{names[one.subject]} {one.type} {names[one.object] if one.object is not None else one.object_text}"
        for one in found.facts
        if one.type in types.split()
    }


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            'I find it expressed in "Lamps of the Quay," by Charles Fraser, published in 1854.',
            {"Charles Fraser WROTE Lamps of the Quay"},
        ),
        (
            "I find it expressed in 'Lamps of the Quay,' by Miss Mary Fraser.",
            {"Mary Fraser WROTE Lamps of the Quay"},
        ),
        (
            'Francis Key wrote the words of "The Lamp-Lit Harbour," and others may have done the same.',
            {"Francis Key WROTE The Lamp-Lit Harbour"},
        ),
        (
            'John Thompson, "Poet of the Harbour," who wrote, among other poems, "Music in Camp," lived in Boston.',
            {"John Thompson WROTE Music in Camp"},
        ),
        ("John Hullah composed the music for _The Village Lamps_.", {"John Hullah COMPOSED The Village Lamps"}),
        (
            'Louis Gottschalk, composer of the almost too well-known "Last Lamp," was born in New Orleans.',
            {"Louis Gottschalk COMPOSED Last Lamp"},
        ),
        ('Ann Lee, author of "The Lamps of Reno," spoke.', {"Ann Lee WROTE The Lamps of Reno"}),
        ('Ann Lee wrote the introduction to "Songs of the Lamp," which is long.', set()),
        ('Ann Lee wrote about "Songs of the Lamp" in June.', set()),
        ('Ann Lee wrote, "That will never do."', set()),
        ('The ship was called "Old Lampside," by Mary Fraser and her crew.', set()),
    ],
)
def test_works_in_quotes(text: str, facts: set[str]) -> None:
    assert stated(text, "WROTE COMPOSED") == facts


def test_a_later_surname_alone_is_the_maker() -> None:
    text = 'Joseph Haydn came to London. Later Haydn wrote the oratorio "Lamps in Spring," which is long.'
    assert "Joseph Haydn WROTE Lamps in Spring" in stated(text, "WROTE")


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Jane Doe gave a talk on Docker at the meeting.", {"Jane Doe TALKS_ABOUT Docker"}),
        (
            "Jane Doe talked about Docker, Kubernetes and Podman.",
            {f"Jane Doe TALKS_ABOUT {one}" for one in ("Docker", "Kubernetes", "Podman")},
        ),
        ("Jane Doe demonstrated Docker.", {"Jane Doe TALKS_ABOUT Docker"}),
        ("Jane Doe will demonstrate Docker.", {"Jane Doe TALKS_ABOUT Docker"}),  # a programme
        ("Jane Doe might demonstrate Docker.", set()),
        ("Jane Doe did not talk about Docker.", set()),
    ],
)
def test_talks(text: str, facts: set[str]) -> None:
    assert stated(text, "TALKS_ABOUT") == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "The Tarn Club, a most delightful club, founded in 1852, was an outgrowth of the Jockey Club.",
            {"Tarn Club FOUNDED_IN 1852"},
        ),
        ("Thomas Smith, who died in 1694, was an early governor of Carolina.", {"Thomas Smith DIED 1694"}),
        ("He spoke of the Tarn Club, founded in 1852, and left.", set()),
    ],
)
def test_years_behind_a_comma(text: str, facts: set[str]) -> None:
    assert stated(text, "FOUNDED_IN DIED") == facts


def test_editors_of_papers() -> None:
    text = 'Before the war Frank Gailor had been editor of the Memphis "Avalanche," a paper which was suppressed.'
    assert stated(text, "WORKS_FOR") == {"Frank Gailor WORKS_FOR Avalanche"}


def test_persons_and_firms_with_a_slash_between() -> None:
    lines = [
        "- Jon Tennant / Imperial College London; ScienceOpen",
        "- Anna Krystalli/ University of Sheffield",
        "- Robert Sullivan / Springer Nature",
        "- Brian Hall / Sage Bionetworks /",
        "- Stuart Mumford / University of Leeds + Tarn",
    ]
    facts = stated("# Participants\n\n" + "\n".join(lines) + "\n", "WORKS_FOR")
    assert facts >= {
        "Jon Tennant WORKS_FOR Imperial College London",
        "Anna Krystalli WORKS_FOR University of Sheffield",
        "Robert Sullivan WORKS_FOR Springer Nature",
        "Stuart Mumford WORKS_FOR University of Leeds",
    }


def test_texts_that_bodies_published() -> None:
    text = "* [Service Manual on Delivery](https://www.gov.uk/service-manual) by the UK Government Digital Service.\n"
    assert stated(text, "PUBLISHED WROTE") == {"UK Government Digital Service PUBLISHED Service Manual on Delivery"}


def test_a_people_is_not_whoever_has_its_name() -> None:
    text = (
        "Captain James W. English spoke in Georgia. James W. English was tall.\n\nIn 1674, when New York was taken by "
        "the English from the Dutch, many moved. As to the English spoken in Virginia, it is soft.\n"
    )
    (person,) = [one for one in read(text).entities if one.name == "James W. English"]
    assert "English" not in person.aliases


def test_two_surnames_beside_each_other_are_two_persons() -> None:
    text = "\n\n".join(
        [
            "Robert Schumann was born in Zwickau. Felix Mendelssohn was born in Hamburg.",
            *(f"Schumann wrote it in {year}. Mendelssohn heard it in {year}." for year in range(1840, 1846)),
            "Before Schumann Mendelssohn intended that it should be performed.",
        ]
    )
    aliases = {one.name: set(one.aliases) for one in read(text).entities}
    assert not aliases.get("Schumann Mendelssohn", set()) & {"Schumann", "Mendelssohn"}


def test_somebody_who_only_shares_the_surname_is_no_end() -> None:
    text = (
        "Ralph Izard came to Charleston. William Campbell was governor.\n\nWilliam Campbell had married a Miss Izard.\n"
    )
    assert stated(text, "SPOUSE_OF") == set()


def test_a_wife_by_her_husbands_name_does_not_take_his_surname() -> None:
    text = (
        "Mrs. Josephus Daniels came. Secretary Daniels spoke in Charleston. In its first years under Mr. Daniels, the "
        "paper struggled. Mr. Daniels has been discussed.\n"
    )
    named = {one.name: one.aliases for one in read(text).entities}
    assert "Daniels" not in named.get("Mrs. Josephus Daniels", [])
    assert [
        form
        for form in name_forms("Mrs. Josephus Daniels", "mrs josephus daniels", "Person", True)
        if form.rule == "title"
    ] == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "Theodore Reed and Martha Bullock were married in Georgia. Martha Bullock was kind.",
            {"Theodore Reed SPOUSE_OF Martha Bullock"},
        ),
        ("Joseph Howell was a brother-in-law of Robert Davis.", {"Joseph Howell RELATIVE_OF Robert Davis"}),
        (
            "Edwin Booth was the son of Junius Brutus Booth and the brother of John Wilkes Booth.",
            {"Edwin Booth SIBLING_OF John Wilkes Booth"},
        ),
        ("Archibald Reed was the great-grandfather of Ann Lee.", {"Archibald Reed RELATIVE_OF Ann Lee"}),
        ("Fort Monroe was named in honor of James Monroe.", {"Fort Monroe NAMED_AFTER James Monroe"}),
        (
            "The hamlet of Leetown, taking its name from that General Charles Lee who led them, is in Virginia.",
            {"Leetown NAMED_AFTER Charles Lee"},
        ),
        (
            "Dominique You, who fought under Andrew Jackson at the Battle of New Orleans, is buried in that city.",
            {"Dominique You FOUGHT_IN Battle of New Orleans"},
        ),
        (
            "Thomas Dixon was born in the town of Shelby, North Carolina, and was for some years pastor of the "
            "Tabernacle Baptist Church, Raleigh.",
            {"Thomas Dixon WORKS_FOR Tabernacle Baptist Church"},
        ),
        ("George Smith was a surgeon in the Confederate Army.", {"George Smith WORKS_FOR Confederate Army"}),
        ("George Smith, formerly a clerk at the Bank of Virginia, spoke.", set()),
    ],
)
def test_lives_as_books_tell_them(text: str, facts: set[str]) -> None:
    types = "SPOUSE_OF RELATIVE_OF SIBLING_OF NAMED_AFTER FOUGHT_IN WORKS_FOR"
    assert facts <= stated(text, types) and (facts or not stated(text, types))


def test_persons_with_an_ampersand_between() -> None:
    names = {one.name for one in read("Ralph & Daniel said that they will look into it. Ralph & Daniel left.").entities}
    assert not any("&" in name for name in names)


def test_who_reports_on_a_thing_does_not_report_to_it() -> None:
    text = "Till Reed shared news of a project, while Victor Ray reported on recent updates to Kubernetes, and left."
    assert stated(text, "REPORTS_TO") == set()


@pytest.mark.parametrize(
    ("entry", "employer"),
    [
        ("Ann Lee (Midokura/Sony)", "Midokura"),
        ("Ann Lee (Sony)", "Sony"),
        ("Ann Lee (he/him)", ""),
        ("Ann Lee (n/a)", ""),
    ],
)
def test_the_first_of_several_employers(entry: str, employer: str) -> None:
    found = read_entry(entry)
    assert found is not None and found.employer == employer


def test_attendance_in_a_table_of_labels() -> None:
    text = (
        "## August 08, 2023 - SIG Guest Languages meeting\n\n|  |  |\n| --- | --- |\n"
        "| Attending  | Robin Brown, Calvin Prewitt, Joel Dice\n| Note Taker | Robin Brown\n"
    )
    facts = stated(text, "PARTICIPATED_IN")
    meeting = "August 08, 2023 - SIG Guest Languages meeting"
    assert facts == {f"{one} PARTICIPATED_IN {meeting}" for one in ("Robin Brown", "Calvin Prewitt", "Joel Dice")}


def test_a_decision_goes_on_in_the_next_line() -> None:
    text = (
        "# Committee meeting 2015-01-20\n\n**Present:** Ann Lee, Bob Ray\n\n**Resolutions**\n\n"
        "-   Modify membership rules so that affiliates can appoint a\n    representative to the Council\n"
        "-   Invite Tracy Teal to join the Council\n"
    )
    assert any("appoint a representative to the Council" in one for one in stated(text, "DECIDED"))


@pytest.mark.parametrize(
    ("name", "definition", "found", "aliases"),
    [
        ("OL", "Tarn Lamps was previously called the Office of Lamps (OL).", "Tarn Lamps", {"OL", "Office of Lamps"}),
        ("LampDiv", "The Tarn Lamp Division.", "Tarn Lamp Division", {"LampDiv"}),
        ("LampLog", "The Tarn Lamp Division.", "LampLog", set()),
        ("OL", "The Office of Lamps was previously in Tarn.", "Office of Lamps", {"OL"}),
    ],
)  # fmt: skip
def test_an_entry_of_a_glossary_tells_former_and_short_names(
    name: str, definition: str, found: str, aliases: set[str]
) -> None:
    term = defined_term(DefinedTerm(name=name, definition=definition))
    assert term is not None and (term.name, set(term.aliases)) == (found, aliases)


def test_an_entry_of_a_glossary_that_only_refers_is_another_name() -> None:
    found = defined_term(DefinedTerm(name="DAP", definition="See `Data Access Protocol`."))
    assert found is not None and (found.name, found.aliases) == ("Data Access Protocol", ["DAP"])
    own = defined_term(DefinedTerm(name="Lamp", definition="See the manual."))
    assert own is not None and own.name == "Lamp"


def test_an_order_behind_a_name_is_no_name() -> None:
    text = "Erin: Find Harbour Lamp Foundation numbers. Jonah: Add Jackson Laboratory to the list."
    assert not {one.name.split()[0] for one in read(text).entities} & {"Find", "Add"}


def test_who_is_in_a_country_for_a_firm_says_not_where_the_firm_is() -> None:
    assert stated("Ann Lee (Mozilla, United Kingdom) came to the meeting.", "LOCATED_IN") == set()


def test_what_a_body_relies_on_it_uses() -> None:
    text = "Acme Ltd relies on Kubernetes. The Lamp Foundation uses Docker."
    assert "Acme Ltd USES Kubernetes" in stated(text, "USES REQUIRES")
