"""What follows from writing: the cascade, and edits of the disk's files that go back to them."""
