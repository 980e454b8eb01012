"""``sori phone``."""
