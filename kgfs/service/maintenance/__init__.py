"""The upkeep of a store: its check and repair, and vectors of another model."""
