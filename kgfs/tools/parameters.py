"""What each tool takes: one struct a tool, from which arguments are checked and JSON schemas and commands are made.

Used by the registry, the tools and ``kgfs.cli``. Imports msgspec and nothing of ours, so that a command starts quickly.
A description is what a model reads, and the help of the option that is made of it: one sentence with a full stop.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

AGENT = "agent"
"""The drive that is written to where none is named."""

MOST_LINES = 1 << 40
MOST_BUDGET = 340_000
"""Tokens of one prompt: 1 MiB of text, as of every answer."""

Count = Annotated[int, Meta(ge=1, le=MOST_LINES)]

Drive = Annotated[
    str, Meta(description='Drive name, e.g. "agent", "disk", "url"; ignored where the path is a drive:/path or an id.')
]
ItemPath = Annotated[str, Meta(description='Path within the drive ("/notes/a.md"), a drive:/path, or an id.')]
DirectoryPath = Annotated[str, Meta(description='Directory within the drive ("/" is the whole drive), or drive:/path.')]
NewPath = Annotated[str, Meta(description='Path within the drive ("/notes/a.md"), or drive:/path.')]
OnConflict = Annotated[Literal["error", "overwrite"], Meta(description="What to do where an item is there already.")]


class Parameters(Struct, kw_only=True, forbid_unknown_fields=True):
    """What every tool's parameters have in common: names that are not known are refused."""


class NoParameters(Parameters, kw_only=True):
    """A tool that takes nothing."""


class TreeParameters(Parameters, kw_only=True):
    """Which directory to draw, and how much of it."""

    drive: Annotated[str | None, Meta(description="Drive to draw; without it the drives are listed.")] = None
    path: DirectoryPath = "/"
    max_depth: Annotated[int, Meta(ge=1, le=64, description="Go down this many levels only.")] = 10
    max_entries: Annotated[
        int, Meta(ge=1, le=5000, description="Draw this many entries at most; upper levels come first.")
    ] = 200


class ReadParameters(Parameters, kw_only=True):
    """Which lines of which item."""

    drive: Drive = AGENT
    path: ItemPath
    offset: Annotated[int, Meta(ge=1, le=MOST_LINES, description="Line to begin with, from 1.")] = 1
    limit: Annotated[Count | None, Meta(description="How many lines at most (all, up to 1 MiB).")] = None
    raw: Annotated[
        bool, Meta(description="The stored body itself, where the text is what was read from it (HTML of a page).")
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
        str | UnsetType, Meta(description="In place of content: bytes that are no text, as base64.")
    ] = UNSET
    on_conflict: OnConflict = "error"


class Patch(Struct, kw_only=True, forbid_unknown_fields=True):
    """Other lines in place of some; line numbers are those of the item before the edit."""

    start_line: Annotated[int, Meta(ge=1, le=MOST_LINES, description="First line to replace, from 1.")]
    end_line: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_LINES,
            description="Last line to replace, inclusive; 0 inserts before start_line and replaces nothing.",
        ),
    ]
    content: Annotated[str, Meta(description='The new lines; "" deletes the range.')]


class EditParameters(Parameters, kw_only=True):
    """Lines to change in an item."""

    drive: Drive = AGENT
    path: ItemPath
    patches: Annotated[
        list[Patch],
        Meta(min_length=1, max_length=10_000, description="Line ranges and what takes their place; none may overlap."),
    ]


class DeleteParameters(Parameters, kw_only=True):
    """One item, or a directory with all beneath it."""

    drive: Drive = AGENT
    path: ItemPath
    recursive: Annotated[bool, Meta(description="A directory too: everything beneath it.")] = False


class TransferParameters(Parameters, kw_only=True):
    """From where to where."""

    src_drive: Drive = AGENT
    src_path: ItemPath
    dst_drive: Drive = AGENT
    dst_path: NewPath
    overwrite: Annotated[bool, Meta(description="Replace an item that is there already.")] = False


class CreateDirectoryParameters(Parameters, kw_only=True):
    """A directory that is to be there."""

    drive: Drive = AGENT
    path: NewPath


class SizeParameters(Parameters, kw_only=True):
    """A directory to add up."""

    drive: Drive = AGENT
    path: DirectoryPath = "/"
    recursive: Annotated[bool, Meta(description="Count what lies in directories beneath it too.")] = True


class RefreshParameters(Parameters, kw_only=True):
    """What to read again from where it came from."""

    drive: Annotated[str | None, Meta(description="Drive of the path; without drive and path, everything.")] = None
    path: Annotated[str | None, Meta(description="An item or a directory that was added, as path or drive:/path.")] = (
        None
    )


class SemanticParameters(Parameters, kw_only=True):
    """A question in words."""

    query: Annotated[str, Meta(description="What to look for, in words.")]
    kind: Annotated[
        Literal["semantic", "keyword", "entities", "facts", "chunks", "topics"],
        Meta(description="What to search: everything by meaning and words, by words alone, or one kind of thing."),
    ] = "semantic"
    drive: Annotated[str | None, Meta(description="Only what comes from this drive.")] = None
    path: Annotated[str | None, Meta(description="Only what comes from beneath this path of the drive.")] = None
    top_k: Annotated[int, Meta(ge=1, le=1000, description="How many results at most.")] = 10
    threshold: Annotated[float, Meta(ge=0, le=1, description="Leave out results with a lower score (0 to 1).")] = 0.0


class GrepParameters(Parameters, kw_only=True):
    """A pattern and where to look for it."""

    pattern: Annotated[str, Meta(description="An extended regular expression, as grep -E takes it.")]
    drive: Annotated[str | None, Meta(description="Drive to search; without it, all.")] = None
    path: Annotated[str, Meta(description="Directory or item to search in.")] = "/"
    glob: Annotated[str | None, Meta(description='Only items with such a name, e.g. "*.md".')] = None
    ignore_case: Annotated[bool, Meta(description="Upper and lower case are the same.")] = False
    fixed: Annotated[bool, Meta(description="The pattern is plain text, no expression.")] = False
    whole_words: Annotated[bool, Meta(description="Matches must be whole words.")] = False
    max_results: Annotated[int, Meta(ge=1, le=10_000, description="How many lines at most.")] = 100


class PromptParameters(Parameters, kw_only=True):
    """A task, and how much may be said about it."""

    task: Annotated[str, Meta(min_length=1, description="The task in words: its name and what it is about.")]
    budget_tokens: Annotated[
        int, Meta(ge=0, le=MOST_BUDGET, description="How many tokens the prompt may have at most.")
    ] = 8000
    top_k: Annotated[int, Meta(ge=0, le=1000, description="How many passages at most.")] = 10
