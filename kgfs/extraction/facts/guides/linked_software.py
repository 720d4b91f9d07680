"""What sentences say of software that they link to, whose name need be none that is known: ``We recommend using [lampkit](…)``.

Used by the fact reader; pure. The label of a link is the name of a program where its address has it, too.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.meeting_notes.attendees import person_name
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.units import Unit


def _link(group: str) -> str:
    return rf"\[[*_`]*(?P<{group}>[A-Za-z][\w.+-]{{1,30}})[*_`]*(?: (?:package|library|tool|plug-?in))?\]\((?P<{group}_at>https?://[^()\s]+)\)"


_KIND = r"(?: (?:R |Python |Ruby |Go |npm )?(?:package|library|tool|plug-?in|gem|module))?"
_PERSON = r"(?P<who>[^\W\d_a-z][\w.’'-]*(?: [^\W\d_a-z][\w.’'-]*){1,3})"
_RECOMMENDED = re.compile(
    rf"(?:^|[.;] )[^\w.;]*(?:(?:For|To|When|In) [^.;:]{{3,100}}, )?[Ww]e (?:also |strongly |highly |generally |currently |therefore )?(?:recommend|suggest)(?: that you use| using| to use| the use of| you use)? (?:the )?{_link('o')}{_KIND}(?=[.,;)]|$| (?:for|to|as|when|if|in|with)\b)"
)
_MADE = re.compile(
    rf"{_link('o')}{_KIND},? (?P<how>created|developed|written|authored|maintained) by (?:(?:the|our|an?|associate|associated|former|fellow|editor|author|member|maintainer|contributor|developer) ){{0,3}}{_PERSON}(?=[.,;)]|$| (?:is|and|which|that|to|for|in)\b)"
)
_EXTENDS = re.compile(
    rf"{_link('s')}{_KIND},? (?:is )?an? (?:official )?(?:extension|plug-?in|add-?on) (?:of|for|to) (?:the )?(?:{_link('o')}|`?(?P<plain>[a-zA-Z][\w.]{{2,30}})`?(?= (?:package|library|gem|module)\b))"
)
_DEPRECATED = re.compile(
    rf"{_link('o')}{_KIND} (?:is|are|has been|should be considered|is considered) (?:now )?(?:deprecated|superseded|retired) (?:in favou?r of|by) (?:the )?{_link('s')}"
)
_NOT = re.compile(r"\b(?:not|never|unless)\b|n[’']t\b")
_OF_SITES = frozenset(
    "github gitlab docs documentation wiki readme www com org issues here link page site blog".split()
)


def linked_software(units: Sequence[Unit], lexicon: Lexicon) -> Iterator[LexiconFact]:
    """The facts, in order of the sentences, each once."""
    told: set[tuple[str, int, int]] = set()
    speaks = lexicon.speaker()
    speaker = None if speaks is None else lexicon.resolved(speaks)
    for unit in units:
        if unit.kind not in ("sentence", "row") or "](http" not in unit.quote:
            continue
        for rule, type_, subject, object_ in _stated(unit.quote, lexicon, speaker):
            if subject != object_ and (type_, subject, object_) not in told:
                told.add((type_, subject, object_))
                yield LexiconFact(rule, candidate_of(unit, type_, 0.75), subject, object_, unit)


def _stated(quote: str, lexicon: Lexicon, speaker: int | None) -> Iterator[tuple[str, str, int, int]]:
    for found in _RECOMMENDED.finditer(quote) if speaker is not None else ():
        tool = _software(found, "o", lexicon)
        if tool is not None and speaker is not None and not _NOT.search(found[0]):
            yield "guide.recommended", "RECOMMENDS", speaker, tool
    for found in _MADE.finditer(quote):
        name, tool = person_name(found["who"].rstrip(".")), _software(found, "o", lexicon)
        person = stated_entry(lexicon, name, "Person") if name and tool is not None else None
        if tool is not None and person is not None:
            yield "credits.made", "MAINTAINS" if found["how"] == "maintained" else "DEVELOPED", person, tool
    for found in _EXTENDS.finditer(quote):
        one = _software(found, "s", lexicon)
        other = _software(found, "o", lexicon) if found["o"] else stated_entry(lexicon, found["plain"], "Product")
        if one is not None and other is not None:
            yield "described.extends", "EXTENDS", one, other
    for found in _DEPRECATED.finditer(quote):
        one, other = _software(found, "s", lexicon), _software(found, "o", lexicon)
        if one is not None and other is not None:
            yield "described.replaces", "REPLACES", one, other


def _software(found: re.Match[str], group: str, lexicon: Lexicon) -> int | None:
    """The entry of the program that a link's label names; ``None`` where its address does not have the name."""
    label = found[group]
    parts = re.split(r"[^a-z0-9]+", found[f"{group}_at"].lower())
    plain = re.sub(r"[^a-z0-9]+", " ", label.lower()).split()
    if not plain or label.lower() in _OF_SITES or any(part not in parts for part in plain):
        return None
    known = lexicon.known_entry(label)
    if known is not None:
        return lexicon.resolved(known)
    return stated_entry(lexicon, label, "Product")
