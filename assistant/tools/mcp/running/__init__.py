"""Runs the MCP servers and makes their tools Sori's own."""
