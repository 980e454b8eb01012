"""Cuts the text of a file into passages."""
