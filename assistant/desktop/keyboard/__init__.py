"""Keyboard and focus of the whole window. Imported by the main window only."""
