"""Versions of messages: the path that is shown, and branches of conversations."""
