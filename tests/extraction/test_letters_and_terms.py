"""Letters that any text uses, terms of contracts, fields of structures: what is an entity, and what says what it is."""

from __future__ import annotations

from collections import Counter

import pytest

from kgfs.documents.markup import plain_sentence
from kgfs.documents.suggestions.project_names import PROJECT
from kgfs.extraction.descriptions import describe_entities, fitting_description, without_markup
from kgfs.extraction.names import bodies, capitals, tagging
from kgfs.extraction.names.context_clues import type_clues
from kgfs.extraction.names.declared.defined_terms import defined_term
from kgfs.extraction.names.declared.gazetteer import document_subject, make_gazetteer, stated_names
from kgfs.extraction.names.declared.titles import Title
from kgfs.extraction.names.evidence import only_seems_body, settle_votes
from kgfs.extraction.names.kinds import named_kind, written_type
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.tag_notes import note_tag
from kgfs.extraction.names.usage import name_use
from kgfs.extraction.names.verdict import name_verdict
from kgfs.extraction.names.wording import Wording
from kgfs.extraction.names.wordlists.well_known import well_known_type
from kgfs.extraction.units import document_units
from kgfs.model import DefinedTerm, EntityCandidate, Evidence
from tests.extraction.read_texts import parsed, read

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")

LETTERS = {"seen": 20, "single": True, "acronym": True, "types": {"Concept": 9}}


@pytest.mark.parametrize(
    ("evidence", "type_"),
    [
        (Evidence(**LETTERS), None),
        (Evidence(**LETTERS, against={"told": 1}), "Concept"),
        (Evidence(**LETTERS | {"types": {"Technology": 9}}), "Technology"),
        # what every text speaks of
        (Evidence(**LETTERS | {"types": {"Technology": 9}}, against={"generic": 2}), None),
        (Evidence(**LETTERS | {"types": {"Technology": 9}}, against={"generic": 2, "told": 1}), "Technology"),
        # a body that acts, beside code too
        (Evidence(**LETTERS | {"types": {"Organization": 9}}, acts=2, against={"beside": 3}), "Organization"),
        (Evidence(**LETTERS | {"types": {"Organization": 9}}, acts=1, against={"beside": 3}), None),
    ],
)
def test_letters_need_somebody_who_says_what_they_are(evidence: Evidence, type_: str | None) -> None:
    found = name_verdict(evidence, 3)
    assert (None if found is None else found.type) == type_


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        ("LMP, or lamp making plan, is simply a plan.", "LMP", True),
        ("An LMP is a plan.", "LMP", True),
        ("LMP stands for a lamp.", "LMP", True),
        ("Each LMP is a plan.", "LMP", False),
        ("The LMP is long.", "LMP", False),
    ],
)
def test_where_a_sentence_says_what_letters_are(text: str, name: str, told: bool) -> None:
    start = text.index(name)
    assert name_use(text, start, start + len(name)).told == told


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("LSC must vote on it.", True),
        ("The LSC will then discuss it.", True),
        ("The LSC determines the tiers.", True),
        ("Come to a meeting of the LSC.", True),
        ("The LSC will then be empty.", False),
    ],
)
def test_committees_act(text: str, acts: bool) -> None:
    start = text.index("LSC")
    assert bodies.acts_as_body(text, start, start + 3) == acts


@pytest.mark.parametrize(
    ("raw", "clues"),
    [
        ("[Wickor](https://github.com/acme/wickor) is here.", 2),
        ("[Wickor](https://github.com/wickor/wickor) is here.", 0),
        ("[Wickor](https://github.com/acme/lamps) is here.", 0),
    ],
)
def test_one_word_that_labels_its_repository(raw: str, clues: int) -> None:
    named = NameFindings("Wickor")
    note_tag(named, capitals.CapitalsSpan(0, 6, "Wickor", True), plain_sentence(raw), (), code=False)
    assert named.clues["Product"] == clues


LICENCE = (
    'Grant. The Licensor gives you a Lamp. A Licensor may light it. \n\n"Licensor" shall mean the owner of a lamp.\n\n'
    "Licensor is not liable. You thank Licensor. The Licensor and each Licensor of it were asked by Licensor.\n"
)


@needs_tagger
def test_a_term_of_a_contract() -> None:
    assert Wording(document_units(parsed(LICENCE))).terms == {"Licensor"}
    named = NameFindings("Licensor", tags=Counter(Organization=5), votes={"Organization": 0.6})
    settle_votes(named, Wording(document_units(parsed(LICENCE))))
    assert named.best is not None and named.best[0] == "Concept"


