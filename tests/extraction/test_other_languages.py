"""Front matter, tables and ``Key: value`` lines in other languages than English: who and what they name."""

# Tables stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.records.foreign_keys import english_word, has_comma
from kgfs.documents.records.record import key_word
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.gazetteer import document_subject, make_gazetteer, stated_names
from kgfs.names import fact_type
from tests.extraction.read_texts import parsed

Fact = tuple[str, str, object]


def facts(text: str) -> set[Fact]:
    """Facts as their subject, type, and object or value."""
    document = parsed(text)
    found = extract(document, make_gazetteer([stated_names(document)]), "patterns")
    names = [entity.name for entity in found.entities]
    return {
        (
            names[fact.subject],
            fact.type,
            names[fact.object]
            if fact.object is not None
            else (fact.value if fact.value is not None else fact.object_text),
        )
        for fact in found.facts
    }


def types(text: str) -> dict[str, str]:
    document = parsed(text)
    found = extract(document, make_gazetteer([stated_names(document)]), "patterns")
    return {entity.name: entity.type for entity in found.entities}


def table(header: str, *rows: str) -> str:
    return "\n".join(f"| {row} |" for row in (header, " | ".join(["---"] * (header.count("|") + 1)), *rows)) + "\n"


@pytest.mark.parametrize(
    ("key", "name", "title", "type_"),
    [
        ("verantwortlich", "Anna Müller", "Projekt Lampe", "RESPONSIBLE_FOR"),
        ("Zuständig", "Anna Müller", "Projekt Lampe", "RESPONSIBLE_FOR"),
        ("autor", "Anna Müller", "Projekt Lampe", "WROTE"),
        ("responsable", "Marie Dupont", "Projet Lampe", "RESPONSIBLE_FOR"),
        ("auteur", "Marie Dupont", "Projet Lampe", "WROTE"),
        ("Encargada", "Lucía Gómez", "Proyecto Lámpara", "RESPONSIBLE_FOR"),
        ("responsabile", "Marco Rossi", "Progetto Lampada", "RESPONSIBLE_FOR"),
        ("responsável", "João Silva", "Projeto Lâmpada", "RESPONSIBLE_FOR"),
        ("автор", "Анна Иванова", "Проект Лампа", "WROTE"),
        ("责任人", "张伟", "灯塔项目", "RESPONSIBLE_FOR"),
        ("作者", "山田太郎", "ランプ計画", "WROTE"),
        ("담당자", "김철수", "램프 프로젝트", "RESPONSIBLE_FOR"),
    ],
)
def test_front_matter_names_who_did_what(key: str, name: str, title: str, type_: str) -> None:
    text = f"---\n{key}: {name}\n---\n# {title}\n\n{title}.\n"
    assert facts(text) == {(name, type_, title)}
    assert types(text)[name] == "Person"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (table("城市 | 人口", "北京 | 21540000", "上海 | 24870000"),
         {("北京", "POPULATION", 21540000.0), ("上海", "POPULATION", 24870000.0)}),
        (table("Stadt | Einwohner", "Berlin | 3.600.000", "München | 1.500.000"),
         {("Berlin", "POPULATION", 3600000.0), ("München", "POPULATION", 1500000.0)}),
        (table("Ville | Population", "Paris | 2 161 000", "Lyon | 516 000"),
         {("Paris", "POPULATION", 2161000.0), ("Lyon", "POPULATION", 516000.0)}),
        (table("Ciudad | Población", "Madrid | 3.300.000", "Sevilla | 680.000"),
         {("Madrid", "POPULATION", 3300000.0), ("Sevilla", "POPULATION", 680000.0)}),
        (table("Город | Население", "Москва | 13 000 000", "Казань | 1 300 000"),
         {("Москва", "POPULATION", 13000000.0), ("Казань", "POPULATION", 1300000.0)}),
        (table("都市 | 人口", "東京 | 1396万", "大阪 | 275万"), {("東京", "POPULATION", "1396万"), ("大阪", "POPULATION", "275万")}),
        (table("도시 | 인구", "서울 | 9,700,000", "부산 | 3,300,000"),
         {("서울", "POPULATION", 9700000.0), ("부산", "POPULATION", 3300000.0)}),
        (table("Mitarbeiter/in | Abteilung", "Anna Müller | Vertrieb", "Hans Meier | Einkauf"),
         {("Anna Müller", "MEMBER_OF", "Vertrieb"), ("Hans Meier", "MEMBER_OF", "Einkauf")}),
        (table("姓名 | 部门 | 职位", "张伟 | 销售部 | 经理", "李娜 | 技术部 | 工程师"),
         {("张伟", "MEMBER_OF", "销售部"), ("张伟", "ROLE", "经理"), ("李娜", "MEMBER_OF", "技术部"), ("李娜", "ROLE", "工程师")}),
        (table("Nom | Prénom | Ville", "Dupont | Marie | Lyon", "Martin | Jean | Paris"),
         {("Marie Dupont", "CITY", "Lyon"), ("Jean Martin", "CITY", "Paris")}),
        (table("Land | Hauptstadt", "Frankreich | Paris", "Italien | Rom"),
         {("Paris", "CAPITAL_OF", "Frankreich"), ("Rom", "CAPITAL_OF", "Italien")}),
        (table("书名 | 作者 | 出版年", "红楼梦 | 曹雪芹 | 1791", "围城 | 钱钟书 | 1947"),
         {("曹雪芹", "WROTE", "红楼梦"), ("红楼梦", "出版年", 1791.0), ("钱钟书", "WROTE", "围城"), ("围城", "出版年", 1947.0)}),
        ("# 灯塔项目\n\n负责人：张伟\n状态：进行中\n\n这是一个项目。\n",
         {("张伟", "RESPONSIBLE_FOR", "灯塔项目"), ("灯塔项目", "STATUS", "进行中")}),
        ("# Projekt Lampe\n\n- Verantwortlich: Anna Müller\n- Budget: 100.000 €\n",
         {("Anna Müller", "RESPONSIBLE_FOR", "Projekt Lampe"), ("Projekt Lampe", "BUDGET", 100000.0)}),
    ],
)  # fmt: skip
def test_records_state_facts(text: str, expected: set[Fact]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        table("Option | Beschreibung", "Farbe | Die Farbe der Lampe", "Größe | Die Größe der Lampe"),
        table("选项 | 说明", "颜色 | 灯的颜色", "大小 | 灯的大小"),
        table(
            "Aufgabe | Verantwortlich",
            "Dokumentation der Schnittstelle | Anna Müller",
            "Wartung der Heizung | Hans Meier",
        ),
        table("任务 | 负责人 | 状态", "编写文档 | 张伟 | 完成", "测试系统 | 李娜 | 进行中"),
        "---\n负责人: 技术部\n---\n这是一个说明。\n",
        "---\nReihe: Harry Potter\n---\nDas Buch steht seit langem im Regal und wird nicht gelesen.\n",
    ],
)
def test_tasks_options_and_departments_are_nobody(text: str) -> None:
    assert types(text) == {} and facts(text) == set()


