from tests.indexed_graph import catalog, new_worker, worker  # noqa: F401
