"""What people say stands over what documents say, in whatever order both come, and is taken back without a trace."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.errors import ConflictError, NotFoundError, UsageError
from kgfs.graph import annotating, facts_document
from kgfs.graph.facts_document import FactStatement
from kgfs.graph.name_keys import name_key
from kgfs.graph.topic_tree import make_topics, topics_are_current
from kgfs.model import EntityCandidate, Evidence, Extraction, FactCandidate, Mention
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest
from kgfs.store.catalog.database import Database
from kgfs.store.graph import annotations, entity_names
from tests import planned_graphs as graphs
from tests.rounds import rounds

pytestmark = pytest.mark.usefixtures("nothing_left")
ANN = "ann"


def entity(name: str, kind: str = "Organization", *aliases: str, **fields: Any) -> EntityCandidate:
    return EntityCandidate(name=name, type=kind, aliases=list(aliases), **fields)


def says(database: Database, path: str, *entities: EntityCandidate, text: str = "A b c.", **fields: Any) -> int:
    found = Extraction(
        extractor="test",
        entities=list(entities),
        mentions=[Mention(entity=index, chunk=1) for index in range(len(entities))],
        **fields,
    )
    return graphs.put(database, path, graphs.parsed([text], title=path), found)


class People:
    """What people can do to a store; entities by their slugs."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def id(self, slug: str) -> int:
        """The entity with this slug, or the one that a former path of that name leads to."""
        for sql in ("SELECT id FROM entities WHERE slug = ?", "SELECT target_id FROM former_names WHERE slug = ?"):
            if rows := self.database.fetch(sql, [slug]):
                return int(rows[0][0])
        raise AssertionError(f"{slug} leads nowhere")

    def do(self, work: Any) -> Any:
        def both(cursor: Any) -> Any:
            answer = work(cursor)
            if not topics_are_current(cursor):
                make_topics(cursor)
            return answer

        return self.database.write(both)

    def make(self, name: str, kind: str = "Organization", description: str = "") -> int:
        return int(self.do(lambda cursor: annotating.make_entity(cursor, name, kind, description, ANN)))

    def merge(self, gone: str, kept: str) -> None:
        self.do(lambda cursor: annotating.merge_entities(cursor, self.id(gone), self.id(kept), ANN))

    def rename(self, slug: str, name: str) -> None:
        self.do(lambda cursor: annotating.rename_entity(cursor, self.id(slug), name, ANN))

    def retype(self, slug: str, kind: str) -> None:
        self.do(lambda cursor: annotating.retype_entity(cursor, self.id(slug), kind, ANN))

    def describe(self, slug: str, text: str) -> None:
        self.do(lambda cursor: annotating.describe_entity(cursor, self.id(slug), text, ANN))

    def undo(self, number: int | None = None) -> None:
        """The annotation of an entity that was the last, or the one with this number."""
        rows = self.database.fetch(
            "SELECT max(id) FROM annotations WHERE undone_at IS NULL AND kind NOT IN ('fact', 'retract')"
        )
        wanted = rows[0][0] if number is None else number

        def work(cursor: Any) -> None:
            keys = [
                row[0]
                for row in cursor.execute(
                    "SELECT key FROM annotation_keys WHERE annotation_id = ?", [wanted]
                ).fetchall()
            ]
            (said,) = [one for one in annotations.of_keys(cursor, keys) if one.id == wanted]
            annotating.take_annotation_back(cursor, said, ANN)

        self.do(work)

    def state(self, of: str, kind: str, to: str | None = None, **fields: Any) -> str:
        def work(cursor: Any) -> str:
            subject = annotating.annotated_entity(cursor, self.id(of))
            other = None if to is None else annotating.annotated_entity(cursor, self.id(to))
            return facts_document.state_fact(cursor, subject, other, FactStatement(type=kind, **fields), ANN, Config())

        return str(self.do(work))

    def retract(self, fact_id: str) -> None:
        self.do(lambda cursor: facts_document.retract_fact(cursor, fact_id, ANN, Config()))

    def restore(self, fact_id: str) -> bool:
        return bool(self.do(lambda cursor: facts_document.restore_fact(cursor, fact_id, ANN, Config())))


@pytest.fixture
def people(shared: Database) -> People:
    return People(shared)


def names(database: Database) -> list[tuple[Any, ...]]:
    return database.fetch("SELECT slug, name, type FROM entities ORDER BY slug")


