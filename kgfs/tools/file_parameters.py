"""The parameters of the tools that an agent's own process answers: files of the mount, a shell, memory, the answer.

Used by the registry. Imports msgspec and nothing of ours but the base.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from kgfs.tools.parameters import Parameters

Path = Annotated[str, Meta(description='Path, as in the shell: "/kg/…", or relative to /kg.')]


class ReadFileParameters(Parameters, kw_only=True):
    """Which lines of which file."""

    path: Path
    offset: Annotated[int, Meta(ge=1, description="First line, counted from 1.")] = 1
    limit: Annotated[int | None, Meta(description="Maximum number of lines.")] = None


class WriteFileParameters(Parameters, kw_only=True):
    """What to write where."""

    path: Path
    content: Annotated[str, Meta(description="The whole new content.")]
    overwrite: Annotated[bool, Meta(description="Replace a file that is there.")] = False


class EditFileParameters(Parameters, kw_only=True):
    """Which text of a file becomes which."""

    path: Path
    old_string: Annotated[str, Meta(description="Text to replace, exactly as it stands there, and only once.")]
    new_string: Annotated[str, Meta(description="Its replacement.")]
    replace_all: Annotated[bool, Meta(description="Replace it wherever it stands.")] = False


class LsParameters(Parameters, kw_only=True):
    """Which directory to list."""

    path: Path = "."


class GlobParameters(Parameters, kw_only=True):
    """Which names to find."""

    pattern: Annotated[str, Meta(description='Pattern, e.g. "**/*.md".')]
    path: Path = "."


class ExecuteParameters(Parameters, kw_only=True):
    """What to run."""

    command: Annotated[str, Meta(description="A command for bash.")]
    timeout: Annotated[float | None, Meta(description="End it after so many seconds.")] = None


class MemoryParameters(Parameters, kw_only=True):
    """What to do with which memory, as the API's tool of this name takes it."""

    command: Annotated[
        Literal["view", "create", "str_replace", "insert", "delete", "rename"], Meta(description="What to do.")
    ]
    path: Annotated[str | None, Meta(description='"/memories" or a file in it.')] = None
    view_range: Annotated[tuple[int, int] | None, Meta(description="Of view: first and last line.")] = None
    file_text: Annotated[str | None, Meta(description="Of create: the whole text.")] = None
    old_str: Annotated[str | None, Meta(description="Of str_replace: the text to replace.")] = None
    new_str: Annotated[str | None, Meta(description="Of str_replace: its replacement.")] = None
    insert_line: Annotated[int | None, Meta(description="Of insert: behind this line.")] = None
    insert_text: Annotated[str | None, Meta(description="Of insert: the text.")] = None
    old_path: Annotated[str | None, Meta(description="Of rename.")] = None
    new_path: Annotated[str | None, Meta(description="Of rename.")] = None


class CitationParameters(Struct, kw_only=True):
    """What supports a claim."""

    path: Annotated[str, Meta(description="A passage, a fact, a document or a stored file.")]
    quote: Annotated[str, Meta(description="A few words exactly as they stand there.")]


class AnswerParameters(Parameters, kw_only=True):
    """The answer and what supports it."""

    text: Annotated[str, Meta(description="The answer, short.")]
    citations: Annotated[tuple[CitationParameters, ...], Meta(description="One for every claim.")] = ()
