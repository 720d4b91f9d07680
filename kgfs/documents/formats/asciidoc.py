"""AsciiDoc: the text is the file; its header says its title, author, date and tags.

One of the readers of ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

from kgfs.documents import dates
from kgfs.documents.asciidoc import asciidoc_header
from kgfs.documents.formats.reading import FileText, RawFile, property_lines, split_words
from kgfs.documents.summaries import MAX_DESCRIPTION


def read(source: RawFile) -> FileText:
    """A file of AsciiDoc."""
    said = asciidoc_header(source.text)
    return FileText(
        source.text,
        is_content=True,
        title=said.get("title", ""),
        date=dates.from_front_matter(said),
        description=said.get("description", "")[:MAX_DESCRIPTION],
        front_matter=property_lines(author=said.get("author"), version=said.get("revnumber")),
        tags=split_words(said.get("keywords")),
    )
