"""What stands in the tree: for each kind of thing its files' sizes and bytes, its dates, and the texts that are
rendered."""
