"""The parameters of the tools that ask the graph, of keys and of memory: as those in ``parameters``.

Used by the registry and the tools. Imports msgspec and nothing heavy.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from kgfs.tools.parameters import Parameters, SearchKind

MOST_LISTED = 2_000
READ_LINES = 2_000

Place = Annotated[
    str, Meta(description='Path: "/kg/…", from the root of the tree ("entities/by_name/X"), drive:/path, or an id.')
]
Within = Annotated[str | None, Meta(description="Directory to stay within, e.g. entities/by_name/X; default: all.")]


class BriefParameters(Parameters, kw_only=True):
    """A question."""

    question: Annotated[str, Meta(min_length=1, description="The question, in words.")]
    path: Within = None
    limit: Annotated[int, Meta(ge=500, le=100_000, description="Maximum number of characters.")] = 6000


class SearchParameters(Parameters, kw_only=True):
    """A query in words."""

    query: Annotated[str, Meta(min_length=1, description="The query, in words.")]
    kind: SearchKind = "semantic"
    path: Within = None
    limit: Annotated[int, Meta(ge=1, le=200, description="Maximum number of results.")] = 10


class ReadParameters(Parameters, kw_only=True):
    """Which lines of which file."""

    path: Place
    offset: Annotated[int, Meta(ge=1, description="First line to read, counted from 1.")] = 1
    limit: Annotated[int, Meta(ge=1, le=READ_LINES, description="Maximum number of lines.")] = READ_LINES


class ListParameters(Parameters, kw_only=True):
    """Which directory."""

    path: Place = "/"
    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED, description="Maximum number of entries.")] = 200


class FindParameters(Parameters, kw_only=True):
    """Properties."""

    path: Annotated[Place, Meta(description="Directory to look in.")] = "/"
    predicates: Annotated[
        list[str],
        Meta(
            max_length=20,
            description='Properties of entities, facts, chunks, topics, e.g. "type=Organization", "min_facts=10",'
            ' "date=2019-10"; read @find/_usage.txt for all.',
        ),
    ] = msgspec.field(default_factory=list)
    name: Annotated[str | None, Meta(description='Pattern of names, e.g. "*Google*".')] = None
    type: Annotated[Literal["d", "f", "l"] | None, Meta(description="Directories, files or links only.")] = None
    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED, description="Maximum number of paths.")] = 200


class LinesParameters(Parameters, kw_only=True):
    """A pattern and where to look for it."""

    pattern: Annotated[str, Meta(min_length=1, description="Extended regular expression, as for grep -E.")]
    path: Annotated[Place, Meta(description="Directory or file to search in.")] = "."
    glob: Annotated[str | None, Meta(description='Only paths whose last name matches, e.g. "*.md".')] = None
    ignore_case: Annotated[bool, Meta(description="Ignore case.")] = False
    fixed: Annotated[bool, Meta(description="The pattern is plain text.")] = False
    whole_words: Annotated[bool, Meta(description="Match whole words only.")] = False
    max_results: Annotated[int, Meta(ge=1, le=1000, description="Maximum number of lines.")] = 100


class SqlParameters(Parameters, kw_only=True):
    """A statement."""

    query: Annotated[str, Meta(min_length=1, description="One SELECT; @sql/_schema.sql has the tables.")]
    limit: Annotated[int, Meta(ge=1, le=1000, description="Maximum number of rows that are returned.")] = 100


class PathParameters(Parameters, kw_only=True):
    """Two entities."""

    start: Annotated[str, Meta(min_length=1, description="Name, alias or slug of an entity.")]
    end: Annotated[str, Meta(min_length=1, description="Name, alias or slug of another one.")]


class StatParameters(Parameters, kw_only=True):
    """One path."""

    path: Place


class KeyParameters(Parameters, kw_only=True):
    """One key."""

    key: Annotated[str, Meta(min_length=1, description="The key.")]


class SetKeyParameters(Parameters, kw_only=True):
    """A key and its value."""

    key: Annotated[str, Meta(min_length=1, description="The key.")]
    value: Annotated[Any, Meta(description="Any JSON value.")]


class ListKeysParameters(Parameters, kw_only=True):
    """Which keys."""

    prefix: Annotated[str, Meta(description="Only keys that begin so.")] = ""
    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED, description="Maximum number of keys.")] = 200


class RememberParameters(Parameters, kw_only=True):
    """What to remember."""

    name: Annotated[str, Meta(min_length=1, max_length=100, description='Short name of the note, e.g. "sources".')]
    content: Annotated[str, Meta(min_length=1, max_length=100_000, description="Text, in Markdown.")]
    mode: Annotated[
        Literal["append", "replace"], Meta(description="Add to what the note has, or replace it.")
    ] = "append"  # fmt: skip
