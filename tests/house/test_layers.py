"""The arrows between packages and their parts point one way (docs/architecture.md, "Packages"), and engines have one
importer each."""

from __future__ import annotations

import ast
import re
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from kgfs import interpreter

ROOT = Path(__file__).resolve().parents[2]
FOUNDATION = {
    "kgfs",
    "kgfs.errors",
    "kgfs.model",
    "kgfs.llm_records",
    "kgfs.index_records",
    "kgfs.calls",
    "kgfs.names",
    "kgfs.relation_types",
    "kgfs.trust",
    "kgfs.config",
    "kgfs.mounts",
    "kgfs.wire",
    "kgfs.counting",
    "kgfs.progress",
    "kgfs.paths",
    "kgfs.languages",
    "kgfs.filesystem",
    "kgfs.callers",
    "kgfs.picture_records",
    "kgfs.logs",
    "kgfs.interpreter",
    "kgfs.nearest",
    "kgfs.plurals",
    "kgfs.random_ids",
}

WITHIN_FOUNDATION: dict[str, set[str]] = {
    "kgfs.errors": set(),
    "kgfs.model": set(),
    "kgfs.llm_records": set(),
    "kgfs.index_records": set(),
    "kgfs.calls": {"kgfs.errors", "kgfs.model", "kgfs.llm_records", "kgfs.index_records", "kgfs.picture_records"},
    "kgfs.names": set(),
    "kgfs.relation_types": set(),
    "kgfs.trust": {"kgfs.errors"},
    "kgfs.config": {"kgfs.errors", "kgfs.nearest", "kgfs.trust"},
    "kgfs.mounts": {"kgfs.errors", "kgfs.config"},
    "kgfs.wire": {"kgfs.errors"},
    "kgfs.counting": set(),
    "kgfs.progress": set(),
    "kgfs.paths": set(),
    "kgfs.languages": set(),
    "kgfs.filesystem": set(),
    "kgfs.callers": set(),
    "kgfs.picture_records": set(),
    "kgfs.logs": set(),
    "kgfs.interpreter": set(),
    "kgfs.nearest": set(),
    "kgfs.plurals": set(),
    "kgfs.random_ids": set(),
}


def table() -> dict[str, set[str]]:
    """The packages that each package may import, at module level or inside functions: the table in the docs."""
    allowed = dict(WITHIN_FOUNDATION)
    text = (ROOT / "docs/architecture.md").read_text()
    for package, others in re.findall(r"^\| `((?:kgfs\.)?[a-z]+)` \|[^|]*\|([^|]*)\|$", text, re.MULTILINE):
        allowed[package] = FOUNDATION | {f"kgfs.{other}" for other in re.findall(r"\b[a-z]+\b", others)}
    return allowed


ALLOWED = table()
MOST_MODULES = 30
ENGINES = {
    "duckdb": {"kgfs.store"},
    "_duckdb": {"kgfs.store"},
    "lancedb": {"kgfs.store"},
    "obstore": {"kgfs.published"},
    "anthropic": {"kgfs.agent", "kgfs.llm"},
    "pyfuse3": {"mountd"},
    "ray": {"kgfs.cluster"},
    "pygal": {"kgfs.pictures"},
    "pygraphviz": {"kgfs.pictures"},
    "sqlite3": {"kgfs.agentfs"},
    "sentence_transformers": {"kgfs.models"},
    "torch": {"kgfs.models"},
    "trio": {"mountd"},
}


def package_of(module: str) -> str:
    parts = module.split(".")
    return parts[0] if parts[0] == "mountd" else ".".join(parts[:2])


