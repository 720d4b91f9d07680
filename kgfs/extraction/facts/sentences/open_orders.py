"""What instructions say is done with one thing in another: ``Request JAWS via the IT Service Desk``.

Used by ``open_relations``, on a parsed sentence. Pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from kgfs.extraction.facts.sentences.open_heads import Head, governed, listed
from kgfs.extraction.facts.sentences.verb_forms import basic_form

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = ("nsubj", "nsubjpass")
FILED = frozenset(
    "submitted stored entered recorded requested completed reviewed uploaded hosted sent filed tracked signed approved booked "
    "managed saved documented reported logged created published deployed updated made processed issued posted registered "
    "installed configured".split()
)
"""What is done with a thing in another one; ``must be`` and ``you can`` say that it is done there."""
_SAID_OTHERWISE = {
    "submit": "submitted", "access": "accessed", "download": "downloaded", "find": "found", "view": "viewed", "apply": "applied",
    "run": "run", "open": "opened", "edit": "edited", "complete": "completed", "share": "shared", "add": "added", "import": "imported",
}  # fmt: skip
"""More verbs of instructions: what an instruction says, to its participle."""
_THROUGH = frozenset("in via through using with on from".split())


@cache
def _orders() -> dict[str, str]:
    """Basic form of a verb of an instruction, to its participle. Asks the tagger's dictionary, so only when needed."""
    return {basic: form for form in FILED if (basic := basic_form(form))} | _SAID_OTHERWISE


def is_order(verb: Token) -> bool:
    """Whether a verb tells its reader what to do: ``Submit …``, ``you can request …``, with nothing that denies it."""
    if basic_form(verb.text) not in _orders() or any(child.dep_ in ("neg", "mark") for child in verb.children):
        return False
    subjects = [child for child in verb.children if child.dep_ in SUBJECTS]
    auxiliaries = {child.lower_ for child in verb.children if child.dep_ in ("aux", "auxpass")}
    if subjects:
        return subjects[0].lower_ in ("you", "employees", "staff", "supervisors", "users") and auxiliaries <= {
            "can", "must", "will", "should", "'ll", "’ll", "may"
        }  # fmt: skip
    return verb.tag_ in ("VB", "VBP") and verb.dep_ in ("ROOT", "conj") and not auxiliaries


def ordered(verb: Token, heads: dict[int, Head]) -> Iterator[tuple[Head, Head, str]]:
    """What an instruction says is done with one thing in another: ``Request JAWS via the IT Service Desk``."""
    objects = [child for child in verb.children if child.dep_ == "dobj"]
    done = [mark for child in objects for mark in listed(child, heads)]
    for phrase in (
        [child for noun in (verb, *objects) for child in noun.children if child.dep_ == "prep"] if done else ()
    ):
        if phrase.lower_ in _THROUGH and phrase.i > verb.i and phrase.nbor(-1).lower_ != "not":
            type_ = f"{_orders()[basic_form(verb.text)]}_{phrase.lower_}".upper()
            yield from ((mark, place, type_) for place in governed(phrase, heads) for mark in done)
