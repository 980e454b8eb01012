"""Workspaces and their agents, as files that people can read and edit: names, files, and the profiles of requests."""
