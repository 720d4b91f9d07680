"""``@grep`` against GNU grep over the same tree written to disk, for hundreds of patterns, places and flags."""

from __future__ import annotations

import errno
import os
import random
import re
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgfs.errors import Cancelled, DeadlineExceeded, NotADirectory, NotFoundError, QueryError, TooLarge
from kgfs.namespace.bodies import StaleSnapshotError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import grep, grep_process, matches, stored_text
from kgfs.namespace.queries.literals import needles
from kgfs.service.service import Service
from kgfs.store.catalog.database import Database
from kgfs.store.files.items import NewItem, put_item
from kgfs.store.tree.text_scan import any_case
from tests.graph_builder import build, remove_document
from tests.namespace.drivers import opened

ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
FILLER = b"a line of no interest, again and again" * 12 + b"\n"

ODD: dict[str, bytes] = {
    "/odd/empty": b"",
    "/odd/only a newline": b"\n",
    "/odd/blank lines": b"\n\nwages\n\n",
    "/odd/no final newline": b"first wages\nlast Boston",
    "/odd/crlf": b"wages\r\nBoston \r\n\r\nend$\r\n",
    "/odd/nul at once": b"wages\x00Boston\n",
    "/odd/nul later": b"wages first\n" + FILLER * 80 + b"wages \x00 second\nBoston\n",
    "/odd/nul much later": b"wages first\n" + FILLER * 500 + b"wages \x00 second\nBoston\n",
    "/odd/latin-1": "wages\ncafé Boston\ncafé wages\nwages again\n".encode("latin-1"),
    "/odd/latin-1 after much": b"wages\n" + FILLER * 300 + b"\xe9 wages\nBoston wages\n",
    "/odd/broken character": b"wages \xf0\x9f\x98\nBoston\n",
    "/odd/surrogate": b"wages \xed\xa0\x80 Boston\n",
    "/odd/no newline \xff": b"x",
    "/odd/unicode": (
        "Ünïcödé wägés STRASSE straße ΣΑΣ σας ſtreet K Kelvin İstanbul ısı DŽ ǆ ǅ ﬁ µ μ\n"
        "e\u0301tude étude ETUDE ÉTUDE\n日本語 テスト\n\U0001f600 emoji\n\ufeffbom\n\u2028separator\u2028\n"
    ).encode(),
    "/odd/escapes": b"a.b*c [x] (y) {z} ^ $ | \\ + ? end\\\n\\n \\t \\w\n-e dash\n--\n-rf /\n%2F %25 100%\n",
    "/odd/repeats": b"aaa abab abcabc xyzzy noon level\nab{2} ab{,3} a{1\naaaaaaaaaaaaaaaaaaaaaaaa\n",
    "/odd/words": b"wage wages wage_s wage-s prewage _wage wage1 WAGE\nthe the  the\n",
    "/odd/tabs\tand : colons": b"wages: 12: 3\tBoston\n",
    "/odd/new\nline": b"wages\nBoston\n",
    "/odd/-dash": b"wages\n",
    "/odd/*star?[x]": b"wages\n",
    "/odd/sub.d/@grep": b"wages in a file with the name of an area\n",
    "/odd/@dir/file": b"wages in a directory like an area\n",
    "/odd/.hidden": b"wages hidden\n",
    "/odd/one line": b"wages " + b"0123456789abcdef " * 400 + b"Boston",
    "/odd/large": b"".join(b"line %d, wages %d\n" % (i, i * 7 % 1000) + FILLER for i in range(2_500)),
    "/odd/large latin-1": b"wages \xe9\n" + FILLER * 2_500 + b"Boston at the end\n",
    "/odd/large with a nul": FILLER * 2_500 + b"Boston\x00\n" + FILLER * 300,
    "/odd/large program": b"\x7fELF\x00" + bytes(range(256)) * 6_000,
    "/odd/self": b"wages in what is a file and a directory\n",
    "/odd/self/below": b"Boston below\n",
}


class Tree(NamedTuple):
    """The tree in the store, and its regular files and links on disk."""

    namespace: Namespace
    copy: Path


