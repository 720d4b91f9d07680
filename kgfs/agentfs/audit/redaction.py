"""What of a call's parameters and results may stand in the audit trail: no secret, no body.

Used by the recorder. A value that looks like a secret, or has the name of one, becomes ``[redacted]``; a text that is a
body, or as long as one, becomes its length and hash.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

REDACTED = "[redacted]"
LONGEST = 1000
"""A longer text counts as a body."""
MOST = 100
"""Of longer lists so many members are kept."""

_NAMES = re.compile(
    r"(?i)(^|[_-])(pass(word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|cookie"
    r"|authorization|auth)s?$"
)
_BODIES = frozenset({"content", "body", "text", "data", "old_string", "new_string", "old", "new", "value"})
_SECRETS = re.compile(
    r"""(?xi)
    \b(?:sk|pk|rk)[-_](?:ant[-_]|live[-_]|test[-_]|proj[-_])?[a-z0-9_-]{16,}   # keys of services
    | \bgh[pousr]_[a-z0-9]{20,} | \bgithub_pat_[a-z0-9_]{20,} | \bglpat-[a-z0-9_-]{16,}
    | \bxox[abprs]-[a-z0-9-]{10,} | \bnpm_[a-z0-9]{30,} | \bpypi-[a-z0-9_-]{30,}
    | \b(?-i:AKIA|ASIA)[0-9A-Z]{16}\b | \b(?-i:AIza)[0-9A-Za-z_-]{30,}
    | \b(?-i:eyJ)[a-z0-9_-]{8,}\.[a-z0-9_-]{8,}\.[a-z0-9_-]*                          # JSON web tokens
    | -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----[\s\S]*?(?:-----END[^-]*-----|$)
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)                                                # user and password of a URL
    | (?<=bearer[ ])[a-z0-9._~+/=-]{8,} | (?<=basic[ ])[a-z0-9+/=]{8,}
    | (?:(?<=password=)|(?<=passwd=)|(?<=secret=)|(?<=token=)|(?<=api_key=)|(?<=apikey=)|(?<=password:[ ]))[^\s&"']+
    """
)


def redacted(value: Any, name: str = "") -> Any:
    """A value as JSON may have it, without what must not be kept. ``name`` is the key that it stands under."""
    if isinstance(value, str):
        if name and _NAMES.search(name):
            return REDACTED
        if len(value) > LONGEST or (name in _BODIES):
            return digest(value.encode("utf-8", "surrogateescape"))
        return _SECRETS.sub(REDACTED, value)
    if isinstance(value, bytes | bytearray | memoryview):
        return digest(bytes(value))
    if isinstance(value, dict):
        return {_SECRETS.sub(REDACTED, str(key)): redacted(one, str(key)) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        kept = [redacted(one, name) for one in list(value)[:MOST]]
        return [*kept, f"and {len(value) - MOST} more"] if len(value) > MOST else kept
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def digest(body: bytes) -> dict[str, Any]:
    """What is kept of a body."""
    return {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
