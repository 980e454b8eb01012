"""The local socket: one engine for all programs of this user that use the same home."""
