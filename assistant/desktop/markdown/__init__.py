"""Renders answers: parses Markdown into plain units, and draws the units as one document; for ``desktop`` only."""
