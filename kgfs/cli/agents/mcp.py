"""``kgfs mcp``: the graph for other agents, by the Model Context Protocol."""

from __future__ import annotations

import contextlib
import logging
import sys
from pathlib import Path

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store
from kgfs.trust import refuse_links


@declare("mcp", "Serve the graph to other agents (MCP).")
@click.option("--http", "http", metavar="[HOST:]PORT", help="Serve streamable HTTP on this machine, not stdin.")
@click.option(
    "--token-file", type=click.Path(path_type=Path), metavar="FILE", help="Write the token there (mode 0600)."
)
@click.option("--read-only", is_flag=True, help="Offer no tool that writes.")
def command(invocation: Invocation, http: str | None, token_file: Path | None, read_only: bool) -> int:
    """Serve the store by the Model Context Protocol: tools, the tree as resources, prompts.

    Without --http it speaks on standard input and output, as programs want it that start it themselves;
    `kgfs agent-setup` prints their configuration. With --http a client needs the address and the token that are
    printed; the token is $KGFS_MCP_TOKEN if that is set. It works beside a mount and without one.
    """
    store = chosen_store(invocation)
    refuse_links(store)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)

    import anyio

    from kgfs.control.store_asking import StoreAsking
    from kgfs.mcp.server import StoreServer

    asking = StoreAsking(store)
    server = StoreServer(asking, read_only=read_only)
    # Ctrl-C and a client that hangs up are how it ends.
    with contextlib.closing(asking), contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        if http is None:
            from kgfs.mcp import stdio_serving

            anyio.run(stdio_serving.serve, server, asking.close)
            return 0
        from kgfs.control import loopback
        from kgfs.mcp import http_serving

        host, port = http_serving.address_of(http)
        token = http_serving.new_token()
        listener = loopback.listening(host, port)
        with listener:
            if token_file is not None:
                http_serving.write_token(token_file, token)
            shown = f"[{host}]" if ":" in host else host
            url = f"http://{shown}:{listener.getsockname()[1]}{http_serving.PATH}"
            if invocation.json:
                invocation.emit({"url": url, "token": token})
                sys.stdout.flush()
            else:
                invocation.note(f"Serving {url}")
                invocation.note(f"Authorization: Bearer {token}")
            anyio.run(http_serving.serve, server, listener, token)
    return 0
