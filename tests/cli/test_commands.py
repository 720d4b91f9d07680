"""Every command without a daemon: what it prints, its JSON, its exit status, and the sentence of each failure."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kgfs.config import CATALOG, CONFIG
from tests.conftest import SAMPLES, Program, copy_store


@pytest.fixture(scope="module")
def store(pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's store for the tests here that only read."""
    return copy_store(pristine_sample_store, tmp_path_factory.mktemp("reading") / "store")


def rows(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one sentence that a failure prints."""
    assert done.stderr.startswith("kgfs: ") and done.stderr.count("\n") == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


# --- reading the tree ------------------------------------------------------------------------------------------------


def test_ls(kgfs: Program, store: Path) -> None:
    names = kgfs("--store", store, "ls").stdout.splitlines()
    assert {
        "AGENTS.md",
        "README.md",
        "entities",
        "documents",
        "chunks",
        "facts",
        "topics",
        "context",
        "@search",
    } <= set(names)
    listed = rows(kgfs("--store", store, "ls", "--json").stdout)
    assert [item["name"] for item in listed] == names
    by_name = {item["name"]: item for item in listed}
    assert by_name["README.md"]["kind"] == "link" and by_name["README.md"]["target"] == "AGENTS.md"
    long = kgfs("--store", store, "ls", "-l", "entities/organizations").stdout
    line = next(line for line in long.splitlines() if line.endswith(" Alphabet_Inc"))
    assert re.fullmatch(r"drwxr-xr-x +\d+ \d{4}-\d\d-\d\d \d\d:\d\d Alphabet_Inc", line)


SAME = (
    "entities/organizations/Alphabet_Inc/summary.txt",
    "/kg/entities/organizations/Alphabet_Inc/summary.txt",
    "entities/by_name/Alphabet_Inc/summary.txt",
    "/entities/by_name/../by_name/./Alphabet_Inc//summary.txt",
)


@pytest.mark.parametrize("path", SAME)
def test_a_place_has_many_names(kgfs: Program, store: Path, path: str) -> None:
    assert kgfs("--store", store, "cat", path).stdout == kgfs("--store", store, "cat", SAME[0]).stdout != ""


def test_ids_and_refs_name_places(kgfs: Program, store: Path) -> None:
    ref = f"disk:{SAMPLES}/companies/deepmind.md"
    text = (SAMPLES / "companies" / "deepmind.md").read_text("utf-8")
    assert kgfs("--store", store, "cat", ref).stdout == text
    assert kgfs("--store", store, "cat", SAMPLES / "companies" / "deepmind.md").stdout == text
    assert (
        json.loads(kgfs("--store", store, "stat", "DeepMind", "--json").stdout)["path"]
        == "entities/organizations/DeepMind"
    )
    listed = kgfs("--store", store, "find", "facts/by_type", "-name", "f_*.json").stdout.splitlines()
    fact = json.loads(kgfs("--store", store, "cat", Path(listed[0]).stem).stdout)
    assert fact["fact_id"] == Path(listed[0]).stem
    document, _, name = fact["chunk"].rpartition("/")
    chunk = json.loads(kgfs("--store", store, "stat", f"{Path(document).name}_{name}", "--json").stdout)
    assert chunk["path"] == fact["chunk"]


def test_stat(kgfs: Program, store: Path) -> None:
    found = json.loads(kgfs("--store", store, "--json", "stat", "entities/organizations/Alphabet_Inc").stdout)
    assert found["kind"] == "directory" and found["size"] == int(found["attributes"]["facts"])
    assert found["entries"]["directories"] > 3
    shown = kgfs("--store", store, "stat", "README.md").stdout
    assert "link -> AGENTS.md" in shown


def test_cat_of_several_files_and_of_a_query(kgfs: Program, store: Path) -> None:
    guide = kgfs("--store", store, "cat", "AGENTS.md").stdout
    assert kgfs("--store", store, "cat", "AGENTS.md", "README.md").stdout == guide * 2
    as_json = json.loads(kgfs("--store", store, "--json", "cat", "README.md").stdout)
    assert as_json["text"] == guide and as_json["size"] == len(guide.encode())
    hits = kgfs("--store", store, "cat", "@search/keyword/AlphaFold/results.txt").stdout
    assert "AlphaFold" in hits


def test_tree(kgfs: Program, store: Path) -> None:
    shown = kgfs("--store", store, "tree", "-L", "1", "documents/deepmind").stdout
    assert shown.startswith("documents/deepmind\n├── ")
    assert "└── topics\n" in shown and re.search(r"\d+ directories, \d+ files, \d+ links$", shown)
    items = rows(kgfs("--store", store, "tree", "-L", "2", "entities", "--json").stdout)
    assert {item["depth"] for item in items} == {1, 2}


def test_find(kgfs: Program, store: Path) -> None:
    paths = kgfs("--store", store, "find", "entities", "-name", "summary.txt", "-type", "f").stdout.splitlines()
    assert "entities/organizations/Alphabet_Inc/summary.txt" in paths
    assert all(path.startswith("entities/") and path.endswith("/summary.txt") for path in paths)
    assert kgfs("--store", store, "find", "entities", "-type", "l", "-name", "Alphabet_Inc").stdout.splitlines()
    assert kgfs("--store", store, "find", "entities", "-name", "no such thing").stdout == ""
    assert kgfs("--store", store, "find", "AGENTS.md").stdout == "AGENTS.md\n"


def test_grep_is_grep(kgfs: Program, store: Path, tmp_path: Path) -> None:
    """The same lines as GNU grep over the same files written out."""
    files = kgfs("--store", store, "find", "chunks/by_document", "-name", "content.txt").stdout.splitlines()
    every = rows(kgfs("--store", store, "--json", "cat", *files).stdout)
    for file, content in zip(files, every, strict=True):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(content["text"], "utf-8", newline="")
    for flags, pattern in (("", "[Gg]oogle.*bought|acquired"), ("-i", "WAGES"), ("-F", "3.5 percent"), ("-iw", "fed")):
        options = [flags] if flags else []
        real = subprocess.run(
            ["grep", "-rn", *options, *([] if "F" in flags else ["-E"]), "-e", pattern, "chunks/by_document"],
            cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}, check=True,
        ).stdout  # fmt: skip
        expanded = [f"-{flag}" for flag in flags.strip("-")]
        ours = kgfs("--store", store, "grep", "-n", *expanded, pattern, "chunks/by_document").stdout
        content = [line for line in ours.splitlines() if "/content.txt:" in line]
        assert sorted(content) == sorted(real.splitlines())
    names = kgfs("--store", store, "grep", "-l", "-i", "-w", "fed", "chunks/by_document").stdout.splitlines()
    assert set(names) == {line.split(":")[0] for line in ours.splitlines()}


def test_grep_without_a_match_and_with_a_bad_pattern(kgfs: Program, store: Path) -> None:
    done = kgfs("--store", store, "grep", "no such words anywhere", "documents", status=1)
    assert done.stdout == done.stderr == ""
    assert "grep refuses the pattern" in error_of(kgfs("--store", store, "grep", "(", "documents", status=2))
    assert kgfs("--store", store, "grep", "-F", "(", "documents").stdout
    line = rows(kgfs("--store", store, "grep", "-n", "DeepMind", "AGENTS.md", "--json", status=None).stdout)
    assert all(set(item) == {"path", "line", "text"} for item in line)


@pytest.mark.parametrize("command", ["ls", "cat", "tree", "find", "stat"])
def test_what_is_not_there(kgfs: Program, store: Path, command: str) -> None:
    sentence = error_of(kgfs("--store", store, command, "entities/nobody", status=3))
    assert sentence.startswith("kgfs: entities/nobody: no such path")


def test_errors_are_json_where_results_are(kgfs: Program, store: Path) -> None:
    error = json.loads(kgfs("--store", store, "--json", "ls", "entities/nobody", status=3).stderr)["error"]
    assert error["kind"] == "not_found" and error["exit_status"] == 3


def test_a_file_is_no_directory_and_a_directory_no_file(kgfs: Program, store: Path) -> None:
    assert "is a directory" in error_of(kgfs("--store", store, "cat", "entities", status=2))
    assert "beneath a file" in error_of(kgfs("--store", store, "ls", "AGENTS.md/x", status=3))
    assert kgfs("--store", store, "ls", "AGENTS.md").stdout == "AGENTS.md\n"


@pytest.mark.parametrize("name", ["\udcff\udcfe", "a\nb", "x" * 5000, "%", "..", "é" * 200])
def test_odd_names_are_not_found_and_hurt_nobody(kgfs: Program, store: Path, name: str) -> None:
    done = kgfs("--store", store, "ls", f"entities/{name}", status=None)
    assert done.returncode in (0, 3) and "Traceback" not in done.stderr


def test_output_into_a_closed_pipe_ends_quietly(kgfs: Program, store: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" | head -n 1', "bash", *kgfs.command, "--store", str(store), "find"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.count("\n") == 1 and done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(store: Path, kgfs: Program, closed: str) -> None:
    for command in (["ls"], ["cat", "AGENTS.md"], ["stat", "entities"], ["status"], ["--json", "find", "documents"]):
        done = subprocess.run(
            ["bash", "-c", f'"$@" {closed}', "bash", *kgfs.command, "--store", str(store), *command],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0 and done.stderr == "", command


# --- search, status, config ------------------------------------------------------------------------------------------


def test_search(kgfs: Program, store: Path) -> None:
    lines = kgfs("--store", store, "search", "wages in Boston", "--kind", "keyword", "--limit", "3").stdout.splitlines()
    assert len(lines) == 3 and all(re.fullmatch(r"\S+: \[[01]\.\d\d\] .+", line) for line in lines)
    results = rows(
        kgfs("--store", store, "search", "-", "--kind", "chunks", "--json", input="wages\nin Boston\n").stdout
    )
    assert [result["rank"] for result in results] == list(range(1, len(results) + 1))
    assert {"path", "rel", "title", "snippet", "origin", "legs", "mode", "score", "type"} <= set(results[0])
    # Nothing is mounted here: a path is what the commands take.
    assert all(result["path"] == result["rel"] for result in results)
    for result in results[:3]:
        assert kgfs("--store", store, "cat" if Path(result["path"]).suffix else "ls", result["path"]).stdout
    assert kgfs("--store", store, "cat", results[0]["rel"]).stdout
    assert kgfs("--store", store, "search", "qqxyzzy", "--kind", "keyword").stdout == ""
    assert kgfs("--store", store, "search", "wages", "--origin", "agent", "--kind", "keyword").stdout == ""
    for scope in ("documents/boston", "context/disk" + str(SAMPLES) + "/regions/boston.md"):
        scoped = kgfs("--store", store, "search", "wages", "--in", scope, "--kind", "keyword", "--json").stdout
        # A topic or an entity that the document speaks of is no one document's.
        origins = {result["origin"] for result in rows(scoped) if result["type"] in ("chunk", "fact")}
        assert origins == {f"disk:{SAMPLES}/regions/boston.md"}
    refused = kgfs("--store", store, "search", "wages", "--in", "@status", "--kind", "keyword", status=2)
    assert "no part of the graph" in error_of(refused)


def test_brief(kgfs: Program, store: Path) -> None:
    """The same text as the query path's, of the length that is asked for, in a directory or a file."""
    question = "Which company acquired DeepMind?"
    text = kgfs("--store", store, "-q", "brief", question).stdout
    assert text.startswith(f"# {question}\n") and len(text) <= 6000 and "\n## DeepMind (Organization)\n" in text
    path = re.findall(r"^(chunks/\S+) [(]line", text, re.M)[0]
    last = kgfs("--store", store, "cat", path).stdout.rstrip().splitlines()[-1]
    assert re.sub(r"\[\[[^]|]+\|([^]]+)\]\]", r"[[\1]]", last) in text  # links by what they are shown as
    assert kgfs("--store", store, "-q", "brief", "-", input=f"{question}\n").stdout == text
    assert len(kgfs("--store", store, "-q", "brief", question, "--limit", "900").stdout) <= 900
    for scope in ("documents/boston", "context/disk" + str(SAMPLES) + "/regions/boston.md"):
        (shown,) = rows(kgfs("--store", store, "-q", "--json", "brief", "wages", "--in", scope).stdout)
        assert set(re.findall(r"^chunks/by_document/([^/]+)/", shown["text"], re.M)) == {"boston"}
    assert "out of range" in error_of(kgfs("--store", store, "-q", "brief", "wages", "--limit", "3", status=2))
    assert "no word" in error_of(kgfs("--store", store, "brief", "?", status=2))


@pytest.mark.parametrize(
    "directory", ["", "entities", "entities/organizations/Alphabet_Inc", "entities/by_name/Boston", "topics", "context"]
)
def test_a_search_in_a_directory_is_the_one_by_path(kgfs: Program, store: Path, directory: str) -> None:
    inside = ("--in", directory) if directory else ()
    found = rows(kgfs("--store", store, "search", "wages in Boston", *inside, "--kind", "keyword", "--json").stdout)
    path = f"{directory}/@search/keyword/wages in Boston/results.jsonl".lstrip("/")
    assert found == rows(kgfs("--store", store, "cat", path).stdout)
    if directory == "entities":
        assert {result["type"] for result in found} == {"entity"}


def test_a_search_for_nothing(kgfs: Program, store: Path) -> None:
    assert "empty" in error_of(kgfs("--store", store, "search", "  ", status=2))
    assert error_of(kgfs("--store", store, "search", "!!!", status=2))


def test_status(kgfs: Program, store: Path) -> None:
    lines = kgfs("--store", store, "status").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["Store", "Mounted", "Graph", "Index", "Sources", "Errors"]
    assert "healthy" in lines[0] and "100 %" in lines[3] and "unchanged" in lines[4]
    found = json.loads(kgfs("--store", store, "status", "--check", "--json").stdout)
    assert found["healthy"] and found["counts"]["documents"] >= 30 and found["mount"] is None
    assert kgfs("--store", store, "status", "--errors").stdout == "No errors.\n"


def test_status_names_files_without_text(kgfs: Program, tmp_path: Path) -> None:
    """What was said when they were added can be asked for later."""
    store, broken = tmp_path / "store", tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and nothing")
    said = kgfs("--store", store, "add", "--extractor", "none", broken, status=5).stderr
    status = kgfs("--store", store, "status").stdout
    assert "Kept     1 file without text: kgfs status --errors\n" in status and "Errors   none\n" in status
    (kept,) = rows(kgfs("--store", store, "--json", "status", "--errors").stdout)
    assert kept["ref"] == f"disk:{broken}" and kept["reason"] in said
    assert f"{kept['ref']}: {kept['reason']}\n" in kgfs("--store", store, "status", "--errors").stdout


def test_files_that_hold_no_text_are_counted(kgfs: Program, tmp_path: Path) -> None:
    """Of a type that kgfs does not read, they are no failure; nobody should think that they are searched."""
    store, folder = tmp_path / "store", tmp_path / "folder"
    folder.mkdir()
    (folder / "letter.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(90))
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(90))
    (folder / "note.md").write_text("# Note\n")
    (folder / "nothing.txt").write_text("")
    assert "Added 4 · 2 of these without text\n" in kgfs("--store", store, "add", "--extractor", "none", folder).stdout
    assert "Kept     2 files without text: kgfs status --errors\n" in kgfs("--store", store, "status").stdout
    kept = rows(kgfs("--store", store, "--json", "status", "--errors").stdout)
    assert [row["ref"] for row in kept] == [f"disk:{folder}/letter.doc", f"disk:{folder}/photo.png"]
    assert [row["reason"].split()[-1] for row in kept] == ["application/x-ole-storage.", "image/png."]


def test_what_was_odd_in_documents_is_said(kgfs: Program, tmp_path: Path) -> None:
    store, mixed = tmp_path / "store", tmp_path / "mixed.txt"
    mixed.write_bytes("Grüße\n".encode() + "Grüße\n".encode("latin-1") + b"\x80\n")
    note = "The file is not valid UTF-8; 3 places were read as windows-1252."
    assert f"  {mixed}: {note}\n" in kgfs("--store", store, "add", "--extractor", "none", mixed).stderr
    assert kgfs("--store", store, "cat", "documents/mixed/text.txt").stdout == "Grüße\nGrüße\n€\n"
    assert f"disk:{mixed}: {note}\n" in kgfs("--store", store, "status", "--errors").stdout
    mixed.write_bytes("Grüße\n".encode("latin-1") * 9)
    refreshed = rows(kgfs("--store", store, "--json", "refresh", "--all").stdout)[-1]
    (again,) = refreshed["notes"]
    assert again["path"] == str(mixed) and "windows-1252" in again["error"]


def test_config(kgfs: Program, sample_store: Path) -> None:
    assert kgfs("--store", sample_store, "config", "search_limit").stdout == "20\n"
    kgfs("--store", sample_store, "config", "search_limit", "7")
    assert json.loads(kgfs("--store", sample_store, "--json", "config").stdout)["search_limit"] == 7
    assert "There is no setting" in error_of(kgfs("--store", sample_store, "config", "nonsense", status=2))
    assert "does not fit" in error_of(kgfs("--store", sample_store, "config", "search_limit", "many", status=2))
    (sample_store / CONFIG).write_text("{nonsense")
    assert "not valid" in error_of(kgfs("--store", sample_store, "status", status=1))


# --- stores ----------------------------------------------------------------------------------------------------------


def test_init_and_where_a_store_is_found(kgfs: Program, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "deep" / "er").mkdir(parents=True)
    kgfs("init", project)
    assert (project / ".kgfs" / CATALOG).exists()
    assert "already" in error_of(kgfs("init", project, status=4))
    found = json.loads(kgfs("--json", "status", cwd=project / "deep" / "er").stdout)
    assert found["store"] == str(project / ".kgfs")
    other = tmp_path / "other"
    kgfs("init", env={"KGFS_STORE": str(other)})
    assert json.loads(kgfs("--json", "status", cwd=project, env={"KGFS_STORE": str(other)}).stdout)["store"] == str(
        other
    )
    assert json.loads(kgfs("--json", "status", "--store", project / ".kgfs", env={"KGFS_STORE": str(other)}).stdout)[
        "store"
    ] == str(project / ".kgfs")


@pytest.mark.parametrize("arguments", [["ls"], ["status"], ["search", "x"], ["wait"], ["rm", "x"], ["config"]])
def test_a_store_that_is_not_there(kgfs: Program, tmp_path: Path, arguments: list[str]) -> None:
    sentence = error_of(kgfs("--store", tmp_path / "none", *arguments, status=3))
    assert "There is no store" in sentence and "kgfs add" in sentence
    assert not (tmp_path / "none").exists()


def test_a_damaged_store(kgfs: Program, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / CATALOG).write_bytes(b"this is no database" * 1000)
    assert "damaged" in error_of(kgfs("--store", store, "ls", status=1))
    assert (store / CATALOG).read_bytes().startswith(b"this is no database")


def test_a_store_of_a_newer_version(kgfs: Program, sample_store: Path) -> None:
    import duckdb

    with duckdb.connect(str(sample_store / CATALOG)) as connection:
        connection.execute("UPDATE meta SET value = '999' WHERE key = 'schema_version'")
    assert "newer kgfs" in error_of(kgfs("--store", sample_store, "ls", status=1))


def test_an_empty_store_works(kgfs: Program, tmp_path: Path) -> None:
    store = tmp_path / "store"
    kgfs("--store", store, "init")
    assert "AGENTS.md" in kgfs("--store", store, "ls").stdout
    assert kgfs("--store", store, "find", "-type", "f").stdout
    assert kgfs("--store", store, "search", "anything").stdout == ""
    kgfs("--store", store, "wait")
    kgfs("--store", store, "status", "--check")


def test_doctor(kgfs: Program, store: Path) -> None:
    done = kgfs("--store", store, "doctor", "--json", status=None)
    checks = {row["check"]: row for row in rows(done.stdout)}
    assert {"python", "packages", "fuse", "fusermount3", "model", "store"} <= set(checks)
    assert checks["store"]["state"] == "ok" and checks["model"]["state"] == "ok"
    assert done.returncode == (1 if any(row["state"] == "bad" for row in checks.values()) else 0)
    absent = kgfs("--store", "/nowhere/at/all", "doctor", "--json", status=None)
    assert {row["check"]: row["state"] for row in rows(absent.stdout)}["store"] == "note"
    without = kgfs("--store", store, "doctor", env={"PATH": "/nowhere"}, status=1)
    assert "fusermount3 is not installed; install the package fuse3." in without.stdout
