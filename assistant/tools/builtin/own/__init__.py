"""Sori itself: its settings, agents and workspaces."""
