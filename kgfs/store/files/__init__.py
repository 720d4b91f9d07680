"""Stored files as rows: items with bodies and versions, their sources, and the documents that are read from them."""
