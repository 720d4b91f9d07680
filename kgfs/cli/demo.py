"""``kgfs demo``: the main job from end to end on the sample that comes with kgfs, in a temporary directory."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

import click

from kgfs import mounts
from kgfs.cli.declaration import Invocation, declare
from kgfs.errors import KgfsError

SHOWN_LINES = 12

# Each step: what it shows, and the command as a person types it at the root of the mount.
WALK = (
    ("What is here", "ls"),
    ("A guide for newcomers and agents", "head -n 6 AGENTS.md"),
    ("The entities with the most facts", "head -n 6 entities/_index.tsv | cut -f 1,3,5"),
    ("Ask in plain words", "cat '@search/text/which AI labs did Google buy' | head -n 5"),
    ("One entity", "cat entities/by_name/Alphabet_Inc/summary.txt"),
    ("What it acquired, as links", "ls entities/organizations/Alphabet_Inc/relationships/ACQUIRED"),
    ("One hop further", "cat entities/organizations/Alphabet_Inc/relationships/ACQUIRED/DeepMind/summary.txt"),
    ("The facts, each with its quote", "head -n 2 entities/by_name/DeepMind/mentioned_in/all.jsonl"),
    ("Passages of October 2019", "find chunks -newermt 2019-10-01 ! -newermt 2019-11-01 -name content.txt"),
    ("Exact search, as grep", "cat '@search/text/wages in Boston' | head -n 3"),
    ("How complete the index is", "cat @status/status.json | head -n 20"),
)  # fmt: skip


@declare("demo")
@click.option("--keep", is_flag=True, help="Leave the store and say where it is.")
def command(invocation: Invocation, keep: bool) -> int:
    """Add the sample, mount it, walk through it with commands and their output shown, unmount."""
    mounts.check_fuse()
    scratch = Path(tempfile.mkdtemp(prefix="kgfs-demo-"))
    mountpoint = scratch / "kg"
    demo = _Demo(invocation, scratch, mountpoint)
    try:
        with as_file(files("kgfs") / "samples") as samples:
            demo.run(scratch, f"kgfs add {shlex.quote(str(samples))}", "Documents in")
        demo.run(scratch, "kgfs mount kg", "A file system out")
        for title, line in WALK:
            demo.run(mountpoint, line, title)
        demo.run(scratch, "kgfs umount kg", "Done")
    finally:
        if mounts.mount_at(mountpoint) is not None:
            mounts.unmount(mountpoint, lazy=True)
        if not keep:
            shutil.rmtree(scratch, ignore_errors=True)
    if keep:
        invocation.say(f"\nThe store is {scratch / '.kgfs'}: kgfs --store {scratch / '.kgfs'} mount ~/kg")
    return 0


class _Demo:
    def __init__(self, invocation: Invocation, scratch: Path, mountpoint: Path) -> None:
        self._invocation = invocation
        self._environment = {
            **os.environ,
            "KGFS_STORE": str(scratch / ".kgfs"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            "LC_ALL": "C.UTF-8",
        }

    def run(self, where: Path, line: str, title: str) -> None:
        """Show a command and its output; ``KgfsError`` when it fails: then the demo has failed."""
        print(self._invocation.style(f"\n# {title}", dim=True))
        print(self._invocation.style(f"$ {line}", bold=True), flush=True)
        # As an interactive shell has it: a reader that stops early (head) is no failure of the writer.
        done = subprocess.run(
            ["bash", "-c", line], cwd=where, env=self._environment, text=True, errors="replace", check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        lines = done.stdout.splitlines()
        for shown in lines[:SHOWN_LINES]:
            print(self._invocation.printable(shown[:240]))
        if len(lines) > SHOWN_LINES:
            print(f"… {len(lines) - SHOWN_LINES} more lines")
        sys.stdout.flush()
        if done.returncode or not lines:
            raise KgfsError(f"The demo's command `{line}` ended with {done.returncode}; run `kgfs doctor`.")
