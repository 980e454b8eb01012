"""The commands for projects and their files."""
