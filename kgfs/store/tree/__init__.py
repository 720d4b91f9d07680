"""What the tree is shown from: the graph as columns, rendered pages, texts to scan, what changed since a moment."""
