"""``mount.fuse.kgfs``: what mount(8) and ``/etc/fstab`` call to mount a store: ``mount -t fuse.kgfs STORE DIR``.

A program of its own, on the main thread: mount(8) looks for it in ``/sbin`` by the type's name. It takes what mount(8)
passes to every helper (``mount.TYPE SPEC DIR [-sfnv] [-N NAMESPACE] [-o OPTIONS] [-t TYPE]``), and is in every other
way ``kgfs mount``.
"""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, NoReturn

import click

from kgfs import mounts, trust
from kgfs.cli.mounts.mount import refuse_while_added, start_daemon
from kgfs.config import require_store
from kgfs.errors import KgfsError, UsageError

FAILED, WRONG_USAGE = 32, 1
"""mount(8), "Exit status"."""
SWITCHES = {"ro": "--read-only", "allow_other": "--allow-other", "no_links": "--no-links"}
VALUES = {
    "writable": "--writable", "write_through": "--write-through", "audit": "--audit", "session": "--session",
    "path_prefix": "--path-prefix",
}  # fmt: skip
GENERIC = frozenset(
    "rw defaults auto noauto user nouser users owner group nofail _netdev dev nodev suid nosuid exec noexec async atime"
    " noatime relatime norelatime strictatime diratime nodiratime nostrictatime default_permissions".split()
)
"""What stands in any line of fstab: it is mount(8)'s own, or what a mount of kgfs is in any case."""


class Asked(NamedTuple):
    """What ``-o`` asks for."""

    arguments: list[str]
    """For the daemon."""
    user: str | None
    """As whom the daemon runs (``setuid=``, as other helpers call it)."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("spec")
@click.argument("directory")
@click.option("-o", "options", multiple=True, metavar="OPTIONS", help="Options, separated by commas.")
@click.option("-s", "sloppy", is_flag=True, help="Pass over options that kgfs does not know.")
@click.option("-f", "fake", is_flag=True, help="Check everything, and do not mount.")
@click.option("-n", is_flag=True, expose_value=False, help="Nothing: kgfs keeps no mtab.")
@click.option("-v", is_flag=True, expose_value=False, help="Nothing: kgfs says what failed in any case.")
@click.option("-t", "kind", metavar="TYPE", expose_value=False, help="Nothing: it is fuse.kgfs.")
@click.option("-N", "namespace", metavar="NAMESPACE", help="Not supported.")
def command(
    spec: str, directory: str, options: tuple[str, ...], sloppy: bool, fake: bool, namespace: str | None
) -> None:
    """Mount the store SPEC (its directory) at DIRECTORY, for mount(8) and fstab."""
    if namespace is not None:
        raise UsageError("kgfs mounts into its own namespace only; leave out -N.")
    asked = read_options(",".join(options), sloppy=sloppy)
    if asked.user is not None:
        become(asked.user)
    store, place = Path(os.path.abspath(spec)), Path(os.path.abspath(directory))
    mounts.check_fuse(allow_other="--allow-other" in asked.arguments)
    require_store(store)
    mounts.check_mountpoint(place, store)
    trust.refuse_links(store)
    refuse_while_added(store)
    if not fake:
        start_daemon([str(place), "--store", str(store), *asked.arguments], store)


def read_options(text: str, *, sloppy: bool = False) -> Asked:
    """What a list of options means. ``UsageError`` names one that kgfs does not know, unless ``sloppy``."""
    arguments: list[str] = []
    user: str | None = None
    for option in filter(None, text.split(",")):
        name, equals, value = option.partition("=")
        if not equals and name in SWITCHES:
            arguments.append(SWITCHES[name])
        elif value and name in VALUES:
            arguments.append(f"{VALUES[name]}={value}")
        elif value and name == "setuid":
            user = value
        elif name == "remount":
            raise UsageError("A mount of kgfs does not support remount; unmount it, then mount it again.")
        elif name not in GENERIC and not name.startswith(("x-", "X-", "comment")) and not sloppy:
            known = ", ".join([*SWITCHES, *(f"{each}=…" for each in VALUES), "setuid=USER"])
            raise UsageError(f"kgfs does not know the option {option}; its own are {known}.")
    return Asked(list(dict.fromkeys(arguments)), user)


def become(user: str) -> None:
    """Run from now on as another user, which only root can. ``UsageError`` where there is no such user."""
    try:
        found = pwd.getpwuid(int(user)) if user.isdecimal() else pwd.getpwnam(user)
    except KeyError:
        raise UsageError(f"There is no user {user}; setuid= names one of this machine.") from None
    if found.pw_uid == os.geteuid():
        return
    steps: list[Callable[[], None]] = [
        lambda: os.initgroups(found.pw_name, found.pw_gid),
        lambda: os.setgid(found.pw_gid),
        lambda: os.setuid(found.pw_uid),
    ]
    try:
        for step in steps:
            step()
    except PermissionError:
        raise KgfsError(f"Only root mounts as {user}; leave out setuid={user}, or use sudo.") from None
    os.environ |= {"HOME": found.pw_dir, "USER": found.pw_name, "LOGNAME": found.pw_name}
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        os.environ.pop(name, None)


def main(arguments: list[str] | None = None) -> NoReturn:
    """The program; the exit status is one of mount(8)'s."""
    try:
        command.main(arguments, prog_name="mount.fuse.kgfs", standalone_mode=False)
    except click.ClickException as error:
        _end(error.format_message(), WRONG_USAGE)
    except UsageError as error:
        _end(error.message, WRONG_USAGE)
    except KgfsError as error:
        _end(error.message, FAILED)
    except OSError as error:
        _end(f"{error.filename or 'mount'}: {error.strerror}.", FAILED)
    sys.exit(0)


def _end(sentence: str, status: int) -> NoReturn:
    print(f"mount.fuse.kgfs: {sentence}", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
