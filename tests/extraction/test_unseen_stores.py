"""What strangers' folders showed on 2026-11-28: topics whose lead is in front matter, transcripts, Dendron's links."""

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.documents.identifiers import series_of
from kgfs.documents.markup import plain_sentence, wikilink_parts
from kgfs.documents.sentences import sentence_spans
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.proximity import proximity_facts
from kgfs.extraction.links import document_links, path_keys
from kgfs.extraction.names import capitals, explanations, tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.extraction.names.declared.titles import Title, may_name, title_name
from kgfs.extraction.names.evidence import may_be_person
from kgfs.extraction.names.people.initials import person_letters
from kgfs.model import DefinedTerm, Extraction, ParsedDocument
from kgfs.random_ids import is_random_id

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


def parsed(text: str, path: str) -> ParsedDocument:
    document = parse_document(text.encode(), path, mtime_ns=0)
    document.path = path
    return document


def read(texts: dict[str, str], path: str) -> Extraction:
    documents = {name: parsed(text, name) for name, text in texts.items()}
    return extract(documents[path], make_gazetteer(map(stated_names, documents.values())))


def topic(title: str, excerpt: str, more: str = "") -> str:
    return f"---\ntitle: {title}\nexcerpt: >\n  {excerpt}\n{more}---\nEach time a balance changes, a message is sent.\n"


def test_the_lead_may_stand_in_front_matter() -> None:
    document = parsed(
        topic("Wick outputs", "**Wick outputs** are special outputs of lamps that burn longer."), "wick.md"
    )
    assert document.lead.startswith("Wick outputs are special outputs")
    (subject,) = stated_names(document)[:1]
    assert (subject.name, subject.unsaid) == ("Wick outputs", False)


def test_a_description_that_tells_of_the_page_is_no_lead() -> None:
    text = "---\ntitle: Lampd\ndescription: How to set up Lampd on a ship.\n---\nLampd is a server that lights lamps.\n"
    assert parsed(text, "lampd.md").lead == "Lampd is a server that lights lamps."


def test_items_of_a_list_in_front_matter_count_by_their_title() -> None:
    see = "see_also:\n  - title: Oil vaults\n    link: topic oil\n"
    texts = {
        "wick.md": topic("Wick outputs", "Wick outputs are special outputs of lamps that burn longer.", see),
        "oil.md": topic("Oil vaults", "Oil vaults are rooms in which oil is kept for the winter."),
    }
    found = read(texts, "wick.md")
    names = [entity.name for entity in found.entities]
    facts = {(names[fact.subject], fact.type, names[fact.object]) for fact in found.facts if fact.object is not None}
    assert ("Wick outputs", "SEE_ALSO", "Oil vaults") in facts


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("Oil doubling", "Oil doubling is an attack against lamps where a wick is lit twice.", "Concept"),
        ("Large channels", "Large channels are payment channels with more than a hundred lamps.", "Concept"),
        ("Minilamp", "Minilamp is a library implementing an algorithm for wicks.", "Product"),
        ("Versioning of Upstream Software", "This page has the rules.", "Document"),
        ("Oil management with Lamp API", "This text says how oil is handled.", "Document"),
    ],
)
def test_types_of_pages(title: str, lead: str, type_: str) -> None:
    found = stated_names(parsed(f"# {title}\n\n{lead}\n", "page.md"))
    assert found[0].type == type_


def test_who_speaks_on_a_line_of_its_own() -> None:
    text = "**Ann**\nYeah, I like that. Let us go on.\n"
    assert [text[start:end] for start, end in sentence_spans(text)][:2] == ["**Ann**", "Yeah, I like that."]
    found = read({"call.md": f"# Call 7\n\n{text}\n**Ann**\nOkay, so the wick is next.\n"}, "call.md")
    said = {entity.name for entity in found.entities} | {name.name for name in found.unconfirmed}
    assert not said & {"Ann Yeah", "Ann Okay"}


