"""Whether what an answer cites is there: each path in the tree, each quote verbatim in what the path holds.

Used by the loop, through a ``Read``, which knows the tree. White space is folded, nothing else: a quote with another
dash or another word is no quote. In JSON (a fact's file) a quote also counts that stands in one of its texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from kgfs.paths import FACT_ID, PREFIX

MOST = 100
"""No answer cites more."""
QUOTE_LENGTH = 4_000
_SHOWN = 120
_SPACE = re.compile(r"\s+")
_REST = r"/[^\s`'\"<>|()\[\]{},;*…]+"
_PATHS = re.compile(
    rf"(?<![\w/.:@-])(?:{PREFIX}/)?(?:entities|topics|chunks|documents|facts|context|notes|workspace){_REST}"
    rf"|(?<![\w/]){PREFIX}{_REST}"
    rf"|\b{FACT_ID}\b(?!\.json)"
)
"""Paths in running text."""
_TRAILING = ".:!?/"


class Place(NamedTuple):
    """What a path names."""

    path: str
    """The canonical one, from the root."""
    texts: tuple[str, ...]
    """What it holds, that of a directory in its main files."""


Read = Callable[[str], Place | None]
"""Returns the place that a path in any of its forms names; ``None`` where there is none."""


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """A citation that was looked for."""

    path: str
    """The canonical path; what was given where nothing is."""
    quote: str = ""
    checked: bool = False
    """Whether the path is there."""
    quote_found: bool | None = None
    """Whether the quote stands in it; none without a quote."""
    problem: str = ""

    @property
    def supported(self) -> bool:
        return self.checked and self.quote_found is not False


class Checked(NamedTuple):
    """An answer with what it cites."""

    text: str
    citations: tuple[Citation, ...] = ()

    @property
    def problems(self) -> list[Citation]:
        return [citation for citation in self.citations if not citation.supported]

    @property
    def told(self) -> str:
        """What the model reads of its citations that do not hold."""
        lines = [f"- {one.path}: {one.problem}" for one in self.problems]
        return (
            "The answer was not taken yet, since it cites what is not there:\n"
            + "\n".join(lines)
            + "\nRead these places and answer again: cite a path that exists, with a quote exactly as it stands there,"
            " or leave out what the store does not say. What is still wrong then is shown to the user as unsupported."
        )


def check(text: str, cited: Any, read: Read) -> Checked:
    """Look for the citations of an answer, and for the paths in its text. ``cited`` is what the model gave."""
    found: dict[tuple[str, str], Citation] = {}
    for citation in _given(cited, read):
        found.setdefault((citation.path, citation.quote), citation)
    known = {citation.path for citation in found.values()}
    for path in _paths_in(text):
        if len(found) >= MOST:
            break
        citation = _looked_for(path, "", read)
        if citation.path not in known:
            known.add(citation.path)
            found[citation.path, ""] = citation
    return Checked(text, tuple(found.values()))


def _given(cited: Any, read: Read) -> Iterator[Citation]:
    if cited is None:
        return
    if not isinstance(cited, list):
        yield Citation(path=_short(repr(cited)), problem="citations is a list of objects with path and quote.")
        return
    for number, one in enumerate(cited[:MOST], 1):
        path = one if isinstance(one, str) else one.get("path") if isinstance(one, dict) else None
        quote = one.get("quote") if isinstance(one, dict) else None
        if not isinstance(path, str) or not path.strip() or not isinstance(quote, str | None):
            yield Citation(path=f"citation {number}", problem="it is no object with path and quote.")
        else:
            yield _looked_for(path.strip(), quote or "", read)
    if len(cited) > MOST:
        yield Citation(path=f"citation {MOST + 1}", problem=f"an answer cites at most {MOST} places.")


def _looked_for(path: str, quote: str, read: Read) -> Citation:
    place = read(path)
    if place is None:
        return Citation(
            path=path, quote=quote, quote_found=False if quote else None, problem="there is no such path."
        )  # fmt: skip
    if not quote.strip():
        return Citation(path=place.path, checked=True)
    if len(quote) > QUOTE_LENGTH:
        problem = f"the quote is longer than {QUOTE_LENGTH:,} characters; quote the sentence that says it."
        return Citation(path=place.path, quote=quote, checked=True, quote_found=False, problem=problem)
    if any(is_quoted(quote, text) for text in place.texts):
        return Citation(path=place.path, quote=quote, checked=True, quote_found=True)
    problem = f"it does not hold this text verbatim: {_short(quote)!r}."
    return Citation(path=place.path, quote=quote, checked=True, quote_found=False, problem=problem)


def is_quoted(quote: str, text: str) -> bool:
    """Whether a text holds a quote, white space folded; of JSON lines also whether one of their texts does."""
    wanted = folded(quote)
    if wanted in folded(text):
        return True
    return any(wanted in folded(one) for line in text.splitlines() for one in _texts_of_json(line))


def folded(text: str) -> str:
    """The text with each stretch of white space as one space."""
    return _SPACE.sub(" ", text).strip()


def _texts_of_json(line: str) -> Iterator[str]:
    if not line.startswith(("{", "[")):
        return
    try:
        open_ = [msgspec.json.decode(line)]
    except (msgspec.DecodeError, RecursionError):
        return
    while open_:
        value = open_.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            open_ += value.values()
        elif isinstance(value, list):
            open_ += value


def _paths_in(text: str) -> Iterator[str]:
    for match in _PATHS.finditer(text):
        path = match[0].rstrip(_TRAILING)
        if path:
            yield path


def _short(text: str) -> str:
    text = folded(text)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
