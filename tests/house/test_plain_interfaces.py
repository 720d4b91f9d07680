"""GraphRAG's import and the agent that loads pages stand behind one function each: nothing imports them before they are
used, and they import little."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.house.test_layers import modules

PLAIN = {
    "kgfs.exchange.graphrag": {"documents", "exchange", "extraction", "graph", "store"},
    "kgfs.sources.web.agent": {"llm", "sources"},
}
"""Module to the packages of ours that it may bring with it, beside what all import."""
EVERYBODY = {
    "config", "counting", "errors", "index_records", "llm_records", "model", "names", "nearest", "paths", "plurals",
    "progress", "random_ids", "trust",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("module", PLAIN)
def test_it_is_imported_when_it_is_used(module: str) -> None:
    package, name = module.rsplit(".", 1)
    for importer, path in modules():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ImportFrom):
                wanted = node.module == module or (node.module == package and name in {one.name for one in node.names})
                assert not wanted, importer
            elif isinstance(node, ast.Import):
                assert module not in {one.name for one in node.names}, importer


@pytest.mark.parametrize("module", PLAIN)
def test_it_is_importable_without_the_rest(module: str) -> None:
    code = f"import {module}, sys; print(*{{name.split('.')[1] for name in sys.modules if name.startswith('kgfs.')}})"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) - EVERYBODY <= PLAIN[module]
