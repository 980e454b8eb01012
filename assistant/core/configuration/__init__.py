"""The settings as a table: each is declared once, with its field in ``core/settings.py``."""
