"""Who speaks in minutes that say it before each line: ``- @jdoe: we should merge it``.

Used by ``minutes``; pure. Who speaks at a meeting took part in it, whether a list of attendance names them or not.
"""

from __future__ import annotations

import re

_SPEAKS = re.compile(
    r"(?:\*\*|__)?(?:\[)?@(?P<handle>[A-Za-z\d][A-Za-z\d-]{1,38})(?:\](?:\([^()\s]*\))?)?(?:\*\*|__)?\s?:(?:\*\*|__)?\s+\S"
)
FEWEST = 2
"""So many who speak make a conversation; one alone may be whom a task is for."""


def who_speaks(line: str) -> str:
    """The handle of who says what a line has, without its bullet; empty where it is no such line."""
    found = _SPEAKS.match(line)
    return f"@{found['handle']}" if found is not None else ""
