"""Who does something together with whom: ``Acme's partnership with Lumen``, ``Acme is helping Lumen hire``.

Used by the fact reader where the tagger gives every name a type; pure. Like ``ties`` it reads a sentence whose names are
marks with the letters of their types: only organizations are partners here, as of persons one says more.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.relations import PatternFact, is_unreal

_BRIEF = r"(?: \([^()]{1,30}\))?"
_S = rf"(?:the )?{OPEN}O(?P<s>\d+){CLOSE}{_BRIEF}"
_O = rf"(?:the )?{OPEN}O(?P<o>\d+){CLOSE}(?!['’-])"
_WORD = rf"(?:(?!and |or |of |by |with |to |for )[^,;:()\s{OPEN}{CLOSE}]+ )"
_BOND = r"(?:partnership|collaboration|cooperation|alliance)"
_NO_OTHER = rf"(?:(?!{OPEN}O)[^;:])"
"""Anything in a clause, but another organization."""
_OFTEN = r"(?:(?:also|already|closely|recently|now|currently|just|successfully|often|regularly|have|has|had|are|is|were|was|been) )*"
_PATTERNS = (
    ("own", "PARTNERED_WITH", rf"{_S}['’]s? {_WORD}{{0,3}}?{_BOND} with {_O}"),
    ("own_work", "WORKS_WITH", rf"(?:{OPEN}O(?P<s>\d+){CLOSE})['’]s (?:[a-z-]+ ){{0,2}}?(?:work|engagement) with {_O}"),
    ("between", "PARTNERED_WITH", rf"\b{_BOND} between {_S},? and {_O}"),
    (
        "began",
        "PARTNERED_WITH",
        rf"{_S} {_OFTEN}(?:began|begun|started|entered|formed|completed|concluded|announced|signed|established|launched|built|have|has|had) (?:into )?(?:an?|its|their|our|the) {_WORD}{{0,4}}?{_BOND}(?: agreement)? with {_O}",
    ),
    (
        "in_bond",
        "PARTNERED_WITH",
        rf"^(?:The )?{_S} (?!['’]){_NO_OTHER}{{1,120}}? in (?:close )?{_BOND} with {_O}",
    ),
    ("by_in_bond", "PARTNERED_WITH", rf" by {_S},? in (?:close )?{_BOND} with {_O}"),
    (
        "together",
        "PARTNERED_WITH",
        rf"{_S} and {_O}{_BRIEF} {_OFTEN}(?:(?:work|worked|working) (?:closely )?(?:together|collaboratively|jointly|side by side|hand in hand)|(?:collaborat|partner|cooperat)(?:e|ed|ing)\b|team(?:ed|ing)? up\b|joined forces\b)",
    ),
    (
        "helps",
        "HELPS",
        rf"{_S} {_OFTEN}(?:helps|helped|helping) (?:the )?(?:state of )?{OPEN}[OL](?P<o>\d+){CLOSE}{_BRIEF} (?!and |or |with |in |on |by |as )(?:to )?(?:better )?[a-z]{{3,}}",
    ),
)
_SUPPOSED = re.compile(r"\b(?:[Ii]f|[Ww]hether|[Uu]nless|[Ss]hould|[Ii]magine)\b[^,;:.]*$")
"""Before what is only supposed."""
_COMPILED = tuple((rule, type_, re.compile(text)) for rule, type_, text in _PATTERNS)
TYPES = frozenset(type_ for _, type_, _ in _PATTERNS)
"""What is found here."""
_NEXT = re.compile(rf"{_BRIEF}(?:, and |,? and |, )(?:the )?{OPEN}O(\d+){CLOSE}(?!['’-])")
_LISTED = frozenset({"own", "own_work", "began", "in_bond", "by_in_bond"})
"""Rules whose last name may be one of several."""


def partner_facts(masked: str, name: Sequence[str]) -> Iterator[PatternFact]:
    """The facts of a sentence whose marks carry letters; ``name`` are those of the marks."""
    if is_unreal(masked):
        return
    seen: set[frozenset[str]] = set()
    for rule, type_, pattern in _COMPILED:
        for match in pattern.finditer(masked):
            if _SUPPOSED.search(masked, 0, match.start("s")):
                continue
            subject, targets, end = int(match["s"]), [int(match["o"])], match.end()
            while rule in _LISTED and (other := _NEXT.match(masked, end)) is not None:
                targets.append(int(other[1]))
                end = other.end()
            for target in targets:
                pair = frozenset((name[subject], name[target]))
                if len(pair) == 2 and pair not in seen:
                    seen.add(pair)
                    roles = {subject: "", target: ""}
                    yield PatternFact(
                        type_, [subject], [target], match.start(), end, 0.75, roles=roles, rule=f"partners.{rule}"
                    )
