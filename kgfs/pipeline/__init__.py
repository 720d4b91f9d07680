"""Passes, runs, refresh, and the order of work: what makes rows of sources and a graph of rows.

Nothing is imported here, as in ``kgfs.documents``.
"""
