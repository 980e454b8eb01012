"""Drafts: unsent text of each conversation. Imported by the main window only."""
