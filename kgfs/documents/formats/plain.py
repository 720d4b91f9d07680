"""Plain text and what is written like it: the text is the file; its first line may be its title.

One of the readers of ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

import re

from kgfs.documents.formats.reading import FileText, RawFile


def read(source: RawFile) -> FileText:
    """A text file."""
    return FileText(source.text, is_content=True, title=_title(source.text))


def _title(text: str) -> str:
    """The first line when it stands like a title: short, no sentence, with more than one paragraph in the file."""
    lines = text[:2000].strip().split("\n", 1)
    first = lines[0].strip()
    titled = len(lines) > 1 and 3 <= len(first) <= 80 and first[0].isupper()
    if not titled or first.endswith((".", ",", ";", ":", "?", "!")):
        return ""
    return first if re.search(r"\S[^\S\n]*\n(?:[^\S\n]*\n)+[^\S\n]*\S", text) else ""
