"""Facts out of minutes and meeting notes: who was there and as what, who led, what was moved, decided and given to whom."""

# Minutes stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.meeting_notes.action_items import due_date, read_motion, read_task, task_name
from kgfs.extraction.facts.meeting_notes.attendees import Attendee, person_name, read_entry, read_names
from kgfs.extraction.facts.meeting_notes.meeting_names import meeting_name
from kgfs.extraction.names.tagging import has_tagger
from kgfs.model import Extraction, FactCandidate

TITLE = "# Harbour Committee Meeting 2024-03-05\n\n"
TWO = "## Present\n\n- Dana Poe (Chair)\n- Lee Roe @lroe\n\n"
HELD = "Harbour Committee Meeting 2024-03-05"


def read(text: str, name: str = "notes.md") -> tuple[Extraction, list[FactCandidate]]:
    """What the rules for meetings make of a text; each quote stands in its chunk."""
    document = parse_document(text.encode(), name)
    found, rules = extract_by_rule(document, None, "patterns")
    facts = [fact for fact, rule in zip(found.facts, rules, strict=True) if rule.startswith("meetings.")]
    for fact in facts:
        chunk = document.chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote and fact.quote
    return found, facts


def said(text: str, name: str = "notes.md") -> set[str]:
    found, facts = read(text, name)
    names = [entity.name for entity in found.entities]
    lines = set()
    for fact in facts:
        other = names[fact.object] if fact.object is not None else repr(fact.object_text)
        lines.add(f"{names[fact.subject]} {fact.type} {other}" + (f" as {fact.role}" if fact.role else ""))
    return lines


def there(*names: str) -> set[str]:
    return {f"{name} PARTICIPATED_IN {HELD}" for name in names}


