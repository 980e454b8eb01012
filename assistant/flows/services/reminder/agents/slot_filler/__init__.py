"""Reads what a message changes."""
