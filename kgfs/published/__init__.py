"""A graph that many machines read: immutable snapshots of a store in a directory or an object store.

Used by the service and by ``kgfs publish``. ``address`` says where, ``manifest`` what a snapshot is, ``bucket`` speaks
to the object store, ``sender`` sends a snapshot, ``snapshot_cache`` fetches one. Opens no catalog.
"""
