"""mountd: the FUSE daemon that serves a kgfs graph as files."""