@pytest.mark.parametrize(
    ("first", "second", "parts"),
    [
        ("lamp", "the lamp", ("lamp", "the lamp")),
        ("here", "lamps.wick.trim", ("lamps.wick.trim", "here")),
        ("Trim", "dendron://vault.site/lamps.wick#trim", ("lamps.wick#trim", "Trim")),
        ("lamps.wick", None, ("lamps.wick", "")),
        ("lamps.wick", "wick.io", ("lamps.wick", "wick.io")),
        ("lamp\\", "the lamp", ("lamp", "the lamp")),
    ],
)
def test_which_part_of_a_wikilink_is_its_target(first: str, second: str | None, parts: tuple[str, str]) -> None:
    assert wikilink_parts(first, second) == parts


def test_a_link_to_a_note_by_the_names_above_it() -> None:
    document = parsed("See [[here|lamps.wick.links]] and [[Trim|lamps.trim]].\n", "lamps.index.md")
    assert [(link.target, link.label) for link in document_links(document)] == [
        ("lamps.wick.links", "here"),
        ("lamps.trim", "Trim"),
    ]
    assert path_keys("vault/lamps.wick.links.md") == ["vault/lamps.wick.links", "lamps.wick.links"]
    assert "here" not in {
        entity.name for entity in read({"lamps.index.md": document.text or ""}, "lamps.index.md").entities
    }


def test_an_empty_section_covers_nothing() -> None:
    texts = {
        "keys.md": "# Lampkeys\n\nLampkeys are keys that light a lamp.\n",
        "move.md": "# Move Lamp\n\n## Lampkeys\n\nnone\n",
    }
    assert not [fact for fact in read(texts, "move.md").facts if fact.type == "COVERS"]


def test_a_list_of_programs_is_no_one_program() -> None:
    text = "Recent changes in Lamp Core, Core Lantern, and Tarnd were merged into Lamp Core, Core Lantern and others.\n"
    found = read({"news.md": text}, "news.md")
    said = {entity.name for entity in found.entities} | {name.name for name in found.unconfirmed}
    assert not {name for name in said if ", " in name}


def test_fields_of_a_table_are_no_tools() -> None:
    table = (
        "# Protocol\n\n| name | description | type | presence |\n|---|---|---|---|\n"
        "| `server_name` | The name of the Docker server. | string | always |\n"
    )
    assert not [fact for fact in read({"protocol.md": table}, "protocol.md").facts if fact.type == "MADE_FOR"]


CLAUSES = """# Notes

The Lamp Viewpoint Survey (LVS) is a climate survey administered annually by the Office of Personnel Management.

npm is a package manager and cloud-based registry for Node.js.

Acme Inc. makes lamps. Acme Inc.'s primary meeting platforms are Google Meet and Zoom.

The General Services Administration has a Veterans Employee Resources Association (VERA).

The System of Records Notice (SORN) is subject to the Privacy Act.

Musig is specified in RFC 5789. Lampd has a Docker server.
"""


def test_clauses_that_were_missed() -> None:
    found = read({"notes.md": CLAUSES}, "notes.md")
    names = [entity.name for entity in found.entities]
    facts = {(names[fact.subject], fact.type, names[fact.object]) for fact in found.facts if fact.object is not None}
    assert facts >= {
        ("General Services Administration", "HAS", "Veterans Employee Resources Association"),
        ("System of Records Notice", "GOVERNED_BY", "Privacy Act"),
    }
    assert not [fact for fact in facts if fact[1] == "HAS" and fact[2] == "Docker"]


def test_a_chapter_of_a_book_in_asciidoc_has_its_title() -> None:
    text = "[[ch09]]\n== Lamp Fees\n\nFees are paid by lamps.\n\n=== Who pays\n\nLamps do.\n"
    assert parsed(text, "ch09_fees.adoc").title == "Lamp Fees"
    assert parsed(text + "\n== Another\n\nMore.\n", "ch09_fees.adoc").title == "ch09_fees"


def test_marks_of_an_index_are_no_text() -> None:
    text = 'Lamp\'s ((("Lamp Core", "wicks (new)", id="x")))((("wicks")))network (of (many) lamps) is old.'
    assert plain_sentence(text).text == "Lamp's network (of (many) lamps) is old."


def test_who_pays_whom_is_nobody() -> None:
    text = (
        "# Lamps\n\nThe channel from Alice Lee to Eric Moor was closed, and Alice Lee to Eric Moor was the last one.\n"
    )
    found = read({"lamps.md": text}, "lamps.md")
    assert not [entity.name for entity in found.entities if " to " in entity.name]


