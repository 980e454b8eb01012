"""Reads the MCP servers that the user configured in other apps. May import the rest of ``tools.mcp``."""
