"""Dictation in the window's process: types what was dictated, and shows what is heard (D-08)."""
