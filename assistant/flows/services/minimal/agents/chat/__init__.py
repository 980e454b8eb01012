"""Talks with the user."""
