"""systemd units that keep a mount or a watch alive: their text, and what enables and removes them.

Used by ``kgfs mount``, ``umount`` and ``watch``. A unit is of the user (it runs from login to logout, or all the time
with ``loginctl enable-linger``) or of the system (it runs from boot on, as the owner of the store). It is written for
one command with all its options: what the user's settings and environment say is read when it starts.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from kgfs import interpreter
from kgfs.errors import KgfsError, NotFoundError, RefusedError, UsageError

SYSTEM_DIRECTORY = Path("/etc/systemd/system")
SECONDS = 180
"""How long systemd waits for a mount: longer than ``kgfs mount`` does (``mount.START_SECONDS``)."""
_KEPT = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
"""Variables that say where settings are: in a unit they are those of the command that wrote it."""

system = click.option(
    "--system", is_flag=True, help="With --on-login: from boot on, as the owner of the store (as root)."
)
"""The option of a command that writes a unit."""


def require_on_login(system: bool, on_login: bool) -> None:
    """``UsageError`` for ``--system`` without ``--on-login``."""
    if system and not on_login:
        raise UsageError("--system needs --on-login; add --on-login, or leave out --system.")


class Unit(NamedTuple):
    """A service of systemd."""

    name: str
    text: str


class Manager(NamedTuple):
    """The systemd of the user, or of the system."""

    system: bool

    @property
    def directory(self) -> Path:
        """Where units are that somebody wrote for it."""
        if self.system:
            return SYSTEM_DIRECTORY
        import platformdirs

        return Path(platformdirs.user_config_dir("systemd")) / "user"

    @property
    def journal(self) -> str:
        """The command that shows what its units say."""
        return f"journalctl{'' if self.system else ' --user'} -u"

    def require(self) -> None:
        """``KgfsError`` where it does not answer, ``RefusedError`` where the user may not give it a unit."""
        if self.system and os.geteuid() != 0:
            raise RefusedError("Only root can install a system unit; run this with sudo, or leave out --system.")
        self._ask("daemon-reload", problem="is not there for you", advice=self._without())

    def _without(self) -> str:
        if self.system:
            return "start `kgfs mount` from what starts services here, or mount it by /etc/fstab (docs/service.md)"
        return "start `kgfs mount` from what starts programs at your login, or use --system as root (docs/service.md)"

    def has(self, name: str) -> bool:
        """Whether a unit of that name was written."""
        return (self.directory / name).exists()

    def start(self, unit: Unit) -> None:
        """Write a unit, have it started at each login or boot, and start it now; returns when it is ready.

        ``KgfsError`` where systemd cannot start it; the unit is kept, so that its journal can be looked at.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / unit.name).write_text(unit.text, "utf-8")
        advice = f"`{self.journal} {unit.name}` says why"
        self._ask("daemon-reload", problem="does not take the unit", advice=advice)
        self._ask("enable", unit.name, problem="does not enable the unit", advice=advice)
        self._ask("restart", unit.name, problem="could not start it", advice=advice)

    def stop(self, name: str) -> None:
        """End what the unit runs, if it was written; it is started again at the next login or boot."""
        if self.has(name):
            self._ask("stop", name, problem="could not stop it", advice=f"`{self.journal} {name}` says why")

    def remove(self, name: str) -> None:
        """End what the unit runs and remove it."""
        advice = f"end it with `systemctl{'' if self.system else ' --user'} disable --now {name}`"
        self._ask("disable", "--now", name, problem="could not stop it", advice=advice)
        (self.directory / name).unlink()
        self._ask("daemon-reload", problem="does not reply", advice=advice)

    def _ask(self, *arguments: str, problem: str, advice: str) -> None:
        program = shutil.which("systemctl")
        if program is None:
            raise KgfsError(f"There is no systemd here; {self._without()}.")
        command = [program, *([] if self.system else ["--user"]), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0].rstrip(".")
            raise KgfsError(f"systemd {problem} ({reason}); {advice}.")


def forget(what: str, place: Path) -> None:
    """Remove the unit of a mount or a watch, the user's or the system's. ``NotFoundError`` where there is none."""
    name = unit_name(what, place)
    managers = [manager for system in (False, True) if (manager := Manager(system)).has(name)]
    if not managers:
        raise NotFoundError(f"There is no systemd unit for the {what} of {place}; check the path.")
    for manager in managers:
        manager.require()
        manager.remove(name)


