"""The stored files as drives that can be written: the gate, drafts, and the operations of a file system on rows."""
