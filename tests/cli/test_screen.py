"""What a terminal's lines are made of: widths, columns, breaks, quotes, marks."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from kgfs.cli.queries.line_marks import LineMarks
from kgfs.cli.screen import broken, columns, pasted, width_of
from kgfs.search.snippets import found_at

TEXTS = st.text(st.sampled_from("abz .-日本語한글مرحبا\u0301\u200dé😀,\t") | st.characters(codec="utf-8"), max_size=80)


@given(TEXTS, st.integers(1, 40))
@example("日本語の文章は間がない and words between", 10)
@example("مرحبا بالعالم", 5)
def test_a_text_is_broken_between_words_and_nothing_of_it_is_lost(text: str, width: int) -> None:
    lines = [text[start:end] for start, end in broken(text, width)]
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(width_of(line) <= width or len(line) == 1 or width < 2 for line in lines)
    assert not any(line[:1].isspace() or line[-1:].isspace() for line in lines)


@given(st.lists(st.text("ab日é", min_size=1, max_size=30), max_size=60), st.integers(1, 200))
def test_columns_have_every_name_once_sorted_downwards(names: list[str], width: int) -> None:
    lines = list(columns([(name, cell_len(name)) for name in names], width))
    rows = [line.split("  ") for line in lines]
    split = [[name for name in row if name] for row in rows]
    downwards = [row[at].strip() for at in range(max(map(len, split), default=0)) for row in split if at < len(row)]
    assert downwards == names
    assert all(cell_len(line) <= width for line in lines) or len(lines) == len(names)
    # Where fewer lines were possible, they would have been taken.
    if names and sum(map(cell_len, names)) + 2 * (len(names) - 1) <= width:
        assert len(lines) == 1


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20))
@example("it's a \n'new'\tname \x1b[31m\x85 \u202e😀\\n")
def test_a_shell_reads_a_printed_name_as_the_name(name: str) -> None:
    printed = pasted(name)
    assert printed.isprintable()
    if len(name) < 4 or "'" in name:  # a shell takes 2 ms
        env = {"LC_ALL": "C.UTF-8"}
        read = subprocess.run(["bash", "-c", f"printf %s {printed}"], capture_output=True, env=env, check=True).stdout
        assert read == name.encode()


def test_names_that_are_no_text_are_printed_for_a_shell_too() -> None:
    name = "caf\udce9 1.md"
    read = subprocess.run(["bash", "-c", f"printf %s {pasted(name)}"], capture_output=True, check=True).stdout
    assert read == b"caf\xe9 1.md"
    assert pasted("Alphabet_Inc/summary.txt") == "Alphabet_Inc/summary.txt" and pasted("Ärzte") == "Ärzte"


@pytest.mark.parametrize(
    ("pattern", "options", "line", "marked"),
    [
        ("a+", {}, "baab a", ["aa", "a"]),
        ("[[:upper:]]x", {}, "Ax ax", ["Ax"]),
        (r"\<in\>", {}, "in inner", ["in"]),
        ("in|inner", {}, "inner", ["inner"]),  # POSIX: the longest
        ("a.c", {"fixed": True}, "abc a.c", ["a.c"]),
        ("DEEP", {"ignore_case": True}, "Deep deep", ["Deep", "deep"]),
        ("in", {"words": True}, "in inner in", ["in", "in"]),
        ("one\ntwo", {}, "two one", ["two", "one"]),
        ("谷歌", {}, "谷歌收购", ["谷歌"]),
        ("(", {}, "(", []),  # grep refuses it first
        ("x*", {}, "ab", []),
        (r"(a|a)*(a|a)*(a|a)*$", {}, "a" * 200 + "b", []),  # takes too long: no marks
        ("a", {"wanted": False}, "a", []),
    ],
)
def test_marks_are_where_grep_matches(pattern: str, options: dict[str, bool], line: str, marked: list[str]) -> None:
    marks = LineMarks(pattern, **{"fixed": False, "ignore_case": False, "words": False, **options})
    assert [line[start:end] for start, end in marks.of(line)] == marked


@given(TEXTS, TEXTS)
@example("谷歌收购了深度思维公司", "深度思维")
def test_words_of_a_query_are_found_in_order(text: str, query: str) -> None:
    spans = found_at(text, query)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))


def test_words_of_a_query_are_marked_whole() -> None:
    def words(text: str, query: str) -> list[str]:
        return [text[start:end] for start, end in found_at(text, query)]

    assert words("谷歌收购了深度思维公司", "深度思维") == ["深度思维"]
    assert words("The Labs that bought a lab", "Which lab?") == ["Labs", "lab"]


def test_a_command_imports_nothing_that_draws() -> None:
    """What a command costs where its output is no terminal."""
    code = "import sys, kgfs.cli.main as m\n" + "import importlib\n"
    code += "for n in ('ls','find','tree','grep','search','brief','status','sql'):\n"
    code += "    importlib.import_module('kgfs.cli.' + m.module_of(n))\n"
    code += "print([n for n in ('rich','regex','rapidfuzz','chafa','resvg_py','difflib') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
