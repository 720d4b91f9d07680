"""A picture of the tree in the terminal itself: for ``kgfs open --terminal``.

Terminals that show pictures take them in one of three ways. Kitty's and iTerm2's are PNG in a frame of text
(https://sw.kovidgoyal.net/kitty/graphics-protocol/, https://iterm2.com/documentation-images.html); a Sixel image is
made by chafa. Which of them a terminal knows is asked, since ``$TERM`` does not say.
"""

from __future__ import annotations

import base64
import fcntl
import io
import os
import re
import select
import struct
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from typing import NamedTuple

from kgfs.cli.browsing.style_variables import without_variables
from kgfs.cli.declaration import DUMB
from kgfs.errors import KgfsError, UsageError

ANSWER_SECONDS = 2.0
"""A terminal at the other end of a slow line needs some time to answer; one that knows no question never does."""
WIDEST = 120
"""Columns of a picture."""
_CELL = 8, 16
"""Pixels of a character where the terminal does not say."""
_ITERM2 = ("iTerm.app", "WezTerm", "mintty")
_KITTY_QUESTION = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
_ATTRIBUTES_QUESTION = b"\x1b[c"
_ATTRIBUTES = re.compile(rb"\x1b\[\?([\d;]*)c")
_SIZE = re.compile(rb'<svg\b[^>]*?\bviewBox="[-\d.]+[ ,]+[-\d.]+[ ,]+([\d.]+)[ ,]+([\d.]+)"')
_CHUNK = 4096


class Room(NamedTuple):
    """A terminal's size: characters, and pixels of one."""

    columns: int
    rows: int
    cell_width: int
    cell_height: int


def show(svg: bytes) -> None:
    """Show a picture at the cursor. ``UsageError`` where standard output is no terminal that can."""
    descriptor = sys.stdout.fileno()
    if not os.isatty(descriptor):
        raise UsageError("Standard output is no terminal; leave out --terminal, or `kgfs cat` the picture to a file.")
    way = _way(descriptor)
    if way is None:
        raise UsageError(
            "This terminal shows no pictures (Kitty, iTerm2, WezTerm, foot, Konsole and xterm -ti vt340 do);"
            " leave out --terminal to see it in a browser."
        )
    room = _room(descriptor)
    columns = _columns(svg, room)
    sys.stdout.flush()
    for part in way(_drawn(svg, columns * room.cell_width), columns, room):
        _write(descriptor, part)
    _write(descriptor, b"\n")


Way = Callable[[bytes, int, Room], Iterator[bytes]]
"""From a PNG, the columns that it takes, and the room, to what is sent."""


def _way(descriptor: int) -> Way | None:
    """How this terminal takes pictures; ``None`` where it does not."""
    if os.environ.get("TERM", "") in DUMB:
        return None
    answer = _answer(descriptor, _KITTY_QUESTION + _ATTRIBUTES_QUESTION)
    if b"\x1b_Gi=31;OK" in answer:
        return _kitty
    if os.environ.get("TERM_PROGRAM") in _ITERM2 or os.environ.get("LC_TERMINAL") == "iTerm2":
        return _iterm2
    attributes = _ATTRIBUTES.search(answer)
    return _sixel if attributes is not None and b"4" in attributes[1].split(b";") else None


def _answer(descriptor: int, question: bytes) -> bytes:
    """What the terminal says, up to its attributes, which all terminals know."""
    before = termios.tcgetattr(descriptor)
    answer, deadline = b"", time.monotonic() + ANSWER_SECONDS
    try:
        tty.setcbreak(descriptor, termios.TCSANOW)
        _write(descriptor, question)
        while not _ATTRIBUTES.search(answer) and (left := deadline - time.monotonic()) > 0:
            if select.select([descriptor], [], [], left)[0]:
                part = os.read(descriptor, 1024)
                if not part:
                    break
                answer += part
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)  # an answer that comes late is no input
    return answer


def _room(descriptor: int) -> Room:
    rows, columns, width, height = struct.unpack("HHHH", fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8)))
    rows, columns = rows or 24, columns or 80
    return Room(columns, rows, width // columns or _CELL[0], height // rows or _CELL[1])


def _columns(svg: bytes, room: Room) -> int:
    """How many columns a picture takes: all, unless it would be higher than the screen."""
    columns = min(room.columns, WIDEST)
    size = _SIZE.search(svg)
    if size is not None and float(size[1]) and float(size[2]):
        most_high = max(1, room.rows - 2) * room.cell_height
        columns = min(columns, int(most_high * float(size[1]) / float(size[2]) / room.cell_width))
    return max(1, columns)


def _drawn(svg: bytes, width: int) -> bytes:
    """The picture as PNG, ``width`` pixels wide."""
    try:
        import resvg_py
    except ImportError:
        raise _missing() from None
    try:
        text = without_variables(svg.decode("utf-8"))
        return bytes(resvg_py.svg_to_bytes(svg_string=text, width=width, background="white"))
    except ValueError as error:
        raise KgfsError(f"The picture cannot be drawn: {error}.") from error


def _kitty(png: bytes, columns: int, room: Room) -> Iterator[bytes]:
    data = base64.b64encode(png)
    for start in range(0, len(data), _CHUNK):
        first = f"a=T,f=100,q=2,c={columns}," if not start else ""
        more = int(start + _CHUNK < len(data))
        yield f"\x1b_G{first}m={more};".encode() + data[start : start + _CHUNK] + b"\x1b\\"


def _iterm2(png: bytes, columns: int, room: Room) -> Iterator[bytes]:
    head = f"\x1b]1337;File=inline=1;size={len(png)};width={columns};preserveAspectRatio=1:"
    yield head.encode() + base64.b64encode(png) + b"\x07"


def _sixel(png: bytes, columns: int, room: Room) -> Iterator[bytes]:
    try:
        import chafa
        from PIL import Image
    except (ImportError, OSError):  # its library is there, and one that it needs is not
        raise _missing() from None
    with Image.open(io.BytesIO(png)) as image:
        width, height = image.size
        pixels = image.convert("RGBA").tobytes()
    config = chafa.CanvasConfig()
    config.pixel_mode = chafa.PixelMode.CHAFA_PIXEL_MODE_SIXELS
    config.cell_width, config.cell_height = room.cell_width, room.cell_height
    config.width, config.height = columns, -(-height // room.cell_height)
    canvas = chafa.Canvas(config)
    pixel_type = chafa.PixelType.CHAFA_PIXEL_RGBA8_UNASSOCIATED
    canvas.draw_all_pixels(pixel_type, pixels, width, height, width * 4)
    yield bytes(canvas.print(fallback=True))


def _missing() -> KgfsError:
    return KgfsError("Pictures in a terminal need a package that is missing; run `pip install 'kgfs[pictures]'`.")


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
