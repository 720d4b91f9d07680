"""``agent.db`` in the tree: what ``@audit``, ``@agent`` and ``@session`` show of it."""