def test_who_speaks_was_there() -> None:
    spoken = "## Releases\n\n- @dpoe: we should wait\n- **@lroe:** I agree\n- @dpoe: good\n\n"
    assert said(f"{TITLE}{spoken}## Actions\n\n- @mfox: open the issue\n") == there("@dpoe", "@lroe")
    assert said(f"{TITLE}## Releases\n\n- @dpoe: we should wait\n- we wait\n") == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        # one an item: with a role, a handle, letters, a link, where somebody is from
        ("## Present\n\n* Dana Poe @dpoe (voting member)\n* Lee Roe (@lroe)\n* MF: Max Fox\n* [Ann Lu](https://x.org) - Treasurer\n* Ivo Kern (Acme Ltd)\n",
         there("Lee Roe", "Max Fox", "Ivo Kern") | {f"Dana Poe PARTICIPATED_IN {HELD} as voting member", f"Ann Lu PARTICIPATED_IN {HELD} as Treasurer"}),
        # names in a line, a role behind a comma, more labels in the line, a line that goes on
        ("Present: Dana Poe, Treasurer, Lee Roe and Max Fox. Apologies: Ann Lu.\n",
         there("Lee Roe", "Max Fox") | {f"Dana Poe PARTICIPATED_IN {HELD} as Treasurer", f"Ann Lu ABSENT_FROM {HELD}"}),
        ("**Attendees:** Dana Poe, Lee\n  Roe, Max Fox\n", there("Dana Poe", "Lee Roe", "Max Fox")),
        ("Present: Cllrs. D Poe (Chair), L. Roe & M Fox; Cllr Hill\n",
         there("L. Roe", "M Fox", "Cllr Hill") | {f"D Poe PARTICIPATED_IN {HELD} as Chair"}),
        ("**Steering Attendees**:\n\n* Dana Poe (@dpoe)\n* Lee Roe\n\n**Topics**\n\n* Max Fox\n", there("Dana Poe", "Lee Roe")),
        ("Hello! Sign in below so that we know who was here. Roll call:\n\n- name / institution / handle\n- Dana Poe / Acme / @dpoe\n- Lee Roe | Umbrella | @lroe\n", there("Dana Poe", "Lee Roe")),
        # handles alone
        ("## Participants\n\n- @dpoe\n- [@lroe](https://x.org/lroe)\n- _@mfox_\n- max\n", there("@dpoe", "@lroe", "@mfox")),
        # a paragraph behind a list of items is no name
        ("Attendees:\n- Dana Poe\n- Lee Roe\n\nRoot Cause Analysis\nThe lamp went out.\n", there("Dana Poe", "Lee Roe")),
        # groups beneath, absent ones, ticks
        ("## Attendance\n\n**Members:**\n- Dana Poe\n- Lee Roe\n\n**Guests:**\n- Max Fox\n\n## Absent\n\n- Ann Lu\n- None\n",
         there("Dana Poe", "Lee Roe") | {f"Max Fox PARTICIPATED_IN {HELD} as guests", f"Ann Lu ABSENT_FROM {HELD}"}),
        ("## Voting member attendance\n\n[x] Dana Poe - Acme Inc\n[ ] Ann Lu - Orm\n[x] Lee Roe - Tarn\n", there("Dana Poe", "Lee Roe")),
        ("## Attendees\n\n- [x] Dana Poe\n- [ ] Ann Lu\n- [x] Lee Roe\n- [ ] ~~Max Fox~~\n", there("Dana Poe", "Lee Roe")),
        ("- Members present: Dana Poe, Lee Roe\n- Invited: Max Fox\n", there("Dana Poe", "Lee Roe") | {f"Max Fox INVITED_TO {HELD}"}),
        ("Board members in attendance were:\n\n- Dana Poe\n- Lee Roe\n\nAlso in attendance:\n- Max Fox (Assistant to Treasurer)\n",
         there("Dana Poe", "Lee Roe") | {f"Max Fox PARTICIPATED_IN {HELD} as Assistant to Treasurer"}),
        # tables
        ("## Attendees\n\n| Name | Role |\n|---|---|\n| Dana Poe | Chair |\n| Lee Roe | Scribe |\n",
         {f"Dana Poe PARTICIPATED_IN {HELD} as Chair", f"Lee Roe PARTICIPATED_IN {HELD} as Scribe"}),
        ("| Name | Company | Present |\n|---|---|---|\n| Dana Poe | Acme | Yes |\n| Lee Roe | Acme | x |\n| Ann Lu | Acme | No |\n| Max Fox | Acme | Regrets |\n",
         there("Dana Poe", "Lee Roe") | {f"Max Fox ABSENT_FROM {HELD}"}),
        # who led, who wrote; an office tells more than the list
        (TWO + "Facilitator: Lee Roe\nScribe: Dana Poe\n",
         there("Lee Roe") | {f"Lee Roe LEADS {HELD} as facilitator", f"Dana Poe PARTICIPATED_IN {HELD} as note taker"}),
        (TWO + "The meeting was chaired by Dana Poe.\n",
         there("Lee Roe") | {f"Dana Poe PARTICIPATED_IN {HELD} as Chair", f"Dana Poe LEADS {HELD} as chair"}),
        ("Staff present: City Manager Dana Poe, Finance Director Lee Roe, Max, and Ann (Data).\n",
         {f"Dana Poe PARTICIPATED_IN {HELD} as City Manager", f"Lee Roe PARTICIPATED_IN {HELD} as Finance Director"}),
        # nobody: handles and first names alone, bodies, firms, placeholders, one name only, a text about meetings
        ("## Present\n\n- @dpoe\n- Dana\n- Working Group\n- Acme Corporation\n- TBD\n- [Name], [Title]\n", set()),
        ("## Present\n\n- Dana Poe\n", set()),
        ("Attendees: Product Owner, Scrum Master, Development Team\n", set()),
        ("The attendees should be Dana Poe and Lee Roe next time.\n", set()),
        ("## Next attendees\n\n- Dana Poe\n- Lee Roe\n", set()),
        ("## Present\n\n- Dana Poe (regrets)\n- Lee Roe - absent\n- Max Fox (tentative)\n", set()),
    ],
)  # fmt: skip
def test_attendance(text: str, facts: set[str]) -> None:
    assert said(TITLE + text) == facts