def former(database: Database) -> dict[str, str]:
    rows = database.fetch(
        "SELECT n.directory || '/' || n.slug, e.slug FROM former_names n JOIN entities e ON e.id = n.target_id"
    )
    return dict(rows)


# --- one by one ----------------------------------------------------------------------------------------------------


def test_a_merge_and_back(shared: Database, people: People) -> None:
    text = "Google bought Fitbit."
    fact = FactCandidate(type="ACQUIRED", subject=0, object=1, chunk=1, quote="Google bought Fitbit", start=0, end=20)
    says(shared, "/1", entity("Google", confidence=0.9), entity("Fitbit"), text=text, facts=[fact])
    says(shared, "/2", entity("Alphabet Inc.", "Company", description="A holding.", confidence=0.5))
    before, kept = graphs.graph(shared), people.id("Alphabet_Inc")
    people.merge("Google", "Alphabet_Inc")
    assert names(shared) == [("Alphabet_Inc", "Alphabet Inc.", "Company"), ("Fitbit", "Fitbit", "Organization")]
    assert people.id("Alphabet_Inc") == kept
    assert former(shared) == {"organizations/Google": "Alphabet_Inc"}
    assert shared.fetch("SELECT subject_id FROM facts") == [(kept,)]
    assert shared.fetch("SELECT name, rule, confidence FROM entity_merges") == [("Google", "person", 1.0)]
    assert shared.fetch("SELECT gone_name, reason FROM merges") == [("Google", "A person said so.")]
    assert shared.fetch("SELECT description, confidence FROM entities WHERE id = ?", [kept]) == [("A holding.", 0.5)]
    assert graphs.contradictions(shared) == {}
    later = says(shared, "/3", entity("Google LLC"))
    assert [row[0] for row in names(shared)] == ["Alphabet_Inc", "Fitbit"]
    graphs.remove(shared, later)
    people.undo()
    assert graphs.graph(shared) == before
    assert former(shared) == {}
    assert graphs.contradictions(shared) == {}


def test_former_names_of_what_was_merged(shared: Database, people: People) -> None:
    says(shared, "/1", entity("Googel"), entity("Alphabet"))
    people.rename("Googel", "Google")
    people.rename("Google", "Gogol")
    people.merge("Gogol", "Alphabet")
    assert former(shared) == {f"organizations/{slug}": "Alphabet" for slug in ("Googel", "Google", "Gogol")}
    people.undo()
    assert names(shared)[1] == ("Gogol", "Gogol", "Organization")
    assert former(shared) == {f"organizations/{slug}": "Gogol" for slug in ("Googel", "Google")}


def test_merging_with_itself(shared: Database, people: People) -> None:
    says(shared, "/1", entity("Google"), entity("Alphabet"))
    with pytest.raises(UsageError, match="one entity already"):
        people.merge("Google", "Google")
    people.merge("Google", "Alphabet")
    with pytest.raises(UsageError, match="one entity already"):
        people.merge("Alphabet", "Google")


@pytest.mark.long
@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[:: rounds(2, 1)])
def test_chains_of_merges_come_apart_in_any_order(shared: Database, people: People, order: tuple[int, ...]) -> None:
    for name in "ABCD":
        says(shared, f"/{name}", entity(f"{name}lpha"))
    before = graphs.graph(shared)
    for gone, kept in ("AB", "BC", "CD"):
        people.merge(f"{gone}lpha", f"{kept}lpha")
    assert names(shared) == [("Dlpha", "Dlpha", "Organization")]
    assert former(shared) == {f"organizations/{name}lpha": "Dlpha" for name in "ABC"}
    numbers = [row[0] for row in shared.fetch("SELECT id FROM annotations ORDER BY id")]
    for place in order:
        people.undo(numbers[place])
        assert graphs.contradictions(shared) == {}
    assert graphs.graph(shared) == before


