from tests.store_fixtures import database, nothing_left, pipeline, shared, worker  # noqa: F401
