"""What is data is said once, here: the marks between which a model reads text that others wrote.

Used for every result of a tool that holds text of documents (``kgfs.tools.rendering``). The marks have a random part,
which the author of a document could not know, so no document can close them or imitate one that opens. Pure but for
chance.
"""

from __future__ import annotations

import html
import re
import secrets

from kgfs.names import one_line

_MARK = re.compile(r'^(?:<data-[0-9a-f]{8} from="[^"]*">|</data-[0-9a-f]{8}>)(?:\n|\Z)', re.MULTILINE)


def fenced(text: str, source: str) -> str:
    """A text between marks that it cannot hold; ``source`` says where it is from, in one line."""
    mark = secrets.token_hex(4)
    while mark in text:
        mark = secrets.token_hex(4)
    end = "" if text.endswith("\n") else "\n"
    place = html.escape(one_line(source), quote=True)
    return f'<data-{mark} from="{place}">\n{text}{end}</data-{mark}>'


def unfenced(text: str) -> str:
    """A text without lines that are marks: for people, and to compare results, whose marks differ."""
    return _MARK.sub("", text)
