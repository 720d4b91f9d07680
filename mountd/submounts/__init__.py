"""File systems beneath directories of the tree: the kernel's requests, translated for a ``FileSystem``.

What is below is told inode numbers of its own, and knows nothing of kernels, handles and caches: that is here.
"""
