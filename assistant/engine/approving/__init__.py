"""What the user reads before an MCP server is approved, for every front end."""
