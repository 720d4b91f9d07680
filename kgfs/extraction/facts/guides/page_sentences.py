"""What sentences of a handbook or a manual say of what their page is about, which they need not name: whom to ask, by whom it was
made, where more of it stands.

Used by the fact reader, where a document's subject is known; pure. Only names behind a word that shows their part are read. What
somebody is told to do, which law holds, or what the page explains, is as often said of another thing: no rule reads it.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.facts.marks import MARK, mark_numbers
from kgfs.extraction.facts.sentences.verb_forms import basic_form
from kgfs.relation_types import VERBS

_E = MARK
_END = r"(?=[\"”)]?(?:[.,;:)!]|$)| (?:to|for|with|if|about|at|via|in|through|on|and|or|by|before|after|directly|when|as|under|from|app|system|website|platform|tool|portal|team|office|page|form)\b)"
_CLAUSE = r"(?:(?:To|In order to|For|When|If|After|Before|Once|As|During|Unless) [^.;:?]{3,110}, )?"
_CONTACT = re.compile(
    rf"(?:^[*_\"“]*{_CLAUSE}|, |; then |; |\b[Yy]ou (?:should|must|can|may|will need to|need to|have to) |\b[Pp]lease )(?:please )?(?:[Cc]ontact|[Ee]mail|[Rr]each out to|[Aa]sk|[Nn]otify|[Cc]heck with|[Cc]onsult with|[Mm]essage|[Pp]ing|[Ss]peak (?:to|with)|[Tt]alk (?:to|with)|[Gg]et in touch with|[Ee]scalate (?:it |this )?to|(?:[Rr]aise|[Oo]pen|[Ss]ubmit|[Ll]og|[Ff]ile|[Cc]reate) (?:an? )?(?:support )?(?:ticket|request|issue)s? (?:with|to)) (?:the |your )?(?:{_E} )?(?P<o>{_E}){_END}"
)
_WHO = ("Organization", "Person", "Team")
_DESK = re.compile(r"(?:^| )(?:Desk|Help ?desk|Helpdesk|Team|Support|Office|Division|Committee|Group|Unit)$")
"""What answers those who ask, whatever it is taken for."""
_VERB_FIRST = re.compile(
    rf"^[*_]*(?P<verb>[A-Z][a-z]+s)(?: (?P<preposition>on|with|in|from|to))? (?:the |an? )?(?P<o>{_E}(?:(?:, and |, | and ){_E})*){_END}"
)
_DONE_BY = re.compile(
    rf"^[*_]*(?P<verb>[A-Z][a-z]+(?:ed|en|wn|ilt|un|ed)) (?:and [a-z]+ed )?by (?:the )?(?P<o>{_E}(?:(?:, and the |, and |, | and the | and ){_E})*)(?=[.,;)]|$| (?:in|on|to|for|and|as|with|under|from)\b)"
)
_GUIDED = re.compile(
    r"(?:\b(?:see|refer|read|(?:to|please|should|can|must|may|then|and) review|visit|check out|go to|learn|follow|consult|guide|guidance|documented|described|outlined|explained|covered|details|more (?:information|about|on|in)|instructions)\b[^.;:()]{0,60}:? ?$)",
    re.I,
)
_LOOK = re.compile(
    r"\b(?:(?:take|have) a (?:closer )?look at|look (?:at|in)|(?:is|are|be) (?:listed|available|posted|kept|found|detailed|covered) (?:in|on|at|under)|"
    r"start (?:with|at|by reading)|familiari[sz]e yourself with|head (?:over )?to)(?: [\w’'-]+){0,3} $",
    re.I,
)
"""What sends a reader somewhere only right before the label of the link."""
_SAYS_MORE = re.compile(
    r"(?:learn|read|find out|get|see|view)\b[^.]{0,20}\b(?:more|about|how)\b|(?:guide|guidance|instructions|how) (?:to|on|for)\b",
    re.I,
)
"""A label that sends its reader there by itself: *Learn more about the process*."""
_PAGE = re.compile(r" ?(?:handbook )?(?:page|guide|section|article|topic|chapter|documentation)s?\b")
_EXAMPLE = re.compile(r"\b(?:for example|for instance|e\.g\.|such as|like|examples? (?:of|in|is|are))\b[^.;]*$", re.I)
"""What stands before a link that only shows what is meant."""
_DENIED = re.compile(r"\b(?:not|n[’']t|never|no longer|without|instead of|rather than|avoid|unless)\b|n[’']t\b")


_INSTEAD = re.compile(
    r"(?:^|, |; )(?:[Yy]ou (?:should|must|can) |[Pp]lease )?(?:[Uu]se|[Cc]onsider)(?: using)? (?:the |an? )?$"
)
"""What stands before a link that is to be used *instead* of what the page is about."""


class PageFact(NamedTuple):
    """A fact of the page's subject and of the name that is the other end, by its number; the subject stands first."""

    rule: str
    type: str
    mark: int
    turned: bool = False
    """The subject is the object."""


