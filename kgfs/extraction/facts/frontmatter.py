"""Facts that front matter states outright: ``headquarters: Mountain View, California``.

Used by the extractor; pure. The quote is the line as it stands in the document's first chunk.
"""

from __future__ import annotations

import re
from typing import Any

from kgfs.extraction.names.gazetteer import as_list, clean_name
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.places import ADMINISTRATIVE
from kgfs.model import FactCandidate, ParsedDocument

_KEYS: dict[str, tuple[str, str, bool]] = {
    "headquarters": ("HEADQUARTERED_IN", "Location", True),
    "headquartered_in": ("HEADQUARTERED_IN", "Location", True),
    "founder": ("FOUNDED", "Person", False),
    "founders": ("FOUNDED", "Person", False),
    "founded_by": ("FOUNDED", "Person", False),
    "ceo": ("CHIEF_EXECUTIVE_OF", "Person", False),
    "chief_executive": ("CHIEF_EXECUTIVE_OF", "Person", False),
    "parent": ("SUBSIDIARY_OF", "Organization", True),
    "parent_company": ("SUBSIDIARY_OF", "Organization", True),
    "subsidiary_of": ("SUBSIDIARY_OF", "Organization", True),
    "acquired_by": ("ACQUIRED", "Organization", False),
}
"""Key to fact type, the type of the value, and whether the document's entity is the subject."""
_SENTENCES = {
    "HEADQUARTERED_IN": "{title} is headquartered in {value}.",
    "FOUNDED": "{value} founded {title}.",
    "CHIEF_EXECUTIVE_OF": "{value} is the chief executive of {title}.",
    "SUBSIDIARY_OF": "{title} is a subsidiary of {value}.",
    "ACQUIRED": "{value} acquired {title}.",
}


def frontmatter_facts(document: ParsedDocument, lexicon: Lexicon) -> list[tuple[FactCandidate, int, int]]:
    """The facts with the lexicon's entries of subject and object; only for a document that declares its entity."""
    if lexicon.subject is None or not document.chunks:
        return []
    best = lexicon.named[lexicon.subject].best
    if best is None or best[0] != "Organization":
        return []
    found: list[tuple[FactCandidate, int, int]] = []
    chunk = document.chunks[0]
    for key, value in document.front_matter.items():
        meaning = _KEYS.get(str(key).lower().replace("-", "_").replace(" ", "_"))
        if meaning is None:
            continue
        fact_type, value_type, forward = meaning
        line = re.search(rf"^{re.escape(str(key))}[ \t]*:[^\n]*\S", chunk.text, re.M)
        if line is None:
            continue
        for name in _values(value, value_type):
            ref = lexicon.place(name) if value_type == "Location" else lexicon.get(name)
            if ref == lexicon.subject:
                continue
            named = lexicon.named[ref]
            if not named.known:
                named.vote(value_type, 0.9)
            elif named.best is not None and named.best[0] != value_type:
                continue
            named.count += 1
            start = len(chunk.text[: line.start()].encode())
            quote = line.group()
            shown = value if value_type == "Location" else name
            candidate = FactCandidate(
                type=fact_type,
                subject=0,
                description=_SENTENCES[fact_type].format(title=document.title, value=shown).replace("..", "."),
                confidence=0.95,
                chunk=chunk.ordinal,
                quote=quote,
                start=start,
                end=start + len(quote.encode()),
            )
            subject, object_ = (lexicon.subject, ref) if forward else (ref, lexicon.subject)
            found.append((candidate, subject, object_))
    return found


def _values(value: Any, value_type: str) -> list[str]:
    """The names in a value; of ``Mountain View, California`` the first, of a list of persons all."""
    if value_type == "Location" and isinstance(value, str):
        first, _, rest = value.partition(",")
        if first.strip() == "Washington" and rest.strip().rstrip(".") in ("D.C", "DC"):
            return ["Washington, D.C."]
        name = clean_name(first)
        return [name] if name and name not in ADMINISTRATIVE | {""} else []
    names = [clean_name(item) for item in as_list(value)]
    return [name for name in names if name and name[0].isupper() and len(name.split()) <= 6]
