"""kgfs: a knowledge graph that you mount as a file system."""

__version__ = "0.1.0"