def unit_name(what: str, place: Path) -> str:
    """The name of the unit that keeps a mount or a watch: of ``what``, and its directory as systemd writes paths."""
    program = shutil.which("systemd-escape")
    if program is None:
        return f"kgfs-{what}@.service"  # of no unit: without systemd there is none
    command = [program, "--path", f"--template=kgfs-{what}@.service", "--", os.path.abspath(place)]
    done = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", check=False)
    name = done.stdout.strip()
    if done.returncode or len(os.fsencode(name)) > 255:
        raise KgfsError(f"systemd has no name for {place}; choose a directory with a shorter path.")
    return name


def mount_unit(store: Path, place: Path, arguments: Sequence[str], *, system: bool) -> Unit:
    """The unit of a mount at ``place``; ``arguments`` are those of the daemon."""
    service = [
        "Type=notify",
        "NotifyAccess=main",
        f"ExecStart={command_line(interpreter.program('mountd', '-f', *arguments))}",
        f"TimeoutStartSec={SECONDS}",
        "TimeoutStopSec=120",
        "# The event loop says every few seconds that it turns.",
        "WatchdogSec=120",
        "# An unmount (kgfs umount, fusermount3 -u) ends it well, and it stays ended.",
        "# Wrong usage stays wrong.",
        "RestartPreventExitStatus=2",
    ]
    return Unit(
        unit_name("mount", place),
        _text(f"kgfs: {store} at {place}", service, [store, place.parent], store, system=system),
    )


def watch_unit(store: Path, root: Path, *, system: bool) -> Unit:
    """The unit of a watch of the folder ``root``."""
    command = interpreter.program("kgfs.cli.main", "--store", store, "watch", root)
    service = [
        "Type=exec",
        f"ExecStart={command_line(command)}",
        "# Ctrl-C is how a watch ends.",
        "KillSignal=SIGINT",
        "SuccessExitStatus=130",
        "# The store or the folder is gone, or was taken out: nothing is left to follow.",
        "RestartPreventExitStatus=2 3",
    ]
    return Unit(
        unit_name("watch", root), _text(f"kgfs: {root} into {store}", service, [store, root], store, system=system)
    )


def _text(description: str, service: Sequence[str], needed: Sequence[Path], store: Path, *, system: bool) -> str:
    lines = [
        "# Written by kgfs; the command that wrote it writes it anew.",
        "[Unit]",
        f"Description={_escaped(description)}",
        "Documentation=man:kgfs(1)",
        "StartLimitIntervalSec=300",
        "StartLimitBurst=10",
    ]
    if system:
        lines += [f"RequiresMountsFor={' '.join(_quoted(str(path)) for path in needed)}"]
    lines += ["", "[Service]", *service]
    lines += [
        "Restart=on-failure",
        "RestartSec=2",
        "# The main process ends its own; one of them that uses up the memory costs a document, not the mount.",
        "KillMode=mixed",
        "OOMPolicy=continue",
        "WorkingDirectory=/",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in _environment().items()),
    ]
    if system and (owner := _owner(store)) is not None:
        lines += [f"User={owner}"]
    lines += ["", "[Install]", f"WantedBy={'multi-user' if system else 'default'}.target", ""]
    return "\n".join(lines)


def _environment() -> Mapping[str, str]:
    return {name: os.environ[name] for name in _KEPT if os.environ.get(name)}


def _owner(store: Path) -> str | None:
    """The user who owns a store, for a unit that root writes; ``None`` for root."""
    user = store.stat().st_uid
    if user == 0:
        return None
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def command_line(command: Sequence[str]) -> str:
    """The words of a command as ``ExecStart`` takes them (systemd.service(5)): nothing in them is expanded."""
    return " ".join(_quoted(word).replace("$", "$$") for word in command)


def _quoted(word: str) -> str:
    """One word in quotes, control characters and bytes that are no UTF-8 as ``\\x``."""
    return f'"{_escaped(word, quotes=True)}"'


def _escaped(text: str, *, quotes: bool = False) -> str:
    """``text`` on one line, without specifiers; outside of quotes nothing can be escaped."""
    found = []
    for character in text:
        if character == "\\" or (character == '"' and quotes):
            found.append("\\" + character if quotes else "?")
        elif character == "%":
            found.append("%%")
        elif ord(character) < 32 or 0xDC80 <= ord(character) <= 0xDCFF or character == "\x7f":
            found.append("".join(f"\\x{byte:02x}" for byte in os.fsencode(character)) if quotes else "?")
        else:
            found.append(character)
    return "".join(found)
