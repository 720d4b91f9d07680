"""What the structure of a page says: lists with the words before them, items and tables beneath a heading, sections.

Used by the fact reader; pure. In handbooks and manuals the name that a statement is about stands once, in the title, in a heading
or before a colon, and what it has to do with it stands beneath, a name a line.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kgfs.documents.records.record import is_nothing
from kgfs.extraction.facts.guides.page_links import is_navigation
from kgfs.extraction.facts.lexicon_facts import MOST_QUOTED
from kgfs.extraction.facts.marks import MARK, OPEN, mark_numbers, with_marks
from kgfs.extraction.facts.structured.tables import is_table_rule
from kgfs.extraction.faults import Faults
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit

_E = MARK
_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?[*_`\"“\[]*")
_ALONE = re.compile(rf"[\W_]*(?:the )?{_E}[\W_]*", re.I)
_SEVERAL = re.compile(rf"[\W_]*{_E}(?:(?:, and |, | and | & | / |/){_E})*[\W_]*")
_OPENS = re.compile(rf"^[*_\"“'‘`\[( ]*(?:[Tt]he )?(?P<o>{_E})[*_\"”'’`\])]*(?= ?[:–—]| - |, | \(| (?:is|are) |;|$)")
_DEFINED = re.compile(
    rf"^\W*(?:[Tt]he |[Aa]n? )?{_E}\W*(?:[a-z]+ )?(?:is|are|can|may|means?|refers?)\b(?! (?:also )?(?:required|needed|installed|running|available|mandatory|necessary))"
)
"""An item beneath *Prerequisites* that only says what something is."""
_CELL = re.compile(rf"^\|?[ *_`\"\[]*(?P<o>{_E})[ *_`\"\]]*(?=\|)")
_SECTION = re.compile(
    rf"(?:\d+(?:\.\d+)*[.)]? )?(?:[^:{OPEN}]{{2,60}}: )?(?:What(?:'s| is| are)(?: an?| the)? |About(?: the)? |Using(?: the)? |Overview of(?: the)? |Introduction to(?: the)? |Working with |Access to |Accessing |"
    rf"Installing |Managing |Configuring |The )?(?P<o>{_E})(?: overview| basics)?[\W_]*",
    re.I,
)
_IN_ITEMS = frozenset({"REQUIRES", "INTEGRATES_WITH"})
"""What items beneath a heading say; a section of its own there tells how to do it with one of several things."""
FORMER = re.compile(
    r"\b(?:emerit(?:us|i|a)|former|past|previous|alumni|retired|inactive|honou?rary|candidates?|nominees?|want(?:ed)?)\b",
    re.I,
)
"""What says of members and maintainers that they are none now, or none yet."""
_OF_PRESENT = frozenset({"MEMBER_OF", "MAINTAINS", "OWNS"})
_NAVIGATION = frozenset(
    ("related links", "best practices", "resources", "team resources", "next steps", "further reading", "main branch",
     "source of truth", "useful links", "quick links", "more information", "requirements", "prerequisites")
)  # fmt: skip
"""Headings of what is on every page, whatever page may be called so."""
_STACK = re.compile(rf"[*_`\"\[]*{_E}[*_`\"\]]*:(?: (?:{_E}[,/]?|[\w.+#/-]+,?))*\.?$")
_EXAMPLES = re.compile(r"(?i)\bexamples?\b[^.?!]*:[\W_]*$")
_NO_CONTENTS = re.compile(
    r"(?i)\b(?:examples?|findings|issues|vulnerabilities|bugs|risks|recommendations|responsibilities|roles)\b"
)
"""Headings of lists that tell of something in things, and not of the things."""
_URL = re.compile(r"\w+://\S+")
_WORD = re.compile(r"[^\W\d_]+")


class StructureFact(NamedTuple):
    """A fact with the entries of its ends, and the units from whose first to whose last its quote goes."""

    rule: str
    type: str
    subject: int
    object: int
    first: Unit
    last: Unit
    confidence: float


class _Meaning(NamedTuple):
    """What a heading, or a label before a list, says of what stands beneath it."""

    type: str
    turned: bool = False
    """What stands beneath is the subject."""


def _meanings(text: str) -> dict[str, _Meaning]:
    found: dict[str, _Meaning] = {}
    for line in text.strip().splitlines():
        type_, turned, words = (part.strip() for part in line.split("|"))
        for word in words.split(", "):
            found[word] = _Meaning(type_, turned == "turned")
    return found


_HEADINGS = _meanings(
    """
    REQUIRES        |        | requirements, prerequisites, dependencies, requires, depends on, required modules, required software, system requirements, software requirements, required tools, pre-requisites, prerequisite, required by this page, requirement, dependency
    ALIAS_OF        | turned | aliases, alias, synonyms
    MEMBER_OF       | turned | members, team members, current members, staff, committee members, board members, the team
    INCLUDES        |        | child elements, child element, children, subelements, components, parts, subsystems, included modules, includes, sub-elements, submodules, subcommands, subpackages, contained elements, subprojects, sub-projects
    PART_OF         |        | parent elements, parent element, parents, parent, part of, contained in, belongs to, contained by
    USES            |        | tools we use, tools used, tech stack, technology stack, software used, built with, technologies used, uses, software we use
    USES            | turned | used by
    SUPPORTS        |        | supported platforms, supported operating systems, supported systems, supported formats, supported languages, supported databases, supported browsers, supported versions, supports, supported providers, supported protocols
    INTEGRATES_WITH |        | integrations, integrates with, works with, supported integrations
    REPLACES        |        | replaces, supersedes
    REPLACES        | turned | replaced by, superseded by
    PROVIDES        |        | services offered, our services, products and services, what we offer, offerings, exported cmdlets, exported commands, provides
    MAINTAINS       | turned | maintainers, maintainer, maintained by
    OWNS            | turned | owner, owners, owned by
    WROTE           | turned | authors, author, written by
    PARTNERED_WITH  |        | partners, our partners, partner organizations, partner organisations
    COVERS          |        | in this section, in this chapter, in this guide, in this article, topics, topics covered, guides, articles, in this document, on this page, contents
    RETURNS         |        | outputs, output types, returns, output
    ACCEPTS         |        | inputs, input types, accepts
    """
)
"""A heading without its number, in small letters."""
_LABELS = {
    words: meaning
    for words, meaning in _HEADINGS.items()
    if words not in ("parts", "output", "the team", "contents", "staff")
}
_VERBS = {
    **dict.fromkeys("includes include contains contain comprises comprise".split(), "INCLUDES"),
    "consists of": "CONSISTS_OF", "consist of": "CONSISTS_OF", "is composed of": "CONSISTS_OF", "is made up of": "CONSISTS_OF",
    "is divided into": "CONSISTS_OF", "comprises of": "CONSISTS_OF",
    **dict.fromkeys("supports support".split(), "SUPPORTS"),
    **dict.fromkeys(("requires", "require", "needs", "depends on", "relies on"), "REQUIRES"),
    **dict.fromkeys(
        ("uses", "use", "is built on", "is built with", "leverages", "makes use of", "make use of", "is powered by"), "USES"
    ),
    **dict.fromkeys(("bundles", "ships with", "comes with"), "INCLUDES"),
    **dict.fromkeys(("is based on", "builds on"), "BASED_ON"),
    "is compatible with": "COMPATIBLE_WITH", "is written in": "WRITTEN_IN",
    **dict.fromkeys(("offers", "provides", "offer", "provide"), "PROVIDES"),
    **dict.fromkeys(("integrates with", "works with", "interoperates with"), "INTEGRATES_WITH"),
    **dict.fromkeys(("runs on", "can run on", "can be installed on"), "RUNS_ON"),
    "replaces": "REPLACES", "covers": "COVERS", "manages": "MANAGES", "maintains": "MAINTAINS", "owns": "OWNS", "operates": "OPERATES",
    "implements": "IMPLEMENTS", "extends": "EXTENDS", "defines": "DEFINES", "exports": "PROVIDES",
}  # fmt: skip
_INTRODUCED = re.compile(
    rf"^(?:(?:Currently|Today|At present|By default|Additionally|In addition), )?(?:The |Our |the )?(?P<s>{_E})"
    rf"(?: (?:app|application|tool|team|program|programme|platform|service|office|division|module|package|command|cmdlet|element|class|system|group|staff))?"
    rf"(?:(?:,|,? being) an? [^,;:{OPEN}]{{3,60}},)?(?: (?:currently|also|now|mainly|primarily|officially|natively|generally))? "
    rf"(?P<verb>{'|'.join(sorted(map(re.escape, _VERBS), key=len, reverse=True))})"
    rf"(?P<rest>(?: [^.;:?{OPEN}]{{0,90}})?):[\W_]*$"
)
_PASSIVES = {
    "owned": "OWNS", "maintained": "MAINTAINS", "managed": "MANAGES", "sponsored": "SPONSORS", "run": "OPERATES", "operated": "OPERATES",
    "supported": "SUPPORTS", "provided": "PROVIDES", "used": "USES", "developed": "DEVELOPED",
}  # fmt: skip
_FOLLOWING = re.compile(
    rf"^(?:The following|These|All of the following) [^.:;?]{{3,80}}? (?:is|are)(?: currently)? (?P<verb>{'|'.join(_PASSIVES)}) by (?:the )?(?:(?P<s>{_E})|[^.:;?{OPEN}]{{3,40}})(?: team)?:[\W_]*$"
)
"""``The following tools are owned by Acme:``; of what the section is about, where the name is none that is known."""
_SUPPORTED = re.compile(
    r"^(?:The following|These) (?!.*\b(?:not|no longer)\b)[^.:;?]{3,60} are(?: (?:currently|officially|also|fully|now|all))* supported:[\W_]*$"
)
_LEFT_OUT = re.compile(r"\b(?:is|are) (?:not|no longer) (?:supported|available|covered|included)\b|\bunsupported\b")
"""What an item says of a thing that a page does not cover."""
_CODE_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*")
"""How components are called that have no capital: ``lamp-resizer``."""
_UNSURE = re.compile(
    r"\b(?:not|no|if|when|unless|either|one of|any of|access to|support for|to be|you|him|them|at least one|help|ways?|steps?|reasons?|instead|formerly|previously)\b"
)
_LIST_KINDS = ("sentence", "row")
FEWEST_WORDS = 6
"""Words behind a name with which an item says something of it; a shorter item only names it."""


class PageStructure:
    """Reads the structure of one document; ``spans`` are the names of each unit, ``is_sure`` tells which are entities for certain, or nearly."""

    def __init__(
        self,
        units: Sequence[Unit],
        spans: Sequence[Sequence[NameSpan]],
        subject: int | None,
        is_sure: Callable[[int], bool],
        is_term: Callable[[int], bool],
        links: Callable[[Unit], list[tuple[str, int]]],
        is_outside: Callable[[int], bool],
        part: Callable[[str], int | None],
        faults: Faults,
    ) -> None:
        self._faults = faults
        self._units = units
        self._spans = spans
        self._subject = subject
        self._is_sure = is_sure
        self._is_term = is_term
        """Whether a name is that of something a page can explain, and more than an ordinary word."""
        self._is_outside = is_outside
        """Whether links lead to an entry by its label only, to its own site: who lists it tells nobody to read it."""
        self._part = part
        """The entry of what a heading names among the parts of something; ``None`` for an ordinary word."""
        self._links = links
        """The links of a unit to the pages of entities: label and entity."""
        self._of_examples = False
        """What stands before the items that are read says that they are examples."""
        self._titled: dict[tuple[str, ...], int] = {}
        """The entity that a heading is, by the headings down to it."""

    def read(self) -> Iterator[StructureFact]:
        """The facts, in order of the units."""
        heading: Unit | None = None
        intro: tuple[Unit, int, _Meaning, int] | None = None
        """What stands before the list that goes on: the unit, its subject, what it says, how far its own text is set in."""
        sections: list[tuple[Unit, int]] = []
        self._of_examples = False
        for place, (unit, spans) in enumerate(zip(self._units, self._spans, strict=True)):
            with self._faults.within("structure"):
                if unit.kind == "heading":
                    heading, intro, self._of_examples = unit, None, False
                    yield from self._heading(unit, spans, sections)
                    continue
                if unit.kind not in _LIST_KINDS or heading_only(unit):
                    continue
                is_empty = is_nothing(unit.content.text.strip(" .*_()"))
                for titled, ref in () if is_empty else sections:
                    yield from self._covers("structure.section", ref, titled, unit)
                sections.clear()
                indent = _item_indent(unit)
                masked = with_marks(unit.content.text, spans)
                opening = place == 0 or self._units[place - 1].paragraph != unit.paragraph
                if intro is not None and opening and (indent < 0 or indent < intro[3]) and not masked.startswith("|"):
                    intro = None if indent < 0 and not _is_set_in(unit) else intro
                if opening and indent >= 0 and intro is not None and indent >= intro[3]:
                    for ref in self._named(masked, spans):
                        yield from self._joined("structure.list", intro[1], intro[2], ref, intro[0], unit)
                elif opening and (indent >= 0 or masked.startswith("|")):
                    is_header = place + 1 < len(self._units) and is_table_rule(self._units[place + 1].content.text)
                    if not is_header:
                        yield from self._beneath(unit, heading, masked, spans)
                if indent < 0 and not masked.startswith("|"):
                    self._of_examples = _EXAMPLES.search(masked) is not None
                found = self._introduced(masked, unit, spans)
                if found is not None:
                    intro = (unit, *found, indent if indent >= 0 else 0)

    def _heading(
        self, unit: Unit, spans: Sequence[NameSpan], sections: list[tuple[Unit, int]]
    ) -> Iterator[StructureFact]:
        masked = with_marks(unit.content.text, spans)
        above = _HEADINGS.get(_plain(unit.headings[-2])) if len(unit.headings) > 1 else None
        found = _SECTION.fullmatch(masked.strip())
        if found is not None and _plain(unit.content.text) not in _NAVIGATION:
            (ref,) = (spans[mark].ref for mark in mark_numbers(found["o"]))
            if not self._is_sure(ref):
                return
        elif above is not None and above.type == "INCLUDES" and _CODE_NAME.fullmatch(unit.content.text):
            part = self._part(unit.content.text)
            if part is None:
                return
            ref = part
        else:
            return
        self._titled[unit.headings] = ref
        if above is not None:
            subject = self.about(unit.headings[:-2])
            if subject is not None and above.type not in _IN_ITEMS:
                yield from self._joined("structure.subheading", subject, above, ref, unit, unit)
        elif self._is_term(ref):
            sections.append((unit, ref))

    def about(self, headings: Sequence[str]) -> int | None:
        """The entity that a section is about: of the nearest heading that is one, else the page's."""
        for end in range(len(headings), 0, -1):
            ref = self._titled.get(tuple(headings[:end]))
            if ref is not None:
                return ref
        return self._subject

    def _beneath(
        self, unit: Unit, heading: Unit | None, masked: str, spans: Sequence[NameSpan]
    ) -> Iterator[StructureFact]:
        """What an item or a row has to do with what its heading stands under."""
        meaning = _HEADINGS.get(_plain(unit.headings[-1])) if unit.headings else None
        if meaning is not None and meaning.type in _OF_PRESENT and any(map(FORMER.search, (*unit.headings, masked))):
            return
        if meaning is not None and heading is not None:
            stack = _STACK.match(masked) if meaning.type == "USES" and not meaning.turned else None
            if stack is not None:
                return  # "Lumen: Python, Flask" beneath *Tech stack*: those of Lumen
            subject = self.about(unit.headings[:-1])
            if subject is not None and not (meaning.type == "REQUIRES" and _DEFINED.match(masked)):
                for ref in self._named(masked, spans):
                    yield from self._joined("structure.beneath", subject, meaning, ref, heading, unit)
            return
        if self._subject is None:
            return
        opening = unit.content.text.lstrip(' *_`|"“')
        pointed = next((ref for label, ref in self._links(unit) if label and opening.startswith(label)), None)
        if pointed is not None and not self._is_outside(pointed) and not is_navigation(unit.content.text):
            # What is nothing but a link is seen to be listed by what stands above the list.
            first = heading if heading is not None and is_bare(unit) and _is_listed_beneath(unit, heading) else unit
            yield from self._joined("structure.link", self._subject, _Meaning("SEE_ALSO"), pointed, first, unit)
        refs = self._named(masked, spans)
        told = self._of_examples or any(map(_NO_CONTENTS.search, unit.headings[-1:]))
        if (
            not told
            and len(refs) == 1
            and not _LEFT_OUT.search(masked)
            and self._is_term(refs[0])
            and len(_WORD.findall(_URL.sub(" ", masked))) >= FEWEST_WORDS
        ):
            yield from self._covers(
                "structure.row" if masked.startswith("|") else "structure.item", refs[0], unit, unit
            )

    def _named(self, masked: str, spans: Sequence[NameSpan]) -> list[int]:
        """The names with which an item or a row begins."""
        if masked.startswith("|"):
            found = _CELL.match(masked)
            marks = mark_numbers(found["o"]) if found else []
        elif _SEVERAL.fullmatch(masked):
            marks = mark_numbers(masked)
        else:
            found = _OPENS.match(masked)
            marks = mark_numbers(found["o"]) if found else []
        return [spans[mark].ref for mark in marks if self._is_sure(spans[mark].ref)]

    def _introduced(self, masked: str, unit: Unit, spans: Sequence[NameSpan]) -> tuple[int, _Meaning] | None:
        """The subject of the list that a sentence or a label introduces, and what it says of its items."""
        if not masked.rstrip(" *_").endswith(":"):
            return None
        label = _LABELS.get(_plain(masked))
        if label is not None:
            subject = self.about(unit.headings)
            return None if subject is None else (subject, label)
        following = _FOLLOWING.match(masked)
        if following is not None:
            ref = spans[mark_numbers(following["s"])[0]].ref if following["s"] else self.about(unit.headings)
            return None if ref is None else (ref, _Meaning(_PASSIVES[following["verb"]]))
        if _SUPPORTED.match(masked):
            subject = self.about(unit.headings)
            return None if subject is None else (subject, _Meaning("SUPPORTS"))
        found = _INTRODUCED.match(masked)
        if found is None or _UNSURE.search(found["rest"]):
            return None
        (mark,) = mark_numbers(found["s"])
        return spans[mark].ref, _Meaning(_VERBS[found["verb"]])

    def _joined(
        self, rule: str, subject: int, meaning: _Meaning, ref: int, first: Unit, last: Unit
    ) -> Iterator[StructureFact]:
        pair = (ref, subject) if meaning.turned else (subject, ref)
        if subject != ref and first.chunk is last.chunk and last.end - first.start <= MOST_QUOTED:
            yield StructureFact(rule, meaning.type, *pair, first, last, 0.75)

    def _covers(self, rule: str, ref: int, first: Unit, last: Unit) -> Iterator[StructureFact]:
        if self._subject is not None:
            last = last if first.chunk is last.chunk and last.end - first.start <= MOST_QUOTED else first
            yield from self._joined(rule, self._subject, _Meaning("COVERS"), ref, first, last)


