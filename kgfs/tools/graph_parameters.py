"""The parameters of the tools that ask the graph, and of those that keep what an agent wants to keep.

Used by the registry. Imports msgspec and nothing of ours but the base of parameters.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from kgfs.tools.parameters import Parameters

Place = Annotated[
    str, Meta(description="Path from the root of the tree, on the mount, below /kg, drive:/path, or an id.")
]
Scope = Annotated[str | None, Meta(description="Only what belongs to this directory of the tree, or to this document.")]
Named = Annotated[str | None, Meta(description="An entity by its slug, name or alias.")]
Facts = Annotated[int, Meta(ge=0, le=999_999_999)]
Key = Annotated[str, Meta(description="The key.")]


class BriefParameters(Parameters, kw_only=True):
    """A question, and how long the text may be."""

    question: Annotated[str, Meta(min_length=1, description="The question, in words.")]
    path: Scope = None
    limit: Annotated[int, Meta(ge=500, le=100_000, description="Maximum number of characters.")] = 6000


class SearchParameters(Parameters, kw_only=True):
    """What to look for, and where."""

    query: Annotated[str, Meta(min_length=1, description="The query, in words.")]
    kind: Annotated[
        Literal["semantic", "keyword", "entities", "facts", "chunks", "topics"],
        Meta(description="What to search: everything (semantic: by meaning and words; keyword: by words) or one kind."),
    ] = "semantic"
    path: Scope = None
    limit: Annotated[int, Meta(ge=1, le=200, description="Maximum number of results.")] = 10


class ReadParameters(Parameters, kw_only=True):
    """Which lines of which file."""

    path: Place
    offset: Annotated[int, Meta(ge=1, le=1 << 40, description="First line, counted from 1.")] = 1
    limit: Annotated[int, Meta(ge=1, le=100_000, description="Maximum number of lines.")] = 1000


class ListParameters(Parameters, kw_only=True):
    """Which entries of which directory."""

    path: Place = ""
    offset: Annotated[int, Meta(ge=1, le=1 << 40, description="First entry, counted from 1.")] = 1
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Maximum number of entries.")] = 200


class PlaceParameters(Parameters, kw_only=True):
    """One place."""

    path: Place


class FindParameters(Parameters, kw_only=True):
    """Properties, as ``@find`` has them."""

    name: Annotated[str | None, Meta(description="Name in the tree, as a shell pattern (*Inc*).")] = None
    type: Annotated[
        str | None,
        Meta(
            description="An entity's type (Organization), a fact's (ACQUIRED), or entity, topic, document, chunk, fact."
        ),
    ] = None
    min_facts: Annotated[Facts | None, Meta(description="At least so many facts.")] = None
    max_facts: Annotated[Facts | None, Meta(description="At most so many facts.")] = None
    date: Annotated[str | None, Meta(description="Dated in this year, month or day (2019-10).")] = None
    from_: Annotated[str | None, Meta(description="Dated on this day or later.")] = field(default=None, name="from")
    to: Annotated[str | None, Meta(description="Dated on this day or earlier.")] = None
    mentions: Named = None
    topic: Annotated[str | None, Meta(description="Of this topic or a subtopic.")] = None
    related_to: Named = None
    relationship: Annotated[str | None, Meta(description="Has a fact of this type (ACQUIRED, ACQUIRED_BY).")] = None
    subject: Named = None
    object: Named = None
    status: Annotated[
        str | None, Meta(description="Facts that are stated, planned, claimed or conditional; ends of one.")
    ] = None
    has_subtopics: Annotated[bool | None, Meta(description="Topics with subtopics, or without.")] = None
    path: Scope = None
    offset: Annotated[int, Meta(ge=1, le=1 << 40, description="First result, counted from 1.")] = 1
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Maximum number of results.")] = 100


class SqlParameters(Parameters, kw_only=True):
    """A statement."""

    query: Annotated[str, Meta(min_length=1, description="One SELECT, WITH … SELECT, DESCRIBE or SHOW TABLES.")]


class ChainParameters(Parameters, kw_only=True):
    """Two ends."""

    from_: Annotated[str, Meta(min_length=1, description="An entity by its slug, name or alias.")] = field(name="from")
    to: Annotated[str, Meta(min_length=1, description="The other entity.")]


class KeyParameters(Parameters, kw_only=True):
    """A key."""

    key: Key


class KeyValueParameters(Parameters, kw_only=True):
    """A key and its value."""

    key: Key
    value: Annotated[Any, Meta(description="The value: any JSON.")]


class PrefixParameters(Parameters, kw_only=True):
    """How the keys begin."""

    prefix: Annotated[str, Meta(description="How the keys begin; without it, all keys.")] = ""
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Maximum number of keys.")] = 200


class RememberParameters(Parameters, kw_only=True):
    """A memory."""

    name: Annotated[str, Meta(min_length=1, max_length=200, description="What it is called, such as user-preferences.")]
    content: Annotated[str, Meta(min_length=1, description="What to remember, as Markdown.")]
    append: Annotated[bool, Meta(description="Add it to what is there instead of replacing that.")] = False
