"""What all charts have in common: the look, and SVG that depends on what is drawn only.

Used by the modules that draw with pygal.
"""

from __future__ import annotations

import sys
from typing import Any

from lxml import etree

_COLOURS = ("#0072b2", "#8886")
_STYLE = (
    "svg{--ink:#1a1a1a;--line:#8886;--paper:#fff}@media(prefers-color-scheme:dark)"
    "{svg{--ink:#eee;--line:#8886;--paper:#16181a}}"
)


def chart(kind: str, name: str, **options: Any) -> Any:
    """A chart of pygal's class ``kind`` in our look; ``name`` stands in the ids of its parts."""
    import pygal
    from pygal.style import Style

    # It leaves behind an import hook for its plugins, of a kind that Python no longer asks.
    sys.meta_path[:] = [hook for hook in sys.meta_path if hasattr(hook, "find_spec")]

    style = Style(
        background="var(--paper)", plot_background="var(--paper)", foreground="var(--ink)",
        foreground_strong="var(--ink)", foreground_subtle="var(--line)", colors=_COLOURS,
        font_family="system-ui, sans-serif", guide_stroke_color="var(--line)", major_guide_stroke_color="var(--line)",
    )  # fmt: skip
    made = getattr(pygal, kind)(
        style=style, js=(), show_legend=False, no_prefix=True, width=760, truncate_label=-1, pretty_print=False,
        disable_xml_declaration=True, margin=20, **options,
    )  # fmt: skip
    made.uuid = name
    return made


def drawn(made: Any) -> bytes:
    """A chart as SVG, without the day on which it was drawn and what a page with pygal's script would need."""
    root = etree.fromstring(made.render().encode("utf-8", "replace"))
    etree.strip_elements(root, etree.Comment, "{*}script", with_tail=False)
    etree.SubElement(root, f"{{{root.nsmap[None]}}}style").text = _STYLE
    text: bytes = etree.tostring(root, encoding="utf-8")
    return text
