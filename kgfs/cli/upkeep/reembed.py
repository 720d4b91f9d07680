"""``kgfs reembed``: compute all vectors again, or change the embedding model."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.outcome import PARTLY_DONE
from kgfs.cli.progress import duration, following
from kgfs.cli.stores import chosen_store, going_on
from kgfs.config import absolute_model
from kgfs.errors import Cancelled


@declare("reembed", "Compute all vectors again, or change the model.")
@click.option("--model", metavar="MODEL", help="Change to this model (default: the one that is set).")
def command(invocation: Invocation, model: str | None) -> int:
    """Compute all vectors again, with the current embedding model or with another one.

    MODEL is a value of the setting embedding_model: packaged:NAME, a model's directory, onnx:DIR for its ONNX form, or
    an id in the local cache. The model is loaded before anything changes; the dimension is taken from it. Searches go
    by keyword until the vectors are complete. An interrupted run continues. If the model makes the same vectors
    (another form of the same model), nothing is embedded again.
    """
    try:
        with following(invocation, "reembed") as receiver:
            setting = None if model is None else absolute_model(model)
            result = going_on(
                invocation, chosen_store(invocation), lambda store: store.call("reembed", {"model": setting}, receiver)
            )
    except (Cancelled, KeyboardInterrupt):
        raise Cancelled("Stopped; nothing is lost, and the same command continues.") from None
    status = PARTLY_DONE if result["warnings"] else 0
    if invocation.json:
        invocation.emit(result)
        return status
    for warning in result["warnings"]:
        invocation.warn(f"  {warning}")
    invocation.say(invocation.printable(_summary(result)))
    return status


def _summary(result: dict[str, Any]) -> str:
    model = f"{result['model']} ({result['dimension']:,} dimensions)"
    done, total = result["vectors"]["done"], result["vectors"]["total"]
    if done < total:
        return f"{done:,} of {total:,} vectors are by {model}; `kgfs wait` goes on."
    if result["anew"]:
        return f"All {total:,} vectors are by {model}, made in {duration(result['seconds'])}."
    return f"All {total:,} vectors are by {model}; those that were there are its own and stayed."
