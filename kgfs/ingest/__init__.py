"""From sources to rows: walking, parsing, chunking, extraction, resolution, and the pipeline that drives them."""