def test_a_new_name(shared: Database, people: People) -> None:
    first = says(shared, "/1", entity("Googel"))
    says(shared, "/2", entity("Apple"))
    before, number = graphs.graph(shared), people.id("Googel")
    people.rename("Googel", "Google")
    assert names(shared) == [("Apple", "Apple", "Organization"), ("Google", "Google", "Organization")]
    assert people.id("Google") == number
    assert former(shared) == {"organizations/Googel": "Google"}
    assert shared.fetch("SELECT alias FROM entity_aliases") == [("Googel",)]
    assert shared.fetch("SELECT by_person, extractor FROM entities WHERE id = ?", [number]) == [(True, "person")]
    says(shared, "/3", entity("Google", "Concept"))  # what documents call by this name is it
    assert names(shared)[1:] == [("Google", "Google", "Organization")]
    with pytest.raises(ConflictError, match="kgfs entity merge"):
        people.rename("Apple", "google")
    graphs.remove(shared, first)
    assert names(shared)[1:] == [("Google", "Google", "Organization")]
    graphs.remove(shared, *(row[0] for row in shared.fetch("SELECT id FROM context_items WHERE path = '/3'")))
    assert names(shared)[1:] == [("Google", "Google", "Organization")]  # nobody mentions it
    assert graphs.contradictions(shared) == {}
    says(shared, "/1", entity("Googel"))
    assert people.id("Google") == number
    people.rename("Google", "Gogol")
    assert former(shared) == {"organizations/Googel": "Gogol", "organizations/Google": "Gogol"}
    people.undo()
    assert names(shared)[1:] == [("Google", "Google", "Organization")]
    people.undo()
    assert {name: rows for name, rows in graphs.graph(shared).items() if name != "documents"} == {
        name: rows for name, rows in before.items() if name != "documents"
    }
    assert former(shared)["organizations/Google"] == "Googel"


def test_only_the_case_of_a_name(shared: Database, people: People) -> None:
    says(shared, "/1", entity("acme works"))
    people.rename("acme_works", "ACME Works")
    assert names(shared) == [("ACME_Works", "ACME Works", "Organization")]


def test_type_and_description(shared: Database, people: People) -> None:
    one = says(shared, "/1", entity("Acme", "Concept", description="Says the document."))
    before = graphs.graph(shared)
    people.retype("Acme", "organization")
    people.describe("Acme", "Says\nAnn.")
    assert names(shared) == [("Acme", "Acme", "Organization")]
    assert former(shared) == {"concepts/Acme": "Acme"}
    says(shared, "/2", entity("Acme", "Person", declared=True, description="Declared."))
    shown = "SELECT name, type, description, extractor, by_person FROM entities"
    assert shared.fetch(shown) == [("Acme", "Organization", "Says Ann.", "person", True)]
    graphs.remove(shared, *(row[0] for row in shared.fetch("SELECT id FROM context_items")))
    assert shared.fetch(shown) == [("Acme", "Organization", "Says Ann.", "person", True)]
    one = says(shared, "/1", entity("Acme", "Concept", description="Says the document."))
    assert shared.fetch(shown) == [("Acme", "Organization", "Says Ann.", "person", True)]
    people.retype("Acme", "Odd Kind")
    assert former(shared)["organizations/Acme"] == "Acme"
    for _ in range(3):
        people.undo()
    assert graphs.graph(shared) == before
    graphs.remove(shared, one)
    assert names(shared) == []


def test_an_entity_that_nobody_mentions(shared: Database, people: People) -> None:
    number = people.make("Acme", "company", "What is not written anywhere.")
    assert shared.fetch("SELECT name, type, description, by_person, extractor FROM entities") == [
        ("Acme", "company", "What is not written anywhere.", True, "person")
    ]
    with pytest.raises(ConflictError, match="already"):
        people.make("ACME, Inc.")
    says(shared, "/1", entity("Acme", "Concept"))
    assert shared.fetch("SELECT id FROM entities") == [(number,)]
    assert graphs.contradictions(shared) == {}


def test_an_entity_that_the_evidence_does_not_bear(shared: Database, people: People) -> None:
    weak = Evidence(seen=1, types={"Organization": 1}, word=True, single=True)
    says(shared, "/1", entity("Beta"), entity("Apple", evidence=weak))
    strong = says(shared, "/2", entity("Apple"))
    people.describe("Apple", "It is.")
    graphs.remove(shared, strong)
    assert shared.fetch("SELECT e.name FROM entity_claims c JOIN entities e ON e.id = c.entity_id ORDER BY 1") == [
        ("Apple",), ("Beta",),
    ]  # fmt: skip
    assert graphs.contradictions(shared) == {}
    people.undo()
    assert [row[0] for row in names(shared)] == ["Beta"]


