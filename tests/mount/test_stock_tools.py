"""Real tools on a real mount of the sample: what a person does in the first hour must simply work.

One mount for the whole module; nothing here writes.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Program, copy_store, mounting

pytestmark = pytest.mark.mount


@pytest.fixture(scope="module")
def kg(kgfs: Program, pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sample, mounted."""
    directory = tmp_path_factory.mktemp("tools")
    with mounting(kgfs, directory) as mount:
        yield mount(copy_store(pristine_sample_store, directory / "store"))


def run(*command: str | Path, cwd: Path | None = None, status: int = 0) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert done.stderr == "", f"{command}: {done.stderr[-2000:]}"
    return done.stdout


def bash(script: str, cwd: Path) -> str:
    return run("bash", "-euo", "pipefail", "-c", script, cwd=cwd)


def everything(top: Path, most: int = sys.maxsize) -> list[tuple[Path, os.stat_result]]:
    """At most so many names of each kind in a directory."""
    found = []
    for directory, names, files in os.walk(top):
        del names[most:], files[most:]
        for name in (*names, *files):
            path = Path(directory, name)
            found.append((path, path.lstat()))
    return found


@pytest.fixture(scope="module")
def tree(kg: Path) -> list[tuple[Path, os.stat_result]]:
    return everything(kg)


@pytest.fixture(scope="module", params=["part", pytest.param("whole", marks=pytest.mark.slow)])
def seen(request: pytest.FixtureRequest, kg: Path) -> list[tuple[Path, os.stat_result]]:
    """Some of each directory, or all."""
    found: list[tuple[Path, os.stat_result]] = (
        everything(kg, 6) if request.param == "part" else request.getfixturevalue("tree")
    )
    assert len(found) > 1000
    return found


