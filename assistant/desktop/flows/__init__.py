"""Guided flows in the window."""