@pytest.mark.parametrize(
    ("name", "message"), [("", "empty"), (" \n\t", "empty"), ("x" * 5000, "5,000 characters"), ("\x1b\x00", "empty")]
)
def test_names_that_cannot_be(shared: Database, people: People, name: str, message: str) -> None:
    says(shared, "/1", entity("Acme"))
    before = graphs.graph(shared)
    for work in (people.rename, people.retype, people.describe):
        with pytest.raises(UsageError, match=message):
            work("Acme", name)
    with pytest.raises(UsageError, match=message):
        people.make(name)
    assert graphs.graph(shared) == before
    assert shared.fetch("SELECT count(*) FROM annotations") == [(0,)]


def test_control_characters_and_slashes(shared: Database, people: People) -> None:
    says(shared, "/1", entity("Acme"))
    people.rename("Acme", "a/b\x1b[31m\tc\x00 \N{RIGHT-TO-LEFT OVERRIDE}d")
    ((slug, name, _),) = names(shared)
    assert name.startswith("a/b [31m c") and "/" not in slug and "\x1b" not in name + slug


# --- facts ---------------------------------------------------------------------------------------------------------


def shown_facts(database: Database) -> list[tuple[Any, ...]]:
    return database.fetch(
        "SELECT f.type, s.name, coalesce(o.name, f.object_text), f.quote, i.ref, f.extractor FROM facts f"
        " JOIN entities s ON s.id = f.subject_id LEFT JOIN entities o ON o.id = f.object_id"
        " JOIN context_items i ON i.id = f.document_id ORDER BY f.quote, f.type"
    )


@pytest.mark.slow
def test_a_fact_in_its_own_words(shared: Database, people: People) -> None:
    one = says(shared, "/1", entity("Acme"), entity("Beta"))
    before = {name: rows for name, rows in graphs.graph(shared).items() if name in ("entities", "facts", "mentions")}
    fact = people.state("Acme", "acquired", "Beta", date="2019-10")
    row = ("ACQUIRED", "Acme", "Beta", "Acme acquired Beta (2019-10).", "agent:/annotations/facts.md", "person")
    assert shown_facts(shared) == [row]
    with pytest.raises(ConflictError, match="there already"):
        people.state("Acme", "ACQUIRED", "Beta", date="2019-10")
    people.state("Beta", "REPORTED", object_text="3.6 percent", description="Beta lost 3.6 percent.")
    assert graphs.contradictions(shared) == {}
    graphs.remove(shared, one)  # both ends are claimed by the fact
    assert shown_facts(shared)[0] == row
    assert [row[0] for row in names(shared)] == ["Acme", "Beta"]
    says(shared, "/1", entity("Acme"), entity("Beta"))
    people.retract(fact)
    assert [one[0] for one in shown_facts(shared)] == ["REPORTED"]
    body = shared.fetch("SELECT content FROM context_items WHERE drive = 'agent'")[0][0]
    assert "acquired" not in body and "3.6" in body
    assert people.restore(fact)
    assert shown_facts(shared)[0] == row
    assert graphs.contradictions(shared) == {}
    for found in shared.fetch("SELECT fact_id FROM facts"):
        people.retract(found[0])
    after = graphs.graph(shared)
    assert {name: after[name] for name in before} == before


@pytest.mark.slow
def test_a_fact_in_the_words_of_a_document(shared: Database, people: People) -> None:
    text = "Acme took over all that Beta had."
    quoting = says(shared, "/1", entity("Acme"), text=text)
    says(shared, "/2", entity("Beta"))
    before = graphs.graph(shared)
    (chunk,) = shared.fetch("SELECT id FROM chunks WHERE document_id = ?", [quoting])
    quote = "took over all that Beta had"
    with pytest.raises(UsageError, match="letter for letter"):
        people.state("Acme", "ACQUIRED", "Beta", chunk_id=chunk[0], quote="took over Beta")
    fact = people.state("Acme", "ACQUIRED", "Beta", chunk_id=chunk[0], quote=quote)
    row = ("ACQUIRED", "Acme", "Beta", quote, "disk:/1", "person")
    assert shown_facts(shared) == [row]
    after = graphs.graph(shared)
    says(shared, "/1", entity("Acme"), text=text)  # read again
    assert graphs.graph(shared) == after
    says(shared, "/1", entity("Acme"), text="What Beta had: Acme took over all that Beta had.")
    assert shown_facts(shared) == [row]
    assert graphs.contradictions(shared) == {}
    says(shared, "/1", entity("Acme"), text="These words are gone.")
    assert shown_facts(shared) == []
    again = says(shared, "/1", entity("Acme"), text=text)
    assert shown_facts(shared) == [row]
    graphs.remove(shared, again)
    assert shown_facts(shared) == []
    says(shared, "/1", entity("Acme"), text=text)
    assert graphs.graph(shared) == after
    people.retract(fact)
    assert graphs.graph(shared) == before
    assert graphs.contradictions(shared) == {}