@pytest.mark.parametrize("title", ["Testing for Content Security Policy", "Test RIA Cross Domain Policy"])
def test_what_one_does_is_no_policy(title: str) -> None:
    assert (
        stated_names(parsed(f"# {title}\n\nIn this test the site of a firm is looked at.\n", "t.md"))[0].type
        != "Policy"
    )


def test_who_is_only_kept_from_something_is_no_object() -> None:
    text = "# Lamps\n\nThe Lamp Policy prevents Ann Lee from dividing the oil. Ann Lee met Bob Ray in 1999.\n"
    assert not [fact for fact in read({"lamps.md": text}, "lamps.md").facts if fact.type.startswith("PREVENT")]


def test_marks_of_asciidoc_are_no_part_of_names() -> None:
    assert plain_sentence("Use +OP_RETURN+ and [.keep-together]#Lamp keys#, or C++ +1 then +2.").text == (
        "Use OP_RETURN and Lamp keys, or C++ +1 then +2."
    )


def test_links_beneath_related_pages_are_not_covered() -> None:
    texts = {
        "index.md": "# Lamp tests\n\nLamp tests are tests of lamps.\n\n"
        "## Related test cases\n\n- [Wick tests](sub/wick.md)\n",
        "sub/wick.md": "# Wick tests\n\nWick tests are tests of the wicks of lamps.\n",
    }
    assert "COVERS" not in {fact.type for fact in read(texts, "index.md").facts}


def test_what_a_thing_is_for_it_is_not_written_in() -> None:
    text = "# Pipenv\n\nPipenv is a dependency manager for Python projects.\n"
    found = read({"pipenv.md": text}, "pipenv.md")
    assert [(entity.name, entity.type) for entity in found.entities][:1] == [("Pipenv", "Product")]
    assert "WRITTEN_IN" not in {fact.type for fact in found.facts}


def test_a_lead_without_a_verb_says_what_its_title_is() -> None:
    (subject,) = stated_names(parsed("# lampctl\n\nA command line utility to manage lamps.\n", "lampctl/README.md"))[:1]
    assert (subject.name, subject.type) == ("lampctl", "Product")


@pytest.mark.parametrize(
    "sentence",
    [
        "Customers will stop using our Docker Hub subscription.",
        "Previously, we stored our lamps on Docker Hub.",
        "Lamps can be installed by us via Docker Hub.",
    ],
)
def test_what_one_no_longer_works_in_is_not_used(sentence: str) -> None:
    text = f"# Acme Employee Handbook\n\nAt Acme, we make lamps. How we work at Acme is told here.\n\n{sentence}\n"
    assert "USES" not in {fact.type for fact in read({"handbook.md": text}, "handbook.md").facts}


def test_members_are_told_apart_by_their_headings() -> None:
    text = (
        "# Lamp Council\n\nThe Lamp Council is a committee of the Tarn Foundation.\n\n"
        "## Members\n\n### Voting Members\n\n"
        "- Ann Lee ([@ann](https://github.com/ann))\n- Bob Ray ([@bob](https://github.com/bob))\n\n"
        "### Regular Members\n\n- Cid Moor ([@cid](https://github.com/cid))\n- Dora Lind ([@dora](https://github.com/dora))\n"
    )
    found = read({"README.md": text}, "README.md")
    roles = {found.entities[fact.subject].name: fact.role for fact in found.facts if fact.type == "MEMBER_OF"}
    assert roles == {
        "Ann Lee": "voting member",
        "Bob Ray": "voting member",
        "Cid Moor": "regular member",
        "Dora Lind": "regular member",
    }


