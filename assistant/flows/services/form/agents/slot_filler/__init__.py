"""Reads what a message sets."""
