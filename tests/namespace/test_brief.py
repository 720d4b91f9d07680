"""``@brief``: what is chosen, what fits, and that nothing is said twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.errors import KgfsError, QueryError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import brief_text
from kgfs.namespace.queries.asked_kinds import asked_kinds
from kgfs.namespace.queries.brief import LEAST, LIMIT, MOST, compose
from kgfs.namespace.queries.brief_passages import passages as passages_of
from kgfs.namespace.queries.brief_passages import taking_turns
from kgfs.namespace.queries.brief_text import (
    Brief,
    EntityNote,
    FactNote,
    PassageNote,
    RelationNote,
    excerpt,
    fitting,
    unwrapped,
    written,
)
from kgfs.search import support
from kgfs.search.query import LegRank, SearchAnswer, SearchHit, SearchRequest
from kgfs.store.catalog.database import Cursor, Database
from tests.graph_builder import build
from tests.namespace.drivers import NamespaceDriver, opened


class FixedSearcher:
    """Gives some chunks, or facts, best first, as a search in a scope would."""

    def __init__(self, chunks: list[int], backed: float = 1.0, mode: str = "hybrid", facts: Sequence[int] = ()) -> None:
        self.chunks, self.backed, self.mode, self.facts = chunks, backed, mode, facts
        self.asked: list[SearchRequest] = []

    def search(self, asked: SearchRequest) -> SearchAnswer:
        self.asked.append(asked)
        (kind,) = asked.kinds
        within = None if asked.within is None else asked.within[kind]
        hits = [
            SearchHit(kind=kind, id=chunk, score=0.9 * self.backed, legs={}, snippet="")
            for chunk in (self.chunks if kind == "chunk" else self.facts)
            if within is None or chunk in within
        ]
        return SearchAnswer(hits=hits[: asked.limit], backed=self.backed, mode=self.mode, milliseconds=1.0)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    place = tmp_path_factory.mktemp("brief") / "store"
    with build(place, entities=30, documents=12, chunks_a_document=3, topics=4) as built:
        yield built


_FACT = r"^- .* \[chunks/\S+:\d+\]$"


def brief(tree: Namespace, found: FixedSearcher, question: str, place: str = "", limit: int = LIMIT) -> str:
    return compose(tree, tree.store, found.search, tree.resolve(place), question, limit).text


def test_it_has_entities_facts_and_passages(database: Database) -> None:
    tree = opened(database)
    slug = "Organization_number_6"
    name = slug.replace("_", " ")
    text = brief(tree, FixedSearcher([5, 1, 9]), f"Who partnered with {name}?")
    assert text.startswith(f"# Who partnered with {name}?\n\n## {name} (Organization)\n")
    assert f"\nentities/organizations/{slug}\n" in text
    paths = re.findall(r"^(chunks/\S+) [(]lines? \d+", text, re.M)
    assert [tree.resolve(path) for path in paths] and len(paths) == len(set(paths)) == 3
    places = re.findall(r"^- .* \[(chunks/\S+):\d+\]$", text, re.M)
    assert places and all(tree.resolve(path) for path in places)
    assert "one hop on)" in text
    for row, body in database.fetch("SELECT id, text FROM chunks WHERE id IN (1, 5, 9)"):
        last = body.rstrip("\n").splitlines()[-1]
        assert last in text, row


def test_what_a_shown_passage_says_is_not_said_again(database: Database) -> None:
    tree = opened(database)
    entity, chunk = database.fetch("SELECT subject_id, chunk_id FROM facts WHERE chunk_id > 0 ORDER BY id")[0]
    ((name,),) = database.fetch("SELECT name FROM entities WHERE id = ?", [entity])
    other = next(row for (row,) in database.fetch("SELECT id FROM chunks ORDER BY id") if row != chunk)
    shown, hidden = (brief(tree, FixedSearcher([one]), f"What is {name}?", limit=MOST) for one in (chunk, other))
    passage = re.search(r"^(chunks/\S+) [(]line", shown, re.M)
    assert passage is not None
    assert f"[{passage[1]}:" not in shown and f"[{passage[1]}:" in hidden


def test_places_and_options(database: Database) -> None:
    found = FixedSearcher(list(range(1, 30)))
    tree = opened(database, searcher=found)
    driver = NamespaceDriver(tree)
    for place in (
        "",
        "documents/note_1/",
        "entities/organizations/Organization_number_6/",
        "topics/topic_1/",
        "facts/",
    ):
        text = driver.read(f"{place}@brief/wages").decode()
        assert len(text) <= LIMIT and driver.lstat(f"{place}@brief/wages").size == len(text.encode())
        if "note_1" in place:
            assert set(re.findall(r"^chunks/by_document/([^/]+)/", text, re.M)) == {"note_1"}
        if "number_6" in place:
            assert "## Organization number 6 (Organization)" in text
    short, long = (driver.read(f"@brief/limit={limit}/wages").decode() for limit in (700, 20_000))
    assert len(short) <= 700 < len(long) <= 20_000
    assert set(driver.listdir("@brief")) == {"_usage.txt"}
    for bad in ("limit=x", f"limit={LEAST - 1}", "limit=999999999", "limit="):
        with pytest.raises(OSError):
            driver.read(f"@brief/{bad}/wages")
    for bad in ("?", " ", "..."):
        with pytest.raises(KgfsError):
            brief(tree, found, bad)


@pytest.mark.parametrize(
    "question",
    ["word " * 1000, "the of and", "Τι είναι η Ελλάδα;", "人工智能", "🙂", "a/b\n'\"$(x)\x1b[31m", "x" * 5000],
)
def test_odd_questions(database: Database, question: str) -> None:
    tree = opened(database)
    for limit in (LEAST, LIMIT):
        text = brief(tree, FixedSearcher([1, 2, 3, 4, 5]), question, limit=limit)
        assert text and len(text) <= limit and "\x1b" not in text.split("\n")[0]
    assert brief(tree, FixedSearcher([]), question) == ""


def test_it_says_what_it_is_worth(database: Database) -> None:
    tree = opened(database)
    text = brief(
        tree, FixedSearcher([1, 5, 9, 12, 15], backed=support.LEAST, mode="keyword, model loading"), "zzzzqqqq xyzzy"
    )
    assert "Nothing here seems to answer this" in text and "Found by keyword, model loading." in text
    assert text.count("### ") <= 3


# --- what fits ------------------------------------------------------------------------------------------------------


def note(number: int, text: str, title: str = "Title") -> PassageNote:
    path = f"chunks/by_document/d{number}/chunk_0001/content.txt"
    return PassageNote((number,), number, f"{title} {number}", path, 1, text.count("\n") + 1, text, 0.9, True)


def test_passages_stay_whole_as_long_as_they_fit() -> None:
    passages = [note(1, "wages " * 50), note(2, "long words here\n\n" * 2000 + "wages rose in Boston"), note(3, "end")]
    chosen = fitting(passages, "wages in Boston", 6000)
    assert [each.document for each in chosen] == [1, 2, 3]
    assert [each.whole for each in chosen] == [True, False, True]
    assert "wages rose in Boston" in chosen[1].text and "[…]" in chosen[1].text


def test_links_to_other_pages_are_shown_by_their_labels() -> None:
    text = (
        "Ask [the team](../teams/who-is-in-the-team.md#leads), see [the form](https://lamps.example/f), [below](#b)\n"
        'and its [rules]({% page "/a/long/way/to/the/rules" %}).\n\n<!-- prettier-ignore -->\n[a]: ../some/else.md\n'
        "[b]: https://lamps.example/b\n"
    )
    (shown,) = fitting([note(1, text)], "team", 6000)
    assert shown.text.splitlines() == [
        "Ask [the team], see [the form](https://lamps.example/f), [below](#b) and its [rules].",
        "",
        "[b]: https://lamps.example/b",
    ]
    quote = "| [Lamps](https://lamps.example)      |   for   *all* |"
    facts = [FactNote("Lamps", "MADE_FOR", "all", "", quote, "facts/a")]
    assert "Lamps MADE_FOR all: | Lamps | for *all* | [facts/a]" in written(
        Brief("q", "hybrid", False, [], [], (), facts), 6000
    )


def test_what_is_not_shown_is_pointed_to() -> None:
    passages = [note(n, "Nobody knows it. " * 60 + f"Wages rose in Boston by {n} percent.") for n in range(9)]
    text = written(Brief("wages in Boston", "hybrid", False, [], passages), 6000)
    whole, _, more = text.partition("\n## More passages\n\n")
    shown = whole.count("### ")
    assert 0 < shown < 4 and "percent" in whole
    for n in range(shown, 9):
        assert f"- Title {n}: …" in more and f"Wages rose in Boston by {n} percent. [{passages[n].path}]" in more


def test_passages_that_follow_each_other_are_one(database: Database) -> None:
    """The best has what its section goes on with, too."""
    tree = opened(database)
    places = database.fetch("SELECT id, document_id, ordinal, text FROM chunks ORDER BY document_id, ordinal LIMIT 3")
    first, second, third = (row[0] for row in places)
    assert [row[2] for row in places] == [1, 2, 3] and len({row[1] for row in places}) == 1
    database.write(lambda cursor: cursor.execute("UPDATE chunks SET headings = '[\"A\"]' WHERE id = ?", [first]))
    database.write(lambda cursor: cursor.execute("UPDATE chunks SET headings = '[\"B\"]' WHERE id = ?", [second]))
    database.write(lambda cursor: cursor.execute("UPDATE chunks SET headings = '[\"B\"]' WHERE id = ?", [third]))
    other = database.fetch("SELECT max(id) FROM chunks")[0][0]

    def runs(*hits: int) -> list[tuple[int, ...]]:
        found = [SearchHit(kind="chunk", id=hit, score=0.5, legs={}, snippet="") for hit in hits]
        with database.read(snapshot=True) as cursor:
            return [each.chunks for each in passages_of(cursor, tree.view, found, 10_000)]

    assert runs(first, other) == [(first,), (other,)]  # the next one is of another section
    assert runs(second, other) == [(second, third), (other,)]
    assert runs(third, other, second, first) == [(first, second, third), (other,)]
    assert runs(other, second) == [(other,), (second,)]  # only the best goes on
    assert runs(second, third, other) == [(second, third), (other,)]
    assert runs(first, other, third, second) == [
        (first, second),
        (other,),
        (third,),
    ]  # none is lost where two runs meet


def test_what_a_passage_announces_or_goes_on_with_is_there(tmp_path: Path) -> None:
    """The next passage behind a colon, also where it is not the best; what names a table's columns."""
    with build(tmp_path / "store", entities=30, documents=12, chunks_a_document=3, topics=4) as database:
        rows = database.fetch("SELECT id FROM chunks ORDER BY document_id, ordinal LIMIT 6")
        first, second, third, other, *_ = (row[0] for row in rows)
        texts = {first: "Two lamps:\n", second: "| Lamp | Oil |\n|---|---|\n| A | 1 |\n", third: "| B | 2 |\n"}
        for chunk, text in texts.items():
            database.write(
                lambda cursor, text=text, chunk=chunk: cursor.execute(
                    "UPDATE chunks SET text = ? WHERE id = ?", [text, chunk]
                )
            )
        tree = opened(database)

        def shown(*hits: int) -> list[str]:
            found = [SearchHit(kind="chunk", id=hit, score=0.5, legs={}, snippet="") for hit in hits]
            with database.read(snapshot=True) as cursor:
                return [each.text for each in passages_of(cursor, tree.view, found, 10_000)]

        assert shown(other, first)[1] == texts[first] + texts[second]
        assert shown(other, third)[1] == "| Lamp | Oil |\n" + texts[third]
        assert shown(other, second)[1] == texts[second]