def write_out(namespace: Namespace, target: Path) -> None:
    """Every directory, file and link of the tree but the areas."""
    waiting = [(namespace.root, target)]
    while waiting:
        node, path = waiting.pop()
        path.mkdir()
        if namespace.pending(node):
            namespace.prepare(node)
        for entry in namespace.entries(node):
            if node == namespace.root and entry.name.startswith("@"):
                continue
            below = path / entry.name
            kind = namespace.row(entry.node).kind
            if kind == "d":
                waiting.append((entry.node, below))
            elif kind == "l":
                below.symlink_to(namespace.target(entry.node))
            else:
                body = namespace.peek(entry.node) or namespace.load(entry.node)
                below.write_bytes(body.read(0, body.size))


def add_odd(database: Database) -> None:
    for path, body in ODD.items():
        item = NewItem(drive="disk", path=path, body=body)
        database.write(partial(put_item, item=item))
    # A text that was taken out of something and holds a NUL; another in Unicode.
    database.write(
        lambda cursor: cursor.execute(
            "UPDATE documents SET text = 'wages' || chr(0) || 'Boston', text_size = 12 "
            "WHERE id = (SELECT min(id) FROM documents WHERE NOT text_is_content)"
        )
    )
    publish(database)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    place = tmp_path_factory.mktemp("grep")
    with build(place / "store", entities=18, documents=14, chunks_a_document=2, topics=5) as database:
        add_odd(database)
        namespace = opened(database)
        write_out(namespace, place / "copy")
        yield Tree(namespace, place / "copy")


