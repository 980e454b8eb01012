"""Folders that tools may use: the user's notes, and the folders that the settings allow."""
