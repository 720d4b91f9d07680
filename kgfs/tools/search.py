"""Tools that look for something: by meaning over the whole graph, exact lines in stored files.

Used through the registry, on the thread that calls a tool.
"""

from __future__ import annotations

import re
from fnmatch import translate

from kgfs.store.files import drive_contents
from kgfs.tools.addresses import directory_address, lookup, not_found
from kgfs.tools.outcome import Value, call_text, done
from kgfs.tools.parameters import AGENT, GrepParameters, SemanticParameters
from kgfs.tools.reach import Reach
from kgfs.tools.stored_lines import matching

LINE_CHARACTERS = 1000
"""More of a line that matches is not shown."""
ANSWER_CHARACTERS = 2_000_000
"""More lines than these hold are not shown."""


def search_semantic(reach: Reach, given: SemanticParameters) -> Value:
    """``results``, best first: ``ref, lines, path, type, title, score, snippet``; ``mode`` says what took part."""
    origin = None
    if given.drive is not None or given.path is not None:
        place = directory_address(given.drive or AGENT, given.path or "/")
        origin = place.drive if place.path == "/" else place.ref
    answer = reach.search(given.query, given.kind, origin, given.top_k)
    results = [
        {
            "ref": each.get("origin"),
            "lines": each.get("lines"),
            "path": each["rel"],
            "type": each["type"],
            "title": each.get("title"),
            "score": each["score"],
            "snippet": each.get("snippet"),
        }
        for each in answer["results"]
        if each["score"] >= given.threshold
    ]
    value = done(results=results, mode=answer["mode"], more=answer["more"])
    if not results:
        value["hint"] = "Nothing was found; ask in other words, or call search_grep for exact text."
    return value


def search_grep(reach: Reach, given: GrepParameters) -> Value:
    """``matches``: ``ref, line, text`` of each line that matches, by path; ``total`` counts those not shown too."""
    fits = re.compile(translate(given.glob)).fullmatch if given.glob is not None else None
    flags = "".join(flag for flag, on in (("i", given.ignore_case), ("F", given.fixed), ("w", given.whole_words)) if on)
    place = None
    if given.drive is not None or given.path != "/":
        place = directory_address(given.drive or AGENT, given.path)
        with reach.database.read(snapshot=True) as cursor:
            item = lookup(cursor, place.drive, given.path)
            if item is not None:
                place = directory_address(item.drive, item.path)
            elif not (place.path == "/" and place.drive in reach.writable) and not drive_contents.is_directory(
                cursor, *place
            ):
                raise not_found(cursor, place)
    found = matching(reach.database, place, given.pattern, flags, fits)
    matches: list[Value] = []
    room = ANSWER_CHARACTERS
    for each in found[: given.max_results]:
        text = each.text[:LINE_CHARACTERS]
        room -= len(text) + len(each.ref)
        if room < 0:
            break
        matches.append({"ref": each.ref, "line": each.number, "text": text})
    value = done(matches=matches, total=len(found), truncated=len(found) > len(matches))
    if matches:
        drive, _, path = matches[0]["ref"].partition(":")
        there = call_text("context_read", drive=drive, path=path, offset=matches[0]["line"])
        value["hint"] = f"Call {there} to read there."
    return value
