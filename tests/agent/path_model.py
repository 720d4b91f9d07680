"""What each door of an agent does with each kind of place, however its path is spelled: measured on a real mount.

Used by ``test_path_model.py``. ``python -m tests.agent.path_model`` writes the tables into docs/agents.md.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kgfs.agent.editor import Editor
from kgfs.agent.file_tools import FileTools
from kgfs.agent.roots import Roots
from kgfs.agent.shell import Shell
from kgfs.sandbox.bubblewrap import Added
from kgfs.sandbox.places import hidden_directories
from tests.mount.served_stores import ended, started

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.md"
BEGIN, END = "<!-- path model: begin -->\n", "<!-- path model: end -->\n"
SECRET = "the word that no tool may read"


class Place(NamedTuple):
    """A kind of place, by a file in it."""

    name: str
    path: str
    """In the sandbox: relative to the mount, or absolute."""
    host: Path | None
    """Where it is on the machine; ``None`` where it is in the sandbox alone."""
    reads: bool = True
    writes: bool = False


class Spelling(NamedTuple):
    """A way to name a file."""

    name: str
    of: Callable[[str, str], str]
    """From the folder and the name of a file on the mount to the path."""
    same: bool = True
    """Whether it names that file; else nothing."""


class World:
    """A mount, directories beside it, and an agent's tools over one shell."""

    def __init__(self, top: Path, tools: FileTools, editor: Editor) -> None:
        self.top = top
        self.mountpoint = top / "kg"
        self.tools = tools
        self.editor = editor
        self.number = 0

    def places(self) -> list[Place]:
        """Every kind of place."""

        def on_mount(name: str, path: str, *, writes: bool = False) -> Place:
            return Place(name, path, self.mountpoint / path, writes=writes)

        def beside(name: str, path: str, *, reads: bool = True, writes: bool = False) -> Place:
            return Place(name, str(self.top / path), self.top / path, reads, writes)

        return [
            on_mount("text of a document", "documents/note_1/text.txt"),
            on_mount("page of an entity", "entities/people/Person_number_1/summary.txt"),
            on_mount("passage", "chunks/by_document/note_1/chunk_0001/content.txt"),
            on_mount("query path", "entities/by_name/Person_number_1/@near/1/near.txt"),
            on_mount("note", "notes/model.md", writes=True),
            on_mount("file of the workspace", "workspace/model.md", writes=True),
            on_mount("key (`@kv/`)", "@kv/model", writes=True),
            on_mount("file of a session", "@session/model/notes/model.md", writes=True),
            beside("added directory", "added/model.md", writes=True),
            beside("added directory, `:ro`", "kept/model.md"),
            Place("`/tmp`", "/tmp/model.md", None, writes=True),
            Place("system", "/etc/hosts", None),
            beside("home, other folders", "outside/model.md", reads=False),
            beside("the store", "store/model.md", reads=False),
        ]

    def spellings(self) -> list[Spelling]:
        """Every way to name a file of the mount."""
        outside = f"{self.top}/outside/model.md"

        def constant(name: str, path: str) -> Spelling:
            return Spelling(name, lambda folder, file: path, same=False)

        return [
            Spelling("`notes/x.md`, from the root of the mount", lambda folder, file: f"{folder}/{file}"),
            Spelling("`./notes/x.md`, `notes//x.md`", lambda folder, file: f"./{folder}//./{file}"),
            Spelling("`entities/../notes/x.md`", lambda folder, file: f"entities/../{folder}/{file}"),
            Spelling("`/kg/notes/x.md`", lambda folder, file: f"/kg/{folder}/{file}"),
            Spelling("`/usr/../kg/notes/x.md`", lambda folder, file: f"/usr/../kg/{folder}/{file}"),
            Spelling("the real path of the mount", lambda folder, file: f"{self.mountpoint}/{folder}/{file}"),
            Spelling("through a link, absolute", lambda folder, file: f"workspace/links/whole/{folder}/{file}"),
            Spelling("through a link, relative", lambda folder, file: f"workspace/links/up/{folder}/{file}"),
            Spelling("`/notes/x.md`, a bare slash", lambda folder, file: f"/{folder}/{file}", same=False),
            constant("link out, absolute", "workspace/links/out/model.md"),
            constant("link out, relative", "workspace/links/far/model.md"),
            constant("escape by `..`", f"../../../../..{outside}"),
            constant("escape by `..` from an added directory", f"{self.top}/added/../outside/model.md"),
            constant("link out of an added directory", f"{self.top}/added/out/model.md"),
            constant("`/proc/self/root/…`", f"/proc/self/root{outside}"),
            constant("`/proc/1/cwd/…`", f"/proc/1/cwd/../..{outside}"),
            constant("`/proc/1/root/…`", f"/proc/1/root{outside}"),
        ]

    def read(self, place: Place) -> str:
        """What a file holds, seen from the machine where it is there."""
        if place.host is not None:
            return place.host.read_text()
        return str(self.tools.places.shell.run(f"cat {shlex.quote(place.path)}")["output"])

    def fresh(self) -> str:
        """A body that was never written; it is JSON, for keys."""
        self.number += 1
        return f'"body {self.number}"'


