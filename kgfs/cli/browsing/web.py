"""``kgfs web``: the graph as a website with a search, on this machine only."""

from __future__ import annotations

import contextlib
import secrets
import sys

import click

from kgfs.cli.browsing import browser
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, places
from kgfs.trust import refuse_links


@declare("web", "Serve the graph as a website, with a search.")
@click.argument("path", required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="PORT", help="The port; else a free one.")
@click.option("--no-open", is_flag=True, help="Only print the address; start no browser.")
def command(invocation: Invocation, path: str | None, port: int, no_open: bool) -> int:
    """Serve the pages of @web with a search as you type and a graph to expand, on 127.0.0.1 until Ctrl-C.

    The page of PATH is opened, else the first one. The printed address has a token; anyone who has it can read the
    graph. The server works beside a mount and without one. `kgfs open` shows the same pages without a server, and
    without a search.
    """
    named = [path] if path else []
    store = chosen_store(invocation, named)
    refuse_links(store)

    import anyio

    from kgfs.control import loopback
    from kgfs.control.store_asking import StoreAsking
    from kgfs.web import serving
    from kgfs.web.entrance import HOSTS

    asking = StoreAsking(store)
    with contextlib.closing(asking), contextlib.suppress(KeyboardInterrupt):
        page = ""
        if path:
            (place,) = places(store, named)
            page = asking.call("site-page", {"place": place.fields()})["page"]
        with loopback.listening(HOSTS[0], port) as listener:
            token, ticket = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
            site = f"http://{HOSTS[0]}:{listener.getsockname()[1]}/"
            bare, hash_, fragment = page.partition("#")
            begins, ends = f"{site}{bare}?token=", f"{hash_}{fragment}"
            address = f"{begins}{token}{ends}"
            if invocation.json:
                invocation.emit({"url": address, "token": token})
                sys.stdout.flush()
            else:
                invocation.note(f"Serving {address}    Stop: Ctrl-C")
            if not no_open and (failure := browser.open_page(f"{begins}{ticket}{ends}")):
                invocation.note(f"{failure}: the one above.")
            anyio.run(serving.serve, asking, listener, token, ticket)
    return 0
