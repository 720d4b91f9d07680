"""Clauses between two entities: which of them state a relation, and which only look like it."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.extraction.facts.sentences.open_relations import open_relations
from kgfs.extraction.facts.sentences.verb_forms import basic_form
from kgfs.extraction.names import tagging

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="clauses are parsed where spaCy is installed")

NAMES = {
    "Concur": "Product", "HRLinks": "Product", "Kubernetes": "Product", "Linux": "Product", "Slack": "Product", "GSA": "Organization",
    "Acme": "Organization", "Ann Lee": "Person", "Bob Ray": "Person", "data model": "Concept", "Oslo": "Location",
}  # fmt: skip


def stated(text: str) -> list[str]:
    """The relations of a sentence as ``subject TYPE object``."""
    spans = sorted(
        (text.index(name), text.index(name) + len(name), kind) for name, kind in NAMES.items() if name in text
    )
    with tagging.tagging_zone():
        (doc,) = tagging.parse_sentences([text])
        found = open_relations(doc, spans)
        for one in found:
            assert one.rule.startswith("open.") and 0 <= one.start < one.end <= len(text)
        named = [text[start:end] for start, end, _ in spans]
        return [f"{named[one.subject]} {one.type} {named[one.object]}" for one in found]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Concur requires HRLinks.", ["Concur REQUIRES HRLinks"]),
        ("Concur depends on HRLinks.", ["Concur REQUIRES HRLinks"]),
        ("Kubernetes runs on Linux.", ["Kubernetes RUNS_ON Linux"]),
        ("Kubernetes can run on Linux.", ["Kubernetes RUNS_ON Linux"]),
        ("Concur was replaced by HRLinks.", ["HRLinks REPLACES Concur"]),
        ("Concur requires HRLinks and replaces Slack.", ["Concur REQUIRES HRLinks", "Concur REPLACES Slack"]),
        ("Concur requires HRLinks and Slack.", ["Concur REQUIRES HRLinks", "Concur REQUIRES Slack"]),
        ("Slack is a chat tool that integrates with Concur.", ["Slack INTEGRATES_WITH Concur"]),
        ("The Slack app requires the Concur service.", ["Slack REQUIRES Concur"]),
        ("Slack is part of Concur.", ["Slack PART_OF Concur"]),
        ("Slack is compatible with Linux.", ["Slack COMPATIBLE_WITH Linux"]),
        ("Concur was developed by Acme.", ["Acme DEVELOPED Concur"]),
        ("Ann Lee manages Slack.", ["Ann Lee MANAGES Slack"]),
        ("For more information about Concur, see HRLinks.", ["Concur DESCRIBED_IN HRLinks"]),
        ("Ann Lee trained Bob Ray.", ["Ann Lee TRAINS Bob Ray"]),
        ("Slack was shipped to Acme.", ["Slack SHIPPED_TO Acme"]),
        # what minutes tell: somebody did it
        ("Acme discussed Kubernetes and met with Ann Lee.", ["Acme DISCUSSED Kubernetes", "Acme MET_WITH Ann Lee"]),
        ("Ann Lee proposed Slack.", ["Ann Lee PROPOSED Slack"]),
        ("Acme discusses Kubernetes.", []),
        ("Ann Lee left Acme in 2019.", ["Ann Lee LEFT Acme"]),
        ("Slack left Kubernetes in 2019.", []),
        # a noun that is only called so, or said beside its short form, stands for the name
        ("Acme developed a timekeeping application called Slack.", ["Acme DEVELOPED Slack"]),
        ("Acme developed two applications called Slack and Concur.", []),
        ("Acme developed the new Slack (SL) app in 2019.", ["Acme DEVELOPED Slack"]),
        ("Acme grew out of the Slack program, which was established by Ann Lee.", ["Ann Lee FOUNDED Slack"]),
        ("Acme bought the Slack app that Ann Lee made.", []),
        # what verbs say with their particles
        ("In 2019 Ann Lee took over Acme.", ["Ann Lee ACQUIRED Acme"]),
        ("Acme turned down Slack.", []),
        ("Acme teamed up with GSA.", ["Acme PARTNERED_WITH GSA"]),
        ("Bob Ray was appointed director in 2019 by Ann Lee.", ["Ann Lee APPOINTS Bob Ray"]),
        ("Ann Lee signed with Acme in 2019.", ["Ann Lee SIGNED_WITH Acme"]),
        # nouns
        ("GSA has a partnership with Acme.", ["GSA WORKS_WITH Acme"]),
        ("GSA built Slack in partnership with Acme.", ["GSA WORKS_WITH Acme", "GSA BUILT Slack"]),
        ("GSA plans to form a partnership with Acme.", []),
        ("Acme is under GSA.", ["Acme PART_OF GSA"]),
        ("Acme is under pressure from GSA.", []),
        (
            "Slack and Concur, both of which are part of Kubernetes, changed.",
            ["Slack PART_OF Kubernetes", "Concur PART_OF Kubernetes"],
        ),
        ("Slack is the messaging service within Concur.", ["Slack PART_OF Concur"]),
        ("Slack is the primary communication tool across Acme.", ["Acme USES Slack"]),
        ("Slack is a tool that is unknown at Acme.", []),
        ("Slack is approved for use at GSA.", ["GSA APPROVED Slack"]),
        ("Slack is not approved for use at GSA.", []),
        ("GSA manages its leave via HRLinks.", ["GSA USES HRLinks"]),
        ("GSA tracks its leave using HRLinks.", ["GSA USES HRLinks"]),
        ("GSA will track its leave using HRLinks.", []),
        # clauses and nouns beside a name, and the names before a noun
        ("Slack, which Acme acquired in 2010, is based in Oslo.", ["Acme ACQUIRED Slack"]),
        ("Slack is one of the tools that GSA maintains.", ["GSA MAINTAINS Slack"]),
        ("Concur is a newsletter covering Kubernetes.", ["Concur COVERS Kubernetes"]),
        ("Acme, a company providing Concur, grew in May.", ["Acme PROVIDES Concur"]),
        ("Acme provided Concur with money.", []),  # what it provides is money
        ("Slack (part of Acme) grew in May.", ["Slack PART_OF Acme"]),
        ("She likes Slack, which is part of Concur.", ["Slack PART_OF Concur"]),
        ("Slack is an Acme project.", ["Slack PART_OF Acme"]),
        ("Slack is a managed project within GSA.", ["Slack PART_OF GSA"]),
        ("Slack is an Acme fan.", []),
        ("Slack opened in 1995 and is run by Acme.", ["Acme OPERATES Slack"]),
        ("Acme launched its Concur in May.", ["Acme LAUNCHED Concur"]),
        ("The current version of Concur uses Kubernetes.", ["Concur USES Kubernetes"]),
        ("The firm's founder, Ann Lee, wrote Concur.", ["Ann Lee WROTE Concur"]),
        # who was given what
        ("Acme sold Slack to GSA in 2021.", ["Slack SOLD_TO GSA"]),
        ("Acme donated Slack to GSA.", ["Slack DONATED_TO GSA"]),
        ("Acme awarded a grant to GSA.", ["Acme FUNDS GSA"]),
        ("Acme awarded a prize to GSA.", []),
        ("Acme will donate Slack to GSA.", []),
        ("Ann Lee, joining from Oslo, likes Slack.", []),
        ("Acme may have discussed Kubernetes.", []),
        ("Slack discussed Kubernetes.", []),
        ("For Acme, Slack serves as a hub.", []),
        ("We invite people to Slack who have contributed to Concur.", []),
        # what only looks like a clause: a noun, a denial, a meeting, what another has
        ("Despite its name, the data model block in a Slack is a different thing.", []),
        ("Writing lamps is a feature of Concur, not a feature of Slack.", []),
        ("She likes Slack, which can be updated independently from Concur.", []),
        ("Slack is configured separately through Concur.", ["Slack CONFIGURED_THROUGH Concur"]),
        ("Acme joined GSA in 2015.", ["Acme JOINED GSA"]),
        ("Last year, Acme joined GSA at the Lamp Fair to discuss lamps.", []),
        ("Acme joined GSA to discuss lamps.", []),
        ("Ann Lee joined Acme at the age of 20.", ["Ann Lee JOINED Acme"]),
        ("Slack satisfies the data model of both lamps.", []),
    ],
)
def test_clauses(text: str, facts: list[str]) -> None:
    assert stated(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "Concur does not require HRLinks.",
        "Concur never requires HRLinks.",
        "If Concur requires HRLinks, call us.",
        "Concur may require HRLinks.",
        "The form gives the timeframe in which Concur replaces HRLinks.",
        "Concur will replace HRLinks.",
        "GSA plans to replace Concur with HRLinks.",
        "Ann Lee said that Concur requires HRLinks.",
        "GSA can use Slack.",
        "Concur users require HRLinks training.",
        "Concur requires HRLinks training.",
        "Every Concur user requires HRLinks.",
        "Concur offers a richer data model.",
        "Concur and HRLinks are tools.",
        "Concur has become HRLinks.",
        "Concur requires Ann Lee.",  # a person is nothing that is required
        "Concur requires",
        "Concur",
        "",
    ],
)
def test_what_states_nothing(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize(
    ("form", "basic"),
    [
        ("written", "write"), ("relies", "rely"), ("requires", "require"), ("running", "run"), ("used", "use"), ("ships", "ship"),
        ("founded", "found"), ("based", "base"), ("published", "publish"), ("stopped", "stop"), ("processes", "process"),
        ("co-wrote", "co-write"), ("trained", "train"), ("built", "build"), ("", ""), ("xyzzy", "xyzzy"),
    ],
)  # fmt: skip
def test_basic_forms(form: str, basic: str) -> None:
    assert basic_form(form) == basic


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        # The brackets behind a name are no part of what the clause is about.
        ("Acme discussed Slack (The Chat Tool) and left.", ["Acme DISCUSSED Slack"]),
        ("Acme tested Slack and accepted it.", ["Acme TESTS Slack", "Acme ACCEPTS Slack"]),
        ("Acme tested Slack and Concur and accepted it.", ["Acme TESTS Slack", "Acme TESTS Concur"]),
        ("Ann Lee moved to Oslo.", ["Ann Lee MOVED_TO Oslo"]),
        ("Ann Lee went to Oslo.", ["Ann Lee WENT_TO Oslo"]),
        ("Ann Lee visited Oslo.", ["Ann Lee VISITED Oslo"]),
        ("Ann Lee visits Oslo.", []),
        ("Ann Lee went to Slack.", []),
        ("Acme found Slack too slow.", []),
    ],
)
def test_clauses_of_what_happened(text: str, facts: list[str]) -> None:
    assert stated(text) == facts
