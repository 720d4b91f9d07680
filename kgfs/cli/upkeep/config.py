"""``kgfs config``: a store's settings and the user's own, shown and changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, warn_of_wishes
from kgfs.config import (
    Config,
    change_settings,
    change_user_settings,
    load_config,
    no_setting,
    parse_option,
    require_store,
    user_settings,
    whose,
)
from kgfs.control.sockets import connect
from kgfs.errors import UsageError

_OF_VECTORS = ("embedding_model", "embedding_dimension", "embedding_passage_prefix")


@declare("config")
@click.argument("name", required=False)
@click.argument("value", required=False)
@click.option(
    "--user", is_flag=True, help="Show or set your own defaults, for every store that does not override them."
)
def command(invocation: Invocation, name: str | None, value: str | None, user: bool) -> None:
    """Show all settings of the store, show one, or set one. A new embedding model is loaded before it is accepted.

    Settings that name a server, a program or a file, or that cost money, are protected: a value that you set here is
    used, a value that came with a store is ignored until you trust it (`kgfs trust`).
    """
    if name is not None and name not in whose():
        raise no_setting(name)
    if user:
        _users(invocation, name, value)
        return
    store = require_store(chosen_store(invocation))
    if name is not None and value is not None:
        change_settings(store, {name: _accepted(load_config(store), name, value)})
        note_running(invocation, store)
        if name in _OF_VECTORS:
            invocation.note(
                "If this changes the vectors, searches use only keywords until `kgfs reembed` has finished."
            )
    warn_of_wishes(invocation, store)
    _show(invocation, msgspec.to_builtins(load_config(store)), name, value)


def _accepted(config: Config, name: str, value: str) -> Any:
    """The value of a setting's text; a model must load."""
    accepted = parse_option(name, value)
    if name == "embedding_model":
        from kgfs.service.health.vector_health import require_loadable  # here: it is heavy, and hardly ever asked for

        require_loadable(msgspec.structs.replace(config, embedding_model=accepted))
    return accepted


def _users(invocation: Invocation, name: str | None, value: str | None) -> None:
    if name is not None and whose()[name] == "store":
        raise UsageError(f"{name} is for each store to say; leave --user out.")
    if name is not None and value is not None:
        change_user_settings({name: _accepted(Config(), name, value)})
    settings = user_settings()
    if name is not None and name not in settings:
        settings[name] = None
    _show(invocation, settings, name, value)


def _show(invocation: Invocation, settings: dict[str, Any], name: str | None, value: str | None) -> None:
    if invocation.json:
        invocation.emit(settings if name is None else {name: settings[name]})
    elif name is not None:
        if value is None:
            print(invocation.printable("" if settings[name] is None else str(settings[name])))
    else:
        width = max(map(len, settings), default=0)
        for key, set_to in settings.items():
            print(invocation.printable(f"{key:<{width}}  {set_to}"))


def note_running(invocation: Invocation, store: Path) -> None:
    """Tell the user that a running daemon keeps its settings."""
    with_daemon = connect(store)
    if with_daemon is not None:
        with_daemon.close()
        invocation.note("The daemon uses it after the next mount.")
