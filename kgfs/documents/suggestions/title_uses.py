"""Whether the sentences of a text write its title as a name: *the Apollo program began*, never *the apollo program*.

Used by formats when a file is parsed. Of a page whose first sentence tells of something else nothing else shows that
its title names a thing (``extraction.names.declared.pages``).
"""

from __future__ import annotations

import re
from itertools import islice

from kgfs.model import DefinedTerm

TITLE = "title as a name"
"""``DefinedTerm.kind`` of such a title."""
ENOUGH = 2
"""How often a text must write its title inside sentences."""
_LONGEST = 80


def title_uses(title: str, text: str) -> list[DefinedTerm]:
    """The title, where the sentences have it with its capitals, and never in small letters: *Rhine*, not *Geology*.

    Several things (*Acme repositories*) are no name.
    """
    small, last = title.lower(), title.rpartition(" ")[2]
    several = last.islower() and last.endswith("s") and not last.endswith(("ss", "us", "is"))
    if small == title or several or not 3 <= len(title) <= _LONGEST or not title[:1].isalnum():
        return []
    if re.search(rf"(?<![\w/.#-]){re.escape(small)}(?![\w/-])", text) is not None:
        return []
    inside = re.finditer(rf"[a-z,;] (?:\"|“)?{re.escape(title)}(?![\w-])", text)
    if len(list(islice(inside, ENOUGH))) < ENOUGH:
        return []
    return [DefinedTerm(name=title, kind=TITLE, weight=1)]
