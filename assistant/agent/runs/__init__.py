"""Prepares a model for an agent, and runs an agent without a stored conversation. Used by ``chat`` and flows."""
