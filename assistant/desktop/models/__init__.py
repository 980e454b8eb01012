"""Choosing and fetching models, and entering API keys."""
