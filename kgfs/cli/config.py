"""``kgfs config``: a store's settings, shown and changed."""

from __future__ import annotations

import click
import msgspec

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store
from kgfs.config import Config, absolute_model, load_config, require_store, save_config, set_option
from kgfs.control.sockets import connect
from kgfs.errors import UsageError

_OF_VECTORS = ("embedding_model", "embedding_dimension", "embedding_passage_prefix")


@declare("config")
@click.argument("name", required=False)
@click.argument("value", required=False)
def command(invocation: Invocation, name: str | None, value: str | None) -> None:
    """Show the store's settings, one of them, or set one. An embedding model is loaded before it is taken."""
    store = require_store(chosen_store(invocation))
    config = load_config(store)
    if name is not None and value is not None:
        config = set_option(config, name, absolute_model(value) if name == "embedding_model" else value)
        if name == "embedding_model":
            from kgfs.service.vector_health import require_loadable  # here: it is heavy, and hardly ever asked for

            require_loadable(config)
        save_config(store, config)
        with_daemon = connect(store)
        if with_daemon is not None:
            with_daemon.close()
            invocation.note("The daemon takes it up when it is mounted again.")
        if name in _OF_VECTORS:
            invocation.note(
                "If vectors change by it, searches go by keyword until `kgfs reembed` has embedded everything with it."
            )
    settings = msgspec.to_builtins(config)
    if name is not None and name not in settings:
        raise UsageError(f"There is no setting {name!r}; the settings are {', '.join(_names())}.")
    if invocation.json:
        invocation.emit(settings if name is None else {name: settings[name]})
    elif name is not None:
        if value is None:
            print(settings[name])
    else:
        width = max(map(len, settings))
        for key, set_to in settings.items():
            print(f"{key:<{width}}  {set_to}")


def _names() -> list[str]:
    return [field.name for field in msgspec.structs.fields(Config)]
