"""Extraction: what one document says, as candidates for the graph, without a network.

By patterns, and with spaCy where it is installed.

The face of the package: ``extractor.extract`` (one document, given a gazetteer), ``gazetteer`` (what all documents
declare); ``extractor.extractor_name`` and ``quality`` tell which extractor works here. Used by the worker process and
the pipeline. Nothing is imported here: two threads of a daemon may import modules of the package at once, and a package
that imports its own modules then has one of them half made.
"""
