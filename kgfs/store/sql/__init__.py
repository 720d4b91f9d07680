"""``@sql``: the views, the file that they are exported to, and the process that runs one checked statement."""
