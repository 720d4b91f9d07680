"""Documents in other languages than English: names that are declared are found, and nothing is invented."""

from __future__ import annotations

import pytest

from kgfs.config import Config
from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import SPACY, extract, extractor_name
from kgfs.extraction.names.declared.gazetteer import declared_entities, make_gazetteer
from kgfs.extraction.names.declared.pages import page_subject
from kgfs.extraction.names.matching import Matcher, Tokens
from kgfs.model import Extraction, Gazetteer, ParsedDocument

EXTRACTORS = ["patterns", *([SPACY] if extractor_name() == SPACY else [])]

GERMAN = """---
type: Organization
title: Stadtwerke Köln
aliases: [SWK]
---
# Stadtwerke Köln

Die Stadtwerke Köln versorgen seit 1872 die Stadt mit Strom und Wasser. Der Vorstand beschloss am Montag eine neue
Strategie, sagte Sprecher Hans Müller. Die Firma Bosch kaufte 2019 das Unternehmen Acme GmbH. Die Preise stiegen um
5 Prozent. Siehe auch [[Rheinbrücke|Brücke]].

| Name | Aufgabe |
|---|---|
| Anna Schmidt | Leitung |
"""
SPANISH = """# Reunión del consejo

El consejo de Telefónica aprobó el lunes una nueva estrategia. María García dirige el departamento de investigación en
Sevilla desde 2019. El Gobierno de España anunció el Plan Nacional de Vivienda. La empresa Inditex compró Zara Home.
"""
RUSSIAN = """---
type: Person
title: Анна Каренина
aliases: [Анна]
---
Анна Каренина живёт в Москве. Она работает в компании «Ромашка», которую основал Иван Петров. См. [[Лев Толстой]].
"""
JAPANESE = """---
type: 会社
title: 株式会社山田製作所
aliases: [山田製作所]
---
# 株式会社山田製作所

株式会社山田製作所は大阪に本社を置く会社である。社長は[[山田太郎]]です。
"""


def parsed(text: str, name: str = "note.md") -> ParsedDocument:
    return parse_document(text.encode(), name, mtime_ns=None, config=Config())


def names(found: Extraction) -> dict[str, str]:
    return {entity.name: entity.type for entity in found.entities}


@pytest.mark.parametrize("extractor", EXTRACTORS)
@pytest.mark.parametrize(
    ("text", "declared", "allowed"),
    [
        (GERMAN, {"Stadtwerke Köln": "Organization", "Rheinbrücke": "Concept"}, {"Köln"}),
        (SPANISH, {}, {"Reunión del consejo", "Sevilla", "España"}),
        (RUSSIAN, {"Анна Каренина": "Person", "Лев Толстой": "Concept"}, set()),
        (JAPANESE, {"株式会社山田製作所": "会社", "山田太郎": "Concept"}, set()),
    ],
    ids=["German", "Spanish", "Russian", "Japanese"],
)
def test_only_declared_names_and_no_facts(
    text: str, declared: dict[str, str], allowed: set[str], extractor: str
) -> None:
    found = extract(parsed(text), None, extractor)
    assert declared.items() <= names(found).items()
    assert names(found).keys() <= declared.keys() | allowed
    assert found.facts == []
    assert found.unconfirmed == []
    assert [topic.path for topic in found.topics if topic.source == "phrase"] == []


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_a_page_in_two_languages_is_read_in_one(extractor: str) -> None:
    english = "Google acquired DeepMind in January 2014 for $500 million."
    german = "Die Firma Bosch kaufte 2019 das Unternehmen Acme GmbH."
    found = extract(parsed(f"# Notes\n\n{english}\n\n{SPANISH}\n\n{german}\n"), None, extractor)
    assert [fact.type for fact in found.facts] == ["ACQUIRED"]
    assert {"Google", "DeepMind"} <= names(found).keys() <= {"Google", "DeepMind", "Sevilla", "España"}


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_english_with_foreign_names_is_read(extractor: str) -> None:
    text = (
        "José García Márquez founded the Compañía Telefónica in 1924. "
        'The film Les Enfants du Paradis was directed by Marcel Carné ("Le Jour se lève").'
    )
    assert len(names(extract(parsed(text), None, extractor))) >= (2 if extractor == SPACY else 1)


def gazetteer(*texts: str) -> Gazetteer:
    return make_gazetteer(declared_entities(parsed(text)) for text in texts)


@pytest.mark.parametrize(
    ("known", "text", "mentions"),
    [
        (JAPANESE, "昨日、山田製作所の工場を見学した。", {"株式会社山田製作所"}),
        (JAPANESE, "昨日、工場を見学した。", set()),
        (RUSSIAN, "Вчера Анна Каренина приехала в город.", {"Анна Каренина"}),
        (GERMAN, "Gestern besuchten wir die Stadtwerke Köln und den Dom.", {"Stadtwerke Köln"}),
        ("---\ntype: Organization\ntitle: 삼성전자\n---\n", "작년에 삼성전자가 새 공장을 지었다.", {"삼성전자"}),
        ("---\ntype: Concept\ntitle: ปัญญาประดิษฐ์\n---\n", "วิชานี้สอนเรื่องปัญญาประดิษฐ์และสถิติ", {"ปัญญาประดิษฐ์"}),
        ("---\ntype: Organization\ntitle: 清华大学\n---\n", "他毕业于清华大学计算机系。", {"清华大学"}),
    ],
)
def test_names_of_pages_are_found_in_other_pages(known: str, text: str, mentions: set[str]) -> None:
    found = extract(parsed(text), gazetteer(known))
    assert names(found).keys() - {"Köln"} == mentions
    assert {found.entities[mention.entity].name for mention in found.mentions} >= mentions


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("愛", "愛知県は愛の国", []),
        ("アジア", "アジア大会とユーラシアアジア", ["アジア"]),
        ("서울", "서울에서 신서울까지", ["서울"]),
        ("東京", "東京都は東京", ["東京", "東京"]),
        ("iPhone 手机", "新iPhone 手机上市", ["iPhone 手机"]),
        ("Boston", "Boston’s “Boston”", ["Boston", "Boston"]),
    ],
)
def test_names_in_scripts_without_spaces(name: str, text: str, found: list[str]) -> None:
    matcher = Matcher([(name, 1)])
    assert [text[hit.start : hit.end] for hit in matcher.find_names(Tokens(text))] == found


@pytest.mark.parametrize(
    "title",
    ["Einleitung", "Sitzung vom 3. März 2023", "Protokoll 12", "Introducción", "3 mars 2020", "12 août 2020",
     "はじめに", "2023年7月10日", "目录", "Введение", "10 июля 2023", "Reunión 3"],
)  # fmt: skip
def test_titles_of_parts_and_dates_are_no_names(title: str) -> None:
    assert page_subject(parsed(f"# {title}\n\nEs wurde etwas gesagt.\n")) is None


@pytest.mark.parametrize("title", ["Stadtwerke Köln", "Mars", "人工智能", "Лев Толстой", "La Reunión", "삼성전자"])
def test_titles_in_every_language_are_names(title: str) -> None:
    subject = page_subject(parsed(f"# {title}\n\nEtwas steht hier.\n"))
    assert subject is not None and subject.name == title
