"""What documents claim of entities, as rows: names, aliases, forms, evidence, mentions; and which name is which entity.

Used by ``kgfs.graph.resolution`` inside a write transaction, on the store's writer thread. Set-at-a-time reads and
writes; nothing here decides what claims come to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from kgfs.model import Evidence, Passage
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, value_table
from kgfs.store.catalog.rows import encode_json
from kgfs.store.files.documents import IN
from kgfs.store.files.items import GROUP

IN_TEXTS = "IN (SELECT unnest(?::VARCHAR[]))"
"""SQL: a column is one of a list of texts."""
NAMED = (("entity_claims", "entity_id", "key"), ("facts", "subject_id", "subject_key"),
         ("facts", "object_id", "object_key"))  # fmt: skip
"""Tables of rows that belong to the entity of a name: table, column with the entity, column with the name."""


SURE, SHOWN, SEEN = "sure", "shown", "seen"
"""How a claim stands: an entity for certain, one that its document alone shows, a name that may be one."""


class NameForm(NamedTuple):
    """What a name may be written as elsewhere."""

    rule: str
    form: str
    side: str
    """``long``, ``short`` or ``same``."""


class GivenAlias(NamedTuple):
    """An alias that claims give to a name."""

    alias: str
    name: str
    rule: str
    declared: bool
    documents: int


class FormHolder(NamedTuple):
    """A name that has a form."""

    key: str
    form: NameForm


class NameStanding(NamedTuple):
    """How the claims of a name stand together."""

    declared: bool
    documents: int
    sure: bool
    """Some document claims it for certain."""
    shown: bool
    """Some document by itself shows it, or claims it for certain."""
    as_word: int = 0
    """In how many of them it is written as a word with a capital (``Mac``), not as an acronym (``MAC``, ``CoE``)."""


class Claim(msgspec.Struct, kw_only=True):
    """What one document says about one entity, under one name."""

    document_id: int
    key: str
    name: str
    type: str
    aliases: list[str]
    alias_keys: list[str]
    description: str
    attributes: dict[str, Any]
    confidence: float
    declared: bool
    extractor: str
    standing: str = SURE
    rules: dict[str, str] = {}
    """Normalised alias to how it was found to be one."""
    forms: list[NameForm] = []
    evidence: Evidence | None = None
    passages: list[Passage] = []


class ClaimGroup(msgspec.Struct, frozen=True):
    """All claims on an entity that agree in name, type and aliases."""

    entity_id: int
    key: str
    name: str
    type: str
    declared: bool
    standing: str
    aliases: list[str]
    weight: float
    documents: int
    first_document: int


class BestClaims(msgspec.Struct):
    """What an entity takes from single claims."""

    description: str = ""
    attributes: dict[str, Any] = {}
    confidence: float = 0.0
    extractor: str = ""
    by_model: bool = False
    """Whether the description is a language model's."""


def _joining_forms(condition: str) -> str:
    """The forms, as SQL, of rows of ``claim_forms`` that meet a condition, as far as they can join names: a short name
    and a long one have them, or two that are alike.

    Nearly all forms join nothing: that ten thousand persons share forty given names is of no matter as long as nobody
    is called by one alone.
    """
    return (
        f"SELECT rule, form FROM claim_forms SEMI JOIN (SELECT rule, form FROM claim_forms WHERE {condition})"
        " USING (rule, form) GROUP BY rule, form HAVING (bool_or(side = 'short') AND bool_or(side = 'long'))"
        " OR min(key) FILTER (side = 'same') <> max(key) FILTER (side = 'same')"
    )


def claimed_keys(cursor: Cursor, document_ids: Sequence[int]) -> set[str]:
    """The names and aliases, normalised, that documents claim, and the names that share a form with them by which they
    may be joined."""
    numbers = list(document_ids)
    rows = cursor.execute(
        f"SELECT key FROM entity_claims WHERE document_id {IN} UNION SELECT alias_key FROM claim_aliases"
        f" WHERE document_id {IN} UNION SELECT key FROM claim_forms"
        f" SEMI JOIN ({_joining_forms(f'document_id {IN}')}) USING (rule, form)",
        [numbers] * 3,
    ).fetchall()
    return {row[0] for row in rows}


