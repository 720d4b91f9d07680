"""Query paths: directories whose names are questions."""
