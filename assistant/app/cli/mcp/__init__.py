"""MCP servers as the commands and the terminal show them."""
