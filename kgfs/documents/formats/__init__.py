"""Files of many formats as documents.

The face of the package is ``parsing``: ``parse`` (a file's bytes), ``document_blocks``; ``registry`` lists the formats.
Nothing is imported here, as in ``kgfs.extraction``: threads may import modules of the package at once.
"""
