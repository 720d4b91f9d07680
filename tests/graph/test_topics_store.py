"""Topics over many documents: which are shown, under what, and that claims come and go with their documents."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.graph import topic_tree
from kgfs.graph.topics import definitions
from kgfs.graph.topics.hierarchy import MAX_DEPTH, Topic, drop_weak, place_topics
from kgfs.graph.topics.keys import path_key, topic_key
from kgfs.graph.topics.selection import HeadedCounts, PhraseCounts, select_topics
from kgfs.model import EntityCandidate, Extraction, Mention, TopicCandidate, TopicGroup, TopicMember
from kgfs.pipeline import topic_pass
from kgfs.pipeline.run import Run
from kgfs.store.catalog import schema
from kgfs.store.catalog.database import Database
from kgfs.store.graph import topics
from kgfs.store.graph.topics import GroupedTopic
from tests import planned_graphs as graphs
from tests.local_worker import LocalWorker
from tests.rounds import rounds

TEXTS = ["one ", "two ", "three ", "four "]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with Database.open(tmp_path_factory.mktemp("store"), create=True) as opened:
        yield opened


@pytest.fixture(autouse=True)
def nothing_left(shared: Database) -> None:
    graphs.empty(shared)
    shared.write(lambda cursor: topics.replace_groups(cursor, []))


def claims(database: Database, name: str, *found: TopicCandidate, entities: tuple[str, ...] = ()) -> int:
    extraction = Extraction(
        extractor="test",
        topics=list(found),
        entities=[EntityCandidate(name=one, type="Organization", confidence=0.9) for one in entities],
        mentions=[Mention(entity=number, chunk=1) for number in range(len(entities))],
    )
    return graphs.put(database, f"/{name}", graphs.parsed(TEXTS, title=name), extraction)


def heading(*path: str, chunks: tuple[int, ...] = (1,), **fields: Any) -> TopicCandidate:
    return TopicCandidate(path=list(path), chunks=list(chunks), **fields)


def tag(*path: str) -> TopicCandidate:
    return TopicCandidate(path=list(path), chunks=[1, 2, 3, 4], source="tag")


def part(whole: str, name: str) -> TopicCandidate:
    return TopicCandidate(path=[whole, name], chunks=[1, 2], source="part")


def phrase(name: str, count: int = 2, chunks: tuple[int, ...] = (1, 2, 3)) -> TopicCandidate:
    return TopicCandidate(path=[name], chunks=list(chunks), source="phrase", counts=[count] * len(chunks))


def paths(database: Database) -> set[str]:
    """Every topic as the path of its slugs."""
    with database.read() as cursor:
        rows = topics.all_topics(cursor)
    found = set()
    for row in rows.values():
        path = [row.slug]
        while row.parent_id is not None:
            row = rows[row.parent_id]
            path.insert(0, row.slug)
        found.add("/".join(path))
    return found


# --- what counts ---------------------------------------------------------------------------------------------------


def test_a_heading_counts_when_a_second_document_has_it_and_no_longer_when_that_goes(shared: Database) -> None:
    claims(shared, "a", heading("Wages"))
    assert paths(shared) == set()
    second = claims(shared, "b", heading("wages"))
    assert paths(shared) == {"Wages"}
    graphs.remove(shared, second)
    assert paths(shared) == set()
    assert shared.fetch("SELECT name FROM topic_claims") == [("Wages",)]


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (heading("wages"), False),
        (heading("wages", chunks=(1, 2, 3)), True),
        (heading("wages", times=2), True),
        (heading("wage growth", chunks=(1, 2, 3)), False),  # no sentence ever says it
        (tag("wages"), True),
        (phrase("wage growth"), False),
    ],
)
def test_what_one_document_is_enough_for(shared: Database, found: TopicCandidate, shown: bool) -> None:
    claims(shared, "a", found)
    assert bool(paths(shared)) is shown


def test_a_phrase_counts_where_it_recurs_and_its_pieces_do_not(shared: Database) -> None:
    for name in "abcd":
        claims(
            shared,
            name,
            phrase("commercial real estate"),
            phrase("estate loans", 1, (1,)),
            phrase("commercial real", 2),
        )
    assert paths(shared) == {"commercial_real_estate"}


def test_words_to_be_found_by_are_no_topics(shared: Database) -> None:
    claims(shared, "a", *(tag(name) for name in ("quit", "quitting", "resign", "leave")))
    claims(shared, "b", tag("leave"))
    assert paths(shared) == {"leave"}


def test_of_tags_that_are_always_together_one_is_shown(shared: Database) -> None:
    for name in "ab":
        claims(
            shared,
            name,
            *(tag(one) for one in ("maternity", "paternity", "parent", "parental leave")),
            phrase("parental leave"),
        )
    assert paths(shared) == {"parental_leave"}


def test_what_is_the_name_of_a_thing_is_no_topic(shared: Database) -> None:
    claims(shared, "a", heading("github"), heading("wages"))
    claims(shared, "b", heading("github"), heading("wages"))
    assert paths(shared) == {"github", "wages"}
    third = claims(shared, "c", entities=("GitHub",))
    claims(shared, "d", entities=("GitHub",))
    assert paths(shared) == {"wages"}
    graphs.remove(shared, third)
    assert paths(shared) == {"wages", "github"}


# --- what stands under what ----------------------------------------------------------------------------------------


def test_tags_are_levels_and_a_name_under_two_is_two_topics(shared: Database) -> None:
    first = claims(shared, "a", TopicCandidate(path=["Labor", "Wages"], chunks=[1], source="tag", definition="Pay."))
    claims(shared, "b", TopicCandidate(path=["Prices", "wages"], chunks=[2], source="tag"))
    assert paths(shared) == {"Labor", "Labor/Wages", "Prices", "Prices/Prices_wages"}
    assert shared.fetch("SELECT definition FROM topics WHERE slug = 'Wages'") == [("Pay.",)]
    graphs.remove(shared, first)
    assert paths(shared) == {"Prices", "Prices/Prices_wages"}
    assert graphs.contradictions(shared) == {}


def test_a_row_keeps_its_id_and_slug_when_it_gets_a_place(shared: Database) -> None:
    for name in "ab":
        claims(shared, name, heading("wages"))
    before = shared.fetch("SELECT id, slug FROM topics")
    claims(shared, "c", tag("labor markets", "wages"))
    assert paths(shared) == {"labor_markets", "labor_markets/wages"}
    assert shared.fetch("SELECT id, slug FROM topics WHERE slug = 'wages'") == before


def test_a_heading_under_a_heading_in_two_documents(shared: Database) -> None:
    claims(shared, "a", heading("labor"), heading("labor", "wages"))
    assert paths(shared) == set()
    claims(shared, "b", heading("labor"), heading("labor", "wages"))
    assert paths(shared) == {"labor", "labor/wages"}
    for name in "cd":  # most have it elsewhere now
        claims(shared, name, heading("wages", chunks=(3,)))
    assert paths(shared) == {"labor", "wages"}


def test_what_a_heading_joins(shared: Database) -> None:
    for name in "ab":
        claims(
            shared, name, heading("Employment and Wages"), part("Employment and Wages", "wages"),
            part("employment & wages", "employment"), heading("manufacturing"), heading("manufacturing and services"),
            part("manufacturing and services", "manufacturing"),
        )  # fmt: skip
    assert paths(shared) == {
        "Employment_and_Wages", "Employment_and_Wages/employment", "Employment_and_Wages/wages", "manufacturing",
        "manufacturing/manufacturing_and_services",
    }  # fmt: skip


def test_a_name_with_a_word_more_is_beneath_only_where_the_passages_meet(shared: Database) -> None:
    for name in "ab":
        claims(
            shared,
            name,
            heading("leave"),
            heading("sick leave", chunks=(1, 2)),
            heading("gardening leave", chunks=(4,)),
        )
    assert "leave/sick_leave" in paths(shared)
    for name in "cd":
        claims(shared, name, heading("gardening leave", chunks=(4,)))
    assert "gardening_leave" in paths(shared)


def test_groups_give_a_place_at_the_top_and_a_group_of_one_is_none(shared: Database) -> None:
    for name in "ab":
        claims(shared, name, heading("wages"), heading("hiring"), heading("prices"))
    rows = [
        GroupedTopic(member=member, key=key, name=name, size=3)
        for member, key, name in (
            ("wage", "work", "work"), ("hiring", "work", "work"), ("price", "cost", "costs"), ("gone", "cost", "costs")
        )
    ]  # fmt: skip
    shared.write(lambda cursor: (topics.replace_groups(cursor, rows), topic_tree.make_topics(cursor)))
    assert paths(shared) == {"work", "work/wages", "work/hiring", "prices"}
    ((definition,),) = shared.fetch("SELECT definition FROM topics WHERE slug = 'work'")
    assert definition == "Topics that belong together: hiring and wages; 2 passages in 2 documents."
    assert graphs.contradictions(shared) == {}


def test_grouping_is_asked_for_once_and_moves_go_to_the_index_again(shared: Database, tmp_path: Path) -> None:
    words = [f"topic{letter}{other}" for letter in "abcdef" for other in "ghijkl"]
    for name in "ab":
        claims(shared, name, *(heading(word) for word in words))
    shared.write(lambda cursor: cursor.execute("UPDATE chunks SET have_gen = want_gen"))
    shared.write(lambda cursor: cursor.execute("UPDATE topics SET have_gen = want_gen"))
    asked: list[list[TopicMember]] = []

    class Grouping(LocalWorker):
        def group_topics(self, members: Any) -> list[TopicGroup]:
            asked.append(list(members))
            keys = [member.key for member in members]
            return [TopicGroup(key=keys[0], name=members[0].name, members=keys[:10], size=len(keys))]

    run = Run(shared, Grouping(tmp_path / "log"), Config())
    assert topic_pass.group_pass(run)
    assert not topic_pass.group_pass(run)
    assert len(asked) == 1
    assert [member.key for member in asked[0]] == sorted(words)
    assert sum("/" in path for path in paths(shared)) == 9
    assert shared.fetch("SELECT count(*) FROM topics WHERE have_gen < want_gen AND parent_id IS NOT NULL") == [(9,)]
    claims(shared, "c", heading(words[-1]))
    shared.write(lambda cursor: cursor.execute("UPDATE chunks SET have_gen = want_gen"))
    assert not topic_pass.group_pass(run)  # the same groups again
    assert {member.group for member in asked[1]} == {"", words[0]}


# --- what says nothing -----------------------------------------------------------------------------------------------


def test_a_heading_of_which_its_passages_do_not_speak_is_a_slot(shared: Database) -> None:
    """``plot`` stands over every book; so does ``rivers``, but what stands there speaks of rivers."""
    for number in range(5):
        texts = ["# Plot\nShe leaves.\n", f"# Rivers\nA river runs by {number}.\n", "x ", "y "]
        extraction = Extraction(extractor="test", topics=[heading("plot"), heading("rivers", chunks=(2,))])
        graphs.put(shared, f"/{number}", graphs.parsed(texts), extraction)
        assert paths(shared) == ({"rivers"} if number == 4 else {"plot", "rivers"} if number else set())


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        (HeadedCounts("usage of x", 30, 32, 1, tag=False), False),  # one short passage in a third of all
        (HeadedCounts("usage of x", 30, 90, 1, tag=False), True),
        (HeadedCounts("usage of x", 19, 19, 1, tag=False), True),
        (HeadedCounts("usage of x", 30, 32, 1, tag=True), True),
        (HeadedCounts("usage of x", 30, 32, 1, tag=False, model=True), True),
        (HeadedCounts("usage of x", 6, 20, 1, tag=False, spoken=0.3), False),
        (HeadedCounts("usage of x", 4, 20, 1, tag=False, spoken=0.3), True),
    ],
)
def test_a_heading_of_the_form_is_no_topic(counts: HeadedCounts, shown: bool) -> None:
    assert (counts.key in select_topics([counts], [], 500, 90)) == shown


def made(key: str, documents: int, source: str = "heading", parent: str | None = None) -> Topic:
    return Topic(key, key, source, set(range(documents)), set(range(documents)), parent)


def test_what_is_alone_and_little_is_not_at_the_top() -> None:
    few = [made("one", 1), made("two", 2), made("three", 3), made("tag", 2, "tag"), made("lone tag", 1, "tag")]
    found = {one.key: one for one in (*few, made("whole", 2), made("part", 1, parent="whole"))}
    small = dict(found)
    drop_weak(small, 50)
    assert small == found
    drop_weak(found, 200)
    assert set(found) == {"three", "tag", "whole", "part"}


@pytest.mark.parametrize(("documents", "tops"), [(20, 30), (250, 39), (10_000, 60)])
def test_topics_at_the_top_are_few(documents: int, tops: int) -> None:
    found = {one.key: one for one in (made(f"t{number}", 3 + number) for number in range(500))}
    drop_weak(found, documents)
    assert len(found) == tops
    assert min(len(one.documents) for one in found.values()) == 503 - tops  # the largest ones


# --- definitions ---------------------------------------------------------------------------------------------------


def test_each_topic_says_what_it_is(shared: Database) -> None:
    for name in "ab":
        claims(
            shared, name, heading("inflation", definition="Inflation is a rise in prices."), heading("hiring"),
            heading("sick leave", lead="Sick leave covers the days on which you are ill."),
        )  # fmt: skip
    rows = dict(shared.fetch("SELECT slug, definition FROM topics"))
    assert rows["inflation"] == "Inflation is a rise in prices."
    assert rows["sick_leave"] == "Sick leave covers the days on which you are ill."
    assert rows["hiring"].startswith("2 passages in 2 documents, most about ")


@pytest.mark.parametrize(
    ("lead", "good"),
    [
        ("Wages are what is paid for work.", True),
        ("All wages are paid in time.", True),
        ("Military wages are another thing.", False),
        ("Wages rose moderately in most Districts.", False),
        ("This is about wages.", False),
        ("See the page about wages.", False),
        ("Are wages what you look for?", False),
        ("Work of all kinds that people do in all those places is paid with wages.", False),
    ],
)
def test_which_first_sentences_define(lead: str, good: bool) -> None:
    assert bool(definitions.choose_definition("wage", [definitions.DefiningSentence("disk:/a", "", lead)])) is good


def test_the_first_document_decides_and_a_series_defines_nothing() -> None:
    said = [definitions.DefiningSentence(f"disk:/{n}", "", f"Wages are what {n} says.") for n in "ba"]
    assert definitions.choose_definition("wage", said) == "Wages are what a says."
    assert (
        definitions.choose_definition("wage", [*said, definitions.DefiningSentence("disk:/c", "", "Wages are other.")])
        == ""
    )


# --- whatever comes ------------------------------------------------------------------------------------------------

NAMES = (
    "wages",
    "Wage",
    "prices",
    "labor markets",
    "wages and prices",
    "real estate",
    "commercial real estate",
    "loans",
)
candidates = st.one_of(
    st.builds(
        TopicCandidate,
        path=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
        chunks=st.lists(st.integers(1, 4), min_size=1, max_size=4, unique=True),
        source=st.sampled_from(["tag", "heading", "part"]),
        definition=st.sampled_from(["", "Said."]),
        lead=st.sampled_from(["", "Wages are paid."]),
        times=st.integers(1, 3),
    ),
    st.builds(phrase, st.sampled_from(NAMES), st.integers(1, 3)),
)
documents = st.lists(st.lists(candidates, max_size=6), min_size=2, max_size=3)


@pytest.mark.long
@settings(max_examples=rounds(3, 30), deadline=None)
@given(found=documents, added=st.lists(candidates, max_size=6), data=st.data())
def test_order_does_not_matter_and_removing_takes_back_exactly(
    shared: Database, found: list[list[TopicCandidate]], added: list[TopicCandidate], data: st.DataObject
) -> None:
    graphs.empty(shared)
    for number in range(len(found)):
        claims(shared, str(number), *found[number])
    before = graphs.graph(shared)
    assert graphs.contradictions(shared) == {}
    extra = claims(shared, "extra", *added)
    assert graphs.contradictions(shared) == {}
    graphs.remove(shared, extra)
    assert graphs.graph(shared, slugs=False) == {name: rows for name, rows in before.items() if "slugs" not in name}
    for number in data.draw(st.permutations(range(len(found)))):
        claims(shared, str(number), *added)
    for number in data.draw(st.permutations(range(len(found)))):
        claims(shared, str(number), *found[number])
    assert graphs.graph(shared, slugs=False) == {name: rows for name, rows in before.items() if "slugs" not in name}
    assert not shared.write(topic_tree.make_topics)
    assert shared.fetch("SELECT count(*) FROM topics WHERE definition = ''") == [(0,)]
    graphs.empty(shared)
    assert graphs.rows_left(shared) == {}


keys = st.sampled_from([f"{a} {b}".strip() for a in ("", "big", "small") for b in ("cat", "dog", "cat dog", "a/cat")])


@settings(max_examples=60, deadline=None)
@given(
    shown=st.dictionaries(keys, st.sets(st.integers(1, 12), max_size=10), max_size=10),
    nested=st.dictionaries(st.tuples(keys, keys), st.integers(1, 4), max_size=10),
    joined=st.dictionaries(keys, st.lists(keys, max_size=3), max_size=4),
    alone=st.sets(keys, max_size=4),
)
def test_places_are_a_forest(
    shown: dict[str, set[int]], nested: dict[tuple[str, str], int], joined: dict[str, list[str]], alone: set[str]
) -> None:
    found = {
        key: Topic(key=key, name=key, source="heading", chunks=chunks, documents={1, 2})
        for key, chunks in shown.items()
    }
    place_topics(found, nested, dict.fromkeys(shown, 2), joined, alone)
    for topic in found.values():
        levels, above = 1, topic.parent
        while above is not None:
            levels, above = levels + 1, found[above].parent
            assert levels <= MAX_DEPTH


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Labor markets", "labor-market"), ("Wages and Prices", "prices & wages"), ("Policies", "policy"),
        ("A, B and C", "c, a & b"), ("Taxes", "tax"), ("The News", "news"), ("glass", "Glass"),
    ],
)  # fmt: skip
def test_names_of_one_topic(one: str, other: str) -> None:
    assert topic_key(one) == topic_key(other) != ""


@given(st.text(max_size=30))
def test_a_key_is_its_own_key(name: str) -> None:
    assert "/" not in path_key([name])
    assert topic_key(topic_key(name)) == topic_key(name) or " and " in topic_key(name)


def test_selection_does_not_hang_on_order() -> None:
    said = [PhraseCounts(f"word{n} thing", 3 + n % 4, 6 + n, 20 + n) for n in range(40)]
    headed = [HeadedCounts(f"heading{n}", 1 + n % 3, n % 5, 1, n % 7 == 0, n) for n in range(40)]
    one = select_topics(headed, said, 100, 50)
    assert select_topics(headed[::-1], said[::-1], 100, 50) == one
    assert sum(key.startswith("word") for key in one) == 25  # 2.5 for each of the ten


# --- older stores --------------------------------------------------------------------------------------------------


def test_topics_of_an_older_store_become_claims(tmp_path: Path) -> None:
    first, *_ = schema.migrations()
    connection = duckdb.connect(str(tmp_path / "old.duckdb"))
    schema.migrate(connection, [first])
    connection.execute(
        """
        INSERT INTO context_items (id, ref, want_gen, have_gen, extracted_gen)
            VALUES (1, 'disk:/a', 1, 1, 1), (2, 'disk:/b', 1, 1, 1);
        INSERT INTO documents (id, slug, extractor) VALUES (1, 'a', 'spacy'), (2, 'b', 'none');
        INSERT INTO chunks (id, document_id, ordinal) VALUES (1, 1, 1), (2, 2, 1);
        INSERT INTO topics (id, group_id, slug, slug_key, name, key, parent_id, definition, source, want_gen, have_gen)
            VALUES (1, 1, 'labor', 'labor', 'labor', 'labor', NULL, '', 'tag', 1, 1),
                   (2, 1, 'wages', 'wages', 'wages', 'wages', 1, 'Pay.', 'tag', 1, 1),
                   (3, 1, 'Real_Estate', 'real_estate', 'Real Estate', 'real estate', NULL, '', 'heading', 1, 1),
                   (4, 1, 'once', 'once', 'once', 'once', NULL, '', 'heading', 1, 1);
        INSERT INTO counters VALUES ('topic', 5);
        INSERT INTO topic_claims VALUES (1, 1, 1, 'labor', '', 'tag'), (1, 2, 1, 'wages', 'Pay.', 'tag'),
            (1, 3, 1, 'Real Estate', '', 'heading'), (1, 3, 2, 'Real Estate', '', 'heading'),
            (1, 4, 2, 'once', '', 'heading');
        INSERT INTO chunk_topics VALUES (1, 1, 2, 1), (1, 1, 3, 1), (1, 2, 3, 2), (1, 2, 4, 2);
        """
    )
    schema.migrate(connection)
    cursor = connection.cursor()
    assert cursor.execute("SELECT id, extracted_gen FROM context_items ORDER BY id").fetchall() == [(1, 0), (2, 1)]
    assert not topic_tree.topics_are_current(cursor)
    topic_tree.make_topics(cursor)
    rows = cursor.execute("SELECT id, slug, key, parent_id, definition FROM topics ORDER BY id").fetchall()
    assert rows == [
        (1, "labor", "labor", None, "1 passage in 1 document, most about wages."),
        (2, "wages", "labor/wage", 1, "Pay."),
        (3, "Real_Estate", "real estate", None, "2 passages in 2 documents, most about wages."),
    ]
    links = cursor.execute("SELECT topic_id, chunk_id FROM chunk_topics ORDER BY ALL").fetchall()
    assert links == [(2, 1), (3, 1), (3, 2)]
    assert topic_tree.topics_are_current(cursor)
    connection.close()


def test_migrations_are_packaged() -> None:
    assert files("kgfs.store.catalog").joinpath("migrations", "0002_topic_claims.sql").is_file()
