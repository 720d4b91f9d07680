"""Who a quote is by, on the line beneath it: ``— @alind, "Lamps at Sea"``, ``— Anna Lind, maintainer of Lumen``.

Used by the fact reader; pure. Guides set what others say apart, and name the text that it is from, or what its writer is.
The text itself is read, since such lines are often HTML.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_at
from kgfs.extraction.facts.meeting_notes.attendees import person_name
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.facts.tie_words import POSTS
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.model import ParsedDocument

_HANDLE = r"@[A-Za-z\d][\w-]{1,38}"
_NAME = r"[^\W\d_a-z][\w.’'-]{0,30}(?: [^\W\d_a-z][\w.’'-]{0,30}){1,3}"
_WHO = rf"(?:<a [^<>\n]{{1,200}}>|\[)?(?P<who>{_HANDLE}|{_NAME}(?:(?:,? and | & ){_NAME})?)(?:</a>|\]\([^()\s]{{1,300}}\))?"
_TITLE = r"(?:[\"“](?P<plain>[^\"“”\n]{4,140})[\"”](?! \()|\[(?P<sign>[\"“_*]{1,2})(?P<title>[^\[\]\n]{4,140}?)[\"”_*]{1,2}\]\()"
_POST = rf"(?:the |a |an |core |lead |former )?(?P<post>{'|'.join(sorted(map(re.escape, POSTS), key=len, reverse=True))}|author|founder) of (?:the )?"
_THING = r"(?P<thing>[A-Z][\w.+#-]{1,40}(?: [A-Z][\w.+#-]{1,40}){0,3})"
_BY = re.compile(rf"(?m)^[ \t>*_]*[—–―] {{0,2}}{_WHO}, (?:{_TITLE}|{_POST}{_THING}(?=[ ,.;]|$))")
_BETWEEN = re.compile(r",? and | & ")
_POSTS = {**POSTS, "author": "CREATED", "founder": "FOUNDED"}


def quoted_sources(document: ParsedDocument, lexicon: Lexicon) -> Iterator[LexiconFact]:
    """The facts of such lines, in order; each once."""
    text = document.text or ""
    places = ChunkPlaces(document.chunks)
    told: set[tuple[str, int, int]] = set()
    for found in _BY.finditer(text) if document.chunks else ():
        title = " ".join(html.unescape(found["plain"] or found["title"] or "").split()).strip(" ,.")
        type_ = "WROTE" if title else _POSTS[found["post"].lower()]
        names = [found["who"]] if found["who"].startswith("@") else _BETWEEN.split(found["who"])
        people = [name if name.startswith("@") else person_name(name.rstrip(".")) for name in names]
        if not all(people) or type_ == "MEMBER_OF":
            continue
        made = stated_entry(lexicon, title, "Work") if title else _thing(lexicon, found["thing"].rstrip("."))
        end = text.find("\n", found.end())
        place = places.find_chunk(found.start(), end if end >= 0 else len(text))
        for person in (stated_entry(lexicon, name, "Person") for name in people if made is not None and place):
            if made is None or person is None or place is None or (type_, person, made) in told:
                continue
            told.add((type_, person, made))
            said = f"{lexicon.named[person].name}, {found[0].partition(', ')[2]}"
            candidate = candidate_at(type_, said, 0.8, place)
            yield LexiconFact("credits.quoted", candidate, person, made)


def _thing(lexicon: Lexicon, name: str) -> int:
    """The entry of what somebody maintains or made: a product where nothing shows what else."""
    ref = lexicon.resolved(lexicon.get(name))
    named = lexicon.named[ref]
    if named.best is None or named.best[0] in ("Person", "Location"):
        named.vote("Product", 0.95)
    named.defined = True
    return ref