def test_short_pages_that_a_shown_passage_leads_to(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=30, documents=12, chunks_a_document=3, topics=4) as database:
        firm, ann, bob = (row[0] for row in database.fetch("SELECT id FROM documents ORDER BY id LIMIT 3"))

        def change(cursor: Cursor) -> None:
            for document, title, text in (
                (firm, "Tarn Works", "Key people: [[Ann Lee]] and [[Bob Ray]].\n"),
                (ann, "Ann Lee", "Phone: 555 0100\n"),
                (bob, "Bob Ray", "He is on leave.\n"),
            ):
                cursor.execute("UPDATE documents SET title = ?, text_size = 50 WHERE id = ?", [title, document])
                cursor.execute("UPDATE chunks SET text = ? WHERE document_id = ?", [text, document])
            for target in (ann, bob):
                cursor.execute(
                    "INSERT INTO document_links (group_id, document_id, target, target_key, kind, label, target_id)"
                    " VALUES (1, ?, 'x', 'x', 'wikilink', '', ?)",
                    [firm, target],
                )

        database.write(change)
        publish(database)
        tree = opened(database)
        ((chunk,),) = database.fetch("SELECT min(id) FROM chunks WHERE document_id = ?", [firm])
        ((slug,),) = database.fetch("SELECT slug FROM documents WHERE id = ?", [firm])
        text = brief(tree, FixedSearcher([chunk]), "key person of Tarn Works, phone")
        assert "\n- Ann Lee: Phone: 555 0100 [chunks/" in text and "on leave" not in text
        assert "555" not in brief(tree, FixedSearcher([chunk]), "Tarn Works")
        of_drive = compose(
            tree, tree.store, FixedSearcher([chunk]).search, tree.resolve(""), "key person, phone", origin="notes"
        )
        assert of_drive.text and "555" not in of_drive.text
        assert "555" not in brief(tree, FixedSearcher([chunk]), "key person, phone", f"documents/{slug}")


