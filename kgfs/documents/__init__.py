"""From bytes to text to chunks: formats, the processes that parse them, Markdown and HTML, dates, chunking.

Nothing is imported here: threads may import modules of the package at once, and a package that imports its own modules
then has one of them half made.
"""
