"""Who *we* are in the documents of a folder, which tools have sites, and what those who speak use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import parse_document
from kgfs.documents.labelled_links import labelled_links
from kgfs.documents.suggestions.site_names import site_names
from kgfs.documents.suggestions.speakers import speakers
from kgfs.extraction.extractor import extract
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.model import Gazetteer, ParsedDocument

HANDBOOK = {
    "co/README.md": "# 9lanterns Employee Handbook\n\nWelcome. This is how we work at 9lanterns.\n",
    "co/tools.md": (
        "# Tools\n\nWe use [Quillbox](https://quillbox.io) to review each change. We rely on Google Docs for plans.\n"
    ),
    "co/pay.md": "# Pay\n\nWe would use Dunmail if we had it. When you travel, tell us.\n",
    "other/diary.md": "# Diary\n\nWe use Google Docs to plan our garden.\n",
}


def parsed(files: dict[str, str]) -> list[ParsedDocument]:
    found = []
    for path, text in files.items():
        document = parse_document(text.encode(), path)
        document.path = path
        found.append(document)
    return found


def known(documents: list[ParsedDocument]) -> Gazetteer:
    return make_gazetteer(stated_names(document) for document in documents)


def uses(document: ParsedDocument, gazetteer: Gazetteer) -> set[tuple[str, str]]:
    found = extract(document, gazetteer)
    names = [entity.name for entity in found.entities]
    return {
        (names[one.subject], names[one.object]) for one in found.facts if one.type == "USES" and one.object is not None
    }


@pytest.mark.parametrize(
    ("link", "kind"),
    [
        ("[Quillbox](https://quillbox.io)", "site"),
        ("[**Quillbox**](https://www.quillbox.co.uk/pricing?x=1)", "site"),
        ("[Lamp Post](https://app.lamppost.com/home)", "site"),
        ("[Orrery](https://getorrery.com)", "site"),
        ("[Harbour Trust](https://www.harbourtrust.gov/)", "official site"),
        ("[TQRS](https://tqrs.com)", "official site"),
        ("an engineer at [Quillbox](https://quillbox.io)", "official site"),
        ("Company: [Quillbox](https://quillbox.io)", "official site"),
        ("what is hosted at [Quillbox](https://quillbox.io)", "site"),
        ("[quillbox](https://quillbox.io)", ""),
        ("[this page](https://quillbox.io)", ""),
        ("[Settings](https://quillbox.io/settings)", ""),
        ("[Docs](https://docs.quillbox.io)", ""),
        ("[Quillbox.io](https://quillbox.io)", ""),
        ("[Section 508](https://section508.gov)", ""),
        ("[Example](https://example.com)", ""),
        ("![Quillbox](https://quillbox.io)", ""),
        ("[Quillbox](../quillbox.md)", ""),
    ],
)
def test_a_link_to_the_site_of_a_name(link: str, kind: str) -> None:
    text = f"See {link} for more."
    assert [term.kind for term in site_names(text, labelled_links(text))] == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        ("9lanterns Employee Handbook", "", ["9lanterns"]),
        ("The Quillbox Handbook", "", ["Quillbox"]),
        ("Employee Handbook", "", []),
        ("Editing the Handbook", "", []),
        ("Quillbox’s Playbook", "", ["Quillbox"]),
        ("", "At qbx, we write in lower case.", ["qbx"]),
        ("", "At Quillbox, we review each change.", ["Quillbox"]),
        ("", "This is how we work at Lamp Post.", ["Lamp Post"]),
        ("", "How we use mail at Quillbox to write.", ["Quillbox"]),
        ("", "We meet at 9am. At Home, we sleep. We eat at Noon.", []),
        ("", "He was at Quillbox when they left.", []),
    ],
)
def test_who_we_are(title: str, text: str, names: list[str]) -> None:
    assert [term.name for term in speakers(title, text)] == names


def test_we_are_those_of_the_folder() -> None:
    documents = parsed(HANDBOOK)
    gazetteer = known(documents)
    assert [(one.name, one.folder) for one in gazetteer.speakers] == [("9lanterns", "co")]
    assert {(one.name, one.type) for one in gazetteer.entries} >= {
        ("9lanterns", "Organization"),
        ("Quillbox", "Product"),
    }


def test_two_who_say_we_in_one_folder_are_nobody() -> None:
    texts = {
        "a.md": "At Quillbox, we write. At Quillbox, we read.",
        "b.md": "At Lampwork, we sing. At Lampwork, we act.",
    }
    assert known(parsed(texts)).speakers == []
    assert [one.name for one in known(parsed({"a.md": texts["a.md"] * 2})).speakers] == ["Quillbox"]


def test_some_who_are_seldom_we_do_not_count() -> None:
    texts = {f"{number}.md": "At Quillbox, we write. At Quillbox, we read." for number in range(3)}
    once = {f"{name}.md": f"At {name}, we sing." for name in ("Lampwork", "Dunmail", "Orrery")}
    assert [one.name for one in known(parsed(texts | once)).speakers] == ["Quillbox"]


@pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")
def test_what_we_use() -> None:
    documents = parsed(HANDBOOK)
    gazetteer = known(documents)
    said = {document.path: uses(document, gazetteer) for document in documents}
    assert said == {
        "co/README.md": set(),
        "co/tools.md": {("9lanterns", "Quillbox"), ("9lanterns", "Google Docs")},
        "co/pay.md": set(),
        "other/diary.md": set(),
    }


@pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I am a research fellow at the University of Turin.", {"Lucia Marchetti WORKS_FOR University of Turin"}),
        ("In 2021, I joined Acme Corporation.", {"Lucia Marchetti JOINED Acme Corporation"}),
        ("My name is Hana Suzuki. I joined Acme Corporation in 2021.", {"Hana Suzuki JOINED Acme Corporation"}),
        (
            "## Hana Suzuki\n\nI joined Acme Corporation in 2021.\n\nHana Suzuki sails.",
            {"Hana Suzuki JOINED Acme Corporation"},
        ),
        ("> I joined Acme Corporation in 2021.", set()),
        ("If I had joined Acme Corporation, she said, it might have grown.", set()),
    ],
)
def test_who_says_i(text: str, facts: set[str]) -> None:
    document = parse_document(f"---\nauthor: Lucia Marchetti\n---\n\n# Ten years\n\n{text}\n".encode(), "a.md")
    found = extract(document)
    names = [entity.name for entity in found.entities]
    said = {f"{names[one.subject]} {one.type} {names[one.object]}" for one in found.facts if one.object is not None}
    assert {one for one in said if " WROTE " not in one} == facts


@pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")
@pytest.mark.parametrize(
    ("sentence", "tool"),
    [
        ("Slack is our main chat tool.", "Slack"),
        ("Our issue tracker is Jira.", "Jira"),
        ("Jira is the tool we use to track time.", "Jira"),
        ("Our pension provider is Aviva Group.", "Aviva Group"),
        ("Slack is our customers' main chat tool.", ""),
        ("Slack is not our main chat tool.", ""),
        ("Slack is the main chat tool of others.", ""),
    ],
)
def test_what_is_called_ours(sentence: str, tool: str) -> None:
    documents = parsed({**HANDBOOK, "co/chat.md": f"# Chat\n\nWe at 9lanterns talk.\n\n{sentence}\n"})
    found = uses(documents[-1], known(documents))
    assert found == ({("9lanterns", tool)} if tool else set())


def test_a_site_of_its_own_makes_no_body_of_a_format() -> None:
    linked = "See [JSON](https://json.org), [Uber](https://uber.com) and [TQRS](https://tqrs.com)."
    found = {one.name: one.type for one in known(parsed({"a.md": linked, "b.md": linked})).entries}
    assert found == {"JSON": "Technology", "Uber": "Organization", "TQRS": "Organization"}


def test_ordinary_words_do_not_speak() -> None:
    assert [one.name for one in known(parsed({"a.md": "At qbx we write. " * 3})).speakers] == ["qbx"]
    for word in ("lunch", "once", "work", "night"):
        assert known(parsed({"a.md": f"At {word} we talk. " * 3})).speakers == []


@pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")
@pytest.mark.parametrize(
    ("sentence", "used"),
    [
        ("Book your leave in [Quillbox](https://quillbox.io).", True),
        ("Receipts can be uploaded via Quillbox when you are back.", True),
        ("All bills must be processed in Quillbox.", True),
        ("Ask in the `#lamps` Quillbox channel.", True),
        ("Each employee sends their bills through Quillbox.", True),
        ("Pictures are on our Quillbox account.", True),
        ("See the 9lanterns Quillbox workspace for pictures.", True),
        ("We have an account with Quillbox.", True),
        ("If the form is signed, People Ops will send a letter through Quillbox.", True),
        ("If the form is signed, Redbarn will send a letter through Quillbox.", False),
        ("We might post our plans on Quillbox.", False),
        ("You can check your bill through Quillbox.", False),
        ("Ask them to add us on Quillbox.", False),
        ("Customers send their bills through Quillbox.", False),
        ("See the Redbarn Quillbox workspace for pictures.", False),
        ("Do not store anything in Quillbox.", False),
        ("Would you record it in Quillbox?", False),
        ("Our clients track their work in Quillbox.", False),
        ("Quillbox can be read about in the news.", False),
        ("Lampwork is for managing programs that run on Quillbox.", False),
        ("Read about our plans in London.", False),
    ],
)
def test_what_is_done_in_a_tool(sentence: str, used: bool) -> None:
    tools = {"co/tools.md": "# Tools\n\nSee [Quillbox](https://quillbox.io).\n"}
    documents = parsed(HANDBOOK | tools | {"co/leave.md": f"# Leave\n\n{sentence}\n"})
    found = uses(documents[-1], known(documents))
    assert found == ({("9lanterns", "Quillbox")} if used else set())


@given(st.text(alphabet="[]()WeAat Qx./:h\n", max_size=200), st.text(max_size=60))
def test_any_text_is_read(text: str, title: str) -> None:
    for term in (*site_names(text, labelled_links(text)), *speakers(title, text)):
        assert term.weight > 0 and term.name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We offer all Tarn Works, Inc. team members unlimited time off.", ["Tarn Works, Inc."]),
        ("Ask us before you start working at Tarn Works.", ["Tarn Works"]),
        ("When you leave Tarn Works, you keep your laptop. We pay for it.", ["Tarn Works"]),
        ("We pay US-based team members in dollars, and Full-time employees monthly.", []),
        ("She left Tarn Works and its employees.", []),
        ("At rTarn, we review. All rTarn staff like our packages.", ["rTarn"]),
        ("We met the xxTarn staff.", []),
    ],
)
def test_employers(text: str, names: list[str]) -> None:
    assert [term.name for term in speakers("", text)] == names


ROW = """# Nominations