def test_of_what_all_texts_are_about_a_fact_has_two_words_of_the_question(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=30, documents=12, chunks_a_document=3, topics=4) as database:
        firm, name = database.fetch(
            "SELECT e.id, e.name FROM entities e JOIN facts f ON f.subject_id = e.id WHERE f.object_id IS NOT NULL"
            " GROUP BY ALL ORDER BY e.id LIMIT 1"
        )[0]
        database.write(lambda cursor: cursor.execute("UPDATE facts SET quote = 'Wages rise.', status = 'stated'"))
        publish(database)
        asked = (f"wages at {name}", f"do wages rise at {name}")
        seldom = [brief(opened(database), FixedSearcher([]), question) for question in asked]
        database.write(
            lambda cursor: cursor.execute(
                "INSERT INTO entity_chunks (group_id, entity_id, chunk_id, document_id, count)"
                " SELECT 1, ?, id, document_id, 1 FROM chunks c WHERE NOT EXISTS"
                " (SELECT 1 FROM entity_chunks x WHERE x.entity_id = ? AND x.chunk_id = c.id)",
                [firm, firm],
            )
        )
        publish(database)
        everywhere = [brief(opened(database), FixedSearcher([]), question) for question in asked]
        assert ["Wages rise." in text for text in (*seldom, *everywhere)] == [True, True, False, True]


