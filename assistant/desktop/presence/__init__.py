"""Sori's presence: what it does, as a shape that moves, and what is heard and said. Knows ``kit`` only."""
