"""``kgfs export`` and ``import`` as a user runs them: the tree as ordinary files, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.conftest import Program
from tests.contract import walk
from tests.graph_builder import build
from tests.namespace.drivers import NamespaceDriver, opened

ODD = "/-rf 'x' $(y)\n\\é%41.txt"


def test_the_tree_as_files(kgfs: Program, tmp_path: Path) -> None:
    store, out = tmp_path / "store", tmp_path / "out"
    with build(store, entities=30, documents=3) as database:
        database.write(
            lambda cursor: cursor.execute(
                "UPDATE context_items SET path = ?, ref = 'disk:' || ? WHERE id = (SELECT min(id) FROM context_items)",
                [ODD, ODD],
            )
        )
        driver = NamespaceDriver(opened(database))
        wanted = {}
        for top in driver.listdir(""):
            if not top.startswith("@"):
                found = {top: driver.lstat(top)} | (dict(walk(driver, top)) if driver.lstat(top).kind == "d" else {})
                for path, stat in found.items():
                    link = driver.readlink(path) if stat.kind == "l" else ""
                    body = driver.read(path) if stat.kind == "f" else b""
                    wanted[path] = (stat.kind, stat.mtime_ns, link, body)
    told = json.loads(kgfs("--store", store, "--json", "-q", "export", "--tree", out).stdout)
    assert told["files"] == sum(kind == "f" for kind, *_ in wanted.values())
    assert on_disk(out) == wanted
    # Again: not by accident, and with --force it is what it was, whatever stood in the way.
    (out / "own.txt").write_text("mine")
    (out / "AGENTS.md").unlink()
    (out / "AGENTS.md").symlink_to("/etc/passwd")
    (out / "README.md").unlink()
    (out / "README.md").mkdir()
    assert "is not empty; --force" in kgfs("--store", store, "export", "--tree", out, status=4).stderr
    kgfs("--store", store, "export", "--tree", out, "--force")
    again = on_disk(out)
    assert again.pop("own.txt")[3] == b"mine"
    assert again == wanted


def on_disk(root: Path) -> dict[str, tuple[str, int, str, bytes]]:
    found = {}
    for directory, names, files in os.walk(root):
        for name in (*names, *files):
            path = Path(directory, name)
            kind = "l" if path.is_symlink() else "d" if path.is_dir() else "f"
            link, body = os.readlink(path) if kind == "l" else "", path.read_bytes() if kind == "f" else b""
            found[str(path.relative_to(root))] = (kind, path.lstat().st_mtime_ns, link, body)
    return found


def test_what_is_refused(kgfs: Program, tmp_path: Path) -> None:
    store, other, bundle = tmp_path / "store", tmp_path / "other", tmp_path / "b.jsonl"
    build(store, entities=6, documents=1).close()
    for arguments, status in (
        ([], 2), ([bundle, "--tree", tmp_path / "t"], 2), ([tmp_path], 4), ([tmp_path / "no" / "b.jsonl"], 3),
    ):  # fmt: skip
        kgfs("--store", store, "export", *arguments, status=status)
    kgfs("--store", store, "export", bundle)
    assert "--force replaces it" in kgfs("--store", store, "export", bundle, status=4).stderr
    body = bundle.read_bytes()
    bundle.write_bytes(body[:-20])
    done = kgfs("--store", other, "--json", "-q", "import", bundle, status=1)
    assert json.loads(done.stderr)["error"]["message"].endswith("nothing was imported, export it again.")
    assert "names a vault" in kgfs("--store", other, "import", bundle, "--name", "x", status=2).stderr
    kgfs("--store", other, "import", tmp_path / "nothing", status=3)
    kgfs("--store", other, "import", bundle, "--format", "graphrag", status=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.jsonl", "other", "store"]
