"""The key-value store: JSON values by key in ``kv_store``, and each key as a file."""
