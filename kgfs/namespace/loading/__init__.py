"""How a snapshot comes about: rows read from the store, whole or as far as they are others than before."""
