"""Facts that lists, tables and records state by their form."""
