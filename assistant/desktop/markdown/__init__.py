"""Draws the units of a Markdown text as one document; for ``desktop`` only."""