def given(text: str) -> set[str]:
    """What is said besides who was there."""
    return {line for line in said(TITLE + TWO + text) if " PARTICIPATED_IN " not in line}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Action: Lee to send the survey to all customers\n", {"send the survey to all customers ASSIGNED_TO Lee Roe"}),
        ("- **Action item:** @lroe will file the report\n", {"file the report ASSIGNED_TO Lee Roe"}),
        ("AI: Dana, Lee to call the bank tomorrow\n", {"call the bank tomorrow ASSIGNED_TO Dana Poe", "call the bank tomorrow ASSIGNED_TO Lee Roe"}),
        ("## Action items\n\n- Dana: book the room\n- write the minutes up - Owner: Max Fox - Due: 2024-04-01\n- publish the press release (Lee)\n- Somebody should sweep the floor\n",
         {"book the room ASSIGNED_TO Dana Poe", "write the minutes up ASSIGNED_TO Max Fox", "publish the press release ASSIGNED_TO Lee Roe"}),
        ("- [ ] call the bank about the loan (Dana, 12 March)\n- [x] @lroe pay the rent\n- [ ] sweep the floor\n",
         {"call the bank about the loan ASSIGNED_TO Dana Poe", "pay the rent ASSIGNED_TO Lee Roe"}),
        ("| Action | Owner | Due |\n|---|---|---|\n| Draft the press release | Lee Roe | 2024-07-01 |\n| Fix the tap | the plumber | |\n",
         {"Draft the press release ASSIGNED_TO Lee Roe"}),
        # a long task, or one that points elsewhere, is no name
        ("Action: Lee to follow up on this\n", {"Lee Roe RESPONSIBLE_FOR 'follow up on this'"}),
        # nobody has it, or nobody who is known
        ("Action: the Executive Council to vote at the next meeting\n", set()),
        ("Action: Release Notes to be written\n", set()),
        ("Lee will send the survey to all customers.\n", set()),
        ("Action: none\n", set()),
        # motions and decisions
        ("Motion: to approve the budget for 2025. Moved by Dana Poe, seconded by Lee Roe. Carried.\n",
         {"Dana Poe PROPOSED 'to approve the budget for 2025'", "Lee Roe SECONDED 'to approve the budget for 2025'", f"{HELD} DECIDED 'to approve the budget for 2025'"}),
        ("**Motion:** To buy two benches for the green.\n- **Moved by:** Dana Poe\n- **Seconded by:** Lee Roe\n",
         {"Dana Poe PROPOSED 'To buy two benches for the green'", "Lee Roe SECONDED 'To buy two benches for the green'"}),
        ("It was proposed by Mr D. Hill and seconded by Lee Roe that the fence be mended. Not carried.\n",
         {"D. Hill PROPOSED 'that the fence be mended'", "Lee Roe SECONDED 'that the fence be mended'"}),
        ("Dana moved to accept the accounts for 2018 and Lee seconded. Motion carried.\n",
         {"Dana Poe PROPOSED 'to accept the accounts for 2018'", "Lee Roe SECONDED 'to accept the accounts for 2018'", f"{HELD} DECIDED 'to accept the accounts for 2018'"}),
        ("Decision: we move the database to the new cluster\n", {f"{HELD} DECIDED 'we move the database to the new cluster'"}),
        ("## Decisions\n\n- Expand to Canada in the third quarter\n- Hire a new auditor?\n- [Hiring an auditor](https://x.org/1)\n", {f"{HELD} DECIDED 'Expand to Canada in the third quarter'"}),
        ("## Grants approved\n\n- Chess Club: €500\n- None\n", {f"{HELD} APPROVED 'Chess Club: €500'"}),
        ("Motion was made by Dana Poe, seconded by Lee Roe, to adopt the agenda. With all in favor, the motion carried.\n",
         {"Dana Poe PROPOSED 'to adopt the agenda'", "Lee Roe SECONDED 'to adopt the agenda'", f"{HELD} DECIDED 'to adopt the agenda'"}),
        ("- Decision: [Hiring an auditor](https://x.org/1)\n", set()),
        ("Dana moved to Berlin last year.\n", set()),
    ],
)  # fmt: skip
def test_tasks_motions_and_decisions(text: str, facts: set[str]) -> None:
    assert given(text) == facts


