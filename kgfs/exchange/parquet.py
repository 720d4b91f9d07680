"""Which parquet files of GraphRAG there are: finding them needs no engine.

Used by ``import_formats``, ``graphrag`` and ``graphrag_tables``; looks at names only.
"""

from __future__ import annotations

from pathlib import Path

TABLES = ("documents", "text_units", "entities", "relationships", "communities", "community_reports", "nodes")
"""What a run of GraphRAG leaves that is read. ``nodes`` (0.x) has which entity is in which community."""
_NEEDED = ("documents", "text_units", "entities")
_OLD = "create_final_{}.parquet"
_FOLDERS = ("", "output", "artifacts", "output/artifacts")


def table_files(directory: Path) -> dict[str, Path]:
    """Table to file, by the names of GraphRAG 2.x (``entities.parquet``) or 0.x (``create_final_entities.parquet``)."""
    found = {}
    for name in TABLES:
        for file in (directory / f"{name}.parquet", directory / _OLD.format(name)):
            if file.is_file():
                found[name] = file
                break
    return found


def tables_directory(path: Path) -> Path | None:
    """The directory beneath ``path`` that has the tables; of several runs (``output/<time>/artifacts``) the newest."""
    candidates = [path / folder for folder in _FOLDERS]
    candidates += sorted(path.glob("output/*/artifacts"), reverse=True)
    for directory in candidates:
        if all(name in table_files(directory) for name in _NEEDED):
            return directory
    return None
