"""What leads and the sentences behind them say of kin, of parts, of parties, and of who made what."""

# A case is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from read_texts import read


def stated(text: str) -> set[str]:
    """The facts of a page, with their dates and roles."""
    found = read(text)
    names = [entity.name for entity in found.entities]
    return {
        " ".join(
            part
            for part in (
                names[fact.subject],
                fact.type,
                fact.object_text if fact.object is None else names[fact.object],
                f"@{fact.date}" if fact.date else "",
                f"({fact.role})" if fact.role else "",
            )
            if part
        )
        for fact in found.facts
    }


QUEEN = "# Ann II\n\nAnn II was Queen of Norway. "
PAINTER = "# Carl Lee\n\nCarl Lee is a painter. "
FIRM = "# Tarn Lamps\n\nTarn Lamps is a company. "


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (f"{QUEEN}She was succeeded by her son Otto V. She married Prince Alaric of Veld in 1645.\n",
         {"Otto V CHILD_OF Ann II", "Otto V SUCCEEDED Ann II", "Ann II SPOUSE_OF Alaric of Veld @1645"}),
        (f"{QUEEN}She succeeded her father, Karl III, in 1640.\n", {"Ann II CHILD_OF Karl III", "Ann II SUCCEEDED Karl III"}),
        (f"{QUEEN}She was the daughter of Karl III and his wife Helga of Osterlund.\n",
         {"Ann II CHILD_OF Karl III", "Ann II CHILD_OF Helga of Osterlund", "Helga of Osterlund SPOUSE_OF Karl III"}),
        (f"{PAINTER}His daughter Ruth Lee became a judge.\n", {"Ruth Lee CHILD_OF Carl Lee"}),
        (f"{PAINTER}He is married to the singer Ida Lund and has two sons, Peter Lee and Bob Lee.\n",
         {"Carl Lee SPOUSE_OF Ida Lund", "Peter Lee CHILD_OF Ida Lund", "Bob Lee CHILD_OF Carl Lee"}),
        ("# Carl Lee\n\nCarl Lee is a painter, husband of the dancer Ida Lund; they had one son, Peter Lee.\n",
         {"Peter Lee CHILD_OF Carl Lee", "Peter Lee CHILD_OF Ida Lund"}),
        (f"{PAINTER}Otto Rask and his wife Ida Rask moved to Oslo in 1900.\n", {"Ida Rask SPOUSE_OF Otto Rask"}),
        (f"{PAINTER}He was born in Oslo on 3 May 1950 and died in Paris on 1 June 2015.\n",
         {"Carl Lee BORN_IN Oslo @1950-05-03", "Carl Lee DIED_IN Paris @2015-06-01"}),
        ("# Carl Lee\n\nCarl Lee is a botanist and author of *Ferns of the Fen*.\n", {"Carl Lee WROTE Ferns of the Fen"}),
        ("# Carl Lee\n\nCarl Lee was Minister of Transport of Norway and Mayor of Oslo from 1998 to 2006.\n",
         {"Carl Lee OFFICIAL_OF Norway (Minister of Transport)"}),
        (f"{FIRM}Its subsidiaries are Orm Press and Lund Pictures. It was acquired by Acme Corporation in 1989 for $40 million.\n",
         {"Orm Press SUBSIDIARY_OF Tarn Lamps", "Lund Pictures SUBSIDIARY_OF Tarn Lamps", "Acme Corporation ACQUIRED Tarn Lamps @1989"}),
        (f"{FIRM}Sir Bob Lee has been its chairman since 2015.\n", {"Bob Lee LEADS Tarn Lamps (chairman)"}),
        ("# Tarn\n\nTarn is a country in the north. The head of state is Queen Adela. It is a member of the Northern League.\n",
         {"Tarn MEMBER_OF Northern League"}),
        ("# Treaty of Tarn\n\nThe Treaty of Tarn was a peace treaty between Norway and Sweden. It was signed on 5 May 1572.\n",
         {"Norway PARTY_TO Treaty of Tarn", "Sweden PARTY_TO Treaty of Tarn", "Treaty of Tarn SIGNED_ON 5 May 1572 @1572-05-05"}),
        ("# Oskport\n\nOskport is a port in Kerland.\n", {"Oskport LOCATED_IN Kerland"}),
        ("# Ferns of the Fen\n\nFerns of the Fen is a 1951 field guide by Ann Lee, illustrated by Mina Dole and published by Quarry Books.\n",
         {"Ann Lee WROTE Ferns of the Fen", "Mina Dole ILLUSTRATED Ferns of the Fen", "Quarry Books PUBLISHED Ferns of the Fen"}),
        ("# Gitlite\n\nGitlite is a library for version control by Ann Lee. It is a fork of Minigit.\n",
         {"Ann Lee DEVELOPED Gitlite", "Gitlite BASED_ON Minigit"}),
        ("# Reed Park\n\nReed Park is a stadium in Oslo, home of Lamp Rovers.\n", {"Lamp Rovers PLAYS_AT Reed Park"}),
        ("# Lamp Desk\n\nLamp Desk is a handbook. It was approved by Ann Lee and replaces the Expenses Rulebook.\n",
         {"Lamp Desk REPLACES Expenses Rulebook"}),
        ("# Ann Lee\n\nAnn Lee was an explorer. Born in Oslo to the teacher Jonas Lee and his wife Edith Pell, she wrote books.\n",
         {"Ann Lee CHILD_OF Jonas Lee", "Ann Lee CHILD_OF Edith Pell", "Edith Pell SPOUSE_OF Jonas Lee"}),
        ("# Ashcombe\n\nAshcombe is a town in Norway. The town is home to Orm College. It was the birthplace of the explorer Mabel Thorne.\n",
         {"Orm College LOCATED_IN Ashcombe", "Mabel Thorne BORN_IN Ashcombe"}),
        ("# Lamp Expedition\n\nThe Lamp Expedition was an expedition. Its members included Ann Lee and the geologist Otto Wren.\n",
         {"Ann Lee MEMBER_OF Lamp Expedition", "Otto Wren MEMBER_OF Lamp Expedition"}),
        ("# Sigrid\n\nSigrid was a whaling ship. She was owned by Norberg & Sons and was lost in 1911.\n", {"Norberg & Sons OWNS Sigrid"}),
        (f"{FIRM}It was formed in 1999 by the merger of Kestrel Corporation and Barrow Corporation. Diane Lee became chief executive in 2012.\n",
         {"Barrow Corporation MERGED_INTO Tarn Lamps", "Diane Lee CHIEF_EXECUTIVE_OF Tarn Lamps (chief executive)"}),
        ("# Tarn Inns\n\nTarn Inns was a pub chain with headquarters in Bristol.\n", {"Tarn Inns HEADQUARTERED_IN Bristol"}),
        ("# St Ann's Church\n\nSt Ann's Church is a Grade I listed church in Oslo.\n", {"St Ann's Church LOCATED_IN Oslo"}),
        ("# Otto II of Tarn\n\nOtto II (1340 – 1402) was King of Tarn. He was the son of Otto I of Tarn and Isabeau of Montfleur.\n",
         {"Otto II of Tarn CHILD_OF Otto I of Tarn", "Otto II of Tarn CHILD_OF Isabeau of Montfleur"}),
        ("# Ann Vossberg\n\nAnn Vossberg (14 March 1871 in Lübeck – 2 November 1938 in Zürich) was a German-Swiss astronomer and instrument maker. She was the daughter of Carl Vossberg.\n",
         {"Ann Vossberg BORN_IN Lübeck @1871-03-14", "Ann Vossberg DIED_IN Zürich @1938-11-02", "Ann Vossberg CHILD_OF Carl Vossberg"}),
        ("# Ann Lee\n\nAnn Lee, née Pelletier (22 June 1939, Oslo – 4 April 2011, Montreal), was a Canadian novelist. Her father was the composer Anselme Pelletier.\n",
         {"Ann Lee BORN_IN Oslo @1939-06-22", "Ann Lee CITIZEN_OF Canada", "Ann Lee CHILD_OF Anselme Pelletier"}),
        ("# Lee's theorem\n\nIn graph theory, Lee's theorem is a statement about maps. It was proved by Lena Ostrander in 1974.\n",
         {"Lena Ostrander PROVES Lee's theorem @1974"}),
        ("# Team Heron\n\nTeam Heron is the payments team of Acme Corporation. The team is led by Ann Lee.\n", {"Ann Lee LEADS Team Heron"}),
        ("# Bitloom\n\nBitloom was a company. It was founded by Ann Lee in 1989, and was acquired by Harlequin Corporation in 1996.\n",
         {"Harlequin Corporation ACQUIRED Bitloom @1996"}),
        ("# Three Winters\n\nThree Winters is an opera in three acts by Ravi Sundaram.\n", {"Ravi Sundaram COMPOSED Three Winters"}),
    ],
)  # fmt: skip
def test_stated(text: str, facts: set[str]) -> None:
    assert facts <= stated(text)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (f"{PAINTER}He taught the architect and his wife Ida Lund.\n", "SPOUSE_OF"),
        (f"{PAINTER}He met Otto Rask, who lived with his wife Ida Lund.\n", "Ida Lund SPOUSE_OF Carl Lee"),
        ("# Ann Lee\n\nAnn Lee was a botanist. Her daughter Ruth Lee became a judge. She married Orm Batt in 1940.\n", "SPOUSE_OF"),
        ("# Base\n\nPease Base is an air base that was home to the Orm Wing Corporation.\n", "PLAYS_AT"),
        ("# Lamp Peak\n\nLamp Peak is a mountain on the Norwegian–Swedish border.\n", "LOCATED_IN Norwegian"),
        (f"{PAINTER}In 1940, he was forced to leave by Otto Rask. He was succeeded by his son Michael Lund.\n", "CHILD_OF Otto Rask"),
        (f"{FIRM}It is expected to be acquired by Orm Corporation.\n", "ACQUIRED"),
        ("# Ann Lee\n\nAnn Lee is a banker. In a film about the bank, Ann Lee married Bob Ray.\n", "SPOUSE_OF"),
        ("# Ann Lee\n\nAnn Lee was the widow of the founder of Orm Corporation.\n", "FOUNDED"),
        ("# Tarn\n\nTarn Corporation owns Orm Corporation. Had Tarn Corporation acquired Wick Corporation, Ann Lee would have resigned.\n", "ACQUIRED"),
    ],
)  # fmt: skip
def test_not_stated(text: str, word: str) -> None:
    assert not [fact for fact in stated(text) if word in fact]
