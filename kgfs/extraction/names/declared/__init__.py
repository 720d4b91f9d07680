"""The names that documents declare by their titles, terms, records and links, before a sentence is read."""
