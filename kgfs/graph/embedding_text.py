"""What the search index sees of each kind: the two columns of the keyword index, and the text that is embedded.

Used by the pipeline. Pure. A change here changes every hash of a chunk: all of them are embedded again.

* chunk: title, description, heading path, a ``Source:`` line, then the passage without its definitions of links; of
  a passage that has nothing else, nothing.
* entity: name, type, other names, description.
* fact: the statement (description, or subject, type and object), its date, then the quote.
* topic: the path of names from the top, then the definition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import xxhash

from kgfs.model import ParsedDocument

MAX_DESCRIPTION = 200
"""Characters of a document's description before each chunk: the model reads 256 word pieces, most are the passage's."""

_LINK_DEFINITION = re.compile(
    r"^ {0,3}\[(?!\^)[^\]\n]{1,200}\]:[ \t]+<?[^\s<>]*[/.#{][^\s<>]*>?(?:[ \t]+[\"'(][^\n]*)?(?:\n|\Z)"
    r"|^\.\. _[^:\n]{1,200}: \S+(?:\n|\Z)",
    re.M,
)
"""``[label]: https://…``, and the same of reStructuredText; a footnote has text."""


def searched_text(text: str) -> str:
    """A passage as it is searched: what links lead to says nothing, and there are passages of nothing else."""
    if "]:" not in text and ".. _" not in text:
        return text
    found = _LINK_DEFINITION.sub("", text)
    return found if found.strip() else ""


def chunk_title(title: str, headings: Sequence[str]) -> str:
    """Title and heading path in one line; a first heading that is the title is not said twice."""
    path = list(headings)
    if path and path[0].casefold() == title.casefold():
        path = path[1:]
    return " > ".join([title, *path] if title else path)


def chunk_text(title: str, description: str, headings: Sequence[str], ref: str, text: str) -> str:
    """The embedded text of a chunk of the item ``ref``, of which ``text`` is searched; by that of all of its text it is
    known to be unchanged."""
    lines = [chunk_title(title, headings), description[:MAX_DESCRIPTION], f"Source: {ref}"]
    return "\n".join(line for line in lines if line) + f"\n\n{text}"


def text_hash(embedded: str) -> str:
    """The hash by which a chunk is known to be unchanged."""
    return xxhash.xxh3_128_hexdigest(embedded.encode("utf-8", "surrogatepass"))


def chunk_digests(document: ParsedDocument, ref: str) -> list[str]:
    """The hashes of the chunks of a document, which is the item ``ref``."""
    return [
        text_hash(chunk_text(document.title, document.description, one.headings, ref, one.text))
        for one in document.chunks
    ]


def entity_title(name: str, aliases: Sequence[str]) -> str:
    """A name with its other names."""
    return " | ".join([name, *aliases])


def entity_text(name: str, kind: str, aliases: Sequence[str], description: str) -> str:
    """The embedded text of an entity."""
    also = f", also {', '.join(aliases)}" if aliases else ""
    return f"{name} ({kind}{also})" + (f"\n{description}" if description else "")


def fact_title(subject: str, kind: str, target: str) -> str:
    """A fact as subject, type and object."""
    return f"{subject} {kind.replace('_', ' ').lower()} {target}".strip()


def fact_text(title: str, description: str, date: str | None, quote: str) -> str:
    """The embedded text of a fact."""
    dated = f" ({date})" if date else ""
    return f"{description or title}{dated}" + (f"\n{quote}" if quote and quote != description else "")


def topic_text(path: Sequence[str], definition: str) -> str:
    """The embedded text of a topic."""
    return " > ".join(path) + (f"\n{definition}" if definition else "")