def test_a_machine_s_fact_is_retracted_for_good(shared: Database, people: People) -> None:
    text = "Google bought Fitbit."

    def read() -> int:
        fact = FactCandidate(
            type="ACQUIRED", subject=0, object=1, chunk=1, quote="Google bought Fitbit", start=0, end=20
        )
        return says(shared, "/1", entity("Google"), entity("Fitbit"), text=text, facts=[fact])

    document = read()
    before = graphs.graph(shared)
    ((fact,),) = shared.fetch("SELECT fact_id FROM facts")
    people.retract(fact)
    assert shown_facts(shared) == []
    with pytest.raises(ConflictError, match="restore"):
        people.retract(fact)
    read()
    assert shown_facts(shared) == []
    graphs.remove(shared, document)
    assert graphs.rows_left(shared) == {"former_names": 0} or graphs.rows_left(shared) == {}
    read()
    assert shown_facts(shared) == []
    assert people.restore(fact)
    assert graphs.graph(shared) == before
    with pytest.raises(NotFoundError):
        people.restore(fact)
    with pytest.raises(NotFoundError):
        people.retract("f_0000000000000000")


def test_many_facts_go_to_more_than_one_file(shared: Database, people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_document, "MAX_FILE", 300)
    says(shared, "/1", entity("Acme"))
    found = [people.state("Acme", "SAID", object_text=f"number {number}" * 5) for number in range(6)]
    assert len(set(found)) == 6 == len(shown_facts(shared))
    files = [row[0] for row in shared.fetch("SELECT path FROM context_items WHERE drive = 'agent' ORDER BY 1")]
    assert files == ["/annotations/facts-2.md", "/annotations/facts.md"]
    people.retract(found[0])
    assert people.restore(found[0])
    assert len(shown_facts(shared)) == 6


# --- whatever the order --------------------------------------------------------------------------------------------

NAMES = ("Alpha", "Alpha Inc.", "Beta", "Gamma Rho Iota", "GRI", "Ann Lee", "A. Lee", "Delta")
WORDS = "Alpha met Beta and Delta."
candidates = st.builds(
    EntityCandidate,
    name=st.sampled_from(NAMES),
    type=st.sampled_from(["Organization", "Person", "Concept"]),
    aliases=st.lists(st.sampled_from(NAMES), max_size=1),
    description=st.sampled_from(["", "Short.", "Longer text."]),
    confidence=st.sampled_from([0.3, 0.9]),
    declared=st.sampled_from([False, False, True]),
)


@st.composite
def extractions(draw: st.DrawFn) -> Extraction:
    found = draw(st.lists(candidates, min_size=1, max_size=3))
    index = st.integers(0, len(found) - 1)
    facts = [
        FactCandidate(
            type="KNOWS", subject=draw(index), object=draw(index), chunk=1, quote="Alpha met Beta", start=0, end=14
        )
        for _ in range(draw(st.integers(0, 2)))
    ]
    mentions = [Mention(entity=number, chunk=1) for number in range(len(found))]
    return Extraction(extractor="test", entities=found, facts=facts, mentions=mentions)


ACTIONS = ("merge", "rename", "retype", "describe", "make", "state", "quote", "retract", "undo", "add", "remove")


