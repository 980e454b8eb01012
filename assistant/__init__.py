"""Sori, a local-first desktop voice assistant."""
