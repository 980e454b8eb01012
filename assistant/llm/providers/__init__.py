"""One file a provider. Providers do not import each other."""
