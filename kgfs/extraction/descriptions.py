"""Sentences that say what something is: the description of an entity, the definition of a topic.

Used by the extractor; pure. Chosen from the text, never made: ``Fitbit is an American maker of …``, then ``Fitbit, a
maker of …,``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kgfs.extraction.remarks import FEWEST_WORDS, is_order, is_remark
from kgfs.extraction.units import Unit
from kgfs.model import EntityCandidate, TopicCandidate

MAX_DESCRIPTION = 300
_IS = re.compile(
    r"[\"“](?P<term>[^\"“”]{2,80})[\"”] (?:shall |will )?means? "
    r"|(?:The |An? )?[\"“]?(?P<name>.{2,80}?)(?: \([^)]{1,60}\))?(?:, or [^,.]{2,50},)?,? (?:is|was|are|were) "
    r"(?:simply |essentially |basically )?(?:an?|the|one of) "
)
"""*A lamp is a …*, and *"Lamp" shall mean …* of a contract."""
_APPOSED = re.compile(r"(?P<name>[^,]{2,80}?), (?:an?|the|one of) (?P<what>[a-z][^,]{10,160}),? ")
_TERM = re.compile(
    r"(?:(?:An?|The|In [^,]{3,40}, an?) )?(?P<term>[A-Za-z][\w' -]{2,60}?)(?: \([^)]{1,40}\))? "
    r"(?:is|are|refers? to|means?|describes?) (?:an?|the|any|all|when|how|what|to|one|those|people)\b"
)


def cut_text(text: str, limit: int = MAX_DESCRIPTION) -> str:
    """At most ``limit`` characters, cut between words."""
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0] + "…"


_ACRONYM_FIRST = re.compile(r"\((?P<short>[A-Z][A-Za-z]{1,6})\) (?:are|is|was|were|has|have) ")
_VERB_FIRST = re.compile(r"(?:are|is|was|were|has|have|means|provides?|aims?|refers to) [a-z]")
_OF_ITSELF = re.compile(
    r"(?:This|These|It|Its|He|His|She|Her|They|Their|An?|Born|Here|In this|With this|[Tt]he following)\b"
)
_OF_A_KIND = re.compile(r"(?:An?|These) [a-z]")
_IS_A = re.compile(r"(?P<who>.{2,90}?),? (?:is|are|was|were|refers to|means) (?:an?|the|one|any|our|part|used)\b")
_TEXT = re.compile(r"\b(?:Checklist|Cookbook|FAQ|Guide|Guidebook|Handbook|Manual|Policie|Policy|Reference)s?$")
"""Behind what a text is about: what the text is."""
_OF_TEXT = re.compile(r"(?:This|These|It|Its|Here|In this|With this|[Tt]he following)\b")
_CODE = re.compile(r"[\"'`]*(?:new )?[\w.]+\([^()]*\)")
"""Code at the head of a cell: ``new Date().toISOString()``."""
_LABELLED = re.compile(r"^(?:[A-Z][\w-]* (?:(?:of|the|and|for) )?){1,3}[A-Z][\w-]*: (?=[A-Z])")
"""Before what is said, what it is: *Nomination Statement: Ann has lit lamps*."""
_OF_GROUP = re.compile(
    r"(?:The|This) (?:working |special interest )?(?:committee|group|task force|team) (?:that |which )?[a-z]+s\b"
)
_OF_NOTHING = re.compile(
    r"It(?:['’]s| is| was) (?:\w+ly )?[a-z]+ (?:for [\w.' ]{1,40} )?(?:to|that)\b|It(?:['’]s| is) time for\b"
    r"|There (?:is|are|was|were)\b"
)
"""*It is important to*, *There are*: what is said of no thing."""
_BRACKETS = re.compile(r"(?<![\w\]!`])\[(?P<said>[A-Za-z][\w -]{1,60})\](?:\[\])?(?![\w(\[:])")
_EMPHASIS = re.compile(r"(?<![\w_`])_(?P<said>[A-Za-z][^_`]{1,60})_(?![\w_`])")
_POINTS_BACK = re.compile(
    r"(?:At its core, )?(?:[Tt]his|[Tt]hese) "
    r"(?:approach|behaviou?r|case|change|error|feature|issue|means|problem|way)s?\b"
)
"""Of what another sentence told: *This behavior is controlled by*."""
_LISTS = re.compile(r"The following [a-z]+ (?:is|are|was|were|can|may|will)\b")
"""Before a list, which a description has not."""
_OF_SELF = re.compile(r"(?:It|Its)\b")
_OPENING, _FIRST = 10, 5
"""Words of a sentence in which what it is about is named, and in which its name begins."""
_SMALL = frozenset("and the for with from into about your our how what".split())


def without_markup(text: str) -> str:
    """A sentence without what markup leaves in it: the brackets of a link whose target stands elsewhere, signs around
    words."""
    return _EMPHASIS.sub(r"\g<said>", _BRACKETS.sub(r"\g<said>", text)) if "[" in text or "_" in text else text


def fitting_description(entity: EntityCandidate) -> str:
    """A description that a page or a term gave to an entity, whole; empty where it is no sentence about it: the first
    one of the page tells of something else, it is cut, or it only leads to a list."""
    said = _LABELLED.sub("", without_markup(entity.description.strip()))
    if said.endswith(":") or not said:
        return ""
    if _only_names(said, entity):
        return ""
    if entity.confidence < 1.0 and len(re.findall(r"\w+", said)) < FEWEST_WORDS:
        return ""
    if entity.type != "Organization" and _OF_GROUP.match(said):
        return ""  # of those who work on it: "This working group connects Lampd with …"
    if _OF_NOTHING.match(said) or _POINTS_BACK.match(said) or (entity.confidence < 1.0 and _LISTS.match(said)):
        return ""
    if is_order(said, entity.type) or (entity.type == "Person" and _OF_TEXT.match(said) and not _OF_SELF.match(said)):
        return ""
    if _CODE.match(said) and not said.casefold().startswith(entity.name.casefold()):
        return ""
    if _ACRONYM_FIRST.match(said) or _VERB_FIRST.match(said):
        return cut_text(f"{entity.name} {said}")  # "**Lamp Groups** (LG) are …", of which only the name is the term
    if (text := _TEXT.search(entity.name)) is not None and entity.confidence >= 1.0 and not _OF_TEXT.match(said):
        # "A lamp is a package", in the Lamp Cookbook, says nothing of the book.
        return said if text[0].casefold() in said.casefold() else ""
    if entity.confidence < 1.0 or (_OF_ITSELF.match(said) and not (_OF_A_KIND.match(said) and _IS_A.match(said))):
        return said
    if not entity.name.isascii() and said.startswith(entity.name):
        return said  # of a script without spaces, whose sentence is one word
    opening = re.findall(r"[^\W_]+", " ".join(said.split()[:_OPENING]).casefold())
    found = _IS_A.match(said)
    who = re.findall(r"[^\W_]+", found["who"].casefold()) if found is not None else []
    for name in (entity.name, *entity.aliases):
        parts = [part for part in re.findall(r"[^\W_]+", name.casefold()) if len(part) > 2 and part not in _SMALL]
        parts = parts or re.findall(r"[^\W_]+", name.casefold())
        if not any(_are_alike(part, word) for word in opening[:_FIRST] for part in parts):
            continue  # "Their rivals in the league, the Lamps, …"
        met = sum(any(_are_alike(part, word) for word in opening) for part in parts)
        if 2 * met > len(parts) or (met and (entity.type == "Person" or any(_are_alike(parts[0], one) for one in who))):
            return said
    return ""


def _only_names(said: str, entity: EntityCandidate) -> bool:
    """Whether a description is only the entity's name, as in a glossary: *LF: Lamp Foundation*."""
    known = {word for name in (entity.name, *entity.aliases) for word in re.findall(r"\w+", name.casefold())}
    return known.union(("a", "an", "the")).issuperset(re.findall(r"\w+", said.casefold()))