def gnu(directory: Path, pattern: str, flags: str, *files: str) -> tuple[int, bytes, bytes]:
    """Exit status, output and errors of GNU grep."""
    options = ["-F" if "F" in flags else "-E", *(f"-{flag}" for flag in flags if flag in "iwlH")]
    done = subprocess.run(
        ["grep", "-rn", "--binary-files=without-match", *options, "-e", os.fsencode(pattern), *files],
        cwd=directory, env=ENVIRONMENT, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def ours(tree: Tree, scope: str, pattern: str, flags: str, few_files: int = stored_text.FEW_FILES) -> bytes:
    namespace = tree.namespace
    node = namespace.resolve(scope)
    if few_files == stored_text.FEW_FILES:
        return grep.matching_lines(namespace, namespace.store, namespace.view, node, pattern, f"r{flags}")
    found = grep.search(namespace, namespace.store, namespace.view, node, pattern, f"r{flags}", few_files=few_files)
    lines = (line.path if found.names else b"%b:%d:%b" % line for line in found.lines())
    return b"".join(line + b"\n" for line in lines)


def compare(tree: Tree, scope: str, pattern: str, flags: str, few_files: int = stored_text.FEW_FILES) -> int:
    """Both say the same; how many lines they say."""
    status, wanted, errors = gnu(tree.copy / scope, pattern, flags)
    if status > 1:
        with pytest.raises(QueryError) as refused:
            ours(tree, scope, pattern, flags, few_files)
        assert refused.value.errno == errno.EINVAL
        reason = errors.decode("utf-8", "replace").strip().splitlines()[-1].removeprefix("grep: ")
        assert reason in refused.value.message
        return 0
    found = ours(tree, scope, pattern, flags, few_files)
    if sorted(found.split(b"\n")) != sorted(wanted.split(b"\n")):
        left, right = set(found.split(b"\n")), set(wanted.split(b"\n"))
        raise AssertionError(
            f"{scope!r} {pattern!r} {flags!r}: ours alone {sorted(left - right)[:3]}, "
            f"grep's alone {sorted(right - left)[:3]}; {len(found)} and {len(wanted)} bytes"
        )
    return found.count(b"\n")


SCOPES = (
    "", "entities", "entities/organizations", "entities/people", "entities/organizations/Organization_number_6",
    "entities/organizations/Organization_number_6/facts", "entities/locations", "topics", "topics/topic_1",
    "chunks", "chunks/by_document", "chunks/by_document/note_1", "chunks/by_document/note_1/chunk_0001",
    "documents", "documents/note_7", "facts", "facts/by_type", "facts/by_type/ACQUIRED", "facts/by_date",
    "context", "context/disk", "context/disk/odd", "context/disk/odd/sub.d", "sources", "entities/by_name",
)  # fmt: skip

LISTED = [
    # plain words, rare and frequent
    "wages", "Boston", "no such words anywhere", "number 6", "Statement 1", "zebra", "é", "Note", "e", "", " ", "  ",
    "Organization_number_6", "2015", "0.7", "founded", "f_", "{", "}", '"type"', "note_1_chunk_0001", "#", "%", "~",
    "known for its part", "Person number", '"object": null', "Topic 3", "note_12", "chunk_0002", "zzz", "Wages",
    r"\tBoston", ".md",
    # anchors
    "^", "$", "^$", "^wages", "wages$", "^wages$", "^# Part", r"\.$", "}$", "^{", r"^\{", "x^", "$x", "a$b",
    "^^wages", "wages$$", "^ *$", "^  ", "(^wages)", "(wages$)", "^(wages|Boston)$", "^|wages", "wages|$", "^*",
    "^+w", "^.", ".$",
    # classes
    "[aeiou]{3}", "[[:upper:]]{4}", "[[:digit:]]+ percent", "[^a-z ]{6}", "[]]", "[^]]$", "[[]", "[a-]", "[-a]",
    "[.]", "[*]", "[[:alpha:]_]+_number", "[[:space:]]$", "[[:punct:]]{3}", "[[:xdigit:]]{16}", "[0-9]{4}-[0-9]{2}",
    "[é]", "[à-ü]", r"[[:alnum:]]\.$", "[[.hyphen.]]", "[[.-.]]", "[[=e=]]tude", "[[:blank:]]Boston", r"[\]",
    r"[\n]x", "[wW]ages", "[a]]", "[^[:print:]]", "[[:cntrl:]]", r"[^\w]", "[[:lower:][:digit:]_]{30}", "[é-]",
    "[^é]é", "[a-z0-9]{16}", "[]-a]", "[^]a]{4}",
    # alternation
    "wages|Boston", "zebra|lion", "wages|zebra", "(wages|Boston) ", "(a|b|c|d|e|f|g|h|i|j)number", "wages||Boston",
    "|wages", "wages|", "(|wages)Boston", "a|b|c", "(wages|prices) (rose|fell)", "ACQUIRED|FOUNDED|REPORTED",
    "x(wages|Boston|zebra)y",
    # repetition
    "wage*s", "wage+s", "wages?", "wa{0}ges", "wa{1}ges", "wa{1,}ges", "w{0,1}ages", "(wages)*", "(wages)+ ",
    "(ab){2}", "a{3}", "a{3,}", "a{,3}b", "a{2,3}", "a{24}", "a{25}", "ab{2}", r"ab\{2\}", "a{1", "a{x}", "a{1,2",
    "{1}", "a**", "a+*", "ab+?c", "ab+*c", "(ab)+?c", "a{1}{2}", "*wages", "+wages", "?wages", "(*wages)", "(+a)",
    "|*wages", ".*", ".+", ".{40}", ".*wages.*Boston", "w.g.s", "w..es", "wages.{3,9}Boston", "(a*)*", "(a*)+",
    "(a|ab)(c|bcd)*", "x*", "z*wages", "wagesz*", "wa(ge)?s", "wa(ge){1,2}s", "(wages ?){2}", "(.{3}){5}x",
    "[a-z]{12,}", r"\w{20}", "([a-z]+ ){6}", "a{0}", "(a{2}){2}", "x{0}wages", "(wages|Boston){1}",
    # word boundaries
    r"\bwage\b", r"\<wage", r"wage\>", r"\Bage", r"age\B", r"\bwages\b.*\bBoston\b", r"\w+ number", r"\W{3}",
    r"\s\S\s", r"\w\>$", r"^\<", r"\bé", r"\Bé\B", r"\b", r"\B", r"\<\>", r"\`wages", r"wages\'", r"\bwage_",
    r"number\b",
    # back-references
    r"(a)\1", r"([a-z])\1\1", r"(ab|c)\1", r"\b([a-z]+) \1\b", r"(.)(.)\2\1", r"^(.{1,3})\1$", r"(wages).*\1",
    r"(a)(b)?\2", r"([0-9])\1{2}",
    # escapes and what is special only somewhere
    r"a\.b", r"\*c", r"\[x\]", r"\(y\)", r"\{z\}", r"\^", r"\$", r"\|", "\\\\", r"\\n", r"\+", r"\?", r"end\\$",
    r"\/", r"\-", r"\%", r"\é", r"\d", r"\n", r"\t", r"a\{1", "a.b*c", "(y)", "-e", "-rf", "--", "-", "100%", "%2F",
    '"', "'", "`", "!", "&", "<", ">", "@", ":12:",
    # Unicode
    "Ünïcödé", "straße", "日本", "日.語", "^.{3} テスト$", "😀", "e\u0301", "étude", "\ufeff", "\u2028", "ς", "[α-ω]+",
    "ﬁ",
    "K", "é [0-9]", "[é–]", "–", ". – é", r"\w–", "STRASSE", "ß", "İ", "ı", "ſ", "[ſs]treet", "Kelvin", "µ",
    "日本語|テスト",
    # several patterns
    "wages\nBoston", "zebra\nno lion", "wages\n", "\nwages", "\n", "wages\n(", "wages\\\nBoston", "[a\nb]", "^a\nb$",
    "(a\nb)", "é\nwages",
    # not valid, or doubtful
    "(", ")", "()", "(()", "[", "[a", "[[:", "[[:alpha:", "[[:nosuch:]]", "[[.nosuch.]]", "[z-a]", "a{2,1}",
    "a{99999}", "\\", "a\\", r"(\1)", r"\1", r"(a)\2", "a|(", "wages)", "a)b", "[:alpha:]", "[[:alpha]", "(wages",
    "wages{", "wages{1", "x{1,2}{3", "[]", "[^]", "[]abc", "(?:wages)",
    # bytes that are no UTF-8
    "\udce9", "wages \udce9", "[\udce9]", "caf\udce9", "\udced\udca0\udc80", ".\udce9",
]  # fmt: skip
FLAGS = ("", "i", "F", "w", "l", "iw", "Fi", "Fw", "Fl", "il", "wl", "iF", "lF", "iFw", "Fiwl")


def test_there_are_many_patterns() -> None:
    assert len(set(LISTED)) >= 300  # (and those that are generated)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_the_whole_tree(tree: Tree, part: int) -> None:
    """Every third listed pattern, over everything."""
    lines = sum(compare(tree, "", pattern, "") for pattern in LISTED[part :: 8 * 3] if pattern not in HEAVY)
    assert lines


HEAVY = frozenset(
    {"", "^", "$", ".*", "x*", "a**", "(a*)*", "(a*)+", "|wages", "wages|", "^|wages", "wages|$", "(wages)*"}
)
"""They match every line: seconds of comparing, so in smaller places only."""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_places_and_flags(tree: Tree, part: int) -> None:
    """Every listed pattern in some place with some flags, looked up file by file and by a scan of all texts."""
    dice = random.Random(part)
    for pattern in LISTED[part::8]:
        scope = dice.choice(SCOPES[1:] if pattern in HEAVY else SCOPES)
        compare(tree, scope, pattern, dice.choice(FLAGS), dice.choice((0, stored_text.FEW_FILES)))


@pytest.mark.parametrize("scope", SCOPES)
def test_each_place(tree: Tree, scope: str) -> None:
    for pattern, flags in (("wages", ""), ("wages", "l"), ("NUMBER [0-9]", "i"), ("é", "F")):
        assert compare(tree, scope, pattern, flags) == compare(tree, scope, pattern, flags, 0)


@pytest.mark.parametrize("flags", FLAGS)
def test_each_set_of_flags(tree: Tree, flags: str) -> None:
    for pattern in ("wages", "Boston$", "k", "σ", "wages\nboston", "["):
        compare(tree, "context/disk/odd", pattern, flags)


_ATOMS = st.one_of(
    st.sampled_from([
        "wages", "Bos", "number", "a", "e", "s", "k", "i", " ", "1", "é", "K", ".", "[aeiou]", "[^a-z]",
        "[[:digit:]]", "[]x]", r"\w", r"\W", r"\s", r"\b", r"\<", r"\>", r"\B", "^", "$", r"\.", r"\\", r"\(", "{",
        "}", "-", "_", '"', ":", "\n", r"\1", "[", "]", "日",
    ]),
    st.characters(codec="utf-8", exclude_characters="\0"),
)  # fmt: skip
_QUANTIFIERS = st.sampled_from(["", "", "", "", "*", "+", "?", "{2}", "{0,1}", "{,2}", "{1,}", "+?", "{1", "**"])


def _expressions() -> st.SearchStrategy[str]:
    piece = st.builds(str.__add__, _ATOMS, _QUANTIFIERS)
    sequence = st.lists(piece, min_size=1, max_size=5).map("".join)

    def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        group = st.builds(lambda text, times: f"({text}){times}", inner, _QUANTIFIERS)
        return st.one_of(
            group, st.builds("{}|{}".format, inner, inner), st.lists(st.one_of(group, inner), max_size=3).map("".join)
        )

    return st.recursive(sequence, nested, max_leaves=4)


@settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_expressions(), st.sampled_from(FLAGS), st.sampled_from(SCOPES[1:]), st.sampled_from([0, stored_text.FEW_FILES]))
def test_generated_patterns(tree: Tree, pattern: str, flags: str, scope: str, few_files: int) -> None:
    compare(tree, scope, pattern, flags, few_files)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    _expressions(), st.booleans(), st.booleans(), st.lists(st.text("wagesBotnumber aeski1é.K\\({}-_:日ſıİ"), min_size=1)
)
def test_what_matches_holds_a_needle(pattern: str, fixed: bool, fold: bool, lines: list[str]) -> None:
    """No line that grep finds lacks all the literals that were said to be in each."""
    found = needles(pattern, fixed, fold)
    if not found.texts:
        return
    own = [*lines, pattern.replace("\n", " "), *found.texts, pattern.upper().replace("\n", " ")]
    options = ["-F" if fixed else "-E", *(["-i"] if fold else [])]
    printed = subprocess.run(
        ["grep", "-a", *options, "-e", pattern], input="\n".join(own).encode(), env=ENVIRONMENT,
        capture_output=True, check=False,
    ).stdout.decode()  # fmt: skip
    for line in printed.split("\n")[:-1]:
        assert any(_holds(line, text, fold) for text in found.texts), (line, found)


