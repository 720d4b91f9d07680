"""The parameters of the tools that an agent's own process answers: files of the mount, a shell, the answer.

Used by the registry. Imports msgspec and nothing of ours but the base.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

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


class CitationParameters(Struct, kw_only=True):
    """What supports a claim."""

    path: Annotated[str, Meta(description="A passage, a fact, a document or a stored file.")]
    quote: Annotated[str, Meta(description="A few words exactly as they stand there.")]


class AnswerParameters(Parameters, kw_only=True):
    """The answer and what supports it."""

    text: Annotated[str, Meta(description="The answer, short.")]
    citations: Annotated[list[CitationParameters], Meta(description="One for every claim.")] = field(
        default_factory=list
    )
