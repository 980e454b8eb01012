"""``sori telegram``."""