def points_to(text: str, label: str) -> bool:
    """Whether a sentence sends its reader to what a link in it leads to."""
    before, found, behind = text.partition(label)
    if not found or _DENIED.search(text) or _EXAMPLE.search(before):
        return False
    if is_alone(text, label):
        return True
    if _GUIDED.search(before) is not None or _PAGE.match(behind) is not None:
        return True
    return _LOOK.search(before) is not None or _SAYS_MORE.match(label) is not None


_BRACKET = re.compile(r" \((?:as )?(?:described|defined|specified|documented|outlined|detailed) (?:in|by) (?:the )?$")


def bracket_before(text: str, label: str) -> int | None:
    """Where the bracket begins that says of the name before it in which link it is described; ``None`` where none does."""
    found = _BRACKET.search(text.partition(label)[0])
    return None if found is None else found.start()


_NAVIGATION = re.compile(
    r"(?i)\W*(?:(?:laquo|larr|raquo|rarr);?\W*)?(?:previous|prev|next|back|return|home|up|top)(?: (?:page|section|chapter|to (?:the )?(?:top|index|home|contents|overview|list))\b.*)?\W*"
)
_SEEN = re.compile(r"\b(?:[Ss]ee(?: also)?|[Rr]efer to|[Cc]onsult|[Rr]ead)(?: the| our)? \W*$")


_OF_PAGE = re.compile(
    r"(?i)\W*(?:about|background|description|details|features|general|history|implementation|introduction|overview|purpose|requirements|summary|synopsis|what is it|"
    r"what it (?:is|does))\W*"
)


def is_of_page(heading: str) -> bool:
    """Whether a section with this heading still speaks of the page's own subject: *Overview*, not *lamp-hooks*."""
    return _OF_PAGE.fullmatch(heading) is not None


def is_navigation(label: str) -> bool:
    """Whether a link only leads through a site: *Back to index*, *« previous*."""
    return _NAVIGATION.fullmatch(label) is not None


def is_seen(text: str, label: str) -> bool:
    """Whether a sentence has its reader see the very thing that a link to another site names."""
    return _SEEN.search(text.partition(label)[0]) is not None


def is_alone(text: str, label: str) -> bool:
    """Whether a sentence is nothing but a link: an item of a list of pages."""
    before, found, behind = text.partition(label)
    return bool(found) and re.search(r"\w", before) is None and re.search(r"\w", behind) is None


def is_instead(text: str, label: str) -> bool:
    """Whether a sentence sends who looks for the page's subject to what a link leads to: ``Use the ⟨label⟩ instead``."""
    before, _, behind = text.partition(label)
    return _INSTEAD.search(before) is not None and re.match(r"[^,.;:]{0,20} instead\b", behind) is not None


def stated_of_page(
    masked: str, types: Sequence[str], names: Sequence[str] = (), *, opens: bool = False
) -> Iterator[PageFact]:
    """What a sentence says of its page's subject. ``types`` are those of its ``names``, empty where they are no ends of facts;
    ``opens`` is whether it is the first of its paragraph."""
    if masked.rstrip(' *_"”)').endswith("?"):
        return
    denied = _DENIED.search(masked) is not None
    if not denied:
        if opens:
            yield from _verb_first(masked, types)
        for found in _CONTACT.finditer(masked):
            (mark,) = mark_numbers(found["o"])
            if types[mark] in _WHO or (types[mark] and names and _DESK.search(names[mark])):
                yield PageFact("page.contact", "HAS_CONTACT", mark)


def _verb_first(masked: str, types: Sequence[str]) -> Iterator[PageFact]:
    """``Requires ⟨0⟩.``, ``Built by ⟨0⟩ and ⟨1⟩ in 2017.``: the first sentence, as manuals write it, with no subject."""
    found = _VERB_FIRST.match(masked)
    if found is not None:
        verb = basic_form(found["verb"])
        type_ = VERBS.get(f"{verb} {found['preposition']}" if found["preposition"] else verb)
        if type_ is not None:
            yield from (PageFact("page.verb", type_, mark) for mark in mark_numbers(found["o"]) if types[mark])
    found = _DONE_BY.match(masked)
    if found is not None:
        type_ = VERBS.get(basic_form(found["verb"]))
        if type_ is not None:
            yield from (
                PageFact("page.done_by", type_, mark, turned=True) for mark in mark_numbers(found["o"]) if types[mark]
            )
