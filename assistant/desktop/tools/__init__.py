"""The page of tools: MCP servers, Sori's own tools, and what was allowed for good."""
