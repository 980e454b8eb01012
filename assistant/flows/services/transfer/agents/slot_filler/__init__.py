"""Extracts what a message changes: code first, the model for the rest."""
