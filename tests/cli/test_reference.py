"""What is written about the commands is what they are: docs/cli.md, help, completion, and what a start imports."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import click
import msgspec
import pytest

from kgfs.cli import manual
from kgfs.cli.main import COMMANDS, PROGRAM
from kgfs.cli.reference import descriptions, reference
from kgfs.config import Config
from tests.conftest import ROOT, Program

HEAVY = (
    "duckdb",
    "_duckdb",
    "lancedb",
    "torch",
    "numpy",
    "pyarrow",
    "rich",
    "pyfuse3",
    "trio",
    "sentence_transformers",
)


def test_the_reference_is_current() -> None:
    written = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert written == reference(), "run: python -m kgfs.cli.reference > docs/cli.md"


def test_the_manual_page_and_the_completions_are_current() -> None:
    for name, text in manual.files().items():
        assert (manual.SHARE / name).read_text("utf-8") == text, "run: python -m kgfs.cli.manual"


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_the_manual_page_is_one(tmp_path: Path) -> None:
    page = manual.SHARE / "man/man1/kgfs.1"
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", page], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    shown = " ".join(done.stdout.split())
    for name in COMMANDS:
        assert f" kgfs {name}" in shown
    for said in ("--on-login Mount now", "130 stopped with Ctrl-C", "EXAMPLES kgfs add ~/notes", "$KGFS_STORE"):
        assert said in shown.replace("‐ ", ""), said


def test_every_setting_is_described() -> None:
    said, page = descriptions(), reference()
    for field in msgspec.structs.fields(Config):
        assert said.get(field.name), f"{field.name} has no sentence beneath it"
        assert f"| `{field.name}` |" in page


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_described(name: str) -> None:
    context = click.Context(PROGRAM, info_name="kgfs")
    command = PROGRAM.get_command(context, name)
    assert command is not None and command.name == name and command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts}"
            assert parameter.help.endswith((".", ").")), f"{name} {parameter.opts}: {parameter.help}"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command(kgfs: Program, name: str) -> None:
    said = kgfs(name, "--help").stdout
    assert said.startswith(f"Usage: kgfs {name}")
    assert "--json" in said


def test_version_and_help(kgfs: Program) -> None:
    from kgfs import __version__

    assert kgfs("--version").stdout == f"kgfs {__version__}\n"
    said = kgfs("--help").stdout
    for name in COMMANDS:
        assert f"\n  {name} " in said
    assert "Usage" in kgfs(status=2).stdout


def imported(arguments: list[str], tmp_path: Path) -> set[str]:
    """The modules that a run of the program has imported at its end."""
    script = (
        "import atexit, json, sys\n"
        "from kgfs.cli import main\n"
        "status = main.run(json.loads(sys.argv[1]))\n"
        "json.dump(sorted(sys.modules), open(sys.argv[2], 'w'))\n"
        "sys.exit(status)\n"
    )
    answer = tmp_path / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(arguments), str(answer)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {name.split(".")[0] for name in json.loads(answer.read_text())}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["add", "--help"], ["completion", "bash"]])
def test_a_start_imports_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    assert not imported(arguments, tmp_path) & set(HEAVY)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(kgfs: Program, shell: str) -> None:
    assert "_KGFS_COMPLETE" in kgfs("completion", shell).stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("sea", {"search"}), ("u", {"umount"}), ("add --dr", {"--dry-run"}), ("search --kind f", {"facts"})],
)
def test_the_shell_is_offered(kgfs: Program, typed: str, offered: set[str]) -> None:
    words = f"kgfs {typed}"
    done = kgfs(env={"_KGFS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)})
    assert {line.split(",")[1] for line in done.stdout.splitlines()} == offered


def test_wrong_usage_is_one_sentence_and_status_2(kgfs: Program) -> None:
    for arguments in (
        ["nonsense"],
        ["add"],
        ["search", "--kind", "nonsense", "x"],
        ["ls", "--nonsense"],
        ["tree", "-L", "0"],
    ):
        done = kgfs(*arguments, status=2)
        assert done.stdout == ""
        assert done.stderr.startswith("kgfs: ") and done.stderr.count("\n") == 1, done.stderr
        error = json.loads(kgfs("--json", *arguments, status=2).stderr)["error"]
        assert (error["kind"], error["exit_status"]) == ("usage", 2)
