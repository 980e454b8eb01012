"""MCP servers that behave well or badly."""
