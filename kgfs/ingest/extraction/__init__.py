"""Extraction: what one document says, as candidates for the graph, without a network.

By patterns, and with spaCy where it is installed.

The face of the package: ``extract`` (one document, given a gazetteer), ``declarations`` and ``gazetteer`` (what all
documents declare); ``extractor_name`` and ``quality`` tell which extractor works here. Used by the worker process and
the pipeline.
"""

from __future__ import annotations

from kgfs.ingest.extraction.extractor import PATTERNS, SPACY, extract, extractor_name, quality
from kgfs.ingest.extraction.gazetteer import Gazetteer, GazetteerEntry, declarations, gazetteer

__all__ = [
    "PATTERNS",
    "SPACY",
    "Gazetteer",
    "GazetteerEntry",
    "declarations",
    "extract",
    "extractor_name",
    "gazetteer",
    "quality",
]
