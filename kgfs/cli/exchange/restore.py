"""``kgfs restore``: make a store from a backup."""

from __future__ import annotations

import os
from pathlib import Path

import click

from kgfs import trust
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.outcome import PARTLY_DONE
from kgfs.cli.progress import following
from kgfs.cli.stores import chosen_store, short, warn_of_wishes
from kgfs.counting import counted


@declare("restore", "Make a store from a backup.")
@click.argument("file")
def command(invocation: Invocation, file: str) -> int:
    """Make a store from FILE, which `kgfs backup` wrote: at --store DIR, else where `kgfs add` would create one.

    The store must not exist yet. Everything is checked first, and the store is restored completely or not at all.
    Without a search index in the backup everything is embedded again: by `kgfs wait`, or in the background after a
    mount.
    """
    from kgfs.exchange.restore import require_free, restore_backup
    from kgfs.service.maintenance.checking import is_sound

    store = chosen_store(invocation)
    require_free(store)
    with following(invocation, "restore") as shown:
        manifest = restore_backup(Path(os.path.abspath(os.path.expanduser(file))), store, shown.progress)
    trust.revoke(store)  # of a store that was here before
    if invocation.json:
        invocation.emit(
            {
                "store": str(store), "counts": manifest.counts, "vectors": manifest.vectors,
                "created_at": manifest.created_at,
            }
        )  # fmt: skip
    counts = manifest.counts
    invocation.say(
        f"Restored {counted(counts['items'], 'stored file')} and {counted(counts['facts'], 'fact')} to {short(store)},"
        f" as they were at {manifest.created_at}"
    )
    if not manifest.vectors:
        invocation.note(
            "  The backup has no search index: `kgfs wait` makes it now, a mount does it in the background."
        )
    warn_of_wishes(invocation, store)
    if not is_sound(store):
        invocation.warn("  Rows of the backup are damaged; repair them with `kgfs fsck --repair` before you mount it.")
        return PARTLY_DONE
    invocation.say("Next: kgfs mount ~/kg")
    return 0
