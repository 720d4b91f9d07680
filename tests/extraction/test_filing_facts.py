"""Filings, and whatever else says whom it means by *we*; votes; posts that somebody had."""

from __future__ import annotations

import pytest

from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.own_words import own_name
from kgfs.model import Extraction
from tests.extraction.read_texts import parsed, read

FILING = """FORM 10-K

For the fiscal year ended December 31, 2024

TARN LAMPS CORPORATION

(Exact name of registrant as specified in its charter)

| Delaware |  | 13-2626465 |
| --- | --- | --- |
| (State or other jurisdiction of incorporation or organization) |  | (I.R.S. Employer Identification No.) |

| 1400 Douglas Street, Omaha, Nebraska | 68179 |
| --- | --- |
| (Address of principal executive offices) | (Zip Code) |

| Title of each class | Trading Symbol | Name of each exchange on which registered |
| --- | --- | --- |
| Common Stock | TRN | New York Stock Exchange |

References to “Tarn,” the “Company,” “we,” “us” and “our” mean Tarn Lamps Corporation and its subsidiaries.

In 2024, we acquired Quill Software Inc. The Company competes with Lumen Systems Inc. in every market.

# Executive officers

| Name | Age | Position |
| --- | --- | --- |
| Maria V. Lopez | 51 | Chief Executive Officer |
| John Baker | 44 | Senior Vice President and Chief Accounting Officer |

TERESA WYNN ROSEBERRY, age 66, has been Executive Vice President and General Counsel since November 2011. Prior to
joining the Company, Ms. Roseberry was a partner with the law firm Sutherland Asbill LLP. She previously served as
Senior Vice President, Finance and Strategy of Halden Foods Inc. from May 2005 through March 2009.

/s/ KPMG LLP

We have served as the Company's auditor since 1979.
"""


def facts(found: Extraction) -> set[str]:
    """Facts between two entities, as ``subject TYPE object``."""
    name = [entity.name for entity in found.entities]
    return {f"{name[one.subject]} {one.type} {name[one.object]}" for one in found.facts if one.object is not None}


def test_a_filing() -> None:
    found = read(FILING)
    said = facts(found)
    tarn = "Tarn Lamps Corporation"
    assert {
        f"{tarn} INCORPORATED_IN Delaware", f"{tarn} HEADQUARTERED_IN Omaha",
        f"{tarn} LISTED_ON New York Stock Exchange", f"{tarn} ACQUIRED Quill Software Inc.",
        f"{tarn} COMPETES_WITH Lumen Systems Inc.", f"Maria V. Lopez WORKS_FOR {tarn}", f"John Baker WORKS_FOR {tarn}",
        f"Teresa Wynn Roseberry WORKS_FOR {tarn}", "Teresa Wynn Roseberry WORKED_FOR Sutherland Asbill LLP",
        "Teresa Wynn Roseberry WORKED_FOR Halden Foods Inc.", f"KPMG LLP AUDITED {tarn}",
    } <= said  # fmt: skip
    roles = {one.role for one in found.facts if one.type == "WORKS_FOR"}
    assert "Chief Executive Officer" in roles
    types = {entity.name: entity.type for entity in found.entities}
    assert types[tarn] == "Organization" and types["Teresa Wynn Roseberry"] == "Person"


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("Acme Lamps Ltd. (“Acme”, “we”, “us” or “our”) values your privacy.\n", "Acme Lamps Ltd.", ()),
        ('In this policy, "we" means Tarn GmbH.\n', "Tarn GmbH", ()),
        ("When we refer to “Quill,” the “Company,” “we,” or “our” in this report, we are referring to Quill Software "
         "Inc. and its consolidated subsidiaries.\n", "Quill Software Inc.", ("the Company",)),
        # a contract has two sides
        ("This Agreement is between Tarn, Inc. (the “Company”) and Ann Lee (the “Employee”).\n", None, ()),
        ('Acme Inc. ("we") and Lumen Inc. ("us") agree.\n', None, ()),
        ("The word “we” is a pronoun.\n", None, ()),
        ('"' * 5000 + "we" + '"' * 5000, None, ()),
        ("'we' " * 400 + "“we”" + "'a" * 400, None, ()),
        ("(" + "“we”, " * 2000 + "mean", None, ()),
    ],
)  # fmt: skip
def test_whom_a_text_means_by_we(text: str, name: str | None, words: tuple[str, ...]) -> None:
    own = own_name(parsed(text))
    assert (own.name if own is not None else None, own.words if own is not None else ()) == (name, words)


