"""What has a URL: drives by origin, the loading agent, plain HTTP, and how what they bring becomes rows."""
