"""Options that ``kgfs add`` and ``kgfs refresh`` share."""

from __future__ import annotations

import click

on = click.option(
    "--on",
    metavar="ADDRESS",
    help="Parse, extract and embed on a Ray cluster: ray (started on this machine), auto, HOST:PORT or ray://HOST:PORT."
    " See docs/scaling.md.",
)
budget = click.option(
    "--budget", metavar="USD", type=float, help="Stop before the language model costs more than this."
)
