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

SHOWN_LINES = 10
SHOWN_COLUMNS = 150
TRIES = 4
"""A query takes at most 10 seconds; on a slow machine the first one may find its worker still starting."""

# Each step: what it shows, and the command as a person types it at the root of the mount.
WALK = (
    ("What is here", "ls"),
    ("The entities with the most facts", "head -n 6 entities/_index.tsv | cut -f 1,3,5"),
    ("One entity", "cat entities/by_name/Alphabet_Inc/summary.txt"),
    ("Whom it acquired: links to the companies", "ls entities/by_name/Alphabet_Inc/relationships/ACQUIRED/"),
    ("One hop further", "head -n 4 entities/by_name/Alphabet_Inc/relationships/ACQUIRED/DeepMind/summary.txt"),
    ("Who says so: the fact that states it", "grep -m 1 '500 million' entities/by_name/DeepMind/mentioned_in/all.jsonl"),  # noqa: E501
    (
        "… and the quote in its passage",
        "cd $(grep -m 1 '500 million' entities/by_name/DeepMind/mentioned_in/all.jsonl | grep -o 'chunks/by_doc[^\"]*')"
        " && pwd && grep -n 'acquired .*DeepMind' content.txt",
    ),
    ("Passages of October 2019", "find chunks -newermt 2019-10-01 ! -newermt 2019-11-01 -name content.txt"),
    ("Ask in plain words", "cat '@search/text/which AI labs did Google buy' | head -n 4"),
    ("Only about one entity", "cat 'entities/by_name/Alphabet_Inc/@search/text/maps and navigation' | head -n 3"),
    ("Exact words, from the store", "cat '@grep/-l/wage inflation'"),
    ("By properties", "ls '@find/type=Organization/min_facts=10'"),
    ("How two entities are connected", "head -n 3 '@path/Geoffrey Hinton/Alphabet Inc/path.txt'"),
    ("In SQL", "cat '@sql/csv/select type, count(*) as facts from facts group by 1 order by 2 desc limit 4'"),
    ("Is the index complete?", "grep -E 'complete|generation' @status/status.json"),
)  # fmt: skip


@declare("demo", "Walk through the sample: add, mount, look around, unmount.")
@click.option("--keep", is_flag=True, help="Keep the store and print its path.")
def command(invocation: Invocation, keep: bool) -> int:
    """Add the sample, mount it, walk through it with commands and their output shown, unmount."""
    mounts.check_fuse()
    scratch = Path(tempfile.mkdtemp(prefix="kgfs-demo-"))
    mountpoint = scratch / "kg"
    demo = _Demo(invocation, scratch, mountpoint)
    try:
        with as_file(files("kgfs") / "samples") as samples:
            demo.run(scratch, f"kgfs add {shlex.quote(str(samples))}", "Documents in", live=True)
        demo.run(scratch, "kgfs mount kg", "A file system out")
        for title, line in WALK:
            demo.run(mountpoint, line, title, tries=TRIES)
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

    def run(self, where: Path, line: str, title: str, *, tries: int = 1, live: bool = False) -> None:
        """Show a command and its output, with ``live`` while it runs; ``KgfsError`` when it fails ``tries`` times."""
        for left in range(tries - 1, -1, -1):
            if self._shown(where, line, title, live):
                return
            if left:
                print("(not yet: the worker is still starting; again)")
        raise KgfsError(f"The demo's command `{line}` failed; run `kgfs doctor`.")

    def _shown(self, where: Path, line: str, title: str, live: bool) -> bool:
        print(self._invocation.style(f"\n# {title}", dim=True))
        print(self._invocation.style(f"$ {line}", bold=True), flush=True)
        command = ["bash", "-o", "pipefail", "-c", line]
        if live:
            return subprocess.run(command, cwd=where, env=self._environment, check=False).returncode == 0
        done = subprocess.run(
            command, cwd=where, env=self._environment, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        lines = done.stdout.splitlines()
        for shown in lines[:SHOWN_LINES]:
            print(self._invocation.printable(_cut(shown)))
        if len(lines) > SHOWN_LINES:
            print(f"… {len(lines) - SHOWN_LINES} more lines")
        sys.stdout.flush()
        return done.returncode == 0 and bool(lines)


def _cut(line: str) -> str:
    return line if len(line) <= SHOWN_COLUMNS else line[: SHOWN_COLUMNS - 1] + "…"