def _holds(line: str, text: str, fold: bool) -> bool:
    return bool(re.search(any_case(text), line)) if fold else text in line


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("wages", ("wages",)), ("wages in Boston", ("wages in Boston",)), ("(wages|prices) rose", (" rose",)),
        ("wages|prices", ("wages", "prices")), ("wages|p", ()), ("wage+s in", ("wage",)), ("wages?", ("wage",)),
        ("^wages$", ("wages",)), (r"a\.b", ("a.b",)), (r"\bwages\b", ("wages",)), ("[wW]ages", ("ages",)),
        ("[]wages]", ()), ("wages{2}", ("wage",)), ("wages{", ()), ("wages)", ()), ("(wages", ()), ("é", ("é",)),
        ("e", ()), ("", ()), ("wages\n", ()), ("wages\nBoston", ("wages", "Boston")),
        ("(wages|Boston)(x|y)", ("wages", "Boston")), (r"(foo)\1", ("foo",)), ("((wages))", ("wages",)),
        ("(wages)?x", ()), ("(wages)+", ("wages",)), ("[[:alpha:]]wages", ("wages",)), ("[[:alpha]wages", ()),
    ],
)  # fmt: skip
def test_literals(pattern: str, wanted: tuple[str, ...]) -> None:
    assert needles(pattern, False, False).texts == wanted


