"""Words by which a person at a keyboard answers a question."""

YES_WORDS = frozenset({"y", "yes", "네", "예", "응"})
"""Answers to ``[y/N]`` that mean yes, in lower case."""
