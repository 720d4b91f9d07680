"""The check of an ``agent.db``: rules of the specification, each a statement with what mends it."""