def test_every_case_of_an_ascii_letter_is_known() -> None:
    """Whatever grep -i takes for an ASCII letter, the narrowing does too."""
    characters = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code <= 0xDFFF and chr(code) != "\n"]
    text = "\n".join(characters).encode()
    for letter in "abcdefghijklmnopqrstuvwxyz":
        printed = subprocess.run(
            ["grep", "-a", "-i", "-x", letter], input=text, env=ENVIRONMENT, capture_output=True, check=True
        ).stdout.decode()
        for found in printed.split("\n")[:-1]:
            assert re.fullmatch(any_case(letter), found), (letter, found)


# --- what is linked -------------------------------------------------------------------------------------------------

LINKED = (
    "entities/organizations/Organization_number_6", "documents/note_1", "chunks/by_document/note_1/chunk_0001",
    "topics/topic_1", "entities/by_name", "sources", "chunks/by_date", "facts/by_date", "entities/people",
    "context/disk/odd/sub.d",
)  # fmt: skip


@pytest.mark.parametrize("few_files", [0, stored_text.FEW_FILES])
@pytest.mark.parametrize("scope", LINKED)
def test_what_links_lead_to(tree: Tree, scope: str, few_files: int) -> None:
    directory = tree.copy / scope
    links = [
        os.path.relpath(os.path.join(above, name), directory)
        for above, directories, files in os.walk(directory)
        for name in (*directories, *files)
        if os.path.islink(os.path.join(above, name))
    ]
    for pattern, flags in (("wages", ""), ("number [0-9]", "l"), ("STATEMENT", "i"), ("no such words", "")):
        wanted = gnu(directory, pattern, flags)[1]
        if links:
            wanted += gnu(directory, pattern, flags, "-H", "--", *links)[1]
        found = ours(tree, scope, pattern, flags + "1", few_files)
        assert sorted(found.split(b"\n")) == sorted(wanted.split(b"\n"))


