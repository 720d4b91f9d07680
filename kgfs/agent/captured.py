"""What a command printed, in bounded memory: its beginning and its end for a model, and as much as may be kept whole.

Used by ``kgfs.agent.shell``.
"""

from __future__ import annotations

from kgfs.counting import counted


class Captured:
    """Takes output piece by piece."""

    def __init__(self, shown: int, kept: int) -> None:
        """``shown`` bytes are for the model, ``kept`` bytes at most are held."""
        self._half = shown // 2
        self._kept_most = kept
        self.kept = bytearray()
        """The first ``kept`` bytes."""
        self._tail = bytearray()
        self.total = 0
        """How many bytes came."""

    def take(self, piece: bytes) -> None:
        """Add what was printed next."""
        self.total += len(piece)
        self.kept += piece[: max(0, self._kept_most - len(self.kept))]
        self._tail += piece
        if len(self._tail) > 2 * self._half + (1 << 16):
            del self._tail[: -2 * self._half]

    @property
    def cut(self) -> bool:
        """Whether the model does not see all of it."""
        return self.total > 2 * self._half

    def text(self) -> str:
        """What the model sees: all, or the beginning and the end with whole lines where there are any."""
        if not self.cut:
            return _decoded(self.kept)
        head, tail = bytes(self.kept[: self._half]), bytes(self._tail[-self._half :])
        head = head[: head.rfind(b"\n") + 1] or head
        tail = tail[tail.find(b"\n") + 1 :] or tail
        left = self.total - len(head) - len(tail)
        return f"{_decoded(head)}\n[… {counted(left, 'byte')} left out …]\n{_decoded(tail)}"


def _decoded(text: bytes | bytearray) -> str:
    return text.decode("utf-8", "replace")