def test_facts_of_whomever_a_question_names_not(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=30, documents=12, chunks_a_document=3, topics=4) as database:
        chair, other = (
            row[0] for row in database.fetch("SELECT min(id) FROM facts GROUP BY chunk_id ORDER BY 1 LIMIT 2")
        )
        (who,) = database.fetch(
            "SELECT e.name FROM facts f JOIN entities e ON e.id = f.subject_id WHERE f.id = ?", [chair]
        )[0]

        def change(cursor: Cursor) -> None:
            cursor.execute("UPDATE facts SET quote = 'It rains.', role = NULL")
            cursor.execute(
                "UPDATE facts SET type = 'ROLE', object_id = NULL, object_text = 'vice-chair', role = 'deputy'"
                " WHERE id = ?",
                [chair],
            )

        database.write(change)
        publish(database)
        tree, found = opened(database), FixedSearcher([], facts=[other, chair])
        assert re.search(
            rf"^## Facts\n- {who} ROLE vice-chair \(deputy\).*\[chunks/\S+:\d+\]$",
            brief(tree, found, "Who is vice chair?"), re.M,
        )  # fmt: skip
        assert "## Facts" not in brief(tree, found, "Who chairs meetings of lamps in Tarn?")
        ((chunk,),) = database.fetch("SELECT chunk_id FROM facts WHERE id = ?", [chair])
        assert "## Facts" not in brief(tree, FixedSearcher([chunk], facts=[chair]), "Who is vice chair?")


