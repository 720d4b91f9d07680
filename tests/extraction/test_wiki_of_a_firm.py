"""Pages of an engineering wiki: services, teams, posts, and clauses that say what keeps, reads and sends what."""

# A case is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from read_texts import read

SERVICE = "# Lumen service\n\nLumen is the service that keeps all orders. "
TEAM = "# Payments team\n\nThe Payments team builds lamps. "


def stated(text: str) -> list[str]:
    """The facts of a page, in words."""
    found = read(text)
    names = [entity.name for entity in found.entities]
    return [
        f"{names[fact.subject]} {fact.type} {fact.object_text if fact.object is None else names[fact.object]}"
        for fact in found.facts
    ]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (f"{SERVICE}It is written in Kotlin, runs on Kubernetes and stores its data in PostgreSQL.\n",
         ["Lumen service WRITTEN_IN Kotlin", "Lumen service RUNS_ON Kubernetes", "Lumen service STORES_IN PostgreSQL"]),
        (f"{SERVICE}Lumen depends on Kafka and on Redis.\n", ["Lumen service REQUIRES Kafka", "Lumen service REQUIRES Redis"]),
        (f"{SERVICE}It reads its jobs from Kafka. Lumen sends mails through SendGrid.\n",
         ["Lumen service READS_FROM Kafka", "Lumen service USES SendGrid"]),
        (f"{SERVICE}The Oil Team owns it.\n", ["Oil Team OWNS Lumen service"]),
        (f"{TEAM}It is led by Nadia Rahman.\n\n## Members\n\n- Nadia Rahman, engineering manager\n- Tom Eriksen, engineer\n",
         ["Nadia Rahman LEADS Payments team", "Tom Eriksen MEMBER_OF Payments team"]),
        ("# Karen Holt\n\nKaren Holt is the Chief Technology Officer of Brightwater. She manages Ibrahim Diallo and Nadia Rahman.\n",
         ["Karen Holt WORKS_FOR Brightwater", "Karen Holt MANAGES Nadia Rahman"]),
        ("# Quiet Grids\n\nQuiet Grids is a book on layout by Mina Okafor.\n", ["Mina Okafor WROTE Quiet Grids"]),
        ("# Cafe Mondo\n\nCafe Mondo is a hotel in Oslo, run by Elena and Paul Strand.\n", ["Paul Strand OPERATES Cafe Mondo"]),
    ],
)  # fmt: skip
def test_stated(text: str, facts: list[str]) -> None:
    assert set(facts) <= set(stated(text))


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        (f"{TEAM}\n", ("Payments team", "Organization")),
        ("# Identity service\n\nThe Identity service issues tokens.\n", ("Identity service", "Product")),
        (f"{SERVICE}\n", ("Lumen service", "Product")),
    ],
)
def test_types(text: str, entity: tuple[str, str]) -> None:
    assert entity in {(one.name, one.type) for one in read(text).entities}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (
            "# Tarn College\n\nTarn College is a college. The college receives financial aid from the World Bank.\n",
            "READS_FROM",
        ),
        ("# Ann Drive\n\nAnn Drive is a road in Oslo. Ann Drive is part of Oslo's eastern ring.\n", "PART_OF"),
        ("# Bob Lee\n\nBob Lee is the current Director of Racing at Orm Motors.\n", "WORKS_FOR Racing"),
        (f"{SERVICE}Lumen calls Kafka, which sends mails and writes its logs to Redis.\n", "Lumen service SENDS_TO"),
    ],
)
def test_not_stated(text: str, word: str) -> None:
    assert not [fact for fact in stated(text) if word in fact]
