"""Opening a page in the user's browser. Used by commands that show one."""

from __future__ import annotations

import os
import webbrowser

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def open_page(address: str) -> str:
    """Open a page; returns why it could not be opened, as a sentence, or nothing."""
    if not any(os.environ.get(name) for name in _DISPLAYS):
        return "There is no display here, so no browser was started; open this address in one"
    try:
        opened = webbrowser.open(address)
    except (webbrowser.Error, OSError):
        opened = False
    return "" if opened else "No browser could be started; open this address in one, or name one in $BROWSER"
