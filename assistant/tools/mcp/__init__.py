"""Servers of the Model Context Protocol (MCP), which bring tools that others wrote."""
