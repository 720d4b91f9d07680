"""What the keyword index makes of texts and queries: words of many languages and scripts are found by their forms."""

from __future__ import annotations

import time
from pathlib import Path

import lancedb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.index_records import IndexRow
from kgfs.store.index.terms import analyse, query_terms
from kgfs.store.index.vectors import VectorStore

TEXTS = {
    "de": "Die Häuser der Altstadt wurden im Mittelalter gebaut, und die Bürgermeisterin eröffnete das Museum.",
    "fr": "Les maisons de la vieille ville datent du Moyen Âge et les chevaux paissaient devant les portes.",
    "es": "Las casas del casco antiguo son de la Edad Media y los caballos pastaban delante de las puertas.",
    "it": "Le case del centro storico risalgono al Medioevo e i cavalli pascolavano davanti alle porte.",
    "pt": "As casas do centro histórico são da Idade Média e os cavalos pastavam diante das portas.",
    "nl": "De huizen in de oude stad zijn in de middeleeuwen gebouwd en de paarden stonden voor de poorten.",
    "sv": "Husen i gamla stan byggdes under medeltiden och hästarna stod utanför portarna hela natten.",
    "ru": "Дома в старом городе построены в Средние века, а лошади паслись за городскими воротами.",
    "el": "Τα σπίτια της παλιάς πόλης χτίστηκαν τον Μεσαίωνα.",
    "ar": "بنيت بيوت المدينة القديمة في العصور الوسطى",
    "he": "בתי העיר העתיקה נבנו בימי הביניים",
    "zh": "人工智能是计算机科学的一个分支，研究如何制造智能机器。",
    "ja": "人工知能とは、計算機科学の一分野である。コンピュータで知能を作る。",
    "ko": "인공지능은 컴퓨터 과학의 한 분야로서 기계의 지능을 연구한다.",
    "th": "ปัญญาประดิษฐ์เป็นสาขาหนึ่งของวิทยาการคอมพิวเตอร์",
    "hi": "पुराने शहर के मकान मध्य युग में बने थे",
}
ENGLISH = [
    "The houses of the old town were built in the Middle Ages, and the mayor opened the museum.",
    "Die casting is a process in which metal is pressed into a mould; the dies are made of steel.",
    "Get-Process | Where-Object Name -eq pwsh",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> VectorStore:
    store = VectorStore(tmp_path_factory.mktemp("index"), 8)
    texts = [*TEXTS.values(), *ENGLISH]
    store.put_texts("chunk", [IndexRow(id=number, gen=1, title="", text=text) for number, text in enumerate(texts, 1)])
    return store


def first(store: VectorStore, query: str) -> str:
    """The language of the text that is found first; the text itself for an English one."""
    found = store.keyword("chunk", query, 5).ids
    return [*TEXTS, *ENGLISH][found[0] - 1] if found else ""


@pytest.mark.parametrize(
    ("language", "queries"),
    [
        ("de", ["Haus Altstadt", "Häusern der Altstadt", "HAUS mittelalter", "ha\u0308user altstadt"]),
        ("de", ["Bürgermeisterinnen", "Burgermeisterin", "Mittelalters"]),
        ("fr", ["maison cheval", "chevaux", "la vieille porte", "MOYEN age"]),
        ("es", ["casa caballo", "puerta antigua", "los caballos"]),
        ("it", ["casa cavallo", "porta del centro", "cavalli"]),
        ("pt", ["cavalo porta", "casas historicas do centro histórico", "cavalos"]),
        ("nl", ["huis paard", "paarden", "poort stad"]),
        ("sv", ["häst", "hästar", "hästen"]),
        ("ru", ["дом", "домов", "лошадь", "лошадей", "в старых городах", "ЛОШАДЯМИ"]),
        ("el", ["σπίτι", "σπιτια", "παλιά πόλη"]),
        ("ar", ["مدينة", "مدينة قديمة", "العُصُور"]),
        ("he", ["העיר", "הביניים"]),
        ("zh", ["人工智能", "计算机", "智能机器", "机 器", "分支"]),
        ("ja", ["人工知能", "コンピュータ", "ｺﾝﾋﾟｭｰﾀ", "計算機科学"]),
        ("ko", ["인공지능", "컴퓨터", "기계 지능"]),
        ("th", ["ปัญญาประดิษฐ์", "คอมพิวเตอร์"]),
        ("hi", ["मकान", "पुराने शहर"]),
        (ENGLISH[0], ["house town", "mayors", "ma\u200byor", "ｍａｙｏｒ"]),
        (ENGLISH[1], ["die", "steel casting"]),
        (ENGLISH[2], ["get-process", "pwsh"]),
    ],
)  # fmt: skip
def test_a_text_is_found_by_the_forms_of_its_words(store: VectorStore, language: str, queries: list[str]) -> None:
    assert {query: first(store, query) for query in queries} == dict.fromkeys(queries, language)


def test_words_that_say_nothing_find_nothing(store: VectorStore) -> None:
    assert [first(store, query) for query in ("the of and a", "\u200b", "…", "🙂")] == ["", "", "", ""]
    assert first(store, "wie ist das mit der") == ""


def test_a_page_in_two_languages_is_stemmed_by_paragraph() -> None:
    english = "The houses of the old town were built in the Middle Ages, and the mayor opened the museum of horses."
    analysed = analyse("Altstadt", f"{english}\n\n{TEXTS['de']}\n\n{TEXTS['zh']}")
    terms = analysed.text.split()
    assert analysed.languages == "de"
    assert {"hous", "hors", "haus", "burgermeist", "人工", "智能"} <= set(terms)
    assert not {"the", "die", "der"} & set(terms)


def test_english_needs_no_other_language() -> None:
    assert analyse("", " ".join(ENGLISH)).languages == ""
    assert query_terms("the wages of workers", []) == ["wage", "worker"]
    assert query_terms("wages", ["de"]) == ["wage", "wag"]
    assert query_terms("most", ["pl"]) == ["most"], "a bridge"
    assert query_terms("the most of the wages", ["pl"])[0] == "wage"


def test_languages_are_known_again_when_the_index_is_opened(tmp_path: Path) -> None:
    VectorStore(tmp_path, 8).put_texts("chunk", [IndexRow(id=1, gen=1, title="", text=TEXTS["de"])])
    assert VectorStore(tmp_path, 8).keyword("chunk", "Häusern", 5).ids == [1]


def test_an_index_of_other_terms_is_made_anew(tmp_path: Path) -> None:
    """The rows of an index that another version made are not asked for; the service sees that they are gone."""
    store = VectorStore(tmp_path, 8)
    store.put_texts("chunk", [IndexRow(id=1, gen=1, title="", text="wages")])
    store.put_vectors("chunk", [IndexRow(id=1, gen=1, title="", text="wages")], np.ones((1, 8), np.float32), "m")
    before = store.state()
    database = lancedb.connect(str(tmp_path))
    old = database.open_table("chunk_text")
    rows = old.search().limit(10).to_arrow()
    database.drop_table("chunk_text")
    database.create_table("chunk_text", rows.replace_schema_metadata({"terms": "another"}))
    after = VectorStore(tmp_path, 8).state()
    assert (before.texts["chunk"], after.texts["chunk"]) == (1, 0)
    assert after.identities["chunk_text"] != before.identities["chunk_text"]
    assert after.identities["chunk_vectors"] == before.identities["chunk_vectors"]


@given(st.text(max_size=400))
def test_any_text_has_terms_that_a_query_of_its_words_asks_for(text: str) -> None:
    """Terms have no white space, and a query of the words of a text asks for terms that it has."""
    held = analyse("", text)
    terms = held.text.split(" ") if held.text else []
    assert all(term and not any(sign.isspace() for sign in term) for term in terms)
    asked = query_terms(text, held.languages.split())
    assert set(asked) & set(terms) or not terms


def test_thousands_of_passages_a_second() -> None:
    """What analysis costs is little beside the rest of ingestion (0.1 s a passage), in other languages too."""
    analyse("", TEXTS["de"])
    passages = [f"{number} " + " ".join([*ENGLISH[:2], TEXTS["de"], TEXTS["ru"]] * 2) for number in range(200)]
    started = time.process_time()
    for passage in passages:
        analyse("Title", passage)
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("Hot fixes and roll-backs.", "rollback", True),
        ("Hot fixes and rollbacks.", "roll-back", True),
        ("Write an e-mail.", "email", True),
        ("Write an email.", "e-mail", True),
        ("Ein Rück-Lauf der Post.", "zurück", False),
        ("state-of-the-art lamps", "stateofthe", False),
    ],
)
def test_two_words_with_a_hyphen_are_also_one(text: str, query: str, found: bool) -> None:
    terms = set(analyse("", text).text.split())
    assert bool(terms & set(query_terms(query, []))) == found
