"""``kgfs shell``: functions of bash on real mounts, with names, settings and flags that try to break them."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kgfs import mounts
from tests.conftest import Program, copy_store, mounting
from tests.mount.conftest import planted  # noqa: F401  # a fixture

pytestmark = pytest.mark.mount

END = "\x1e"
EVIL = (
    "$(touch PWNED)", "`touch PWNED`", "a b", "new\nline", "-rf", "--help", "*", "[x]", "quo\"te's", ";touch PWNED",
    "back\\slash", "~", "#", "é", "x'$(touch PWNED)'", "a  b ", "%s%n", "&", "!", "a=b", "-", "...",
)  # fmt: skip
"""Names that a shell may split, expand, execute or take for flags."""


class Bash:
    """A bash with the functions, in a directory of its own."""

    def __init__(self, functions: Path, cwd: Path) -> None:
        self.functions = functions
        self.cwd = cwd

    def __call__(self, script: str, *, before: str = "", after: str = "") -> subprocess.CompletedProcess[str]:
        whole = f"{before}\n. {shlex.quote(str(self.functions))}\n{after}\n{script}"
        return subprocess.run(
            ["bash", "-c", whole], cwd=self.cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=100,
            check=False, encoding="utf-8", errors="surrogateescape", env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip

    def each(self, commands: list[str], *, before: str = "", after: str = "") -> list[tuple[int, str]]:
        """Status and output (with errors) of each command, in a subshell each."""
        script = "".join(
            f"if ({command}\n) 2>&1; then s=0; else s=$?; fi; printf '%s\\036' \"$s\"\n" for command in commands
        )
        said = self(script, before=before, after=after).stdout.split(END)
        assert len(said) == len(commands) + 1, said[-1]
        found = []
        for part in said[:-1]:
            match = re.fullmatch(r"(.*?)([0-9]+)", part, re.DOTALL)
            assert match is not None
            found.append((int(match[2]), match[1]))
        return found


@pytest.fixture(scope="module")
def functions(kgfs: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("functions") / "kgfs.bash"
    file.write_text(kgfs("shell-init", "bash").stdout, "utf-8")
    return file


@pytest.fixture(scope="module")
def kg(kgfs: Program, pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sample, mounted."""
    directory = tmp_path_factory.mktemp("shell")
    with mounting(kgfs, directory) as mount:
        yield mount(copy_store(pristine_sample_store, directory / "store"))


@pytest.fixture
def bash(functions: Path, kg: Path) -> Bash:
    return Bash(functions, kg)


# --- settings of the user -------------------------------------------------------------------------------------------

SETTINGS = (
    "set -euo pipefail; shopt -s nullglob dotglob globstar extglob",
    "set -o posix; set -o noclobber; IFS=/",
    "shopt -s failglob nocasematch nocaseglob; IFS=",
    "GLOBIGNORE='*'; set -f; IFS=$'\\n'; export CDPATH=/",
    "shopt -s expand_aliases nocasematch; alias ls='ls --color=auto' grep='grep --color=auto' cat='cat ' wc='wc '",
    "set -T; shopt -s extdebug; trap 'true' DEBUG RETURN ERR EXIT",
    "shopt -s lastpipe xpg_echo localvar_inherit; export POSIXLY_CORRECT= LS_COLORS=; set +H +B",
    "path=1 name=2 line=3 text=4 status=5 root=6 directory=7 operands=8 options=9 mode=x; export KGFS_NAME=zzz",
)
COMMANDS = (
    "ls entities", "ls -l entities/organizations", "ls -t chunks/by_date/2024",
    "ls -ld entities/organizations/Alphabet_Inc/",
    "cat entities/organizations/Alphabet_Inc/relationships/ACQUIRED/DeepMind", "cat -n topics/inflation",
    "cat nothing",
    "cat facts/by_type/DEVELOPED", "wc entities", "wc -l topics/_ontology.json", "wc -c AGENTS.md",
    "ls topics/inflatio",
    "cd entities/organizations/Alphabet_Inc/relationships/ACQUIRED/DeepMind && pwd", "cd topics && cd - && pwd -v",
    "cd entities/organisations", "grep -F 'Federal Reserve' topics", "grep -E 'wages?|price' topics",
    "grep -c Boston topics",
    "grep -l inflation topics", "printf 'a\\nb\\n' | grep b", "grep -n -w inflation topics/inflation",
    "find topics -name wages",
    "find entities/organizations -name '*Inc*' -has_facts_count '>10'", "find chunks -date 2019-10",
    "seq 1247 | head -2 -c",
    "find facts -subject Nonsuch", "ls entities | tail -n 2", "head -n 1 AGENT.md", "tail -n 1 README.md", "pwd",
    "cd / && ls -d /etc && grep root /etc/passwd",
)  # fmt: skip