def test_links_that_lead_to_too_much(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_text, "MOST_LINKED", 3)
    with pytest.raises(TooLarge):
        ours(tree, "entities", "wages", "1")


# --- one file, and what is no place ---------------------------------------------------------------------------------


def test_one_file(tree: Tree) -> None:
    assert ours(tree, "context/disk/odd/words", "the", "").startswith(b"words:2:the the")
    assert ours(tree, "entities/organizations/Organization_number_6/facts/all.jsonl", "f_", "")
    with pytest.raises(NotADirectory):
        node = tree.namespace.resolve("README.md", follow=False)
        grep.matching_lines(tree.namespace, tree.namespace.store, tree.namespace.view, node, "x", "r")


def test_an_area_is_searched_alone(tree: Tree) -> None:
    assert b"@status" not in ours(tree, "", "generation", "l")
    assert b"status.json" in ours(tree, "@status", "generation", "l")


def test_what_is_gone(tree: Tree) -> None:
    node = tree.namespace.resolve("entities/organizations/Organization_number_6") + (1 << 40)
    with pytest.raises(NotFoundError):
        grep.matching_lines(tree.namespace, tree.namespace.store, tree.namespace.view, node, "x", "r")


@pytest.mark.parametrize("flags", ["x", "c", "-i", "iF "])
def test_unknown_flags(tree: Tree, flags: str) -> None:
    with pytest.raises(QueryError):
        ours(tree, "", "wages", flags)


def test_patterns_that_grep_cannot_be_given(tree: Tree) -> None:
    for pattern in ("a\0b", "x" * 200_000):
        with pytest.raises(QueryError):
            ours(tree, "documents", pattern, "")


def test_the_answer_is_in_order(tree: Tree) -> None:
    found = ours(tree, "entities", "f_", "").splitlines()
    keys = [(line.split(b":")[0], int(line.split(b":")[1])) for line in found]
    assert keys == sorted(keys)


# --- limits ---------------------------------------------------------------------------------------------------------


