"""Names that one document suggests: a folder of documents together shows which of them are any."""
