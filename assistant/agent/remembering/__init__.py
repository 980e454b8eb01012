"""Remembers facts from the user's messages without being asked (M-02)."""
