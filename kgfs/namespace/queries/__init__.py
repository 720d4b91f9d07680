"""Query paths: directories whose names are queries."""