def test_a_definition_in_quotes_describes() -> None:
    document = parsed('"Lamp" means a light. The "Wick" is a part of it.\n')
    wick = EntityCandidate(name="Wick", type="Concept")
    lamp = EntityCandidate(name="Lamp", type="Concept")
    describe_entities([wick, lamp], document_units(document))
    assert lamp.description == '"Lamp" means a light.' and wick.description == ""


@pytest.mark.parametrize(
    ("name", "definition", "kept"),
    [
        ("Creating a lamp project", "Anyone can make one.", False),
        ("Lamp project", "Anyone can make one.", True),
    ],
)
def test_headings_over_what_one_does_are_no_terms(name: str, definition: str, kept: bool) -> None:
    assert (defined_term(DefinedTerm(name=name, definition=definition)) is not None) == kept


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The inject command is a text transform.", ("inject", "Command")),
        ("The lamp light subcommand can burn.", ("lamp light", "Command")),
        ("The Lampd command is old.", None),
        ("The Get-Lamp cmdlet gets a lamp.", ("Get-Lamp", "Command")),
    ],
)
def test_commands_by_their_sentence(text: str, said: tuple[str, str] | None) -> None:
    assert named_kind(text) == said


def test_the_page_of_a_command() -> None:
    found = document_subject(parsed("---\ntitle: inject\n---\n\nThe `inject` command is a transform of lamps.\n"))
    assert found is not None and found.type == "Command"


def test_a_field_of_two_structures_is_none_of_them() -> None:
    texts = [f"# Glossary\n\n- **{name}**: {said}\n" for name, said in (
        ("wickRef", "The wick of a lamp."), ("wickRef", "The wick of a candle."), ("wickSize", "How long."),
        ("Wicks", "What burns."), ("Wicks", "What burns down."),
    )]  # fmt: skip
    found = make_gazetteer([stated_names(parsed(text, f"{place}.md")) for place, text in enumerate(texts)])
    names = {entry.name for entry in found.entries}
    assert "wickRef" not in names and {"wickSize", "Wicks"} <= names


def test_marks_of_footnotes_are_no_text() -> None:
    assert plain_sentence("Lamps burn.[^1] They[^note-2] shine.").text == "Lamps burn. They shine."
    assert plain_sentence("[^1]: A note on `x`.").text == "[^1]: A note on x."


def test_what_is_written_down() -> None:
    assert written_type("Lamp Covenant") == "Policy"


@needs_tagger
@pytest.mark.parametrize(
    ("text", "name", "type_"),
    [
        # what a sentence says, whatever the tagger takes it for
        ("LampNation is an annual conference. We met at LampNation. LampNation was full.", "LampNation", "Event"),
        # letters and names of headings
        ("BRAZIL, May 1st.--It rained. We saw much of Brazil. Brazil is large.", "Brazil", "Location"),
        # living things
        ("I saw a spider of the genus Lycosa. The genus Lycosa is large, and Lycosa runs.", "Lycosa", "Species"),
        # numbers of trackers
        ("It is faster now [[Feature #14183]]. It is slower [[Feature #14184]].", "Feature", None),
        # nobody, and labels
        ("---\nauthor: Unknown Author\n---\n# Lamp\n\nA lamp is a light.\n", "Unknown Author", None),
        ("See the ChangeLog for more. The ChangeLog is long. Read the ChangeLog.", "ChangeLog", None),
    ],
)  # fmt: skip
def test_names_of_news_and_books(text: str, name: str, type_: str | None) -> None:
    found = {entity.name: entity.type for entity in read(text).entities}
    assert found.get(name) == type_


def test_a_label_before_a_colon_is_none() -> None:
    label = Evidence(seen=6, plain=True, types={"Organization": 6}, clues={"Organization": 2}, against={"speaks": 4})
    assert name_verdict(label, 3) is None


@pytest.mark.parametrize(
    ("title", "lead", "name"),
    [
        ("Lampd 1.9 is released", "Lampd 1.9 is released.", None),
        ("RubyLamps 2015 CFP is open", "RubyLamps 2015 will take place in Oslo.", None),
        ("Life is a Lamp", "Life is a Lamp is a 1997 film.", "Life is a Lamp"),
        ('Cuca "Italiana"', "Sweet bread.", 'Cuca "Italiana"'),
        ("Another Leak in Lamp Library", "A leak was found.", None),
    ],
)
def test_headlines_name_nothing(title: str, lead: str, name: str | None) -> None:
    found = document_subject(parsed(f"---\ntitle: '{title}'\n---\n\n{lead}\n"))
    assert (None if found is None else found.name) == name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("1.8 series", None),
        ("lib/lamps/oil.rb", None),
        ("oil.lamps.org (hereafter called 'oil')", "oil.lamps.org"),
        ("CI/CD", "CI/CD"),
    ],
)
def test_terms_of_definition_lists(name: str, kept: str | None) -> None:
    found = defined_term(DefinedTerm(name=name, definition="The following services were provided by it."))
    assert (None if found is None else found.name) == kept


