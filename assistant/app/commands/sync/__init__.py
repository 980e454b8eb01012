"""``sori sync``."""
