"""Finds passages by their words and their meaning."""
