"""When files were written, as far as anything says so: by the history of their repository, else by their times.

Used by the pipeline, on the jobs thread, and by the threads that read files. The times of a clone, an unpacked archive
or a copied folder are those of that moment: they say nothing. A repository is somebody else's: git is asked for its
log only, with nothing of its configuration that runs programs, reads other files or reaches the network.
"""

from __future__ import annotations

import bisect
import hashlib
import logging
import os
import selectors
import subprocess
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from kgfs.documents.original import MOST_NS

log = logging.getLogger(__name__)

HOUR_NS = 3600 * 1_000_000_000
HANDFUL = 8
"""So many files may well be written within an hour."""
MOST = 0.9
"""Where that share of a source's files is of one hour, these times are none."""
LOG_SECONDS = 20.0
"""Time limit for one repository."""
ALL_SECONDS = 60.0
"""Time limit for all repositories of a run."""

_SAFE = (
    "safe.directory=*", "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.askPass=true",
    "core.quotePath=false", "log.showSignature=false", "log.mailmap=false", "diff.orderFile=/dev/null",
    "diff.external=", "protocol.allow=never", "credential.helper=",
)  # fmt: skip
_LOG = (
    "log", "-z", "--format=format:%x01%H %at", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv",
    "--no-show-signature", "--no-mailmap", "--no-decorate", "--no-relative", "--no-color", "--no-diff-merges",
)  # fmt: skip


class FileDates:
    """What is known of some files of sources before they are read."""

    def __init__(self, sources: Iterable[Sequence[tuple[Path, int]]] = (), wanted: Collection[Path] = ()) -> None:
        """``sources`` are the files of each source with their times, ``wanted`` those whose dates will be asked. Of
        other files the time is what their file system says."""
        self._bursts: dict[Path, tuple[int, int]] = {}
        for files in sources:
            span = times_burst([mtime_ns for _, mtime_ns in files])
            if span is not None:
                self._bursts |= dict.fromkeys((path for path, _ in files), span)
        self._committed = _committed(wanted)

    def of(self, path: Path, mtime_ns: int, body: bytes | None) -> int | None:
        """When a file was written, in nanoseconds since 1970; ``None`` where nothing says so.

        It is the author's date of the last commit that changed it, unless it holds something else than what was
        committed; ``body`` is ``None`` where that is not looked at.
        """
        committed = self._committed.get(path)
        if committed is not None:
            seconds, blob = committed
            if body is None or _blob(body, len(blob)) == blob:
                return None if seconds is None else max(-MOST_NS, min(seconds * 1_000_000_000, MOST_NS))
        span = self._bursts.get(path)
        return None if span is not None and span[0] <= mtime_ns <= span[1] else mtime_ns


def times_burst(times: Sequence[int]) -> tuple[int, int] | None:
    """The hour in which nearly all of these times lie, of more than a handful; ``None`` where there is none."""
    if len(times) <= HANDFUL:
        return None
    ordered = sorted(times)
    best, first = max(
        (bisect.bisect_right(ordered, start + HOUR_NS) - index, -index) for index, start in enumerate(ordered)
    )
    return (ordered[-first], ordered[-first + best - 1]) if best >= MOST * len(ordered) else None


def _blob(body: bytes, digits: int) -> str:
    """The name that git gives to a file's bytes."""
    digest = hashlib.sha256 if digits == 64 else hashlib.sha1
    return digest(b"blob %d\0" % len(body) + body, usedforsecurity=False).hexdigest()


# --- git -----------------------------------------------------------------------------------------------------------


def _committed(files: Collection[Path]) -> dict[Path, tuple[int | None, str]]:
    """Of the files that are committed: seconds since 1970 of the last commit that changed each, ``None`` where the
    repository does not say, and the name of what is committed."""
    known: dict[Path, Path | None] = {}
    by_repository: defaultdict[Path, list[Path]] = defaultdict(list)
    for file in files:
        top = _repository(file.parent, known)
        if top is not None:
            by_repository[top].append(file)
    found: dict[Path, tuple[int | None, str]] = {}
    deadline = time.monotonic() + ALL_SECONDS
    for top, inside in sorted(by_repository.items()):
        names = {os.fsencode(file.relative_to(top)): file for file in inside}
        until = min(deadline, time.monotonic() + LOG_SECONDS)
        try:
            blobs = _blobs(top, names, until)
            dates = _last_changed(top, blobs, until) if blobs else {}
        except (OSError, ValueError) as error:  # no git, or no repository that it understands
            log.info("%s: git says nothing (%s)", top, error)
            continue
        found |= {names[name]: (dates.get(name), blob) for name, blob in blobs.items()}
    return found


def _repository(folder: Path, known: dict[Path, Path | None]) -> Path | None:
    """The folder above with a ``.git``, looked for once a folder."""
    way = []
    while folder not in known:
        way.append(folder)
        if os.path.lexists(folder / ".git"):
            known[folder] = folder
        elif folder.parent == folder:
            known[folder] = None
        else:
            folder = folder.parent
    for below in way:
        known[below] = known[folder]
    return known[folder]


def _blobs(top: Path, names: Mapping[bytes, Path], until: float) -> dict[bytes, str]:
    """What the last commit has of these files."""
    found = {}
    for record in _asked(top, ("ls-tree", "-r", "-z", "--full-tree", "HEAD"), b"\0", until):
        what, _, name = record.partition(b"\t")
        fields = what.split()
        if name in names and len(fields) == 3 and fields[1] == b"blob":
            found[name] = fields[2].decode("ascii")
    return found


def _last_changed(top: Path, names: Mapping[bytes, str], until: float) -> dict[bytes, int]:
    """When these files were last changed by a commit, newest first until all are known."""
    shallow = _shallow(top, until)
    found: dict[bytes, int] = {}
    left, seconds = set(names), None
    for record in _asked(top, _LOG, b"\0", until):
        # A commit's line, then its first name behind a newline; the other names are records of their own.
        if record.startswith(b"\x01"):
            head, _, record = record[1:].partition(b"\n")
            commit, _, moment = head.partition(b" ")
            # The first commit of a history that was cut off has every file, without regard to its author.
            seconds = None if commit in shallow else int(moment)
        if record in left:
            left.discard(record)
            if seconds is not None:
                found[record] = seconds
            if not left:
                break
    return found


def _shallow(top: Path, until: float) -> set[bytes]:
    """The commits at which the history was cut off."""
    where = b"".join(_asked(top, ("rev-parse", "--git-path", "shallow"), b"\n", until))
    try:
        return set((top / os.fsdecode(where)).read_bytes().split())
    except OSError:
        return set()


def _asked(top: Path, arguments: Sequence[str], separator: bytes, until: float) -> Iterable[bytes]:
    """Yields the records that git prints until the time is over; later ones are not read."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C",
    }  # fmt: skip
    options = [part for setting in _SAFE for part in ("-c", setting)]
    process = subprocess.Popen(
        ["git", "--no-pager", *options, "-C", os.fspath(top), *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd="/",
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    rest = b""
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while (left := until - time.monotonic()) > 0 and selector.select(left):
                part = os.read(process.stdout.fileno(), 1 << 20)
                if not part:
                    if rest:
                        yield rest
                    return
                *records, rest = (rest + part).split(separator)
                yield from records
        log.info("%s: git took too long", top)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()
