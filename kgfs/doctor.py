"""The checks of ``kgfs doctor``: each looks for one thing that kgfs needs and says how to fix it.

Runs in the command, on its main thread. Packages are looked up and not imported, so that a broken one cannot end the
check; the store is opened only where no process has it.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from kgfs import mounts
from kgfs.config import is_store, load_config, load_settings
from kgfs.control.client import open_session
from kgfs.counting import counted
from kgfs.errors import KgfsError
from kgfs.sandbox import bubblewrap

PACKAGES = ("duckdb", "lancedb", "pyarrow", "numpy", "onnxruntime", "pyfuse3", "trio", "msgspec")
EXTRAS = {
    "offline": "spacy", "pictures": "pygraphviz", "publish": "obstore", "topics": "scikit-learn",
    "torch": "sentence-transformers",
}  # fmt: skip
"""What ``pip install 'kgfs[…]'`` adds, each with the package that shows whether it is here."""
OLDEST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 1 << 30


class Check(NamedTuple):
    """The outcome of one check."""

    name: str
    state: Literal["ok", "note", "bad"]
    """``bad`` must be fixed before kgfs works; a ``note`` is worth knowing."""
    message: str


def checks(store: Path) -> Iterator[Check]:
    """All checks, quick ones first; none raises."""
    for check in (*MACHINE, _model):
        yield _guarded(check.__name__.strip("_"), check, store)
    yield from _store_checks(store)


def _guarded(name: str, check: object, store: Path) -> Check:
    try:
        result = check(store)  # type: ignore[operator]
    except KgfsError as error:
        return Check(name, "bad", error.message)
    except OSError as error:
        return Check(name, "bad", f"{error.filename or name}: {error.strerror}; fix that and run this again.")
    assert isinstance(result, Check)
    return result


def _python(store: Path) -> Check:
    here = f"Python {platform.python_version()}"
    if sys.version_info < OLDEST_PYTHON:
        return Check(
            "python", "bad", f"{here} is too old; put Python 3.11 or newer first in PATH and run scripts/setup."
        )
    return Check("python", "ok", here)


def _packages(store: Path) -> Check:
    if missing := [name for name in PACKAGES if not _is_installed(name)]:
        return Check("packages", "bad", f"Not installed: {', '.join(missing)}; run scripts/setup.")
    return Check("packages", "ok", f"all {len(PACKAGES)} that kgfs builds on are installed")


def _extras(store: Path) -> Check:
    if missing := [extra for extra, package in EXTRAS.items() if not _is_installed(package)]:
        return Check(
            "extras", "note", f"Left out: {', '.join(missing)}; `pip install 'kgfs[{','.join(missing)}]'` adds."
        )
    return Check("extras", "ok", f"{', '.join(EXTRAS)} are installed")


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _grep(store: Path) -> Check:
    found = shutil.which("grep")
    return Check("grep", "ok", found) if found else Check("grep", "bad", "There is no grep in PATH; install GNU grep.")


def _device(store: Path) -> Check:
    mounts.check_device()
    return Check("fuse", "ok", f"{mounts.DEVICE} can be opened")


def _fusermount(store: Path) -> Check:
    found = shutil.which("fusermount3")
    if found is None:
        return Check("fusermount3", "bad", mounts.NO_FUSERMOUNT)
    if os.geteuid() != 0 and not os.stat(found).st_mode & stat.S_ISUID:
        return Check("fusermount3", "bad", f"{found} is not setuid root; as root: chmod u+s {found}.")
    return Check("fusermount3", "ok", found)


def _mounting(store: Path) -> Check:
    stale = [mount for mount in mounts.our_mounts() if mounts.is_stale(mount)]
    if stale:
        place = stale[0].mountpoint
        return Check("mounts", "bad", f"The daemon of {place} ended; `kgfs umount --lazy {place}` or mount it again.")
    live = mounts.our_mounts()
    return Check("mounts", "ok", ", ".join(str(mount.mountpoint) for mount in live) or "none of kgfs now")


def _sandbox(store: Path) -> Check:
    try:
        bubblewrap.require(bubblewrap.View(mounted=Path("/usr"), read_only=True))
    except KgfsError as error:
        return Check("sandbox", "note", f"`kgfs run` does not work: {error.message}")
    return Check("sandbox", "ok", f"{bubblewrap.program()} makes one, so `kgfs run` works")


MACHINE = (_python, _packages, _extras, _grep, _device, _fusermount, _mounting, _sandbox)
"""The checks of the machine, which need no store."""


def _model(store: Path) -> Check:
    """Load the model: nothing else shows whether it works."""
    # Here: what is missing must not end the checks before.
    from kgfs.models.embedders import locate
    from kgfs.service.health.vector_health import require_loadable

    config = load_config(store)
    setting, place = config.embedding_model, locate(config.embedding_model)
    if is_store(store):
        with open_session(store) as session:
            problem = str(session.call("model", {})["problem"])
        if problem:
            return Check("model", "bad", f"Searches go by keyword only: {problem}")
    else:
        require_loadable(config)
    where = "is taken from the cache of models" if isinstance(place, str) else f"is in {place}"
    return Check("model", "ok", f"{setting} {where} and loads")


def _store_checks(store: Path) -> Iterator[Check]:
    if not is_store(store):
        yield Check("store", "note", f"There is none at {store} yet; `kgfs add PATH` creates it.")
        return
    if store.stat().st_mode & 0o077:
        yield Check("privacy", "note", f"Other users can read {store}; `chmod 700 {store}` makes it private.")
    yield _guarded("settings", _wishes, store)
    yield _guarded("store", _store_health, store)
    yield _guarded("disk", _free_space, store)


def _wishes(store: Path) -> Check:
    if refused := load_settings(store).refused:
        return Check(
            "settings", "note", f"The store's {', '.join(refused)} needs your trust and is ignored: kgfs trust."
        )
    return Check("settings", "ok", "all settings of the store are used")


def _store_health(store: Path) -> Check:
    load_config(store)
    with open_session(store) as session:
        state = session.call("status", {"brief": True})
        found = [finding["check"] for finding in session.call("fsck", {"quick": True})["findings"]]
    if found:
        return Check("store", "bad", f"Damaged ({', '.join(found)}); `kgfs fsck` says more, --repair repairs it.")
    where = "served by its daemon" if session.remote else "opens"
    return Check("store", "ok", f"{store} {where}; {counted(state['counts']['documents'], 'document')}")


def _free_space(store: Path) -> Check:
    free = shutil.disk_usage(store).free
    if free < LEAST_FREE_BYTES:
        return Check("disk", "note", f"Only {free // 1_000_000} MB are free on the disk of the store; free some space.")
    return Check("disk", "ok", f"{free / 1e9:.0f} GB free on the disk of the store")
