"""Search: two legs (BM25 and vectors) from the worker, fused by rank, joined with the rows, shown as snippets."""
