"""``kgfs demo`` over the documents in ``PART/samples``, with the programs in ``PART/bin``.

``python -m tests.cli.small_demo PART demo``
"""

from __future__ import annotations

import sys
from pathlib import Path

from kgfs.cli import demo, main

PART = Path(sys.argv[1])

demo.files = lambda package: PART  # type: ignore[assignment]
sys.executable = str(PART / "bin" / "python")
main.main(sys.argv[2:])
