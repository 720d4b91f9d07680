"""The tools and the tree for other agents: a server of the Model Context Protocol."""