Outcome = str | None
"""``None`` where the door did what it should with this very file; ``refused``; or what went wrong."""
REFUSED = "refused"


def _value(value: dict[str, Any], right: bool) -> Outcome:
    if value["is_error"]:
        well = value["message"] and value["next_action_hint"] and "unexpectedly" not in value["message"]
        return REFUSED if well else f"a bad refusal: {value}"
    return None if right else f"another file: {value}"


def _read_file(world: World, path: str, body: str) -> Outcome:
    value = world.tools.call("read_file", {"path": path})
    return _value(value, value.get("content") == body)


def _view(world: World, path: str, body: str) -> Outcome:
    value = world.editor.edit({"command": "view", "path": path})
    shown = re.sub(r"^ *\d+\t", "", value.get("content", ""), flags=re.MULTILINE)
    return _value(value, shown.rstrip("\n") == body.rstrip("\n"))


def _ls(world: World, path: str, body: str) -> Outcome:
    value = world.tools.call("ls", {"path": path})
    return _value(value, [entry["size"] for entry in value.get("entries", [])] == [len(body.encode())])


def _glob(world: World, path: str, body: str) -> Outcome:
    folder, _, name = path.rpartition("/")
    value = world.tools.call("glob", {"path": folder or "/", "pattern": name})
    if not value["is_error"] and not value["matches"]:
        return REFUSED  # the folder is there, and no such file in it
    found = [world.tools.call("read_file", {"path": one})["content"] for one in value.get("matches", [])]
    return _value(value, found == [body])


def _grep(world: World, path: str, body: str) -> Outcome:
    line = body.split("\n")[0]
    value = world.tools.call("grep", {"path": path, "pattern": line, "fixed": True})
    return _value(value, [match["text"] for match in value.get("matches", [])][:1] == [line])


def _cat(world: World, path: str, body: str) -> Outcome:
    value = world.tools.call("execute", {"command": f"cat {shlex.quote(path)}"})
    if value["is_error"] or value["status"]:
        return REFUSED
    return _value(value, value["output"] == body)


def _write_file(world: World, path: str, body: str, new: str) -> Outcome:
    return _value(world.tools.call("write_file", {"path": path, "content": new, "overwrite": True}), True)


def _edit_file(world: World, path: str, body: str, new: str) -> Outcome:
    return _value(world.tools.call("edit_file", {"path": path, "old_string": body, "new_string": new}), True)


def _create(world: World, path: str, body: str, new: str) -> Outcome:
    return _value(world.editor.edit({"command": "create", "path": path, "file_text": new}), True)


def _str_replace(world: World, path: str, body: str, new: str) -> Outcome:
    return _value(
        world.editor.edit({"command": "str_replace", "path": path, "old_str": body, "new_str": new}), True
    )  # fmt: skip


def _insert(world: World, path: str, body: str, new: str) -> Outcome:
    """Inserts only a space, which JSON ignores, at the beginning."""
    return _value(world.editor.edit({"command": "insert", "path": path, "insert_line": 0, "insert_text": " "}), True)


def _redirect(world: World, path: str, body: str, new: str) -> Outcome:
    value = world.tools.call("execute", {"command": f"printf %s {shlex.quote(new)} > {shlex.quote(path)}"})
    return REFUSED if value["is_error"] or value["status"] else None


READERS: dict[str, Callable[[World, str, str], Outcome]] = {
    "read_file": _read_file, "view": _view, "ls": _ls, "glob": _glob, "grep": _grep, "execute, reading": _cat,
}  # fmt: skip
WRITERS: dict[str, Callable[[World, str, str, str], Outcome]] = {
    "write_file": _write_file, "edit_file": _edit_file, "create": _create, "str_replace": _str_replace,
    "insert": _insert, "execute, writing": _redirect,
}  # fmt: skip
Measured = dict[str, Outcome]
"""By the door."""


def through_every_door(world: World, place: Place, path: str, *, named: bool = True) -> Measured:
    """What each door does with a path that should name the file of a place, or nothing where it is not ``named``."""
    measured: Measured = {}
    for door, reads in READERS.items():
        measured[door] = reads(world, path, world.read(place))
    for door, writes in WRITERS.items():
        before, new = world.read(place), world.fresh()
        outcome = writes(world, path, before, new)
        after = world.read(place)
        if outcome is None:
            right = after == new or (door == "insert" and after.strip() == before.strip())
            outcome = None if right and named else f"{path} wrote {after!r} instead of {new!r}"
        elif after != before:
            outcome = f"{path} was refused, and {before!r} became {after!r}"
        measured[door] = outcome
    return measured


