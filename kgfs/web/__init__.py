"""The website over HTTP, on this machine only: the pages of ``@web``, and a search."""
