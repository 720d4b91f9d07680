"""Types that the words of a name show, whatever the statistical tagger says."""

from __future__ import annotations

from collections import Counter

import pytest

from kgfs.extraction.names import tagging
from kgfs.extraction.names.evidence import settle_votes
from kgfs.extraction.names.named import NameFindings

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


@pytest.mark.parametrize(
    ("name", "tagged", "type_"),
    [
        ("Head of People", "Organization", "Concept"),
        ("Head of Operations", "Person", "Concept"),
        ("Data Protection Officer", "Organization", "Concept"),
        ("Office of Personnel Management", "Organization", "Organization"),
        ("Industry Practices", "Organization", "Concept"),
        ("Google Drive", "Location", "Product"),
        ("Google Research", "Organization", "Organization"),
        ("Apple Park", "Location", "Location"),
        ("Miro", "Person", "Product"),
        ("GDPR", "Organization", "Law"),
        ("SLAs", "Organization", "Concept"),
        ("DevOps", "Organization", "Concept"),
    ],
)
def test_words_overrule_the_tagger(name: str, tagged: str, type_: str) -> None:
    named = NameFindings(name)
    named.count = 3
    named.tags = Counter({tagged: 3})
    settle_votes(named, frozenset())
    assert named.best is not None and named.best[0] == type_


def test_somebody_in_a_post_is_a_person_where_the_text_says_so() -> None:
    named = NameFindings("Justin Leader")
    named.count = 3
    named.tags, named.clues = Counter(Person=3), Counter(Person=2)
    settle_votes(named, frozenset())
    assert named.best is not None and named.best[0] == "Person"
