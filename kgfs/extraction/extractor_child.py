"""The extractor process: finds names and facts in documents, call by call, beside the model in the worker.

The child that ``kgfs.worker`` starts: ``python -m kgfs.extraction.extractor_child``. The tagger computes in
Python for seconds; in the worker it would share one interpreter with the embedding model, here it has a processor.
"""

from __future__ import annotations

import gc
import os

import msgspec

from kgfs.child import Answer, serve
from kgfs.config import Config
from kgfs.model import Extraction, Gazetteer, ParsedDocument

# The tagger multiplies small matrices with numpy: a second thread would spin beside the embedding model's.
os.environ["OPENBLAS_NUM_THREADS"] = "1"


_COLLECTED = 50_000
"""New objects until the next look for cycles. Reading makes many objects and few cycles; each look at all of them goes
through what the tagger and the modules keep."""


def begin(config: Config) -> Answer:
    """Extracts from each of ``documents`` with ``gazetteer``."""
    from kgfs.extraction.extractor import extract_several

    gc.set_threshold(_COLLECTED)
    known = (msgspec.Raw(), Gazetteer())

    def answer(documents: list[ParsedDocument], gazetteer: msgspec.Raw) -> list[Extraction]:
        nonlocal known
        if gazetteer is not known[0] and gazetteer != known[0]:
            # The same object for the same bytes: the extractor keeps what it compiles by identity.
            known = (gazetteer, msgspec.msgpack.decode(gazetteer, type=Gazetteer))
        return extract_several(documents, known[1])

    return answer


if __name__ == "__main__":
    serve("kgfs.extraction.extractor_child", begin)
