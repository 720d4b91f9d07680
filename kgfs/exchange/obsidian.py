"""An Obsidian vault: a folder that is added as any other, without what the program itself keeps in it.

Used by the command ``import``; pure. Links, aliases, tags and embeds of notes are read by the formats and the extractor
(``kgfs.pipeline``), for every caller.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

OWN = (".obsidian/", ".trash/")
"""Folders of the program, which a vault with --hidden would bring."""


def add_arguments(vault: Path, name: str | None, on_conflict: str) -> dict[str, Any]:
    """The arguments of the request ``add`` for a vault."""
    return {
        "paths": [os.fsencode(vault)], "name": name, "on_conflict": on_conflict, "exclude": list(OWN), "hidden": False,
        "cross_device": False, "dry_run": False, "background": False,
    }  # fmt: skip
