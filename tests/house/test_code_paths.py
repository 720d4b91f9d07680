"""The paths in docs/architecture.md name code that exists: modules, and names in the module named before them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADING = "## Four paths through the code"
_SPAN = re.compile(r"`((?:kgfs|mountd)/[\w/]+\.py|[A-Z]\w*(?:\.\w+)?|[A-Za-z_][\w.]*\(\))`")
"""A module; a class, a constant or an attribute of a class; a function or a method."""
_MODULE = re.compile(r"\b\w[\w/]*\.py\b")


def section() -> str:
    """The section, from its heading to the next one of its level."""
    text = (ROOT / "docs/architecture.md").read_text()
    assert HEADING in text
    return text.partition(HEADING)[2].partition("\n## ")[0]


def steps() -> list[str]:
    """Each numbered step as one text."""
    return [step for step in re.split(r"^(?=\d+\. |###? )", section(), flags=re.MULTILINE) if step[:1].isdigit()]


def defined(module: Path) -> set[str]:
    """Functions, classes and constants of a module, ``Class.method`` and ``Class.attribute``."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    body = ast.parse(module.read_text()).body
    found = assigned(body)
    for node in body:
        if isinstance(node, functions):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            members = assigned(node.body) | attributes(node)
            members.update(one.name for one in node.body if isinstance(one, functions))
            found.update({node.name, *(f"{node.name}.{name}" for name in members)})
    return found


def assigned(body: list[ast.stmt]) -> set[str]:
    """The names to which statements of a module or a class assign."""
    found = {target for node in body if isinstance(node, ast.Assign) for target in node.targets}
    found.update(node.target for node in body if isinstance(node, ast.AnnAssign))
    return {target.id for target in found if isinstance(target, ast.Name)}


def attributes(node: ast.ClassDef) -> set[str]:
    """The attributes of its own that a class sets."""
    return {
        one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and getattr(one.value, "id", "") == "self"
    }


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


@pytest.mark.parametrize("page", ["architecture", "extraction", "agentfs", "faults"])
def test_each_module_that_a_page_names_exists(page: str) -> None:
    """A module may be named by the end of its path: ``rosters.py``, ``structured/rosters.py``."""
    modules = [
        f"/{path.relative_to(ROOT)}" for top in ("kgfs", "mountd", "tests") for path in (ROOT / top).rglob("*.py")
    ]
    named = set(_MODULE.findall((ROOT / f"docs/{page}.md").read_text()))
    assert len(named) > 5
    assert sorted(one for one in named if not any(path.endswith(f"/{one}") for path in modules)) == []


def test_the_paths_have_steps() -> None:
    assert len(steps()) == 38
    assert sum(map(len, map(_SPAN.findall, steps()))) > 120
