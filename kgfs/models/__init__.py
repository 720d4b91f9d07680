"""Embedding models, and the worker process that holds them."""
