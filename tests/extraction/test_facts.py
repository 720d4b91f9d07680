"""Sentences and the facts that the offline extractor must find in them, or must not."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction import extractor
from kgfs.extraction.facts.sentences.report_sentences import report_date
from kgfs.extraction.names import tagging
from kgfs.model import Extraction, FactCandidate, ParsedDocument

extract = partial(extractor.extract, extractor="patterns")

Row = tuple[str, str, str]


def read(text: str, name: str = "a.md") -> tuple[ParsedDocument, Extraction]:
    document = parse_document(text.encode(), name)
    extraction = extract(document)
    for fact in extraction.facts:
        chunk = document.chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote
        assert 0 < fact.confidence <= 1
        assert fact.object is not None or fact.object_text
    return document, extraction


def rows(extraction: Extraction) -> set[Row]:
    names = [entity.name for entity in extraction.entities]
    return {
        (names[fact.subject], fact.type, names[fact.object] if fact.object is not None else str(fact.object_text))
        for fact in extraction.facts
    }


def the_fact(text: str) -> FactCandidate:
    (fact,) = read(text)[1].facts
    return fact


FACTS: list[tuple[str, set[Row]]] = [
    # ACQUIRED
    ("Google acquired Kaggle in March 2017.", {("Google", "ACQUIRED", "Kaggle")}),
    ("In March 2017 Google acquired Kaggle.", {("Google", "ACQUIRED", "Kaggle")}),
    ("Apple bought Beats in 2014 for $3 billion.", {("Apple", "ACQUIRED", "Beats")}),
    ("Google has since acquired the London company DeepMind.", {("Google", "ACQUIRED", "DeepMind")}),
    ("DeepMind was acquired by Google.", {("Google", "ACQUIRED", "DeepMind")}),
    ("DeepMind was bought in 2014 by Google.", {("Google", "ACQUIRED", "DeepMind")}),
    ("Google completed its acquisition of Fitbit on 14 January 2021.", {("Google", "ACQUIRED", "Fitbit")}),
    ("Google's acquisition of Looker was approved.", {("Google", "ACQUIRED", "Looker")}),
    ("Overture, a company from California, acquired AltaVista in 2003.", {("Overture", "ACQUIRED", "AltaVista")}),
    (
        "Google acquired Waze, Nest Labs and DeepMind.",
        {("Google", "ACQUIRED", "Waze"), ("Google", "ACQUIRED", "Nest Labs"), ("Google", "ACQUIRED", "DeepMind")},
    ),
    (
        "Google acquired Android in 2005 and bought YouTube in 2006.",
        {("Google", "ACQUIRED", "Android"), ("Google", "ACQUIRED", "YouTube")},
    ),
    ("[[Google]] acquired [Kaggle](kaggle.md) in 2017.", {("Google", "ACQUIRED", "Kaggle")}),
    ("- **Google** acquired *Kaggle* in 2017.", {("Google", "ACQUIRED", "Kaggle")}),
    ("> Google acquired\n> Kaggle in 2017.", {("Google", "ACQUIRED", "Kaggle")}),
    # FOUNDED
    ("Larry Page and Sergey Brin founded Google in 1998.",
     {("Larry Page", "FOUNDED", "Google"), ("Sergey Brin", "FOUNDED", "Google")}),
    ("Nvidia was founded by Jensen Huang and Curtis Priem.",
     {("Jensen Huang", "FOUNDED", "Nvidia"), ("Curtis Priem", "FOUNDED", "Nvidia")}),
    ("Kaggle was founded in 2010 by Anthony Goldbloom.", {("Anthony Goldbloom", "FOUNDED", "Kaggle")}),
    ("Anthropic was co-founded by Daniela Amodei.", {("Daniela Amodei", "FOUNDED", "Anthropic")}),
    ("In 2010 Demis Hassabis founded DeepMind with Shane Legg.",
     {("Demis Hassabis", "FOUNDED", "DeepMind"), ("Shane Legg", "FOUNDED", "DeepMind")}),
    ("Geoffrey Hinton was a founder of DNNresearch.", {("Geoffrey Hinton", "FOUNDED", "DNNresearch")}),
    ("Bill Gates, co-founder of Microsoft, gave a talk.", {("Bill Gates", "FOUNDED", "Microsoft")}),
    ("In November 2021 Alphabet Inc. founded Isomorphic Labs.", {("Alphabet Inc.", "FOUNDED", "Isomorphic Labs")}),
    # CHIEF_EXECUTIVE_OF
    ("Tim Cook is the chief executive of Apple.", {("Tim Cook", "CHIEF_EXECUTIVE_OF", "Apple")}),
    ("Satya Nadella became CEO of Microsoft in February 2014.", {("Satya Nadella", "CHIEF_EXECUTIVE_OF", "Microsoft")}),
    ("Andy Jassy, the chief executive officer of Amazon, agreed.", {("Andy Jassy", "CHIEF_EXECUTIVE_OF", "Amazon")}),
    ("Google CEO Sundar Pichai opened the meeting.", {("Sundar Pichai", "CHIEF_EXECUTIVE_OF", "Google")}),
    ("Apple's chief executive, Tim Cook, spoke.", {("Tim Cook", "CHIEF_EXECUTIVE_OF", "Apple")}),
    ("Kevin Mandia was founder and chief executive of Mandiant.", {("Kevin Mandia", "CHIEF_EXECUTIVE_OF", "Mandiant")}),
    # HEADQUARTERED_IN
    ("Nvidia is headquartered in Santa Clara, California.", {("Nvidia", "HEADQUARTERED_IN", "Santa Clara")}),
    ("Moderna, headquartered in Cambridge, makes vaccines.", {("Moderna", "HEADQUARTERED_IN", "Cambridge")}),
    ("HSBC, Barclays and BP are headquartered in London.",
     {(name, "HEADQUARTERED_IN", "London") for name in ("HSBC", "Barclays", "BP")}),
    ("Waymo is an American company for cars, headquartered in Mountain View.",
     {("Waymo", "HEADQUARTERED_IN", "Mountain View")}),
    ("Boeing moved its headquarters to Chicago in 2001.", {("Boeing", "HEADQUARTERED_IN", "Chicago")}),
    # SUBSIDIARY_OF
    ("Waymo is a wholly owned subsidiary of Alphabet Inc.", {("Waymo", "SUBSIDIARY_OF", "Alphabet Inc.")}),
    ("LinkedIn and GitHub are subsidiaries of Microsoft.",
     {("LinkedIn", "SUBSIDIARY_OF", "Microsoft"), ("GitHub", "SUBSIDIARY_OF", "Microsoft")}),
    ("Twitch, a subsidiary of Amazon, grew.", {("Twitch", "SUBSIDIARY_OF", "Amazon")}),
    # INVESTED_IN
    ("Microsoft invested $1 billion in OpenAI in July 2019.", {("Microsoft", "INVESTED_IN", "OpenAI")}),
    ("Sequoia Capital and Kleiner Perkins together invested $25 million in Google.",
     {("Sequoia Capital", "INVESTED_IN", "Google"), ("Kleiner Perkins", "INVESTED_IN", "Google")}),
    ("SoftBank bought a 25 percent stake in Boeing.", {("SoftBank", "INVESTED_IN", "Boeing")}),
    # PARTNERED_WITH
    ("Waymo partnered with Jaguar Land Rover in 2018.", {("Waymo", "PARTNERED_WITH", "Jaguar Land Rover")}),
    # DEVELOPED
    ("[[AlphaFold]] is a program for proteins developed by [[DeepMind]].", {("DeepMind", "DEVELOPED", "AlphaFold")}),
    # REPORTED
    ("[[Alphabet Inc.]] reported revenue of $257.6 billion for 2021.",
     {("Alphabet Inc.", "REPORTED", "$257.6 billion")}),
    ("The unemployment rate in Boston was 2.4 percent in October 2019.", {("Boston", "REPORTED", "2.4 percent")}),
    ("Boston's unemployment rate fell to 2.4 percent.", {("Boston", "REPORTED", "2.4 percent")}),
    ("The population of Chicago was 2,746,388 in the census of 2020.", {("Chicago", "REPORTED", "2,746,388")}),
    ("Acme Inc. posted a loss of $387m in 2004.", {("Acme Inc.", "REPORTED", "$387m")}),
    ("Alphabet Inc. reported revenue of $282.8 billion for 2022 and of $307.4 billion for 2023.",
     {("Alphabet Inc.", "REPORTED", "$282.8 billion"), ("Alphabet Inc.", "REPORTED", "$307.4 billion")}),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "expected"), FACTS, ids=[sentence[:50] for sentence, _ in FACTS])
def test_facts(sentence: str, expected: set[Row]) -> None:
    assert rows(read(sentence + "\n")[1]) == expected


NO_FACTS = [
    "Did Google acquire Kaggle? Google acquired Kaggle?",
    "Google did not acquire Kaggle.",
    "Google never acquired Kaggle.",
    "Google plans to acquire Kaggle.",
    "Google will acquire Kaggle in 2017.",
    "Google would have acquired Kaggle.",
    "Google tried to buy Kaggle.",
    "Google agreed to acquire Kaggle.",
    "Google was said to be in talks to acquire Kaggle.",
    "It is rumoured that Google acquired Kaggle.",
    "Google reportedly acquired Kaggle.",
    "It is not true that Google acquired Kaggle.",
    "Google denied that Google acquired Kaggle.",
    "If Google acquired Kaggle, prices would rise.",
    "Nobody knows whether Google acquired Kaggle.",
    "Google could have been acquired by Yahoo in 2002.",
    "Kaggle was nearly acquired by Google.",
    "Kaggle was not acquired by Google.",
    "Kaggle was to be acquired by Google.",
    "Google acquired Kaggle's offices.",
    "Apple bought Google shares.",
    "Apple bought Google's maps.",
    "Verizon acquired the operating business of Yahoo.",
    "Apple completed its acquisition of most of Intel's modem business.",
    "Google acquired a taste for London.",
    "Google and Kaggle acquired a reputation.",
    "Google acquired London.",
    "Larry Page bought London.",
    "Google met Kaggle in London.",
    "Google, Kaggle and Apple are companies.",
    "Google competed with Apple, and Kaggle with Microsoft.",
    "Larry Page found Google useful.",
    "The theory was founded on Google.",
    "Tim Cook met the chief executive of Apple.",
    "Tim Cook is not the chief executive of Apple.",
    "Tim Cook, a friend of the chief executive of Apple, came.",
    "Nvidia is not headquartered in Santa Clara.",
    "Waymo is not a subsidiary of Apple.",
    "Fidelity invested in India.",
    "Google invested heavily in research.",
    "Google invested in people at Kaggle Street.",
    "Microsoft could partner with Yahoo.",
    "The unemployment rate was 2.4 percent in October 2019.",
    "Prices in Boston were higher than in 2019.",
    "Sales in Boston were flat.",
    "`Google acquired Kaggle.",
    "The novel in which Google acquired Kaggle sold well.",
]


@pytest.mark.parametrize("sentence", NO_FACTS, ids=lambda sentence: sentence[:50])
def test_no_facts(sentence: str) -> None:
    text = sentence if not sentence.startswith("`") else f"```\n{sentence[1:]}\n```"
    assert rows(read(text + "\n")[1]) == set()


def test_headings_tables_and_code_state_nothing() -> None:
    text = "# Google acquired Kaggle\n\n| Google acquired Kaggle |\n|---|\n| Google acquired Kaggle |\n\n    Google acquired Waze.\n"
    assert rows(read(text)[1]) == set()


@pytest.mark.parametrize(
    ("sentence", "date", "value", "unit"),
    [
        ("Google acquired Kaggle.", None, None, None),
        ("Google acquired Waze in June 2013 for about $1 billion.", "2013-06", 1e9, "USD"),
        ("In January 2014 Google acquired DeepMind for £400 million.", "2014-01", 4e8, "GBP"),
        ("On 24 September 2018 Apple acquired Shazam, which had opened in 1999.", "2018-09-24", None, None),
        ("Google completed its acquisition of Fitbit on January 14, 2021, at a price of $2.1 billion.",
         "2021-01-14", 2.1e9, "USD"),
        ("Apple bought Beats, which was founded in 2006.", None, None, None),
        ("Google acquired Fitbit for $7.35 a share.", None, None, None),
        ("IBM acquired Lotus in 1995 for $3.5 billion; it had 4,000 employees in 1990.", "1995", 3.5e9, "USD"),
    ],
)  # fmt: skip
def test_dates_and_prices(sentence: str, date: str | None, value: float | None, unit: str | None) -> None:
    fact = the_fact(sentence + "\n")
    assert (fact.date, fact.value, fact.unit) == (date, value, unit)


@pytest.mark.parametrize(
    ("sentence", "date", "start", "end"),
    [
        ("Tim Cook became CEO of Apple in August 2011.", "2011-08", "2011-08", None),
        ("Tony Fadell was the chief executive of Nest Labs until June 2016.", None, None, "2016-06"),
        ("Tim Cook has been the chief executive of Apple since 2011.", None, "2011", None),
        ("Tim Cook, the chief executive of Apple, spoke in May 2020.", None, None, None),
    ],
)
def test_offices_have_their_time(sentence: str, date: str | None, start: str | None, end: str | None) -> None:
    fact = the_fact(sentence + "\n")
    assert (fact.date, fact.valid_from, fact.valid_to) == (date, start, end)


@pytest.mark.parametrize(
    ("sentence", "indicator", "value", "unit", "date"),
    [
        ("The unemployment rate in Boston was 2.4 percent in October 2019.", "unemployment_rate", 2.4, "percent", "2019-10"),
        ("In May 2020 the unemployment rate in Boston was 17 percent.", "unemployment_rate", 17, "percent", "2020-05"),
        ("The minimum wage in Chicago had risen to $13.00 an hour on 1 July 2019.", "minimum_wage", 13, "USD per hour", "2019-07-01"),
        ("Acme Inc. reported revenue of €1,234.5 million for 2021.", "revenue", 1_234_500_000, "EUR", "2021"),
        ("Acme Inc. employed 1,525,000 people at the end of 2023.", "employees", 1_525_000, "people", "2023"),
        ("The population of Boston was 675,647 in 2020.", "population", 675_647, None, "2020"),
        ("Acme Inc. had debt of 1.44 billion dlrs.", "debt", 1_440_000_000, None, None),
        ("The unemployment rate in Boston was 2.4 percent, far from the 10 percent of 2009.", "unemployment_rate", 2.4, "percent", None),
    ],
)  # fmt: skip
def test_figures(sentence: str, indicator: str, value: float, unit: str | None, date: str | None) -> None:
    fact = the_fact(sentence + "\n")
    assert (fact.indicator, fact.value, fact.unit, fact.date) == (indicator, value, unit, date)


def test_a_figure_without_a_date_is_as_old_as_its_document() -> None:
    _, extraction = read("The unemployment rate in Boston was 2.4 percent.\n", "labor-2019-10.md")
    assert [(fact.date, fact.confidence < 0.9) for fact in extraction.facts] == [("2019-10", True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nvidia Corp. grew. It acquired Mellanox in 2020.", {("Nvidia Corp.", "ACQUIRED", "Mellanox")}),
        ("Nvidia Corp. grew. The company is headquartered in Santa Clara.",
         {("Nvidia Corp.", "HEADQUARTERED_IN", "Santa Clara")}),
        ("Satya Nadella came from India. He became CEO of Microsoft in 2014.",
         {("Satya Nadella", "CHIEF_EXECUTIVE_OF", "Microsoft")}),
        # Two could be meant.
        ("Nvidia Corp. met Acme Inc. in Boston. It acquired Mellanox in 2020.", set()),
        # Nobody of that kind stands before it.
        ("Satya Nadella came from India. It acquired Mellanox in 2020.", set()),
        # Another paragraph.
        ("Nvidia Corp. grew.\n\nIt acquired Mellanox in 2020.", set()),
    ],
)  # fmt: skip
def test_pronouns_stand_for_the_sentence_before(text: str, expected: set[Row]) -> None:
    _, extraction = read(text + "\n")
    assert rows(extraction) == expected
    assert all(fact.confidence < 0.8 for fact in extraction.facts)


def test_front_matter_states_facts_with_their_line_as_the_quote() -> None:
    text = "---\ntitle: Acme\ntype: Organization\nheadquarters: Mountain View, California\nfounders: [Ann Lee, Bob Ray]\n---\nText.\n"
    _, extraction = read(text)
    assert rows(extraction) == {
        ("Acme", "HEADQUARTERED_IN", "Mountain View"),
        ("Ann Lee", "FOUNDED", "Acme"),
        ("Bob Ray", "FOUNDED", "Acme"),
    }
    assert {fact.quote for fact in extraction.facts} == {
        "headquarters: Mountain View, California", "founders: [Ann Lee, Bob Ray]",
    }  # fmt: skip


def test_a_district_reports_what_stands_under_its_heading() -> None:
    text = (
        "# Beige Book: October 2019\n\n## Federal Reserve Bank of Boston\n\n### Wages\n\n"
        "Wages rose at a moderate pace in most sectors of the District. Contacts expect wages to rise further.\n"
        "Will wages rise at all in the coming months? A contact told a story about the weather.\n"
    )
    _, extraction = read(text)
    (fact,) = extraction.facts
    assert extraction.entities[fact.subject].name == "Boston"
    assert (fact.type, fact.date, fact.indicator) == ("REPORTED", "2019-10", None)
    assert fact.quote == "Wages rose at a moderate pace in most sectors of the District."


@given(
    st.lists(
        st.sampled_from(
            ["Google", "Kaggle", " acquired ", " was acquired by ", " and ", ", ", "[[Alphabet Inc.|Google]]", " in 2014",
             "\ue0000\ue001", "\ue000", " for $1 billion", ". ", "\n", "\n\n", "# ", "(ABC)", "'s ", "é", "😀", "It ", "the CEO of ",
             "Larry Page", " founded ", "|", "- ", "St. ", "headquartered in ", "Boston", "Smith & Co. ", "U.S. "]
        ),
        max_size=30,
    ).map("".join)
    | st.text(max_size=200)
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_quotes_are_verbatim_and_numbers_are_in_range_for_any_text(text: str) -> None:
    document, extraction = read(text)
    ordinals = {piece.ordinal for piece in document.chunks}
    for mention in extraction.mentions:
        assert mention.entity < len(extraction.entities)
        assert mention.chunk in ordinals and mention.count >= 1
    for topic in extraction.topics:
        assert set(topic.chunks) <= ordinals
    names = [entity.name for entity in extraction.entities]
    assert len(names) == len(set(names))
    assert all(name.strip() == name and name for name in names)


@pytest.mark.parametrize(
    ("path", "title", "date"),
    [
        ("towns/tarn.md", "# Tarn", None),
        ("towns/tarn-2019-10-03.md", "# Tarn", "2019-10-03"),
        ("towns/tarn.md", "# Tarn in October 2019", "2019-10"),
        ("towns/tarn.md", "---\ndate: 2019-10-03\n---\n# Tarn", "2019-10-03"),
    ],
)
def test_the_time_of_a_file_dates_no_fact(path: str, title: str, date: str | None) -> None:
    text = f"{title}\n\nThe unemployment rate in Boston was 2.4 percent.\n"
    document = parse_document(text.encode(), path, mtime_ns=1_577_923_200_000_000_000)
    document.path = path
    assert document.date is not None
    assert {fact.date for fact in extract(document).facts} == {date}


TOLD = [
    ("Tarn University was founded in 1914.", {("Tarn University", "FOUNDED_IN", "1914")}),
    ("Tarn University, in Oslo, was founded in 1914.", set()),
    ("The library of Tarn University was founded in 1914.", set()),
    ("Tarn University was perhaps founded in 1914.", set()),
    ("Tarn University was founded in anger.", set()),
    ("Ann Lovell died in 1914.", {("Ann Lovell", "DIED", "1914")}),
    ("Memphis lies on the east bank of the Mississippi River.", {("Memphis", "LIES_ON", "Mississippi River")}),
    ("Memphis lies on Main Street.", set()),
    ("Memphis is not far from Nashville.", {("Memphis", "LOCATED_NEAR", "Nashville")}),
    ("Did Ann Lovell go to Memphis, Tennessee?", {("Memphis", "LOCATED_IN", "Tennessee")}),
    ("He saw the fictional Memphis, Tennessee.", set()),
    ('Ann Lovell\'s famous "Songs of the Quay" was liked.', {("Ann Lovell", "CREATED", "Songs of the Quay")}),
    ("Songs of the Quay", set()),
]


@pytest.mark.skipif(not tagging.has_tagger(), reason="names have their types where spaCy is installed")
@pytest.mark.parametrize(("text", "expected"), TOLD)
def test_what_prose_tells(text: str, expected: set[Row]) -> None:
    document = parse_document(f"{text}\n".encode(), "a.md")
    found = extractor.extract(document)
    names = [entity.name for entity in found.entities]
    kinds = {"FOUNDED_IN", "DIED", "LIES_ON", "LOCATED_NEAR", "LOCATED_IN", "CREATED"}
    assert {
        (names[fact.subject], fact.type, names[fact.object] if fact.object is not None else fact.object_text)
        for fact in found.facts
        if fact.type in kinds
    } == expected


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("The Lamp Foundation released 25 million lamps to the public for free.", "2017-02-03"),
        ("In June, the Lamp Foundation released 25 million lamps to the public for free.", "2016-06"),
        ("In late January the Lamp Foundation released 25 million lamps to the public.", "2017-01"),
        ("In the spring, the Lamp Foundation released 25 million lamps to the public.", None),
        ("Last year, the Lamp Foundation released 25 million lamps to the public for free.", None),
        ("In June 2014, the Lamp Foundation released 25 million lamps to the public.", "2014-06"),
    ],
)
def test_when_that_was_which_a_sentence_reports(text: str, date: str | None) -> None:
    assert report_date(text, "2017-02-03") == date
    assert report_date(text, None) == ("2014-06" if date == "2014-06" else None)
