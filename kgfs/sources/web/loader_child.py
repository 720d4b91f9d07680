"""The loader process: loads one page after another, with a limit on time and on memory.

A child that ``kgfs.worker`` starts: ``python -m kgfs.sources.web.loader_child``. What strangers'
servers do to it costs one page and nothing else.
"""

from __future__ import annotations

from kgfs.child import Answer, serve
from kgfs.config import Config
from kgfs.llm_records import Loaded, LoadRequest
from kgfs.sources.web.loading import load_page


def begin(config: Config) -> Answer:
    """Loads what ``request`` asks for."""

    def answer(request: LoadRequest) -> Loaded:
        return load_page(config, request)

    return answer


if __name__ == "__main__":
    serve("kgfs.sources.web.loader_child", begin)
