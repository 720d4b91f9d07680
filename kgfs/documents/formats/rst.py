"""reStructuredText: the text is the file; its first fields say its date, author and tags.

One of the readers of ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

from kgfs.documents import dates
from kgfs.documents.formats.reading import FileText, RawFile, property_lines, split_words
from kgfs.documents.rst import rst_fields, rst_title
from kgfs.documents.summaries import MAX_DESCRIPTION


def read(source: RawFile) -> FileText:
    """A file of reStructuredText."""
    said = rst_fields(source.text)
    return FileText(
        source.text,
        is_content=True,
        title=rst_title(source.text),
        date=dates.from_front_matter(said),
        description=(said.get("description") or said.get("abstract") or "")[:MAX_DESCRIPTION],
        front_matter=property_lines(**{key: said[key] for key in ("author", "version", "status") if key in said}),
        tags=split_words(said.get("tags") or said.get("keywords")),
    )
