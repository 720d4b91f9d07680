"""Commands that ask the graph: searches, briefs, exact lines, properties, SQL."""
