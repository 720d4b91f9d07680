"""How pictures look: one style sheet for light and dark, colours by type, and what fits into a label.

Used by the drawing modules. Colours are those of Okabe and Ito (2008), which colour-blind people can tell apart, made
lighter as the ground of a box and darker in the dark.
"""

from __future__ import annotations

import re
import textwrap

LABEL = 40
"""Characters of a name in a box."""
LINE = 18
"""Characters of one line of it."""

_CLASSES = {
    "organization": "organization",
    "person": "person",
    "location": "location",
    "concept": "concept",
    "event": "event",
    "product": "product",
    "software": "product",
    "work": "work",
    "topic": "topic",
    "document": "document",
}
_LIGHT = {
    "organization": "#cfe4f5", "person": "#fbe0c0", "location": "#c5e8da", "concept": "#f6f0b8", "event": "#f6d3c4",
    "product": "#d9e9f7", "work": "#ecd4e4", "topic": "#e6e6e6", "document": "#ffffff", "other": "#efefef",
}  # fmt: skip
_DARK = {
    "organization": "#1d4763", "person": "#6b4510", "location": "#0f5240", "concept": "#55501a", "event": "#6b2e14",
    "product": "#234a69", "work": "#5c3450", "topic": "#3d3d3d", "document": "#222222", "other": "#333333",
}  # fmt: skip
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]+")


def class_of(kind: str) -> str:
    """The class of the style sheet for a type."""
    return _CLASSES.get(kind.casefold(), "other")


def style() -> str:
    """The style sheet."""
    light = "".join(f".{name}{{--ground:{colour}}}" for name, colour in _LIGHT.items())
    dark = "".join(f".{name}{{--ground:{colour}}}" for name, colour in _DARK.items())
    return (
        "svg{--ink:#1a1a1a;--line:#666;--paper:#fff;font-family:system-ui,sans-serif}"
        f"{light}"
        "@media(prefers-color-scheme:dark){"
        "svg{--ink:#eee;--line:#aaa;--paper:#16181a}"
        f"{dark}}}"
        "svg{background:var(--paper)}"
        ".node path,.node polygon,.node ellipse{fill:var(--ground,#efefef);stroke:var(--line)}"
        ".date polygon,.date path,.date ellipse{fill:var(--line);stroke:none}"
        ".centre path,.centre polygon{stroke:var(--ink);stroke-width:2.5}"
        ".edge path{fill:none;stroke:var(--line)}"
        ".edge polygon{fill:var(--line);stroke:var(--line)}"
        "text{fill:var(--ink);font-family:system-ui,sans-serif}"
        ".edge text{fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}"
        "a:hover path,a:hover polygon,a:focus path,a:focus polygon{stroke:var(--ink);stroke-width:2.5}"
        "a:hover text,a:focus text{text-decoration:underline}"
    )


def plain(text: str) -> str:
    """A text without what XML cannot hold, on one line."""
    return " ".join(_CONTROLS.sub(" ", text).split())


def label(text: str, most: int = LABEL, line: int = LINE) -> list[str]:
    """A name as the lines of a box."""
    shown = plain(text)
    if len(shown) > most:
        shown = shown[: most - 1].rstrip() + "…"
    return textwrap.wrap(shown, line, break_long_words=True) or ["?"]
