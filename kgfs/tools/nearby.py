"""The hint of a path that is not there: which items are near it, and the call that shows more.

Used by the tools, on the thread that calls them.
"""

from __future__ import annotations

from kgfs.store.catalog.database import Cursor
from kgfs.store.files import drive_contents
from kgfs.store.files.items import ref
from kgfs.tools.outcome import call_text
from kgfs.tools.parameters import AGENT

MOST = 5


def hint_near(cursor: Cursor, drive: str, path: str) -> str:
    """One or two sentences: up to five items in the nearest directory above ``path`` that holds any."""
    found = [each for each in drive_contents.refs_elsewhere(cursor, path, MOST) if not each.startswith(f"{drive}:")]
    other = f"{' and '.join(found)} has this path. " if len(found) == 1 else ""
    if len(found) > 1:
        other = f"On other drives: {', '.join(found)}. "
    parent, paths = drive_contents.near_paths(cursor, drive, path, MOST)
    if not paths:
        known = [each.drive for each in drive_contents.drives(cursor)]
        if drive in known or drive == AGENT or not known:
            there = f"No items found under {ref(drive, '/')}."
        else:
            there = f"There is no drive {drive}, only {', '.join(known)}."
        return f"{other}{there} Call context_list_drives({{}}) to see which drives exist."
    near = ", ".join(ref(drive, each) for each in paths)
    more = call_text("context_tree", drive=drive, path=parent)
    return f"{other}Nearby items under {ref(drive, parent)}: {near}. Call {more} to see more."