def measured_places(world: World) -> dict[str, Measured]:
    """Each kind of place through every door, by a relative path and by an absolute one, which must agree."""
    found = {}
    for place in world.places():
        found[place.name] = through_every_door(world, place, place.path)
        if not place.path.startswith("/"):
            again = through_every_door(world, place, f"/kg/{place.path}")
            assert again == found[place.name], (place, again)
    return found


SPELLED = ("note", "file of the workspace", "page of an entity")


def measured_spellings(world: World) -> dict[str, dict[str, Measured]]:
    """Each spelling through every door, for files of three kinds of places; those that lead out, once."""
    found: dict[str, dict[str, Measured]] = {}
    places = {place.name: place for place in world.places()}
    outside = places["home, other folders"]
    for spelling in world.spellings():
        found[spelling.name] = {}
        for name in SPELLED:
            place = places[name]
            path = spelling.of(*place.path.rsplit("/", 1))
            if not spelling.same and path == spelling.of("", ""):
                found[spelling.name] = {outside.name: through_every_door(world, outside, path, named=False)}
                break
            found[spelling.name][name] = through_every_door(world, place, path, named=spelling.same)
    return found


def tables(places: dict[str, Measured], spellings: dict[str, dict[str, Measured]]) -> str:
    """The tables of docs/agents.md."""

    def cell(outcomes: list[Outcome]) -> str:
        return "yes" if set(outcomes) == {None} else "no" if set(outcomes) == {REFUSED} else "?"

    doors = (*READERS, *WRITERS)
    head = "".join(f" {door} |" for door in doors)
    lines = [f"| place |{head}", "|---|" + "---|" * len(doors)]
    lines += [f"| {name} |" + "".join(f" {cell([found[door]])} |" for door in doors) for name, found in places.items()]
    lines += ["", "| spelling of a file on the mount | doors that read | doors that write |", "|---|---|---|"]
    for spelling, by_place in spellings.items():
        reads = cell([found[door] for found in by_place.values() for door in READERS])
        changes = cell([by_place[name][door] for name in by_place if name != "page of an entity" for door in WRITERS])
        words = {"yes": "the same file", "no": "refused", "?": "?"}
        lines.append(f"| {spelling} | {words[reads]} | {words[changes]} |")
    return "".join(f"{line}\n" for line in lines)


@contextmanager
def world() -> Iterator[World]:
    """The mount with its daemon, and the tools. Nothing of it lies in ``/tmp``, which the sandbox has for itself."""
    top = Path(tempfile.mkdtemp(prefix="kgfs-doors-", dir="/var/tmp"))
    try:
        daemon = started(top)
        try:
            for folder in ("added", "kept", "outside"):
                (top / folder).mkdir()
                (top / folder / "model.md").write_text(f'"{SECRET if folder == "outside" else folder}"')
            (top / "store" / "model.md").write_text(f'"{SECRET}"')
            (top / "added" / "out").symlink_to(top / "outside")
            kg = daemon.mountpoint
            for path in ("notes", "workspace"):
                (kg / path / "model.md").write_text(f'"{path}"')
            (kg / "@kv" / "model").write_text('"key"')
            (kg / "@session" / "model").mkdir()
            (kg / "@session" / "model" / "notes" / "model.md").write_text('"session"')
            links = kg / "workspace" / "links"
            links.mkdir()
            (links / "whole").symlink_to("/kg")
            (links / "up").symlink_to("../..")
            (links / "out").symlink_to(top / "outside")
            (links / "far").symlink_to("../" * 12 + str(top / "outside").lstrip("/"))
            roots = Roots(kg, added=[Added(top / "added", True), Added(top / "kept", False)])
            with Shell(roots, hidden=hidden_directories(daemon.store)) as shell:
                shell.run("printf '\"scratch\"' > /tmp/model.md")
                tools = FileTools(roots, shell, lambda name, given: {"is_error": True})
                yield World(top, tools, Editor(tools))
            ended(daemon)
        finally:
            daemon.clear()
    finally:
        shutil.rmtree(top, ignore_errors=True)


def written(page: str, text: str) -> str:
    """The page with these tables between its marks."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "\n" + text + "\n" + END + rest.partition(END)[2]


def main() -> None:
    """Measure, and write the tables."""
    os.environ.pop("KGFS_STORE", None)
    with world() as one:
        text = tables(measured_places(one), measured_spellings(one))
    PAGE.write_text(written(PAGE.read_text(), text))
    print(text)


if __name__ == "__main__":
    main()
