"""The paths in docs/architecture.md name code that exists: modules, and names in the module named before them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADING = "## Four paths through the code"
_SPAN = re.compile(r"`((?:kgfs|mountd)/[\w/]+\.py|[A-Za-z_][\w.]*\(\))`")


def section() -> str:
    """The section, from its heading to the next one of its level."""
    text = (ROOT / "docs/architecture.md").read_text()
    assert HEADING in text
    return text.partition(HEADING)[2].partition("\n## ")[0]


def steps() -> list[str]:
    """Each numbered step as one text."""
    return [step for step in re.split(r"^(?=\d+\. |###? )", section(), flags=re.MULTILINE) if step[:1].isdigit()]


def defined(module: Path) -> set[str]:
    """Functions and classes of a module, and ``Class.method``."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found: set[str] = set()
    for node in ast.parse(module.read_text()).body:
        if isinstance(node, functions):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found.add(node.name)
            found.update(f"{node.name}.{one.name}" for one in node.body if isinstance(one, functions))
    return found


@pytest.mark.parametrize("step", steps())
def test_each_name_of_a_path_is_in_the_module_before_it(step: str) -> None:
    names: set[str] = set()
    module = ""
    for span in _SPAN.findall(step):
        if span.endswith(".py"):
            module = span
            assert (ROOT / module).is_file(), f"there is no {module}"
            names = defined(ROOT / module)
        else:
            assert module, f"no module is named before {span}"
            assert span.removesuffix("()") in names, f"there is no {span} in {module}"


def test_the_paths_have_steps() -> None:
    assert len(steps()) == 38
    assert sum(map(len, map(_SPAN.findall, steps()))) > 120