def test_status_and_dates() -> None:
    text = "- [ ] call the bank (Dana, 12 March)\n- [x] pay the rent (Dana)\n- [ ] sweep the yard (Lee, 1 February)\n"
    found, facts = read(TITLE + TWO + text)
    tasks = {found.entities[fact.subject].name: fact for fact in facts if fact.type == "ASSIGNED_TO"}
    assert {name: (fact.status, fact.date_role, fact.date) for name, fact in tasks.items()} == {
        "call the bank": ("planned", "due", "2024-03-12"),
        "pay the rent": ("stated", "as_of", "2024-03-05"),
        "sweep the yard": ("planned", "as_of", "2024-03-05"),  # eleven months off: no deadline, but a mistake
    }
    meeting = [fact for fact in facts if fact.type == "PARTICIPATED_IN"]
    assert {(fact.date, fact.date_role, fact.status) for fact in meeting} == {("2024-03-05", "happened", "stated")}
    assert all(fact.quote.startswith("## Present") for fact in meeting)
    types = {entity.name: entity.type for entity in found.entities}
    assert (types[HELD], types["Dana Poe"], types["call the bank"]) == ("Event", "Person", "Task")


def test_texts_that_are_not_of_a_meeting() -> None:
    for title in ("# How to run a meeting", "# Agenda 2024-03-05", "# Meeting template", "# Apple cake"):
        assert said(f"{title}\n\n{TWO}Action: Dana to bake a cake\n", "page.md") == set()


def test_several_meetings_in_a_text() -> None:
    text = "# Harbour Committee\n\n## 2024-03-05\n\nPresent: Dana Poe, Lee Roe\n\n## 2024-04-02\n\nPresent: Dana Poe\n"
    assert said(text, "committee meetings.md") == {
        "Dana Poe PARTICIPATED_IN Harbour Committee meeting 2024-03-05",
        "Lee Roe PARTICIPATED_IN Harbour Committee meeting 2024-03-05",
        "Dana Poe PARTICIPATED_IN Harbour Committee meeting 2024-04-02",
    }


def test_plain_text_with_lists_set_in() -> None:
    text = (
        "\n        The Harbour Foundation\n\n     Board of Directors Meeting Minutes\n\n          May 15, 2019\n\n2. Roll Call\n\n"
        "    Directors Present:\n\n      Jane Bowen\n      Craig L Russ\n\n    Directors Absent:\n\n      none\n\n    Guests:\n\n      Sally Khuda\n\n3. Other\n"
    )
    held = "The Harbour Foundation meeting 2019-05-15"
    assert said(text, "board_minutes_2019_05_15.txt") == {
        f"Jane Bowen PARTICIPATED_IN {held}",
        f"Craig L Russ PARTICIPATED_IN {held}",
        f"Sally Khuda PARTICIPATED_IN {held} as guests",
    }


def test_names_of_ordinary_words() -> None:
    """``Josh Stone`` is somebody among others on a list, ``Red Hat`` alone with one is not."""
    if not has_tagger():
        pytest.skip("needs a model of spaCy")
    for people, found in (
        ("Xavier Quill, Ottoline Rusk, Chuck Stone", {"Xavier Quill", "Ottoline Rusk", "Chuck Stone"}),
        ("Xavier Quill, Red Hat, Open Source", set()),
    ):
        document = parse_document(f"{TITLE}Present: {people}\n".encode(), "notes.md")
        extraction, rules = extract_by_rule(document, None, "spacy")
        pairs = zip(extraction.facts, rules, strict=True)
        assert {extraction.entities[fact.subject].name for fact, rule in pairs if rule.startswith("meetings.")} == found


