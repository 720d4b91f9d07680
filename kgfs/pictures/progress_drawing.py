"""Draws how far steps are."""

from __future__ import annotations

from kgfs.picture_records import ProgressPicture
from kgfs.pictures.charts import chart, drawn
from kgfs.pictures.theme import plain


def draw(picture: ProgressPicture) -> bytes:
    """The picture as SVG: a bar a step, of one length whatever its numbers are. Equal steps give equal bytes."""
    steps = picture.steps[::-1]  # the library begins at the bottom
    made = chart(
        "HorizontalStackedBar", "progress", height=120 + 60 * len(steps), title=plain(picture.title),
        x_title=plain(picture.told) or None, range=(0, 100), show_x_guides=True, show_y_guides=False,
        value_formatter=lambda share: f"{share:.0f} %",
    )  # fmt: skip
    made.x_labels = [f"{plain(step.name)} {step.done:,} of {step.total:,}" for step in steps]
    shares = [100.0 * min(step.done, step.total) / step.total if step.total else 100.0 for step in steps]
    for series, values in (("done", shares), ("waiting", [100.0 - share for share in shares])):
        said = [f"{step.done:,} done" if series == "done" else f"{step.total - step.done:,} waiting" for step in steps]
        made.add(series, [{"value": value, "label": text} for value, text in zip(values, said, strict=True)])
    return drawn(made)
