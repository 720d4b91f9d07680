"""A folder of odd documents, ingested by the real extractor: no crash, no entity that swallows others, nothing slow.

Odd are titles (a date, a URL, an emoji, 300 characters), names that are common words, pages of one name, redirects,
links whose words are all different, large and merged tables, pages in two languages, and questions.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgfs.calls import SearchCalls
from kgfs.config import Config
from kgfs.documents.formats.parsing import parse_document
from kgfs.errors import QueryError
from kgfs.extraction import extractor
from kgfs.extraction.extractor import extract
from kgfs.index_records import IdFilter, IndexRow, Ranking
from kgfs.model import EntityCandidate, Extraction, Gazetteer, GazetteerEntry, ParsedDocument
from kgfs.pipeline import kept_gazetteer
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest
from kgfs.search.query import SearchRequest
from kgfs.search.rows import CatalogRows
from kgfs.search.searcher import Searcher
from kgfs.service.health.state import failed_items
from kgfs.store.catalog.database import Database
from kgfs.store.index.vectors import VectorStore
from tests.local_worker import LocalWorker
from tests.new_stores import new_store
from tests.rounds import rounds

LONG = "The Long Report on Everything That Was Said and Done in the Northern District " * 4
LABELS = [
    "here", "this page", "learn more", "Click here", "what they did", "Settings", "Account", "the company",
    "its founder", "a well-known one", "See also", "Read more", "more", "→", "1", "Rates", "it", "Next", "Home",
    "Details",
]  # fmt: skip
FOLDER = {
    "2023-07-10.md": "# 2023-07-10\n\nWe met on 2023-07-10 and spoke of wages. The next meeting is on 2023-07-17.\n",
    "10 July 2023.md": "# Monday, 10 July 2023\n\nOn Monday, 10 July 2023, wages were spoken of.\n",
    "url.md": "# https://example.com/a/b?c=d#e\n\nThe page https://example.com/a/b?c=d#e was moved.\n",
    "emoji.md": "# 🚀🔥\n\nThe launch 🚀🔥 was a success.\n",
    "🎉.md": "A party 🎉 without a title.\n",
    "long.md": f"# {LONG.strip()}\n\nA report with a long title.\n",
    "planets/Mercury.md": "# Mercury\n\nMercury is the first planet from the Sun. Mercury has no moon.\n",
    "metals/Mercury.md": "# Mercury\n\nMercury is a chemical element. Thermometers were filled with mercury.\n",
    "redirect.md": "# Acme\n\n#REDIRECT [[Acme Works]]\n",
    "circle one.md": "# Circle One\n\n#REDIRECT [[Circle Two]]\n",
    "circle two.md": "# Circle Two\n\n#REDIRECT [[Circle One]]\n",
    "itself.md": "# Itself Page\n\n#REDIRECT [[Itself Page]]\n",
    "Acme Works.md": "# Acme Works\n\nAcme Works is a company in Boston. Acme Works was founded in 1901.\n",
    "Rose.md": "# Rose\n\nRose is an American singer. Rose was born in Boston.\n",
    "The Hero.md": "# The Hero\n\nThe Hero is a 1966 film directed by Satyajit Ray.\n",
    "It.md": "# It\n\nIt is a 1990 film based on a novel.\n",
    "Will.md": "# Will\n\nWill is a town in Nevada.\n",
    "May.md": "# May\n\nMay is a river in Africa.\n",
    "The.md": "# The\n\nThe is an English rock band.\n",
    "A.md": "# A\n\nA is the first letter.\n",
    "People.md": "# People\n\nPeople is an American magazine.\n",
    "merged.html": (
        "<h1>Plants</h1><table><tr><th rowspan=2>Name</th><th colspan=2>Output</th></tr><tr><th>2019</th>"
        "<th>2020</th></tr><tr><td rowspan=3>North</td><td>1</td><td>2</td></tr><tr><td colspan=9>3</td></tr>"
        "<tr></tr></table>"
    ),
    "two.md": (
        "# Two languages\n\nAcme Works is a company in Boston.\n\nDie Firma Acme Works sitzt in Boston und baut"
        " Maschinen, sagte Sprecher Hans Müller am Montag.\n"
    ),
    "empty.md": "",
    "only title.md": "# Only a Title\n",
    "unclosed.md": '---\ntitle: "never closed\ntype: [a, b\n---\n# Unclosed\n\nText.\n',
}  # fmt: skip
ORDINARY = {
    f"ordinary {number}.md": (
        f"# Report {number}\n\nWages rose in district {number}. Prices rose too. It was said that the hero of the day"
        " will come in May, and people met. The mercury fell. Rose bushes grew. It will rain. May it end. People say"
        " so. Will it? A day passed. Roses are red.\n"
    )
    for number in range(12)
}
LINKS = {
    f"links/note {number}.md": f"# Note on thing {number}\n\nSee [[Acme Works|{label}]], and [[Rose|{label}]] of it.\n"
    for number, label in enumerate(LABELS)
}


class RealWorker(LocalWorker, SearchCalls):
    """Extracts as the worker does, and has a real keyword index; no vectors."""

    def __init__(self, place: Path) -> None:
        super().__init__(place / "log")
        self.index = VectorStore(place / "vectors", 8)

    def extract(self, document: ParsedDocument, gazetteer: Gazetteer) -> Extraction:
        return extract(document, gazetteer)

    def index_texts(self, kind: str, rows: Sequence[IndexRow]) -> None:
        self.index.put_texts(kind, rows)
        super().index_texts(kind, rows)

    def index_vectors(self, kind: str, rows: Sequence[IndexRow]) -> None:
        self.index.put_texts(kind, rows)
        super().index_vectors(kind, rows)

    def keyword(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None
    ) -> dict[str, Ranking]:
        return {kind: self.index.keyword(kind, query, limit, (where or {}).get(kind)) for kind in kinds}


class Odd:
    """The folder as a graph."""

    def __init__(self, database: Database, worker: RealWorker, failed: list[str]) -> None:
        self.database, self.worker, self.failed = database, worker, failed

    def entities(self) -> dict[str, str]:
        return dict(self.database.fetch("SELECT name, type FROM entities"))

    def names(self, name: str) -> set[str]:
        """All names of the entity that has a name."""
        rows = self.database.fetch(
            "SELECT e.name, a.alias FROM entities e LEFT JOIN entity_aliases a ON a.entity_id = e.id"
            " WHERE e.id IN (SELECT id FROM entities WHERE name = $1 UNION"
            " SELECT entity_id FROM entity_aliases WHERE alias = $1)",
            [name],
        )
        return {one for row in rows for one in row if one}

    def documents(self, name: str) -> set[str]:
        """The documents that an entity is mentioned in."""
        return {
            Path(path).name
            for (path,) in self.database.fetch(
                "SELECT DISTINCT i.path FROM entity_chunks m JOIN entities e ON e.id = m.entity_id"
                " JOIN context_items i ON i.id = m.document_id WHERE e.name = $1",
                [name],
            )
        }


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Odd]:
    place = tmp_path_factory.mktemp("odd")
    for name, text in {**FOLDER, **ORDINARY, **LINKS}.items():
        path = place / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    worker = RealWorker(place)
    with new_store(place / "store") as database:
        summary = Pipeline(database, worker, Config()).add(AddRequest(paths=[place / "folder"]))
        yield Odd(database, worker, [failure.error for failure in summary.failed])


@pytest.mark.slow
def test_every_document_is_there(odd: Odd) -> None:
    assert odd.failed == []
    assert odd.database.fetch("SELECT count(*) FROM documents") == [(len(FOLDER) + len(ORDINARY) + len(LINKS),)]
    slugs = [slug for (slug,) in odd.database.fetch("SELECT slug FROM documents UNION ALL SELECT slug FROM entities")]
    assert all(slug and len(slug.encode()) <= 200 and "/" not in slug for slug in slugs)
    (waiting,) = odd.database.fetch("SELECT count(*) FROM context_items WHERE extracted_gen < want_gen")[0]
    assert waiting == 0


def test_rules_that_fail_cost_their_findings_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document keeps what others find, and its row says what is missing until it is read without a fault."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "acme.md").write_text("# Acme\n\nAcme is a company. Acme acquired Beta Works in 2019.\n")
    (tmp_path / "folder" / "title.md").write_text("# Gamma\n\nGamma is a company.\n")
    stated = kept_gazetteer.stated_names

    def stated_names(document: ParsedDocument) -> list[EntityCandidate]:
        if document.title == "Gamma":
            raise ValueError("no title")
        return stated(document)

    with new_store(tmp_path / "store") as database, monkeypatch.context() as patched:
        patched.setattr(kept_gazetteer, "stated_names", stated_names)
        patched.setattr(extractor, "document_links", lambda document: [][1])
        worker = RealWorker(tmp_path)
        summary = Pipeline(database, worker, Config()).add(AddRequest(paths=[tmp_path / "folder"]))
        told = "because rules failed on it: links (IndexError: list index out of range); report that with the text."
        assert [failure.error.endswith(told) for failure in summary.failed] == [True, True]
        assert [item["error"] for item in failed_items(database)] == [failure.error for failure in summary.failed]
        rows = "SELECT count(*) FROM facts WHERE type = 'ACQUIRED'"
        assert database.fetch(rows) == [(1,)]
        patched.undo()
        database.write(lambda cursor: cursor.execute("UPDATE context_items SET extracted_gen = 0"))
        Pipeline(database, worker, Config()).resume()
        assert failed_items(database) == []
        assert database.fetch(rows) == [(1,)]


def test_dates_addresses_and_signs_are_no_entities(odd: Odd) -> None:
    wrong = [
        name
        for name in odd.entities()
        if len(name) > 160
        or not re.search(r"[^\W\d_]", name)
        or re.search(r"https?:|\d{4}-\d\d|July 2023", name)
        or name.casefold() in {label.casefold() for label in LABELS} - {"it"}
    ]
    assert wrong == []


def test_a_name_that_is_a_common_word_stays_where_it_is_a_name(odd: Odd) -> None:
    """Twelve texts say *rose*, *the hero*, *will*, *it* and *may*: none of them speaks of the pages of these names."""
    wrong = {
        name: len(found)
        for name in odd.entities()
        if (found := [one for one in odd.documents(name) if one.startswith("ordinary")])
    }
    assert wrong == {}


def test_links_give_no_name_that_is_none(odd: Odd) -> None:
    """Two pages are linked in twenty words each, the same for both: neither is called by them, nor are they one."""
    labels = {label.casefold() for label in LABELS}
    for name in ("Acme Works", "Rose"):
        assert {one.casefold() for one in odd.names(name)} & labels == set(), name
    assert "Rose" not in odd.names("Acme Works")
    assert len(odd.documents("Acme Works")) >= len(LINKS)


def test_redirects_are_other_names(odd: Odd) -> None:
    assert odd.names("Acme Works") <= {"Acme Works", "Acme"}
    assert odd.names("Circle One") <= {"Circle One", "Circle Two"}


def test_no_entity_swallows_others(odd: Odd) -> None:
    names = dict(
        odd.database.fetch("SELECT name, count(*) FROM entity_aliases JOIN entities ON id = entity_id GROUP BY ALL")
    )
    assert names.pop("United States") == 4  # U.S., USA, America, and in full
    assert all(count <= 3 for count in names.values()), names
    assert odd.entities().get("Acme Works") == "Organization"


def test_a_page_in_two_languages_invents_nothing(odd: Odd) -> None:
    assert not {"Firma", "Sprecher Hans Müller", "Maschinen", "Montag", "Die Firma Acme Works"} & odd.entities().keys()


# --- questions -----------------------------------------------------------------------------------------------------

QUESTIONS = [
    "what did Acme Works do " * 220, "x" * 5000, "人工智能" * 1250, "the of and a to in", "what is the", "der die das",
    "Πού είναι η εταιρεία;", "ที่ไหนคือบริษัท", "أين تقع الشركة؟", "היכן החברה?", "🚀", "🚀🔥 👩‍👩‍👧‍👦",
    "zero\u200bwidth\u200d \ufeffAcme",
    "\u202eemca\u202c", "\u0301\u0301\u0301a", "a\u0300" * 2500, "A" * 300 + " Works", "Acme\u00a0Works",
    "ﬁlm", "ＡＣＭＥ",
    "½ ² ①", "İstanbul ıI", "ß ẞ SS", "\U000e0001\U000e0041tag", "٣٤٥", "한국어 질문", "क्या है",
    "'; DROP TABLE chunks; --", "%2F%00",
    "-Acme +Works \"quoted", "/", "..", "limit=5",
]  # fmt: skip


@pytest.fixture(scope="module")
def searcher(odd: Odd) -> Iterator[Searcher]:
    one = Searcher(odd.worker, CatalogRows(odd.database))
    yield one
    one.close()


def ask(searcher: Searcher, question: str) -> list[str]:
    try:
        return [hit.snippet for hit in searcher.search(SearchRequest(query=question, hybrid=False)).hits]
    except QueryError:
        return []


@pytest.mark.parametrize("question", QUESTIONS, ids=range(len(QUESTIONS)))
def test_any_question_has_an_answer_soon(searcher: Searcher, question: str) -> None:
    started = time.process_time()
    found = ask(searcher, question)
    assert time.process_time() - started < 2.0
    assert all(len(snippet) <= 240 for snippet in found)


def test_what_is_seen_is_what_is_searched(searcher: Searcher) -> None:
    """Zero-width signs, marks of direction and full-width letters change nothing of what is found."""
    plain = ask(searcher, "Acme Works")
    assert plain
    for same in ("Ac\u200bme Works", "\ufeffAcme\u00a0Works", "\u202aAcme\u202c Works"):
        assert ask(searcher, same) == plain
    assert any("Acme Works" in snippet for snippet in ask(searcher, "ＡＣＭＥ ｗｏｒｋｓ"))
    assert ask(searcher, "the of and a to in") == []


@pytest.mark.long
@settings(max_examples=rounds(30, 60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(
        st.sampled_from("กขคงจ ปัญญาابتثج אבגדה 🙂🚀\u200b\u200d\u202e\u0301 αβγ 漢字カナ한글 aB9-_/'\"%."), max_size=80
    )
)
def test_questions_in_any_script(searcher: Searcher, question: str) -> None:
    ask(searcher, question)


# --- what a document may cost --------------------------------------------------------------------------------------


def parsed(text: str, name: str = "x.md") -> ParsedDocument:
    return parse_document(text.encode(), name, mtime_ns=None, config=Config())


def table_of_many_rows(size: int) -> str:
    rows = "".join(f"| Plant {number} | {number} | Boston |\n" for number in range(10 * size))
    return f"# Plants\n\n| Name | Output | City |\n|---|---|---|\n{rows}"


def links_in_other_words(size: int) -> str:
    return "# Links\n\n" + " ".join(f"See [[Thing {n % 7}|word {n} Word{n}]]." for n in range(4 * size))


def one_name_in_every_form(size: int) -> str:
    return "# Acme\n\n" + " ".join(f"Acme {'Works ' * (n % 9)}({'A' * (n % 6 + 2)}{n}) rose." for n in range(3 * size))


def signs_without_space(size: int) -> str:
    return "# 人工智能\n\n" + "人工智能是计算机科学的一个分支" * (4 * size)


def capitals_without_end(size: int) -> str:
    return "# Capitals\n\n" + "The Big Old Company of New York and Boston " * size


def deep_headings(size: int) -> str:
    return "\n\n".join(f"{'#' * (n % 6 + 1)} Heading {n}\n\nAcme {n} bought Beta {n}." for n in range(2 * size))


@pytest.mark.long
@pytest.mark.parametrize(
    "written",
    [
        table_of_many_rows, links_in_other_words, one_name_in_every_form, signs_without_space, capitals_without_end,
        deep_headings,
    ],
)  # fmt: skip
def test_a_document_costs_what_it_is_long(written: Callable[[int], str]) -> None:
    """Twice as much text takes about twice as long, and no more than the extractor is given for it."""
    names = [GazetteerEntry(name=f"Known Thing {number}", type="Concept", declared=True) for number in range(2000)]
    gazetteer = Gazetteer(entries=[*names, GazetteerEntry(name="人工", type="Concept", declared=True)])

    def spent(size: int) -> float:
        document = parsed(written(size))
        started = time.process_time()
        extract(document, gazetteer)
        return time.process_time() - started

    spent(10)
    size = rounds(100, 250)
    small, large = spent(size), spent(4 * size)
    assert large < 8 * small + 0.5, (small, large)


@pytest.mark.slow
@pytest.mark.long
def test_a_table_of_ten_thousand_rows() -> None:
    """In a short run of 3,000."""
    thousands = rounds(3, 10)
    document = parsed(table_of_many_rows(100 * thousands))
    started = time.process_time()
    found = extract(document)
    assert time.process_time() - started < 3.0 * thousands
    assert len({entity.name for entity in found.entities}) == len(found.entities)


TITLES = st.one_of(
    st.text(max_size=320),
    st.sampled_from(
        ["2023-07-10", "https://example.com", "🚀", "[[x]]", "a/b", "#", "...", "The", "Rose", "人", "\u202e"]
    ),
)


@pytest.mark.long
@settings(max_examples=rounds(40, 80), deadline=None)
@given(TITLES, st.text(max_size=300), TITLES)
def test_any_title_and_text(title: str, text: str, other: str) -> None:
    """What is found stands where it says, and has a name that can be shown."""
    document = parsed(
        f"---\ntitle: {title!r}\n---\n# {other}\n\n{text}\n\nSee [[{other}|{title}]]. {title} bought {other}.\n"
    )
    found = extract(document)
    chunks = {chunk.ordinal: chunk.text.encode() for chunk in document.chunks}
    for entity in found.entities:
        assert entity.name.strip() and len(entity.name) <= 200
    for mention in found.mentions:
        assert mention.chunk in chunks and 0 <= mention.entity < len(found.entities)
    for fact in found.facts:
        assert chunks[fact.chunk][fact.start : fact.end] == fact.quote.encode()
