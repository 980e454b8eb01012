"""Dictation: what of a transcript is written, which signs are spoken, and what is taken back (D-08). Pure."""
