"""``kgfs shell``: bash on the mount, with functions that know the graph.

This process becomes bash; nothing of Python stays. No store is opened: the functions read query paths of the mount.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import NoReturn

import click

from kgfs import mounts
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, short, working_directory
from kgfs.errors import KgfsError, NotADirectory, NotFoundError
from kgfs.shell import startup


@declare("shell", "Start bash on the mount, with tools that know the graph.")
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("-c", "commands", metavar="COMMANDS", help="Run COMMANDS and exit with their status.")
def command(invocation: Invocation, directory: str | None, commands: str | None) -> None:
    """Start bash in DIR on the mount: ls, cd, cat, grep, find, wc, head, tail and pwd know the graph there.

    DIR is a directory on a mount or a path from its root; the default is the mount of the store. Other paths, and flags
    that these functions do not know, are passed to the real tools; `command grep …` always runs the real one.
    """
    place = _place(invocation, directory)
    try:
        os.chdir(place)
    except NotADirectoryError as error:
        raise NotADirectory(f"{short(place)} is a file; name a directory on the mount.") from error
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no {short(place)}; name a directory on the mount.") from error
    except OSError as error:
        raise KgfsError(f"{short(place)} cannot be entered ({error.strerror}); run `kgfs status --check`.") from error
    os.environ["PWD"] = os.getcwd()
    if invocation.store:
        os.environ["KGFS_STORE"] = os.path.abspath(Path(invocation.store).expanduser())
    if shutil.which("kgfs") is None:
        os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])
    _become_bash(commands)


def _place(invocation: Invocation, directory: str | None) -> Path:
    here = working_directory()
    if directory is None:
        if not invocation.store and not os.environ.get("KGFS_STORE") and here is not None and mounts.mount_of(here):
            return here
        return _mountpoint(invocation)
    given = Path(directory).expanduser()
    if (given.is_absolute() or here is not None) and mounts.mount_of(given) is not None:
        return given
    root = _mountpoint(invocation)
    parts = [part for part in given.parts if part != "/"]
    inside = root.joinpath(*parts[1:] if given.is_absolute() and parts[:1] == ["kg"] else parts)
    if ".." in parts or not inside.exists():
        raise NotFoundError(f"{directory} is not on a mount of kgfs; name a place on {short(root)}.")
    return inside


def _mountpoint(invocation: Invocation) -> Path:
    store = chosen_store(invocation)
    mounted = mounts.mounts_of(store)
    if not mounted:
        raise NotFoundError(f"The store {short(store)} is not mounted; run `kgfs mount ~/kg`, then `kgfs shell`.")
    return mounted[-1].mountpoint


def _become_bash(commands: str | None) -> NoReturn:
    bash = shutil.which("bash")
    if bash is None:
        raise NotFoundError("There is no bash here; install it, or go to the mount with your own shell.")
    # The text lies in memory: an interactive bash takes it for its start file, another one by BASH_ENV.
    text = os.memfd_create("kgfs-shell", 0)
    with os.fdopen(os.dup(text), "wb") as file:
        file.write(f"{startup()}\nexec {text}<&-\n".encode())
    name = f"/proc/self/fd/{text}"
    interactive = commands is None and sys.stdin.isatty() and sys.stderr.isatty()
    arguments = ["bash"]
    if interactive:
        arguments += ["--rcfile", name]
    else:
        if "BASH_ENV" in os.environ:
            os.environ["KGFS_SHELL_BASH_ENV"] = os.environ["BASH_ENV"]
        os.environ["BASH_ENV"] = name
    if commands is not None:
        arguments += ["-c", commands]
    # In POSIX mode bash would read neither.
    os.environ.pop("POSIXLY_CORRECT", None)
    # Python ignores these, and a program started from it would go on doing so: then `… | head` would complain.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    sys.stdout.flush()
    os.execv(bash, arguments)
