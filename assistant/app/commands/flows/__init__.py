"""``sori flows``."""
