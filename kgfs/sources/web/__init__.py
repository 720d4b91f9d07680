"""What has a URL: drives by origin, plain HTTP, the loading agent and the MCP servers that it asks."""