@pytest.fixture(scope="module")
def plain(functions: Path, kg: Path) -> list[tuple[int, str]]:
    return Bash(functions, kg).each(list(COMMANDS))


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_no_setting_changes_an_answer(bash: Bash, plain: list[tuple[int, str]], setting: str, when: str) -> None:
    commands = [f"true; {command}" for command in COMMANDS]
    for command, wanted, found in zip(COMMANDS, plain, bash.each(commands, **{when: setting}), strict=True):
        assert found == wanted, command


def test_the_plain_answers_are_right(plain: list[tuple[int, str]], kg: Path) -> None:
    said = dict(zip(COMMANDS, plain, strict=True))
    assert "organizations/\n" in said["ls entities"][1]
    assert "Alphabet_Inc/  # " in said["ls -l entities/organizations"][1]
    assert said["ls -ld entities/organizations/Alphabet_Inc/"][1].count("# ") == 1
    assert said["cat nothing"][0] == 1 and said["ls topics/inflatio"][1].endswith("one of these?\n  topics/inflation\n")
    assert said["cd entities/organisations"] == (
        1,
        "bash: cd: entities/organisations: No such file or directory\n"
        "Did you mean one of these?\n  entities/organizations\n",
    )
    assert said["seq 1247 | head -2 -c"] == (0, "1\n2\nShowing 2 of 1,247\n")
    assert said["printf 'a\\nb\\n' | grep b"] == (0, "b\n")
    assert said["find chunks -date 2019-10"][1].splitlines()[0].endswith("chunk_0001/")
    assert said["wc -l topics/_ontology.json"][1].endswith(" topics\n")
    deepmind = said["cd entities/organizations/Alphabet_Inc/relationships/ACQUIRED/DeepMind && pwd"]
    assert deepmind == (0, f"{kg}/entities/organizations/DeepMind\n")


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def evil(planted: Callable[..., object], functions: Path) -> Bash:  # noqa: F811
    tree: dict[str, str | None] = {"entities": None, "plain.txt": "plain\n"}
    for name in EVIL:
        tree[name] = None
        tree[f"{name}/summary.txt"] = f"summary of {name}\n"
        tree[f"{name}/{name}"] = f"inner {name}\n"
        tree[f"{name}/{name} link"] = f"-> ../{name}"
    daemon = planted(tree)
    return Bash(functions, daemon.mountpoint)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_no_name_is_split_expanded_or_executed(evil: Bash, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = []
    for name in EVIL:
        at = shlex.quote(f"./{name}")
        whole = shlex.quote(f"{evil.cwd}/{name}")
        commands += [
            f"ls {at}", f"ls -la {whole}", f"ls -tr {at}", f"cat {at}", f"cat {whole}/summary.txt", f"wc {at}",
            f"cd -- {shlex.quote(name)} && pwd", f"cd {at} && ls && ls -lt", f"head -n 1 {at}/summary.txt",
            f"cat {at}/sumary.txt", f"ls {at}x", f"cd {at}x", f"find {at} -name summary.txt", f"find {at} -date 2019",
            f"grep -F -- {shlex.quote(name)} {at}", f"grep {shlex.quote(name)} plain.txt", f"grep 'two words' {at}",
            f"find . -topic {shlex.quote(name)}", f"pwd {at}", f"tail -n 1 {whole}/nothing",
        ]  # fmt: skip
    said = dict(zip(commands, evil.each(commands), strict=True))
    for name in EVIL:
        at = shlex.quote(f"./{name}")
        shown = os.path.normpath(evil.cwd / name)
        assert said[f"cat {at}"] == (0, f"summary of {name}\n")
        assert said[f"head -n 1 {at}/summary.txt"] == (0, f"summary of {name}".split("\n")[0] + "\n")
        assert said[f"cd {at} && ls && ls -lt"][0] == 0
        if name != "-":
            assert said[f"cd -- {shlex.quote(name)} && pwd"] == (0, f"{shown}\n")
        assert said[f"find {at} -name summary.txt"] == (0, f"./{name}/summary.txt\n")
        # Nothing is stored behind @grep there, so the real tool answers.
        status, lines = said[f"grep -F -- {shlex.quote(name)} {at}"]
        assert status == 0 and "summary.txt" in lines
        status, lines = said[f"cat {at}/sumary.txt"]
        assert status == 1 and f"  ./{name}/summary.txt".split("\n")[0] in lines
    assert not list(tmp_path.rglob("PWNED")) and "PWNED" not in os.listdir(evil.cwd)
    assert not (Path.cwd() / "PWNED").exists() and not Path("/PWNED").exists()


@pytest.mark.slow
def test_queries_with_any_text(bash: Bash, tmp_path: Path) -> None:
    """A pattern and a value are text: nothing in them runs, and exact ones are found as the real tool finds them."""
    commands = []
    for text in (*EVIL[::3], "a/b", ".", "..", "%2F", "%", "/", "@grep", "a|b", "(", "x{2}", "$", "^", '"'):
        quoted = shlex.quote(text)
        commands += [
            f"grep -F -e x {quoted}", f"grep -F -- {quoted} topics", f"command grep -rF -- {quoted} topics",
            f"find chunks -mentions_entity {quoted}", f"find chunks -date {quoted}", f"ls -- {quoted}",
        ]  # fmt: skip
    said = bash.each([f"cd {shlex.quote(str(bash.cwd))}; {command}" for command in commands])
    for number in range(0, len(commands), 6):
        assert said[number + 1][0] == said[number + 2][0], commands[number + 1]
        assert sorted(said[number + 1][1].splitlines()) == sorted(said[number + 2][1].splitlines()), commands[
            number + 1
        ]
        assert said[number + 3][0] == 1 and said[number + 4][0] == 1
    assert not list(tmp_path.rglob("PWNED")) and not (bash.cwd / "PWNED").exists()


# --- the real tools -------------------------------------------------------------------------------------------------


def test_outside_a_mount_they_are_the_real_tools(functions: Path, kg: Path, tmp_path: Path) -> None:
    for name in EVIL:
        if name not in ("-",):
            (tmp_path / name).mkdir()
            (tmp_path / name / "file").write_text("one\ntwo words\n")
    (tmp_path / "file").write_text("one\ntwo words\n")
    (tmp_path / "link").symlink_to("a b")
    commands = [
        "ls", "ls -la", "ls -lt --color=always", "ls 'a b'", "ls nothing", "ls -1F link", "cat file", "cat 'a b'",
        "cat nothing",
        "cat -n file -- 'a b/file'", "cat <file", "wc file", "wc 'a b'", "wc -l <file", "wc -l file 'a b/file'",
        "head -n 1 file",
        "head -1 -c <file", "head -2 -c file", "head -c 3 file", "tail -n 1 file", "tail nothing", "grep one file",
        "grep 'two words' .", "grep -r 'two words'", "grep -rl two .", "grep one <file", "cat file | grep -c o",
        "grep", "grep x",
        "grep -E 'o|t' file nothing", "find . -name file", "find -type f", "find . -date 2019", "find nothing",
        "find . -bad",
        "pwd", "pwd -P", "cd link && pwd", "cd -P link && pwd", "cd nothing", "cd link && cd .. && pwd",
        "cd 'a b' && cd - ",
        "grep -q one file && echo yes", "grep nope file; echo $?", "grep one nothing; echo $?", "ls -- -rf",
        "cat ./-rf/file",
    ]  # fmt: skip
    real = [re.sub(r"(^|&& |\| )(ls|cat|wc|head|tail|grep|find) ?", r"\1command \2 ", each) for each in commands]
    shell = Bash(functions, tmp_path)
    ours = shell.each(commands)
    theirs = Bash(Path("/dev/null"), tmp_path).each(real)
    for command, found, wanted in zip(commands, ours, theirs, strict=True):
        if command == "head -1 -c <file":  # an error of the real tool
            assert found == (0, "one\nShowing 1 of 2\n")
        else:
            assert (found[0], re.sub(r"^\S+: line \d+: ", "bash: ", found[1])) == (
                wanted[0],
                re.sub(r"^bash: line \d+: ", "bash: ", wanted[1]),
            ), command


@pytest.mark.slow
def test_a_search_by_name_is_the_real_find(bash: Bash, kgfs: Program, tmp_path: Path) -> None:
    """What ``kgfs find`` answers for the shell is what the real one says, byte for byte; the rest it is not asked."""
    asked = tmp_path / "asked"
    (tmp_path / "kgfs").write_text(f'#!/bin/sh\necho "$@" >> {asked}\nexec {shlex.join(kgfs.forked)} "$@"\n')
    (tmp_path / "kgfs").chmod(0o755)
    tests = [
        "-name '*Inc*'", "-name '*.txt' -type f", "-type d -name 'chunk*'", "-type l -name '*a*'", "-name 'nothing*'",
        "-name topics", "-name 't*'", "-name '*Inc*' -print", "-name '[ab]*'", "-name '.*'", "-iname '*inc*'",
        "-name '*' -maxdepth 1", "-name '*a' -o -name '*b'", "-name 'a*' -name '*c'", "! -name '*c*' -type d",
    ]  # fmt: skip
    places = [".", "./", "./entities/", f"{bash.cwd}/topics", "notes", "notes/", "entities topics"]
    commands = [f"find topics {test}" for test in tests] + [f"find {place} {tests[0]}" for place in places]
    before = f"PATH={tmp_path}:$PATH"
    found = bash.each(commands, before=before)
    real = bash.each([f"command {command}" for command in commands])
    assert found == real
    lines = asked.read_text().splitlines()
    assert len(lines) == 7 + 5 and all("-name" in line for line in lines)


@pytest.mark.slow
def test_the_workspace_is_left_to_the_real_tools(bash: Bash) -> None:
    (bash.cwd / "workspace/deep").mkdir()
    (bash.cwd / "workspace/deep/Some_Inc.py").write_text("wages = 1\n")
    (bash.cwd / "@kv/Other_Inc").write_text('"wages"')
    try:
        commands = [
            "find . -name '*Inc*'", f"find {bash.cwd} -name '*Inc*' -type f", "find workspace -name '*Inc*'",
            "find workspace/deep -name '*'", "grep -r wages workspace", "grep -rl wages workspace/deep",
            "cat workspace/deep/Some_Inc.py @kv/Other_Inc",
        ]  # fmt: skip
        found = bash.each(commands)
        real = bash.each([f"command {command}" for command in commands])
        assert [(status, sorted(said.splitlines())) for status, said in found] == [
            (status, sorted(said.splitlines())) for status, said in real
        ]
        assert "Some_Inc.py" in found[0][1]
    finally:
        (bash.cwd / "workspace/deep/Some_Inc.py").unlink()
        (bash.cwd / "workspace/deep").rmdir()
        (bash.cwd / "@kv/Other_Inc").unlink()


FLAGS = ("-F", "-E", "-n", "-Fi", "-Fw", "-El", "-iwn", "-r", "-c", "-m 1")
PATTERNS = ("inflation", "Wage Inflation", "wages?", "^[A-Z]", "in.*on", "x|y", "(", "a\\|b", "nothing at all", "$")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["topics/inflation", "chunks/by_document/boston"])
def test_flags_answer_as_the_real_grep(bash: Bash, place: str) -> None:
    commands = []
    for flags in FLAGS:
        for pattern in PATTERNS:
            words = f"{flags} -- {shlex.quote(pattern)} {place}"
            commands += [f"grep {words}", f"command grep -r {words}"]
    said = bash.each(commands)
    for number in range(0, len(commands), 2):
        ours, theirs = said[number], said[number + 1]
        assert ours[0] == theirs[0], (commands[number], ours, theirs)
        assert sorted(ours[1].splitlines()) == sorted(theirs[1].splitlines()), commands[number]


