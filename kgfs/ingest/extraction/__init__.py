"""Extraction: what one document says, as candidates for the graph, by patterns and without a network.

The face of the package: ``extract`` (one document, given a gazetteer), ``declarations`` and ``gazetteer`` (what all
documents declare). Used by the worker process and the pipeline; pure.
"""

from __future__ import annotations

from kgfs.ingest.extraction.extractor import EXTRACTOR, extract
from kgfs.ingest.extraction.gazetteer import Gazetteer, GazetteerEntry, declarations, gazetteer

__all__ = ["EXTRACTOR", "Gazetteer", "GazetteerEntry", "declarations", "extract", "gazetteer"]
