"""The window of pages: its list, its search, and what every page has in common."""
