"""Tools for JSON values by key: state of agents that is not text to be searched.

Used through the registry, on the thread that calls a tool.
"""

from __future__ import annotations

import msgspec

from kgfs.errors import NotFoundError, TooLarge
from kgfs.tools.graph_parameters import KeyParameters, KeyValueParameters, PrefixParameters
from kgfs.tools.outcome import Hinted, Value, call_text, done
from kgfs.tools.reach import Reach

VALUE_BYTES = 1 << 20
"""A larger value is read and written on the mount."""


def get(reach: Reach, given: KeyParameters) -> Value:
    """``key`` and its ``value``."""
    try:
        text = reach.required_keys.get_key(given.key)
    except NotFoundError as error:
        raise _no_key(error) from error
    if len(text.encode()) > VALUE_BYTES:
        raise Hinted(TooLarge(f"The value of {given.key!r} is larger than 1 MiB."), "Read it at @kv on the mount.")
    return done(key=given.key, value=msgspec.json.decode(text))


def put(reach: Reach, given: KeyValueParameters) -> Value:
    """Set a key: ``key`` and the number of ``bytes`` of its value."""
    text = msgspec.json.encode(given.value).decode()
    if len(text.encode()) > VALUE_BYTES:
        raise Hinted(TooLarge("The value is larger than 1 MiB; nothing was set."), "Write it as a note instead.")
    reach.required_keys.set_key(given.key, text)
    return done(key=given.key, bytes=len(text.encode()))


def delete(reach: Reach, given: KeyParameters) -> Value:
    """Delete a key."""
    try:
        reach.required_keys.delete_key(given.key)
    except NotFoundError as error:
        raise _no_key(error) from error
    return done(key=given.key, deleted=True)


def listed(reach: Reach, given: PrefixParameters) -> Value:
    """``keys`` in order; ``total`` counts those not shown too."""
    keys = list(reach.required_keys.list_keys(given.prefix))
    value = done(keys=keys[: given.limit], total=len(keys))
    if len(keys) > given.limit:
        value["note"] = f"There are {len(keys):,}; pass a longer prefix or a larger limit."
    return value


def _no_key(error: NotFoundError) -> Hinted:
    return Hinted(error, f"Call {call_text('kv_list')} to list the keys.")
