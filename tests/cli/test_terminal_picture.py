"""``kgfs open --terminal``: a picture goes to a terminal in the way that this one takes, which it is asked for."""

from __future__ import annotations

import base64
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from PIL import Image

from kgfs.cli.browsing.style_variables import without_variables
from kgfs.cli.browsing.terminal_picture import Room, _columns, _drawn
from kgfs.pictures.theme import style

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100">
<rect x="0" y="0" width="100" height="100" fill="#ff0000"/></svg>"""
PROGRAM = "import sys; from kgfs.cli.browsing.terminal_picture import show; show(open(sys.argv[1], 'rb').read())"
KITTY, VT340, PLAIN = b"\x1b_Gi=31;OK\x1b\\\x1b[?62;c", b"\x1b[?63;1;2;4;6c", b"\x1b[?62;1;6c"


@pytest.fixture
def svg(tmp_path: Path) -> Path:
    (tmp_path / "a.svg").write_text(SVG)
    return tmp_path / "a.svg"


def sent_to(svg: Path, answer: bytes, **env: str) -> bytes:
    """What goes to a terminal of 80 columns that gives this answer, from its question on."""
    there = {name: value for name, value in os.environ.items() if name not in ("TERM_PROGRAM", "LC_TERMINAL")}
    child = pexpect.spawn(
        sys.executable,
        ["-c", PROGRAM, str(svg)],
        env={**there, "TERM": "xterm", **env},
        dimensions=(24, 80),
        timeout=60,
    )
    if env.get("TERM") != "dumb":
        child.expect_exact("\x1b[c")
        child.send(answer)
    sent = bytes(child.read())
    child.close()
    return sent


def colors(png: bytes) -> tuple[int, object, object]:
    """The width of a picture, and the colours of its halves."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    return image.width, image.getpixel((5, image.height // 2)), image.getpixel((image.width - 5, image.height // 2))


RED_AND_PAPER = ((255, 0, 0), (255, 255, 255))


def test_kitty(svg: Path) -> None:
    sent = sent_to(svg, KITTY)
    chunks = re.findall(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\", sent)
    assert chunks[0][0].startswith(b"a=T,f=100,q=2,c=80,m=") and chunks[-1][0].endswith(b"m=0")
    assert all(len(data) <= 4096 for _, data in chunks)
    assert colors(base64.b64decode(b"".join(data for _, data in chunks)))[0:] == (640, *RED_AND_PAPER)


@pytest.mark.parametrize("env", [{"TERM_PROGRAM": "iTerm.app"}, {"LC_TERMINAL": "iTerm2"}, {"TERM_PROGRAM": "WezTerm"}])
def test_iterm2(svg: Path, env: dict[str, str]) -> None:
    found = re.search(
        rb"\x1b]1337;File=inline=1;size=(\d+);width=80;preserveAspectRatio=1:([^\x07]*)\x07", sent_to(svg, PLAIN, **env)
    )
    assert found
    png = base64.b64decode(found[2])
    assert len(png) == int(found[1]) and colors(png) == (640, *RED_AND_PAPER)


def test_sixel(svg: Path) -> None:
    sent = sent_to(svg, VT340)
    found = re.search(rb'\x1bP[\d;]*q"1;1;(\d+);(\d+)(.*?)\x1b\\', sent, re.DOTALL)
    assert found and int(found[1]) == 640 and int(found[2]) in range(312, 337)
    assert b"2;100;0;0" in found[3], "red, in hundredths"


@pytest.mark.parametrize(("answer", "env"), [(PLAIN, {}), (b"", {"TERM": "dumb"})])
def test_a_terminal_that_shows_none_is_told_so(svg: Path, answer: bytes, env: dict[str, str]) -> None:
    sent = sent_to(svg, answer, **env)
    assert b"This terminal shows no pictures" in sent and b"\x1b_G" not in sent.replace(b"\x1b_Gi=31", b"")


def test_a_terminal_that_never_answers_is_not_waited_for(svg: Path) -> None:
    assert b"This terminal shows no pictures" in sent_to(svg, b"")


def test_where_there_is_no_terminal_and_where_there_is_no_picture(svg: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, svg], capture_output=True, text=True)
    assert "Standard output is no terminal" in done.stderr
    svg.write_text("<svg")
    assert b"The picture cannot be drawn" in sent_to(svg, KITTY)


def test_our_pictures_have_their_colours_without_variables() -> None:
    """resvg knows no variables: boxes would be black."""
    boxes = [
        f'<g class="node {name}"><path d="M{at} 0h10v10h-10z"/></g>'
        for at, name in ((0, "person"), (20, "topic"), (40, ""))
    ]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="60" height="10" viewBox="0 0 60 10"><style>{style()}</style>'
        f'{"".join(boxes)}<path d="M55 0h5v10h-5z" fill="var(--ink)"/></svg>'
    )
    plain = without_variables(svg)
    assert "var(" not in plain and "@media" not in plain
    with Image.open(io.BytesIO(_drawn(svg.encode(), 60))) as image:
        seen = [image.convert("RGB").getpixel((at, 5)) for at in (5, 25, 45, 57)]
    assert seen == [(0xFB, 0xE0, 0xC0), (0xE6, 0xE6, 0xE6), (0xEF, 0xEF, 0xEF), (0x1A, 0x1A, 0x1A)]
    assert without_variables("<svg><style>a{b:var(--c)}</style></svg>") == "<svg><style>a{b:var(--c)}</style></svg>"


@pytest.mark.parametrize(
    ("size", "room", "columns"),
    [
        ((200, 100), Room(80, 24, 8, 16), 80),
        ((200, 100), Room(300, 100, 8, 16), 120),  # not wider than one likes
        ((100, 1000), Room(80, 24, 8, 16), 4),  # not higher than the screen
        ((100, 1000), Room(80, 1, 8, 16), 1),
        ((0, 0), Room(80, 24, 8, 16), 80),
    ],
)
def test_a_picture_fits_the_screen(size: tuple[int, int], room: Room, columns: int) -> None:
    assert _columns(f'<svg viewBox="0.00 0.00 {size[0]}.00 {size[1]}.00">'.encode(), room) == columns
