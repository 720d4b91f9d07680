"""Terms that a document defines: by a glossary, a definition list, a heading with its definition.

Used by formats when a file is parsed; pure. Only the structure is found: whether a term is a name, others decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.documents.blocks import Block, Leaf
from kgfs.documents.definitions import is_glossary
from kgfs.documents.markup import PlainSentence, plain_sentence, strip_lead
from kgfs.documents.records.infobox import definition_rows, infobox_record
from kgfs.documents.records.text_tables import row_cells, table_rows
from kgfs.documents.sentences import sentence_spans
from kgfs.model import DefinedTerm

MAX_TERMS = 2000
MAX_DEFINITION = 300
MAX_TERM = 100
_BOLD = re.compile(
    r"(?:\*\*|__)(?P<term>[^*\n]{1,100}?)(?P<colon>:?)(?:\*\*|__)(?P<sign>\s*(?::|–|—|-(?=\s)|=)?)\s*(?P<rest>\S.*)",
    re.S,
)
_PLAIN = re.compile(r"(?P<term>[^\n:–—=]{1,80}?)(?:\s*::?\s+|\s+(?:–|—|--?|=)\s+)(?P<rest>\S.*)", re.S)
_LINK = re.compile(r"\[(?P<label>[^\[\]\n]{3,200})\]\([^()\n]*\)\s*$")
_ORG_ITEM = re.compile(r"(?P<term>\S[^\n]{0,99}?)\s+::\s+(?P<rest>\S.*)", re.S)
_TERM_COLUMN = re.compile(
    r"(?i)(?:term|acronym|abbreviation|word|name|concept|expression|phrase|begriff|abkürzung|terme|sigle|término)s?"
)
_MEANING_COLUMN = re.compile(
    r"(?i)(?:definition|meaning|description|explanation|stands for|full (?:form|name)|expansion|"
    r"what it means|bedeutung|beschreibung|définition|signification|definición|significado)s?"
)


class _PlacedTerm(NamedTuple):
    """A term and where it is defined, in characters of the text."""

    name: str
    definition: str
    start: int
    end: int


def defined_terms(text: str, blocks: Sequence[Block], title: str) -> list[DefinedTerm]:
    """The terms that a text of these ``blocks`` defines, each once, in order, 2,000 at most."""
    found: dict[str, _PlacedTerm] = {}
    several: set[str] = set()
    """Options that more than one command has, to each another thing: ``--force``."""
    for term in _terms(text, blocks, title):
        name = _cleaned(term.name)
        key = name.casefold()
        if name.startswith("-") and key in found and found[key].definition != term.definition:
            several.add(key)
        if _may_be_term(name) and term.definition and key not in found:
            found[name.casefold()] = term._replace(name=name)
            if len(found) >= MAX_TERMS:
                break
    return [
        DefinedTerm(name=term.name, definition=term.definition) for key, term in found.items() if key not in several
    ]


def _terms(text: str, blocks: Sequence[Block], title: str) -> Iterator[_PlacedTerm]:
    page, in_box = is_glossary(title, of_page=True), False
    within = 0 if page else -1
    """The level of the heading that opens a glossary; 0 is the page itself, -1 none."""
    for place, block in enumerate(blocks):
        if block.kind == "heading":
            if is_glossary(block.title, of_page=block.level == 1):
                within = block.level if within < 0 or block.level < within else within
            elif within >= 0 and block.level <= within:
                within = 0 if page else -1
            elif within >= 0 and block.level > 1:
                yield from _under_heading(text, block, blocks[place + 1 : place + 2])
        elif block.kind == "definitions":
            if not (place and blocks[place - 1].kind == "definitions"):
                in_box = within < 0 and infobox_record(definition_rows(text, blocks, place), title) is not None
            if in_box:
                continue  # what a thing has, and no terms: "Designer"
            listed = _definitions(text, block, blocks[place + 1 : place + 2])
            yield from (term for term in listed if within >= 0 or not _is_key(term.name))
        elif within >= 0 and block.kind == "list":
            yield from _items(text, block)
        elif within >= 0 and block.kind == "paragraph":
            yield from _paragraph(text, block)
        elif within >= 0 and block.kind == "table":
            yield from _rows(text, block)
        elif block.kind == "table":
            yield from _rows(text, block, said=True)


def _definitions(text: str, block: Block, following: Sequence[Block]) -> Iterator[_PlacedTerm]:
    """A definition list: terms, each line of its own, then what defines them, perhaps in the block behind."""
    leaves = [*block.leaves]
    if leaves and leaves[-1].kind == "row" and following and following[0].kind == "definitions":
        leaves += following[0].leaves[:1]
    waiting: list[Leaf] = []
    for place, leaf in enumerate(leaves):
        if leaf.kind == "row":
            if place and leaves[place - 1].kind != "row":
                waiting = []
            waiting.append(leaf)
        elif waiting:
            for term in waiting:
                yield _PlacedTerm(
                    text[term.start : term.end], _first(text, leaf.start, leaf.end), waiting[0].start, leaf.end
                )
            waiting = []


def _items(text: str, block: Block) -> Iterator[_PlacedTerm]:
    """The items of a list in a glossary."""
    for leaf in block.leaves:
        if leaf.kind == "code":
            continue
        start = leaf.start + strip_lead(text[leaf.start : min(leaf.end, leaf.start + 200)])
        found = _split(text[start : leaf.end])
        if found is not None:
            offset = start + len(text[start : leaf.end]) - len(text[start : leaf.end].lstrip())
            definition = _first(text, offset + found.start, offset + found.end)
            yield _PlacedTerm(found.name, definition, start, leaf.end)


class _SplitItem(NamedTuple):
    """The term of an item, and where in it its definition stands."""

    name: str
    start: int
    end: int


def _split(item: str) -> _SplitItem | None:
    """The term of an item with its definition; of a link's label, ``[Term: what it is](address)``, where both stand
    in it."""
    item = item.lstrip()
    linked = _LINK.match(item)
    if linked is not None and (inside := _split(linked["label"])) is not None:
        first = linked.start("label")
        return inside._replace(start=first + inside.start, end=first + inside.end)
    found = _BOLD.match(item)
    if found is not None and (found["colon"] or found["sign"].strip() or _goes_on(found["rest"])):
        return _SplitItem(found["term"], found.start("rest"), len(item))
    if found is None and not item.startswith(("*", "_")):
        found = _ORG_ITEM.match(item) or _PLAIN.match(item)
        whole = found is not None and found["term"].count("[") == found["term"].count("]")  # no link is cut
        if found is not None and whole and len(found["term"].split()) <= 6:
            return _SplitItem(found["term"], found.start("rest"), len(item))
    return None


def _goes_on(rest: str) -> bool:
    """Whether a definition goes on from its term: ``is a ledger …``, ``(plural ledgers) means …``."""
    return (
        re.match(r"(?:\([^)]{1,60}\)\s*)?(?:is|are|was|were|means?|refers?|stands?|denotes?|describes?)\b", rest)
        is not None
    )


def _paragraph(text: str, block: Block) -> Iterator[_PlacedTerm]:
    """A paragraph in a glossary that begins with its term in bold; on a line of its own or before a sign."""
    raw = text[block.start : block.end]
    found = _BOLD.match(raw.lstrip())
    if found is None:
        return
    alone = "\n" in raw.lstrip()[found.end("term") : found.start("rest")]
    if alone or found["colon"] or found["sign"].strip() or _goes_on(found["rest"]):
        offset = block.start + len(raw) - len(raw.lstrip())
        yield _PlacedTerm(found["term"], _first(text, offset + found.start("rest"), block.end), block.start, block.end)


def _rows(text: str, block: Block, *, said: bool = False) -> Iterator[_PlacedTerm]:
    """A table whose columns are terms and their meanings; outside of a glossary the header has to say (``said``) so."""
    header, rows = table_rows(text, block)
    if header is None:
        return
    names = row_cells(text[header.start : header.end])
    says = len(names) >= 2 and _TERM_COLUMN.fullmatch(names[0]) and _MEANING_COLUMN.fullmatch(names[1])
    if said and not (
        says and not re.fullmatch(r"(?i)names?", names[0]) and not re.fullmatch(r"(?i)descriptions?", names[1])
    ):
        return
    if len(names) != 2 and not says:
        return
    for leaf in rows:
        cells = [" ".join(cell.split()) for cell in row_cells(text[leaf.start : leaf.end])]
        if len(cells) >= 2:
            yield _PlacedTerm(cells[0], cells[1], leaf.start, leaf.end)


def _under_heading(text: str, heading: Block, following: Sequence[Block]) -> Iterator[_PlacedTerm]:
    """A heading in a glossary with the paragraph under it."""
    if len(heading.title) > 1 and len(heading.title.split()) <= 6 and following and following[0].kind == "paragraph":
        block = following[0]
        definition = _first(text, block.start, block.end)
        if len(definition.split()) >= 3 and not definition.endswith(":"):  # what a list or a quote behind it says
            yield _PlacedTerm(heading.title, definition, block.start, block.end)


def _first(text: str, start: int, end: int) -> str:
    """The first sentence of a definition, plain, with the next one where it is short."""
    shown = ""
    for first, last in sentence_spans(text, start, min(end, start + 4000)):
        sentence = plain_sentence(text[first:last]).text
        if shown and len(shown) + len(sentence) > MAX_DEFINITION // 2:
            break
        shown = f"{shown} {sentence}".strip()
    return shown if len(shown) <= MAX_DEFINITION else shown[: MAX_DEFINITION - 1].rsplit(" ", 1)[0] + "…"


_LETTER = re.compile(r"(?:[a-z]|[ivx]{1,5}|\d{1,2})[.)]\s+(?=[\"“'‘])")
"""Before a term in quotes, the number of its line."""


def _cleaned(name: str) -> str:
    plain: PlainSentence = plain_sentence(name)
    return _LETTER.sub("", plain.text.strip()).strip("“”\"'").rstrip(":").strip()


def _may_be_term(name: str) -> bool:
    return (
        2 <= len(name) <= MAX_TERM and any(char.isalpha() for char in name) and name[0] not in "./" and "\n" not in name
    )


def _is_key(name: str) -> bool:
    """Whether what a list explains is a key, a value or a folder (``size``, ``keys/``): a word in small letters is a
    term in a glossary only."""
    bare = _cleaned(name)
    return " " not in bare and (bare == bare.lower() or bare.endswith("/"))