<table>
  <tr>
   <td>Hana Suzuki
   </td>
   <td>Company: Acme Corporation
   </td>
   <td>I have sailed for long. I am co-creator and maintainer of Kubernetes, a tool. {}
   </td>
  </tr>
  <tr>
   <td>Bob Baker
   </td>
   <td>Much was done, too. He is a maintainer of Django.
   </td>
  </tr>
</table>
"""


@pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")
@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("I currently serve as Co-Chair of the Royal Society.", {"Hana Suzuki LEADS Royal Society"}),
        ("I am a Royal Society member.", {"Hana Suzuki MEMBER_OF Royal Society"}),
        ("I will be a member of the Royal Society.", set()),
        ("She said that I am a member of the Royal Society.", set()),
    ],
)
def test_a_row_of_a_table_is_about_one_person(text: str, more: set[str]) -> None:
    found = extract(parse_document(ROW.format(text).encode(), "nominations.md"))
    names = [entity.name for entity in found.entities]
    said = {f"{names[one.subject]} {one.type} {names[one.object]}" for one in found.facts if one.object is not None}
    assert said == {"Hana Suzuki MAINTAINS Kubernetes", "Bob Baker MAINTAINS Django"} | more


def test_our_investor_and_a_name_with_a_full_stop() -> None:
    book = {
        "co/README.md": "# Handbook\n\nThis is for all Tarn Works, Inc. team members. We like lamps.\n",
        "co/pay.md": "# Pay\n\nWe offer all Tarn Works, Inc. employees time off. At Tarn Works, Inc. we rest.\n",
        "co/money.md": "# Money\n\nOur investor is Ann Lee, who sails. Tarn Works, Inc. uses Kubernetes to count.\n",
    }
    documents = parsed(book)
    found = extract(documents[-1], known(documents))
    names = [entity.name for entity in found.entities]
    said = {f"{names[one.subject]} {one.type} {names[one.object]}" for one in found.facts if one.object is not None}
    assert {"Ann Lee INVESTED_IN Tarn Works, Inc.", "Tarn Works, Inc. USES Kubernetes"} <= said


def test_our() -> None:
    documents = parsed(HANDBOOK | {"co/money.md": "# Money\n\nOur investor is Ann Lee. Our bank is Harbour Trust.\n"})
    found = extract(documents[-1], known(documents))
    names = [entity.name for entity in found.entities]
    assert ("9lanterns", "USES", "Harbour Trust") in {
        (names[one.subject], one.type, names[one.object]) for one in found.facts if one.object is not None
    }