@pytest.mark.parametrize(
    ("name", "random"),
    [
        ("Wq7xUc2RzK9oTf4LbN8eV", True),
        ("R3stGXq8_Z5jdHi6B-myT", True),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", True),
        ("Lamp2OilReaderOptions", False),
        ("Wick_Plan-2024_Oil2", False),
        ("LAMP-WICK-OIL-2024-REPORT1", False),
        ("KeepersHandbookOf2024", False),
        ("Lamp Plan of 2024 in Reno", False),
    ],
)
def test_a_random_identifier_names_nothing(name: str, random: bool) -> None:
    assert is_random_id(name) is random
    pages = [one.name for one in stated_names(parsed("Lamps burn oil.\n\n- One\n", f"notes/{name}.md"))]
    assert (name.replace("_", " ") not in pages) or not random


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Lampd\n\nIt lights lamps.\n\n# How lampd burns\n\nWith oil.\n", "Lampd"),
        ("It lights lamps.\n\n# How lampd burns\n\nWith oil.\n", "It lights lamps"),
    ],
)
def test_a_note_whose_file_has_no_name_is_called_as_its_first_heading(text: str, title: str) -> None:
    assert parsed(text, "Wq7xUc2RzK9oTf4LbN8eV.md").title == title


@pytest.mark.parametrize(
    ("link", "names"),
    [
        ("[[firms/tarn-lamps|Tarn Lamps]]", ["Tarn Lamps"]),
        ("[[firms/tarn-lamps|the keepers of tarn]]", []),
        ("[[firms/tarn-lamps|Process for offers of oil to keepers]]", []),
        ("[[firms/tarn-lamps]]", []),
        ("[[FirmsOfReno/tarn]]", []),
        ("[[oil-lamps-of-reno]]", []),
        ("[[firms/INDEX|lamp firms INDEX]]", []),
        ("[[firms/Tarn Lamps]]", ["Tarn Lamps"]),
        ("[[photosynthesis]]", ["photosynthesis"]),
        ("[[people/ann-lee]]", ["Ann Lee"]),
        ("[[people/ann-lee|the keeper]]", ["Ann Lee"]),
    ],
)
def test_what_wikilinks_name(link: str, names: list[str]) -> None:
    texts = {
        "notes/2024-01-05.md": f"Oil comes from many places.\n\nIt says more in {link} and elsewhere.\n",
        "people/ann-lee.md": "# Ann Lee\n\nAnn Lee is an engineer who keeps lamps.\n",
    }
    assert [entity.name for entity in read(texts, "notes/2024-01-05.md").entities] == names


@pytest.mark.parametrize(
    ("title", "lead", "name", "type_"),
    [
        ("2023 Q2 Lamp Safety WG", "The Lamp Safety WG met twice.", "2023 Q2 Lamp Safety WG", "Work"),
        ("Lamp Safety WG", "The Lamp Safety WG met twice.", "Lamp Safety WG", "Organization"),
        ("Tarn Lamps Co., Ltd. (TARN)", "It was founded in 1961.", "Tarn Lamps Co., Ltd. (TARN)", "Organization"),
        ("Tarn Lamps, Inc.", "", "Tarn Lamps, Inc.", "Organization"),
        ("Fees on Lamp sites", "Lamp pages are static websites.", "Fees on Lamp sites", "Document"),
    ],
)
def test_titles_with_a_quarter_a_firm_or_a_place(title: str, lead: str, name: str, type_: str) -> None:
    [page, *_] = stated_names(parsed(f"# {title}\n\n{lead}\n", "pages/a.md"))
    assert (page.name, page.type) == (name, type_)


def test_a_day_in_a_title_is_no_number_of_a_list() -> None:
    assert title_name("2021-02-09 Lamp Council") == "2021-02-09 Lamp Council"
    assert title_name("2023-Q4-Lamp-WG") == "2023-Q4-Lamp-WG"
    assert title_name("12 - Lamp Council") == "Lamp Council"


RECORDED = """# Lamp days

## {first}

* {key}: Lamp Council
* Owner: Ann Lee

## Purpose

We light lamps.

## {second}

* {key}: Oil Council
* Owner: Bo Ray
"""


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("Next Steps", "Next Steps", ["Lamp days"]),
        ("Lamp Trial", "Oil Trial", ["Lamp days", "Lamp Trial", "Oil Trial"]),
    ],
)
def test_a_heading_that_each_section_has_names_no_record(first: str, second: str, names: list[str]) -> None:
    document = parsed(RECORDED.format(first=first, second=second, key="Place"), "a.md")
    assert [one.name for one in stated_names(document)] == names


