"""How many tokens a text has, estimated without a model.

Used by chunking, in the worker process; pure. The estimate counts words in pieces of at most eight letters, every
ideograph and every sign: close enough to a word-piece tokenizer to size passages, the same on every machine, and fast.
"""

from __future__ import annotations

import re

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
PIECE = re.compile(rf"[{_CJK}]|[^\W{_CJK}]{{1,8}}|[^\w\s]")
"""One estimated token."""


def count_tokens(text: str) -> int:
    """The estimated number of tokens of ``text``; 0 for white space."""
    return len(PIECE.findall(text))
