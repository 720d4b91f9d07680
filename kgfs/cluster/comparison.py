"""Whether the nodes of a cluster have the programs that this machine has: what they find in a document hangs on them.

``describe`` runs on nodes, perhaps on one that has no kgfs: it is sent there as it is, and uses Python's own modules.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Mapping

CODE = "kgfs"
PYTHON = "Python"
_APART = frozenset(
    "anthropic anyio click duckdb httpx2 idna jinja2 lancedb markupsafe mcp obstore pathspec platformdirs"
    " prometheus-client pyarrow pyfuse3 pygal pygraphviz chafa-py pillow ray resvg-py rich scikit-learn tomlkit trio"
    " watchfiles".split()
)
"""Packages that take no part in reading a document."""
_EXTRAS = frozenset(("offline", "torch"))
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)[^;]*(?:;.*extra == ['\"](?P<extra>[\w-]+)['\"])?")


def deciding_packages() -> list[str]:
    """The packages that decide on what is found in a document: what kgfs requires, without what does other things."""
    found = set()
    for requirement in importlib.metadata.requires("kgfs") or ():
        match = _REQUIREMENT.match(requirement)
        if match is not None and (match["extra"] is None or match["extra"] in _EXTRAS):
            found.add(re.sub(r"[-_.]+", "-", match["name"]).lower())
    return sorted(found - _APART)


def describe(packages: list[str]) -> dict[str, str]:
    """The versions of packages here, Python's, and a digest of the code of kgfs; empty for what is missing."""
    import hashlib
    import importlib.metadata
    import importlib.util
    import pathlib
    import sys

    found = {"Python": ".".join(map(str, sys.version_info[:2])), "kgfs": ""}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = ""
    spec = importlib.util.find_spec("kgfs")
    if spec is not None and spec.origin is not None:
        folder = pathlib.Path(spec.origin).parent
        digest = hashlib.blake2b(digest_size=8)
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
        found["kgfs"] = digest.hexdigest()
    return found


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """What a node has otherwise than this machine, as a part of a sentence; empty where that is nothing."""
    if here[PYTHON] != there[PYTHON]:
        return f"it has Python {there[PYTHON]} and this machine {here[PYTHON]}"
    if not there[CODE]:
        return "it has no kgfs"
    if here[CODE] != there[CODE]:
        return "its kgfs is of another version"
    for package, version in here.items():
        if version != there.get(package, ""):
            return f"it has {package} {there.get(package) or 'not at all'} and this machine {version or 'not at all'}"
    return ""