@pytest.mark.parametrize(("keys", "found"), [(("March 26", "April"), []), (("Owner", "Status"), ["Lamp Trial"])])
def test_days_are_no_fields_of_a_record(keys: tuple[str, str], found: list[str]) -> None:
    text = f"# Lamp days\n\n## Lamp Trial\n\n* {keys[0]}: Lamp Council\n* {keys[1]}: Oil Council\n"
    assert [term.name for term in parsed(text, "a.md").terms if not term.weight] == found


def test_what_takes_place_may_have_its_month_behind_it() -> None:
    text = "# Lamp Council\n\n# Lamp Council Meeting May 2023\n\n* Date: 2 May 2023\n* Chair: Ann Lee\n"
    found = {one.name: one.type for one in stated_names(parsed(text, "a.md"))}
    assert found["Lamp Council Meeting May 2023"] == "Event"


def test_a_sentence_that_leads_to_a_list_defines_nothing() -> None:
    text = "# Glossary\n\n## Keeper\n\nA keeper looks after lamps.\n\n## Roles\n\nAs the manual says:\n\n> One.\n"
    assert [term.name for term in parsed(text, "a.md").terms] == ["Keeper"]


@pytest.mark.parametrize(("title", "name"), [("Json", "JSON"), ("Docker", "Docker"), ("Lampd", "Lampd")])
def test_a_title_is_written_as_everybody_writes_it(title: str, name: str) -> None:
    assert stated_names(parsed(f"# {title}\n\nIt keeps what lamps burn.\n", "notes/a.md"))[0].name == name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Lamp Wicks (for slow oil)", "Lamp Wicks"),
        ("Lamp service (deprecated)", "Lamp service"),
        ("Lamp (album)", "Lamp (album)"),
        ("Lamp (oil keeper)", "Lamp (oil keeper)"),
    ],
)
def test_what_a_bracket_says_of_a_page_is_no_part_of_its_name(title: str, name: str) -> None:
    assert Title(title).text == name


def test_a_title_of_two_parts_names_nothing_whole() -> None:
    assert not may_name(Title("Lampd · Wick store"), confirmed=False, typed=False)


def test_the_label_of_a_link_has_a_term_or_its_definition_too() -> None:
    text = "# Glossary\n\n- [LAMP-287: Dim light](https://lamps.example/287)\n- [Keeper](k.md): who looks after lamps\n"
    assert [term.name for term in parsed(text, "a.md").terms if not term.weight] == ["LAMP-287", "Keeper"]


@needs_tagger
def test_a_name_ends_where_its_emphasis_ends() -> None:
    text = (
        "# Notes\n\n- Discuss wicks (*Ann Lind* **Time**: 5 minutes)\n- Discuss oil (*Ann Lind* **Time**: 10 minutes)\n"
    )
    found = read({"council.md": text}, "council.md")
    said = {entity.name for entity in found.entities} | {name.name for name in found.unconfirmed}
    assert "Ann Lind" in said
    assert "Ann Lind Time" not in said


@needs_tagger
def test_given_names_that_an_ampersand_joins_are_two() -> None:
    text = "# Notes\n\nAnno & Bob to look into the tool. The tool by Anno & Bob is new.\n"
    found = read({"council.md": text}, "council.md")
    assert "Anno & Bob" not in {entity.name for entity in found.entities} | {name.name for name in found.unconfirmed}


@pytest.mark.parametrize(("cell", "place"), [("Reno Lampo Bank", False), ("Reno", True)])
def test_the_place_in_the_name_of_a_bank_is_not_meant(cell: str, place: bool) -> None:
    text = f"# Banks\n\n| Bank | Head |\n|---|---|\n| {cell} | Tarn |\n"
    found = read({"banks.md": text}, "banks.md")
    assert ("Reno" in {entity.name for entity in found.entities}) == place


def test_each_label_of_a_line_has_its_persons() -> None:
    text = "# Lamp SIG\n\nChair: Anna Lindley Co-chair: Kate Rayburn\n\nThe Lamp SIG is a group.\n"
    found = read({"notes.md": text}, "notes.md")
    assert {found.entities[fact.subject].name for fact in found.facts if fact.type == "LEADS"} == {
        "Anna Lindley",
        "Kate Rayburn",
    }


