"""What somebody directed, wrote or composed, where its title is marked: ``He directed *The Quay* (1950) and *Orm*``.

Used by the fact reader; pure. The tagger takes a title such as *Julius Caesar* for somebody: the markup shows that a work is meant.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit

_VERBS = {
    **dict.fromkeys("directed co-directed".split(), "DIRECTED"),
    **dict.fromkeys("wrote co-wrote authored".split(), "WROTE"),
    **dict.fromkeys(("composed",), "COMPOSED"),
    **dict.fromkeys("produced co-produced".split(), "PRODUCED"),
    **dict.fromkeys("illustrated translated edited".split(), ""),
}
_MADE = re.compile(
    rf"(?: (?:has|had|also|later|then|first|subsequently|himself|herself|next|again))* (?P<verb>{'|'.join(_VERBS)})(?:,? and (?P<more>{'|'.join(_VERBS)}))?"
    r" (?:(?:the|a|an|his|her|their|both) )?(?:(?!(?:of|for|about|on|in|with|by|from|to|under|as|at|like|after|music|song|songs|score|episode|episodes|introduction|foreword|preface|review|article|articles|letter|letters|screenplay|script|lyrics|text|adaptation)\b)[a-z\d-]+,? ){0,6}[\"“]?"
)
_YEAR = r"[\"”]?(?: \((?:[A-Z][a-z]+ )?\d{4}(?:[–-]\d{2,4})?\))?"
_NEXT = re.compile(rf"{_YEAR}(?:,[\"”]?(?: and)?| and) (?:the )?[\"“]?")
_ENDS = re.compile(
    rf"{_YEAR}[\"”]?(?:[.,;:!?)\"”]|$| (?:in|and|for|with|which|starring|about|at|on|a|an|the|based|while|as|before|after|from|by)\b)"
)
_MARKED = re.compile(r"(?<![*_\w])(?P<sign>\*{1,2}|_)(?P<title>\[?[A-Z\d][^*_\n]{1,80}?)(?P=sign)(?![\w*])")
_QUOTED = re.compile(r"[\"“](?P<title>[A-Z\d][^\"“”\n]{1,80}?)[,.]?[\"”]")
_LINK = re.compile(r"\[+([^\[\]|]+)(?:\|([^\[\]|]+))?\]+(?:\([^()\s]*\))?")


def made_titles(
    unit: Unit,
    spans: Sequence[NameSpan],
    types: NameTypes,
    lexicon: Lexicon,
    told: Collection[tuple[str, int, int | None]],
) -> Iterator[LexiconFact]:
    """The facts of a sentence that are not ``told`` yet."""
    text = unit.content.text
    titles = [*_titles(_MARKED, unit.quote), *_titles(_QUOTED, text)]
    for span in spans if titles else ():
        if types.best(span.ref) != "Person" or (found := _MADE.match(text, span.end)) is None:
            continue
        verbs = [_VERBS[verb] for verb in (found["verb"], found["more"]) if verb and _VERBS[verb]]
        position: int | None = found.end()
        while position is not None:
            title = next((one for one in titles if text.startswith(one, position)), None)
            if title is None or not (
                _ENDS.match(text, position + len(title)) or _NEXT.match(text, position + len(title))
            ):
                break
            ref = stated_entry(lexicon, title, "Work")
            place = NameSpan(position, position + len(title), -1 if ref is None else ref)
            for type_ in verbs:
                if ref is not None and ref != span.ref and (type_, span.ref, ref) not in told:
                    yield LexiconFact("works.made", candidate_of(unit, type_, 0.8), span.ref, ref, unit, (span, place))
            behind = _NEXT.match(text, position + len(title))
            position = None if behind is None else behind.end()


def _titles(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """The titles that are marked in a text, the longest first."""
    found = (
        " ".join(_LINK.sub(lambda link: link[2] or link[1], one["title"]).split()) for one in pattern.finditer(text)
    )
    yield from sorted((one for one in found if not one.isdigit()), key=len, reverse=True)