# --- the command ----------------------------------------------------------------------------------------------------


def test_a_recursive_listing_follows_no_link(bash: Bash, kg: Path) -> None:
    """From one entity links lead to all others, and back."""
    place = shlex.quote(str(next((kg / "entities/organizations").glob("[A-Z]*"))))
    (ours, real) = bash.each([f"ls -R {place} | head -c 1000000", f"command ls -Rp {place}"])
    assert ours == real and "facts/by_type" in ours[1]


def test_commands_and_statuses(kgfs: Program, kg: Path) -> None:
    assert kgfs("shell", kg, "-c", "pwd").stdout == f"{kg}\n"
    assert kgfs("shell", kg / "topics", "-c", "exit 7", status=7).stdout == ""
    assert kgfs("shell", "-c", "pwd", cwd=kg / "topics").stdout == f"{kg}/topics\n"
    if mounts.mount_of(Path("/kg")) is None:  # else it is a place on that mount
        assert kgfs("--store", kg.parent / "store", "shell", "/kg/topics", "-c", "pwd").stdout == f"{kg}/topics\n"
    assert kgfs("--store", kg.parent / "store", "shell", "topics", "-c", "pwd").stdout == f"{kg}/topics\n"
    assert kgfs("shell", kg, "-c", "false", status=1).stderr == ""
    done = kgfs(
        "shell", kg, "-c", "ls entities/organizations | head -n 1; cat entities/_index.tsv | head -n 1; yes | head -n 1"
    )
    assert done.stderr == "" and len(done.stdout.splitlines()) == 3
    said = kgfs("shell", kg, input="cd topics\npwd\nls inflation\n(exit 4)\n", status=4).stdout
    assert said.startswith(f"{kg}/topics\nchunks/\n")
    assert "is a file" in kgfs("shell", kg / "AGENTS.md", status=3).stderr
    assert "name a place on" in kgfs("--store", kg.parent / "store", "shell", "nonsense", status=3).stderr


