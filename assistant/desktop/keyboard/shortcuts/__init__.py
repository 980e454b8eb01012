"""Shortcuts that work in all windows: one file for each kind of desktop. Imported by ``global_keys`` only."""
