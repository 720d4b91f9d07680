"""``@brief``: one text that answers a question as far as the graph can, made to be read by an agent.

Used through ``query_cache`` and by ``kgfs brief``; blocks, in any thread. No model is needed: it is a search for
passages (which hops, ``kgfs.search.hops``) with the entities that the question names, put together so that nothing is
said twice. What is chosen is in this module, ``brief_text`` writes it.

The best passages are shown whole, in less than half of the room: with their number grows what is read in vain faster
than what is found. The rest is for the entities that the question names, the ones that their facts and links lead to,
the facts that fit the question and stand in no passage that is shown, and for a line on each of the next passages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kgfs.errors import QueryError
from kgfs.names import one_line
from kgfs.namespace import scope as scopes
from kgfs.namespace.node import Node, ref_of
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries import brief_text
from kgfs.namespace.queries.asked_kinds import asked_kinds
from kgfs.namespace.queries.brief_links import linked_pages
from kgfs.namespace.queries.brief_passages import passages, taking_turns
from kgfs.namespace.queries.brief_text import Brief, EntityNote, FactNote, PassageNote, RelationNote
from kgfs.namespace.queries.query_cache import ONLY, Query, QueryResult, decode
from kgfs.namespace.queries.search import Searcher
from kgfs.namespace.route import Scope
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree_reader import TreeReader
from kgfs.relation_types import RELATION_TYPES, inverse
from kgfs.search.graph import named_entities, query_stretches
from kgfs.search.query import SearchAnswer, SearchRequest, check_request
from kgfs.search.snippets import keywords
from kgfs.search.support import LEAST as LEAST_BACKED
from kgfs.store.catalog.database import Cursor

LIMIT = 6000
"""Characters, where nothing else is asked for."""
LEAST, MOST = 500, 200_000
HITS = 10
LOOKED = 100
"""So many of the best hits are looked at for those that are nearest in meaning."""
DOUBTFUL_SHOWN, DOUBTFUL_PART = 3, 3
"""Where nothing fits: so many passages, in this part of the room, to see that and ask for something else."""
NAMED, NEAR = 4, 4
"""At most so many entities that the question names, and so many one hop on."""
FACTS, NEAR_FACTS = 5, 2
"""Of an entity that the question names, and of one that is one hop on."""
ASKED = 3
"""At most so many facts of other entities that have the question's words."""
_ASKED_HITS = 20
LEAST_ASKED = 2
"""So many words of the question such a fact has at least."""
EVERYWHERE, LEAST_EVERYWHERE = 0.3, 20
"""The share of all passages, and their number, above which an entity is what all texts are about."""
SEVERAL = 3
"""So many facts of one type are told in a line, by the names of the others."""
_MOST_FACTS = 2000
_TOLD = 80
"""Characters of a lead by which it is known to stand in a passage."""
_NUMBERS = "(SELECT unnest($1::VARCHAR::BIGINT[]))"

USAGE = b"""\
One text to read first: whom and what a question names, the facts that fit it, the best passages whole with title, path
and lines, and a line on each of the next ones. At most 6,000 characters; nothing is in it twice. Works in every
directory, for what belongs to it. Several questions at once: cat '@brief/one' '@brief/another'.
Where its second line says that nothing seems to answer, the texts are likely to be silent on it: ask in other words
once, or go on without.

  cat '@brief/which AI labs did Google buy'
  cat '@brief/limit=20000/which AI labs did Google buy'          more passages
  cat 'documents/@brief/wages in Boston'                         only what belongs to a directory

In a question write / as %2F, a leading . as %2E, and %25 for a % before 2F, 2E or 25. Quote it with '...'.
Nothing found: an empty file. A question longer than 1,000 bytes: kgfs brief. EINVAL: cat @status/last_error.txt.
"""

Ask = Callable[[SearchRequest], SearchAnswer]


class Composed(NamedTuple):
    """A brief, the snapshot it speaks of, and whether it may soon be better."""

    text: str
    generation: int
    settled: bool


class BriefEngine:
    """Answers the questions of ``@brief``."""

    def __init__(self, tree: TreeReader, store: PageStore, searcher: Searcher | None) -> None:
        self._tree, self._store, self._searcher = tree, store, searcher

    def __call__(self, query: Query) -> QueryResult:
        *options, question = query.words
        if self._searcher is None:
            raise QueryError("Search is not running here; start it with `kgfs mount` or use `kgfs brief`.")
        limit = _limit(options)
        made = compose(self._tree, self._store, self._searcher.search, query.scope, decode(question), limit)
        return QueryResult(
            made.generation, {ONLY: made.text.encode("utf-8", "replace")}, settled=made.settled, of_files=True
        )


