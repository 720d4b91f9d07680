"""What a document is about, in its own sentences: a description and a summary, chosen, never invented.

Used by formats, in the worker process; pure. Only the first few hundred sentences are looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice

from kgfs.documents.blocks import Block
from kgfs.documents.markup import plain_sentence, strip_lead
from kgfs.documents.sentences import sentence_spans

MAX_DESCRIPTION = 300
MAX_SUMMARY = 1000
MAX_LEAD = 500
_LEADS = 6
"""Sentences among which the lead is looked for: notes for the reader may stand before it."""
_OPENING = 80
_NAME = re.compile(r"[^\W_]{3,}")
_LOOKED_AT = 200
_CHOSEN = 5
_WORD = re.compile(r"[^\W\d_]{4,}")
_ARTICLE = re.compile(r"(?:An?|The) ")
_STOP = frozenset(
    "that this with from have were been their which also than they them into more most some such only other about when "
    "where while would could should there these those will what your here very many each between after before over "
    "because during through both same".split()
)


def running_sentences(text: str, blocks: Sequence[Block]) -> Iterator[str]:
    """The plain sentences of the running text, in order; no headings, tables or code."""
    for block in blocks:
        if block.kind in ("front", "code", "table", "heading", "html"):
            continue
        for leaf in block.leaves:
            if leaf.kind != "text":
                continue
            lead = strip_lead(text[leaf.start : min(leaf.end, leaf.start + 200)])
            for start, end in sentence_spans(text, leaf.start + lead, leaf.end):
                if end - start > 4000:
                    continue
                sentence = plain_sentence(text[start:end]).text
                if sentence:
                    yield sentence


def summarize(text: str, blocks: Sequence[Block]) -> tuple[str, str]:
    """``(description, summary)``: the first sentence (≤ 300 characters) and a few best ones (≤ 1,000), in order."""
    found = list(islice(running_sentences(text, blocks), _LOOKED_AT))
    proper = [
        (place, sentence)
        for place, sentence in enumerate(found)
        if _is_sentence(sentence) or _SAYS_WHO.fullmatch(sentence)
    ]
    if not proper:
        return (_cut(found[0], MAX_DESCRIPTION) if found else ""), ""
    words = [[w for w in _WORD.findall(sentence.lower()) if w not in _STOP] for _, sentence in proper]
    frequency = Counter(word for sentence in words for word in set(sentence))
    scored = []
    for index, (place, _) in enumerate(proper):
        unique = set(words[index])
        weight = sum(frequency[word] for word in unique if frequency[word] > 1) / (len(unique) + 4)
        scored.append((weight + (1.0 if index == 0 else 0.3 / (1 + place)), index))
    chosen: list[int] = []
    size = 0
    for _, index in sorted(scored, key=lambda item: (-item[0], item[1]))[: 3 * _CHOSEN]:
        length = len(proper[index][1]) + 1
        if len(chosen) < _CHOSEN and size + length <= MAX_SUMMARY:
            chosen.append(index)
            size += length
    summary = " ".join(proper[index][1] for index in sorted(chosen))
    return _cut(proper[0][1], MAX_DESCRIPTION), summary


def lead_sentence(title: str, text: str, blocks: Sequence[Block], description: str = "") -> str:
    """The sentence that says what the title names, at most 500 characters; empty where there is none.

    The first sentence of the ``description`` that front matter gives, where it begins with the title: the text of such
    a page may go on from there. Else the first of the first few sentences of the text that opens with words of the
    title or with another spelling of it, else the first.
    """
    given = next((description[start:end] for start, end in sentence_spans(description)), "")
    named = title.partition("(")[0]
    name = named.strip().casefold()
    if name and _is_sentence(given) and _ARTICLE.sub("", given).casefold().startswith(name):
        return _cut(given, MAX_LEAD)
    running = (_BEFORE_LIST.sub(".", one) for one in islice(running_sentences(text, blocks), _LEADS))
    found = [one for one in running if _is_sentence(one) or _says_what(one, name)]
    if found and is_spelled_like(_BEFORE_VERB.split(_ARTICLE.sub("", found[0], count=1), maxsplit=1)[0], name):
        return _cut(found[0], MAX_LEAD)
    words = {word.casefold() for word in _NAME.findall(named)}
    about = (one for one in found if words & {word.casefold() for word in _NAME.findall(one[:_OPENING])})
    return _cut(next(about, found[0]), MAX_LEAD) if found else ""


def _says_what(sentence: str, name: str) -> bool:
    """Whether a sentence, however short, begins with what a title names and says what it is: *Ann Lee was a queen.*"""
    return (
        name != ""
        and sentence.endswith((".", "。"))
        and sentence.casefold().startswith(name)
        and _IS_A.match(sentence, len(name)) is not None
    )


_IS_A = re.compile(
    r" (?:(?:is|was) (?:an?|the) [a-z]|(?:ist|war) (?:eine?|der|die|das) |est une? |es una? |[èé] u(?:n|na|no|m|ma) "
    r"|[—–] [а-яё])"
    r"|是|は"
)
_NO_NAME = "All|He|Here|It|Mine|Nothing|One|She|That|There|They|This|What|Who|You"
_SAYS_WHO = re.compile(
    rf"(?!(?:{_NO_NAME})\b)[A-Z][\w'’-]+"
    r"(?: (?:(?:al|da|de|del|der|of|van|von) )?[A-Z][\w'’.-]*){0,4} (?:is|was) (?:an?|the) [a-z][^.!?]+\."
)
"""What somebody or something of a name is, however short: *Ann Lee was a queen.*"""
_BEFORE_LIST = re.compile(r",? (?:including|such as)(?: the following)?:$")
"""What opens a list at the end of a sentence that says enough without it."""
_BEFORE_VERB = re.compile(r" (?:\(|is\b|was\b|are\b|were\b)|,")
_ALIKE = 0.8
_FEWEST_LETTERS = 5


def is_spelled_like(name: str, title: str) -> bool:
    """Whether a name is another spelling of a title: *Aksyon TV* of *AksyonTV*, *Dhusha* of *Dhussa*."""
    one, other = ("".join(char for char in text.casefold() if char.isalnum()) for text in (name, title))
    if min(len(one), len(other)) < _FEWEST_LETTERS or one[0] != other[0] or len(name) > 2 * len(title):
        return False
    return one == other or SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


_SHORT = re.compile(r"An? (?:[A-Za-z]+ )?[a-z-]+ (?:about|by|from|in|near|of|on) .{3,}")
"""A definition, however short: *A river in Tarn.*, *A short film about rain.*"""


def _is_sentence(sentence: str) -> bool:
    return (
        (len(sentence) >= 25 or _SHORT.match(sentence) is not None)
        and sentence.count(" ") >= 3
        and sentence.rstrip("\"'”’)*").endswith((".", "!", "?", "。"))
    )


def _cut(sentence: str, limit: int) -> str:
    if len(sentence) <= limit:
        return sentence
    return sentence[: limit - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
