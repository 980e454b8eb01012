"""What Sori remembers, where it came from, and its history."""
