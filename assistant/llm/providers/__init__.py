"""One file per provider. Providers do not import each other."""
