"""One target for as long as one likes, led by coverage (atheris). ``scripts/fuzz`` starts it.

    python -m tests.fuzz.campaign TARGET CORPUS PLACE [OPTION OF LIBFUZZER]...

``CORPUS`` is a directory in which inputs that reached something new are kept; a later run goes on with them. ``PLACE``
is an empty directory for the stores that the target makes.
"""

from __future__ import annotations

import logging
import sys
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["kgfs"]):
    from tests.fuzz.targets import TARGETS


def main(name: str, corpus: Path, place: Path, options: list[str]) -> None:
    """Does not return: the fuzzer ends the process."""
    logging.disable(logging.CRITICAL)  # a warning for each broken document
    target = TARGETS[name]
    for seed in target.seeds():
        (corpus / blake2b(seed, digest_size=10).hexdigest()).write_bytes(seed)
    if target.words:
        words = place / "words"
        words.write_text("".join(_entry(word) for word in target.words))
        options = [f"-dict={words}", *options]
    home = place / "home"
    home.mkdir()
    opened = ExitStack()  # held and never closed: the fuzzer does not come back
    check = opened.enter_context(target.opened(home))
    atheris.Setup([sys.argv[0], *options, str(corpus)], check)
    atheris.Fuzz()


def _entry(word: bytes) -> str:
    """A word as a line of libFuzzer's dictionary."""
    return '"' + "".join(rf"\x{byte:02x}" for byte in word) + '"\n'


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
