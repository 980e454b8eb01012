"""Answers as they are meant: Markdown read into plain units, and units drawn as one document; for ``desktop`` only."""