def test_what_a_question_names_has_a_line_of_facts_that_a_passage_says(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=30, documents=12, chunks_a_document=3, topics=4) as database:
        number, chunk, firm, other, elsewhere = database.fetch(
            "SELECT f.id, f.chunk_id, s.name, o.name, (SELECT min(id) FROM facts g WHERE g.chunk_id <> f.chunk_id"
            " AND f.subject_id NOT IN (g.subject_id, coalesce(g.object_id, 0)))"
            " FROM facts f JOIN entities s ON s.id = f.subject_id"
            " JOIN entities o ON o.id = f.object_id WHERE s.id <> o.id ORDER BY f.id LIMIT 1"
        )[0]
        database.write(
            lambda cursor: cursor.execute(
                "UPDATE facts SET type = 'DIRECTED', quote = 'A film.', status = 'stated' WHERE id IN (?, ?)",
                [number, elsewhere],
            )
        )
        publish(database)
        text = brief(opened(database), FixedSearcher([chunk], facts=[elsewhere]), f"Which film did {firm} direct?")
    named = text.split("## Passages")[0]
    assert f"## {firm} (" in named
    assert re.search(rf"^- DIRECTED \(1\): {other} \[entities/\S+/relationships/DIRECTED/\]$", named, re.M)
    assert "## Facts" not in named


def test_a_quote_stands_once() -> None:
    facts = [FactNote("A", type_, "B", "", "Both stand here.", "chunks/a:1") for type_ in ("RUNS_ON", "USES")]
    entity = EntityNote("A", "Product", "entities/products/A", "", [], facts, True)
    for found in (Brief("q", "hybrid", False, [entity], []), Brief("q", "hybrid", False, [], [], [], facts)):
        text = written(found, 6000)
        assert text.count("Both stand here.") == 1 and text.count("[chunks/a:1]") == 2


def test_a_passage_that_only_lists_pages_is_not_shown() -> None:
    listed = "========\n Title 1\n========\n\n.. toctree::\n   :glob:\n\n   *\n"
    assert "toctree" not in written(Brief("q", "hybrid", False, [], [note(1, listed), note(2, "The text.")]), 6000)
    text = f"{listed}\nLamps are kept here.\n"
    assert "kept here" in written(Brief("q", "hybrid", False, [], [note(1, text)]), 6000)


def test_a_title_stands_once() -> None:
    text = written(Brief("q", "hybrid", False, [], [note(1, "# Title 1\n\nThe text.\n")]), 6000)
    assert text.count("Title 1") == 1 and "\nThe text.\n" in text
    matter = written(Brief("q", "hybrid", False, [], [note(1, "---\ntitle: Title 1\n---\n# Title 1\nThe text.")]), 6000)
    assert matter.count("Title 1") == 1


def test_a_passage_of_front_matter_alone_shows_its_sentences_or_nothing() -> None:
    matter = '---\nnumber: 4\nsummary: "Lamps are kept by those who live beside the sea in Tarn."\n---\n'
    imported = "import {Lamp} from '@lamps/all';\n"
    text = written(Brief("q", "hybrid", False, [], [note(1, f"{matter}{imported}"), note(2, "The text.")]), 6000)
    assert "\nLamps are kept by those who live beside the sea in Tarn.\n" in text and "import" not in text
    bare = [note(1, f"---\nnumber: 4\n---\n{imported}"), note(2, "The text.")]
    assert "Title 1" not in written(Brief("q", "hybrid", False, [], bare), 6000)
    assert "Title 1" not in written(Brief("q", "hybrid", False, [], [*[note(3, "long " * 900)] * 3, bare[0]]), 600)


def test_footnotes_stand_behind_what_has_them(database: Database) -> None:
    tree = opened(database)
    ids = [row[0] for row in database.fetch("SELECT min(id) FROM chunks GROUP BY document_id ORDER BY 1 LIMIT 3")]
    notes = "[^1]: Ann Lee on wages in Boston,\n    2010.\n[^2]: Wages in Boston, https://x.org/wages\n"
    database.write(lambda cursor: cursor.execute("UPDATE chunks SET text = ? WHERE id = ?", [notes, ids[0]]))
    found = [SearchHit(kind="chunk", id=hit, score=0.5, legs={}, snippet="") for hit in ids]
    with database.read(snapshot=True) as cursor:
        shown = [each.chunks[0] for each in passages_of(cursor, tree.view, found, 300)]
    assert shown == [*ids[1:], ids[0]]


