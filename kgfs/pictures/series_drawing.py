"""Draws figures over time."""

from __future__ import annotations

from datetime import date

from kgfs.picture_records import SeriesPicture
from kgfs.pictures.charts import chart, drawn
from kgfs.pictures.theme import plain

_SHOWN_SOURCES = 3


def draw(picture: SeriesPicture) -> bytes:
    """The picture as SVG. Equal series give equal bytes."""
    sources = [plain(source) for source in picture.sources[:_SHOWN_SOURCES]]
    more = len(picture.sources) - len(sources)
    said = ", ".join(sources) + (f" and {more} more" if more > 0 else "")
    made = chart(
        "DateLine", "series", height=400, x_label_rotation=30, title=plain(picture.title),
        y_title=plain(picture.unit) or None, x_title=said or None, dots_size=3,
    )  # fmt: skip
    points = [
        {
            "value": (_day(point.date), point.value),
            "label": plain(point.told),
            **({"xlink": {"href": point.link, "target": "_top"}} if point.link else {}),
        }
        for point in picture.points
    ]
    made.add("", points)
    return drawn(made)


def _day(text: str) -> date:
    year, month, day = ([int(part) for part in text.split("T")[0].split("-")] + [1, 1])[:3]
    return date(max(1, year), month, day)
