"""Sori's own tools, one file for each family."""
