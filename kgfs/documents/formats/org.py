"""Org: the text is the file; its keywords and properties say its title, date, id and tags.

One of the readers of ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

import re
from typing import Any

from kgfs.documents import dates
from kgfs.documents.formats.reading import FileText, RawFile, printable, property_lines, split_words
from kgfs.documents.org import only_heading, org_keywords
from kgfs.documents.summaries import MAX_DESCRIPTION

_ALIAS = re.compile(r'"([^"\n]+)"|(\S+)')


def read(source: RawFile) -> FileText:
    """An Org file. One heading of the outermost level is its title where no keyword says one."""
    said = org_keywords(source.text)
    title = printable(said.get("title")) or only_heading(source.text)
    matter: dict[str, Any] = property_lines(author=said.get("author"), id=said.get("id"))
    aliases = [quoted or word for quoted, word in _ALIAS.findall(said.get("roam_aliases", ""))]
    if aliases:
        matter["aliases"] = aliases
    return FileText(
        source.text,
        is_content=True,
        title=title,
        date=dates.from_front_matter(said),
        description=printable(said.get("description"))[:MAX_DESCRIPTION],
        front_matter=matter,
        tags=split_words(said.get("filetags", "").replace(":", ",") + "," + said.get("keywords", "")),
    )
