"""The drawing process: draws one picture after another.

A child that ``kgfs.worker`` starts: ``python -m kgfs.pictures.drawing_child``. The library that lays out graphs is C,
and one fault in it would end the process that all searches need; here it costs one picture.
"""

from __future__ import annotations

from kgfs.child import Answer, serve
from kgfs.config import Config
from kgfs.picture_records import GraphPicture, Picture, ProgressPicture, SeriesPicture


def begin(config: Config) -> Answer:
    """Draws ``picture``."""

    def draw(picture: Picture) -> bytes:
        if isinstance(picture, GraphPicture):
            from kgfs.pictures import graph_drawing

            return graph_drawing.draw(picture)
        if isinstance(picture, SeriesPicture):
            from kgfs.pictures import series_drawing

            return series_drawing.draw(picture)
        if isinstance(picture, ProgressPicture):
            from kgfs.pictures import progress_drawing

            return progress_drawing.draw(picture)
        from kgfs.pictures import timeline_drawing

        return timeline_drawing.draw(picture)

    return draw


if __name__ == "__main__":
    serve("kgfs.pictures.drawing_child", begin)