def test_a_language_before_letters_is_nobody() -> None:
    assert not may_be_person("Julia LampML")
    assert may_be_person("Julia McLamp")
    assert capitals.type_cue("Julia LampML") is None


def test_a_number_before_a_word_is_of_no_series() -> None:
    assert series_of("It has the ABC 3-clause license, the ABC 2-clause license.") == set()
    assert series_of("It has ABC 3 and ABC 4.") == {"ABC"}
    assert series_of("It is PEP 3-like and PEP 8-like.") == {"PEP"}


def test_a_term_in_the_label_of_a_link() -> None:
    text = "# Glossary\n\n* [Lamp: a thing that gives light](https://acme.org/lamp)\n* Wick: it burns\n"
    assert [(term.name, term.definition) for term in parsed(text, "glossary.md").terms] == [
        ("Lamp", "a thing that gives light"),
        ("Wick", "it burns"),
    ]


def test_each_line_of_an_index_is_a_row() -> None:
    index = "  Lamper (_T.O._), see Pip\n  Lind (_A.B._ 7), 62, 63\n  Orm, 9\n  Ray, Mrs. (_M.C._), 57-59\n"
    assert document_blocks(parsed(index, "book.txt"))[0].leaves[1].kind == "row"
    told = "  He came in May,\n  and left in June 1920\n  without a lamp, it is said.\n"
    assert [leaf.kind for leaf in document_blocks(parsed(told, "book.txt"))[0].leaves] == ["text"]


@pytest.mark.parametrize(
    ("phrase", "short", "explained"),
    [
        ("lamp services", "LAS", False),
        ("relational lampbases", "RLS", False),
        ("hypertext lamp language", "HTLL", True),
        ("leave without pay", "LWOP", True),
        ("Windows Remote Management", "WinRM", True),
    ],
)
def test_letters_within_a_word_in_small_letters_open_a_part_of_it(phrase: str, short: str, explained: bool) -> None:
    text = f"{phrase} ({short})"
    assert (explanations.before_bracket(text, len(phrase) + 1, short) is not None) == explained


def test_the_day_before_a_title_is_no_number() -> None:
    for title in ("2031-02-09 Meeting", "2031-02-09"):
        found = read({"notes/day.md": f"# {title}\n\n## Attendance\n\n* Ann Lee\n* Bob Ray\n"}, "notes/day.md")
        assert not [entity.name for entity in found.entities if entity.name.startswith("02-09")]
    assert stated_names(parsed("# 3 - Lamp Council\n\nIt meets.\n", "council.md"))[0].name == "Lamp Council"


_IN_A_LINE = (
    "**Attendees:** Aki Bruun (AKI), Rob Palmgren (RPG), Walda Horne (WH), Myles Borning (MBG), Rick Buttons (RBU)"
)
_IN_A_TABLE = (
    "| Name | Abbreviation | Organization |\n|---|---|---|\n| Aki Bruun | AKI | Tarn Labs |\n"
    "| Rob Palmgren | RPG | Tarn Labs |\n| Ursula Sander | USA | Wickworks |\n| Wickford Smith | WSH | Wickworks |"
)


@pytest.mark.parametrize(
    ("there", "said", "person", "letters"),
    [
        (_IN_A_LINE, "RPG: You speak of wicks.\n\nMBG: There are two.", "Rob Palmgren", "RPG"),
        (_IN_A_TABLE, "AKI: You speak of wicks.\n\nRPG: There are two.", "Rob Palmgren", "RPG"),
        (_IN_A_TABLE, "USA: We should wait.\n\nAKI: Fine.", "Ursula Sander", "USA"),
        (_IN_A_TABLE, "WSH: We should wait.\n\nAKI: Fine.", "Wickford Smith", "WSH"),
    ],
)
def test_letters_in_a_row_of_persons_are_theirs(there: str, said: str, person: str, letters: str) -> None:
    found = read({"notes.md": f"# 4 May 2023 Meeting Notes\n\n{there}\n\n## Wicks\n\n{said}\n"}, "notes.md")
    types = {name: entity.type for entity in found.entities for name in (entity.name, *entity.aliases)}
    assert types[person] == "Person" and types.get(letters, "Person") == "Person" and "United States" not in types
    assert not [
        fact
        for fact in found.facts
        if fact.object is not None and fact.type == "WORKS_FOR" and found.entities[fact.object].name == letters
    ]


