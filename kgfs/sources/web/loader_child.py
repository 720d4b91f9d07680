"""The loader process: loads one page after another, with a limit on time and on memory.

A child that ``kgfs.worker`` starts: ``python -m kgfs.sources.web.loader_child``. What strangers'
servers do to it costs one page and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kgfs.child import Answer, serve
from kgfs.config import Config
from kgfs.model import Loaded, LoadRequest, prepared
from kgfs.sources.web.loading import load


def begin(config: Config) -> Answer:
    """Answers ``request``, a ``LoadRequest``, with what became of it."""

    def answer(arguments: Mapping[str, msgspec.Raw]) -> Loaded:
        return load(config, msgspec.msgpack.decode(arguments["request"], type=prepared(LoadRequest)))

    return answer


if __name__ == "__main__":
    serve("kgfs.sources.web.loader_child", begin)
