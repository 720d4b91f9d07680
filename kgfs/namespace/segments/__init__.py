"""The variable segments of the tree: each lists names under a parent and finds one.

Used by the table in ``tree``. Everything here runs on the event loop and reads the snapshot only. ``id`` of a node is
the row id of what it stands for or belongs to, so that the rest of its path follows from the snapshot (see each class).
"""

from kgfs.namespace.segments.context import ContextDirectories, ContextFiles, Drives, Original, Sources
from kgfs.namespace.segments.dates import Dated, Months, OfMonth, Years
from kgfs.namespace.segments.entities import (
    RECEIVED,
    STATED,
    Entities,
    EntityNames,
    FactsOf,
    Former,
    Indicators,
    Others,
    Roles,
    Side,
    TypesOf,
)
from kgfs.namespace.segments.prefixes import Beginning, Beginnings, ByPrefix
from kgfs.namespace.segments.rows import (
    CHUNK,
    CONFLICT_TYPES,
    DOCUMENT,
    ENTITY,
    ENTITY_TYPES,
    FACT,
    FACT_TYPES,
    TOPIC,
    ChunksOf,
    Conflicts,
    Everything,
    FactsOfType,
    Members,
    RootTopics,
    Subtopics,
    conflicting,
)

__all__ = [
    "CHUNK",
    "CONFLICT_TYPES",
    "DOCUMENT",
    "ENTITY",
    "ENTITY_TYPES",
    "FACT",
    "FACT_TYPES",
    "RECEIVED",
    "STATED",
    "TOPIC",
    "Beginning",
    "Beginnings",
    "ByPrefix",
    "ChunksOf",
    "Conflicts",
    "ContextDirectories",
    "ContextFiles",
    "Dated",
    "Drives",
    "Entities",
    "EntityNames",
    "Everything",
    "FactsOf",
    "FactsOfType",
    "Former",
    "Indicators",
    "Members",
    "Months",
    "OfMonth",
    "Original",
    "Others",
    "Roles",
    "RootTopics",
    "Side",
    "Sources",
    "Subtopics",
    "TypesOf",
    "Years",
    "conflicting",
]