class Play:
    """A random game of people and documents on one store."""

    def __init__(self, database: Database, documents: dict[int, Extraction]) -> None:
        self.database, self.people, self.documents = database, People(database), dict(documents)
        self.retracted: list[str] = []
        for number, extraction in self.documents.items():
            self.put(number, extraction)

    def put(self, number: int, extraction: Extraction) -> None:
        graphs.put(self.database, f"/d{number}", graphs.parsed([WORDS], title=f"d{number}"), extraction)

    def step(self, data: st.DataObject, action: str, number: int) -> None:
        slugs = [row[0] for row in self.database.fetch("SELECT slug FROM entities ORDER BY name, id")]
        if action == "add":
            place = data.draw(st.integers(0, 3))
            self.documents[place] = data.draw(extractions())
            self.put(place, self.documents[place])
        elif action == "remove":
            for place in list(self.documents)[:1]:
                del self.documents[place]
                graphs.remove(
                    self.database,
                    *(row[0] for row in self.database.fetch(f"SELECT id FROM context_items WHERE path = '/d{place}'")),
                )
        elif action == "undo":
            rows = self.database.fetch(
                "SELECT id FROM annotations WHERE undone_at IS NULL AND kind NOT IN ('fact', 'retract') ORDER BY id"
            )
            if rows:
                self.people.undo(data.draw(st.sampled_from(rows))[0])
        elif action == "make":
            self.people.make(f"Made {number}")
        elif slugs:
            one, other = data.draw(st.sampled_from(slugs)), data.draw(st.sampled_from(slugs))
            if action == "merge":
                self.people.merge(one, other)
            elif action == "rename":
                self.people.rename(one, data.draw(st.sampled_from([f"Named {number}", *NAMES])))
            elif action == "retype":
                self.people.retype(one, data.draw(st.sampled_from(["Person", "Kind"])))
            elif action == "describe":
                self.people.describe(one, f"Said {number}.")
            elif action == "state":
                self.people.state(one, "LIKES", other)
            elif action == "quote":
                chunks = self.database.fetch("SELECT c.id FROM chunks c WHERE text = ? ORDER BY document_id", [WORDS])
                if chunks:
                    self.people.state(one, "MET", other, chunk_id=chunks[0][0], quote="met Beta and")
            else:
                for (fact,) in self.database.fetch("SELECT fact_id FROM facts ORDER BY fact_id LIMIT 1"):
                    self.people.retract(fact)

    def resolving(self) -> set[str]:
        """All slugs that lead to an entity."""
        return {row[0] for row in self.database.fetch("SELECT slug FROM entities UNION SELECT slug FROM former_names")}

    def unheard(self) -> list[str]:
        """The last description that people gave, if it is not shown; unless entities were made one."""
        if self.database.fetch("SELECT 1 FROM annotations WHERE undone_at IS NULL AND kind IN ('merge', 'rename')"):
            return []
        return [
            row[0]
            for row in self.database.fetch(
                "SELECT value FROM annotations WHERE id = (SELECT max(id) FROM annotations WHERE kind = 'describe'"
                " AND undone_at IS NULL) AND value NOT IN (SELECT description FROM entities)"
            )
        ]

    def withdraw(self) -> None:
        """Take back all that people said."""
        for (fact,) in self.database.fetch("SELECT fact_id FROM facts WHERE extractor = 'person'"):
            self.people.retract(fact)
        rows = self.database.fetch(
            "SELECT DISTINCT fact_id FROM annotations r WHERE kind = 'retract' AND undone_at IS NULL AND NOT EXISTS"
            " (SELECT 1 FROM annotations f WHERE f.kind = 'fact' AND f.fact_id = r.fact_id)"
        )
        for (fact,) in rows:
            self.people.restore(fact)
        while self.database.fetch(
            "SELECT 1 FROM annotations WHERE undone_at IS NULL AND kind NOT IN ('fact', 'retract')"
        ):
            self.people.undo()
        graphs.remove(
            self.database,
            *(row[0] for row in self.database.fetch("SELECT id FROM context_items WHERE drive = 'agent'")),
        )


several = st.lists(st.sampled_from(ACTIONS[:8]), min_size=1, max_size=5)
documents_given = st.dictionaries(st.integers(0, 3), extractions(), min_size=1, max_size=3)


@pytest.mark.long
@settings(max_examples=rounds(4, 40), deadline=None)
@given(documents=documents_given, actions=st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=8), data=st.data())
def test_taking_all_back_leaves_what_the_machine_says(
    shared: Database, documents: dict[int, Extraction], actions: list[str], data: st.DataObject
) -> None:
    graphs.empty(shared)
    play = Play(shared, documents)
    for number, action in enumerate(actions):
        before = play.resolving()
        with contextlib.suppress(UsageError, ConflictError):
            play.step(data, action, number)
        assert graphs.contradictions(shared) == {}, action
        assert action in ("add", "remove", "undo") or before <= play.resolving(), action
        assert play.unheard() == []
    play.withdraw()
    assert graphs.contradictions(shared) == {}
    left = graphs.graph(shared, slugs=False)
    graphs.empty(shared)
    # Ties between documents fall by the number of their row: in the order in which they came last.
    for number, extraction in play.documents.items():
        play.put(number, extraction)
    assert left == graphs.graph(shared, slugs=False)


