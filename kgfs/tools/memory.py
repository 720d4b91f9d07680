"""The tool ``remember``: notes that an agent keeps for later runs, beside those of the SDK's memory tool.

Used through the registry, on the thread that calls a tool.
"""

from __future__ import annotations

from kgfs import names
from kgfs.errors import ChangedError, NotFoundError
from kgfs.paths import PREFIX
from kgfs.store.files import items
from kgfs.tools.addresses import address, lookup
from kgfs.tools.graph_parameters import RememberParameters
from kgfs.tools.outcome import BadArguments, Hinted, Value, done
from kgfs.tools.parameters import AGENT
from kgfs.tools.reach import Reach

DIRECTORY = "/memories"
"""On the drive ``agent``."""
_TRIES = 5


def remember(reach: Reach, given: RememberParameters) -> Value:
    """Add to the note of a name, or replace it: its ``path``, and its ``size`` then."""
    stem = names.slug(given.name.removesuffix(".md"))
    if not stem.strip("_"):
        raise BadArguments(f"{given.name!r} is no name for a note; use letters and digits.")
    place = address(AGENT, f"{DIRECTORY}/{stem}.md")
    added = given.content.rstrip("\n") + "\n"
    for left in reversed(range(_TRIES)):
        with reach.database.read(snapshot=True) as cursor:
            item = lookup(cursor, place.drive, place.path)
            before = b"" if item is None else items.read_item(cursor, item.id) or b""
        after = before + added.encode() if given.mode == "append" else added.encode()
        try:
            if item is None:
                written = reach.files_by_path().put(place.drive, place.path, after, on_conflict="error")
            else:
                written = reach.files_by_path().put(place.drive, place.path, after, instead_of=items.hash_body(before))
            break
        except (ChangedError, NotFoundError) as error:
            if not left:
                raise Hinted(error, "Call again.") from error
    return done(path=f"{PREFIX}/context/{place.drive}{place.path}", size=written.size)