@pytest.mark.slow
def test_the_size_of_every_file_is_the_length_of_what_is_read(tree: list[tuple[Path, os.stat_result]]) -> None:
    files = [(path, status) for path, status in tree if stat.S_ISREG(status.st_mode)]
    assert len(files) > 1000
    wrong = []
    for path, status in files:
        data = path.read_bytes()
        if not {"@status", "@audit"} & set(path.parts):
            if len(data) != status.st_size or status.st_blocks != -(-status.st_size // 512):
                wrong.append((path, status.st_size, len(data)))
            data.decode()
    assert wrong == []


@pytest.mark.slow
def test_every_link_resolves_inside(kg: Path, tree: list[tuple[Path, os.stat_result]]) -> None:
    links = [path for path, status in tree if stat.S_ISLNK(status.st_mode)]
    assert len(links) > 1000
    root = os.path.realpath(kg)
    for path in links:
        target = os.readlink(path)
        assert not target.startswith("/"), path
        real = os.path.realpath(path)
        assert real.startswith(root + "/") and os.path.exists(real), f"{path} -> {target}"


def test_inode_numbers_are_distinct_and_names_are_clean(seen: list[tuple[Path, os.stat_result]]) -> None:
    numbers = [status.st_ino for _, status in seen]
    assert len(set(numbers)) == len(numbers)
    context = [path for path, _ in seen if "context" not in path.parts]
    for path in context:
        assert not set(path.name) & set("<>:\"|?*\\'$!&`\n\t "), path


OLDEST = -(2**31)
"""Seconds: ext4 holds no older date, 13 December 1901."""


def test_owner_and_modes(seen: list[tuple[Path, os.stat_result]]) -> None:
    for path, status in seen:
        assert status.st_uid == os.getuid(), path
        assert status.st_mtime != 0 and status.st_ctime > 0, path  # a fact of 1911 is older than 1970
        if {"context", "workspace", "@kv", "@session"} & set(path.parts):  # there modes and links are their own
            continue
        if stat.S_ISDIR(status.st_mode):
            assert stat.S_IMODE(status.st_mode) == 0o755 and status.st_nlink == 1, path
        elif stat.S_ISREG(status.st_mode):
            assert stat.S_IMODE(status.st_mode) == 0o644, path


def test_chunks_joined_are_the_text(kg: Path) -> None:
    documents = sorted((kg / "documents").glob("*/text.txt"))
    assert len(documents) >= 30
    for text in documents:
        document = text.parent.name
        chunks = sorted((kg / "chunks" / "by_document" / document).glob("chunk_*"))
        assert b"".join((chunk / "content.txt").read_bytes() for chunk in chunks) == text.read_bytes()
        assert [link.resolve() for link in sorted((text.parent / "chunks").iterdir())] == [c.resolve() for c in chunks]


def test_the_rows_are_the_files_that_were_added(kg: Path) -> None:
    samples = Path(__file__).resolve().parents[2] / "kgfs" / "samples"
    (source,) = (kg / "sources").iterdir()
    for path in samples.rglob("*"):
        if path.is_file():
            assert (source / path.relative_to(samples)).read_bytes() == path.read_bytes()


def test_every_quote_stands_in_its_chunk(kg: Path) -> None:
    facts = sorted((kg / "facts" / "by_type").glob("*/f_*.json"))
    assert len(facts) > 60
    for path in facts:
        (line,) = path.read_text().splitlines()
        fact = json.loads(line)
        assert fact["fact_id"] == path.stem and fact["type"] == path.parent.name
        content = (kg / fact["chunk"] / "content.txt").read_bytes()
        start, end = fact["span"]
        assert content[start:end].decode() == fact["quote"]
        assert 0 < fact["confidence"] <= 1 and fact["extractor"]


@pytest.mark.slow
def test_copies_are_whole(kg: Path, tree: list[tuple[Path, os.stat_result]], tmp_path: Path) -> None:
    """tar, rsync and cp -a take everything, byte for byte, links as links, times as times."""
    run("tar", "-C", kg, "--exclude=./@status", "--exclude=./@audit", "-cf", tmp_path / "kg.tar", ".")
    run("rsync", "-a", "--exclude=/@status", "--exclude=/@audit", f"{kg}/", f"{tmp_path}/rsync/")
    run("cp", "-a", kg, tmp_path / "cp")
    shutil.rmtree(tmp_path / "cp" / "@status")
    shutil.rmtree(tmp_path / "cp" / "@audit")
    with tarfile.open(tmp_path / "kg.tar") as archive:
        members = {member.name.removeprefix("./"): member for member in archive.getmembers()}
        for path, status in tree:
            relative = str(path.relative_to(kg))
            if relative.startswith(("@status", "@audit")):
                continue
            member = members[relative]
            if stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
                taken = archive.extractfile(member)
                assert taken is not None and taken.read() == content, relative
                for copy in ("rsync", "cp"):
                    assert (tmp_path / copy / relative).read_bytes() == content
                    assert int((tmp_path / copy / relative).stat().st_mtime) == max(int(status.st_mtime), OLDEST)
            elif stat.S_ISLNK(status.st_mode):
                assert member.issym() and member.linkname == os.readlink(path)
                for copy in ("rsync", "cp"):
                    assert os.readlink(tmp_path / copy / relative) == os.readlink(path)
    old = {str(path.relative_to(kg)) for path, status in tree if status.st_mtime < OLDEST}
    again = run("rsync", "-ani", "--exclude=/@status", "--exclude=/@audit", f"{kg}/", f"{tmp_path}/rsync/")
    assert {line.split(" ", 1)[1].split(" -> ")[0].rstrip("/") for line in again.splitlines()} <= old


@pytest.mark.slow
def test_walkers_finish_without_a_word(kg: Path) -> None:
    run("du", "-s", kg)
    run("find", kg, "-type", "f", "-size", "+100c")
    run("ls", "-lR", kg)
    assert "Mandiant" in run("grep", "-r", "Mandiant", kg)
    assert "Mandiant" in run("rg", "--no-messages", "Mandiant", kg)
    copy = {line.split(":", 1)[0] for line in run("rg", "-n", "DNNresearch", kg / "chunks").splitlines()}
    same = {line.split(":", 1)[0] for line in run("grep", "-rn", "DNNresearch", kg / "chunks").splitlines()}
    assert copy == same and copy


def test_nothing_can_be_written(kg: Path) -> None:
    for script in (
        "echo x > AGENTS.md",
        "echo x >> entities/_index.tsv",
        "touch new",
        "mkdir new",
        "rm AGENTS.md",
        "rmdir topics",
        "mv AGENTS.md other",
        "ln -s AGENTS.md other",
        "ln AGENTS.md other",
        "chmod 600 AGENTS.md",
        "mkfifo pipe",
        "truncate -s 0 AGENTS.md",
        "setfattr -n user.note -v x AGENTS.md",
    ):
        if script.startswith("setfattr") and shutil.which("setfattr") is None:
            continue
        done = subprocess.run(["bash", "-c", script], cwd=kg, capture_output=True, text=True, check=False)
        assert done.returncode != 0, script
        assert "Read-only file system" in done.stderr, (script, done.stderr)


def test_the_walk_from_an_entity_to_its_evidence(kg: Path) -> None:
    alphabet = kg / "entities" / "organizations" / "Alphabet_Inc"
    assert (kg / "entities" / "by_name" / "Google").resolve() == alphabet.resolve()
    acquired = set(os.listdir(alphabet / "relationships" / "ACQUIRED"))
    assert {"DeepMind", "Fitbit", "Mandiant", "Looker", "Nest_Labs", "Kaggle", "DNNresearch"} <= acquired
    summary = (alphabet / "relationships" / "ACQUIRED" / "DeepMind" / "summary.txt").read_text()
    assert "artificial intelligence" in summary and len(summary) <= 2000
    facts = [json.loads(line) for line in (alphabet / "facts" / "all.jsonl").read_text().splitlines()]
    assert alphabet.stat().st_size == len(facts)
    bought = [fact for fact in facts if fact["type"] == "ACQUIRED" and fact["object"] == "DeepMind"]
    (priced, *_) = [fact for fact in bought if fact["value"]]
    assert priced["date"].startswith("2014-01") and priced["value"] == 500e6 and "500 million" in priced["quote"]
    assert priced["quote"] in (kg / priced["chunk"] / "content.txt").read_text()
    deepmind = kg / "entities" / "organizations" / "DeepMind"
    assert (deepmind / "related_to" / "ACQUIRED_BY" / "Alphabet_Inc").resolve() == alphabet.resolve()
    assert any("CEO" in role for role in os.listdir(kg / "entities" / "people" / "Sundar_Pichai" / "roles"))


def test_sorting_by_size_is_sorting_by_facts(kg: Path) -> None:
    largest = run("bash", "-c", "ls -dS entities/organizations/*/ | head -1", cwd=kg).strip()
    assert largest == "entities/organizations/Alphabet_Inc/"


def test_dates_are_times_of_files(kg: Path) -> None:
    month = bash("find chunks -newermt 2019-10-01 ! -newermt 2019-11-01 -name content.txt", cwd=kg).splitlines()
    assert month
    for path in month:
        assert json.loads((kg / path).with_name("metadata.json").read_text())["date"].startswith("2019-10")


def test_search_by_path(kg: Path) -> None:
    hits = [
        json.loads(line)
        for line in (kg / "@search/semantic/AI capabilities impact DeepMind/results.jsonl").read_text().splitlines()
    ]
    assert "deepmind" in hits[0]["rel"]
    assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
    assert all(before["score"] >= after["score"] for before, after in itertools.pairwise(hits))
    for hit in hits:
        assert (kg / hit["rel"]).exists() and os.path.exists(hit["path"]), hit
        assert 0 <= hit["score"] <= 1 and len(hit["snippet"]) <= 240
    top = sorted(os.listdir(kg / "@search/semantic/AI capabilities impact DeepMind/top"))
    assert len(top) == len(hits)
    text = (kg / "@search/text/which AI labs did Google buy").read_text()
    assert len(text.splitlines()) == 20
    names = (kg / "@search/entities/Google/matches.jsonl").read_text().splitlines()
    assert json.loads(names[0])["rel"] == "entities/organizations/Alphabet_Inc"


def test_a_bad_query_is_an_error_with_a_reason(kg: Path) -> None:
    with pytest.raises(OSError) as caught:
        (kg / "@search/text/ ").read_text()
    assert caught.value.errno == 22
    assert len((kg / "@status" / "last_error.txt").read_text().splitlines()) >= 1
    with pytest.raises(FileNotFoundError):
        (kg / "@search/text/.git").read_text()


def test_editors_see_a_read_only_file(kg: Path) -> None:
    done = subprocess.run(
        ["vim", "-es", "-u", "NONE", "-i", "NONE", "+normal ggdd", "+wq!", str(kg / "AGENTS.md")],
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert (kg / "AGENTS.md").read_text().startswith("# Knowledge graph")