def test_a_key_that_is_not_known_names_somebody_by_the_given_name() -> None:
    text = "---\nbetreut_von: Anna Müller\n---\n# Projekt Lampe\n\nDas Projekt läuft seit langer Zeit und ist gut.\n"
    assert facts(text) == {("Projekt Lampe", "BETREUT_VON", "Anna Müller")}
    english = (
        "---\nseries: Harry Potter\nminded_by: Anna Miller\n---\n# Lamp Project\n\nThe lamps of the house are old.\n"
    )
    assert "Harry Potter" not in types(english) and facts(english) == set()


def test_front_matter_says_title_tags_date_and_type() -> None:
    document = parsed("---\ntitel: Tarn Lampen\nSchlagwörter: [Öl, Docht]\ndatum: 2023-04-05\ntyp: Firma\n---\nText.\n")
    assert (document.title, document.tags, document.date) == ("Tarn Lampen", ["Öl", "Docht"], "2023-04-05")
    subject = document_subject(document)
    assert subject is not None and subject.type == "Organization"


def test_keys_have_one_spelling() -> None:
    assert [key_word(key) for key in ("Leiter:in", "Poblacion", "Auteur(s)", "Größe", "owner")] == [
        "lead", "population", "author", "größe", "owner",
    ]  # fmt: skip
    assert english_word("see") == "see"
    assert has_comma("einwohner") and not has_comma("人口") and not has_comma("population")
    assert fact_type("Länge über alles") == "LÄNGE_ÜBER_ALLES" and len(fact_type("长" * 100).encode()) <= 200


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("石桥", "石桥是一座城市。", "Location"),
        ("石桥", "石桥是中国南部的一座城市，人口五万。", "Location"),
        ("石橋", "石橋は、日本の都市である。", "Location"),
        ("王力", "王力是中国的作家。", "Person"),
        ("Mühlbach", "Mühlbach ist ein Dorf in Tarn.", "Location"),
        ("Mühlbach", "Mühlbach (Tarn) ist eine kleine Kreisstadt im Süden.", "Location"),
        ("Anna Lind", "Anna Lind war eine deutsche Malerin.", "Person"),
        ("Lambach AG", "Die Lambach AG ist ein deutsches Unternehmen mit Sitz in Tarn.", "Organization"),
        ("Lambel", "Lambel est une ville de France.", "Location"),
        ("Tarn", "Le Tarn est une rivière du sud de la France.", "Location"),
        ("Lambra", "Lambra es una ciudad de España.", "Location"),
        ("Rosa Lin", "Rosa Lin es una escritora chilena.", "Person"),
        ("Lamba", "La Lamba è un fiume d'Italia.", "Location"),
        ("Lambo", "Lambo é uma cidade do Brasil.", "Location"),
        ("Ламбов", "Ламбов — город в России.", "Location"),
        ("Анна Линд", "Анна Линд — шведская писательница и поэт.", "Person"),
        ("Kielbach", "Kielbach ist bekannt für eine Stadt.", ""),
        ("Lampe", "Eine Lampe ist ein Gerät.", ""),
    ],
)
def test_what_a_lead_in_another_language_says_that_its_title_is(title: str, lead: str, type_: str) -> None:
    document = parsed(f"# {title}\n\n{lead}\n")
    found = document_subject(document)
    assert found is not None and (found.name, found.type) == (title, type_)
    if type_:
        (entity, *_) = extract(document, make_gazetteer([stated_names(document)]), "patterns").entities
        assert entity.description == lead
