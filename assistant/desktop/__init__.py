"""Qt, and the only place for it. Imports ``core`` only; imported by ``app`` only."""
