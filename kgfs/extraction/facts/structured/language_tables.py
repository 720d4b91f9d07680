"""Which language a program is written in, or is for, by tables with a column of languages and one of programs.

Used by the fact reader; pure. Such a table begins with the language, which is no name of the row's thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.sentences.descriptions_of import language_name
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.facts.structured.tables import is_table_rule
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.units import Unit

_LANGUAGE = re.compile(r"(?:programming )?languages?", re.I)
_WRITTEN = re.compile(r"(?:git(?:hub)? )?(?:repositor(?:y|ies)|repos?|implementations?|projects?)(?: name)?", re.I)
_MADE_FOR = re.compile(
    r"(?:official |client )?(?:sdks?|clients?|librar(?:y|ies)|drivers?|bindings?|packages?)(?: name)?", re.I
)
_NAME = re.compile(r"(?:[\w.-]+/)?(?P<name>[A-Za-z][\w.+-]{2,40})")


class _Columns(NamedTuple):
    type: str
    language: int
    program: int


def language_facts(units: Sequence[Unit], lexicon: Lexicon) -> Iterator[LexiconFact]:
    """The facts, in order of the rows."""
    columns: _Columns | None = None
    for place, unit in enumerate(units):
        cells = _cells(unit)
        if not cells:
            columns = None
            continue
        following = units[place + 1].content.text if place + 1 < len(units) else ""
        if is_table_rule(following):
            columns = _columns(cells)
        elif columns is not None and len(cells) > max(columns[1:]):
            language = language_name(cells[columns.language])
            named = _NAME.fullmatch(cells[columns.program])
            if not language or named is None:
                continue
            program = stated_entry(lexicon, named["name"], "Product")
            other = stated_entry(lexicon, language, "Technology")
            if program is not None and other is not None and program != other:
                yield LexiconFact("tables.language", candidate_of(unit, columns.type, 0.85), program, other, unit)


def _cells(unit: Unit) -> list[str]:
    text = unit.content.text.strip()
    if unit.kind not in ("row", "sentence") or not text.startswith("|"):
        return []
    return [cell.strip(" *_`") for cell in text.strip("|").split("|")]


def _columns(header: Sequence[str]) -> _Columns | None:
    """The columns of a table by its header; ``None`` where it has no language, or more than one sort of programs."""
    languages = [place for place, cell in enumerate(header) if _LANGUAGE.fullmatch(cell)]
    written = [place for place, cell in enumerate(header) if _WRITTEN.fullmatch(cell)]
    made = [place for place, cell in enumerate(header) if _MADE_FOR.fullmatch(cell)]
    if len(languages) != 1 or len(written) + len(made) != 1:
        return None
    return _Columns("WRITTEN_IN" if written else "MADE_FOR", languages[0], (written or made)[0])
