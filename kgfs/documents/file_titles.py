"""What a text without a title is called by its file, its first heading or its folder.

Used by the parser; pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import PurePosixPath

from kgfs.documents.blocks import Block
from kgfs.documents.markup import plain_sentence, strip_lead
from kgfs.documents.summaries import running_sentences
from kgfs.random_ids import MERE_FOLDERS, is_opaque, says_no_title

MAX_TITLE = 300
_COPY = r"(?:[ ~_-]?\d{1,4}|[ _-]?\(\d{1,4}\)|~)?"
"""Behind the name of one of several files that would have the same."""
_UNNAMED = re.compile(
    r"(?i)(?:_?index|readme|untitled|unbenannt|ohne titel|sans titre|sin título|senza titolo|sem título|new note)"
    rf"{_COPY}"
)
_PLACE = re.compile(r"\W*\d{1,5}\W*")
"""A number that says which of several a file is."""
_ITEM = re.compile(r"(?:[-*+>]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADED = re.compile(r"[#=]|[^\n]+\n(?:=+|-+|~+)[ \t]*(?:\n|\Z)")
"""A text that opens with a heading."""
_FRONT = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.S | re.M)
_OF_FOLDER = re.compile(rf"(?i)(?:_?index|readme){_COPY}")
"""The page of its folder: one that has no title is called so, and not by its first words."""
_SHORTEST_FOLDER = 3
_NO_TITLE_FOLDERS = MERE_FOLDERS | {"archive", "inbox", "misc", "root"}
"""Those that are no title either, though a file may be told from others by them."""
_NAMED = re.compile(
    r"(?:The )?(?P<name>[^\W\d_a-z][\w'’.-]*(?: (?:[^\W_a-z][\w'’.-]*|of|the|and|de|du|von|van|der|la|le|for)){0,6}?)"
    r"(?: \([^()]{1,80}\))?,? (?:is|was|are|were) (?:(?:still|now|also|once) )?(?:an?|the|one of) [^\W_]"
)
"""A sentence that says what the thing is that it opens with: *Harrow Island is an island*."""
_NO_NAMES = frozenset(
    "all anything each everything he here i it many most nobody none nothing one she some somebody someone something "
    "that there these they this those today tomorrow we what which who yesterday you".split()
)
_OF_SPEAKERS = frozenset("another her his its my our that their this your".split())
_JOINTS = frozenset("a an and as at but by for from in into is of on or our that the to was with your".split())
"""Words with which no title ends."""
_MOST_WORDS = 8
_MOST_LETTERS = 60
"""Of the first words of a text that stand for its title."""


def title_of_file(path: str, stem: str, text: str, blocks: Sequence[Block]) -> str:
    """What a text is called that says no title: as its file, whose name without its suffix is ``stem``.

    Where the file is its folder's page or has no name of its own (``index.md``, ``Untitled 3.md``, a hash), as the
    heading that it opens with, as what its first sentence names, as its folder, or by its first words. A file that only
    a hash tells from others is not called as the folder of them all; a short number is its place among them.
    """
    unnamed = _UNNAMED.fullmatch(stem) is not None
    if not _has_no_name(stem):
        return stem
    first = next((one for one in blocks if one.kind != "front" and text[one.start : one.end].strip()), None)
    if first is not None and first.kind == "heading" and not says_no_title(first.title):
        return one_line(first.title)
    sentences = [*islice(running_sentences(text, blocks), 1)]
    named = _named(sentences[0]) if sentences else ""
    if named:
        return named
    folders = [one for one in PurePosixPath(path).parts[:-1] if one.strip("/.")] if unnamed else []
    shown = folders[-1].encode("utf-8", "surrogateescape").decode("utf-8", "replace") if folders else ""
    if shown.lower() in _NO_TITLE_FOLDERS or len(shown) < _SHORTEST_FOLDER:
        shown = ""
    if shown == shown.lower() and re.search(r"[^\W_][_-][^\W_]", shown):
        shown = re.sub(r"[_-]+", " ", shown).capitalize()
    if shown or _OF_FOLDER.fullmatch(stem):
        return shown or re.sub(rf"{_COPY}$", "", stem, count=1) or stem
    return _first_words(text, sentences) or (re.sub(rf"{_COPY}$", "", stem, count=1) if unnamed else "") or stem


def is_by_first_words(title: str, path: str, text: str) -> bool:
    """Whether a text is called by its first words, which say nothing of what it is about."""
    if not _has_no_name(PurePosixPath(path).stem):
        return False
    body = _FRONT.sub("", text[: 20 * MAX_TITLE], count=1).lstrip()
    if _HEADED.match(body):
        return False
    said = title.removesuffix("…")
    if title != said:
        return True
    line = plain_sentence(_ITEM.sub("", body.partition("\n")[0])).text
    opening = plain_sentence(body[strip_lead(body[:200]) :].partition("\n\n")[0]).text
    return said != "" and (
        line.rstrip(" .") == said or re.match(rf"{re.escape(said)}(?:[.!?]|\s*\Z)", opening) is not None
    )


def _has_no_name(stem: str) -> bool:
    return _UNNAMED.fullmatch(stem) is not None or (is_opaque(stem) and _PLACE.fullmatch(stem) is None)


def _named(sentence: str) -> str:
    """The thing with which a sentence opens that says what it is; empty where it opens with none."""
    found = _NAMED.match(sentence)
    words = found["name"].split() if found is not None else [""]
    if found is None or words[0].lower() in _OF_SPEAKERS or (len(words) == 1 and words[0].lower() in _NO_NAMES):
        return ""
    return one_line(found["name"])


def _first_words(text: str, sentences: Sequence[str]) -> str:
    """The first words of a text, with a sign where it goes on; none of a table or of keys with values."""
    lines = (
        plain_sentence(line).text
        for line in text[: 10 * MAX_TITLE].splitlines()
        if not line.lstrip().startswith(("|", "---", "```")) and ":" not in line
    )
    start = sentences[0] if sentences else next((line for line in lines if any(map(str.isalpha, line))), "")
    words = start.split()
    shown: list[str] = []
    for word in words[:_MOST_WORDS]:
        if len(" ".join([*shown, word])) > _MOST_LETTERS:
            break
        shown.append(word)
    while len(shown) < len(words) and shown and shown[-1].lower() in _JOINTS:
        shown.pop()
    said = " ".join(shown).rstrip(" ,;:–—-")
    return f"{said}…" if len(shown) < len(words) and said else said.rstrip(".")


def one_line(text: str) -> str:
    """A title as it is shown: on one line, of at most ``MAX_TITLE`` characters."""
    return " ".join(text.split())[:MAX_TITLE]
