"""What the website asks of a store beside its pages: the page of a place, and what a search finds, by pages.

Used by ``control.answers``, on the thread that answers the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgfs import names
from kgfs.errors import QueryError
from kgfs.namespace.site import addresses
from kgfs.namespace.site.texts import plain

if TYPE_CHECKING:
    from kgfs.namespace.snapshot import Snapshot
    from kgfs.service.searching import Searching

MOST_NAMES = 6
MOST_RESULTS = 12


def page_of(s: Snapshot, path: str) -> dict[str, Any]:
    """``page``: the address of the page of a canonical path, from the root of the website."""
    return {"page": addresses.of_path(s, path).seen_from("")}


def find_pages(s: Snapshot, searching: Searching, query: str) -> dict[str, Any]:
    """``names``: entities and topics that begin with what was typed; ``results`` of the search; what is ``said`` of it
    where it cannot be asked."""
    said = ""
    try:
        found = searching.search(query, limit=MOST_RESULTS)["results"]
    except QueryError as error:  # half a question is typed on the way to a whole one
        found, said = [], error.message
    results = [
        {
            "kind": each["type"], "title": each["title"], "snippet": plain(each["snippet"]),
            "page": addresses.of_path(s, each["rel"]).seen_from(""),
        }
        for each in found
    ]  # fmt: skip
    return {"names": _beginning(s, query), "results": results, "said": said}


def _beginning(s: Snapshot, typed: str) -> list[dict[str, str]]:
    """Entities and topics whose slug begins with what was typed, those that most is said of first."""
    head = names.slug(typed, fallback="").casefold()
    if not head:
        return []
    said = s.stated.owned_counts
    entities = [index for index, slug in enumerate(s.entities.slugs) if slug.casefold().startswith(head)]
    entities.sort(key=lambda index: (-said[index], s.entities.slugs[index]))
    rows = [
        {
            "title": s.entities.slugs[index].replace("_", " "), "kind": s.entity_types[s.entity_type[index]],
            "page": addresses.entity(s, index).seen_from(""),
        }
        for index in entities[:MOST_NAMES]
    ]  # fmt: skip
    topics = [index for index, slug in enumerate(s.topics.slugs) if slug.casefold().startswith(head)]
    rows += [
        {"title": s.topic_names[index], "kind": "Topic", "page": addresses.topic(s, index).seen_from("")}
        for index in sorted(topics, key=lambda index: s.topics.slugs[index])
    ]
    return rows[:MOST_NAMES]
