"""Line patches against a reference that knows each line by its number, and what the description promises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.tools.parameters import Patch
from kgfs.tools.patches import PatchError, apply, lines_of


def patch(start: int, end: int, content: str) -> Patch:
    return Patch(start_line=start, end_line=end, content=content)


TEXT = "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("patches", "after"),
    [
        ([patch(2, 2, "TWO\n")], "one\nTWO\nthree\n"),
        ([patch(2, 2, "TWO")], "one\nTWO\nthree\n"),
        ([patch(1, 2, "a\nb\nc\n")], "a\nb\nc\nthree\n"),
        ([patch(2, 0, "between\n")], "one\nbetween\ntwo\nthree\n"),
        ([patch(1, 0, "first")], "first\none\ntwo\nthree\n"),
        ([patch(4, 0, "last")], "one\ntwo\nthree\nlast\n"),
        ([patch(2, 3, "")], "one\n"),
        ([patch(1, 3, "")], ""),
        ([patch(2, 0, "")], TEXT),
        ([patch(1, 1, "\n")], "\ntwo\nthree\n"),
        # line numbers are those before the edit, whatever the order
        ([patch(1, 1, "a\nb\n"), patch(3, 3, "c\n")], "a\nb\ntwo\nc\n"),
        ([patch(3, 3, "c\n"), patch(1, 1, "a\nb\n")], "a\nb\ntwo\nc\n"),
        ([patch(2, 0, "x\n"), patch(2, 0, "y\n"), patch(2, 2, "z\n")], "one\nx\ny\nz\nthree\n"),
        ([patch(2, 2, "z\n"), patch(2, 0, "x\n")], "one\nx\nz\nthree\n"),
        ([patch(4, 0, "x"), patch(4, 0, "y")], "one\ntwo\nthree\nx\ny\n"),
    ],
)
def test_patches(patches: list[Patch], after: str) -> None:
    assert apply(TEXT, patches) == after


@pytest.mark.parametrize(
    ("text", "patches", "after"),
    [
        ("", [patch(1, 0, "a")], "a"),
        ("", [patch(1, 0, "a\n")], "a\n"),
        ("a\nb", [patch(2, 2, "c")], "a\nc"),
        ("a\nb", [patch(2, 2, "c\n")], "a\nc\n"),
        ("a\nb", [patch(3, 0, "c")], "a\nb\nc"),
        ("a\nb", [patch(3, 0, "c"), patch(3, 0, "d")], "a\nb\nc\nd"),
        ("a\nb", [patch(2, 0, "c")], "a\nc\nb"),
        ("a\nb", [patch(2, 2, "")], "a\n"),
        ("a\r\nb\r\n", [patch(1, 1, "c")], "c\r\nb\r\n"),
        ("a\r\nb\r\n", [patch(3, 0, "c")], "a\r\nb\r\nc\r\n"),
        ("a\x0cb\u2028c\n", [patch(1, 1, "d\n")], "d\n"),
    ],
)
def test_ends_of_lines(text: str, patches: list[Patch], after: str) -> None:
    assert apply(text, patches) == after


@pytest.mark.parametrize(
    "patches",
    [
        [patch(5, 0, "x")],
        [patch(4, 4, "x")],
        [patch(3, 4, "x")],
        [patch(3, 2, "x")],
        [patch(0, 0, "x")],
        [patch(0, 1, "x")],
        [patch(1, -1, "x")],
        [patch(1, 2, "x"), patch(2, 3, "y")],
        [patch(2, 2, "x"), patch(2, 2, "y")],
        [patch(1, 3, "x"), patch(2, 0, "y")],
        [patch(1, 3, "x"), patch(3, 0, "y")],
    ],
)
def test_what_does_not_fit_is_refused(patches: list[Patch]) -> None:
    for order in (patches, patches[::-1]):
        with pytest.raises(PatchError) as raised:
            apply(TEXT, order)
        assert raised.value.message.startswith("Patch")


# --- a reference ------------------------------------------------------------------------------------------------------


def reference(text: str, patches: list[Patch]) -> str | None:
    """The same by numbers: what stands before each line, and what each line became. ``None`` where it does not fit."""
    lines = lines_of(text)
    count = len(lines)
    before: dict[int, list[str]] = {number: [] for number in range(1, count + 2)}
    owner: dict[int, Patch] = {}
    for each in patches:
        start, end = each.start_line, each.end_line
        if end == 0:
            if not 1 <= start <= count + 1:
                return None
            before[start].append(each.content)
            continue
        if not 1 <= start <= end <= count or any(number in owner for number in range(start, end + 1)):
            return None
        owner.update(dict.fromkeys(range(start, end + 1), each))
    for each in patches:
        if each.end_line == 0 and any(
            other.end_line and other.start_line < each.start_line <= other.end_line for other in patches
        ):
            return None
    # (text, whether a line end is to follow where it lacks one)
    pieces: list[tuple[str, bool]] = []
    ended = bool(lines) and lines[-1].endswith("\n")
    for number in range(1, count + 2):
        pieces += [(each, number <= count or ended) for each in before[number]]
        if number > count:
            break
        if number not in owner:
            pieces.append((lines[number - 1], False))
        elif owner[number].start_line == number:
            last = owner[number].end_line
            pieces.append((owner[number].content, lines[last - 1].endswith("\n")))
    pieces = [piece for piece in pieces if piece[0]]
    out = ""
    for place, (piece, wants_end) in enumerate(pieces):
        if not piece.endswith("\n") and (wants_end or place < len(pieces) - 1):
            piece += "\n"
        out += piece
    return out


LINE_TEXT = st.text("ab\n", max_size=12)
PATCHES = st.lists(
    st.builds(patch, st.integers(0, 6), st.integers(0, 6), st.text("xy\n", max_size=5)), min_size=1, max_size=4
)


@given(LINE_TEXT, PATCHES)
def test_agrees_with_the_reference(text: str, patches: list[Patch]) -> None:
    expected = reference(text, patches)
    if expected is None:
        with pytest.raises(PatchError):
            apply(text, patches)
    else:
        assert apply(text, patches) == expected


@given(st.text())
def test_lines_are_the_text(text: str) -> None:
    lines = lines_of(text)
    assert "".join(lines) == text
    assert len(lines) == text.count("\n") + (bool(text) and not text.endswith("\n"))
