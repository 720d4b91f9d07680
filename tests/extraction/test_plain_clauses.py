"""Clauses between two names that are read by their words, and what they are made of."""

from __future__ import annotations

import re

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.plain_clauses import clause_facts
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="clauses are read where spaCy is installed")


def clauses(text: str) -> list[str]:
    """The facts of a sentence in which ``A`` to ``F`` are names."""
    masked = re.sub(r"\b[A-F]\b", lambda found: f"{OPEN}{ord(found[0]) - 65}{CLOSE}", text)
    return [f"{chr(65 + one.subject)} {one.type} {chr(65 + one.object)}" for one in clause_facts(masked)]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("A uses B to cache responses.", ["A USES B"]),
        ("A ships with B.", ["A INCLUDES B"]),
        ("A can use B to cache responses.", []),
        ("A exposes a B service called C.", ["A PROVIDES C"]),
        ("A is part of a much larger framework, B.", ["A PART_OF B"]),
        ("A started off as a fork of B, which is old.", ["A BASED_ON B"]),
        ("A became the first major site to implement B in production.", ["A IMPLEMENTS B"]),
        ("A uses the high-performance B library.", ["A USES B"]),
        ("A is descended from B's 3.5.2 release and is free.", ["A BASED_ON B"]),
        (
            "A is an alternative to the proprietary B and C, to play films.",
            ["A ALTERNATIVE_TO B", "A ALTERNATIVE_TO C"],
        ),
        ("A usually ships with our lamp package, official B images and C.", []),
        ("A developed the B plugin.", ["A DEVELOPED B"]),
        ("A developed a B plugin.", []),
        ("A funded B in 2020.", ["A FUNDS B"]),
        ("A funded B is where it began.", []),
        ("A, supported by B, began in 2020.", ["B SUPPORTS A"]),
        ("Our team consists of A, C and D (of Acme), supported by B and others.", []),
        ("A collects logs via forms on B.", []),
        ("Oil - one unit of A, deployed on B.", []),
        ("A tool for A which uses B.", []),
        ("It is built on A, which uses B.", ["A USES B"]),
        ("Use a file and the A which ships with B.", []),
        ("A uses a B / C system hosted by D for its logs.", ["A USES B", "A USES C"]),
        ("In production, the A app is hosted on B.", ["A RUNS_ON B"]),
        ("A and B are maintained by the C team.", ["C MAINTAINS A", "C MAINTAINS B"]),
        ("A is an API that is called by B.", ["B CALLS A"]),
        ("A sends its logs to B, which then sends the errors to C.", ["A SENDS_TO B", "B SENDS_TO C"]),
        ("Today, A publishes events to B, and C uses D.", ["A SENDS_TO B", "C USES D"]),
        ("A is responsible for B.", ["A RESPONSIBLE_FOR B"]),
        ("A builds an image and pushes it to B.", ["A SENDS_TO B"]),
        ("A supports many stores, such as B and C.", ["A SUPPORTS B", "A SUPPORTS C"]),
        ("Most A applications are built with B.", ["A USES B"]),
        ("[A] and [Find] send their logs to [B].", ["A SENDS_TO B"]),
        ("A adheres to B.", ["A GOVERNED_BY B"]),
        ("A is one of the B applications that are old.", ["A PART_OF B"]),
        ("A and B have adopted C for their packages.", ["A ADOPTED C", "B ADOPTED C"]),
        ("A has started using B to sign commits.", ["A USES B"]),
        ("A is currently running a pilot of B.", ["A PILOTS B"]),
        ("A complements B by making it smaller.", ["A COMPLEMENTS B"]),
        ("A sponsors B and covers the cost of hosting.", ["A SPONSORS B"]),
        ("A evolved from the B which stood there before.", ["A EVOLVED_FROM B"]),
        ("Later the A became part of the B community.", ["A PART_OF B"]),
        ("A is adapted from the B.", ["A BASED_ON B"]),
        ("A is deprecated in favor of B.", ["B REPLACES A"]),
        ("The A is responsible for the overall oversight of the B.", ["A OVERSEES B"]),
        ("A has three projects that B, C, and D know.", []),
        ("A is currently licensed under the B.", ["A LICENSED_UNDER B"]),
        ("A relies on two services for most of its features: B and C.", ["A REQUIRES B", "A REQUIRES C"]),
        ("The tool for A developed by B is old.", []),
        ("A is a drop-in replacement for B.", ["A REPLACES B"]),
        ("A is incompatible with B.", ["A INCOMPATIBLE_WITH B"]),
        ("A is not compatible with B.", ["A INCOMPATIBLE_WITH B"]),
        ("The A resource is part of the B and is old.", ["A PART_OF B"]),
        ("A uses an algorithm called B, or lamps.", ["A USES B"]),
        ("This guidance, A, is new: A supersedes and extends the B.", ["A EXTENDS B"]),
        ("A must be used by B.", []),
        ("A: sends its logs to B.", ["A SENDS_TO B"]),
        ("A: small lamps that B uses.", []),
        ("A comes with the standard B engine.", ["A INCLUDES B"]),
        ("A generates B.", ["A GENERATES B"]),
        ("A is the official B way.", []),
        ("A can be used by B.", []),
        ("A provides an implementation of B.", ["A IMPLEMENTS B"]),
        ("Recent versions of A fully support B.", ["A SUPPORTS B"]),
        ("Services such as A use the B protocol.", ["A USES B"]),
        ("A was used by B.", []),
        # denied, supposed, planned, of some, of somebody else
        ("A no longer uses B.", []),
        ("If A uses B, read on.", []),
        ("A uses B unless it is dark.", []),
        ("A may use B.", []),
        ("Some A apps use B.", []),
        ("A provides B with lamps.", []),
        ("A offers B and other cloud training.", []),
        ("A sends reports to B over HTTPS.", ["A SENDS_TO B"]),
        ("The current A stack is based on B (2024).", ["A BASED_ON B"]),
        ("A is a subgroup of B.", ["A PART_OF B"]),
        ("One tool built by A, which uses B.", []),
        ("Access to A is managed via B.", []),
        # a name that only stands before another noun
        ("A manages B labels.", []),
        ("A hosts all B apps.", []),
        ("A owns the B channel.", []),
        # another clause begins between them
        ("A is small and the lamps run on B.", []),
    ],
)
def test_clauses_are_spelled_out(text: str, facts: list[str]) -> None:
    assert clauses(text) == facts


