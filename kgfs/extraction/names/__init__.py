"""Which names stand in a document, where they begin and end, and of what type they are."""