@pytest.mark.parametrize(
    ("text", "clues"),
    [
        ("A person sailed from Bahia.", {"Location"}),
        ("We arrived by midday at Bahia.", {"Location"}),
        ("In the neighbourhood of Bahia it rained.", {"Location"}),
        ("She works at Bahia.", set()),
        ("The genus, or rather family, of Bahia is large.", {"Species"}),
    ],
)
def test_what_stands_before_places_and_living_things(text: str, clues: set[str]) -> None:
    start = text.index("Bahia")
    assert {type_ for type_, _ in type_clues(text, start, start + 5, "Organization")} == clues


@needs_tagger
def test_letters_with_what_they_stand_for_behind_or() -> None:
    text = "We use an algorithm called EWML, or exponentially weighted moving lamp, here."
    (found,) = [one for one in read(text).entities if "EWML" in one.aliases]
    assert found.name == "exponentially weighted moving lamp"


@needs_tagger
def test_a_place_with_a_word_before_it_is_mentioned() -> None:
    found = read("They lived in Southern Africa then. Nobody knew it.")
    (place,) = [number for number, one in enumerate(found.entities) if one.name == "Africa"]
    assert [one.count for one in found.mentions if one.entity == place] == [1]


def test_repositories_of_one_word() -> None:
    text = "* [Wickor](https://github.com/acme/wickor)\n* [Acme](https://github.com/acme/acme)\n"
    found = {term.name: term.kind for term in parsed(text).terms}
    assert found == {"Wickor": PROJECT}


def test_a_project_that_is_a_rare_word_is_no_heading() -> None:
    text = "* [Cosign](https://github.com/acme/cosign)\n\nWe sign with Cosign.\n"
    found = [one for one in read(text, text).entities if one.name == "Cosign"]
    assert [one.type for one in found] == ["Product"]


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("[Acme Rollouts](https://github.com/acmelamp/acme-rollouts)", {"Acme Rollouts"}),
        ("[Acme Lamp](https://github.com/acmelamp/acme-lamp)", set()),
        ("[Acme Rollouts](https://github.com/acmelamp/other)", set()),
    ],
)
def test_repositories_of_several_words(raw: str, names: set[str]) -> None:
    assert {term.name for term in parsed(f"* {raw}\n").terms if term.kind == PROJECT} == names


@needs_tagger
@pytest.mark.parametrize(
    ("name", "tags", "text", "type_"),
    [
        ("Acme Rollouts", {"Person": 4, "Product": 1}, "Each rollout is a lamp.", "Product"),
        ("Acme Rollouts", {"Person": 4, "Product": 1}, "It is a lamp.", "Person"),
        ("Ann Rollouts", {"Person": 4}, "Each rollout is a lamp.", "Person"),
        ("General Court", {"Organization": 4}, "It is a lamp.", "Organization"),
        ("Event Code of Conduct", {"Law": 4}, "It is a lamp.", "Policy"),
        ("Oil Policy", {"Work": 4}, "It is a lamp.", "Policy"),
    ],
)
def test_what_the_words_of_a_name_say(name: str, tags: dict[str, int], text: str, type_: str) -> None:
    named = NameFindings(name, tags=Counter(tags), count=4)
    settle_votes(named, Wording(document_units(parsed(text))))
    assert named.best is not None and named.best[0] == type_


def test_names_that_forms_show() -> None:
    assert well_known_type("X-Lamp-Options") == "Technology" and well_known_type("X-ray") == ""
    assert capitals.is_conference("West LampConf 2010") and not capitals.is_conference("West LampConf Team")
    assert [one.text for one in capitals.find_capitals("they saw Lamp Contributions Since it rained.")] == [
        "Lamp Contributions"
    ]
    assert [one.text for one in capitals.find_capitals("Dear Ann Lee, we thank you.")] == ["Ann Lee"]


@needs_tagger
def test_to_whom_a_letter_is() -> None:
    text = "Dear Lamp Makers,\n\nWe write to you.\n\nDear Lamp Makers,\n\nWe write again. Dear Lamp Makers, goodbye.\n"
    assert "Lamp Makers" not in {entity.name for entity in read(text).entities}


