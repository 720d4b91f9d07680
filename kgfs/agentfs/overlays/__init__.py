"""Sessions: a file system over another one, which keeps what is changed in a file of its own."""
