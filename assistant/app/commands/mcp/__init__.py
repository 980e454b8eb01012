"""``sori mcp``: list, add, import, approve and remove MCP servers. No server is started here."""
