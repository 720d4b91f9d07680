"""Structs as the columns that ``insert`` and ``given`` take, and values as the JSON that columns hold.

Used by the store's own modules; pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec


def struct_columns(rows: Sequence[msgspec.Struct]) -> dict[str, list[Any]]:
    """Structs of one kind as columns; at least one."""
    return {name: [getattr(row, name) for row in rows] for name in rows[0].__struct_fields__}


def encode_json(value: Any) -> str:
    """A value as JSON; what JSON does not know (dates of front matter) as text."""
    return msgspec.json.encode(value, enc_hook=str).decode()