def entities_of_documents(cursor: Cursor, document_ids: Sequence[int]) -> set[int]:
    """The entities that documents claim, mention or state facts about."""
    numbers = list(document_ids)
    rows = cursor.execute(
        f"SELECT entity_id FROM entity_claims WHERE document_id {IN}"
        f" UNION SELECT entity_id FROM entity_chunks WHERE document_id {IN}"
        f" UNION SELECT subject_id FROM facts WHERE document_id {IN}"
        f" UNION SELECT object_id FROM facts WHERE document_id {IN}",
        [numbers] * 4,
    ).fetchall()
    return {row[0] for row in rows if row[0] is not None}


def clear_claims(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Delete what documents claim and mention; the entities are the resolver's to bring up to date."""
    for table in ("entity_claims", "claim_aliases", "claim_forms", "claim_evidence", "mentions", "entity_chunks"):
        cursor.execute(f"DELETE FROM {table} WHERE document_id {IN}", [list(document_ids)])


def insert_claims(cursor: Cursor, claims: Sequence[Claim]) -> None:
    """Insert claims; their ``entity_id`` is set by ``assign_claims``."""
    insert(
        cursor,
        "entity_claims",
        {
            "group_id": [GROUP] * len(claims),
            "document_id": [claim.document_id for claim in claims],
            "key": [claim.key for claim in claims],
            "name": [claim.name for claim in claims],
            "type": [claim.type for claim in claims],
            "aliases": [encode_json(claim.aliases) for claim in claims],
            "description": [claim.description for claim in claims],
            "attributes": [encode_json(claim.attributes) for claim in claims],
            "confidence": [claim.confidence for claim in claims],
            "declared": [claim.declared for claim in claims],
            "extractor": [claim.extractor for claim in claims],
            "standing": [claim.standing for claim in claims],
            "passages": [encode_json(claim.passages) for claim in claims],
        },
    )
    pairs = [(claim, alias) for claim in claims for alias in claim.alias_keys]
    insert(
        cursor,
        "claim_aliases",
        {
            "group_id": [GROUP] * len(pairs),
            "document_id": [claim.document_id for claim, _ in pairs],
            "key": [claim.key for claim, _ in pairs],
            "alias_key": [alias for _, alias in pairs],
            "declared": [claim.declared for claim, _ in pairs],
            "rule": [claim.rules.get(alias, "stated") for claim, alias in pairs],
        },
    )
    forms = sorted({(claim.document_id, claim.key, *form) for claim in claims for form in claim.forms})
    insert(
        cursor,
        "claim_forms",
        {
            "group_id": [GROUP] * len(forms),
            "document_id": [row[0] for row in forms],
            "key": [row[1] for row in forms],
            "rule": [row[2] for row in forms],
            "form": [row[3] for row in forms],
            "side": [row[4] for row in forms],
        },
    )
    said = [
        (claim, *line) for claim in claims if claim.evidence is not None for line in _evidence_lines(claim.evidence)
    ]
    insert(
        cursor,
        "claim_evidence",
        {
            "group_id": [GROUP] * len(said),
            "document_id": [claim.document_id for claim, *_ in said],
            "key": [claim.key for claim, *_ in said],
            "kind": [kind for _, kind, _, _ in said],
            "label": [label for _, _, label, _ in said],
            "amount": [amount for *_, amount in said],
        },
    )


SHAPES = ("word", "single", "plain", "acronym", "camel", "common_head", "address")
"""Fields of ``Evidence`` that say how a name is written; each is the label of a row."""


def _evidence_lines(evidence: Evidence) -> Iterator[tuple[str, str, float]]:
    """Kind, label and amount of everything that evidence says."""
    yield "seen", "", evidence.seen
    if evidence.acts:
        yield "acts", "", evidence.acts
    for kind, counts in (("type", evidence.types), ("clue", evidence.clues), ("against", evidence.against)):
        yield from ((kind, label, count) for label, count in counts.items())
    yield from (("shown", type_, sure) for type_, sure in evidence.shown.items())
    yield from (("shape", shape, 1) for shape in SHAPES if getattr(evidence, shape))


def summed_evidence(cursor: Cursor, keys: Collection[str]) -> dict[str, tuple[Evidence, set[int]]]:
    """What all documents say of names, added up, and which documents that are; only of names with evidence."""
    wanted = sorted(keys)
    found: dict[str, tuple[Evidence, set[int]]] = {}
    for key, documents in cursor.execute(
        f"SELECT key, list(DISTINCT document_id) FROM claim_evidence WHERE key {IN_TEXTS} GROUP BY key", [wanted]
    ).fetchall():
        found[key] = Evidence(types={}, clues={}, shown={}, against={}), set(documents)
    for key, kind, label, amount, most, documents in cursor.execute(
        "SELECT key, kind, label, sum(amount), max(amount), count(DISTINCT document_id) FROM claim_evidence"
        f" WHERE key {IN_TEXTS} GROUP BY key, kind, label ORDER BY key, kind, label",
        [wanted],
    ).fetchall():
        one, within = found[key]
        if kind in ("seen", "acts"):
            setattr(one, kind, int(amount))
        elif kind == "shown":
            one.shown[label] = most
        elif kind == "shape":
            # Spellings of one name may differ: it is one word if all are, an acronym if all are.
            setattr(one, label, documents == len(within) if label in ("single", "acronym") else True)
        else:
            {"type": one.types, "clue": one.clues, "against": one.against}[kind][label] = int(amount)
    return found


def insert_mentions(cursor: Cursor, counts: Mapping[tuple[int, int, str], int]) -> None:
    """Insert ``{(document, chunk, key): count}``."""
    insert(
        cursor,
        "mentions",
        {
            "group_id": [GROUP] * len(counts),
            "document_id": [document for document, _, _ in counts],
            "chunk_id": [chunk for _, chunk, _ in counts],
            "key": [key for _, _, key in counts],
            "count": list(counts.values()),
        },
    )


def aliases_of_keys(cursor: Cursor, keys: Collection[str]) -> list[GivenAlias]:
    """Every alias that is one of ``keys`` or that one of them has, by the names that claims give it to."""
    wanted = sorted(keys)
    rows = cursor.execute(
        "SELECT alias_key, key, rule, bool_or(declared), count(DISTINCT document_id) FROM claim_aliases"
        f" WHERE (alias_key {IN_TEXTS} OR key {IN_TEXTS}) AND key <> alias_key GROUP BY ALL ORDER BY ALL",
        [wanted, wanted],
    ).fetchall()
    return [GivenAlias(*row) for row in rows]


def form_holders(cursor: Cursor, keys: Collection[str]) -> list[FormHolder]:
    """The names that share a form with one of ``keys`` by which names may be joined, themselves among them.

    Each document that has a name has a row of each of its forms: joined as they are, these are the square of the
    documents (at 10,000 that name one company, 9 s a batch).
    """
    rows = cursor.execute(
        "SELECT DISTINCT key, rule, form, side FROM claim_forms"
        f" SEMI JOIN ({_joining_forms(f'key {IN_TEXTS}')}) USING (rule, form) ORDER BY ALL",
        [sorted(keys)],
    ).fetchall()
    return [FormHolder(key, NameForm(*form)) for key, *form in rows]


def pairs_in_one_document(cursor: Cursor, pairs: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Of pairs of names those that some document has both of, with how many documents have."""
    if not pairs:
        return {}
    wanted = sorted(pairs)
    table: dict[str, tuple[str, Sequence[Any]]] = {
        "one": ("VARCHAR", [one for one, _ in wanted]),
        "other": ("VARCHAR", [other for _, other in wanted]),
    }
    with value_table(cursor, "pairs", table):
        return {
            (one, other): documents
            for one, other, documents in cursor.execute(
                "SELECT one, other, count(DISTINCT a.document_id) FROM pairs JOIN entity_claims a ON a.key = one"
                " JOIN entity_claims b ON b.key = other AND b.document_id = a.document_id GROUP BY one, other"
            ).fetchall()
        }


def name_standings(cursor: Cursor, keys: Collection[str]) -> dict[str, NameStanding]:
    """Of ``keys``, those that are the name of a claim, with how their claims stand together."""
    rows = cursor.execute(
        "SELECT key, bool_or(declared), count(DISTINCT document_id), bool_or(standing = 'sure'),"
        " bool_or(standing <> 'seen'),"
        " count(DISTINCT document_id) FILTER (name <> lower(name) AND substr(name, 2) = lower(substr(name, 2)))"
        f" FROM entity_claims WHERE key {IN_TEXTS} GROUP BY key ORDER BY key",
        [sorted(keys)],
    ).fetchall()
    return {key: NameStanding(*standing) for key, *standing in rows}


def entities_of_keys(cursor: Cursor, keys: Collection[str]) -> dict[str, int]:
    """Normalised name to entity, as it was last resolved."""
    rows = cursor.execute(f"SELECT key, entity_id FROM entity_keys WHERE key {IN_TEXTS}", [sorted(keys)]).fetchall()
    return dict(rows)


def keys_of_entities(cursor: Cursor, entity_ids: Collection[int]) -> dict[str, int]:
    """All normalised names of entities."""
    rows = cursor.execute(
        f"SELECT key, entity_id FROM entity_keys WHERE entity_id {IN}", [sorted(entity_ids)]
    ).fetchall()
    return dict(rows)


def assign_keys(
    cursor: Cursor, before: Mapping[str, int], after: Mapping[str, int], document_ids: Collection[int] = ()
) -> set[int]:
    """Replace the rows of ``entity_keys`` for the keys in ``before`` by ``after`` and carry claims and facts along.

    A key that is not in ``after`` is no entity any more. Returns the entities that gained or lost a name, or that got
    one which documents other than ``document_ids`` have: their chunks want ``rebuild_chunks``.
    """
    cursor.execute(f"DELETE FROM entity_keys WHERE key {IN_TEXTS}", [sorted({*before, *after})])
    insert(
        cursor,
        "entity_keys",
        {"group_id": [GROUP] * len(after), "key": list(after), "entity_id": list(after.values())},
    )
    fresh = sorted(after.keys() - before.keys())
    elsewhere = cursor.execute(
        f"SELECT DISTINCT key FROM entity_claims WHERE key {IN_TEXTS} AND NOT document_id {IN}",
        [fresh, list(document_ids)],
    ).fetchall()
    moved: dict[str, int | None] = {
        key: after.get(key) for key in before.keys() | after.keys() if key in before and before[key] != after.get(key)
    }
    moved |= {key: after[key] for (key,) in elsewhere}
    if moved:
        table: dict[str, tuple[str, Sequence[Any]]] = {
            "key": ("VARCHAR", list(moved)),
            "entity_id": ("BIGINT", list(moved.values())),
        }
        with value_table(cursor, "moved", table):
            for target, column, key in NAMED:
                cursor.execute(
                    f"UPDATE {target} SET {column} = moved.entity_id FROM moved WHERE {target}.{key} = moved.key"
                )
    return {entity for key in moved for entity in (before.get(key), moved[key]) if entity is not None}


def assign_claims(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Set ``entity_id`` of the claims of documents."""
    cursor.execute(
        "UPDATE entity_claims SET entity_id = k.entity_id FROM entity_keys k"
        f" WHERE entity_claims.key = k.key AND entity_claims.document_id {IN}",
        [list(document_ids)],
    )


def rebuild_chunks(cursor: Cursor, document_ids: Sequence[int], entity_ids: Collection[int]) -> None:
    """Rebuild ``entity_chunks`` from the mentions, for documents and for entities whose names changed hands."""
    numbers, entities = list(document_ids), sorted(entity_ids)
    cursor.execute(f"DELETE FROM entity_chunks WHERE document_id {IN} OR entity_id {IN}", [numbers, entities])
    cursor.execute(
        "INSERT INTO entity_chunks BY NAME SELECT 1 AS group_id, k.entity_id, m.chunk_id, m.document_id,"
        " sum(m.count)::INTEGER AS count FROM mentions m JOIN entity_keys k USING (key)"
        f" WHERE m.document_id {IN} OR k.entity_id {IN} GROUP BY ALL",
        [numbers, entities],
    )


def claim_groups(cursor: Cursor, entity_ids: Collection[int]) -> dict[int, list[ClaimGroup]]:
    """The claims on entities, those that agree taken together."""
    rows = cursor.execute(
        "SELECT entity_id, key, name, type, declared, standing, aliases, sum(confidence), count(DISTINCT document_id),"
        f" min(document_id) FROM entity_claims WHERE entity_id {IN} GROUP BY ALL ORDER BY ALL",
        [sorted(entity_ids)],
    ).fetchall()
    found: dict[int, list[ClaimGroup]] = {}
    for entity, key, name, kind, declared, standing, others, weight, documents, first in rows:
        group = ClaimGroup(
            entity, key, name, kind, declared, standing, msgspec.json.decode(others), weight, documents, first
        )  # fmt: skip
        found.setdefault(entity, []).append(group)
    return found


def best_claims(
    cursor: Cursor, entity_ids: Collection[int], keys: Collection[str] | None = None
) -> dict[int, BestClaims]:
    """What entities take from single claims, the declared ones and then the surest first; with ``keys`` from those on
    these names only."""
    # (The end of a person's fact is claimed too; what found it without that comes first.)
    order = "declared DESC, extractor = 'person', confidence DESC, document_id, key, description, attributes"
    among = "" if keys is None else f" AND key {IN_TEXTS}"
    numbers: list[Any] = [sorted(entity_ids)] if keys is None else [sorted(entity_ids), sorted(keys)]
    found: dict[int, BestClaims] = {}
    for entity, confidence, extractor in cursor.execute(
        f"SELECT DISTINCT ON (entity_id) entity_id, confidence, extractor FROM entity_claims WHERE entity_id {IN}"
        f"{among} ORDER BY entity_id, {order}",
        numbers,
    ).fetchall():
        found[entity] = BestClaims(confidence=confidence, extractor=extractor)
    # What a model said of it in view of a passage stands before a sentence that rules chose.
    for entity, description, by_model in cursor.execute(
        "SELECT DISTINCT ON (entity_id) entity_id, description, starts_with(extractor, 'llm:') AND NOT declared"
        f" FROM entity_claims WHERE entity_id {IN}{among} AND description <> ''"
        f" ORDER BY entity_id, declared DESC, starts_with(extractor, 'llm:') DESC, {order}",
        numbers,
    ).fetchall():
        found[entity].description, found[entity].by_model = description, by_model
    for entity, attributes in cursor.execute(
        f"SELECT entity_id, attributes FROM entity_claims WHERE entity_id {IN}"
        f"{among} AND attributes <> '{{}}' ORDER BY entity_id, {order}",
        numbers,
    ).fetchall():
        found[entity].attributes = {**msgspec.json.decode(attributes), **found[entity].attributes}
    return found


def best_passages(
    cursor: Cursor, entity_ids: Collection[int], most: int, keys: Collection[str] | None = None
) -> dict[int, list[Passage]]:
    """The best sentences of all documents on each entity, the best first, no more than ``most``; with ``keys`` those
    on these names only."""
    among = "" if keys is None else f" AND key {IN_TEXTS}"
    rows = cursor.execute(
        "WITH said AS (SELECT entity_id, document_id, unnest(from_json(passages,"
        """ '[{"text": "VARCHAR", "score": "DOUBLE", "defines": "BOOLEAN"}]')) AS passage FROM entity_claims"""
        f" WHERE entity_id {IN}{among} AND passages <> '[]'),"
        " once AS (SELECT entity_id, passage.text AS text, max(passage.score) AS score, bool_or(passage.defines)"
        " AS defines, min(document_id) AS first FROM said GROUP BY ALL)"
        " SELECT entity_id, text, score, defines FROM once QUALIFY row_number() OVER (PARTITION BY entity_id"
        " ORDER BY score DESC, first, text) <= ? ORDER BY entity_id, score DESC, first, text",
        [sorted(entity_ids), *([] if keys is None else [sorted(keys)]), most],
    ).fetchall()
    found: dict[int, list[Passage]] = {}
    for entity, text, score, defines in rows:
        found.setdefault(entity, []).append(Passage(text=text, score=score, defines=defines))
    return found


def given_aliases(cursor: Cursor, entity_ids: Collection[int]) -> dict[int, list[tuple[str, str, int]]]:
    """The normalised aliases that documents give to entities, each with its rule and the number of documents."""
    rows = cursor.execute(
        "SELECT c.entity_id, a.alias_key, a.rule, count(DISTINCT a.document_id) FROM claim_aliases a"
        " JOIN entity_claims c ON c.document_id = a.document_id AND c.key = a.key"
        f" WHERE c.entity_id {IN} GROUP BY ALL ORDER BY ALL",
        [sorted(entity_ids)],
    ).fetchall()
    found: dict[int, list[tuple[str, str, int]]] = {}
    for entity, alias, rule, documents in rows:
        found.setdefault(entity, []).append((alias, rule, documents))
    return found
