"""How a store fares: coverage and errors, what ``@status`` keeps in memory, vectors, metrics."""
