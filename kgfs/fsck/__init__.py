"""The check of a whole store: rows against each other, against the search index and against the pages; and mending it.

Used by ``kgfs fsck``, and by ``kgfs doctor`` for what is quick. ``run`` goes through the checks, which stand in modules
by their subject: ``values`` (single rows), ``names``, ``bodies``, ``graph``, ``index``, ``pages``.
"""
