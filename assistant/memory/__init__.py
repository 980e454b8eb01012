"""What Sori remembers, as lines in files that a person can read. Imported by ``chat`` and above."""
