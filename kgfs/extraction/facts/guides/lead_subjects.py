"""Which sentences are a page's lead, and by which words each names what the page is about.

Used by the fact reader and ``sentence_subjects``; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.facts.guides.lead_clauses import FRONT
from kgfs.extraction.facts.guides.lead_patterns import BE
from kgfs.extraction.units import Unit

MOST_SENTENCES = 12
"""A longer lead is a text, in which pronouns mean others too."""


def lead_units(units: Sequence[Unit]) -> list[Unit]:
    """The sentences of a document's lead: those before its second heading."""
    found: list[Unit] = []
    for unit in units:
        if unit.kind == "heading" and found:
            break
        if unit.kind == "sentence":
            found.append(unit)
            if len(found) == MOST_SENTENCES:
                break
    return found


_MEMBERS_OF = re.compile(r"(?i)the \w+s of ")


def opens_with(text: str, name: str) -> int:
    """Where the words with which a first sentence names its subject end: a form of ``name``, before a bracket, a comma or
    the verb; 0 where the sentence begins with something else."""
    found = _HEAD.match(text)
    if found is None:
        return 0
    head = re.sub(r"\[\d+\]", "", found["head"]).strip(" \"“”'’")
    wanted = _name_words(re.sub(r"\s*\([^()]*\)$", "", name))
    said = _name_words(head)
    if not wanted or not said or len(head.split()) > 9:
        return 0
    if len(wanted) == 1 and _MEMBERS_OF.match(head) is not None and " of " not in name:
        return 0  # a file *MAINTAINERS* is not what "The maintainers of the website are" speaks of
    # All words of the name, or of what stands before its comma; or the surname with a first name that begins alike
    # (``Jeffrey Thomas Porcaro``). "Grafana" is not what "Grafana support for Prometheus" is about.
    if set(wanted) <= set(said) or set(said) == set(_name_words(name.partition(",")[0])):
        return found.end("head")
    if re.fullmatch(r"\S+(?: \S+)* [IVX]+", head) and name.casefold().startswith(f"{head.casefold()} of "):
        return found.end("head")  # "Joan I was Queen", on the page "Joan I of Tarn"
    left = set(wanted) - set(said)
    if set(said) < set(wanted) and len(left) == 1:
        kind = re.match(
            r"[”\"]?(?: \([^()]*\))? (?:is|was) an? (?:[\w-]+ ){0,3}?(?P<kind>[a-z]+)\b", text[found.end("head") :]
        )
        # "The Orm is a river", on the page "River Orm"
        return found.end("head") if kind is not None and kind["kind"] in left else 0
    return found.end("head") if wanted[-1] == said[-1] and wanted[0][:3] == said[0][:3] else 0


def goes_on_with(text: str, name: str, type_: str, kind: str) -> tuple[int, int]:
    """Where a later sentence of a lead names the subject: a pronoun that fits, its surname, ``The film``; else two zeros."""
    found = _PRONOUN.match(text)
    if found is None:
        return 0, 0
    word = found["word"].lower()
    person = type_ == "Person"
    if word in ("he", "she"):
        fits = person or (word == "she" and kind in _SHIPS)
    elif word == "it":
        fits = not person
    elif person:
        fits = found["word"] == re.sub(r"\s*\([^()]*\)$", "", name).split()[-1]
    else:
        article, _, noun = word.partition(" ")
        fits = article in ("the", "this") and noun in (kind, *_heads(name))
    return found.span("word") if fits else (0, 0)


def _heads(name: str) -> list[str]:
    """The words of a name that say what it is: *line* of *Lamp Line*, *battle* of *Battle of Tarn*."""
    words = re.sub(r"\s*\([^()]*\)$", "", name).lower().split()
    return [words[-1], *(words[place - 1] for place, word in enumerate(words) if place and word == "of")]


_SHIPS = frozenset(
    "barge barque battleship boat brig clipper cruiser cutter destroyer ferry frigate icebreaker ketch liner merchantman "
    "minesweeper packet schooner ship sloop steamer steamship submarine trawler tug tugboat vessel warship whaler yacht".split()
)
"""What is *she*, too."""

_PRONOUN = re.compile(
    rf"^(?:{FRONT}(?=(?:he|she|it) ))?"
    r"(?:(?:In|On|By|Since) (?:[A-Z][a-z]+ )?(?:\d{1,2},? )?(?:[A-Z][a-z]+ )?\d{4},? |(?:Later|Then|Today|Currently|Originally),? )?"
    r"(?P<word>[Ii]t|[Hh]e|[Ss]he|(?:The|the|This|this) [a-z-]+|[A-Z][\w’'-]+)(?= )"
)

_HEAD = re.compile(
    rf"^[\"“'‘]?(?:In [a-z][a-z -]{{2,40}}, )?(?:(?:The|A|An|the|an?) )?(?P<head>[^(),;:]{{2,90}}?)[\"”'’]?(?=,? \(|, | {BE} |,? (?:or|also known as) )"
)


def _name_words(name: str) -> list[str]:
    small = ("the", "of", "and", "de", "von", "a", "an", "in")
    return [word.removesuffix("s") for word in re.findall(r"\w+", name.casefold()) if word not in small]
