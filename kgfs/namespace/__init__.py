"""The tree: what the graph looks like as a file system. Pure: no FUSE, no event loop, no thread of its own."""
