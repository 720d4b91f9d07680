"""What was added: walking folders, what differs from the rows, files that moved, watching; ``web`` for pages and MCP.

Nothing is imported here, as in ``kgfs.documents``.
"""