def _are_alike(part: str, word: str) -> bool:
    return part == word or (len(part) > 4 and word[: max(4, len(part) - 2)] == part[: max(4, len(part) - 2)])


def lead_owners(entities: Sequence[EntityCandidate]) -> dict[str, int]:
    """The sentences that a document gives to what it declares, each with the place of that: what the page of the film
    *Chicago* says of it, it says of no town."""
    return {
        entity.description: place for place, entity in enumerate(entities) if entity.declared and entity.description
    }


def describe_entities(entities: Sequence[EntityCandidate], units: Iterable[Unit]) -> None:
    """Give an entity without a description the first sentence that defines it, else the first that explains it."""
    wanted = {name: entity for entity in entities if not entity.description for name in (entity.name, *entity.aliases)}
    if not wanted:
        return
    explained: dict[int, str] = {}
    leads = lead_owners(entities)
    for unit in units:
        if unit.kind != "sentence":
            continue
        text = unit.content.text
        if cut_text(without_markup(text)) in leads:
            continue
        found = _IS.match(text)
        if found is not None:
            named = "term" if found["term"] else "name"
            entity = wanted.get(found[named])
            if entity is not None and not entity.description and not is_remark(text, found.end(named), entity.type):
                entity.description = cut_text(without_markup(text))
        found = _APPOSED.match(text)
        if found is not None:
            entity = wanted.get(found["name"])
            if entity is not None and not is_remark(text, found.end("name"), entity.type):
                explained.setdefault(id(entity), cut_text(without_markup(text)))
    for entity in entities:
        if not entity.description:
            entity.description = explained.get(id(entity), "")


def define_topics(topics: Iterable[TopicCandidate], units: Iterable[Unit]) -> None:
    """Give a topic the first sentence that defines its name."""
    wanted: dict[str, TopicCandidate] = {}
    for candidate in topics:
        if not candidate.definition:
            wanted.setdefault(candidate.path[-1], candidate)
    if not wanted:
        return
    for unit in units:
        if unit.kind != "sentence":
            continue
        found = _TERM.match(unit.content.text)
        if found is None:
            continue
        term = found["term"].lower()
        defined = wanted.get(term) or wanted.get(f"{term}s") or wanted.get(term.removesuffix("s"))
        if defined is not None and not defined.definition:
            defined.definition = cut_text(unit.content.text)
