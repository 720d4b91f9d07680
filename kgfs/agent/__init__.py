"""The loop of a language model that answers from a mount, and the tools with which it works on files there."""
