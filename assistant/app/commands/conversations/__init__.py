"""``sori conversations``: lists, searches, shows and deletes stored conversations."""