def test_entities_leave_room() -> None:
    fact = FactNote("A", "ACQUIRED", "B", "2014", "A bought B. " * 30, "facts/by_type/ACQUIRED/f_1.json")
    relation = RelationNote(
        "HAS_MEMBER", [f"Member {n}" for n in range(90)], "entities/people/N/related_to/HAS_MEMBER/"
    )
    entities = [
        EntityNote(f"N{n}", "Person", f"entities/people/N{n}", "lead " * 100, [relation] * 3, [fact] * 5, True)
        for n in range(8)
    ]
    passages = [note(n, "text " * 150) for n in range(20)]
    text = written(Brief("q", "hybrid", False, entities, passages), 6000)
    assert len(text) <= 6000 and text.count("### ") >= 2 and text.count("## N") >= 1
    line = next(line for line in text.splitlines() if line.startswith("- HAS_MEMBER"))
    assert line.startswith("- HAS_MEMBER (90): Member 0; Member 1; ") and len(line) < 500
    shown = line.count("Member ")
    assert f" and {90 - shown} more [entities/" in line


def test_many_facts_of_one_type_are_one_line(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=30, documents=12, chunks_a_document=3, topics=4) as database:
        (lead,) = database.fetch(
            "SELECT subject_id FROM facts WHERE object_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
        )[0]
        database.write(
            lambda cursor: cursor.execute(
                "UPDATE facts SET type = 'MEMBER_OF', status = 'stated' WHERE subject_id = ? OR object_id = ?",
                [lead, lead],
            )
        )
        publish(database)
        tree = opened(database)
        (name,) = database.fetch("SELECT name FROM entities WHERE id = ?", [lead])[0]
        text = brief(tree, FixedSearcher([]), f"What is {name} in?")
        others = {
            row[0]
            for row in database.fetch(
                "SELECT DISTINCT o.name FROM facts f JOIN entities o ON o.id = f.object_id"
                " WHERE f.subject_id = ? AND o.id <> ?",
                [lead, lead],
            )
        }
        line = next(line for line in text.splitlines() if line.startswith("- MEMBER_OF ("))
        assert len(others) > 2 and all(other in line for other in others)
        path = line.rpartition("[")[2].rstrip("]/")
        assert path.endswith("/relationships/MEMBER_OF") and tree.resolve(path)
        # what the line says is not said again by a fact
        assert not any(f"- {name} MEMBER_OF {other}" in text for other in others)


@pytest.mark.parametrize(
    ("question", "asked"), [("Which people of", True), ("Whose lamps are", True), ("zzqqxx of", False)]
)
def test_a_question_for_people_finds_them_by_their_type(tmp_path: Path, question: str, asked: bool) -> None:
    """No word of these facts is in the question but the entity's own name."""
    with build(tmp_path / "store", entities=30, documents=12, chunks_a_document=3, topics=4) as database:
        firm, name = database.fetch("SELECT id, name FROM entities WHERE type = 'Organization' ORDER BY id LIMIT 1")[0]
        database.write(
            lambda cursor: cursor.execute(
                "UPDATE facts SET type = 'LIGHTS', object_id = ?, quote = 'It says so.', status = 'stated'"
                " WHERE subject_id IN (SELECT id FROM entities WHERE type = 'Person')",
                [firm],
            )
        )
        database.write(lambda cursor: cursor.execute("DELETE FROM facts WHERE type <> 'LIGHTS'"))
        publish(database)
        text = brief(opened(database), FixedSearcher([]), f"{question} {name}")
        assert ("LIGHTS" in text) == asked


@given(
    st.text(max_size=300), st.lists(st.text(max_size=3000), max_size=8), st.integers(LEAST, 8000), st.text(max_size=80)
)
def test_it_is_never_too_long(question: str, texts: list[str], limit: int, title: str) -> None:
    notes = [note(number, text, title) for number, text in enumerate(texts)]
    text = written(Brief(question, "hybrid", False, [], notes), limit)
    assert len(text) <= limit
    for body in texts:
        assert len(excerpt(body, question, 400)) <= max(400, brief_text._SMALLEST) + 20


