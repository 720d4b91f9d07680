"""The loader process: loads one page after another, with a limit on time and on memory.

The child that ``kgfs.sources.web.loader_process`` starts: ``python -m kgfs.sources.web.loader_child``. What strangers'
servers do to it costs one page and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kgfs.child import Answer, limit_memory, serve
from kgfs.config import Config
from kgfs.model import Loaded, LoadRequest, prepared
from kgfs.sources.web.loading import load_page


def begin(config: Config) -> Answer:
    """Answers ``request``, a ``LoadRequest``, with what became of it."""
    limit_memory(config)

    def answer(arguments: Mapping[str, msgspec.Raw]) -> Loaded:
        return load_page(config, msgspec.msgpack.decode(arguments["request"], type=prepared(LoadRequest)))

    return answer


if __name__ == "__main__":
    serve("kgfs.sources.web.loader_child", begin)
