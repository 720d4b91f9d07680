"""How the pages of the website look: records of what a page says, templates, style and scripts. Pure.

``namespace.site`` makes the records and ``rendering`` makes HTML of them. Knows nothing of the store or the tree.
"""
