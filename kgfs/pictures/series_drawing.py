"""Draws figures over time."""

from __future__ import annotations

import sys
from datetime import date

from lxml import etree

from kgfs.picture_records import SeriesPicture
from kgfs.pictures.theme import plain

_SHOWN_SOURCES = 3


def draw(picture: SeriesPicture) -> bytes:
    """The picture as SVG. Equal series give equal bytes."""
    import pygal
    from pygal.style import Style

    # It leaves behind an import hook for its plugins, of a kind that Python no longer asks.
    sys.meta_path[:] = [hook for hook in sys.meta_path if hasattr(hook, "find_spec")]

    sources = [plain(source) for source in picture.sources[:_SHOWN_SOURCES]]
    more = len(picture.sources) - len(sources)
    said = ", ".join(sources) + (f" and {more} more" if more > 0 else "")
    chart = pygal.DateLine(
        style=Style(
            background="var(--paper)", plot_background="var(--paper)", foreground="var(--ink)",
            foreground_strong="var(--ink)", foreground_subtle="var(--line)", colors=("#0072b2",),
            font_family="system-ui, sans-serif", guide_stroke_color="var(--line)",
            major_guide_stroke_color="var(--line)",
        ),
        js=(), show_legend=False, no_prefix=True, width=760, height=400, x_label_rotation=30, truncate_label=-1,
        title=plain(picture.title), y_title=plain(picture.unit) or None, x_title=said or None, pretty_print=False,
        disable_xml_declaration=True, dots_size=3, margin=20,
    )  # fmt: skip
    chart.uuid = "series"
    points = [
        {
            "value": (_day(point.date), point.value),
            "label": plain(point.told),
            **({"xlink": {"href": point.link, "target": "_top"}} if point.link else {}),
        }
        for point in picture.points
    ]
    chart.add("", points)
    root = etree.fromstring(chart.render().encode("utf-8", "replace"))
    # The day on which it was drawn, and what a page with its script would need.
    etree.strip_elements(root, etree.Comment, "{*}script", with_tail=False)
    style = etree.SubElement(root, f"{{{root.nsmap[None]}}}style")
    style.text = (
        "svg{--ink:#1a1a1a;--line:#8886;--paper:#fff}@media(prefers-color-scheme:dark)"
        "{svg{--ink:#eee;--line:#8886;--paper:#16181a}}"
    )
    drawn: bytes = etree.tostring(root, encoding="utf-8")
    return drawn


def _day(text: str) -> date:
    year, month, day = ([int(part) for part in text.split("T")[0].split("-")] + [1, 1])[:3]
    return date(max(1, year), month, day)
