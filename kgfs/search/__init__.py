"""Search: two legs (BM25 and vectors) from the worker, a third over the graph; fused, joined with rows, as snippets."""
