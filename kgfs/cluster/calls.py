# mypy: disable-error-code="empty-body"
"""What a cluster is asked: what a document alone decides on (``parse`` and ``extract`` of ``DocumentCalls``), vectors.

Both ends of two connections come from this: the pipeline's to the process that speaks to Ray, and that one's to a node.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kgfs.calls import DocumentCalls, call

JOIN_SECONDS = 180.0


class Node(msgspec.Struct, kw_only=True):
    """A machine of a cluster, or a part of one."""

    id: str
    address: str
    """Of its network."""
    processors: int


class ClusterCalls(DocumentCalls):
    """``Unreachable`` of each where the cluster is gone; it is no fault of a document then."""

    @call("status", JOIN_SECONDS)
    def join(self) -> list[Node]:
        """Connect to the cluster and return its nodes that have processors.

        ``Unreachable`` where nobody answers or no node has a processor, ``ConflictError`` where a node has other
        programs than this machine, and would read documents in another way.
        """

    @call("bulk")
    def embed_alike(self, texts: Sequence[str], alike: bytes) -> bytes:
        """As ``ModelCalls.embed``. ``alike``: what the model of the store makes of ``kgfs.models.spaces.PROBES``.

        ``ModelMismatch`` where the model of the node makes something else of these.
        """

    @call("status")
    def tally(self) -> dict[str, int]:
        """How many calls each node did, by the node's id."""