FIRM = """Quill Software Inc. (“Quill”, “we”, “us” or “our”) makes lamps.

"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Our strategic partners include: Microsoft and Oracle.",
         {"Quill Software Inc. PARTNERED_WITH Microsoft", "Quill Software Inc. PARTNERED_WITH Oracle"}),
        ("Our principal competitors include: Dell Technologies and Intel.",
         {"Quill Software Inc. COMPETES_WITH Dell Technologies", "Quill Software Inc. COMPETES_WITH Intel"}),
        ("Quill's key products, including Skyrizi and Lampbrite, grew.",
         {"Quill Software Inc. MANUFACTURES Skyrizi", "Quill Software Inc. MANUFACTURES Lampbrite"}),
        ("Under the agreement, we acquired all outstanding shares of Lumen Systems Inc. for cash.",
         {"Quill Software Inc. ACQUIRED Lumen Systems Inc."}),
        ("In May, we completed our previously announced acquisition of Lumen Systems Inc.",
         {"Quill Software Inc. ACQUIRED Lumen Systems Inc."}),
        ("In 2021, Lumen Systems Inc. filed a lawsuit against Microsoft.", {"Lumen Systems Inc. SUED Microsoft"}),
        ("Microsoft announced that Intel acquired Lumen Systems Inc. in May.", {"Intel ACQUIRED Lumen Systems Inc."}),
        ("Microsoft and Lumen Systems Inc., a member of the Halden Group, met.",
         {"Lumen Systems Inc. MEMBER_OF Halden Group"}),
        ("In 2012 we entered into a settlement agreement with Microsoft.", set()),
        ("Report of Independent Registered Public Accounting Firm\n\nWe acquired Lumen Systems Inc. in 2012.", set()),
    ],
)  # fmt: skip
def test_what_firms_do(text: str, said: set[str]) -> None:
    kinds = {"PARTNERED_WITH", "COMPETES_WITH", "MANUFACTURES", "ACQUIRED", "SUED", "MEMBER_OF"}
    assert {
        one for one in facts(read(FIRM + text + "\n")) if one.split()[-2] in kinds or kinds & set(one.split())
    } == said


def test_what_a_contract_calls_somebody() -> None:
    found = read(
        "The Committee directs the Federal Reserve Bank of New York (the “Selected Bank”) to buy.\n\nThe Selected Bank"
        " buys, and the Selected Bank sells.\n"
    )
    names = [entity.name for entity in found.entities]
    assert "Federal Reserve Bank of New York" in names and "Selected Bank" not in names


def test_a_title_in_capitals() -> None:
    document = parsed("KO VAYA is a census-designated place (CDP) in Pima County, Arizona.\n", "Ko_Vaya.md")
    assert "Ko Vaya LOCATED_IN Pima County" in facts(extract(document))


def test_who_votes_is_a_member() -> None:
    said = facts(
        read("""The Halden Monetary Committee met. The Committee agreed that prices rose. The Committee voted.
Members of the Committee saw risks, and the Committee discussed them.

Voting for this action: Maria V. Lopez, Charles I. Plover, and John Baker. Voting against this action: Thomas M.
Hoening.

At Lumen Systems Inc., nobody votes.
""")
    )
    body = "Halden Monetary Committee"
    assert said == {
        f"{name} MEMBER_OF {body}"
        for name in ("Maria V. Lopez", "Charles I. Plover", "John Baker", "Thomas M. Hoening")
    }


def test_votes_of_no_body_make_no_members() -> None:
    assert not facts(read("Voting for this action: Maria V. Lopez and John Baker.\n"))


def test_a_second_object_behind_a_comma_is_none() -> None:
    said = facts(read(
        "Tarn Lamps Inc. is a firm.\n\nTarn Lamps Inc. serves the country and maintains coordinated schedules with"
        " other carriers to move freight to and from the Atlantic Coast, the Pacific Coast, Canada, and Mexico.\n"
    ))  # fmt: skip
    assert not {one for one in said if " MAINTAINS " in one}


def test_what_stands_in_brackets_is_no_other_name_of_what_it_does_not_fit() -> None:
    found = read("The Annual Meeting of Stockholders (the “Proxy Statement”) met.\n\nThe Proxy Statement was read.\n")
    assert not any("Proxy Statement" in entity.aliases for entity in found.entities)


def test_former_officers_of_others_work_for_nobody_here() -> None:
    directors = """
# Directors

| Name | Age | Position |
| --- | --- | --- |
| Edith W. Cooperman | 63 | Former Executive Vice President, Halden Group, Inc. |
"""
    said = facts(read(FILING + directors))
    assert not {one for one in said if one.startswith("Edith W. Cooperman WORKS_FOR")}


@pytest.mark.parametrize(
    ("path", "text", "type_"),
    [
        ("James_Bent_(rugby_league).md", "JAMES BENT (born 1997) is a footballer who plays for Tarn.", "Person"),
        ("Chamunda_(Chaha_dynasty).md", "CHAMUNDA (r. c. 1045) was an Indian king.", "Person"),
        ("Tarn_(band).md", "TARN is an English band.", "Organization"),
    ],
)
def test_a_life_says_more_than_a_bracket(path: str, text: str, type_: str) -> None:
    found = extract(parsed(text + "\n", path))
    assert found.entities[0].type == type_
