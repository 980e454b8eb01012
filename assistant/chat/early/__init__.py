"""Answers that begin before it is certain that the user has finished speaking (V-23)."""