def is_bare(unit: Unit) -> bool:
    """Whether an item says nothing beside the labels of its links."""
    text = unit.content.text
    for link in reversed(unit.content.links):
        text = text[: link.start] + text[link.end :]
    return not any(map(str.isalnum, text))


def _is_listed_beneath(unit: Unit, heading: Unit) -> bool:
    """Whether nothing but items stands between a heading and an item near it."""
    if heading.chunk is not unit.chunk or unit.end - heading.start > MOST_QUOTED:
        return False
    lines = unit.chunk.text[heading.end : unit.start].splitlines()
    return all(_BULLET.match(line) for line in lines if line.strip())


def heading_only(unit: Unit) -> bool:
    """Whether a unit is the rule of a table, which says nothing."""
    return unit.kind == "row" and is_table_rule(unit.content.text)


def _plain(heading: str) -> str:
    return re.sub(r"^[\d.)\s]+|[^\w\s-]+", "", heading).strip().lower()


def _line_before(unit: Unit) -> str:
    text = unit.chunk.text
    return text[text.rfind("\n", 0, unit.start) + 1 : unit.start]


def _item_indent(unit: Unit) -> int:
    """How far an item of a list is set in; -1 where a unit does not open one."""
    found = _BULLET.fullmatch(_line_before(unit))
    return len(found["indent"].expandtabs(4)) if found else -1


def _is_set_in(unit: Unit) -> bool:
    before = _line_before(unit)
    return bool(before) and not before.strip()