@pytest.mark.parametrize(
    ("said", "sure", "kept"),
    [
        ("It is important to portray lamps in a consistent manner.", 1.0, False),
        ("It's time for a new release of lamps.", 1.0, False),
        ("There are many lamps in it.", 0.9, False),
        ("The following services were provided by the lamp.", 0.9, False),
        ("It is a lamp that burns.", 1.0, True),
    ],
)
def test_what_is_said_of_nothing_is_no_description(said: str, sure: float, kept: bool) -> None:
    entity = EntityCandidate(name="Lamp Identity", type="Concept", description=said, confidence=sure, declared=True)
    assert bool(fitting_description(entity)) == kept


def test_a_picture_on_a_line_of_its_own_is_no_text() -> None:
    assert plain_sentence("![lamp](/lamp.webp)\nIt burns.").text == "It burns."
    assert plain_sentence("See ![lamp](/lamp.webp) here.").text == "See lamp here."


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It is part of a [Service], and of [Servers][].", "It is part of a Service, and of Servers."),
        ("_Circuit lamps_ are of `_a_`.", "Circuit lamps are of `_a_`."),
        ("See [x](y), a[0] and b_c_d.", "See [x](y), a[0] and b_c_d."),
    ],
)
def test_what_markup_leaves_in_descriptions(text: str, plain: str) -> None:
    assert without_markup(text) == plain


def test_what_points_back_describes_nothing() -> None:
    said = "At its core, this behavior is controlled by a lamp."
    entity = EntityCandidate(name="LampNetwork", type="Concept", description=said, confidence=1.0, declared=True)
    assert fitting_description(entity) == ""


@needs_tagger
def test_the_page_of_a_kind_of_resource_is_no_body() -> None:
    code = "Run `lampd`, `lamp_get`, `lamp_set` and `lamp_put`. "
    text = f"---\ntitle: LampNetwork\n---\n\n{code}We made LampNetwork resources. In LampNetwork it burns.\n"
    found = {entity.name: entity.type for entity in read(text).entities}
    assert found["LampNetwork"] != "Organization"


def test_only_a_tagger_takes_capitals_inside_for_a_body() -> None:
    named = NameFindings("LampNetwork", tags=Counter(Organization=4), votes={"Organization": 0.6}, count=4)
    code = Wording(document_units(parsed("It is `lamp_a`, `lamp_b`, `lamp_c` and `lamp_d` here.\n")))
    assert only_seems_body(named, code) and not only_seems_body(named, Wording())
    named.acts = 2
    assert not only_seems_body(named, code)


@needs_tagger
def test_a_body_with_the_date_of_its_law_is_none() -> None:
    text = "It is of the Directive 96/9/EC of the Council of 11 March 1996 on lamps. The Council of 11 March 1996 met."
    assert not [one.name for one in read(text).entities if "1996" in one.name]


@pytest.mark.parametrize(
    ("evidence", "type_"),
    [
        # of a phrase that many places speak of as of software, an abstract head says less
        (Evidence(seen=90, types={"Product": 80}, clues={"Product": 30}, plain=True, common_head=True), "Product"),
        (Evidence(seen=90, types={"Product": 80}, clues={"Product": 12}, plain=True, common_head=True), "Concept"),
        (Evidence(seen=9, types={"Organization": 9}, common_head=True, against={"beside": 3}), "Concept"),
        (Evidence(seen=9, types={"Organization": 9}, common_head=True), "Organization"),
    ],
)
def test_abstract_heads(evidence: Evidence, type_: str) -> None:
    found = name_verdict(evidence, 3)
    assert found is not None and found.type == type_


@needs_tagger
@pytest.mark.parametrize(
    ("name", "code", "type_"),
    [("DB2 LMP", "`lamp_a` `lamp_b` `lamp_c` `lamp_d`", "Concept"), ("DB2 LMP", "", "Organization"),
     ("Lamp LLC", "`lamp_a` `lamp_b` `lamp_c` `lamp_d`", "Organization")],
)  # fmt: skip
def test_letters_behind_a_name_where_there_is_code(name: str, code: str, type_: str) -> None:
    named = NameFindings(name, tags=Counter(Organization=4), count=4)
    settle_votes(named, Wording(document_units(parsed(f"It is {code} here.\n"))))
    assert named.best is not None and named.best[0] == type_


@needs_tagger
@pytest.mark.parametrize(("text", "place"), [("Jakarta EE 9 is it.", False), ("It rained there.", True)])
def test_a_place_that_is_software(text: str, place: bool) -> None:
    found = {entity.name: entity.type for entity in read(f"{text} We use Jakarta Lamps 3.1 for it.\n").entities}
    assert (found.get("Jakarta") == "Location") == place


def test_what_a_title_is_called_besides() -> None:
    given = Title("Rule (aka Ruler)")
    assert (given.text, given.short, given.what) == ("Rule", "Ruler", "")
