"""What a node of the cluster does: one encoded call at a time, in a process that Ray keeps for the next one.

``work`` is a task of Ray's. The process has its own parser, extractor and model, each made by the first call that needs
it, under the limits of the settings that come with the call. It opens no store.
"""

from __future__ import annotations

import functools
import logging
import os
import platform
import time
from collections.abc import Sequence

import msgspec

from kgfs.cluster.calls import ClusterCalls
from kgfs.config import Config
from kgfs.errors import ModelError, ModelMismatch
from kgfs.model import prepared
from kgfs.models import framing
from kgfs.models.embedders import ModelHolder, load
from kgfs.models.process import environment
from kgfs.models.serving import Answers
from kgfs.models.spaces import PROBES, are_alike
from kgfs.worker import Documents


class NodeCalls(Documents, ClusterCalls):
    """What a node does when it is asked."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._model = ModelHolder(lambda: load(config), config.embedding_model, config.embedding_dimension)
        self._alike = b""
        """What the model was compared with, and is like."""

    def embed_alike(self, texts: Sequence[str], alike: bytes) -> bytes:
        try:
            embedder = self._model.get()
        except ModelError as error:
            raise type(error)(f"On the node {platform.node()}: {error.message}") from error
        if alike != self._alike:
            if not are_alike(embedder, PROBES, alike):
                raise ModelMismatch(
                    f"The embedding model on the node {platform.node()} makes other vectors than those of this store;"
                    " give it the model that this machine has, or run `kgfs wait` here to embed without it."
                )
            self._alike = alike
        return embedder.encode(texts).tobytes()


def work(settings: bytes, frame: bytes, shared_name: str, shared: bytes) -> bytes:
    """Do one call and return the reply. ``shared``: an argument that many calls have, encoded, of this name."""
    message = msgspec.msgpack.decode(frame, type=prepared(framing.Call))
    if shared_name:
        message.arguments[shared_name] = msgspec.Raw(shared)
    return msgspec.msgpack.encode(_answers(settings).answer(message, time.monotonic()))


@functools.lru_cache(maxsize=1)
def _answers(settings: bytes) -> Answers:
    """What does the calls of this process."""
    os.environ.update(environment())  # what the worker has: nothing is fetched, a model's files are no programs
    logging.getLogger("sentence_transformers").setLevel(logging.WARNING)
    return Answers(NodeCalls(msgspec.json.decode(settings, type=Config)), ClusterCalls)