def test_without_search_it_says_what_to_run(database: Database) -> None:
    tree = opened(database)
    with pytest.raises(QueryError, match="kgfs brief"):
        tree.prepare(tree.resolve("@brief/wages"))


WRAPPED = """\
The ferry to the northern islands leaves from pier nine, and takes forty-seven
minutes where the sea is calm.
It rained.
- an item that its author wrapped because it had become too long for one line
  and went on here
- another

    code that is set in, and that is as long as any line of prose can ever be here
    more code

| a table whose rows are as long as lines of prose are, and longer still | b |
| c | d |

```
code that is fenced, and that is as long as any line of prose can ever be, too
more
```
"""


def test_prose_is_shown_without_the_line_breaks_of_its_author() -> None:
    assert unwrapped(WRAPPED).splitlines() == [
        "The ferry to the northern islands leaves from pier nine, and takes forty-seven minutes where the sea is calm.",
        "It rained.",
        "- an item that its author wrapped because it had become too long for one line and went on here",
        *WRAPPED.splitlines()[5:],
    ]


@given(st.lists(st.sampled_from(["- a", "# b", "| c |", "```", "~~~", "", "    x", "word " * 14, "> q", "\t", "z  "])))
def test_no_word_is_lost_where_lines_are_joined(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert unwrapped(text).split() == text.split()
    assert unwrapped(unwrapped(text)) == unwrapped(text) or "word" in text


def test_facts_that_do_not_fit_leave_their_room(database: Database) -> None:
    """An entity that the question names is shown for what fits the question, not for what else is known of it."""
    tree = opened(database)
    name = "Organization number 6"
    fitting_, other = (
        brief(tree, FixedSearcher([]), f"{what} {name}?", limit=MOST) for what in ("What is", "zzqqxx of")
    )
    assert f"## {name}" in fitting_ and re.search(_FACT, fitting_, re.M)
    assert not re.search(_FACT, other, re.M) and "one hop on" not in other


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "See [the form](https://example.com/a-very-long-address/of-a-form-that-nobody-reads/x.html).",
            "](https://exa",
        ),
        ("See `it <https://example.com/a-very-long-address/of-a-form-that-nobody-reads/x.html>`__.", "<https://exa"),
        ("See [it](https://example.com/a).", "See [it](https://example.com/a)."),
        ("curl https://example.com/a-very-long-address/of-a-script-that-is-run/x.sh", "run/x.sh"),
        (r"Ask [[nobody-reads/Ann Lee\|Ann]], …nobody.", "Ask [[Ann]], "),
    ],
)
def test_where_links_lead_takes_no_room(text: str, shown: str) -> None:
    found = written(Brief("q", "hybrid", False, [], [note(1, text)]), 6000)
    assert shown in found and ("…" in found) == ("nobody" in text)
    assert "nobody-reads" not in found


@pytest.mark.parametrize(
    ("vectors", "order"),
    [
        ({}, "abcdef"),
        ({"a": 1, "b": 2, "c": 3}, "abcdef"),
        ({"f": 1, "a": 2, "e": 3}, "afbced"),
        ({"a": 9, "b": 8, "c": 7, "d": 3, "e": 2, "f": 1}, "afbecd"),
        ({"a": 9, "B": 8, "c": 7, "d": 3, "e": 2, "f": 1}, "aBfced"),
    ],
)
def test_the_best_and_the_nearest_take_turns(vectors: dict[str, int], order: str) -> None:
    """A capital is what a name led to."""
    names = "aBcdef" if "B" in order else "abcdef"
    hits = [SearchHit(kind="chunk", id=ord(name), score=0.5, legs={}, snippet="") for name in names]
    for hit, name in zip(hits, names, strict=True):
        if name in vectors:
            hit.legs["vector"] = LegRank(vectors[name], 0.4)
        if name.isupper():
            hit.legs["named"] = LegRank(1, 0.4)
    assert "".join(chr(hit.id) for hit in taking_turns(hits)) == order


def test_whom_to_ask_is_a_channel_or_an_address() -> None:
    assert {"Channel", "Address", "Person"} <= asked_kinds("Who do I ask about lamps?")
    assert asked_kinds("Lamps of Tarn") == frozenset()
