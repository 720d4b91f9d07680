"""The check of a whole store: rows against each other, the search index and the pages; and its repair.

Used by ``kgfs fsck``, and by ``kgfs doctor`` for what is quick. ``run`` goes through the checks, which stand in modules
by their subject: ``values`` (single rows), ``names``, ``bodies``, ``graph``, ``index``, ``pages``. How derived rows are
repaired is in ``rebuilding``.
"""