def test_letters_that_mean_something_else_are_a_person_only_where_one_speaks() -> None:
    text = (
        f"# 4 May 2023 Meeting Notes\n\n{_IN_A_TABLE}\n\n## Wicks\n\nUSA: We wait.\n\nAKI: Wicks are sold in the USA.\n"
    )
    found = read({"notes.md": text}, "notes.md")
    assert "United States" in {entity.name for entity in found.entities}


@pytest.mark.parametrize(
    "row",
    [
        "Domain Name System (DNS), Border Gateway Protocol (BGP), Transport Layer Security (TLS)",
        "Ann Lee (IBM), Bob Ray (SAP), Cid Moor (KPMG)",
    ],
)
def test_letters_of_terms_and_firms_are_nobody_s(row: str) -> None:
    assert person_letters(f"Present: {row}\n") == {}


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("Roger Yampolsky", "Person"),
        ("I.J. Goode", "Person"),
        ("I.J. Committee", "Organization"),
        ("All major makers", None),
        ("Lamp Trim", "Concept"),
    ],
)
def test_rows_of_a_table_of_no_kind(name: str, type_: str | None) -> None:
    found = record_entity(DefinedTerm(name=name, definition="", kind="record"))
    assert (found.type if found is not None else None) == type_


@pytest.mark.parametrize(
    ("name", "told"), [("Lamp Works Corp.", True), ("LWC", True), ("Siemens", True), ("Ktesias", False)]
)
def test_one_word_of_a_city_is_no_firm(name: str, told: bool) -> None:
    sentence = f"The invention of {OPEN}O0{CLOSE} of {OPEN}L1{CLOSE}, and its wicks, burn."
    facts = proximity_facts(sentence, ["O", "L"], [name, "Alexandria"], lambda _: False)
    assert bool(facts) == told


def test_what_stands_behind_a_line_across_the_page_is_said_of_the_page() -> None:
    text = (
        "# Lamp plan\n\nThis is the plan of lamps.\n\n## Wick Support\n\n- One: two\n\n---\n\n"
        "**Author:** Ann Lind  \n**Status:** Draft\n"
    )
    found = read({"plan.md": text}, "plan.md")
    assert [fact.type for fact in found.facts if found.entities[fact.subject].name == "Lamp plan"] == ["STATUS"]
    assert "Wick Support" not in {entity.name for entity in found.entities}


def test_a_table_of_locations_has_systems_that_are_no_places() -> None:
    rows = "| Windows | `C:\\lamps` |\n| Linux | `/var/lamps` |\n| Reno | by hand |\n"
    text = f"# Lamps\n\n## Lamp Locations\n\n| Platform | Value |\n|---|---|\n{rows}"
    found = read({"lamps.md": text}, "lamps.md")
    types = {entity.name: entity.type for entity in found.entities}
    assert types.get("Windows", "Product") == "Product"
    assert types.get("Linux", "Product") == "Product"


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("Lampshell 0.30", "Today we are releasing Lampshell 0.30.", "Product"),
        ("Holt v. Lind", "The court decided for Lind.", "Law"),
        ("Lamp Flow vs. WickFlow", "Lamp Flow has two branches.", None),
    ],
)
def test_titles_of_releases_cases_and_comparisons(title: str, lead: str, type_: str | None) -> None:
    text = f"---\ntitle: {title}\n---\n# {title}\n\n{lead}\n"
    found = read({"notes/a.md": text}, "notes/a.md")
    types = {entity.name: entity.type for entity in found.entities}
    assert types.get(title) == type_ or (type_ is None and types.get(title) in ("Document", "Concept"))


def test_a_selector_in_code_is_no_channel() -> None:
    text = '# Lamps\n\nAsk us: I added `hx-post="/ask" hx-target="#messages"` to the form.\n'
    found = read({"lamps.md": text}, "lamps.md")
    assert "Channel" not in {entity.type for entity in found.entities}