def modules() -> list[tuple[str, Path]]:
    found = []
    for top in ("kgfs", "mountd"):
        for path in sorted((ROOT / top).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            found.append((name, path))
    return found


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


@pytest.mark.slow
@pytest.mark.parametrize(("module", "path"), modules(), ids=lambda value: value if isinstance(value, str) else "")
def test_imports_follow_the_table(module: str, path: Path) -> None:
    package = package_of(module)
    if package == "kgfs":
        return
    assert package in ALLOWED, f"{package} has no row in the table of docs/architecture.md and of this test"
    for name in imports(path):
        root = name.split(".")[0]
        if root in ("kgfs", "mountd"):
            target = package_of(name)
            if target == package or target == "kgfs" or not known(target):
                continue
            assert target in ALLOWED[package], f"{module} imports {name}"
        elif root in ENGINES:
            assert package in ENGINES[root], f"{module} imports {root}, which belongs to {ENGINES[root]}"


def known(package: str) -> bool:
    """Whether a dotted name is a module or package of ours (and not a name inside ``kgfs/__init__``)."""
    relative = ROOT / Path(*package.split("."))
    return relative.is_dir() or relative.with_suffix(".py").exists()


def test_arrows_of_the_table_point_one_way() -> None:
    """Each row of the table names packages of rows above it only."""
    above: set[str] = set()
    for package, others in ALLOWED.items():
        assert others & ALLOWED.keys() - FOUNDATION <= above, package
        above.add(package)
    assert len(above - FOUNDATION) >= 20


def import_graph() -> dict[str, set[str]]:
    """Module to the modules of ours that it imports, for types only and inside functions too."""
    names = dict(modules())
    graph: dict[str, set[str]] = {}
    for module, path in names.items():
        targets = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    targets.add(full if full in names else node.module)
            elif isinstance(node, ast.Import):
                targets.update(alias.name for alias in node.names)
        graph[module] = {target for target in targets if target in names and target != module}
    return graph


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The modules of one circle, in order; none where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_circle_of_imports() -> None:
    """Imports for types only and those inside functions count too: they are knowledge of each other."""
    assert circle(import_graph()) == []


def parts() -> dict[str, int]:
    """Parts of the large packages to their rows in the docs, lowest first."""
    text = (ROOT / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| ((?:`kgfs\.[a-z_]+\.[a-z_]+`(?:, )?)+) \|[^|]*\|$", text, re.MULTILINE)
    return {part: number for number, row in enumerate(rows) for part in re.findall(r"`(.*?)`", row)}


def test_imports_follow_the_parts() -> None:
    """Within a package that has parts, a part imports what is above it in the table, or in its own row."""
    rows = parts()
    names = {name for name, _ in modules()}
    assert rows.keys() <= names
    packages = {part.rpartition(".")[0] for part in rows}
    assert len(packages) >= 5
    for module, targets in import_graph().items():
        part = ".".join(module.split(".")[:3])
        package = package_of(module)
        if package in packages and part != package and (ROOT / Path(*part.split("."))).is_dir():
            assert part in rows, f"{part} has no row in the table of docs/architecture.md"
        for target in targets if part in rows else ():
            other = ".".join(target.split(".")[:3])
            if package_of(target) == package and other not in (package, part):
                assert rows.get(other, len(rows)) <= rows[part], f"{module} imports {target}"


def test_packages_are_small() -> None:
    """What grows further is cut into parts."""
    sizes = Counter(path.parent.relative_to(ROOT).as_posix() for _, path in modules())
    assert [folder for folder, size in sizes.items() if size > MOST_MODULES] == []


def test_packages_that_threads_import_import_nothing_of_their_own() -> None:
    """Threads import modules of these as they need them; a package that imports its own is seen half made."""
    threaded = ("kgfs.documents", "kgfs.extraction", "kgfs.graph", "kgfs.llm", "kgfs.sources", "kgfs.pipeline")
    threaded += ("kgfs.store", "kgfs.agentfs", "kgfs.tools", "kgfs.service", "kgfs.control", "kgfs.cli")
    packages = {name: path for name, path in modules() if path.name == "__init__.py" and name.startswith(threaded)}
    assert len(packages) >= 6
    for name, path in packages.items():
        assert not {one for one in imports(path) if one.startswith("kgfs.")}, name


def test_nothing_is_named_utils() -> None:
    for name, _ in modules():
        assert not {"utils", "util", "helpers", "misc", "common"} & set(name.split(".")), name


def test_the_top_level_is_as_agreed() -> None:
    agreed = {"pyproject.toml", "README.md", "kgfs", "mountd", "tests", "scripts", "docs", "CHANGELOG.md", "LICENSE"}
    agreed |= {"share", "mkdocs.yml", "Dockerfile"}
    made = {"build", "dist", "site"}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    found -= {name for name in found if name.startswith("constraints") or name.endswith(".egg-info")}
    assert found - made == agreed


def test_no_program_of_ours_takes_modules_from_where_the_user_stands(new_pythons: None) -> None:
    """``python -m`` looks in the working directory first, which may be a folder that somebody handed over."""
    assert interpreter.program("kgfs.worker")[1:3] == ["-P", "-m"]
    sources = [(name, path.read_text()) for name, path in modules()]
    for name, source in sources:
        for node in ast.walk(ast.parse(source)) if "sys.executable" in source else ():
            if isinstance(node, ast.List) and len(node.elts) > 1:
                words = [ast.unparse(one) for one in node.elts[:3]]
                if words[0] == "sys.executable":  # written down for others; what we start ourselves is of interpreter
                    assert words == ["sys.executable", "'-P'", "'-m'"], f"{name}:{node.lineno}"
