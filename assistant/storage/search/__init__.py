"""Searching messages: what a query finds in a text, and an index that names the texts worth looking at."""
