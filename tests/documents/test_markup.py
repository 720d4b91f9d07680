"""Inline markup taken off a sentence."""

from __future__ import annotations

import pytest

from kgfs.documents.markup import plain_sentence


@pytest.mark.parametrize(
    ("raw", "text", "targets"),
    [
        ("See [Bayes Filter](bayes.md).", "See Bayes Filter.", ["bayes.md"]),
        ('See [Bayes Filter]({{< relref "bayes.md" >}}).', "See Bayes Filter.", []),
        ('See [paid leave]({% page "/leave/#top" %}).', "See paid leave.", []),
        ("See [leave]({{ site.baseurl }}/leave/).", "See leave.", []),
        ("Write `[leave]({{ url }})` here.", "Write [leave]({{ url }}) here.", []),
        ("A [word]({not a link}.", "A [word]({not a link}.", []),
    ],
)
def test_a_link_is_its_label(raw: str, text: str, targets: list[str]) -> None:
    plain = plain_sentence(raw)
    assert (plain.text, [link.target for link in plain.links]) == (text, targets)
