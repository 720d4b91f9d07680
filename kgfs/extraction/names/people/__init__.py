"""Persons in texts: whether words name one, lists of them, the letters that they go by, their posts and roles."""
