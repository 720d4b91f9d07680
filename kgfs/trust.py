"""Whose word counts: what a store may say for itself, and what only the user may.

Used when settings are loaded (``kgfs.config``), where a store is found, and by ``kgfs trust``. A store can come from
anybody: a backup that was sent, a folder that was unpacked. So a setting that names servers, programs or files, or that
costs money, is the user's to give; a store only *wishes* it, and a wish is followed where the user trusted this very
value for this very store. What was trusted is kept in the user's configuration directory, one file a store, so that no
store, backup or bundle can bring trust along. Imports no engine.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from kgfs.errors import RefusedError, StoreError

Whose = Literal["store", "limit", "user"]
"""Who gives a setting: ``store``, each store for itself; ``user``, the user alone; ``limit``, a store may lower it (0
is no limit), and the user alone may raise it."""

DIRECTORY = "directory"
"""The name in ``kgfs trust`` for a store that other users may change."""
WRITE_THROUGH = "write-through"
"""The name in ``kgfs trust`` for the permission to write to files of the disk: a list of folders."""
SKILLS = "skills"
"""The name in ``kgfs trust`` for the instructions to agents in a store: skills to the digests of their files."""


class _Trusted(msgspec.Struct, kw_only=True):
    """One file of trust."""

    store: str
    values: dict[str, Any] = {}


class Settled(NamedTuple):
    """What comes of a store's settings."""

    taken: dict[str, Any]
    """Every setting, as it holds."""
    refused: dict[str, Any]
    """The wishes that are not followed."""


def settle(
    store: Path,
    stated: Mapping[str, Any],
    own: Mapping[str, Any],
    defaults: Mapping[str, Any],
    whose: Mapping[str, Whose],
) -> Settled:
    """What holds of what a store ``stated`` (some settings), given the user's ``own``.

    A setting that has no entry in ``whose`` is a ``KeyError``: it was not decided who gives it.
    """
    given = trusted(store)
    taken, refused = dict(defaults), {}
    for name, default in defaults.items():
        mine = own.get(name, default)
        value = stated.get(name, mine)
        follows = whose[name] == "store" or (name in given and given[name] == value)
        if follows or (whose[name] == "limit" and _bound(value) <= _bound(mine)):
            taken[name] = value
            continue
        taken[name] = mine
        if value not in (mine, default):
            refused[name] = value
    return Settled(taken, refused)


def _bound(value: float) -> float:
    return value if value > 0 else float("inf")


# --- what the user said ----------------------------------------------------------------------------------------------


def user_directory() -> Path:
    """The user's configuration directory; it need not exist."""
    import platformdirs

    return Path(platformdirs.user_config_dir("kgfs"))


def read_own(path: Path) -> bytes | None:
    """A file that speaks for the user; ``None`` where there is none.

    ``RefusedError`` where somebody else but root may change it: then it does not.
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            by_root = status.st_uid == 0 and not stat.S_IMODE(status.st_mode) & 0o022
            if not by_root and (who := outsiders(status)):
                raise RefusedError(f"{path} {who}, so it is not used; own it and let nobody else write it.")
            return file.read()
    except FileNotFoundError:
        return None


def write_json(path: Path, value: Any) -> None:
    """Write a file that nobody but the user may read, atomically."""
    import tempfile

    for directory in reversed([path.parent, *path.parent.parents]):  # the mode of ``mkdir`` is not that of parents
        if not directory.exists():
            directory.mkdir(mode=0o700, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".new", dir=path.parent)
    with open(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
    os.replace(temporary, path)


def trusted(store: Path) -> dict[str, Any]:
    """The values that the user trusts of a store, by name."""
    body = read_own(_file(store))
    if body is None:
        return {}
    try:
        found = msgspec.json.decode(body, type=_Trusted)
    except msgspec.DecodeError as error:
        raise RefusedError(f"{_file(store)} cannot be read ({error}); delete it and trust again.") from error
    return found.values if found.store == _key(store) else {}


def trust(store: Path, values: Mapping[str, Any]) -> None:
    """Follow these very values in this store from now on."""
    if values:
        write_json(_file(store), _Trusted(store=_key(store), values=trusted(store) | dict(values)))


def revoke(store: Path, names: Iterable[str] | None = None) -> list[str]:
    """Trust these no more (``None``: nothing of the store); returns the names that were trusted."""
    known = trusted(store)
    gone = sorted(known if names is None else known.keys() & set(names))
    left = {name: value for name, value in known.items() if name not in gone}
    if left:
        write_json(_file(store), _Trusted(store=_key(store), values=left))
    elif known:
        _file(store).unlink(missing_ok=True)
    return gone


def _key(store: Path) -> str:
    return os.fsencode(store.resolve()).decode("utf-8", "backslashreplace")


def _file(store: Path) -> Path:
    digest = hashlib.blake2b(os.fsencode(store.resolve()), digest_size=16).hexdigest()
    return user_directory() / "trust" / f"{digest}.json"


# --- whose a store is ------------------------------------------------------------------------------------------------


def outsiders(status: os.stat_result) -> str:
    """Who else may change what has this status, as a part of a sentence; empty where the user alone may (and root)."""
    if status.st_uid != os.geteuid():
        return f"belongs to {_user(status.st_uid)}"
    if status.st_mode & stat.S_IWOTH and not stat.S_ISLNK(status.st_mode):
        return "may be written by everybody"
    if status.st_mode & stat.S_IWGRP and not stat.S_ISLNK(status.st_mode) and not _is_own_group(status.st_gid):
        return f"may be written by the group {_group(status.st_gid)}"
    return ""


def outsiders_of(store: Path, files: Iterable[str]) -> str:
    """Who else may change the store's directory, or one of these ``files`` in it; empty where nobody may."""
    for place in (store, *(store / name for name in files)):
        for follow in (False, True):
            try:
                who = outsiders(os.stat(place, follow_symlinks=follow))
            except FileNotFoundError:
                continue
            if who:
                return who if place == store else f"has a {place.name} that {who}"
    return ""


def refuse_links(store: Path) -> None:
    """``StoreError`` where something in a store is a link: what is written there would change a file elsewhere."""
    waiting = [store]
    while waiting:
        with contextlib.suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:  # the index tidies itself
            for entry in entries:
                if entry.is_symlink():
                    raise StoreError(
                        f"{entry.path} is a link, and a store holds files of its own only; put what it leads to there."
                    )
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry))


def require_own(store: Path, files: Iterable[str]) -> None:
    """``RefusedError`` where others may change a store that nobody named, unless the user trusts that."""
    who = outsiders_of(store, files)
    if who and trusted(store).get(DIRECTORY) != who:
        raise RefusedError(
            f"{store} {who}, so it is not used unasked: name it with --store {store} if you mean it, or"
            f" `kgfs trust {DIRECTORY} --store {store}` once."
        )


def _is_own_group(group: int) -> bool:
    """Whether the user is the one member of a group, as is usual where each user has a group."""
    import grp
    import pwd

    try:
        user = pwd.getpwuid(os.geteuid())
        return user.pw_gid == group and set(grp.getgrgid(group).gr_mem) <= {user.pw_name}
    except KeyError:
        return False


def _user(number: int) -> str:
    import pwd

    try:
        return f"the user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"the user {number}"


def _group(number: int) -> str:
    import grp

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