def is_brief_option(s: Snapshot, name: str) -> bool:
    return name.startswith("limit=")


def is_question(s: Snapshot, name: str) -> bool:
    return not is_brief_option(s, name)


def _limit(options: Sequence[str]) -> int:
    text = options[-1].partition("=")[2] if options else str(LIMIT)
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise QueryError(f"limit={text} is no number; write limit={LIMIT}.")
    return check_limit(int(text))


def check_limit(limit: int) -> int:
    """``QueryError`` for a length that no brief has."""
    if not LEAST <= limit <= MOST:
        raise QueryError(f"limit={limit} is out of range; it goes from {LEAST} to {MOST:,} characters.")
    return limit


def compose(
    tree: TreeReader,
    store: PageStore,
    ask: Ask,
    node: Node,
    question: str,
    limit: int = LIMIT,
    origin: str | None = None,
) -> Composed:
    """The brief on a question, for what belongs to a directory; at most ``limit`` characters, empty if there is none.

    ``origin``: only passages of this drive, or of this file on it. ``QueryError`` for a question without a word.
    """
    asked = SearchRequest(query=question, kinds=("chunk",), limit=LOOKED, origin=origin)
    words = check_request(asked)
    of_facts = SearchRequest(query=question, kinds=("fact",), limit=_ASKED_HITS, origin=origin)
    begun = tree.view
    answer, told = (ask(scopes.narrowed(one, begun, tree.scope_of(begun, node))) for one in (asked, of_facts))
    s = tree.view
    scope = tree.scope_of(s, node)
    with store.database.read(snapshot=True) as cursor:
        best = passages(cursor, s, taking_turns(answer.hits)[:HITS], brief_text.largest(limit))
        doubtful = bool(best) and answer.backed <= LEAST_BACKED
        if doubtful:
            best, limit = best[:DOUBTFUL_SHOWN], max(LEAST, limit // DOUBTFUL_PART)
        chosen = brief_text.fitting(best, words, limit)
        entities = _Entities(cursor, s, scope, words, chosen)
        here = ref_of(node).id if tree.row(node).pattern.startswith("entities/<types>/<Entity_Slug>/") else None
        named = _named(cursor, s, scope, words, here)
        notes = entities.notes(named, here)
        asked_facts = [] if doubtful else entities.asked([hit.id for hit in told.hits])
        alone = doubtful or origin is not None
        linked = [] if alone else linked_pages(cursor, s, scope, words, chosen, best)
    found = Brief(words, answer.mode, doubtful, notes, best, linked, asked_facts)
    return Composed(brief_text.written(found, limit), s.generation, answer.settled)


# --- entities -------------------------------------------------------------------------------------------------------

_BY_NAME = """
    WITH asked AS (SELECT unnest($1::VARCHAR[]) AS name)
    SELECT asked.name, e.id FROM entities e JOIN asked ON ltrim(lower(e.name), '@') = asked.name
    UNION SELECT asked.name, e.id FROM entities e
        JOIN asked ON translate(lower(e.name), '-_', '  ') = asked.name AND regexp_matches(e.name, '[-_]')
    UNION SELECT asked.name, a.entity_id FROM entity_aliases a JOIN asked ON lower(a.alias) = asked.name
"""
_ABOUT = (
    "SELECT id, name, type, coalesce(nullif(description, ''), summary, ''), declared_by IS NOT NULL OR by_person"
    f" FROM entities WHERE id IN {_NUMBERS}"
)
_COLUMNS = """
    SELECT f.fact_id, f.id, f.type, f.subject_id, f.object_id, s.name,
        coalesce(o.name, f.object_text, concat_ws(' ', f.value, f.unit), ''), coalesce(f.date, ''),
        coalesce(f.quote, ''), coalesce(f.description, ''), coalesce(f.confidence, 0), coalesce(f.chunk_id, 0),
        coalesce(nullif(f.status, 'stated'), ''), coalesce(f.role, '')
    FROM facts f JOIN entities s ON s.id = f.subject_id LEFT JOIN entities o ON o.id = f.object_id
"""
_FACTS = f"""
    {_COLUMNS}
    WHERE f.subject_id IN {_NUMBERS} OR f.object_id IN {_NUMBERS}
    ORDER BY f.confidence DESC NULLS LAST, f.fact_id LIMIT {_MOST_FACTS}
"""
_ASKED_FACTS = f"{_COLUMNS} WHERE f.id IN {_NUMBERS}"
_ALL_NAMES = f"""
    SELECT name FROM entities WHERE id IN {_NUMBERS}
    UNION SELECT alias FROM entity_aliases WHERE entity_id IN {_NUMBERS}
"""
_LINES = f"""
    SELECT id, 1 + length(said) - length(replace(said, chr(10), '')) FROM (
        SELECT f.id, rtrim(k.text[:f.span_end], chr(10) || ' ') AS said
        FROM facts f JOIN chunks k ON k.id = f.chunk_id WHERE f.id IN {_NUMBERS} AND f.span_end > 0)
"""
_LINKED = f"""
    SELECT own.id, there.id FROM entities own JOIN document_links l ON l.document_id = own.declared_by
        JOIN entities there ON there.declared_by = l.target_id JOIN documents d ON d.id = l.target_id
    WHERE own.id IN {_NUMBERS} AND there.id <> own.id AND starts_with(lower(d.title), lower(there.name))
"""
_PAGES = f"""
    SELECT d.id, e.id FROM documents d JOIN entities e ON e.declared_by = d.id
    WHERE d.id IN {_NUMBERS} AND starts_with(lower(d.title), lower(e.name))
    ORDER BY d.id, length(e.name) DESC, e.id
"""


_EMPLOYERS = f"""
    SELECT f.subject_id, max_by(o.name, (coalesce(f.valid_from, f.date, ''), f.confidence, f.fact_id))
    FROM facts f JOIN entities o ON o.id = f.object_id
    WHERE f.type = 'WORKS_FOR' AND f.valid_to IS NULL AND f.status = 'stated' AND f.subject_id IN {_NUMBERS}
    GROUP BY f.subject_id
"""


def _list(numbers: Iterable[int]) -> str:
    return f"[{','.join(map(str, numbers))}]"


def _named(cursor: Cursor, s: Snapshot, scope: Scope, words: str, here: int | None) -> list[int]:
    """The row ids of the entities that the question names, in its order, behind the one in whose directory it is."""
    stretches = query_stretches(words)
    known: dict[str, list[int]] = {}
    for name, entity in cursor.execute(_BY_NAME, [[text for _, _, text in stretches]]).fetchall():
        known.setdefault(name, []).append(entity)
    found = named_entities(stretches, [sorted(known.get(text, ())) for _, _, text in stretches])
    inside = [entity for entity in found if _is_inside(s, scope, s.entities.find_index(entity))]
    if here is not None:
        inside = [here, *(each for each in inside if each != here)]
    return inside[:NAMED]


def _is_inside(s: Snapshot, scope: Scope, index: int) -> bool:
    """Whether an entity belongs to a scope: itself, or by a passage."""
    if index < 0:
        return False
    if scope.entities is None or scope.chunks is None:
        return True
    if bool(np.isin(index, scope.entities)):
        return True
    return bool(np.isin(np.asarray(s.entity_chunks.members(index)), scope.chunks).any())


class _Fact(NamedTuple):
    fact_id: str
    id: int
    type: str
    subject: int
    object: int | None
    subject_name: str
    object_name: str
    date: str
    quote: str
    description: str
    confidence: float
    chunk: int
    status: str
    """Empty where it is stated."""
    role: str
    """As what the object is it, or the subject: *release liaison*; mostly empty."""


_LONG_QUOTE = 160


def _ends_of(quote: str) -> str:
    """A long quote of several lines as its first and its last one: the heading, and the item that says it."""
    lines = [line for line in quote.splitlines() if line.strip()]
    return f"{lines[0]} … {lines[-1]}" if len(lines) > 2 and len(quote) > _LONG_QUOTE else quote


_IS = re.compile(r"\b(?:is|are|was|were|means|refers to|stands for)\b")


def _defines(name: str, lead: str) -> bool:
    """Whether a text begins by saying what a name is: *Acme is a maker of lamps*; not *We met at Acme*."""
    begin = lead[:_TOLD].casefold()
    place = begin.find(name.casefold().split(" (")[0])
    behind = begin[place + len(name) :] if place >= 0 else ""
    return 0 <= place < 20 and _IS.search(behind) is not None


def _said(fact: _Fact) -> str:
    return f"{fact.subject_name} {fact.type} {fact.object_name}".casefold()


@cache
def _stated_by(type_: str) -> str:
    """A type of facts in words: its name, that of its inverse, and the verbs that state it."""
    row = RELATION_TYPES.get(type_)
    return " ".join(
        [type_.replace("_", " "), inverse(type_).replace("_", " "), *(row.verbs if row is not None else ())]
    )


class _Entities:
    """What is said of the entities of a brief."""

    def __init__(self, cursor: Cursor, s: Snapshot, scope: Scope, words: str, shown: Sequence[PassageNote]) -> None:
        """``shown``: the passages that stand in the brief: what they say is not said again."""
        self._cursor, self._s, self._scope = cursor, s, scope
        self._wanted, self._kinds = keywords(words), asked_kinds(words)
        self._shown = {chunk for each in shown if each.whole for chunk in each.chunks}
        self._documents = [each.document for each in shown]
        self._text = one_line(" ".join(each.text for each in shown))
        self._known_fits: dict[tuple[int, int], int] = {}
        """By fact and entity: each is asked for in several places."""
        self._known_everywhere: dict[int, bool] = {}
        self._employers: dict[int, str] = {}
        self._told: set[str] = set()
        """What the notes say already."""
        self._named_words: frozenset[str] = frozenset()
        """The words of the question that are in a name of what it names."""
        self._answers = False
        """Whether a fact of what the question names fits it."""

    def notes(self, named: list[int], here: int | None) -> list[EntityNote]:
        """The entity in whose directory it is, then those that are named, and those one hop on of which there is
        something to say that fits: what does not would only take room from passages."""
        facts = self._facts(named)
        names = self._cursor.execute(_ALL_NAMES, [_list(named)]).fetchall() if named else []
        self._named_words = self._wanted & keywords(" ".join(name for (name,) in names))
        self._told = told = set[str]()
        others = {end for fact in facts for end in (fact.subject, fact.object) if end is not None}
        self._employers = dict(self._cursor.execute(_EMPLOYERS, [_list(others)]).fetchall()) if others else {}
        near = self._near(named, facts)
        about = self._about([*named, *near])
        pages = self._pages(self._documents)
        further = self._facts(near)
        notes: list[EntityNote] = []
        for number, entity in enumerate([*named, *near]):
            if entity not in about:
                continue
            name, kind, lead, declared = about[entity]
            relations: list[RelationNote] = []
            own: list[FactNote] = []
            if number < len(named):
                said = [fact for fact in facts if entity in (fact.subject, fact.object)]
                relations = self._relations(entity, said, told)
                own = self._fitting(entity, said, told, FACTS)
            elif self._wanted:
                said = [fact for fact in further if entity in (fact.subject, fact.object)]
                fit = [fact for fact in said if self._fit(fact, entity) and self._speaks(fact)]
                own = self._fitting(entity, fit, told, NEAR_FACTS)
            lead = one_line(lead)
            if not declared and not _defines(name, lead):
                lead = ""  # sentences in which it only stands
            described = "" if entity in pages or lead[:_TOLD] in self._text else lead
            self._answers = self._answers or (number < len(named) and bool(relations or own))
            if number >= len(named) and not (described or relations or own):
                continue  # a passage that is shown says it, or nothing does
            path = self._s.entity_path(self._s.entities.index(entity))
            notes.append(EntityNote(name, kind, path, described, relations, own, number < len(named)))
        return notes

    def _speaks(self, fact: _Fact) -> bool:
        """Whether a fact has a word of the question that is in no name asked for: not only *Robert*, another one."""
        said = f"{_stated_by(fact.type)} {fact.subject_name} {fact.object_name} {fact.quote}"
        rest = self._wanted - self._named_words
        return not rest or not rest.isdisjoint(keywords(said))

    def _facts(self, entities: list[int]) -> list[_Fact]:
        if not entities:
            return []
        rows = [_Fact(*row) for row in self._cursor.execute(_FACTS, [_list(entities)]).fetchall()]
        inside = self._scope.facts
        if inside is None:
            return [fact for fact in rows if self._s.facts.find_index(fact.id) >= 0]
        allowed = set(inside.tolist())
        return [fact for fact in rows if self._s.facts.find_index(fact.id) in allowed]

    def _fit(self, fact: _Fact, entity: int) -> int:
        """How many words of the question a fact has, apart from the entity's own name; one more where it leads to such
        a thing as is asked for: *which people*."""
        known = self._known_fits.get((fact.id, entity))
        if known is not None:
            return known
        own = keywords(fact.subject_name if fact.subject == entity else fact.object_name)
        said = f"{_stated_by(fact.type)} {fact.subject_name} {fact.object_name} {fact.quote} {fact.date}"
        fit = len((self._wanted - own) & keywords(said)) + self._is_asked_for(fact, entity)
        self._known_fits[fact.id, entity] = fit
        return fit

    def _is_asked_for(self, fact: _Fact, entity: int) -> bool:
        """Whether the other end of a fact is such a thing as the question asks for."""
        other = fact.object if fact.subject == entity else fact.subject
        if not self._kinds or other is None:
            return False
        index = self._s.entities.find_index(other)
        return index >= 0 and self._s.entity_types[self._s.entity_type[index]] in self._kinds

    def _fits(self, fact: _Fact, entity: int) -> bool:
        """Whether a fact has a word of the question beside the entity's name, two where all texts are about that; all
        do where the question has no other."""
        return self._fit(fact, entity) > self._is_everywhere(entity) or self._wanted <= keywords(
            fact.subject_name if fact.subject == entity else fact.object_name
        )

    def _is_everywhere(self, entity: int) -> bool:
        """Whether an entity stands in so many passages that one more word of a question says little of its facts."""
        known = self._known_everywhere.get(entity)
        if known is None:
            index = self._s.entities.find_index(entity)
            passages = len(self._s.entity_chunks.members(index)) if index >= 0 else 0
            known = passages > LEAST_EVERYWHERE and passages >= EVERYWHERE * len(self._s.chunks)
            self._known_everywhere[entity] = known
        return known

    def _relations(self, entity: int, facts: Sequence[_Fact], told: set[str]) -> list[RelationNote]:
        """The types of fact that an entity has with several others, those that fit the question best first.

        Also what a passage that is shown says: in a line one sees all at once, with whom persons work for. The facts
        that are told here are noted in ``told``.
        """
        groups: dict[tuple[str, bool], list[_Fact]] = {}
        for fact in facts:
            if fact.object is not None and not fact.status and fact.subject != fact.object:
                groups.setdefault((fact.type, fact.subject == entity), []).append(fact)
        found: list[tuple[int, RelationNote]] = []
        for (type_, forth), group in groups.items():
            others = self._others(entity, group)
            seen = all(fact.chunk in self._shown for fact in group)  # with its quote, in a passage
            if not others or (len(others) < SEVERAL and not seen) or not any(self._fits(one, entity) for one in group):
                continue
            told.update(_said(fact) for fact in group)
            path = self._s.entity_path(self._s.entities.index(entity))
            label = type_ if forth else inverse(type_)
            fit = max(self._fit(fact, entity) for fact in group)
            note = RelationNote(label, others, f"{path}/{'relationships' if forth else 'related_to'}/{label}/")
            found.append((fit, note))
        return [note for _, note in sorted(found, key=lambda each: (-each[0], -len(each[1].others), each[1].type))]

    def _others(self, entity: int, facts: Sequence[_Fact]) -> list[str]:
        """The names of the other ends, each once; of a person with whom it works for."""
        names: dict[int, str] = {}
        for fact in sorted(facts, key=lambda fact: (-self._fit(fact, entity), -fact.confidence, fact.fact_id)):
            other, name = (
                (fact.object, fact.object_name) if fact.subject == entity else (fact.subject, fact.subject_name)
            )
            if other is not None and self._s.entities.find_index(other) >= 0:
                names.setdefault(other, name)
        own = {fact.subject_name if fact.subject == entity else fact.object_name for fact in facts}
        roles = {
            end: fact.role for fact in facts if fact.role for end in (fact.subject, fact.object) if end is not None
        }
        return [
            f"{name} ({more})" if (more := roles.get(other) or self._employers.get(other)) and more not in own else name
            for other, name in names.items()
        ]

    def asked(self, hits: Sequence[int]) -> list[FactNote]:
        """The facts, best first, that have most words of the question beside the names in it, whomever they are about:
        *who is vice chair* names nobody. Nothing that stands in a passage or a note."""
        rows = self._cursor.execute(_ASKED_FACTS, [_list(hits)]).fetchall() if hits else []
        facts = {fact.id: fact for fact in map(_Fact._make, rows) if self._s.facts.find_index(fact.id) >= 0}
        rest = self._wanted - self._named_words
        chosen: list[_Fact] = []
        for hit in hits:
            fact = facts.get(hit)
            if fact is None or _said(fact) in self._told or fact.chunk in self._shown:
                continue
            words = f"{_stated_by(fact.type)} {fact.subject_name} {fact.object_name} {fact.role} {fact.quote}"
            if self._answers and not self._named_words <= keywords(words):
                continue  # a fact of what is named says it
            fit = len(rest & keywords(words))
            if fit >= LEAST_ASKED and 2 * fit >= len(rest):
                self._told.add(_said(fact))
                chosen.append(fact)
        return self._notes_of(chosen[:ASKED])

    def _fitting(self, entity: int, facts: Sequence[_Fact], told: set[str], most: int) -> list[FactNote]:
        """The facts of an entity that fit the question best; each once (``told``), what a shown passage says not."""
        ranked = sorted(
            facts, key=lambda fact: (-self._fit(fact, entity), bool(fact.status), -fact.confidence, fact.fact_id)
        )
        chosen: list[_Fact] = []
        for fact in ranked:
            said = _said(fact)
            if said in told or fact.chunk in self._shown or not self._fits(fact, entity):
                continue
            told.add(said)
            chosen.append(fact)
            if len(chosen) == most:
                break
        return self._notes_of(chosen)

    def _notes_of(self, facts: Sequence[_Fact]) -> list[FactNote]:
        places = self._places(facts)
        return [
            FactNote(
                fact.subject_name,
                fact.type,
                f"{fact.object_name} ({fact.role})" if fact.role else fact.object_name,
                ", ".join(word for word in (fact.date, fact.status) if word),
                _ends_of(fact.quote),
                place,
            )
            for fact, place in zip(facts, places, strict=True)
        ]

    def _places(self, facts: Sequence[_Fact]) -> list[str]:
        """Where each fact is said: its passage and the line in which its quote ends, since a quote goes from a heading
        to the item that says it; the fact itself where there is no passage."""
        lines = dict(self._cursor.execute(_LINES, [_list(fact.id for fact in facts)]).fetchall()) if facts else {}
        found: list[str] = []
        for fact in facts:
            chunk = self._s.chunks.find_index(fact.chunk)
            if chunk >= 0:
                found.append(f"{self._s.chunk_path(chunk)}/content.txt:{lines.get(fact.id, 1)}")
            else:
                found.append(self._s.fact_path(self._s.facts.index(fact.id)))
        return found

    def _near(self, named: list[int], facts: Sequence[_Fact]) -> list[int]:
        """Entities one fact or link on, those whose fact fits the question best first."""
        scores: dict[int, float] = {}
        for entity in named:
            for fact in facts:
                other = fact.object if fact.subject == entity else fact.subject
                if other is None or entity not in (fact.subject, fact.object) or not self._fits(fact, entity):
                    continue
                scores[other] = max(scores.get(other, 0.0), self._fit(fact, entity) + fact.confidence)
        if named:
            linked = self._cursor.execute(_LINKED, [_list(named)]).fetchall()
            leads = self._about([other for _, other in linked])
            for _, other in linked:
                if other in leads:
                    fit = len(self._wanted & keywords(" ".join(leads[other][:3])))
                    scores[other] = max(scores.get(other, 0.0), float(fit))
        best = [other for other in sorted(scores, key=lambda each: (-scores[each], each)) if other not in named]
        known = (other for other in best if scores[other] >= 1.0 and self._s.entities.find_index(other) >= 0)
        return list(known)[:NEAR]

    def _about(self, entities: Sequence[int]) -> dict[int, tuple[str, str, str, bool]]:
        """Name, type and lead of each entity that the tree shows, and whether a document declares it."""
        rows = self._cursor.execute(_ABOUT, [_list(entities)]).fetchall() if entities else []
        return {
            row: (name, kind or "", lead, declared)
            for row, name, kind, lead, declared in rows
            if self._s.entities.find_index(row) >= 0
        }

    def _pages(self, documents: Sequence[int]) -> set[int]:
        rows: list[Any] = self._cursor.execute(_PAGES, [_list(documents)]).fetchall() if documents else []
        return {entity for _, entity in rows}
