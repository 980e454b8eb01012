"""Extracts the text of files of any kind."""
