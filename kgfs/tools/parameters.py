"""The parameters of each tool: one struct per tool, to check arguments and to make JSON schemas and commands.

Used by the registry, the tools and ``kgfs.cli``. Imports msgspec and nothing of ours, so that a command starts quickly.
A description is read by models and is the help of the option made from it: one sentence with a full stop.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

AGENT = "agent"
"""The default drive."""

MOST_LINES = 1 << 40
MOST_BUDGET = 340_000
"""Tokens of one prompt: 1 MiB of text, as of every answer."""

Count = Annotated[int, Meta(ge=1, le=MOST_LINES)]

Drive = Annotated[
    str, Meta(description='Drive name, e.g. "agent", "disk", "url"; ignored if the path is a drive:/path or an id.')
]
ItemPath = Annotated[str, Meta(description='Path within the drive ("/notes/a.md"), a drive:/path, or an id.')]
DirectoryPath = Annotated[str, Meta(description='Directory within the drive ("/" is the whole drive), or drive:/path.')]
NewPath = Annotated[str, Meta(description='Path within the drive ("/notes/a.md"), or drive:/path.')]
SearchKind = Annotated[
    Literal["semantic", "keyword", "entities", "facts", "chunks", "topics"],
    Meta(description="What to search: everything (semantic: by meaning and words; keyword: by words) or one kind."),
]
OnConflict = Annotated[Literal["error", "overwrite"], Meta(description="What to do if the item exists.")]


class Parameters(Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of all parameters: unknown names are refused."""


class NoParameters(Parameters, kw_only=True):
    """Parameters of a tool without any."""


class TreeParameters(Parameters, kw_only=True):
    """Which directory to draw, and how much of it."""

    drive: Annotated[str | None, Meta(description="Drive to draw; without it, list the drives.")] = None
    path: DirectoryPath = "/"
    max_depth: Annotated[int, Meta(ge=1, le=64, description="Show at most this many levels.")] = 10
    max_entries: Annotated[
        int, Meta(ge=1, le=5000, description="Maximum number of entries; upper levels come first.")
    ] = 200


class ReadParameters(Parameters, kw_only=True):
    """Which lines of which item."""

    drive: Drive = AGENT
    path: ItemPath
    offset: Annotated[int, Meta(ge=1, le=MOST_LINES, description="First line to read, counted from 1.")] = 1
    limit: Annotated[Count | None, Meta(description="Maximum number of lines (default: all, up to 1 MiB).")] = None
    raw: Annotated[
        bool, Meta(description="Return the stored body instead of the extracted text (e.g. the HTML of a page).")
    ] = False


class ItemParameters(Parameters, kw_only=True):
    """One item."""

    drive: Drive = AGENT
    path: ItemPath


class WriteParameters(Parameters, kw_only=True):
    """A whole item."""

    drive: Drive = AGENT
    path: NewPath
    content: Annotated[str | UnsetType, Meta(description="The whole text of the item.")] = UNSET
    content_base64: Annotated[
        str | UnsetType, Meta(description="Instead of content: bytes that are not text, as base64.")
    ] = UNSET
    on_conflict: OnConflict = "error"


class Patch(Struct, kw_only=True, forbid_unknown_fields=True):
    """A range of lines and its replacement; line numbers are those before the edit."""

    start_line: Annotated[int, Meta(ge=1, le=MOST_LINES, description="First line to replace, counted from 1.")]
    end_line: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_LINES,
            description="Last line to replace, inclusive; 0 inserts before start_line without replacing.",
        ),
    ]
    content: Annotated[str, Meta(description='The new lines; "" deletes the range.')]


class EditParameters(Parameters, kw_only=True):
    """Lines to change in an item."""

    drive: Drive = AGENT
    path: ItemPath
    patches: Annotated[
        list[Patch],
        Meta(min_length=1, max_length=10_000, description="Line ranges and their replacements; they must not overlap."),
    ]


class DeleteParameters(Parameters, kw_only=True):
    """An item, or a directory with everything below it."""

    drive: Drive = AGENT
    path: ItemPath
    recursive: Annotated[bool, Meta(description="Delete a directory and everything below it.")] = False


class TransferParameters(Parameters, kw_only=True):
    """Source and destination."""

    src_drive: Drive = AGENT
    src_path: ItemPath
    dst_drive: Drive = AGENT
    dst_path: NewPath
    overwrite: Annotated[bool, Meta(description="Replace an existing item.")] = False


class CreateDirectoryParameters(Parameters, kw_only=True):
    """The directory to create."""

    drive: Drive = AGENT
    path: NewPath


class SizeParameters(Parameters, kw_only=True):
    """The directory to measure."""

    drive: Drive = AGENT
    path: DirectoryPath = "/"
    recursive: Annotated[bool, Meta(description="Include subdirectories.")] = True


class RefreshParameters(Parameters, kw_only=True):
    """The sources to read again."""

    drive: Annotated[str | None, Meta(description="Drive of the path; without drive and path, all sources.")] = None
    path: Annotated[str | None, Meta(description="An item or a directory that was added, as path or drive:/path.")] = (
        None
    )


class SemanticParameters(Parameters, kw_only=True):
    """A query in words."""

    query: Annotated[str, Meta(description="The query, in words.")]
    kind: SearchKind = "semantic"
    drive: Annotated[str | None, Meta(description="Search only this drive.")] = None
    path: Annotated[str | None, Meta(description="Search only below this path of the drive.")] = None
    top_k: Annotated[int, Meta(ge=1, le=1000, description="Maximum number of results.")] = 10
    threshold: Annotated[float, Meta(ge=0, le=1, description="Leave out results with a lower score (0 to 1).")] = 0.0


class GrepParameters(Parameters, kw_only=True):
    """A pattern and where to search for it."""

    pattern: Annotated[str, Meta(description="An extended regular expression, as for grep -E.")]
    drive: Annotated[str | None, Meta(description="Drive to search; without it, all.")] = None
    path: Annotated[str, Meta(description="Directory or item to search in.")] = "/"
    glob: Annotated[str | None, Meta(description='Search only items whose name matches, e.g. "*.md".')] = None
    ignore_case: Annotated[bool, Meta(description="Ignore case.")] = False
    fixed: Annotated[bool, Meta(description="The pattern is plain text, not an expression.")] = False
    whole_words: Annotated[bool, Meta(description="Match whole words only.")] = False
    max_results: Annotated[int, Meta(ge=1, le=10_000, description="Maximum number of lines.")] = 100


class PromptParameters(Parameters, kw_only=True):
    """A task and the budget for its context."""

    task: Annotated[str, Meta(min_length=1, description="The task, in words.")]
    budget_tokens: Annotated[int, Meta(ge=0, le=MOST_BUDGET, description="Maximum number of tokens of the result.")] = (
        8000
    )
    top_k: Annotated[int, Meta(ge=0, le=1000, description="Maximum number of passages.")] = 10
    memories: Annotated[bool, Meta(description="Whether what agents remembered may be part of it.")] = True