@pytest.mark.long
@settings(max_examples=rounds(3, 30), deadline=None)
@given(
    documents=documents_given, actions=st.lists(st.sampled_from(ACTIONS[:8]), min_size=1, max_size=5), data=st.data()
)
def test_reading_all_again_changes_nothing(
    shared: Database, documents: dict[int, Extraction], actions: list[str], data: st.DataObject
) -> None:
    graphs.empty(shared)
    play = Play(shared, documents)
    for number, action in enumerate(actions):
        with contextlib.suppress(UsageError, ConflictError):
            play.step(data, action, number)
    said = graphs.graph(shared, slugs=False)
    for number in data.draw(st.permutations(list(play.documents))):
        play.put(number, Extraction(extractor="test"))
        assert graphs.contradictions(shared) == {}
    for number in data.draw(st.permutations(list(play.documents))):
        play.put(number, play.documents[number])
    assert graphs.contradictions(shared) == {}
    assert graphs.graph(shared, slugs=False) == said


# --- how people call things, and documents that come meanwhile ------------------------------------------------------


def test_what_a_text_may_mean(shared: Database, people: People) -> None:
    says(shared, "/1", entity("Columbia Broadcasting System", "Organization", "CBS"))
    says(shared, "/2", entity("Central Bureau of Statistics", "Organization", "CBS"), entity("Ann Lee", "Person"))
    people.rename("Ann_Lee", "Ann Leigh")

    def meant(text: str) -> list[str]:
        with shared.read() as cursor:
            return [one.slug for one in entity_names.entities_named(cursor, text, name_key(text))]

    assert meant("CBS") == ["Central_Bureau_of_Statistics", "Columbia_Broadcasting_System"]
    for text in ("Ann_Leigh", "ann leigh", "Ann_Lee", "ANN_LEE", "ann lee", f"entity:{people.id('Ann_Leigh')}"):
        assert meant(text) == ["Ann_Leigh"], text
    assert meant("Nobody") == [] == meant("99999999")
    with shared.read() as cursor:
        assert entity_names.entities_near(cursor, "Ann Leight") == ["Ann_Leigh"]
        assert entity_names.entities_near(cursor, "bureau of statistics")[0] == "Central_Bureau_of_Statistics"


def test_while_documents_are_added_and_read_again(pipeline: Pipeline, database: Database, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(12):
        (docs / f"{number:02}.md").write_text(f"# Note {number}\nAcme acquired Firm {'abcdefghijkl'[number]}.\n")
    people, retracted = People(database), set[str]()

    def meanwhile() -> None:
        names = {row[0] for row in database.fetch("SELECT slug FROM entities")}
        if "Acme" in names and not people.database.fetch("SELECT 1 FROM annotations"):
            people.rename("Acme", "Acme Works")
            people.describe("Acme", "Said.")
            ((fact,),) = database.fetch("SELECT fact_id FROM facts ORDER BY fact_id LIMIT 1")
            people.retract(fact)
            retracted.add(fact)

    pipeline._on_commit = meanwhile
    pipeline.add(AddRequest(paths=[docs]))
    pipeline.add(AddRequest(paths=[docs]))
    assert len(retracted) == 1
    for again in (False, True):
        if again:  # every document is read anew
            database.write(lambda cursor: cursor.execute("UPDATE context_items SET extracted_gen = 0"))
            pipeline.resume()
        assert database.fetch("SELECT name, slug, description FROM entities WHERE by_person") == [
            ("Acme Works", "Acme_Works", "Said.")
        ]
        facts = {row[0] for row in database.fetch("SELECT fact_id FROM facts")}
        assert len(facts) == 11 and not facts & retracted
        assert graphs.contradictions(database) == {}
    pipeline.remove([row[0] for row in database.fetch("SELECT id FROM context_items")])
    assert database.fetch("SELECT slug, description FROM entities") == [("Acme_Works", "Said.")]
    assert database.fetch("SELECT * FROM retracted_facts") == []
    pipeline.add(AddRequest(paths=[docs]))
    assert len(database.fetch("SELECT fact_id FROM facts")) == 11
