"""The loop of a language model that answers from a mount, with what it works with."""
