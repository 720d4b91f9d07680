"""``kgfs import``: bundles, Obsidian vaults, and what GraphRAG wrote."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import click

from kgfs import mounts, trust
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.outcome import PARTLY_DONE, note_failures, say_counts
from kgfs.cli.progress import following
from kgfs.cli.stores import session
from kgfs.errors import Cancelled, UsageError


@declare("import", "Import a bundle, an Obsidian vault, or GraphRAG's output.")
@click.argument("path")
@click.option(
    "--format",
    "given",
    type=click.Choice(["auto", "bundle", "obsidian", "graphrag"]),
    default="auto",
    show_default=True,
    help="Format of PATH; auto detects it.",
)
@click.option(
    "--on-conflict",
    type=click.Choice(["skip", "overwrite", "error"]),
    default="skip",
    show_default=True,
    help="What to do with a stored file that exists with other content.",
)
@click.option("--name", metavar="N", help="The name of a vault under sources/.")
def command(invocation: Invocation, path: str, given: str, on_conflict: str, name: str | None) -> int:
    """Import a bundle from another store, an Obsidian vault, or the output of GraphRAG.

    A bundle of `kgfs export` is imported completely or not at all, and its documents are not read again; in a new store
    it makes the same tree. An Obsidian vault is added as `kgfs add` does, without .obsidian and .trash. From the output
    of Microsoft's GraphRAG (a directory of parquet files) kgfs imports documents, entities, relationships with a quote,
    and communities.
    """
    from kgfs.exchange.import_formats import import_format

    where = Path(os.path.abspath(os.path.expanduser(path)))
    if mounts.mount_of(where) is not None:
        raise UsageError(f"{path} lies on a mount of kgfs; import from outside of it.")
    kind = import_format(where, given)
    if name is not None and kind != "obsidian":
        raise UsageError("--name names a vault; a bundle and GraphRAG's output bring their own names.")
    arguments: dict[str, Any] = {"path": os.fsencode(where), "format": kind, "on_conflict": on_conflict}
    request = "import"
    if kind == "obsidian":
        from kgfs.exchange.obsidian import add_arguments

        request, arguments = "add", add_arguments(where, name, on_conflict)
    with session(invocation, create=True) as store:
        # Edits by the author of the bundle would be written to the user's files.
        if kind == "bundle" and trust.revoke(store.store, [trust.WRITE_THROUGH]):
            invocation.note(
                f"Imported edits do not go to your files yet; look at them with `kgfs trust`, then run `kgfs trust"
                f" {trust.WRITE_THROUGH}`."
            )
        try:
            with following(invocation, "import") as shown:
                result = store.call(request, arguments, shown)
        except (Cancelled, KeyboardInterrupt):
            again = shlex.join(["kgfs", "import", path])
            raise Cancelled(f"Stopped; nothing is half done. `{again}` starts again or continues.") from None
    return _summary(invocation, result)


def _summary(invocation: Invocation, result: dict[str, Any]) -> int:
    status = PARTLY_DONE if result["failed"] or result["warnings"] else 0
    if invocation.json:
        invocation.emit(result)
        return status
    skipped = result["skipped"]
    parts = [f"Imported {result['added']:,}"]
    parts += [f"updated {result['updated']:,}"] if result["updated"] else []
    if skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in skipped.items())
        parts.append(f"skipped {sum(skipped.values()):,} ({reasons})")
    invocation.say(" · ".join(parts))
    if result["counts"]:
        say_counts(invocation, result)
    note_failures(invocation, result["failed"])
    for warning in result["warnings"]:
        invocation.warn(f"  {warning}")
    return status
