"""What a file or folder is that is to be imported.

Used by the command ``import``, on its main thread; looks at names and first bytes only.
"""

from __future__ import annotations

from pathlib import Path

from kgfs.errors import NotFoundError, UsageError
from kgfs.exchange.bundle import is_bundle
from kgfs.exchange.parquet import tables_directory

_NAMES = {
    "bundle": "a bundle of `kgfs export`",
    "obsidian": "a folder",
    "graphrag": "a directory with GraphRAG's parquet files",
}


def import_format(path: Path, given: str) -> str:
    """``bundle``, ``obsidian`` or ``graphrag``: what ``given`` says, or for ``auto`` what ``path`` looks like.

    ``NotFoundError`` where nothing is there, ``UsageError`` where it is not that, or none of them.
    """
    if not path.exists():
        raise NotFoundError(f"{path}: no such file or folder.")
    found = _looks_like(path)
    if given == "auto":
        if found is None:
            raise UsageError(
                f"{path} is not a bundle, an Obsidian vault (it has no .obsidian) or output of GraphRAG;"
                " name its --format, or add it with `kgfs add`."
            )
        return found
    fits = path.is_dir() if given == "obsidian" else found == given
    if not fits:
        raise UsageError(f"{path} is not {_NAMES[given]}; name another --format, or leave it out.")
    return given


def _looks_like(path: Path) -> str | None:
    if path.is_dir():
        if tables_directory(path) is not None:
            return "graphrag"
        return "obsidian" if (path / ".obsidian").is_dir() else None
    return "bundle" if path.is_file() and is_bundle(path) else None
