"""Draws figures over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from kgfs.picture_records import SeriesPicture
from kgfs.pictures.charts import chart, drawn
from kgfs.pictures.theme import plain

_SHOWN_SOURCES = 3
_MOST_LABELS = 10
_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12000)
"""How far apart labels of the time axis may be, in months."""


def draw(picture: SeriesPicture) -> bytes:
    """The picture as SVG. Equal series give equal bytes."""
    sources = [plain(source) for source in picture.sources[:_SHOWN_SOURCES]]
    more = len(picture.sources) - len(sources)
    said = ", ".join(sources) + (f" and {more} more" if more > 0 else "")
    labels = time_labels([_day(point.date) for point in picture.points])
    made = chart(
        "DateLine", "series", height=400, x_label_rotation=30, title=plain(picture.title),
        y_title=plain(picture.unit) or None, x_title=said or None, dots_size=3,
        x_labels=list(labels), x_value_formatter=lambda day: labels.get(day, day.isoformat()),
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


def time_labels(days: Sequence[date]) -> dict[date, str]:
    """What the time axis says at which days: beginnings of years or months between the first day and the last; the
    days themselves where there are not two of these."""
    if not days:
        return {}
    first, last = min(days), max(days)
    for step in _MONTHS:
        # Months are counted from the year 0, so that labels stand at round years.
        begin = -(-(12 * first.year + first.month - 1 + (first.day > 1)) // step)
        end = (12 * last.year + last.month - 1) // step
        if end - begin < _MOST_LABELS:
            break
    at = [date(month // 12, month % 12 + 1, 1) for month in range(begin * step, end * step + 1, step) if month >= 12]
    if len(at) < 2:
        return {day: day.isoformat() for day in sorted(set(days))[:_MOST_LABELS]}
    return {day: f"{day.year:04d}" if step % 12 == 0 else f"{day:%Y-%m}" for day in at}


def _day(text: str) -> date:
    year, month, day = ([int(part) for part in text.split("T")[0].split("-")] + [1, 1])[:3]
    return date(max(1, year), month, day)
