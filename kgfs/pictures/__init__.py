"""Drawings of what is in the graph, as SVG: neighbourhoods, timelines, series of figures."""