@tagged
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Fastly uses Redis to cache responses.", "clause.active: Fastly USES Redis"),
        ("Kubernetes uses the Fastly content delivery network.", "clause.active: Kubernetes USES Fastly"),
        ("GitLab is a Django application.", "clause.sort: GitLab USES Django"),
    ],
)
def test_clauses_of_a_text(text: str, fact: str) -> None:
    document = parse_document(f"# How to light lamps\n\n{text}\n".encode(), "page.md")
    found, rules = extract_by_rule(document, make_gazetteer([stated_names(document)]))
    names = [entity.name for entity in found.entities]
    assert fact in [
        f"{rule}: {names[one.subject]} {one.type} {names[one.object]}"
        for one, rule in zip(found.facts, rules, strict=True)
        if one.object is not None
    ]


@tagged
@pytest.mark.parametrize(
    ("name", "sentence", "said"),
    [
        ("Night Watch Team", "is responsible for lighting all lamps, and for oil.", "lighting all lamps, and for oil"),
        ("Night Watch Team", "shall be responsible for the lamps.", "the lamps"),
        ("Lamp Officer", "is in charge of the lamps at night.", "the lamps at night"),
        ("Lamp Officer", "may be responsible for the lamps.", None),
        ("Lamp Officer", "is responsible for this action.", None),
        ("Lamp Finder", "is in charge of the lamps at night.", None),
    ],
)
def test_what_somebody_is_responsible_for_needs_no_name(name: str, sentence: str, said: str | None) -> None:
    kind = "a tool" if name == "Lamp Finder" else "a post" if name == "Lamp Officer" else "a team"
    text = f"# {name}\n\nThe {name} is {kind} at sea.\n\nThe {name} {sentence}\n"
    document = parse_document(text.encode(), "watch.md")
    found, rules = extract_by_rule(document, make_gazetteer([stated_names(document)]))
    assert [
        (found.entities[one.subject].name, one.type, one.object_text)
        for one, rule in zip(found.facts, rules, strict=True)
        if rule == "clause.duty"
    ] == ([(name, "RESPONSIBLE_FOR", said)] if said else [])
