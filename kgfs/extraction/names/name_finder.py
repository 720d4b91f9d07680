"""What spaCy's name finder marks in sentences, decided for all words at once.

Used by ``tagging``. The finder goes through a sentence word by word and looks at 74 moves for each, which takes three
times as long as its network. But outside of a name what it does at a word depends on that word alone, and inside of one
it only goes on or ends it: so both are products of matrices, over all words and over all names that may begin. The
moves are the same. A finder of another kind marks names by itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from spacy.language import Language
    from spacy.tokens import Doc

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

Marked = tuple[int, int, str]
"""The first character of a name, the one behind it, and the finder's own label."""
BATCH = 128
"""Sentences that are looked at together."""
_FEATURES = 3
"""The word, the first one of the name that is open, and the one before."""


class NameFinder:
    """Finds names with one pipeline."""

    def __init__(self, pipeline: Language) -> None:
        self._component: Any = pipeline.get_pipe("ner")
        self._moves = _Moves.of(self._component)

    def find_names(self, docs: Sequence[Doc]) -> list[list[Marked]]:
        """What is marked in each sentence."""
        if self._moves is None:
            deque(self._component.pipe(iter(docs), batch_size=BATCH), maxlen=0)
            return [[(name.start_char, name.end_char, name.label_) for name in doc.ents] for doc in docs]
        found: list[list[Marked]] = []
        for start in range(0, len(docs), BATCH):
            found += self._batch(self._moves, docs[start : start + BATCH])
        return found

    def _batch(self, moves: _Moves, docs: Sequence[Doc]) -> list[list[Marked]]:
        found: list[list[Marked]] = [[] for _ in docs]
        sentences = np.repeat(np.arange(len(docs)), [len(doc) for doc in docs])
        if not len(sentences):
            return found
        words = np.concatenate(
            [doc.to_array(["IS_SPACE", "SENT_START", "IDX", "LENGTH"]).reshape(-1, 4) for doc in docs]
        )
        following = np.append(sentences[1:] != sentences[:-1], True)
        following[:-1] |= words[1:, 1] == 1
        network, lower, _ = self._component.model.layers
        parts: Floats = lower.predict(network.predict(docs))
        for start, end, label in moves.names(parts, words[:, 0] != 0, following):
            first, last = words[start].tolist(), words[end - 1].tolist()
            found[sentences[start]].append((first[2], last[2] + last[3], label))
        return found


class _Moves(NamedTuple):
    """The moves of a finder with the weights of its last layer, in the finder's order."""

    weight: Floats
    bias: Floats
    lower_bias: Floats
    outside: Numbers
    """The moves that are possible outside of a name: a name begins, is one word, or there is none."""
    begins: Flags
    """Which of those begin a name of several words."""
    units: Flags
    """Which of those are a name of one word."""
    labels: list[str]
    """Of those; empty where there is no name."""
    goes_on: Numbers
    """The moves that go on with a name that began by each of those."""
    ends: Numbers
    """The moves that end it."""

    @classmethod
    def of(cls, component: Any) -> _Moves | None:
        """``None`` where the finder is of another kind."""
        model, moves = component.model, component.moves
        if (
            type(moves).__name__ != "BiluoPushDown"
            or component.cfg.get("beam_width") != 1
            or not model.attrs.get("has_upper")
            or model.attrs.get("unseen_classes")
            or len(model.layers) != 3
            or model.layers[1].get_dim("nF") != _FEATURES
            or model.layers[1].get_dim("nP") < 2
        ):
            return None
        names = [moves.get_class_name(number) for number in range(moves.n_moves)]
        numbers = {name: number for number, name in enumerate(names)}
        outside = [
            number for number, name in enumerate(names) if name == "O" or (name[:2] in ("B-", "U-") and name[2:])
        ]
        labels = [names[number][2:] for number in outside]
        begins = [names[number].startswith("B-") for number in outside]
        if "O" not in numbers or any(f"{move}-{label}" not in numbers for label in labels if label for move in "IL"):
            return None
        return cls(
            model.layers[2].get_param("W"),
            model.layers[2].get_param("b"),
            model.layers[1].get_param("b"),
            np.array(outside),
            np.array(begins),
            np.array([names[number].startswith("U-") for number in outside]),
            labels,
            np.array([numbers[f"I-{label}"] if label else 0 for label in labels]),
            np.array([numbers[f"L-{label}"] if label else 0 for label in labels]),
        )

    def names(self, parts: Floats, spaces: Flags, alone: Flags) -> list[tuple[int, int, str]]:
        """The names among words, by numbers of words.

        ``parts``: for each word, behind a row for none, what it gives the state of the finder in each of its places.
        ``spaces``: where no name begins. ``alone``: where no name goes on behind the word.
        """
        none, parts = parts[0], parts[1:]
        scores = self._state(parts[:, 0] + none[1] + none[2]) @ self.weight[self.outside].T + self.bias[self.outside]
        scores[np.ix_(spaces | alone, self.begins)] = -np.inf
        scores[np.ix_(spaces, self.units)] = -np.inf
        chosen = scores.argmax(axis=1)
        starts = np.flatnonzero(self.begins[chosen])
        behind = dict(zip(starts.tolist(), self._ends(parts, alone, starts, chosen[starts]).tolist(), strict=True))
        found = []
        free = 0
        for start in np.flatnonzero(self.begins[chosen] | self.units[chosen]).tolist():
            if start >= free:
                free = behind.get(start, start + 1)
                found.append((start, free, self.labels[chosen[start]]))
        return found

    def _ends(self, parts: Floats, alone: Flags, starts: Numbers, moves: Numbers) -> Numbers:
        """Behind which word each name ends that begins at ``starts``, if it begins there."""
        ends = starts + 1
        open_ = np.arange(len(starts))
        while len(open_):
            at, start = ends[open_], starts[open_]
            ends[open_] += 1
            state = self._state(parts[at, 0] + parts[start, 1] + parts[at - 1, 2])
            on, end = self.goes_on[moves[open_]], self.ends[moves[open_]]
            more = np.einsum("sh,sh->s", state, self.weight[on]) + self.bias[on]
            last = np.einsum("sh,sh->s", state, self.weight[end]) + self.bias[end]
            # Of two moves that are as good the first is made.
            open_ = open_[((more > last) | ((more == last) & (on < end))) & ~alone[at]]
        return ends

    def _state(self, sums: Floats) -> Floats:
        sums += self.lower_bias
        state: Floats = sums[..., 0]
        for piece in range(1, sums.shape[2]):
            state = np.maximum(state, sums[..., piece])
        return state
