"""``sori people``."""
