"""The client of remote catalogs that LanceDB brings along: left out until somebody uses it.

Importing ``lancedb`` imports the records of that client, and with them the whole of it: a validator for each of its 120
calls, 0.6 s of the 1.2 s that the import takes (measured, LanceDB 0.40). No store is in a remote catalog. Imported by
``kgfs.store.index.vectors`` before ``lancedb``, which is all that there is to do, on the main thread of the worker.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

CLIENT = "lance_namespace_urllib3_client"


def _leave_out() -> None:
    """Have the package ready for its parts to be imported; all of it is imported when a name of its own is asked for.

    Nothing happens where it is imported already or is not there.
    """
    if CLIENT in sys.modules or (spec := importlib.util.find_spec(CLIENT)) is None or spec.loader is None:
        return
    loader, package = spec.loader, importlib.util.module_from_spec(spec)

    def whole(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {CLIENT!r} has no attribute {name!r}")
        del package.__dict__["__getattr__"]
        loader.exec_module(package)
        return getattr(package, name)

    package.__dict__["__getattr__"] = whole
    sys.modules[CLIENT] = package


_leave_out()
