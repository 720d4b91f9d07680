"""What happens in a folder, gathered into bursts: every path that was touched, and those that were seen to vanish.

Used by ``kgfs watch`` on its main thread. Tells *where* to look; what became of it is found out by refreshing, so an
event that is missed, doubled or out of order does no harm. When the system's limit on watched folders is reached, the
folder is looked through every few seconds instead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path

import msgspec

from kgfs.errors import NotFoundError

QUIET_MS = 400
"""A burst ends when nothing happens for this long: editors save in several steps, a checkout takes time."""
BURST_MS = 5_000
"""A burst ends after this in any case."""
IDLE_MS = 1_000
"""Interval of empty bursts when nothing happens: the caller checks whether the folder still exists."""
POLL_MS = 2_000
RESCAN_SECONDS = 600.0
"""So often the whole is looked at, for what the system did not tell."""
_MODIFIED, _DELETED = 2, 3
"""``watchfiles.Change``."""
MANY = 5_000
"""More paths than this in one burst: the whole is looked at."""


class EventBurst(msgspec.Struct):
    """What is to be looked at; may be nothing."""

    paths: set[Path] = msgspec.field(default_factory=set)
    gone: set[Path] = msgspec.field(default_factory=set)
    """Those of them that were seen to vanish; some may be there again."""
    everything: bool = False

    def __bool__(self) -> bool:
        return bool(self.paths or self.everything)

    def add(self, other: EventBurst) -> None:
        """Take in what was seen later."""
        self.paths |= other.paths
        self.gone |= other.gone
        self.everything = self.everything or other.everything or len(self.paths) > MANY


def event_bursts(
    folders: Callable[[], Sequence[Path]],
    concerns: Callable[[Path], bool],
    note: Callable[[str], None],
) -> Generator[EventBurst, None, None]:
    """Bursts of events in ``folders()``, from the first moment on; an empty one at least every second.

    The first says to look at everything, once nothing can be missed any more; so does one after which other folders
    are to be watched. ``concerns`` tells the paths that matter; ``note`` is told in one sentence when the system cannot
    watch. Ends never by itself; ``NotFoundError`` when there are no folders, ``KeyboardInterrupt`` for Ctrl-C.
    """
    from watchfiles import watch
    from watchfiles._rust_notify import WatchfilesRustInternalError

    polling = False
    looked_at = time.monotonic()
    gone: set[Path] = set()
    while True:
        # Each by itself: watching a tree as a whole follows links out of it and fails at a folder that is closed to us.
        watched = {path for path in folders() if _is_text(path) and path.is_dir()}
        if not watched:
            raise NotFoundError("There is no folder that could be watched; is it there, and may you enter it?")
        started = False
        try:
            for changes in watch(
                *watched,
                watch_filter=None,
                debounce=BURST_MS,
                step=QUIET_MS,
                rust_timeout=IDLE_MS,
                yield_on_timeout=True,
                force_polling=polling or None,
                poll_delay_ms=POLL_MS,
                recursive=False,
            ):
                # That something in a folder changed is no change of the folder: the something is told by itself.
                seen = _seen(
                    ((change, path) for change, path in changes if change != _MODIFIED or Path(path) not in watched),
                    concerns,
                )
                if any(path in watched or path.name == ".gitignore" or _is_folder(path) for path in seen.paths):
                    gone |= seen.gone
                    break  # other folders are to be watched; then everything is looked at
                now = time.monotonic()
                if not started or now - looked_at > RESCAN_SECONDS:
                    looked_at, seen.everything = now, True
                    seen.gone |= gone
                    gone = set()
                started = True
                yield seen
        except FileNotFoundError:
            time.sleep(QUIET_MS / 1000)  # one went while it was taken up
        except (OSError, WatchfilesRustInternalError) as error:
            if "decode path" in str(error):
                continue  # a name that is no UTF-8 cannot be told: what happened to it is found by looking
            if not polling and not isinstance(error, PermissionError):
                polling = True
                note(
                    f"The system cannot watch so many folders ({_reason(error)}): looking every {POLL_MS // 1000} s"
                    " instead. `sysctl fs.inotify.max_user_watches` is the limit."
                )
            else:
                time.sleep(POLL_MS / 1000)


def _seen(changes: Iterable[tuple[int, str]], concerns: Callable[[Path], bool]) -> EventBurst:
    seen = EventBurst()
    for change, text in changes:
        path = Path(text)
        if concerns(path):
            seen.paths.add(path)
            if change == _DELETED:
                seen.gone.add(path)
    return seen


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_text(path: Path) -> bool:
    """Whether the library can be told of a path; it knows UTF-8 only."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _reason(error: Exception) -> str:
    return str(error).split(" about ", 1)[0].rstrip(".") or type(error).__name__


def topmost_gone(paths: set[Path], root: Path) -> list[Path]:
    """Paths that vanished, with the uppermost folder that vanished in place of what lay beneath it."""
    found: set[Path] = set()
    there: dict[Path, bool] = {root: True}
    for path in paths:
        top = path
        for above in path.parents:
            if above == root or not above.is_relative_to(root):
                break
            if above not in there:
                there[above] = os.path.lexists(above)
            if not there[above]:
                top = above
        found.add(top)
    return sorted(found)
