"""Query paths on a real mount with real tools: in every directory, whole, fresh after a commit, never in the way."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Program, copy_store, mounting, searchable

pytestmark = [pytest.mark.mount, pytest.mark.slow]

DIRECTORIES = (
    "", "entities", "entities/organizations", "entities/organizations/Alphabet_Inc",
    "entities/organizations/Alphabet_Inc/facts", "entities/by_name/DeepMind/relationships", "topics",
    "topics/acquisitions", "chunks", "chunks/by_date/2019/10", "chunks/by_document/deepmind",
    "chunks/by_document/deepmind/chunk_0001", "documents", "documents/deepmind", "facts/by_type/ACQUIRED", "context",
)  # fmt: skip
QUESTIONS = (
    "@search/text/wages in Boston", "@search/semantic/limit=5/acquired/results.jsonl",
    "@search/entities/Google/matches.jsonl", "@search/keyword/Boston/results.txt", "@search/chunks/AI/follow.jsonl",
    "@brief/who acquired DeepMind", "@brief/limit=900/wages",
    "@grep/Google", "@grep/-r/Google", "@grep/-iw/google",
    "@grep/-Fl/Inc.", "@find/name=*e*/_paths.txt", "@stat", "@search/_usage.txt",
)  # fmt: skip


@pytest.fixture(scope="module")
def mounted(
    kgfs: Program, pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Path]]:
    base = tmp_path_factory.mktemp("questions")
    store = copy_store(pristine_sample_store, base / "store")
    with mounting(kgfs, base) as mount:
        yield searchable(mount(store)), store


def test_in_every_directory(mounted: tuple[Path, Path]) -> None:
    """Size equals bytes for questions of every kind in every place; links of answers resolve inside the mount.

    Each place is asked a third of the questions, each question in a third of the places, the root all of them.
    """
    root, _ = mounted
    for number, directory in enumerate(DIRECTORIES):
        for question in QUESTIONS if number == 0 else QUESTIONS[number % 3 :: 3]:
            path = root / directory / question
            data = path.read_bytes()
            assert path.stat().st_size == len(data), path
        for question in ("@search/semantic/limit=5/acquired/top", "@find/name=*e*")[number % 2 :][:1]:
            for entry in os.scandir(root / directory / question):
                target = os.path.realpath(entry.path)
                assert entry.is_symlink() and target.startswith(f"{root}/") and os.path.exists(target), entry.path


def test_exact_lines_are_those_of_grep(mounted: tuple[Path, Path]) -> None:
    """Beside the real grep, run on the mount itself."""
    root, _ = mounted
    patterns = (("", "Google"), ("i", "wages?"), ("w", "[0-9]{4}"), ("l", "DeepMind"), ("F", "Inc."))
    for number, directory in enumerate(DIRECTORIES):
        if directory == "":
            continue  # there @ areas would have to be left out by hand
        for flags, pattern in patterns[number % 2 :: 2]:
            real = subprocess.run(
                ["grep", "-rn", "--binary-files=without-match", *(["-F"] if "F" in flags else ["-E"]),
                 *(f"-{flag}" for flag in flags if flag != "F"), "-e", pattern],
                cwd=root / directory, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False,
            )  # fmt: skip
            place = f"-r{flags}/{pattern}"
            ours = (root / directory / "@grep" / place).read_bytes()
            assert sorted(ours.splitlines()) == sorted(real.stdout.splitlines()), (directory, flags, pattern)


def test_recursive_tools_fall_into_nothing(mounted: tuple[Path, Path]) -> None:
    root, _ = mounted
    (root / "@search/text/something unusual").read_bytes()
    for area, names in (
        ("@search", {"_usage.txt", "text", "semantic", "keyword", "entities", "facts", "chunks", "topics"}),
        ("@brief", {"_usage.txt"}), ("@grep", {"_usage.txt"}), ("@find", {"_usage.txt"}), ("@path", {"_usage.txt"}),
        ("@sql", {"_usage.txt", "_schema.sql", "csv"}),
    ):  # fmt: skip
        assert set(os.listdir(root / area)) == names
        found = subprocess.run(["find", root / area], capture_output=True, text=True, check=True).stdout.splitlines()
        assert len(found) == len(names) + 1
    listed = subprocess.run(["ls", "-R", root / "entities/people"], capture_output=True, text=True, check=True).stdout
    assert "@" not in listed.replace(str(root), "")


@pytest.mark.parametrize(
    ("path", "number", "reason"),
    [
        ("@grep/[", errno.EINVAL, "grep"), ("@sql/selec 1", errno.EINVAL, "selec"),
        ("@sql/delete from facts", errno.EACCES, "SELECT"), ("@sql/select * from pages", errno.EINVAL, "pages"),
        ("@brief/limit=x/wages", errno.EINVAL, "limit"),
        ("@find/facts>many", errno.EINVAL, "many"), ("@search/text/limit=0/x", errno.EINVAL, "limit"),
        ("entities/@find/mentions=Nobody at All", errno.EINVAL, "Nobody"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered(mounted: tuple[Path, Path], path: str, number: int, reason: str) -> None:
    root, _ = mounted
    with pytest.raises(OSError) as caught:
        os.listdir(root / path) if "@find" in path else (root / path).read_bytes()
    assert caught.value.errno == number
    assert reason in (root / "@status/last_error.txt").read_text()
    last = json.loads((root / "@status/errors.jsonl").read_text().splitlines()[-1])
    assert reason in last["message"]


@pytest.mark.parametrize(
    "path", ["@find/colour=red", "@path/Nobody at All", "@search/nonsense", "@near", "@nothing", "facts/@sql",
             "entities/organizations/Alphabet_Inc/@near/9", "@status/@search"],
)  # fmt: skip
def test_what_is_not_there(mounted: tuple[Path, Path], path: str) -> None:
    root, _ = mounted
    with pytest.raises(FileNotFoundError):
        (root / path).stat()


def test_a_brief(mounted: tuple[Path, Path]) -> None:
    """One file that answers: the passage whole, the entity and its fact, paths that can be opened, nothing twice."""
    root, _ = mounted
    text = (root / "@brief/Which company acquired DeepMind?").read_text()
    assert len(text) <= 6000 and text.startswith("# Which company acquired DeepMind?\n")
    assert "## DeepMind (Organization)\nentities/organizations/DeepMind\n" in text
    paths = re.findall(r"^(chunks/\S+/content\.txt) [(]lines? [\d-]+ of text[.]txt[)]$", text, re.M)
    more = re.findall(r"^- .+ \[(chunks/\S+/content\.txt)\]$", text.partition("## More passages\n")[2], re.M)
    assert len(paths) >= 2 and more and len({*paths, *more}) == len(paths) + len(more)
    assert all((root / path).is_file() for path in more)
    last = (root / paths[0]).read_text().rstrip().splitlines()[-1]
    assert re.sub(r"\[\[[^]|]+\|([^]]+)\]\]", r"[[\1]]", last) in text  # links by what they are shown as
    for path, line in re.findall(r"^- .+ \[(chunks/\S+[.]txt):(\d+)\]$", text, re.M):
        assert len((root / path).read_text().splitlines()) >= int(line)
    lines = [line for line in text.splitlines() if len(line) > 60]
    assert len(lines) == len(set(lines))
    about = (root / "entities/by_name/Boston/@brief/wages").read_text()
    assert about.startswith("# wages\n\n## Boston (")
    one = (root / "documents/deepmind/@brief/who founded it").read_text()
    assert set(re.findall(r"^chunks/by_document/([^/]+)/", one, re.M)) == {"deepmind"}
    for name in (".git", "limit=900/.ignore"):
        assert not (root / "@brief" / name).exists()


def test_fresh_after_a_commit(mounted: tuple[Path, Path], kgfs: Program, tmp_path: Path) -> None:
    """What was asked before is asked again, in every kind of question, as soon as ``add`` has returned."""
    root, store = mounted
    places = (
        "documents/@search/keyword/zyzzyva/results.jsonl", "@grep/-l/zyzzyva",
        "@sql/select count(*) as n from documents", "chunks/@find/date=1931-05/_paths.txt", "@stat",
    )  # fmt: skip
    before = {place: (root / place).read_bytes() for place in places}
    assert before[places[0]] == before[places[1]] == before[places[3]] == b""
    assert not os.listdir(root / "chunks/@find/date=1931-05")
    (tmp_path / "weevil.md").write_text("---\ndate: 1931-05-02\n---\n# Weevil\n\nA zyzzyva is a weevil.\n")
    kgfs("--store", store, "add", tmp_path / "weevil.md")
    after = {place: (root / place).read_bytes() for place in places}
    assert all(after[place] != before[place] for place in places)
    assert b"documents/weevil" not in before[places[1]] and b"weevil" in after[places[1]]
    assert os.listdir(root / "chunks/@find/date=1931-05") == ["weevil_chunk_0001"]
    for place in places:
        assert (root / place).stat().st_size == len(after[place])


def test_long_and_odd_questions(mounted: tuple[Path, Path]) -> None:
    root, _ = mounted
    for text in ("x" * 900, "naïve Überraschung 東京", "a'b\"c$(id)`id`", "-n", "%2Fetc%2Fpasswd", "new\nline", " "):
        for area in ("@grep/-F", "@search/text", "@brief"):
            path = root / area / text
            try:
                data = path.read_bytes()
            except OSError as error:
                assert area != "@grep/-F" and error.errno == errno.EINVAL and not text.strip()
                continue
            assert path.stat().st_size == len(data)
