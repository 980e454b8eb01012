"""The window, and the only package with Qt widgets. Imports ``core`` only; imported by ``app`` only."""
