"""The file system in the ``fs_*`` tables: inodes, names and chunks in memory, and the commits that write them."""
