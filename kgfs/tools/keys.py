"""Tools for keys with JSON values, which last over runs and are not indexed.

Used through the registry, on the thread that calls a tool.
"""

from __future__ import annotations

import msgspec

from kgfs.tools.graph_parameters import KeyParameters, ListKeysParameters, SetKeyParameters
from kgfs.tools.outcome import Value, done
from kgfs.tools.reach import Reach


def get(reach: Reach, given: KeyParameters) -> Value:
    """``value`` of a key. ``NotFoundError``."""
    return done(key=given.key, value=msgspec.json.decode(reach.keys.get_key(given.key)))


def put(reach: Reach, given: SetKeyParameters) -> Value:
    """Set a value."""
    reach.keys.set_key(given.key, msgspec.json.encode(given.value).decode())
    return done(key=given.key)


def delete(reach: Reach, given: KeyParameters) -> Value:
    """Delete a key. ``NotFoundError``."""
    reach.keys.delete_key(given.key)
    return done(key=given.key)


def listed(reach: Reach, given: ListKeysParameters) -> Value:
    """``keys`` that begin with a prefix, sorted."""
    keys = reach.keys.list_keys(given.prefix)
    return done(keys=keys[: given.limit], more=len(keys) > given.limit)