def test_without_a_mount_it_says_what_to_do(kgfs: Program, tmp_path: Path) -> None:
    kgfs("--store", tmp_path / "s", "init")
    assert "kgfs mount" in kgfs("--store", tmp_path / "s", "shell", status=3).stderr


def test_what_bash_reads_at_its_start(kgfs: Program, kg: Path, tmp_path: Path) -> None:
    (tmp_path / "env").write_text("greeting=hello\n")
    script = "echo $greeting ${BASH_ENV##*/} ${KGFS_SHELL_BASH_ENV-none}\n"
    script += "command ls -l /proc/self/fd | command grep -c memfd"
    said = kgfs("shell", kg, "-c", script, status=1, env={"BASH_ENV": str(tmp_path / "env")}).stdout
    assert said == "hello env none\n0\n"
    assert kgfs("shell", kg, "-c", "bash -c 'type -t ls; echo ${BASH_ENV-none}'").stdout == "file\nnone\n"


def test_a_person_at_a_terminal(kgfs: Program, kg: Path, tmp_path: Path) -> None:
    """The user's ~/.bashrc, the place in the prompt, columns, and Ctrl-C that ends a command and not the shell."""
    (tmp_path / ".bashrc").write_text("alias ls='ls --color=auto'\nmine=yes\n")
    pid, terminal = pty.fork()
    if pid == 0:
        termios.tcsetwinsize(0, (24, 400))  # a long prompt is not cut
        os.environ.update(HOME=str(tmp_path), TERM="dumb", LC_ALL="C.UTF-8")
        os.execv(kgfs.command[0], [*kgfs.command, "shell", str(kg)])
    said = b""
    sign = "# " if os.geteuid() == 0 else "$ "

    def until(what: str) -> str:
        nonlocal said
        deadline = time.monotonic() + 60
        while what.encode() not in said:
            assert time.monotonic() < deadline, said
            if select.select([terminal], [], [], 1)[0]:
                said += os.read(terminal, 65536)
        before, _, said = said.partition(what.encode())
        return before.decode()

    try:
        until("/kg" + sign)
        os.write(terminal, b"echo =$mine=; cd topics/inflation\n")
        until("=yes=")
        until("topics/inflation" + sign)
        os.write(terminal, b"ls subtopics\n")
        assert re.search(r"price_inflation\S*/\s+\S*wage_inflation", until("topics/inflation" + sign))
        os.write(terminal, b"tail -n 1 -f definition.txt\n")
        until("Made from")
        time.sleep(0.2)
        os.write(terminal, b"\x03")
        until("topics/inflation" + sign)
        os.write(terminal, b"exit 3\n")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
        pid = 0
    finally:
        if pid:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(terminal)


def test_shell_init_is_what_the_files_say(kgfs: Program) -> None:
    from kgfs.shell import functions

    assert kgfs("shell-init", "bash").stdout == functions()
    subprocess.run(["bash", "-n"], input=functions(), text=True, check=True)
    assert "python" not in functions().lower()
