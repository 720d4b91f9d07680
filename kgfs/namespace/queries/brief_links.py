"""Short pages to which the shown passages of a brief lead, and that have what the question asks for beside them.

Used by ``brief``. Notes on a firm name its people and lead to their notes, where telephone numbers and titles are: a
search for *key person phone* finds the firm and not the person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kgfs.namespace.queries.asked_kinds import asked_kinds
from kgfs.namespace.queries.brief_passages import COLUMNS, Row, note_of
from kgfs.namespace.queries.brief_text import PassageNote
from kgfs.namespace.route import Scope
from kgfs.namespace.snapshot import Snapshot
from kgfs.search.snippets import keywords
from kgfs.store.catalog.database import Cursor

MOST = 3
LONGEST = 1500
"""Characters of a page that is looked at: a longer one is found by its own passages."""
_MOST_LINKS = 200
_OF_SOMEBODY = re.compile(
    r"(?i)\b(?:cell|contact|director|e-?mail|engineer|head|manager|mobile|phone|post|president|role|telephone|title)\b"
)
"""What one asks of a person without a word for one."""
_LINKED = f"""
    SELECT {COLUMNS}, coalesce(any_value(e.type), '')
    FROM document_links l JOIN documents d ON d.id = l.target_id JOIN chunks c ON c.document_id = d.id
        LEFT JOIN entities e ON e.declared_by = d.id
    WHERE l.document_id IN (SELECT unnest($1::BIGINT[])) AND NOT l.target_id IN (SELECT unnest($2::BIGINT[]))
        AND c.ordinal = 1 AND d.text_size <= {LONGEST}
    GROUP BY ALL ORDER BY c.id LIMIT {_MOST_LINKS}
"""


def linked_pages(
    cursor: Cursor, s: Snapshot, scope: Scope, question: str, shown: Sequence[PassageNote], known: Sequence[PassageNote]
) -> list[PassageNote]:
    """The pages, best first, that ``shown`` passages name and lead to; none that has one of the ``known`` passages."""
    if not shown:
        return []
    text = " ".join(each.text for each in shown).casefold()
    missing = keywords(question) - keywords(text)
    kinds = asked_kinds(question) | ({"Person"} if _OF_SOMEBODY.search(question) else set())
    if not missing and not kinds:
        return []
    documents = [[each.document for each in notes] for notes in (shown, known)]
    found: list[tuple[int, Row]] = []
    for *columns, type_ in cursor.execute(_LINKED, documents).fetchall():
        row = Row(*columns)
        index = s.chunks.find_index(row.id)
        named = (row.title or "").casefold() in text
        if index < 0 or not named or not (scope.chunks is None or bool(np.isin(index, scope.chunks))):
            continue
        fit = 2 * len(missing & keywords(row.text or "")) + (type_ in kinds)
        if fit:
            found.append((fit, row))
    best = sorted(found, key=lambda each: (-each[0], each[1].id))
    return [note_of(s, [row], 0.0) for _, row in best[:MOST]]
