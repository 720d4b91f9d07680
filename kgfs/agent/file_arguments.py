"""What the file tools take, as the registry declares it. Used by ``kgfs.agent.file_tools`` to check a call."""

from __future__ import annotations

import msgspec


class ReadFile(msgspec.Struct, forbid_unknown_fields=True):
    """``read_file``."""

    path: str
    offset: int = 1
    limit: int | None = None


class WriteFile(msgspec.Struct, forbid_unknown_fields=True):
    """``write_file``."""

    path: str
    content: str
    overwrite: bool = False


class EditFile(msgspec.Struct, forbid_unknown_fields=True):
    """``edit_file``."""

    path: str
    old_string: str
    new_string: str
    replace_all: bool = False


class Ls(msgspec.Struct, forbid_unknown_fields=True):
    """``ls``."""

    path: str = "."


class Glob(msgspec.Struct, forbid_unknown_fields=True):
    """``glob``."""

    pattern: str
    path: str = "."


class Grep(msgspec.Struct, forbid_unknown_fields=True):
    """``grep``."""

    pattern: str
    path: str = "."
    glob: str | None = None
    ignore_case: bool = False
    fixed: bool = False
    whole_words: bool = False
    max_results: int = 100


class Execute(msgspec.Struct, forbid_unknown_fields=True):
    """``execute``."""

    command: str
    timeout: float | None = None
