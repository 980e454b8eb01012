"""Searches of the web, one file for each search provider; for ``tools`` only."""