def test_bad_input() -> None:
    """No text is slow or an error: many labels, no name, a line of ten thousand names, an open bracket."""
    names = ", ".join(f"Dana Poe{'x' * (number % 7)}" for number in range(10_000))
    for text in (
        "Present:\n" * 500,
        f"Present: {names}\n",
        "Present: (Dana Poe, [Lee Roe\n",
        "| Name | Present |\n| a\n",
        "- [ ] (\n" * 400,
        f"{TWO}Action: Dana to {'go ( and ' * 30_000}\n",
        f"{TWO}Dana moved to {'a b ' * 400}\n" * 50,
    ):
        read(TITLE + text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Jane Doe", "Jane Doe"), ("Jane van der Doe", "Jane van der Doe"), ("Dr. Jane Doe", "Jane Doe"),
        ("Sheena O'Connell", "Sheena O'Connell"), ("J. S. Choi", "J. S. Choi"), ("Mayor Tierney", "Mayor Tierney"),
        ("Cllrs Tarry", ""), ("Jane", ""), ("jane doe", ""), ("Acme Ltd", ""), ("Board Members", ""), ("JANE DOE", ""),
        ("Jane Doe 2", ""), ("University of Bergen", ""), ("Jane D", ""), ("Jane Is Here Now And Then", ""),
    ],
)  # fmt: skip
def test_names_of_persons(text: str, name: str) -> None:
    assert person_name(text, tagged=False) == name


def test_entries() -> None:
    assert read_entry("@jdoe Jane Doe (CPC rep)") == Attendee("Jane Doe", "CPC rep", "jdoe")
    assert read_entry("Rod Vagg (TSC)") == Attendee("Rod Vagg", letters="TSC")
    assert read_entry("Jane Doe (joined at 10:05)") == Attendee("Jane Doe")
    assert [one.name for one in read_names("Jane Doe (late, from 10), Bob Ray; and Eve Lu")] == [
        "Jane Doe",
        "Bob Ray",
        "Eve Lu",
    ]
    assert read_names("we had a long talk, then lunch, and Jane Doe left") == []


def test_words_of_tasks_and_motions() -> None:
    task = read_task("Maria will review the vendors by 15 October 2024", labelled=True)
    assert task is not None and (task.who, task.text, task.due) == (["Maria"], "review the vendors", "15 October 2024")
    assert read_task("review the vendors (Maria)", labelled=False) is not None
    assert read_task("Maria will review the vendors", labelled=False) is None
    assert task_name("review the vendors") == "review the vendors"
    assert task_name("do it now") == task_name("review") == task_name("see https://x.org") == ""
    assert due_date("1 April", "2024-03-05") == "2024-04-01"
    assert due_date("Friday", "2024-03-05") is due_date("1 April", "") is None
    assert read_motion("Lee moved house") is None


@pytest.mark.parametrize(
    ("title", "path", "date", "name"),
    [
        ("TSC Meeting 2024-03-06", "2024-03-06.md", "2024-03-06", "TSC Meeting 2024-03-06"),
        ("Minutes of the Council held on 14th May, 2019", "a.md", "2019-05-14", "Minutes of the Council held on 14th May, 2019"),
        ("QA Working Group", "qa/2020-04-08.md", "2020-04-08", "QA Working Group meeting 2020-04-08"),
        ("Date: 2019-09-26", "wg-api/meeting-notes/2019-09-26.md", "2019-09-26", "wg-api meeting 2019-09-26"),
        ("2022-meeting-notes", "committee/meeting-notes-archive/2022.md", "2022-12-19", "committee meeting 2022-12-19"),
        ("201808-201902 Community Meeting", "a.md", "2019-02-07", "Community Meeting 2019-02-07"),
        ("Meeting minutes", "notes.md", "", ""),
        ("Board meeting minutes", "notes.md", "2024-06-15", "Board meeting 2024-06-15"),
        ("Implementers Call 53 Notes", "call_053.md", "", "Implementers Call 53"),
        ("March 26 | Lamp Project Bi-Weekly", "2026/lamp-03-26.md", "2026-03-26", "Lamp Project Bi-Weekly meeting 2026-03-26"),
    ],
)  # fmt: skip
def test_names_of_meetings(title: str, path: str, date: str, name: str) -> None:
    assert meeting_name(title, path, date) == name