def test_too_large(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(ours(tree, "context/disk/odd", "wages", ""))
    for module in (matches, grep):
        monkeypatch.setattr(module, "LIMIT_BYTES", size)
    assert len(ours(tree, "context/disk/odd", "wages", "")) == size
    for module in (matches, grep):
        monkeypatch.setattr(module, "LIMIT_BYTES", size - 1)
    with pytest.raises(TooLarge) as refused:
        ours(tree, "context/disk/odd", "wages", "")
    assert refused.value.errno == errno.EFBIG


def test_a_deadline(tree: Tree) -> None:
    namespace = tree.namespace
    with pytest.raises(DeadlineExceeded) as late:
        grep.search(namespace, namespace.store, namespace.view, namespace.root, "wages", "r", seconds=-1)
    assert late.value.errno == errno.ETIMEDOUT
    with pytest.raises(Cancelled):
        grep.search(namespace, namespace.store, namespace.view, namespace.root, "wages", "r", stopped=lambda: True)


def test_a_grep_that_does_not_end_is_ended(tree: Tree) -> None:
    """As a pattern with back-references can take for ever."""
    reach = stored_text.reach(tree.namespace, tree.namespace.view, tree.namespace.root)
    late = stored_text.deadline(0.3)
    found = matches.Matches(False, reach, tree.namespace.view)
    with (
        grep_process.Stream([b"sleep", b"1000"], found, late, lambda: False) as stream,
        pytest.raises(DeadlineExceeded),
    ):
        stream.run(lambda: stream.body([b"path"], [FILLER] * 100_000))


# --- while the store goes on ----------------------------------------------------------------------------------------


def test_what_was_overtaken(tmp_path: Path) -> None:
    """Rows that went or changed since the snapshot was loaded are noticed; those that came are left out."""
    with build(tmp_path / "store", entities=6, documents=4, chunks_a_document=2) as database:
        put = NewItem(drive="disk", path="/file", body=b"wages one\n")
        database.write(lambda cursor: put_item(cursor, put))
        publish(database)
        namespace = opened(database)
        before = {scope: _all(namespace, scope) for scope in ("", "context/disk", "chunks")}
        database.write(lambda cursor: put_item(cursor, NewItem(drive="disk", path="/new", body=b"wages\n")))
        assert {scope: _all(namespace, scope) for scope in before} == before
        database.write(lambda cursor: put_item(cursor, NewItem(drive="disk", path="/file", body=b"wages two\n")))
        with pytest.raises(StaleSnapshotError):
            _all(namespace, "context/disk")
        assert _all(namespace, "chunks") == before["chunks"]
        publish(database)
        namespace.adopt(namespace.load_snapshot())
        assert b"wages two" in _all(namespace, "context/disk")
        database.write(lambda cursor: remove_document(cursor, 1))
        for scope in ("chunks", ""):
            with pytest.raises(StaleSnapshotError):
                _all(namespace, scope)
        publish(database)
        with pytest.raises(StaleSnapshotError):
            _all(namespace, "facts")
        namespace.adopt(namespace.load_snapshot())
        assert _all(namespace, "chunks") != before["chunks"]


def test_what_was_written_since(tmp_path: Path) -> None:
    """Notes are found as they are now, whatever was written since the snapshot was loaded: while many write, no
    snapshot is ever new enough for all of them."""
    with Service.open(tmp_path / "store", create=True) as service:
        namespace, places = service.namespace, service.files_by_path
        for name in ("changed", "removed", "moved", "same"):
            places.put("agent", f"/{name}.md", b"wages before\n")
        namespace.adopt(namespace.load_snapshot())
        places.put("agent", "/changed.md", b"wages now\nwages again\n")
        places.put("agent", "/new.md", b"no\nwages new\n")
        places.put("agent", "/large.md", b"wages large\n" + FILLER * 5_000)
        places.remove("agent", "/removed.md")
        places.move("agent", "/moved.md", "agent", "/there.md")
        lines = (
            b"changed.md:1:wages now\n", b"changed.md:2:wages again\n", b"large.md:1:wages large\n",
            b"new.md:2:wages new\n", b"same.md:1:wages before\n", b"there.md:1:wages before\n",
        )  # fmt: skip
        assert _all(namespace, "context/agent") == b"".join(lines)
        assert _all(namespace, "context") == b"".join(b"agent/" + line for line in lines)


def _all(namespace: Namespace, scope: str) -> bytes:
    return grep.matching_lines(namespace, namespace.store, namespace.view, namespace.resolve(scope), "wages", "r")


def test_long_lines(tmp_path: Path) -> None:
    """Lines longer than any buffer; and a file with a late NUL is looked at as if it were the only one.

    (GNU grep reads a file in larger pieces where it has met a long line in another one, and so finds the NUL sooner.)
    """
    long = b"wages " + b"0123456789abcdef " * 70_000 + b"Boston"
    late = ODD["/odd/nul much later"]
    with build(tmp_path / "store", entities=2, documents=1, chunks_a_document=1) as database:
        for path, body in {"/a/long": long, "/a/longer": long * 3 + b"\n" + long, "/b/late": late}.items():
            item = NewItem(drive="disk", path=path, body=body)
            database.write(partial(put_item, item=item))
        publish(database)
        namespace = opened(database)
        write_out(namespace, tmp_path / "copy")
        tree = Tree(namespace, tmp_path / "copy")
        for pattern, flags in (("Boston$", ""), ("^w.*f B", ""), ("89abcdef 0", "l"), ("zebra", ""), ("WAGES", "iF")):
            compare(tree, "context/disk/a", pattern, flags)
            compare(tree, "context/disk/a", pattern, flags, 0)
        alone = gnu(tmp_path / "copy/context/disk/b", "wages|again", "")[1]
        found = ours(tree, "context/disk", "wages|again", "", 0)
        assert [line for line in found.splitlines() if line.startswith(b"b/late")] == [
            b"b/" + line for line in alone.splitlines()
        ]


def test_without_links(tree: Tree, tmp_path: Path) -> None:
    """With ``--no-links`` a document's text is a regular file."""
    namespace = opened(tree.namespace.store.database, links=False)
    write_out(namespace, tmp_path / "copy")
    plain = Tree(namespace, tmp_path / "copy")
    for scope in ("", "documents", "documents/note_1", "context/disk/odd"):
        for pattern, flags in (("wages", ""), ("Boston$", "l"), ("no such words", "")):
            compare(plain, scope, pattern, flags)
            compare(plain, scope, pattern, flags, 0)
