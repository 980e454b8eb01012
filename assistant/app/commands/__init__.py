"""One file a command of ``sori``."""
