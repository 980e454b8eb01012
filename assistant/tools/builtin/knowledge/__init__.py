"""What the user has written down: memory, notes and files."""
