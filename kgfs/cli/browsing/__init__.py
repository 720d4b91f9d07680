"""Commands that show places of the tree: in the terminal and in a browser."""
